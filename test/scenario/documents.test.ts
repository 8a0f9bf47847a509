import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import type { ApiError, Problem } from '../../src/core/errors.js'
import { TooLargeHere } from '../../src/scenario/body.js'
import { type DocumentProblem, documentOf, problemLine, readDocument, refusalOf, type SourceDocument } from '../../src/scenario/documents.js'
import { isPath, Library } from '../../src/scenario/library.js'
import { DEFAULT_LIMITS } from '../../src/scenario/limits.js'
import { cpuTime } from '../support/cpu.js'

const read = async (text: string) => (await readDocument('doc', text)).data
const place = async (text: string, steps: (string | number)[]) => {
  const [found] = await (await readDocument('doc', text)).locate([steps])
  return found && `${found.line}:${found.column}`
}
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
    ['base: &base { a: 1, b: 2 }\nmore: { <<: *base, b: 3 }', { base: { a: 1, b: 2 }, more: { a: 1, b: 3 } }],
    ['a: &a [1]\nb: *a', { a: [1], b: [1] }]
  ]
  for (const [text, data] of cases) t.strictSame(await read(text), data, text)
})

t.test('documents: a name like __proto__ is plain data, in JSON and in YAML', async t => {
  for (const text of ['{"__proto__": {"polluted": 1}}', '__proto__: { polluted: 1 }', 'x: &x { polluted: 1 }\n__proto__: { <<: *x }']) {
    const data = (await read(text)) as object
    t.equal(Object.getPrototypeOf(data), Object.prototype, text)
    t.strictSame(Object.entries(data).at(-1), ['__proto__', { polluted: 1 }])
  }
  t.equal(({} as Record<string, unknown>).polluted, undefined)
})

t.test('documents: what cannot be read is refused, with the place and every syntax problem', async t => {
  const cases: [title: string, text: string, at: string, says: RegExp][] = [
    ['broken JSON', '{"a": 1,\n "b": }x', '2:8', /./],
    ['JSON cut off', '{"a": [1, 2', '1:7', /^\[ is not closed; end it with \]$/],
    ['broken YAML', 'a: 1\nb: [1, 2\nc: 3', '2:4', /^\[ is not closed; end it with \]$/],
    ['a name given twice', 'a: 1\nb: 2\na: 3', '3:1', /^a is given twice, in line 1 already; keep one of them$/],
    ['a name given twice in a record', 'tickets:\n  - { id: a, id: b }', '2:14', /^id is given twice, in line 2 already/],
    ['a tag of its own', 'a: !thing 1', '1:4', /tag/i],
    ['a JavaScript tag', 'a: !!js/function "x"', '1:4', /tag/i],
    ['an alias of nothing', 'a: *b', '1:4', /^\*b refers to nothing, since no &b comes before it; .* "\*b"$/],
    ['an alias before its anchor', 'a: &a 1\nb: *a\nc: *d\nd: &d 1\ne: *d', '3:4', /^\*d refers to nothing/],
    ['a tab for indentation', 'a:\n\tb: 1', '2:1', /tab/i],
    ['two documents', 'a: 1\n---\nb: 2', '2:1', /document/i]
  ]
  for (const [title, text, at, says] of cases) {
    const problems = await problemsOf(text)
    const [first] = problems as [Problem]
    t.equal(`${first.line}:${first.column}`, at, `${title}: ${first.message}`)
    t.ok(says.test(first.message), first.message)
    t.strictSame([first.file, first.path], ['doc', ''])
  }
  const several = await problemsOf('a: 1\na: 2\nb: !x 1\na: 3')
  t.strictSame(
    several.map(({ line }) => line),
    [2, 3, 4]
  )
  const error = await refusal(() => readDocument('doc', 'a: *b'))
  t.equal(error.message, `The document has a problem: doc:1:4 ${(error.problems as Problem[])[0]?.message}. Nothing was changed.`)
})

t.test('documents: what grows without end is refused at once', async t => {
  const level = (n: number, of: (alias: string) => string) =>
    `a0: &a0 { k: v }\n${Array.from({ length: n }, (_, index) => `a${index + 1}: &a${index + 1} ${of(`*a${index}`)}\n`).join('')}`
  const ten = (alias: string) => Array(10).fill(alias).join(', ')
  const hostile: [title: string, text: string, says: RegExp][] = [
    ['a billion laughs', level(9, alias => `[${ten(alias)}]`), /alias/],
    ['a billion merges', level(9, alias => `{ <<: [${ten(alias)}] }`), /alias/],
    ['an alias inside what it names', 'a: &a { b: *a }', /nested deeper than 64 levels/],
    ['a list inside itself, twice', 'a: &a [*a, *a]', /nested deeper than 64 levels|alias/],
    ['a merge of itself', 'a: &a { <<: *a }', /alias|stack/],
    ['deep YAML', `a: ${'['.repeat(65)}${']'.repeat(65)}`, /nested deeper than 64 levels/],
    ['deeper YAML', `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, /./],
    ['dashes without end in braces', `a: { b: ${'- '.repeat(20_000)} }`, /^a list in brackets has no dashes/],
    ['names without end in a list in brackets', `a: [ - ${'b: '.repeat(20_000)} ]`, /^a list in brackets has no dashes/],
    ['lines of colons, and a bracket that closes nothing', `${'a: b: c\n'.repeat(5000)}}`, /^quote the text: it holds a colon: "b: c"/],
    ['deep lists after brackets that close nothing', `${'] '.repeat(20_000)}${'['.repeat(20_000)}`, /nested deeper than 64 levels/],
    ['lists in brackets that are not deep', `a: [ ${'- b, '.repeat(70)} ]`, /^a list in brackets has no dashes/],
    ['a line of mistakes', `... ${'"b" ? ] { '.repeat(4000)}`, /^quote the whole text, since it holds a bracket: .{450,460}…$/],
    ['lines of mistakes', 'a: } [ {\n'.repeat(6000), /^} closes nothing/],
    ['more mistakes without advice than are looked at', '- &a &a x\n'.repeat(5000), /^A node can have at most one anchor/],
    ['lines that fit nothing above them, after none that holds anything', `- *a \t<<: ${"\n \n '".repeat(20)}`, /./],
    ['deep JSON', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, /nested deeper than 64 levels/]
  ]
  for (const [title, text, says] of hostile) {
    const begun = cpuTime()
    const [first] = (await problemsOf(text)) as [Problem]
    t.ok(says.test(first.message), `${title}: ${first.message}`)
    t.ok(cpuTime() - begun < 1000, `${title} in good time`)
  }
  t.ok(await read(`a: ${'['.repeat(63)}${']'.repeat(63)}`), 'what is merely deep is read')
})

t.test('documents: the place of everything, in YAML and in JSON', async t => {
  const yaml = 'base: &base\n  location: 5\ntickets:\n  - id: a\n    reference: T\n  - { id: b, <<: *base }\n  - *base\n'
  const cases: [steps: (string | number)[], at: string][] = [
    [[], '1:1'],
    [['tickets'], '4:3'],
    [['tickets', 0], '4:5'],
    [['tickets', 0, 'reference'], '5:16'],
    [['tickets', 1, 'id'], '6:11'],
    [['tickets', 1, 'location'], '6:5'],
    [['tickets', 2, 'location'], '7:5'],
    [['tickets', 0, 'none', 'deeper'], '4:5'],
    [['none'], '1:1']
  ]
  for (const [steps, at] of cases) t.equal(await place(yaml, steps), at, steps.join('.'))

  const json = '{\n  "tickets": [\n    { "id": "a", "reference": 5 }\n  ]\n}'
  t.equal(await place(json, ['tickets', 0, 'reference']), '3:31')
  t.equal(await place(json, ['tickets', 0, 'none']), '3:5')
  t.equal(await place('{"tickets":\n[ ]}', ['tickets', 0]), '2:1', 'no member has a place')
  t.equal(await place('', []), null, 'an empty document has no place')
  t.strictSame(await documentOf('inline', { a: 1 }).locate([['a']]), [null], 'data has no lines')
})

t.test('documents: a refusal lists every problem with its place, up to a thousand', async t => {
  const document = await readDocument('doc.yaml', 'tickets:\n  - { id: 5 }\n')
  const one: DocumentProblem = { document, steps: ['tickets', 0, 'id'], message: 'must be text' }

  const single = await refusalOf([one])
  t.equal(single.code, 'document_invalid')
  t.equal(single.message, 'The document has a problem: doc.yaml:2:11 tickets[0].id: must be text. Nothing was changed.')
  t.strictSame(single.problems, [{ file: 'doc.yaml', path: 'tickets[0].id', message: 'must be text', line: 2, column: 11 }])

  const two = await refusalOf([one, { document: documentOf('inline', {}), steps: [], message: 'name is required; did you mean x?' }])
  t.ok(two.message.startsWith('The document has 2 problems, the first: doc.yaml:2:11 '))
  t.strictSame(two.problems?.[1], { file: 'inline', path: '', message: 'name is required; did you mean x?' })

  t.equal((await refusalOf([one, one, { ...one, document: await readDocument('doc.yaml', 'a: 1') }])).problems?.length, 1, 'each once')

  const many = (count: number) => Array.from({ length: count }, (_, index): DocumentProblem => ({ ...one, message: `no. ${index}` }))
  const thousand = await refusalOf(many(1000))
  t.equal(thousand.problems?.length, 1000)
  const more = await refusalOf(many(1500))
  t.equal(more.problems?.length, 1001)
  t.strictSame(more.problems?.at(-1), { path: '', message: 'there may be more problems: the search ends at 1000' })
})

t.test('documents: problems are listed document after document, in the order of the text', async t => {
  const yaml = 'base: &base\n  b: 1\n  a: 2\nz: [0, 1]\ny: { "2": 3, x: 4 }\nmerged:\n  c: 5\n  <<: *base\nalias: *base\n'
  const text = await readDocument('a.yaml', yaml)
  const data = documentOf('b', { tickets: [{ id: 5 }, 'x'], accounts: [], name: null })
  const steps: (string | number)[][] = [
    [],
    ['base', 'b'],
    ['base', 'a'],
    ['z', 0],
    ['z', 1],
    ['y'],
    ['y', '2'],
    ['y', 'x'],
    ['merged', 'a'],
    ['merged', 'c'],
    ['alias', 'a'],
    ['missing']
  ]
  const ofText = steps.map(steps => ({ document: text, steps, message: 'm' }))
  const ofData = [[], ['none'], ['none', 'deeper'], ['tickets', 0], ['tickets', 0, 'id'], ['tickets', 1, 'id'], ['name'], ['name', 'x']].map(steps => ({
    document: data,
    steps,
    message: 'm'
  }))
  const pathsOf = async (problems: DocumentProblem[], documents?: SourceDocument[]) =>
    (await refusalOf(problems, documents)).problems?.map(({ file, path }) => `${file} ${path}`)

  const textPaths = await pathsOf(ofText.toReversed())
  t.strictSame(
    textPaths,
    ['', 'missing', 'base.b', 'base.a', 'z[0]', 'z[1]', 'y', 'y.2', 'y.x', 'merged.a', 'merged.c', 'alias.a'].map(path => `a.yaml ${path}`)
  )
  const dataPaths = ['', 'none', 'none.deeper', 'tickets[0]', 'tickets[0].id', 'tickets[1].id', 'name', 'name.x'].map(path => `b ${path}`)
  t.strictSame(await pathsOf([...ofData, ...ofText].toReversed()), [...(textPaths ?? []), ...dataPaths])
  t.strictSame(await pathsOf([...ofData, ...ofText].toReversed(), [data, text]), [...dataPaths, ...(textPaths ?? [])])
})

t.test('documents: a thousand problems of a large JSON document are placed in good time', async t => {
  const tickets = Array.from({ length: 1000 }, (_, index) => ({ id: index, location: 'loc_a', reference: `T-${index}` }))
  const document = await readDocument('doc.json', JSON.stringify({ tickets }, null, 1))

  const begun = cpuTime()
  const { problems } = await refusalOf(tickets.map((_, index) => ({ document, steps: ['tickets', index, 'id'], message: 'm' })))

  t.ok(cpuTime() - begun < 4000)
  t.strictSame(problems?.[999]?.line, 3 + 999 * 5 + 1)
})

t.test('documents: a problem as one line', async t => {
  t.equal(problemLine({ file: 'a.yaml', line: 4, column: 7, path: 'tickets[3].location', message: 'm' }), 'a.yaml:4:7 tickets[3].location: m')
  t.equal(problemLine({ file: 'a.yaml', path: '', message: 'm' }), 'a.yaml m')
  t.equal(problemLine({ path: 'a', message: 'm' }), 'a: m')
  t.equal(problemLine({ path: '', message: 'm' }), 'm')
})

t.test('library: what is a path and what is a name', async t => {
  for (const path of ['a/b', './a', '../a', '/a', 'a.yaml', 'a.yml', 'a.json', 'a\\b']) t.equal(isPath(path), true, path)
  for (const name of ['bistro', 'month-end', 'a.b', 'yaml', '.yaml']) t.equal(isPath(name), false, name)
})

/** The user's own folders, with links that lead in and out. */
function ownFolders(t: Test) {
  const root = t.testdir({
    fixtures: {
      'mine.yaml': '# yaml-language-server: $schema=x\n# My own records.\ntickets: []\n',
      'bistro.json': '{"tickets": []}',
      'both.json': '{"users": []}',
      'both.yaml': 'tickets: []',
      'plain.yml': 'tickets: []\n',
      'notes.txt': 'no document',
      'folder.yaml': {},
      'broken.yaml': 'a: [',
      'inside.yaml': t.fixture('symlink', 'mine.yaml'),
      'outside.yaml': t.fixture('symlink', '../elsewhere/secret.yaml'),
      'nowhere.yaml': t.fixture('symlink', 'none.yaml'),
      sub: { 'deep.yaml': 'tickets: []' },
      'elsewhere-link': t.fixture('symlink', '../elsewhere')
    },
    scenarios: {
      'mine.yaml': 'name: mine\ndescription: Mine as a scenario.\n',
      'other.yaml': 'name: other\nfixtures: [mine]\n',
      'shop.yml': 'users: []',
      'odd.yaml': 'description: 5\n',
      'list.yaml': '- 1\n',
      'broken.yaml': 'a: ['
    },
    elsewhere: { 'secret.yaml': 'users: []', 'fixture.yaml': 'tickets: []', 'scenario.yaml': 'name: elsewhere' }
  })
  return { root, library: new Library({ fixtures: join(root, 'fixtures'), scenarios: join(root, 'scenarios') }) }
}

t.test('library: a name is looked up in the own folder first, then in the package', async t => {
  const { root, library } = ownFolders(t)
  const bare = new Library({ fixtures: null, scenarios: null })
  const named = async (of: Library, name: string) => {
    const found = await of.fixture(name, null)
    return typeof found === 'string' ? found : relative(root, found.name)
  }

  t.equal(await named(library, 'mine'), 'fixtures/mine.yaml')
  t.equal(await named(library, 'bistro'), 'fixtures/bistro.json', "the own one stands before the package's")
  t.equal(await named(library, 'both'), 'fixtures/both.json', 'of two files with one name the first by name counts')
  t.equal(await named(library, 'plain'), 'fixtures/plain.yml')
  t.equal(await named(library, 'inside'), 'fixtures/mine.yaml', 'a link that stays inside is followed')
  t.ok((await named(bare, 'bistro')).endsWith('fixtures/bistro.yaml'), "without own folders the package's are there")

  for (const name of ['outside', 'nowhere', 'folder', 'notes', 'deep', '__proto__']) {
    t.ok((await named(library, name)).startsWith(`no fixture is called ${name}`), name)
  }
  const message = await named(library, 'mien')
  t.ok(message.startsWith('no fixture is called mien; did you mean mine? Known are: '), message)
  const none = await named(library, 'zzzzzzzzzz')
  t.ok(none.startsWith('no fixture is called zzzzzzzzzz. Known are: bistro, '), none)
  const beside = await library.fixture('shop', `${root}/scenarios/own.yaml`)
  t.ok(String(beside).endsWith('. There is a file shop.yml beside the document: a path has its ending, fixtures: [shop.yml]'), String(beside))
  t.notMatch(await library.fixture('shops', `${root}/scenarios/own.yaml`), /beside the document/)
  t.notMatch(await library.fixture('shop', null), /beside the document/)
})

t.test('library: a path is relative to the file and stays inside the folders', async t => {
  const { root, library } = ownFolders(t)
  const from = join(root, 'scenarios', 'other.yaml')
  const at = async (path: string, start: string | null = from) => {
    const found = await library.fixture(path, start)
    return typeof found === 'string' ? found : relative(root, found.name)
  }

  t.equal(await at('../fixtures/mine.yaml'), 'fixtures/mine.yaml')
  t.equal(await at('../fixtures/sub/deep.yaml'), 'fixtures/sub/deep.yaml')
  t.equal(await at('./mine.yaml'), 'scenarios/mine.yaml')
  t.equal(await at(join(root, 'fixtures', 'mine.yaml')), 'fixtures/mine.yaml')
  t.equal(await at('fixture.yaml', join(root, 'elsewhere', 'scenario.yaml')), 'elsewhere/fixture.yaml', "the file's own folder counts too")
  for (const path of [
    '../elsewhere/secret.yaml',
    '../fixtures/outside.yaml',
    '../fixtures/elsewhere-link/secret.yaml',
    '../../../../package.json',
    '/etc/passwd'
  ]) {
    const message = await at(path)
    t.ok(message === `${path} lies outside the fixtures and scenarios folders`, message)
  }
  t.equal(await at('../fixtures/none.yaml'), 'there is no file ../fixtures/none.yaml')
  t.equal(await at('../fixtures/nowhere.yaml'), 'there is no file ../fixtures/nowhere.yaml')
  t.equal(await at('a\0.yaml'), 'there is no file a\0.yaml')
  t.equal(await at('./'), './ is not a file')
  t.equal(await at('../fixtures/folder.yaml'), '../fixtures/folder.yaml is not a file')
  t.equal(await at('./mine.yaml', null), 'a document that does not come from a file may name fixtures, not paths: ./mine.yaml')

  const half = new Library({ fixtures: join(root, 'none'), scenarios: null })
  const found = await half.fixture('./mine.yaml', from)
  t.type(found, 'object', 'an own folder that is not there takes nothing away from a path')
})

t.test('library: scenarios by name, and fixtures as scenarios', async t => {
  const { root, library } = ownFolders(t)

  t.equal(relative(root, (await library.scenario('mine')).name), 'scenarios/mine.yaml', 'a scenario stands before a fixture of the same name')
  t.equal(relative(root, (await library.scenario('plain')).name), 'fixtures/plain.yml')
  t.ok((await library.scenario('default')).name.endsWith('scenarios/default.yaml'))
  t.equal((await refusal(() => library.scenario('broken'))).code, 'document_invalid')

  const near = await refusal(() => library.scenario('othr'))
  t.equal(near.code, 'scenario_unknown')
  t.ok(near.message.startsWith('No scenario is called othr; did you mean other? Known are: '), near.message)
  const far = await refusal(() => library.scenario('zzzzzzzzzz'))
  t.ok(far.message.startsWith('No scenario is called zzzzzzzzzz. Known are: '), far.message)
})

t.test('library: the list says what each says of itself', async t => {
  const { library } = ownFolders(t)

  const listed = await library.list()

  const of = (name: string) => listed.find(entry => entry.name === name)
  t.strictSame(of('mine'), { name: 'mine', kind: 'scenario', description: 'Mine as a scenario.' })
  t.strictSame(of('other'), { name: 'other', kind: 'scenario', description: null })
  t.strictSame(of('odd'), { name: 'odd', kind: 'scenario', description: null })
  t.strictSame(of('list'), { name: 'list', kind: 'scenario', description: null })
  t.strictSame(of('broken'), { name: 'broken', kind: 'scenario', description: null }, 'one that cannot be read is listed all the same')
  t.strictSame(of('inside'), { name: 'inside', kind: 'fixture', description: 'My own records.' })
  t.strictSame(of('plain'), { name: 'plain', kind: 'fixture', description: null })
  t.equal(of('default')?.kind, 'scenario')
  t.equal(of('outside'), undefined)
  t.equal(new Set(listed.map(({ name }) => name)).size, listed.length, 'each name once')
  t.strictSame(
    listed.map(({ kind }) => kind),
    listed
      .map(({ kind }) => kind)
      .sort()
      .reverse(),
    'scenarios first'
  )
})

t.test('library: a missing folder or file is reported by the system, with its path', async t => {
  const library = new Library({ fixtures: join(t.testdirName, 'none'), scenarios: null })

  for (const act of [() => library.fixture('bistro', null), () => library.list(), () => library.file(join(t.testdirName, 'none.yaml'))]) {
    const error = (await refusal(act)) as unknown as NodeJS.ErrnoException
    t.equal(error.code, 'ENOENT')
    t.ok(error.path?.includes('none'))
  }
})

t.test('documents: a text that is too large is refused before it is parsed, in JSON and in YAML', async t => {
  const limits = { ...DEFAULT_LIMITS, 'limits.values': 1000 }
  const list = (count: number) => JSON.stringify(Array(count).fill(1))
  const messageOf = async (text: string, given = limits) =>
    (await refusal(() => readDocument('doc', text, { limits: given }))).problems?.map(({ message }) => message)

  t.ok(await readDocument('doc', list(999), { limits }))
  t.strictSame(await messageOf(list(1001)), ['it holds more than 1000 values (limits.values)'])
  t.ok(await readDocument('doc', `a: ${list(90)}`, { limits }))
  t.strictSame(await messageOf(`a: ${list(101)}`), ['it holds more than 1000 values (limits.values); in YAML each counts as 10: write it as JSON'])
  t.strictSame(await messageOf('- '.repeat(100)), ['it is nested deeper than 64 levels'])
  const anchored = `a: [${Array.from({ length: 5000 }, (_, n) => `&a${n} x`).join(', ')}]\nb: [${Array.from({ length: 5000 }, (_, n) => `*a${n}`).join(', ')}]`
  t.match((await messageOf(anchored, DEFAULT_LIMITS))?.[0], /^There are 5000 aliases of 5000 anchors/)
  t.strictSame(await messageOf(`a: ${'{'.repeat(60)}1${'}'.repeat(60)}`, DEFAULT_LIMITS), Array(59).fill('Must be a name; got a list, an object or an alias'))
  const [{ message }] = (await refusalOf([{ document: documentOf('x', {}), steps: [], message: 'm'.repeat(5000) }])).problems as [Problem]
  t.equal(message.length, 2001)
  t.equal((await refusal(() => readDocument('doc', '{"a', { type: 'json' }))).code, 'body_malformed')
  t.equal((await refusal(() => readDocument('doc', `{"a": "${'x'.repeat(50)}`, { type: 'json' }))).code, 'body_malformed')
})

t.test('library: a file that would make others wait is left to a worker', async t => {
  const { root, library } = ownFolders(t)
  t.type(await refusal(() => library.within(3).file(join(root, 'fixtures', 'plain.yml'))), TooLargeHere)
})
