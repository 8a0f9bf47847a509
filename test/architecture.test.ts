/**
 * The import ladder, the purity of its lower rungs and the shape of the tree, from the source text.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

/** Path below src/ → text. */
type Tree = Record<string, string>
type Import = { from: string; to: string; names: string[] }

const SRC = fileURLToPath(new URL('../src', import.meta.url))
/** From the lowest rung up; files directly in src/ are on the rung of the command line. */
const LADDER =
  'reference core work store scenario engine evidence sandbox replay reports server control console client cli'.split(
    ' '
  )
const PURE = ['reference', 'core']
/** System modules that pure files may use, by folder. */
const GIVEN: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  reference: { crypto: ['createHash'] },
  core: { crypto: ['createHash'] },
  engine: { crypto: ['createHash', 'hash'], buffer: ['isUtf8'] }
}
/** The browser source of the console, which is built separately. */
const BROWSER = 'console/ui/'
const VAGUE = ['utils', 'util', 'helpers', 'helper', 'common', 'types']

const WORDS = 'words of docs'
/**
 * Maximum bytes of each folder of src/, of the files at its top and of test/, and words of the
 * pages of docs/ without the decisions. Lower a budget when its room shrinks; never raise one.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  reference: 53_380,
  core: 107_100,
  work: 6_150,
  store: 22_880,
  scenario: 243_960,
  engine: 89_250,
  evidence: 78_790,
  sandbox: 70_380,
  replay: 32_640,
  reports: 39_150,
  server: 37_770,
  control: 113_500,
  console: 229_760,
  client: 23_680,
  cli: 120_440,
  top: 20_780,
  test: 2_233_190,
  [WORDS]: 37_000
}
/** Of all files of src/; may only fall. */
const MAX_CASTS = 191

/** The files of a folder of src/ that a pattern allows. */
function sourcesIn(folder: string, pattern: RegExp): Tree {
  const files = readdirSync(`${SRC}/${folder}`, { recursive: true, encoding: 'utf8' }).map(
    file => folder + file.replaceAll('\\', '/')
  )
  return Object.fromEntries(
    files
      .filter(file => pattern.test(file))
      .map(file => [file, readFileSync(`${SRC}/${file}`, 'utf8')])
  )
}

/** What the checks need from a file, parsed once. */
function madeOnce<T>(make: (file: string, text: string) => T): (file: string, text: string) => T {
  const made = new Map<string, T>()
  return (file, text) => {
    const key = `${file}\n${text}`
    const known = made.get(key) ?? make(file, text)
    made.set(key, known)
    return known
  }
}

const parsed = madeOnce((file, text) =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
)

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node)
  node.forEachChild(child => visit(child, see))
}

/**
 * Everything that a file imports: static, type-only, re-exported, dynamic, and in a type; `?` for a
 * path that is computed.
 */
const importsOf = madeOnce((file, text): Import[] => {
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, names: string[] = []) => {
    const name = specifier && ts.isStringLiteralLike(specifier) ? specifier.text : '?'
    const to = name.startsWith('.')
      ? posix.normalize(posix.join(posix.dirname(file), name)).replace(/\.js$/, '.ts')
      : name
    found.push({ from: file, to, names })
  }
  visit(parsed(file, text), node => {
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings
      add(
        node.moduleSpecifier,
        bindings && ts.isNamedImports(bindings)
          ? bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
          : []
      )
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier) add(node.moduleSpecifier)
    else if (
      ts.isCallExpression(node) &&
      (node.expression.kind === ts.SyntaxKind.ImportKeyword ||
        node.expression.getText() === 'require')
    )
      add(node.arguments[0])
    else if (ts.isImportTypeNode(node))
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined)
  })
  return found
})

const importsIn = (tree: Tree): Import[] =>
  Object.entries(tree).flatMap(([file, text]) => importsOf(file, text))
const isOwn = (tree: Tree, { to }: Import) => Object.hasOwn(tree, to)
const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] as string) : 'cli')
const rungOf = (file: string) => LADDER.indexOf(folderOf(file))
const shown = ({ from, to }: Import) => `${from} → ${to}`

/** Imports that go up the ladder, and files on no rung. */
function upward(tree: Tree): string[] {
  const strays = Object.keys(tree).filter(file => rungOf(file) === -1)
  const up = importsIn(tree).filter(one => isOwn(tree, one) && rungOf(one.to) > rungOf(one.from))
  return [...strays, ...up.map(shown)]
}

/** The build writes them. */
const GENERATED = ['client/documents.ts', 'client/methods.ts']

/** Imports of missing files or computed paths. */
const unresolved = (tree: Tree): string[] =>
  importsIn(tree)
    .filter(
      one =>
        (one.to === '?' || one.to.includes('.ts') || one.to.startsWith('.')) &&
        !isOwn(tree, one) &&
        !GENERATED.includes(one.to)
    )
    .map(shown)

/** Import cycles, each with its path. */
function cycles(tree: Tree): string[] {
  const next = new Map(
    Object.entries(tree).map(([file, text]) => [file, importsOf(file, text).map(({ to }) => to)])
  )
  const done = new Set<string>()
  const found: string[] = []
  const walk = (file: string, way: string[]): void => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file].join(' → '))
    if (way.includes(file) || done.has(file)) return
    for (const to of next.get(file) ?? []) walk(to, [...way, file])
    done.add(file)
  }
  for (const file of next.keys()) walk(file, [])
  return found
}

/** Imports from the operations of one family into those of another. */
const acrossOperations = (tree: Tree): string[] =>
  importsIn(tree)
    .filter(({ from, to }) => [from, to].every(file => file.startsWith('engine/operations/')))
    .map(shown)

/**
 * What makes a file impure: Fastify, system modules (except hashing), time, chance, the process.
 */
function impurities(tree: Tree): string[] {
  const found: string[] = []
  for (const [file, text] of Object.entries(tree)) {
    const given = GIVEN[folderOf(file)]
    if (given === undefined) continue
    for (const { to, names } of importsOf(file, text)) {
      const module = to.replace(/^node:/, '')
      const isSystem = to.startsWith('node:') || builtinModules.includes(module)
      const isGiven = names.length > 0 && names.every(name => given[module]?.includes(name))
      if (/^(@fastify\/|fastify)/.test(to) || (isSystem && !isGiven)) found.push(`${file}: ${to}`)
    }
    visit(parsed(file, text), node => {
      const code = node.getText()
      if (
        ts.isPropertyAccessExpression(node) &&
        /^Date\.now$|^performance\.|^Math\.random$/.test(code)
      )
        found.push(`${file}: ${code}`)
      if (
        ts.isNewExpression(node) &&
        node.expression.getText() === 'Date' &&
        !node.arguments?.length
      )
        found.push(`${file}: ${code}`)
      if (
        ts.isCallExpression(node) &&
        ['Date', 'fetch', 'setTimeout', 'setInterval'].includes(node.expression.getText())
      )
        found.push(`${file}: ${code}`)
      if (
        ts.isPropertyAccessExpression(node) &&
        /^(globalThis\.)?process$/.test(node.expression.getText())
      )
        found.push(`${file}: ${code}`)
    })
  }
  return found
}

/** What waits in the engine, where only `run` may. */
function waits(tree: Tree): string[] {
  const found: string[] = []
  for (const [file, text] of Object.entries(tree)) {
    if (folderOf(file) !== 'engine' || file === 'engine/run.ts') continue
    visit(parsed(file, text), node => {
      const isThen = ts.isPropertyAccessExpression(node) && node.name.text === 'then'
      const isPromise = ts.isIdentifier(node) && node.text === 'Promise'
      if (
        node.kind === ts.SyntaxKind.AsyncKeyword ||
        ts.isAwaitExpression(node) ||
        (ts.isForOfStatement(node) && node.awaitModifier) ||
        isThen ||
        isPromise
      )
        found.push(`${file}: ${node.getText()}`)
    })
  }
  return found
}

/** Modules that import more than fifteen others of src/; these few may only come down. */
const CROWDED: Readonly<Record<string, number>> = {
  'evidence/lost.ts': 16,
  'evidence/near-misses.ts': 17,
  'scenario/loading.ts': 16
}
function crowded(tree: Tree): string[] {
  return Object.entries(tree).flatMap(([file, text]) => {
    const { size } = new Set(
      importsOf(file, text).flatMap(({ to }) => (to.endsWith('.ts') ? to : []))
    )
    return size > (CROWDED[file] ?? 15) ? `${file}: ${size}` : []
  })
}

/** Files, except src/index.ts, that only re-export. */
function barrels(tree: Tree): string[] {
  return Object.entries(tree)
    .filter(([file, text]) => {
      const { statements } = parsed(file, text)
      const passesOn = statements.some(statement => ts.isExportDeclaration(statement))
      return (
        file !== 'index.ts' &&
        passesOn &&
        statements.every(
          statement => ts.isExportDeclaration(statement) || ts.isImportDeclaration(statement)
        )
      )
    })
    .map(([file]) => file)
}

/** Files that use `import.meta.url` at another depth than the bundle in dist/emulator/. */
const misplaced = (tree: Tree): string[] =>
  Object.entries(tree).flatMap(([file, text]) =>
    text.includes('import.meta.url') && file.split('/').length !== 2 ? file : []
  )

/** Files and folders whose name says nothing. */
const vagueNames = (tree: Tree): string[] =>
  Object.keys(tree).filter(file =>
    file
      .replace(/\.ts$/, '')
      .split('/')
      .some(part => VAGUE.includes(part))
  )

/** Names that say what was done to a value, not what it is. */
const EMPTY_NAMES =
  /^(shown|found|told|said|held|given|made|one|other|meant|own|taken|kept)$|[aA]nswer(?!ed)/
const MAX_LINES = 40

/** Variables and functions with such a name, and functions that are too long. */
function unreadable(tree: Tree): string[] {
  return Object.entries(tree).flatMap(([file, text]) => {
    const problems: string[] = []
    visit(parsed(file, text), node => {
      const isNamed =
        ts.isVariableDeclaration(node) ||
        ts.isParameter(node) ||
        ts.isBindingElement(node) ||
        ts.isFunctionDeclaration(node)
      const name = isNamed && node.name && ts.isIdentifier(node.name) ? node.name.text : ''
      if (EMPTY_NAMES.test(name)) problems.push(`${file}: ${name}`)
      const body = ts.isFunctionLike(node) && 'body' in node ? node.body : undefined
      const lines = node.getText().split('\n').length
      if (body && ts.isBlock(body) && lines > MAX_LINES)
        problems.push(`${file}: ${lines} lines: ${node.getText().slice(0, 40)}`)
    })
    return problems
  })
}

/** Type assertions in a file, except `as const`. */
function castsIn(file: string, text: string): number {
  let casts = 0
  visit(parsed(file, text), node => {
    if (ts.isAsExpression(node) && node.type.getText() !== 'const') casts++
  })
  return casts
}

/** Files that write the mask of secrets themselves. */
const ownMasks = (tree: Tree): string[] =>
  Object.entries(tree).flatMap(([file, text]) =>
    file !== 'core/mask.ts' && text.includes("'***'") ? file : []
  )

/** Calls of listen in app.ts. */
function listening(tree: Tree): string[] {
  const found: string[] = []
  visit(parsed('app.ts', tree['app.ts'] ?? ''), node => {
    if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'listen'
    )
      found.push(node.getText())
  })
  return found
}

const tree = sourcesIn('', /^(?!console\/ui\/).*\.ts$/)
const browserTree = sourcesIn(BROWSER, /\.tsx?$/)

/**
 * What browser source imports from the rest of src at run time; types, tables and pure functions
 * may be shared.
 */
function impureInBrowser(tree: Tree): string[] {
  return Object.entries(tree).flatMap(([file, text]) => {
    const statements = parsed(file, text).statements.filter(ts.isImportDeclaration)
    const values = statements.filter(
      ({ importClause }) => importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword
    )
    return importsOf(file, values.map(statement => statement.getText()).join('\n'))
      .filter(
        ({ to }) =>
          !to.startsWith(BROWSER) &&
          !to.endsWith('.css') &&
          !/^(preact|lucide|@preact\/signals|@codemirror\/[\w-]+|@lezer\/highlight)(\/|$)/.test(
            to
          ) &&
          !PURE.includes(folderOf(to))
      )
      .map(shown)
  })
}

t.test('the browser source imports only types and pure files of src', async t => {
  t.strictSame(impureInBrowser(browserTree), [])
  t.strictSame(
    impureInBrowser({
      'console/ui/a.tsx':
        "import type { A } from '../../client/answers.js'\nimport { B } from '../../engine/keys.js'\nimport { C } from '../../core/money.js'"
    }),
    ['console/ui/a.tsx → engine/keys.ts']
  )
})

t.test('the browser source has no mask of its own', async t => {
  t.strictSame(unreadable(browserTree), [])
  for (const [file, text] of Object.entries(browserTree)) t.notMatch(text, /\w = '\*{3}'/, file)
})

t.test('the browser source makes no markup of text', async t => {
  for (const [file, text] of Object.entries(browserTree))
    t.notMatch(
      text,
      /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment|\beval\(|new Function/,
      file
    )
})

t.test('the whole of src is checked', async t => {
  for (const file of 'app.ts main.ts core/money.ts engine/operations/transactions.ts store/paging.ts'.split(
    ' '
  ))
    t.ok(Object.hasOwn(tree, file), file)
  t.ok(importsIn(tree).filter(one => isOwn(tree, one)).length > 100)
})

/** Each check with a small invented tree that it must reject, and its messages. */
const CHECKS: { title: string; check: (tree: Tree) => string[]; bad: Tree; says: string[] }[] = [
  {
    title: 'imports go one way down the ladder',
    check: upward,
    bad: {
      'core/a.ts': "import type { B } from '../store/b.js'",
      'store/b.ts': "export * from '../scenario/c.js'",
      'scenario/c.ts': "const x = await import('../cli/d.js')",
      'reference/e.ts': "type E = import('../core/a.js').A",
      'server/f.ts': "import '../app.js'",
      'cli/d.ts': "import { a } from '../core/a.js'",
      'app.ts': "import './cli/d.js'",
      'elsewhere/g.ts': ''
    },
    says: [
      'elsewhere/g.ts',
      ...[
        'core/a.ts → store/b.ts',
        'store/b.ts → scenario/c.ts',
        'scenario/c.ts → cli/d.ts',
        'reference/e.ts → core/a.ts',
        'server/f.ts → app.ts'
      ]
    ]
  },
  {
    title: 'every import can be followed',
    check: unresolved,
    bad: {
      'core/a.ts':
        "import './b.js'\nawait import(name)\nimport '../../test/c.js'\nimport 'fastify'",
      'core/c.ts': "import './a.js'"
    },
    says: ['core/a.ts → core/b.ts', 'core/a.ts → ?', 'core/a.ts → ../test/c.ts']
  },
  {
    title: 'there are no cycles',
    check: cycles,
    bad: {
      'core/a.ts': "import './b.js'",
      'core/b.ts': "export { c } from './c.js'",
      'core/c.ts': "import type { A } from './a.js'",
      'core/d.ts': "import './a.js'",
      'core/e.ts': "import './e.js'"
    },
    says: ['core/a.ts → core/b.ts → core/c.ts → core/a.ts', 'core/e.ts → core/e.ts']
  },
  {
    title: 'the operations of a family import those of no other',
    check: acrossOperations,
    bad: {
      'engine/operations/refunds.ts': "import './transactions.js'\nimport '../listing.js'",
      'engine/operations/transactions.ts': '',
      'engine/operations.ts': "import './operations/refunds.js'",
      'engine/listing.ts': ''
    },
    says: ['engine/operations/refunds.ts → engine/operations/transactions.ts']
  },
  {
    title: 'reference, core and engine are functions of what they are given',
    check: impurities,
    bad: {
      'core/a.ts':
        "import fastify from 'fastify'\nimport '@fastify/cors'\nimport { readFile } from 'node:fs/promises'\nimport net from 'net'",
      'core/b.ts':
        "import { createHash } from 'node:crypto'\nimport { randomBytes } from 'node:crypto'\nconst at = new Date(5)",
      'core/c.ts': 'const now = Date.now()\nconst clock = Date.now',
      'core/d.ts': 'const at = new Date()\nconst text = Date()',
      'reference/e.ts':
        'const n = Math.random()\nconst home = process.env.HOME\nconst port = globalThis.process.argv',
      'core/f.ts':
        'type Places = { process: string }\nconst scope = places.process\nconst word = "process"',
      'engine/g.ts':
        "import { isUtf8 } from 'node:buffer'\nimport { createHash, hash } from 'node:crypto'\nconst at = Date.parse('2026-03-01')",
      'engine/h.ts':
        "import { Buffer, isUtf8 } from 'node:buffer'\nimport { randomUUID } from 'node:crypto'\nimport 'fastify'",
      'engine/i.ts':
        "import 'node:http'\nimport 'node:net'\nimport 'node:timers/promises'\nimport 'node:worker_threads'",
      'engine/operations/j.ts':
        'const n = Math.random()\nconst at = Date.now() + performance.timeOrigin\nsetTimeout(go, 5)',
      'server/k.ts': "import fastify from 'fastify'\nconst now = Date.now()"
    },
    says: Object.entries({
      'core/a.ts': ['fastify', '@fastify/cors', 'node:fs/promises', 'net'],
      'core/b.ts': ['node:crypto'],
      'core/c.ts': ['Date.now', 'Date.now'],
      'core/d.ts': ['new Date()', 'Date()'],
      'reference/e.ts': ['Math.random', 'process.env', 'globalThis.process.argv'],
      'engine/h.ts': ['node:buffer', 'node:crypto', 'fastify'],
      'engine/i.ts': ['node:http', 'node:net', 'node:timers/promises', 'node:worker_threads'],
      'engine/operations/j.ts': [
        'Math.random',
        'Date.now',
        'performance.timeOrigin',
        'setTimeout(go, 5)'
      ]
    }).flatMap(([file, found]) => found.map(what => `${file}: ${what}`))
  },
  {
    title: 'the engine waits for nothing, but where it runs requests',
    check: waits,
    bad: {
      'engine/a.ts': 'const a = async () => 1\nconst b = async () => {\n  await a()\n}',
      'engine/b.ts': 'type B = Promise<void>\nb.then(go)\nfor await (const c of d) {\n}',
      'engine/operations/c.ts': '// async, await and a Promise in words\nconst awaited = then(1)',
      'engine/run.ts': 'type D = Promise<void>',
      'server/d.ts': 'const d = async () => 1'
    },
    says: [
      'a.ts: async',
      'a.ts: async',
      'a.ts: await a()',
      'b.ts: Promise',
      'b.ts: b.then',
      'b.ts: for await (const c of d) {\n}'
    ].map(one => `engine/${one}`)
  },
  {
    title: 'no module imports more than fifteen others',
    check: crowded,
    bad: {
      'core/a.ts': Array.from({ length: 16 }, (_, nth) => `import './b${nth}.js'`).join('\n'),
      'core/b.ts': "import 'fastify'\nimport './a.js'"
    },
    says: ['core/a.ts: 16']
  },
  {
    title: 'no file but src/index.ts only passes on what others export',
    check: barrels,
    bad: {
      'core/index.ts': "export * from './a.js'\nexport { b } from './b.js'",
      'core/c.ts': "import { a } from './a.js'\nexport { a }",
      'core/d.ts': "export { a } from './a.js'\nexport const d = 1",
      'server/context.ts': "import 'fastify'",
      'index.ts': "export * from './core/a.js'"
    },
    says: ['core/index.ts', 'core/c.ts']
  },
  {
    title: 'no file or folder has a name that says nothing',
    check: vagueNames,
    bad: {
      'core/utils.ts': '',
      'core/types/a.ts': '',
      'helpers/b.ts': '',
      'server/common.ts': '',
      'core/prototypes.ts': ''
    },
    says: ['core/utils.ts', 'core/types/a.ts', 'helpers/b.ts', 'server/common.ts']
  },
  {
    title: 'a file that asks for its own address lies as deep as the bundle',
    check: misplaced,
    bad: {
      'a.ts': 'const a = import.meta.url',
      'cli/b.ts': 'const b = import.meta.url',
      'cli/drift/c.ts': 'const c = import.meta.url'
    },
    says: ['a.ts', 'cli/drift/c.ts']
  },
  {
    title: 'names say what they hold, and functions fit a screen',
    check: unreadable,
    bad: {
      'core/a.ts': 'const found = 1\nfunction isAnswer() {}\nconst { b: other, answered } = c',
      'core/b.ts': `const b = () => {${'\n'.repeat(40)}}`
    },
    says: [
      'core/a.ts: found',
      'core/a.ts: isAnswer',
      'core/a.ts: other',
      `core/b.ts: 41 lines: ${`() => {${'\n'.repeat(40)}}`.slice(0, 40)}`
    ]
  },
  {
    title: 'what is masked is masked alike',
    check: ownMasks,
    bad: {
      'core/mask.ts': "export const MASK = '***'",
      'server/a.ts': "const shown = '***'",
      'server/b.ts': "const shown = '*** and more'"
    },
    says: ['server/a.ts']
  },
  {
    title: 'app.ts never listens',
    check: listening,
    bad: {
      'app.ts': 'await app.listen({ port: 0 })\nconst listen = 1',
      'index.ts': 'await app.listen({ port: 0 })'
    },
    says: ['app.listen({ port: 0 })']
  }
]

for (const { title, check, bad, says } of CHECKS) {
  t.test(title, async t => {
    t.strictSame(check(bad), says, 'the check finds fault with a tree that is wrong')
    t.strictSame(check(tree), [], 'src is right')
  })
}

/** The files below a folder of the repository, without installed packages. */
const filesBelow = (folder: string): string[] =>
  readdirSync(`${SRC}/../${folder}`, { recursive: true, encoding: 'utf8' })
    .map(file => `${SRC}/../${folder}/${file.replaceAll('\\', '/')}`)
    .filter(file => !file.includes('/node_modules/') && statSync(file).isFile())
const bytesOf = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + statSync(file).size, 0)
const wordsOf = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + readFileSync(file, 'utf8').trim().split(/\s+/).length, 0)

/** Sizes by the names of the budgets. */
function measured(): Record<string, number> {
  const entries = readdirSync(SRC, { withFileTypes: true })
  const rooms = entries
    .filter(entry => entry.isDirectory())
    .map(({ name }) => [name, bytesOf(filesBelow(`src/${name}`))])
  const top = entries.filter(entry => entry.isFile()).map(({ name }) => `${SRC}/${name}`)
  const pages = filesBelow('docs').filter(
    file => file.endsWith('.md') && !/\/(\.vitepress|decisions)\//.test(file)
  )
  return {
    ...Object.fromEntries(rooms),
    top: bytesOf(top),
    test: bytesOf(filesBelow('test')),
    [WORDS]: wordsOf(pages)
  }
}

/** Rooms that are over their budget, or have none, and budgets without a room. */
function overBudget(
  sizes: Readonly<Record<string, number>>,
  budgets: Readonly<Record<string, number>>
): string[] {
  const shown = (count: number) => count.toLocaleString('en')
  const over = Object.entries(sizes).flatMap(([room, size]) => {
    const budget = budgets[room]
    if (budget === undefined) return [`${room} has no budget`]
    const unit = room === WORDS ? 'words' : 'bytes'
    return size <= budget
      ? []
      : [
          `${room} has ${shown(size)} ${unit}; its budget is ${shown(budget)}: cut it, or take something down; budgets may only fall`
        ]
  })
  const gone = Object.keys(budgets).filter(room => !Object.hasOwn(sizes, room))
  return [...over, ...gone.map(room => `${room} has a budget and nothing else`)]
}

t.test('types are seldom asserted', async t => {
  const all = Object.entries({ ...tree, ...browserTree })
  const casts = all.reduce((sum, [file, text]) => sum + castsIn(file, text), 0)

  t.equal(castsIn('a.ts', 'const a = b as unknown as C, d = [1] as const'), 2)
  t.ok(casts <= MAX_CASTS, `${casts} casts; at most ${MAX_CASTS}: narrow the type instead`)
})

t.test('no room is above its budget', async t => {
  t.strictSame(
    overBudget(
      { core: 1_001, store: 1_000, new: 1, [WORDS]: 41_000 },
      { core: 1_000, store: 1_000, work: 5, [WORDS]: 40_000 }
    ),
    [
      'core has 1,001 bytes; its budget is 1,000: cut it, or take something down; budgets may only fall',
      'new has no budget',
      'words of docs has 41,000 words; its budget is 40,000: cut it, or take something down; budgets may only fall',
      'work has a budget and nothing else'
    ]
  )
  for (const problem of overBudget(measured(), BUDGETS)) t.fail(problem)
})
