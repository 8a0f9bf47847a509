/** Variables of documents, and files of script entries that scenarios share. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import type { ApiError, Problem } from '../../src/core/errors.js'
import { runEmulator } from '../../src/emulator.js'
import { startEmulator } from '../../src/in-process.js'
import { DEFAULT_LIMITS } from '../../src/scenario/documents.js'
import { readDocument } from '../../src/scenario/read/document.js'
import type { FirstState } from '../../src/scenario/scenario.js'
import { SAYS } from '../../src/scenario/sentences.js'
import type { GivenVariables } from '../../src/scenario/shape/variables.js'
import { ran } from '../support/command.js'
import { startTestEmulator } from '../support/emulator.js'
import { checkedAlone, lookedAt, type Where } from '../support/first-state.js'

const line = ({ file, line, column, path, message }: Problem) =>
  `${file?.split('/').at(-1)}:${line}:${column} ${path && `${path}: `}${message}`

/** `coded` are the problems by the codes of their sentences. */
type Made = { first: FirstState | null; problems: string[]; coded: string[]; warnings: string[] }

/** The initial state that a text describes, and its problems. */
async function made(
  text: string,
  { root = null, ...where }: Where & { root?: string | null } = {}
): Promise<Made> {
  const file = root === null ? null : join(root, 'own.yaml')
  const { first, problems, warnings } = await lookedAt(text, {
    ...where,
    file,
    name: file ?? 'body',
    machine: 1_800_000_000_000
  })
  const coded = problems.map(problem =>
    line({ ...problem, message: problem.code as string }).replaceAll(': ', ' ')
  )
  return { first, problems: problems.map(line), coded, warnings: warnings.map(line) }
}
const problemsOf = async (...given: Parameters<typeof made>) => (await made(...given)).problems
const texts = (values: Record<string, string>): GivenVariables => ({ values, isText: true })
const data = (values: Record<string, unknown>): GivenVariables => ({ values, isText: false })

t.test('variables: a text that is one reference keeps its type', async t => {
  const { first, warnings } = await made(`name: "\${vars.word}-\${ vars.count }"
vars: { word: o'brien, count: 3, is: true, size: 5, none: "", key: sk_x }
seed: "\${vars.count}"
settings: { pagination: { default_limit: "\${vars.size}" } }
data:
  api_keys: [ { key: "\${vars.key}", account: mch_a } ]
  accounts: [ { id: mch_a, type: merchant, name: "\${vars.word}", email: a@example.com, address: { country: US } } ]
  locations: [ { id: loc_a, account: mch_a, display_name: "a\${vars.none}b \${vars.is} \${other}", address: { country: US } } ]
generate: [ { tickets: "\${vars.count}", location: loc_a } ]
script:
  - { on: POST /refunds, match: { body: { amount: { gt: "\${vars.size}" } } }, respond: { status: 402, body: { is: "\${vars.is}", note: "\${vars.size} \${payment.id}" } } }
steps: [ { do: GET /tickets, query: { limit: "\${vars.size}" } } ]
play: [ { as: page, do: GET /tickets, key: "\${vars.key}", query: { limit: "\${vars.count}" } } ]
expect: [ { on: GET /tickets, times: "\${vars.count}" } ]
`)
  t.strictSame(warnings, [])
  const { store, scenario, settings, script, steps, play, expectations } = first as FirstState
  t.strictSame([scenario.name, settings], ["o'brien-3", { 'pagination.default_limit': 5, seed: 3 }])
  t.strictSame([[...store.keys], store.tickets.size], [[['sk_x', 'mch_a']], 3])
  t.strictSame(
    [store.accounts.get('mch_a')?.name, store.locations.get('loc_a')?.display_name],
    ["o'brien", 'ab true ${other}']
  )
  const respond = { status: 402, body: { is: true, note: '5 ${payment.id}' } }
  t.strictSame(script.listed()[0]?.entry, {
    on: 'POST /refunds',
    match: { body: { amount: { gt: 5 } } },
    respond
  })
  t.strictSame(steps[0], { do: 'GET /tickets', query: { limit: 5 } })
  t.strictSame(play[0], { as: 'page', do: 'GET /tickets', key: 'sk_x', query: { limit: 3 } })
  t.strictSame(expectations[0]?.data, { on: 'GET /tickets', times: 3 })
})

t.test('variables: given values replace defaults', async t => {
  const text =
    'vars: { text: a, number: 1, is: true }\nname: "${vars.text} ${vars.number} ${vars.is}"\n'
  const named = async (variables: GivenVariables) => {
    const { first, coded } = await made(text, { variables })
    return first?.scenario.name ?? coded
  }
  const cases: [given: GivenVariables, is: unknown][] = [
    [texts({}), 'a 1 true'],
    [texts({ text: '', number: '-2.5', is: 'false' }), ' -2.5 false'],
    [data({ text: '5', number: 0, is: false }), '5 0 false'],
    [texts({ text: '5' }), '5 1 true'],
    ...[
      texts({ number: 'x' }),
      texts({ number: ' ' }),
      ...['5', null, undefined].map(number => data({ number }))
    ].map((given): (typeof cases)[number] => [given, ['body:1:26 vars.number contradicts']]),
    [texts({ is: 'yes' }), ['body:1:33 vars.is contradicts']],
    [data({ text: 5 }), ['body:1:15 vars.text contradicts']],
    [data({ text: 'x'.repeat(1001) }), ['body:1:15 vars.text too_long']],
    [texts({ txt: 'b' }), ['body:1:7 vars.txt unknown_variable']],
    [texts({ __proto__x: 'b' }), ['body:1:7 vars.__proto__x unknown_variable']],
    [texts({ '': 'b' }), ['body:1:7 vars. unknown_variable']]
  ]
  for (const [given, is] of cases) t.strictSame(await named(given), is, JSON.stringify(given))

  for (const of of ['name: x\n', 'tickets: []\n'])
    t.strictSame(
      (await made(of, { variables: texts({ a: '1' }) })).coded,
      ['body:1:1 vars.a unknown_variable'],
      'a bare fixture has none, either'
    )
  t.strictSame((await made('name: "${vars.a}"\ntickets: []\n')).problems.length, 2, 'nor by a name')
  const timed = 'vars: { at: 2026-01-01 }\nclock: "${vars.at}"\n'
  t.strictSame((await made(timed, { variables: texts({ at: '${vars.at}' }) })).coded, [
    'body:2:8 clock wrong_format'
  ])
  const known = new Set<string>()
  t.strictSame(
    await problemsOf(text, { variables: { ...texts({ other: '1' }), known } }),
    [],
    'it may be one of another document'
  )
  t.strictSame([...known], ['text', 'number', 'is'])
})

t.test('variables: every kind of problem, with its place and what to write', async t => {
  const cases: [text: string, place: string, says: string][] = [
    ['vars: { last4: "0341" }\nname: "${vars.last5}"\n', '2:7 name: ', 'did you mean last4?'],
    ['name: "${vars.last4}"\n', '1:7 name: ', 'declare it under vars'],
    [
      'vars: { a: 1 }\nname: "${vars}"\nseed: "${vars.a}"\n',
      '2:7 name: ',
      'called ""; did you mean a?'
    ],
    ['name: "${vars}"\n', '1:7 name: ', 'called ""'],
    ['vars: { a: 1 }\nname: "${vars.a"\nseed: "${vars.a}"\n', '2:7 name: ', '${vars.a}'],
    ['vars: { a: 1 }\nname: "${vars.a and ${vars.a}"\n', '2:7 name: ', '${vars.a}'],
    ['vars: { a: 1 }\nseed: "${vars.a"\n', '2:7 seed: ', '${vars.a}'],
    ['vars: { a: 1 }\nsettings: { "x${vars.a}": 1 }\n', '2:13 settings.x${vars.a}: ', 'not a name'],
    ['vars: { a b: 1 }\n', '1:9 vars.a b: ', 'letters, digits'],
    ['vars: { a: 1, b: "${vars.a}" }\nname: "${vars.b}${vars.a}"\n', '1:18 vars.b: ', ''],
    [`vars: { a: ${'x'.repeat(1001)} }\nname: "\${vars.a}"\n`, '1:12 vars.a: ', '1000'],
    ['vars: { a: [1] }\nseed: "${vars.a}"\n', '1:12 vars.a: ', 'got a list'],
    ['vars: [a]\n', '1:7 vars: ', 'got a list'],
    ['vars: { a: x }\nseed: "${vars.a}"\n', '2:7 seed: ', 'got x'],
    ['steps: [ { as: vars, do: GET /tickets } ]\n', '1:16 steps[0].as: ', '${vars.…}'],
    [
      'steps: [ { do: GET /tickets, query: { limit: "${var.a}" } } ]\nvars: { a: 1 }\n',
      '1:46 steps[0].query.limit: ',
      'did you mean ${vars.a}?'
    ]
  ]
  for (const [text, place, says] of cases) {
    const found = await problemsOf(text)
    const isFound = found.some(
      problem => problem.startsWith(`body:${place}`) && problem.includes(says)
    )
    t.ok(isFound, `${text}${found.join('\n')}`)
  }
})

t.test('variables: card data in a variable is matched and shown nowhere', async t => {
  const { call, control } = await startTestEmulator(t, { scenario: { fixtures: ['bistro'] } })
  const pay = (number: string) =>
    call('POST /transactions', {
      body: { ticket: 'tkt_52', payment_type: 'card', amount: '5', 'card[number]': number },
      key: null
    })
  const scenario = parse(`{
    vars: { pan: '4242424242424242' }, fixtures: [bistro],
    script: [{ on: POST /transactions, match: { body: { card: { number: '\${vars.pan}' } } }, respond: { status: 402 } }]
  }`)
  const vars = { pan: '4000056655665556' }
  t.equal((await control('POST /load', { scenario, vars })).status, 200)
  t.strictSame([(await pay(vars.pan)).status, (await pay('4242424242424242')).status], [402, 200])
  t.notMatch((await control('GET /script')).text, /4000056655665556/)
  const refused = await control('POST /load', { scenario: { ...scenario, vars: { pan: 5 } }, vars })
  t.equal(refused.status, 400)
  t.notMatch(refused.text, /4000056655665556/)
})

t.test('POST /load: vars are values of the scenario, by name', async t => {
  const { control } = await startTestEmulator(t)
  const scenario = {
    vars: { count: 2 },
    fixtures: ['bistro'],
    generate: [{ tickets: '${vars.count}' }]
  }
  const tickets = async () => (await control('GET ')).body.counts.tickets
  await control('POST /load', { scenario })
  const before = await tickets()

  t.strictSame((await control('POST /load', { scenario, vars: { count: 5 } })).body, {
    scenario: { name: 'inline', description: null },
    dry_run: false
  })
  t.equal(await tickets(), before + 3)
  for (const note of ['', `# ${'x'.repeat(70_000)}`]) {
    const text = `vars: { count: 2 }\nfixtures: [bistro]\n${note}\ngenerate: [{ tickets: "\${vars.count}" }, { ticket: 1 }]\n`
    const { body } = await control('POST /load', { scenario: text, vars: { count: 5 } })
    t.hasStrict(body.error.problems, [{ file: 'scenario', line: 4 }], 'YAML has its own lines')
    await control('POST /load', {
      scenario: text.replace(', { ticket: 1 }', ''),
      vars: { count: 5 }
    })
    t.equal(await tickets(), before + 3)
  }
  await control('PUT /snapshots/a')
  await control('POST /records', { tickets: [{ location: 'loc_bistro', reference: 'x' }] })
  await control('POST /reset')
  t.equal(await tickets(), before + 3, 'a reset goes back to the values that were loaded')
  await control('POST /load', { scenario })
  t.equal(await tickets(), before, 'another load begins with the defaults')
  await control('POST /snapshots/a/restore')
  t.equal(await tickets(), before + 3)

  const large = {
    scenario: {
      script: [{ on: 'GET /tickets', match: { about: { location: 'loc_b' } }, delay: '1s' }],
      ...scenario,
      description: 'x'.repeat(70_000)
    },
    vars: { count: 4 }
  }
  const { body } = await control('POST /load', large)
  t.hasStrict(body.warnings, [
    { file: 'body', path: 'script[0].match.about.location', line: 1, column: 74 }
  ])
  t.equal(await tickets(), before + 2)
  const state = (await control('GET /state')).text
  for (const [more, says] of [
    [{ vars: { cout: 4 } }, ['vars.cout', 'unknown_variable']],
    [{ vars: { count: [1] } }, ['vars.count', 'wrong_type']],
    [{ var: {} }, ['var', 'unknown_name']]
  ] as const) {
    for (const about of [scenario, large.scenario]) {
      const { status, body } = await control('POST /load', { scenario: about, ...more })
      t.strictSame(
        [status, ...body.error.problems.map(({ path, code }: Problem) => [path, code])],
        [400, says]
      )
    }
  }
  const { error } = (await control('POST /load', { scenario: 'outages' })).body
  t.match(error.problems[0].message, /^this file has only shared groups/)
  t.equal((await control('GET /state')).text, state, 'a load that fails changes nothing')
})

const OUTAGES = `vars: { status: 503, wait: 2s }
groups:
  brief-outage:
    - { on: "*", calls: 1-3, respond: { status: "\${vars.status}", retry_after: "\${vars.wait}" } }
  slow:
    - { on: GET /transactions, delay: "\${vars.wait}" }
  all:
    - { on: POST /refunds, delay: 1s }
`

/** A folder of scenarios next to another one. */
const folderOf = (t: Test, files: Record<string, string> = {}) => {
  const own = {
    'outages.yaml': OUTAGES,
    'notes.yaml': 'name: x\n',
    'broken.yaml': 'groups: [',
    sub: { 'deep.yaml': OUTAGES },
    ...files
  }
  return join(t.testdir({ own, elsewhere: { 'secret.yaml': OUTAGES } }), 'own')
}

t.test('use: entries of groups come after those of the script', async t => {
  const root = folderOf(t)
  const text = `vars: { wait: 5s }
use: [outages.yaml#brief-outage, sub/deep.yaml#slow]
script:
  - { on: POST /refunds, delay: 1ms }
`
  const entries = async (variables?: GivenVariables) =>
    (await made(text, { root, ...(variables && { variables }) })).first?.script
      .listed()
      .map(({ entry }) => entry)
  t.strictSame(await entries(), [
    { on: 'POST /refunds', delay: '1ms' },
    { on: '*', calls: '1-3', respond: { status: 503, retry_after: '5s' } },
    { on: 'GET /transactions', delay: '5s' }
  ])
  t.hasStrict(await entries(texts({ status: '500', wait: '1s' })), [
    {},
    { respond: { status: 500, retry_after: '1s' } },
    { delay: '1s' }
  ])
  t.strictSame((await made(text, { root })).warnings, [])
  const ahead = await made(
    'use: [outages.yaml#all]\nscript: [ { on: POST /refunds, delay: 1s } ]\n',
    { root }
  )
  t.strictSame(
    [ahead.problems, ahead.warnings],
    [[], []],
    'an entry of the scenario may take all the requests of one of a group'
  )
  const named = await made(
    'fixtures: [bistro]\nuse: [outages#lost-responses, "outages#slow-service"]\n'
  )
  t.equal(named.first?.script.listed().length, 3, 'a name is enough where there is no file')
})

t.test('use: every kind of problem, in its file', async t => {
  const root = folderOf(t, {
    'wrong.yaml':
      'groups:\n  a: [ { on: POST /refund, delay: 2 } ]\n  b: [ { on: POST /refunds, delay: "${vars.no}" } ]\n  c: []\n  "d d": [ { on: "*", delay: 1s } ]\nuse: [x]\n',
    'text.yaml': 'groups: { x: { data: {} } }\n',
    'list.yaml': 'groups: []\n'
  })
  // biome-ignore format: a table
  const cases: [use: string, ...problems: string[]][] = [
    ['outages.yaml', `own.yaml:1:7 use[0]: ${SAYS.not_a_group()}`],
    ['list.yaml#x', 'list.yaml:1:9 groups: must be an object', 'own.yaml:1:7 use[0]: no group is called x'],
    ['outages.yaml#brief-outag', 'own.yaml:1:7 use[0]: no group is called brief-outag; did you mean brief-outage?'],
    ['outages.yaml#', 'own.yaml:1:7 use[0]: no group is called "". '],
    ['outages.yaml#__proto__', 'own.yaml:1:7 use[0]: no group is called __proto__'], ['#x', `own.yaml:1:7 use[0]: ${SAYS.not_a_group()}`],
    ['none.yaml#x', `own.yaml:1:7 use[0]: ${SAYS.no_file('none.yaml')}`],
    ['../elsewhere/secret.yaml#slow', `own.yaml:1:7 use[0]: ${SAYS.outside_folders('../elsewhere/secret.yaml')}`],
    ['/etc/passwd.yaml/#slow', `own.yaml:1:7 use[0]: ${SAYS.no_file('/etc/passwd.yaml/')}`],
    ['sub/#slow', `own.yaml:1:7 use[0]: ${SAYS.no_file('sub/')}`],
    ['notes.yaml#x', `own.yaml:1:7 use[0]: ${SAYS.no_shared_script('notes.yaml', ['outages'])}`],
    ['own-file#x', `own.yaml:1:7 use[0]: ${SAYS.no_shared_script('own-file', ['outages'])}`],
    ['outage#x', `own.yaml:1:7 use[0]: ${SAYS.no_shared_script('outage', ['outages'])}`],
    ['brokn#x', `own.yaml:1:7 use[0]: ${SAYS.no_shared_script('brokn', ['outages'])}`],
    ['broken.yaml#x', 'broken.yaml:1:9 the bracket is not closed; add the } or ] that closes it'],
    ['outages.yaml#slow", "outages.yaml#slow', 'own.yaml:1:28 use[1]: '],
    ['outages.yaml#slow", "outages#slow', 'own.yaml:1:28 use[1]: outages#slow is listed twice'],
    ['wrong.yaml#a', 'wrong.yaml:2:14 groups.a[0].on: ', 'wrong.yaml:2:35 groups.a[0].delay: ', 'wrong.yaml:6:1 use: '],
    ['wrong.yaml#b', 'wrong.yaml:3:36 groups.b[0].delay: ', 'wrong.yaml:6:1 use'],
    ['text.yaml#x', 'text.yaml:1:14 groups.x: must be a list; got an object; write other parts in the scenario, and '],
    ['wrong.yaml#c', 'wrong.yaml:4:6 groups.c: ', 'wrong.yaml:6:1 use'],
    ['wrong.yaml#d d', 'wrong.yaml:5:3 groups.d d: ', 'wrong.yaml:6:1 use']
  ]
  for (const [use, ...problems] of cases) {
    const found = await problemsOf(`use: ["${use}"]\n`, { root })
    t.equal(found.length, problems.length, `${use}\n${found.join('\n')}`)
    const unfound = problems.filter(problem => !found.some(one => one.startsWith(problem)))
    t.strictSame(unfound, [], found.join('\n'))
  }
  t.strictSame(await problemsOf('use: [5]\n', { root }), [
    `own.yaml:1:7 use[0]: must be text; got 5; write the group alone, as in outages.yaml#brief-outage; for override, an entry under script`
  ])
  t.strictSame(await problemsOf('use: [./outages.yaml#slow]\n'), [
    `body:1:7 use[0]: ${SAYS.names_only('./outages.yaml')}`
  ])
  const wrongType = await made('vars: { status: x }\nuse: [outages.yaml#brief-outage]\n', { root })
  t.strictSame(wrongType.coded, ['own.yaml:1:17 vars.status contradicts'])
  t.strictSame(
    await problemsOf('use: [none.yaml#x]\n', { root, variables: texts({ wait: '1s' }) }),
    ['own.yaml:1:7 use[0]: there is no file none.yaml'],
    'what nobody could read may have the variable'
  )

  const many = '    - { on: GET /refunds, calls: 1, delay: 1s }\n'.repeat(600)
  const large = folderOf(t, { 'many.yaml': `groups:\n  a:\n${many}  b:\n${many}` })
  const tooMany = made('use: [many.yaml#a, many.yaml#b]\n', {
    root: large,
    limits: { ...DEFAULT_LIMITS, 'limits.entries': 1000 }
  })
  await t.rejects(tooMany, {
    code: 'document_too_large',
    message:
      /^The document has 1200 items under script, those of use included; limits.entries allows 1000/
  })

  const lists = Object.entries({
    steps: '{ do: GET /tickets }',
    generate: '{ tickets: 1 }',
    fixtures: 'bistro',
    play: '{ at_once: [{ do: GET /tickets }, { do: GET /tickets }] }',
    expect: '{ sequence: [{ on: GET /tickets }, { on: GET /tickets }] }'
  })
  for (const [name, item] of lists) {
    const each = ['play', 'expect'].includes(name) ? 3 : 1
    await t.rejects(
      made(`${name}:\n${`  - ${item}\n`.repeat(4)}`, {
        limits: { ...DEFAULT_LIMITS, 'limits.entries': 4 * each - 1 }
      }),
      {
        code: 'document_too_large',
        message: `has ${4 * each} items under ${name}; limits.entries`
      },
      name
    )
  }
})

t.test('use: a file of shared entries is checked alone', async t => {
  const problemsIn = async (text: string, given?: GivenVariables) => {
    try {
      await checkedAlone(await readDocument('shared.yaml', text), given)
      return []
    } catch (error) {
      return ((error as ApiError).problems as Problem[]).map(
        ({ line, column, path }) => `${line}:${column} ${path}`
      )
    }
  }
  t.strictSame(await problemsIn(OUTAGES), [])
  t.strictSame(await problemsIn(OUTAGES, texts({ wait: '5s' })), [])
  const ofGiven = [
    '1:7 vars.no',
    '1:17 vars.status',
    '4:80 groups.brief-outage[0].respond.retry_after',
    '6:39 groups.slow[0].delay'
  ]
  t.strictSame(await problemsIn(OUTAGES, texts({ wait: 'soon', status: 'x', no: '1' })), ofGiven)
  const entries =
    '{ on: POST /refunds, delay: 1s, after: own }, { on: POST /refunds, calls: 2-1, delay: 1s }'
  t.strictSame(await problemsIn(`groups: { a: [ ${entries} ] }`), ['1:90 groups.a[1].calls'])
  const shadowed = '{ on: POST /refunds, delay: 1s }, { on: POST /refunds, delay: 2s }'
  t.strictSame(await problemsIn(`groups: { a: [ ${shadowed} ] }`), ['1:50 groups.a[1]'])
})

t.test('--var: validate and check set variables of any of the files', async t => {
  const root = folderOf(t, {
    'one.yaml':
      'fixtures: [bistro]\nvars: { amount: 100 }\nsteps: [ { as: p, do: POST /transactions, body: { ticket: tkt_52, payment_type: external, amount: "${vars.amount}" }, expect: { body: { amount: 250 } } } ]\n',
    'two.yaml': 'fixtures: [bistro]\nclock: 2026-01-01\nuse: [outages.yaml#slow]\n'
  })
  const [one, two, shared] = ['one.yaml', 'two.yaml', 'outages.yaml'].map(name =>
    join(root, name)
  ) as [string, string, string]

  const valid = await ran(['validate', one, two, shared, '--var', 'amount=250', '--var', 'wait=1s'])
  t.equal(valid.status, 0, valid.stdout)
  t.match(
    valid.stdout,
    /^.*one\.yaml\n {2}✓ .*\n.*two\.yaml\n {2}✓ .*\n.*outages\.yaml\n {2}✓ .*\n\n3 passed, 0 failed in 3 files\n$/
  )
  const ofType = `${one}:2:17 vars.amount: must be a number, like the default 100; got the text x`
  t.strictSame((await ran(['validate', one, '--var', 'amount=x'])).stdout.split('\n').slice(2), [
    `      ${ofType}`,
    '',
    '0 passed, 1 failed',
    ''
  ])
  const unknown = await ran(['validate', one, two, '--var', 'amount=250', '--var', 'amont=1'])
  t.equal(unknown.status, 1)
  t.match(
    unknown.stdout,
    '\n      --var amont: no variable is called amont; did you mean amount? Available: amount, status, wait.\n'
  )
  t.strictSame(
    [(await ran(['check', one])).status, (await ran(['check', one, '--var', 'amount=250'])).status],
    [1, 0]
  )
})

t.test('--var: start and exec set variables; exec prints warnings', async t => {
  const root = folderOf(t, {
    'one.yaml':
      'fixtures: [empty]\nvars: { count: 1 }\nscript: [ { on: GET /tickets, match: { about: { location: loc_b } }, delay: 1s } ]\ngenerate: [ { tickets: "${vars.count}" } ]\ndata: { locations: [ { id: loc_a, account: mch_bistro, display_name: A, address: { country: US } } ] }\n'
  })
  const command =
    'fetch(process.env.COMMERCE_CONTROL_URL).then(answer => answer.json()).then(({ counts }) => process.exit(counts.tickets))'
  // biome-ignore format: a table
  const exec = (...args: string[]) =>
    ran(['exec', '--allow-no-requests', '--scenario', join(root, 'one.yaml'), ...args, '--', process.execPath, '-e', command])

  const { status, stderr } = await exec('--var', 'count=3')
  t.equal(status, 3, stderr)
  t.match(
    stderr,
    /^commerce-emulator: warning: .*one\.yaml:3:\d+ script\[0\]\.match\.about\.location: no Location has the id loc_b/
  )
  const refused = await exec('--var', 'coun=3')
  t.strictSame(
    [
      refused.status,
      /vars\.coun: no variable is called coun; did you mean count\?/.test(refused.stderr)
    ],
    [1, true]
  )
  t.match(
    await ran([
      ...['start', '--scenario', join(root, 'one.yaml'), '--port', '0'],
      ...['--log-level', 'silent', '--var', 'count=x']
    ]),
    { status: 1, stderr: /must be a number, like the default \S+; got/ }
  )
})

t.test('api: vars of startEmulator and load', async t => {
  const scenario = {
    vars: { count: 1 },
    fixtures: ['bistro'],
    script: [{ on: 'GET /tickets' as const, match: { about: { location: 'loc_b' } }, delay: '1s' }],
    generate: [{ tickets: '${vars.count}' as unknown as number }]
  }
  const logged: string[] = []
  const logger = {
    info: () => {},
    error: () => {},
    warn: (text: unknown) => void logged.push(String(text))
  }
  const emulator = await startEmulator({ scenario, vars: { count: 4 }, logger })
  t.teardown(emulator.close)
  t.match(logged, [/loc_b/])
  const tickets = async () => (await emulator.state()).tickets.length
  const before = await tickets()

  const loaded = await emulator.load(scenario, { vars: { count: 2 } })
  t.strictSame([await tickets(), loaded.warnings?.length], [before - 2, 1])
  t.equal((await emulator.load(scenario)).dry_run, false)
  t.equal(await tickets(), before - 3)
  await t.rejects(emulator.load(scenario, { vars: { count: 'x' } }), { code: 'document_invalid' })
  for (const options of [{ vars: [] }, { var: {} }])
    await t.rejects(emulator.load(scenario, options as never), { code: 'document_invalid' })
  await t.rejects(startEmulator({ scenario, vars: { cout: 4 } }), { code: 'document_invalid' })
})

t.test('use: with --watch a changed file of shared entries is read again', async t => {
  const root = folderOf(t, { 'own.yaml': 'vars: { wait: 5s }\nuse: [outages.yaml#slow]\n' })
  const logged: string[] = []
  const { pino } = await import('pino')
  const logger = pino({ level: 'info' }, { write: text => void logged.push(text) })
  const emulator = await runEmulator({
    scenario: join(root, 'own.yaml'),
    settings: { watch: true },
    vars: texts({ wait: '7s' }),
    logger
  })
  t.teardown(emulator.close)

  await writeFile(join(root, 'outages.yaml'), OUTAGES.replace('GET /transactions', 'GET /refunds'))
  while (!logged.some(text => text.includes('was reloaded'))) await sleep(20)
  const entries = emulator.sandbox.script.listed().map(({ entry }) => entry)
  t.strictSame(entries, [{ on: 'GET /refunds', delay: '7s' }])
})

t.test('use: entries of groups wait for others', async t => {
  const group = `groups:
  g:
    - { name: first, on: POST /refunds, per: ticket, calls: 1, respond: { status: 503 } }
    - { name: later, on: GET /refunds, after: once, stale: 5s }
    - { name: once, on: POST /transactions, calls: 1, respond: { patch: { note: late } } }
    - { on: GET /tickets, after: own, change: { data: { tickets: [ { id: tkt_new, location: loc_bistro, reference: N } ] }, delete: [tkt_52] } }
`
  const own = `fixtures: [bistro]
script:
  - { name: own, on: POST /accounts, after: later, delay: 1s }
  - { on: POST /transactions, match: { about: { ticket: tkt_new } }, calls: 2, delay: 1s }
use: [more.yaml#g]
`
  // biome-ignore format: a table
  const cases: [from: string, to: string, ...problems: string[]][] = [
    ['per: ticket', 'per: location'], ['after: once', 'after: first'],
    ['after: once', 'after: onec', 'more.yaml:4:47 groups.g[1].after unknown_entry'],
    ['name: later, ', '', 'own.yaml:3:45 script[0].after unknown_entry'],
    ['on: GET /refunds', 'on: POST /refunds', 'more.yaml:4:61 groups.g[1].stale stale_change'],
    ['respond: { status: 503 }', 'change: { delete: [nobody] }']
  ]
  for (const [from, to, ...problems] of cases) {
    const root = folderOf(t, { 'more.yaml': group.replace(from, to) })
    t.strictSame((await made(own, { root })).coded, problems, to)
  }
})
