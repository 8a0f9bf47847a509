import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import type { ApiError, Problem } from '../../src/core/errors.js'
import { type DocumentProblem, documentOf, refusalOf } from '../../src/scenario/documents.js'
import { isPath, Library } from '../../src/scenario/library.js'
import {
  below,
  readDocument,
  type SourceDocument,
  utf8In
} from '../../src/scenario/read/document.js'
import { DEFAULT_LIMITS, problemLine } from '../../src/scenario/read/refusal.js'
import { Body } from '../../src/scenario/reading.js'
import { SAYS } from '../../src/scenario/sentences.js'
import { present } from '../../src/scenario/shape/checked.js'
import { rows } from '../support/rows.js'

const read = async (text: string) => (await readDocument('doc', text)).data
const place = async (text: string, steps: (string | number)[]) => {
  const [found] = await (await readDocument('doc', text)).locate([{ steps }])
  return found && `${found.line}:${found.column}`
}
/** The steps of a dotted path. */
const stepsIn = (path: string) =>
  path === '' ? [] : path.split('.').map(step => (/^\d+$/.test(step) ? Number(step) : step))
const refusal = async (act: () => Promise<unknown>): Promise<ApiError> => {
  try {
    await act()
  } catch (error) {
    return error as ApiError
  }
  throw new Error('it was not refused')
}
const problemsOf = async (text: string): Promise<readonly Problem[]> => {
  const error = await refusal(() => readDocument('doc', text))
  if (error.code !== 'document_invalid') throw error
  return error.problems as readonly Problem[]
}

t.test('present: a missing value is a defect', async t => {
  t.throws(() => present(undefined), /checked before/)
})

t.test('documents: JSON and YAML are read as what they say', async t => {
  const cases: [text: string, data: unknown][] = [
    ['{"a": [1, "x", null, true]}', { a: [1, 'x', null, true] }],
    ['  [1]', [1]],
    ['a: [1, x, null, true]', { a: [1, 'x', null, true] }],
    ['{ a: 1, b: { c: d } }', { a: 1, b: { c: 'd' } }],
    ['created: 2026-03-01T18:00:00Z', { created: '2026-03-01T18:00:00Z' }],
    ['a: yes\nb: 0o17\nc: "4242"\nd: 1e3', { a: 'yes', b: 15, c: '4242', d: 1000 }],
    ['# only a comment', null],
    ['', null],
    [
      'base: &base { a: 1, b: 2 }\nmore: { <<: *base, b: 3 }',
      { base: { a: 1, b: 2 }, more: { a: 1, b: 3 } }
    ],
    ['a: &a [1]\nb: *a', { a: [1], b: [1] }]
  ]
  for (const [text, data] of cases) t.strictSame(await read(text), data, text)
})

t.test('documents: JSON with texts of millions of characters and escapes is read', async t => {
  for (const text of ['x'.repeat(9_000_000), '\\"\n'.repeat(3_000_000)])
    t.strictSame(await read(JSON.stringify({ a: text, b: 1.5 })), { a: text, b: 1.5 })
})

t.test('documents: a part of a document has the numbers in it as they were written', async t => {
  const document = await readDocument('doc', '{"a":1,"scenario":{"b":9007199254740993}}')
  t.match(below(document, ['scenario']).numbers, [{ source: '9007199254740993', steps: ['b'] }])
})

t.test('documents: a name like __proto__ is plain data, in JSON and in YAML', async t => {
  for (const text of [
    '{"__proto__": {"polluted": 1}}',
    '__proto__: { polluted: 1 }',
    'x: &x { polluted: 1 }\n__proto__: { <<: *x }'
  ]) {
    const data = (await read(text)) as object
    t.equal(Object.getPrototypeOf(data), Object.prototype, text)
    t.strictSame(Object.entries(data).at(-1), ['__proto__', { polluted: 1 }])
  }
  t.equal(({} as Record<string, unknown>).polluted, undefined)
})

t.test('documents: invalid text is refused', async t => {
  const cases: [title: string, text: string, at: string, ...lines: number[]][] = [
    ['broken JSON', '{"a": 1,\n "b": }x', '2:8 goes_on'],
    ['JSON cut off', '{"a": [1, 2', '1:7 not_closed'],
    ['broken YAML', 'a: 1\nb: [1, 2\nc: 3', '2:4 not_closed'],
    ['a name given twice', 'a: 1\nb: 2\na: 3', '3:1 name_twice'],
    ['a name given twice in a record', 'tickets:\n  - { id: a, id: b }', '2:14 name_twice'],
    ['a tag of its own', 'a: !thing 1', '1:4 tag'],
    ['a JavaScript tag', 'a: !!js/function "x"', '1:4 tag'],
    ['an alias of nothing', 'a: *b', '1:4 unknown_alias'],
    ['an alias before its anchor', 'a: &a 1\n&k b: *a\nc: *d\nd: &d 1\ne: *d', '3:4 unknown_alias'],
    ['a tab for indentation', 'a:\n\tb: 1', '2:1 tab'],
    ['two documents', 'a: 1\n---\nb: 2', '2:1 second_document'],
    [
      'a name given twice in JSON',
      '{"a":1,\n "b":{"c":[{"a":1}],\n"c":2}, "a":3}',
      '3:1 name_twice',
      3
    ],
    ['a name given twice, once in escapes', '{"a:b":1,\n "\\u0061:b":2}', '2:2 name_twice'],
    ['several', 'a: 1\na: 2\nb: !x 1\na: 3', '2:1 name_twice', 3, 4]
  ]
  for (const [title, text, at, ...lines] of cases) {
    const [first, ...others] = (await problemsOf(text)) as [Problem, ...Problem[]]
    t.equal(`${first.line}:${first.column} ${first.code}`, at, `${title}: ${first.message}`)
    t.strictSame([first.file, first.path, others.map(({ line }) => line)], ['doc', '', lines])
  }
  for (const text of ['{"a":{"a":1},"b":[{"a":1},{"a":1}],"A":"\\"a\\":1,\\"a\\":2"}', '{"":0}'])
    t.strictSame(await read(text), JSON.parse(text))
  const asJson = { type: 'json' } as const
  const twice = await refusal(() => readDocument('body', '{"a":1,"a":2}', asJson))
  t.equal((twice.problems as Problem[])[0]?.code, 'name_twice')
  const marked = await refusal(() => readDocument('body', '\ufeff{"a":\u00a01}', asJson))
  t.match(marked.message, /\\ufeff.*\\u00a0/)
  const error = await refusal(() => readDocument('doc', 'a: *b'))
  t.equal(
    error.message,
    `The document has a problem: doc:1:4 ${(error.problems as Problem[])[0]?.message}. Nothing was changed.`
  )
})

t.test('documents: a file or a body that is not UTF-8 is refused by name', async t => {
  const cases: [title: string, bytes: Uint8Array, place: string, message: RegExp][] = [
    ['UTF-16, little end first', Buffer.from('\ufeffname: x', 'utf16le'), '1:1', /UTF-16/],
    ['UTF-16, big end first', Buffer.from('\ufeffname: x', 'utf16le').swap16(), '1:1', /UTF-16/],
    ['UTF-16 without a mark', Buffer.from('name: x', 'utf16le'), '1:1', /UTF-16/],
    ['Latin-1', Buffer.from('a: 1\nb: café', 'latin1'), '2:7', /Latin-1.*byte 12 /],
    ['Latin-1 after right ones', Buffer.from('é \ufffd\ufffd: \xe9\xe9'), '', /^$/],
    [
      'a wrong byte after the character that stands for one',
      Buffer.concat([Buffer.from('é\n\ufffd '), Buffer.from('é', 'latin1')]),
      '2:3',
      /byte 8 /
    ],
    ['UTF-8 with a mark', Buffer.from('\ufeff{"a": 1}'), '', /^$/],
    ['nothing', Buffer.from(''), '', /^$/]
  ]
  for (const [title, bytes, place, message] of cases) {
    const error = place === '' ? null : await refusal(async () => utf8In('doc', bytes))
    const { line, column, message: said = '' } = (error?.problems as Problem[])?.[0] ?? {}
    t.equal(place, error === null ? '' : `${line}:${column}`, title)
    t.match(said, message, title)
    if (error === null) t.equal(utf8In('doc', bytes), bytes.toString(), title)
  }
  const file = join(t.testdir({ 'own.yaml': cases[3]?.[1] as Buffer }), 'own.yaml')
  const library = new Library({ fixtures: null, scenarios: null })
  t.match((await refusal(() => library.file(file))).message, /own\.yaml:2:7 .*Latin-1/)
  const body = new Body('yaml', Buffer.from('settings: {}', 'utf16le'))
  t.match((await refusal(async () => body.text)).message, /body:1:1 .*UTF-16/)
})

t.test('documents: exponential growth is refused at once', async t => {
  const level = (n: number, of: (alias: string) => string) =>
    `a0: &a0 { k: v }\n${Array.from({ length: n }, (_, index) => `a${index + 1}: &a${index + 1} ${of(`*a${index}`)}\n`).join('')}`
  const ten = (alias: string) => Array(10).fill(alias).join(', ')
  const anchored = (sign: string) =>
    Array.from({ length: 5000 }, (_, n) => `${sign}a${n}${sign === '&' ? ' x' : ''}`).join(', ')
  // biome-ignore format: a table
  const hostile: [title: string, text: string, codes: string][] = [
    ['a billion laughs', level(9, alias => `[${ten(alias)}]`), 'many_aliases'],
    ['a billion merges', level(9, alias => `{ <<: [${ten(alias)}] }`), 'many_aliases'],
    ['aliases of many anchors', `a: [${anchored('&')}]\nb: [${anchored('*')}]`, 'many_aliases'],
    ['an alias inside what it names', 'a: &a { b: *a }', 'too_deep'],
    ['a list inside itself, twice', 'a: &a [*a, *a]', 'too_deep many_aliases'], ['a merge of itself', 'a: &a { <<: *a }', 'many_aliases'],
    ['deep YAML', `a: ${'['.repeat(65)}${']'.repeat(65)}`, 'too_deep'],
    ['deeper YAML', `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'not_closed'], ['dashes', '- '.repeat(100), 'too_deep'],
    ['lines of colons, and a bracket that closes nothing', `${'a: b: c\n'.repeat(2500)}}`, 'holds_colon'],
    ['a line of mistakes', `... ${'"b" ? ] { '.repeat(2000)}`, 'comma_missing'],
    ['lines of mistakes', 'a: } [ {\n'.repeat(3000), 'nothing_to_close'],
    ['more mistakes without advice than are looked at', '- &a &a x\n'.repeat(2500), 'refused'],
    ['lines that fit nothing above them', `- *a \t<<: ${"\n \n '".repeat(20)}`, 'unknown_alias wrong_indent quote_not_closed refused'],
    ['names that are lists', `a: ${'{'.repeat(60)}1${'}'.repeat(60)}`, 'not_a_name'],
    ['deep JSON', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'too_deep']
  ]
  for (const [title, text, codes] of hostile) {
    const [{ code, message }] = (await problemsOf(text)) as [Problem]
    t.ok(codes.split(' ').includes(String(code)), `${title}: ${code} ${message.slice(0, 100)}`)
    t.ok(message.length <= 2001, `${title}, in short`)
  }
  t.ok(await read(`a: ${'['.repeat(63)}${']'.repeat(63)}`), 'what is merely deep is read')
})

t.test('documents: the place of everything, in YAML and in JSON', async t => {
  const yaml =
    'base: &base\n  location: 5\ntickets:\n  - id: a\n    reference: T\n  - { id: b, <<: *base }\n  - *base\n'
  t.equal(await place(yaml, []), '1:1')
  const cases = `tickets 3:1 | tickets.0 4:5 | tickets.0.reference 5:16 | tickets.1.id 6:11 | tickets.1.location 6:5 | tickets.2.location 7:5
    tickets.0.none.deeper 4:5 | none 1:1`
  for (const [path, at] of rows<[path: string, at: string]>(cases))
    t.equal(await place(yaml, stepsIn(path)), at, path)

  const json = '{\n  "tickets": [\n    { "id": "a", "reference": 5 }\n  ]\n}'
  t.equal(await place(json, ['tickets', 0, 'reference']), '3:31')
  t.equal(await place(json, ['tickets', 0, 'none']), '3:5')
  t.equal(await place('{"tickets":\n[ ]}', ['tickets', 0]), '2:1', 'no member has a place')
  t.equal(await place('', []), null, 'an empty document has no place')
  t.strictSame(
    await documentOf('inline', { a: 1 }).locate([{ steps: ['a'] }]),
    [null],
    'data has no lines'
  )
})

t.test('documents: a refusal lists every problem with its place, up to a thousand', async t => {
  const document = await readDocument('doc.yaml', 'tickets:\n  - { id: 5 }\n')
  const said = { code: 'wrong_type', message: 'must be text' }
  const one: DocumentProblem = { document, steps: ['tickets', 0, 'id'], ...said }

  const single = await refusalOf([one])
  t.equal(single.code, 'document_invalid')
  t.equal(
    single.message,
    'The document has a problem: doc.yaml:2:11 tickets[0].id: must be text. Nothing was changed.'
  )
  t.strictSame(single.problems, [
    { file: 'doc.yaml', path: 'tickets[0].id', ...said, line: 2, column: 11 }
  ])

  const required = { code: 'required', message: 'name is required' }
  const two = await refusalOf([one, { document: documentOf('inline', {}), steps: [], ...required }])
  t.ok(two.message.startsWith('The document has 2 problems, the first: doc.yaml:2:11 '))
  t.strictSame(two.problems?.[1], { file: 'inline', path: '', ...required })
  t.equal(
    (await refusalOf([one, one, { ...one, document: await readDocument('doc.yaml', 'a: 1') }]))
      .problems?.length,
    1,
    'each once'
  )

  for (const [count, ...last] of [[1000], [1500, 'more_problems']] as const) {
    const { problems = [] } = await refusalOf(
      Array.from({ length: count }, (_, index) => ({ ...one, message: `no. ${index}` }))
    )
    t.strictSame(
      [problems.length, ...problems.slice(1000).map(({ code }) => code)],
      [1000 + last.length, ...last]
    )
  }
})

t.test('documents: problems are listed document after document', async t => {
  const yaml =
    'base: &base\n  b: 1\n  a: 2\nz: [0, 1]\ny: { "2": 3, x: 4 }\nmerged:\n  c: 5\n  <<: *base\nalias: *base\n'
  const text = await readDocument('a.yaml', yaml)
  const listed = ',missing,base.b,base.a,z.0,z.1,y,y.2,y.x,merged.a,merged.c,alias.a'.split(',')
  const said = { code: 'm', message: 'm' }
  const stepsOfText = (path: string) => (path === 'y.2' ? ['y', '2'] : stepsIn(path))
  const ofText = listed.map(path => ({ document: text, steps: stepsOfText(path), ...said }))
  const data = documentOf('b', { tickets: [{ id: 5 }, 'x'], name: null })
  const listedOfData =
    ',none,none.deeper,tickets.7,tickets.0,tickets.0.id,tickets.1.id,name,name.x'.split(',')
  const ofData = listedOfData.map(path => ({ document: data, steps: stepsIn(path), ...said }))
  const pathsOf = async (problems: DocumentProblem[], documents?: SourceDocument[]) =>
    (await refusalOf(problems, documents)).problems?.map(({ path }) =>
      path.replace('[', '.').replace(']', '')
    )

  t.strictSame(await pathsOf(ofText.toReversed()), listed)
  t.strictSame(await pathsOf([...ofText.toReversed(), ...ofData]), [...listed, ...listedOfData])
  t.strictSame(await pathsOf([...ofText.toReversed(), ...ofData], [data, text]), [
    ...listedOfData,
    ...listed
  ])
})

t.test('documents: a thousand problems of a large JSON document are placed', async t => {
  const tickets = Array.from({ length: 1000 }, (_, index) => ({
    id: index,
    location: 'loc_a',
    reference: `T-${index}`
  }))
  const document = await readDocument('doc.json', JSON.stringify({ tickets }, null, 1))

  const said = { document, code: 'm', message: 'm' }
  const { problems } = await refusalOf(
    tickets.map((_, index) => ({ ...said, steps: ['tickets', index, 'id'] }))
  )

  t.strictSame(problems?.[999]?.line, 3 + 999 * 5 + 1)
})

t.test('documents: a problem as one line', async t => {
  t.equal(
    problemLine({ file: 'a.yaml', line: 4, column: 7, path: 'tickets[3].location', message: 'm' }),
    'a.yaml:4:7 tickets[3].location: m'
  )
  t.equal(problemLine({ file: 'a.yaml', path: '', message: 'm' }), 'a.yaml m')
  t.equal(problemLine({ path: 'a', message: 'm' }), 'a: m')
  t.equal(problemLine({ path: '', message: 'm' }), 'm')
})

t.test('library: paths and names', async t => {
  for (const path of ['a/b', './a', '../a', '/a', 'a.yaml', 'a.yml', 'a.json', 'a\\b'])
    t.equal(isPath(path), true, path)
  for (const name of ['bistro', 'month-end', 'a.b', 'yaml', '.yaml'])
    t.equal(isPath(name), false, name)
})

/** The user's folders, with links that lead in and out. */
function ownFolders(t: Test) {
  const link = (to: string) => t.fixture('symlink', to)
  const links = {
    'inside.yaml': link('mine.yaml'),
    // as Kubernetes mounts a ConfigMap
    '..2026_03': { 'mapped.yaml': 'tickets: []\n' },
    '..data': link('..2026_03'),
    'mapped.yaml': link('..data/mapped.yaml'),
    'outside.yaml': link('../elsewhere/secret.yaml'),
    'nowhere.yaml': link('none.yaml')
  }
  const [empty, broken] = ['tickets: []\n', 'a: [']
  const root = t.testdir({
    fixtures: {
      ...{
        'mine.yaml': `# yaml-language-server: $schema=x\n# My own records.\n${empty}`,
        'bistro.json': '{"tickets": []}',
        'both.json': '{"users": []}'
      },
      ...{
        'both.yaml': empty,
        'plain.yml': empty,
        'notes.txt': 'no document',
        'folder.yaml': {},
        'broken.yaml': broken,
        sub: { 'deep.yaml': empty }
      },
      ...{ ...links, 'elsewhere-link': link('../elsewhere') }
    },
    scenarios: {
      ...{
        'mine.yaml': 'name: mine\ndescription: Mine as a scenario.\n',
        'other.yaml': 'name: other\nfixtures: [mine]\n',
        'shop.yml': 'users: []'
      },
      ...{ 'odd.yaml': 'description: 5\n', 'list.yaml': '- 1\n', 'broken.yaml': broken }
    },
    elsewhere: {
      'secret.yaml': 'users: []',
      'fixture.yaml': empty,
      'scenario.yaml': 'name: elsewhere'
    }
  })
  return {
    root,
    library: new Library({ fixtures: join(root, 'fixtures'), scenarios: join(root, 'scenarios') })
  }
}

/** The file of a fixture in a folder, or why there is none. */
const fixtureIn =
  (root: string) =>
  (of: Library, name: string, from: string | null = null): Promise<string> =>
    of.fixture(name, from).then(
      found => relative(root, found.name),
      ({ problems }: ApiError) => problems?.[0]?.message as string
    )

t.test("library: the user's folder precedes the built-in files", async t => {
  const { root, library } = ownFolders(t)
  const bare = new Library({ fixtures: null, scenarios: null })
  const named = fixtureIn(root)
  // your own file precedes the built-in one; of two files with a name the first by name counts; a
  // link that stays inside is followed
  for (const [name, file] of rows<[name: string, file: string]>(
    'mine mine.yaml | bistro bistro.json | both both.json | plain plain.yml | inside mine.yaml | mapped ..2026_03/mapped.yaml'
  ))
    t.equal(await named(library, name), `fixtures/${file}`, name)
  t.ok(
    (await named(bare, 'bistro')).endsWith('fixtures/bistro.yaml'),
    "without own folders the package's are there"
  )

  const { code, message } = await refusal(() => library.scenario('outside'))
  t.strictSame([code, message], ['scenario_unknown', `${SAYS.link_outside('outside')}.`])
  t.equal(await named(library, 'outside'), SAYS.link_outside('outside'), 'it is told, not skipped')
  for (const name of ['nowhere', 'folder', 'notes', 'deep', '__proto__', 'zzzzzzzzzz'])
    t.ok(
      (await named(library, name)).startsWith(`no fixture is called ${name}. Available: bistro, `),
      name
    )
  t.ok((await named(library, '')).startsWith('no fixture is called "". Available: bistro, '))
  t.match(await named(library, 'mien'), /; did you mean mine\? Available: /)
  const file = `${root}/scenarios/own.yaml`
  t.match(await named(library, 'shop', file), /; did you mean the file \.\/shop\.yml\? Available: /)
  t.notMatch(await named(library, 'shops', file), /the file/)
  t.notMatch(await named(library, 'shop'), /the file/)
})

t.test('library: a path is relative to the file and stays inside the folders', async t => {
  const { root, library } = ownFolders(t)
  const from = join(root, 'scenarios', 'other.yaml')
  // biome-ignore format: a table
  const cases: [path: string, found: string, from?: string | null][] = [
    ['../fixtures/mine.yaml', 'fixtures/mine.yaml'], ['../fixtures/sub/deep.yaml', 'fixtures/sub/deep.yaml'],
    ['./mine.yaml', 'scenarios/mine.yaml'], ['../fixtures/mapped.yaml', 'fixtures/..2026_03/mapped.yaml'],
    [join(root, 'fixtures', 'mine.yaml'), 'fixtures/mine.yaml'],
    // the file's own folder counts too
    ['fixture.yaml', 'elsewhere/fixture.yaml', join(root, 'elsewhere', 'scenario.yaml')],
    ...'../elsewhere/secret.yaml ../fixtures/outside.yaml ../fixtures/elsewhere-link/secret.yaml ../../../../package.json /etc/passwd'
      .split(' ')
      .map((path): [string, string] => [path, SAYS.outside_folders(path)]),
    ...['../fixtures/none.yaml', '../fixtures/nowhere.yaml', 'a\0.yaml', './', '../fixtures/folder.yaml'].map((path): [string, string] => [path, SAYS.no_file(path)]),
    ['./mine.yaml', SAYS.names_only('fixtures', './mine.yaml'), null]
  ]
  for (const [path, expected, start = from] of cases)
    t.equal(await fixtureIn(root)(library, path, start), expected, path)
  const half = new Library({ fixtures: join(root, 'none'), scenarios: null })
  t.type(await half.fixture('./mine.yaml', from), 'object', 'no own folder: paths are as before')
})

t.test('library: scenarios by name, and fixtures as scenarios', async t => {
  const { root, library } = ownFolders(t)

  t.equal(
    relative(root, (await library.scenario('mine')).name),
    'scenarios/mine.yaml',
    'a scenario stands before a fixture of the same name'
  )
  t.equal(relative(root, (await library.scenario('plain')).name), 'fixtures/plain.yml')
  t.ok((await library.scenario('default')).name.endsWith('scenarios/default.yaml'))
  t.equal((await refusal(() => library.scenario('broken'))).code, 'document_invalid')
  for (const [name, says] of [
    ['othr', 'othr; did you mean other? Available: '],
    ['zzzzzzzzzz', 'zzzzzzzzzz. Available: ']
  ] as const) {
    const { code, message } = await refusal(() => library.scenario(name))
    t.strictSame(
      [code, message.startsWith(`No scenario is called ${says}`), message.endsWith('.')],
      ['scenario_unknown', true, true],
      message
    )
  }
})

t.test('library: the list shows each name once, with its description', async t => {
  const { library } = ownFolders(t)

  const listed = await library.list()

  const [scenario, inside] = ['Mine as a scenario.', 'My own records.']
  const none = { other: null, odd: null, list: null, broken: null, plain: null }
  const descriptions = { mine: scenario, inside, ...none }
  for (const [name, description] of Object.entries(descriptions)) {
    const found = listed.filter(entry => entry.name === name)
    t.strictSame(found, [
      { name, kind: ['inside', 'plain'].includes(name) ? 'fixture' : 'scenario', description }
    ])
  }
  t.equal(listed.find(({ name }) => name === 'default')?.kind, 'scenario')
  t.notOk(listed.some(({ name }) => name === 'outside'))
  const kinds = listed.map(({ kind }) => kind)
  t.strictSame(kinds, kinds.toSorted().reverse())

  const mine = async () => (await library.list()).find(({ name }) => name === 'mine')
  writeFileSync(library.pathOf('mine') as string, 'description: New.')
  t.equal((await mine())?.description, 'New.')
})

t.test('library: a missing folder or file is reported by the system, with its path', async t => {
  const library = new Library({ fixtures: join(t.testdirName, 'none'), scenarios: null })

  for (const act of [
    () => library.fixture('bistro', null),
    () => library.list(),
    () => library.file(join(t.testdirName, 'none.yaml'))
  ]) {
    const error = (await refusal(act)) as unknown as NodeJS.ErrnoException
    t.equal(error.code, 'ENOENT')
    t.ok(error.path?.includes('none'))
  }
})

t.test('documents: a text that is too large is refused before it is parsed', async t => {
  const limits = { ...DEFAULT_LIMITS, 'limits.values': 1000 }
  const list = (count: number) => JSON.stringify(Array(count).fill(1))
  const codesOf = async (text: string) =>
    (await refusal(() => readDocument('doc', text, { limits }))).problems?.map(({ code }) => code)

  const long = (text: string) => text.padEnd(4 * 2 ** 20 + 1)
  const beyond = await readDocument('doc', long('{"a":1.10}'), { limits })
  t.equal((beyond.data as { a: number }).a, 1.1)
  const [place] = await beyond.locate([{ steps: ['a'] }])
  t.equal(place, null, 'the places of so long a text are not known')
  t.strictSame(await codesOf(long('{"a":1,"a":2}')), ['names_twice'])
  t.strictSame(await codesOf(long('a: 1')), ['too_long'])
  t.strictSame(await codesOf(`a: [${',x'.repeat(1_000_001).slice(1)}]`), ['too_long'])
  for (const before of ['', 'a: ']) {
    t.ok(await readDocument('doc', before + list(before ? 997 : 999), { limits }))
    t.strictSame(await codesOf(before + list(before ? 999 : 1000)), ['too_many_values'])
  }
  for (const text of ['{"a', `{"a": "${'x'.repeat(50)}`])
    t.equal(
      (await refusal(() => readDocument('doc', text, { type: 'json' }))).code,
      'body_malformed'
    )
})

t.test('documents: a problem without a place comes before those with one', async t => {
  const document = { ...documentOf('doc', {}), locate: async () => [{ line: 2, column: 1 }, null] }
  const { problems } = await refusalOf(
    ['is there', 'is nowhere'].map(message => ({ document, steps: [message], code: 'm', message }))
  )

  t.equal(
    problems?.map(({ message, line }) => `${message} ${line}`).join(),
    'is nowhere undefined,is there 2'
  )
})
