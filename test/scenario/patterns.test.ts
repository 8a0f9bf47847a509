/**
 * Patterns: how much one may be, what all of them may cost a request or a record, and that they
 * match as the engine does.
 */
import { equal } from 'node:assert/strict'
import { join } from 'node:path'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import t, { type Test } from 'tap'
import { compileExpectation, type Expectation, Tally } from '../../src/scenario/expectations.js'
import { compileState } from '../../src/scenario/final-state.js'
import type { SentCall } from '../../src/scenario/matching.js'
import {
  type Budget,
  compilePattern,
  MAX_CLASSES,
  MAX_INSTRUCTIONS,
  MAX_LENGTH,
  MAX_MATCHED,
  MAX_PATTERNS,
  MAX_STEPS,
  MAX_TOGETHER,
  patternsIn
} from '../../src/scenario/patterns.js'
import { compileEntry, type Entry, type EntryData, Script } from '../../src/scenario/script.js'
import { Store } from '../../src/store/store.js'
import { coded, reported } from '../support/codes.js'
import { NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import { codesIn, lookedAt } from '../support/first-state.js'
import type { Json } from '../support/json.js'
import { property } from '../support/property.js'

const CARD = '4242424242424242'
/**
 * A pattern that compiles to so many instructions, and matches no text without one of the last
 * letters.
 */
const sized = (instructions: number) => `/[xy]{${instructions - 3}}[ab]/`
const entry = (reason: unknown, more: object = { delay: '1ms' }) =>
  ({ on: 'POST /refunds', match: { body: { reason } }, ...more }) as EntryData
const sent = (reason: string): SentCall => {
  const [params, query, header, about] = Array(4).fill(() => undefined)
  const body = ([name]: readonly string[]) => (name === 'reason' ? reason : undefined)
  return {
    operation: 'createRefund',
    key: null,
    test: null,
    at: 0,
    params,
    query,
    body,
    header,
    about,
    steps: MAX_STEPS
  }
}
const scriptOf = async (...reasons: unknown[]) =>
  new Script(
    (await Promise.all(reasons.map(reason => compileEntry(entry(reason), () => {})))) as Entry[]
  )
const tallyOf = async (...expectations: object[]) =>
  new Tally(
    (await Promise.all(
      expectations.map(one => compileExpectation(one as never, () => {}))
    )) as Expectation[]
  )
const act = (script: Script, call: SentCall) => script.act(call, { seed: 1, at: 0 }) !== null

/** The steps that the engine is let take from now on. */
function stepsTaken(t: Test): () => number {
  const calls = t.capture(RE2JS.prototype, 'matcher', RE2JS.prototype.matcher)
  return () =>
    calls().reduce(
      (sum, { receiver, args: [value] }) =>
        sum + (receiver as RE2JS).programSize() * (value as string).length,
      0
    )
}

t.test(
  'a pattern is bounded in its length, its counts, its classes and what it compiles to, and holds no card number',
  async t => {
    const cases: [pattern: string, problem: string | null][] = [
      ['[0-9]'.repeat(MAX_LENGTH / 5), null],
      [`${'[0-9]'.repeat(MAX_LENGTH / 5)}a`, 'pattern_limit'],
      ['a'.repeat(MAX_INSTRUCTIONS - 2), null],
      ['a'.repeat(MAX_INSTRUCTIONS - 1), 'pattern_limit'],
      ['(a{20}){20}', null],
      ['(a{30}){30}', 'pattern_limit'],
      ['a{1,200}', null],
      [`(?:){${MAX_INSTRUCTIONS}}`, null],
      ['(?:){1,400}(?:){101,}', 'pattern_limit'],
      ['\\pL'.repeat(MAX_CLASSES), null],
      [`${'\\pL'.repeat(MAX_CLASSES)}\\PN`, 'pattern_limit'],
      ['[Ā-\u{10000}a-z\\--z]+-z', null],
      ...[
        '[Ā-\u{10000}Ā-\u{10000}]',
        '[-Ā-\u{10000}]Ā-\u{10000}',
        '[!----\u{1fdd0}]',
        '[\\x{100}-\\x{1fea0}]',
        '\\\\Ā-\u{1fea0}',
        '[\\Ā-\\\u{1fea0}]'
      ].map((pattern): [string, string] => [pattern, 'pattern_limit']),
      ['\\x{2603}', null],
      [`^${CARD}$`, 'pattern_of_card'],
      ['^4242', null],
      ['(', 'bad_pattern']
    ]
    for (const [pattern, problem] of cases) {
      const { found, report } = reported()
      const compiled = await compileEntry(entry(`/${pattern}/`), report)
      t.equal(compiled === null, problem !== null, pattern.slice(0, 60))
      t.strictSame(found, problem === null ? [] : [`match.body.reason ${problem}`])
      if (problem !== null)
        t.equal(
          (await compilePattern(pattern, false, patternsIn(), () => {}))('4242', {
            steps: MAX_STEPS
          }),
          false,
          'nothing matches it'
        )
    }
  }
)

t.test(
  'an entry or expectation has a number of patterns; members of lists and those under not count',
  async t => {
    const some = (count: number) => Array.from({ length: count }, (_, index) => `/${index}/`)
    const cases: [title: string, data: object, place: string | null][] = [
      ['a list', { on: 'POST /refunds', match: { body: { reason: some(MAX_PATTERNS) } } }, null],
      [
        'text among them',
        { on: 'POST /refunds', match: { body: { reason: [...some(MAX_PATTERNS), 'text'] } } },
        null
      ],
      [
        'a longer list',
        { on: 'POST /refunds', match: { body: { reason: some(MAX_PATTERNS + 2) } } },
        'match.body.reason'
      ],
      [
        'another name',
        {
          on: 'POST /refunds',
          match: { body: { reason: some(MAX_PATTERNS), transaction: '/x/' } }
        },
        'match.body.transaction'
      ],
      [
        'under not',
        {
          on: 'POST /refunds',
          match: { body: { reason: { not: some(MAX_PATTERNS) }, amount: '/x/' } }
        },
        'match.body.amount'
      ],
      [
        'a sequence',
        {
          sequence: [0, 1].map(() => ({
            on: 'POST /refunds',
            match: { body: { reason: some(26) } }
          }))
        },
        'sequence[1].match.body.reason'
      ],
      [
        'records',
        { state: { refunds: { count: 1, where: { reason: some(51) } } } },
        'state.refunds.where.reason'
      ]
    ]
    for (const [title, data, place] of cases) {
      const { found, report } = reported()
      const compiled = [
        await compileExpectation(data as never, report),
        'match' in data && (await compileEntry({ ...data, delay: '1ms' } as EntryData, report))
      ]
      const wanted = place === null ? [] : [`${place} pattern_limit`]
      t.strictSame(
        [found, compiled.includes(null)],
        [compiled[1] === false ? wanted : [...wanted, ...wanted], place !== null],
        title
      )
    }
  }
)

t.test(
  'the patterns of a script compile to so many instructions together, those of the groups that it uses too',
  async t => {
    const full = Array.from({ length: 4 }, () => entry(sized(MAX_TOGETHER / 4)))
    const cases: [title: string, entries: EntryData[], problems: string[]][] = [
      ['as many', full, []],
      ['text', [...full, entry('text')], []],
      ['plain text counts as one', [...full.slice(1), entry(['/plain text/', sized(399)])], []],
      [
        'one more',
        [...full, entry('/plain text/'), entry(sized(9)), entry('/(/')],
        ['script[4].match.body.reason pattern_limit']
      ],
      [
        'a group is not plain text',
        [...full, entry('/(x)/')],
        ['script[4].match.body.reason pattern_limit']
      ],
      [
        'nor is text in either case',
        [...full, entry('/x/i')],
        ['script[4].match.body.reason pattern_limit']
      ]
    ]
    for (const [title, entries, problems] of cases) {
      t.strictSame(await codesIn({ script: entries }), problems, title)
    }
    const root = t.testdir({ 'shared.yaml': JSON.stringify({ groups: { more: [entry('/x/')] } }) })
    const own = JSON.stringify({ use: ['shared.yaml#more'], script: full })
    const { problems } = await lookedAt(own, {
      file: join(root, 'own.yaml'),
      name: 'own',
      machine: 0
    })
    const found = problems.map(({ file, path, ...said }) => `${file} ${coded(path, said)}`)
    t.strictSame(found, [
      `${join(root, 'shared.yaml')} groups.more[0].match.body.reason pattern_limit`
    ])
    const emulator = await startTestEmulator(t)
    const load = async (scenario: object) => {
      const { status, body } = await emulator.control('POST /load', { scenario })
      return status === 200
        ? 200
        : body.error.problems.map(({ path, ...said }: Json) => coded(path, said))
    }
    const data = smallFixture()
    const expected = full.map(({ on, match }) => ({ on, match }))
    t.equal(
      await load({ data, script: full, expect: expected }),
      200,
      'a request comes to the script and to the expectations, each with a budget'
    )
    t.strictSame(await load({ data, script: [...full, entry('/x/')] }), [
      'script[4].match.body.reason pattern_limit'
    ])
    const records = { state: { refunds: { count: 0, where: { reason: '/x/' } } } }
    t.strictSame(await load({ data, expect: [...expected, records] }), [
      'expect[4].state.refunds.where.reason pattern_limit'
    ])
  }
)

t.test(
  'a script takes entries until their patterns are too many together, and again when some are gone',
  async t => {
    const emulator = await startTestEmulator(t)
    const add = async (reason: string) => {
      const { status, body } = await emulator.control('POST /script', entry(reason))
      return status === 201 ? status : [status, body.error.code]
    }
    for (let time = 0; time < 4; time++) t.equal(await add(sized(400)), 201)

    const refused = await add('/x/')
    t.equal(await add('x'), 201)
    await emulator.control('DELETE /script/scr_2')

    t.strictSame(refused, [429, 'limit_reached'])
    t.strictSame(
      await Promise.all([add(sized(400)), add(sized(400))]).then(all =>
        all.map(one => (one === 201 ? one : one[0])).sort()
      ),
      [201, 429],
      'at once'
    )
  }
)

t.test(
  'a value that is too long for a pattern does not match, and the entry and the expectation say so',
  async t => {
    const cases: [title: string, reason: unknown, longest: number][] = [
      ['plain text', '/x/', MAX_MATCHED],
      ['15 instructions', sized(15), MAX_MATCHED],
      ['16 instructions', sized(16), MAX_STEPS / 16 - 4],
      ['500 instructions', sized(MAX_INSTRUCTIONS), MAX_STEPS / MAX_INSTRUCTIONS - 4],
      ['two patterns', { not: [sized(100), sized(100)] }, MAX_STEPS / 200 - 4],
      ['conditions', { not: sized(100), present: true }, MAX_STEPS / 100 - 4],
      ['a digest', `sha256:${'0'.repeat(64)}`, MAX_MATCHED]
    ]
    for (const [title, reason, longest] of cases) {
      const script = await scriptOf(reason)
      const isMatched = act(script, sent('x'.repeat(longest)))
      t.strictSame(script.listed()[0]?.too_long, undefined, title)
      t.equal(isMatched, typeof reason === 'object' || title === 'plain text', title)
      t.equal(act(script, sent('x'.repeat(longest + 1))), false, `${title} not_together`)
      t.strictSame(script.listed()[0]?.too_long, 1, title)
    }
    const long = 'x'.repeat(MAX_MATCHED + 1)
    const text = await scriptOf([long, '/x/'])
    t.ok(act(text, sent(long)), 'text is compared at any length')
    t.strictSame([text.listed()[0]?.matched, text.listed()[0]?.too_long], [1, undefined])
  }
)

t.test('every pattern of a full script is matched against a value as long as a UUID', async t => {
  const script = await scriptOf(...Array.from({ length: 4 }, () => sized(MAX_TOGETHER / 4)))

  for (const [length, last] of [[36, undefined] as const, [37, 1] as const]) {
    act(script, sent('x'.repeat(length)))
    const tooLong = script.listed().map(({ too_long }) => too_long)
    t.strictSame(tooLong, [undefined, undefined, undefined, last])
  }
})

t.test('expectations say how many calls could not be matched', async t => {
  const on = 'POST /refunds'
  const match = { body: { reason: '/x/' } }
  const tally = await tallyOf(
    { on, match, times: 1 },
    { sequence: [{ on, match }, { on: 'GET /refunds' }] },
    { sequence: [{ on, match: { body: { reason: '/q/' } } }] }
  )
  for (const length of [MAX_MATCHED, MAX_MATCHED + 1]) tally.count(sent('x'.repeat(length)))
  tally.count({ ...sent('x'.repeat(MAX_MATCHED + 1)), operation: 'readTicket' })

  const verdicts = await tally.verdicts(new Store())
  const said = verdicts.map(
    ({ seen, holds, message }) =>
      `${seen} ${holds} ${message.includes('1 more could not be matched')}`
  )
  t.strictSame(said, ['1 true true', '1 false false', '0 false true'])
})

t.test(
  'records: those with a value that is too long for a pattern are counted as such, whatever is wanted',
  async t => {
    const record = (id: string, reason: string) => ({ id, reason, amount: 1 }) as unknown as Json
    const records = [
      record('rfd_a', 'x'),
      record('rfd_b', 'y'),
      record('rfd_c', 'x'.repeat(MAX_MATCHED + 1))
    ]
    const where = { reason: '/x/' }
    const cases: [state: object, messages: string[]][] = [
      [
        { refunds: { count: 1, where } },
        ['refunds: wanted 1 with {"reason":"/x/"}; got 1, and 1 more in doubt']
      ],
      [
        { refunds: { count: 2, where } },
        ['refunds: wanted 2 with {"reason":"/x/"}; got 1, and 1 more in doubt']
      ],
      [{ refunds: { count: 1, where: { ...where, amount: 1 } } }, [/1 more in doubt/.source]],
      [{ refunds: { count: 0, where: { ...where, amount: 2 } } }, []],
      [{ refunds: { rfd_a: where } }, []],
      [
        { refunds: { rfd_c: where } },
        ['refunds.rfd_c.reason: wanted /x/; got a value that is too long for its pattern']
      ]
    ]
    for (const [state, messages] of cases) {
      const test = await compileState(state, () => t.fail('it is right'), {
        answers: null,
        patterns: patternsIn()
      })
      const found = await test({
        record: (_family, id) => records.find(one => (one as Json).id === id),
        all: () => records
      })
      t.equal(found.length, messages.length)
      for (const [index, { message }] of found.entries())
        t.ok(message.includes(messages[index] as string), message)
    }
  }
)

t.test(
  'what a request or a record can cost is bounded in steps, whatever is asked of it',
  async t => {
    // as long as each pattern may have it, and too long for all of them
    const LONG = 'x'.repeat(120)
    const on = 'POST /refunds'
    const texts = [15, 20, 400, 160, 160, 160, 160].map(sized)
    const worst = [...texts, { not: [sized(300), sized(200)] }]
    const compileWhere = (where: object) =>
      compileState({ refunds: { count: 1, where } } as never, () => t.fail('it is right'), {
        answers: null,
        patterns: patternsIn()
      })
    const script = await scriptOf(...worst)
    const all = await tallyOf(...worst.map(reason => ({ on, match: { body: { reason } } })))
    const one = await tallyOf({ on, match: { body: { reason: texts } } })
    const state = await compileWhere({ reason: texts.slice(0, 3), transaction: texts.slice(2) })
    const cases: [title: string, run: () => unknown][] = [
      ['a script', () => act(script, sent(LONG))],
      ['expectations', () => all.count(sent(LONG))],
      [
        'one expectation, as verify judges each request of a journal by it',
        () => one.count(sent(LONG))
      ],
      [
        'a record',
        () =>
          state({
            record: () => undefined,
            all: () => [{ id: 'rfd_a', reason: LONG, transaction: LONG } as unknown as Json]
          })
      ]
    ]
    for (const [title, run] of cases) {
      await t.test(title, async t => {
        const taken = stepsTaken(t)
        run()
        const steps = taken()
        t.ok(steps > MAX_STEPS / 2 && steps <= MAX_STEPS, `${steps} steps of ${MAX_STEPS}`)
      })
    }
  }
)

t.test(
  'a request is explained with the steps of the script once, and with those of the expectations once',
  async t => {
    const on = 'POST /refunds'
    const reasons = Array.from({ length: 10 }, () => sized(15))
    const emulator = await startTestEmulator(t, {
      scenario: {
        clock: NOW,
        data: smallFixture({
          transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }]
        }),
        script: reasons.map(reason => entry(reason)),
        expect: reasons.map(reason => ({ on, match: { body: { reason } } }))
      }
    })
    await emulator.call(on, {
      body: { transaction: 'txn_a', amount: 1, reason: 'x'.repeat(MAX_MATCHED) }
    })

    const taken = stepsTaken(t)
    const { body } = await emulator.control('GET /requests/req_1')
    const steps = taken()
    t.ok(steps > MAX_STEPS && steps <= 2 * MAX_STEPS, `${steps} steps`)
    const misses = body.why.near_misses.map(({ misses }: Json) => misses[0].got.slice(0, 10))
    t.strictSame(misses, ['xxxxxxxxxx', 'a value th'])
  }
)

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\d',
  '\\w',
  '\\pL',
  'é',
  '^',
  '$',
  '\\b',
  '(?:ab)',
  '(b)',
  'ab|ba',
  ''
)
const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '*?')
const pattern = fc
  .array(fc.tuple(atom, quantifier), { maxLength: 8 })
  .map(parts =>
    parts
      .map(([one, often]) => (/^[\^$]?$|\|/.test(one) || one === '\\b' ? one : one + often))
      .join('')
  )
const value = fc.string({
  unit: fc.constantFrom('a', 'b', 'A', '1', ' ', 'é', '\n', '\u{1f600}', '\ud83d'),
  maxLength: 30
})

void property(
  t,
  'within the budget a pattern matches what the engine matches, and beyond it nothing',
  {
    of: fc.record({
      pattern,
      ignoreCase: fc.boolean(),
      value,
      steps: fc.integer({ min: 0, max: 2000 })
    }),
    runs: 500
  },
  async ({ pattern, ignoreCase, value, steps }) => {
    const engine = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    const test = await compilePattern(pattern, ignoreCase, patternsIn(), message =>
      equal(message, '')
    )
    const budget: Budget = { steps }

    const passed = test(value, budget)

    const whole: Budget = { steps: MAX_STEPS }
    test(value, whole)
    const cost = MAX_STEPS - whole.steps
    equal(passed, cost > steps ? null : engine.matcher(value).find())
    equal(budget.steps, cost > steps ? steps : steps - cost)
    equal(cost === value.length + 4 || cost === (value.length + 4) * engine.programSize(), true)
  }
)
