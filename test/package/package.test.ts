/**
 * The package as npm publishes it, used from empty folders, here with npm alone; `npm run
 * test:package` uses other package managers, two test runners, and a package from a fresh clone.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import t, { type Test } from 'tap'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PROJECT = fileURLToPath(new URL('project/', import.meta.url))
const isWhole = process.env.PACKAGE === 'all'

const scratch = mkdtempSync(join(tmpdir(), 'commerce-emulator-'))
t.teardown(() => rmSync(scratch, { recursive: true, force: true }))
const emptyFile = join(scratch, 'empty')
writeFileSync(emptyFile, '')
/**
 * An environment with only the paths of programs and the user's files: no settings, no coverage.
 */
const BARE = { PATH: process.env.PATH, HOME: process.env.HOME }
/** Package managers with their defaults, each with its files in the scratch folder. */
const FRESH = {
  ...BARE,
  npm_config_userconfig: emptyFile,
  npm_config_update_notifier: 'false',
  YARN_CACHE_FOLDER: join(scratch, 'cache'),
  YARN_GLOBAL_FOLDER: join(scratch, 'global'),
  YARN_ENABLE_TELEMETRY: '0'
}

type Ran = { status: number | null; stdout: string; stderr: string }
function run(
  cwd: string,
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv = FRESH
): Ran {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 26
  })
  if (error) throw error
  return { status, stdout, stderr }
}
/** Runs a command that must end with status 0; returns its stdout. */
function output(cwd: string, command: readonly string[], env?: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr } = run(cwd, command, env)
  if (status !== 0)
    throw new Error(`${command.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`)
  return stdout
}

type Packed = { filename: string; files: { path: string }[] }
function packed(folder: string, ...options: string[]): Packed {
  const [pack] = JSON.parse(
    output(folder, ['npm', 'pack', '--json', '--pack-destination', scratch, ...options], BARE)
  )
  return pack
}
const pack = packed(ROOT, '--ignore-scripts')
const tarball = join(scratch, pack.filename)

/**
 * A package manager; `isPlain` if Node.js finds the package without `script`. Yarn 1 drops the
 * first `--`.
 */
type Manager = {
  name: string
  script?: string
  add: string[]
  exec: string[]
  variables?: Record<string, string>
  isPlain?: boolean
  end?: string[]
}
const file = (start: string) => `${start}file:${tarball}`
const YARN = {
  script: '@yarnpkg/cli-dist/bin/yarn.js',
  add: ['add', '--dev', file('commerce-emulator@')],
  exec: []
}
const MANAGERS: Manager[] = [
  {
    name: 'npm',
    add: ['npm', 'install', '--save-dev', '--offline', tarball],
    exec: ['npx', '--offline'],
    isPlain: true
  },
  {
    name: 'pnpm',
    script: 'pnpm/bin/pnpm.cjs',
    add: ['add', '--save-dev', '--offline', tarball],
    exec: ['exec'],
    variables: { npm_config_store_dir: join(scratch, 'store') },
    isPlain: true
  },
  {
    name: 'Yarn 1',
    script: 'yarn/bin/yarn.js',
    add: ['add', '--dev', '--offline', file('')],
    exec: ['--silent'],
    end: ['--', '--'],
    isPlain: true
  },
  { name: 'Yarn 4', ...YARN, variables: { YARN_NODE_LINKER: 'node-modules' }, isPlain: true },
  { name: 'Yarn 4 without node_modules', ...YARN }
]
const OTHER_MANAGERS = ['pnpm@10', 'yarn@1', '@yarnpkg/cli-dist@4']
const RUNNERS = ['vitest@4', 'jest@30', 'sinon@22']
const USED = { status: 200, refused: [true, 'setting_invalid'] }

function use(
  t: Test,
  { name, script, add, exec, end = ['--'], variables, isPlain }: Manager
): string {
  const folder = join(scratch, name.replaceAll(' ', '-'))
  cpSync(PROJECT, folder, { recursive: true })
  writeFileSync(join(folder, 'yarn.lock'), '')
  const env = { ...FRESH, ...variables }
  const manager = script ? [process.execPath, join(scratch, 'managers/node_modules', script)] : []

  const installed = run(folder, [...manager, ...add], env)
  t.equal(installed.status, 0, `${name} installs it`)
  t.notMatch(
    `${installed.stdout}${installed.stderr}`,
    /\bwarn|deprecat|engine/i,
    `${name} has nothing to warn about`
  )

  const node = isPlain ? [process.execPath] : [...manager, 'node']
  const files = isPlain ? ['imported.mjs', 'required.cjs'] : ['required.cjs']
  for (const file of files) {
    const { stdout, stderr } = run(folder, [...node, file], env)
    t.strictSame([stderr, JSON.parse(stdout || 'null')], ['', USED], `${name}: ${file}`)
  }
  const command = run(
    folder,
    [...manager, ...exec, 'commerce-emulator', 'exec', ...end, process.execPath, 'called.mjs'],
    env
  )
  t.strictSame(
    [command.status, command.stdout],
    [0, 'status 200\n'],
    `${name}: the command\n${command.stderr}`
  )
  return folder
}

t.test('package: it depends on no other package, runs no script when it is installed', async t => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const paths = pack.files.map(({ path }) => path)

  const names = [...Object.keys(manifest), ...Object.keys(manifest.scripts)].filter(
    name => name !== 'devDependencies'
  )
  t.strictSame(
    names.filter(name => /dependencies$|^(pre|post)?(install|prepare)$/i.test(name)),
    []
  )
  const locked = Object.entries<{ dev?: boolean; hasInstallScript?: boolean }>(
    JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages
  )
  const builds = /^node_modules\/(typescript$|tsx$|esbuild$|@esbuild\/|@types\/)/
  const needed = locked.filter(([path, { dev }]) => !dev || builds.test(path))
  t.ok(needed.length > 20)
  t.strictSame(
    needed.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : [])),
    ['node_modules/esbuild'],
    'nor does what builds it: the one script replaces a command that the build does not use'
  )
  for (const name of ['repository', 'bugs', 'keywords', 'license', 'engines', 'bin', 'types'])
    t.ok(manifest[name], name)
  t.strictSame(
    paths.filter(path =>
      /\.(map|code|tsbuildinfo)$|^dist\/inputs|^(src|scripts|test|bench)\//.test(path)
    ),
    []
  )
  for (const path of [
    'dist/main.js',
    'dist/index.js',
    'dist/types/index.d.ts',
    'dist/LICENCES.txt',
    'dist/sbom.cdx.json',
    'LICENSE',
    'README.md',
    'CHANGELOG.md'
  ])
    t.ok(paths.includes(path), path)
  const addresses = paths.filter(
    path =>
      /\.(js|css)$/.test(path) &&
      readFileSync(join(ROOT, path), 'utf8').includes('# sourceMappingURL=')
  )
  t.strictSame(addresses, [])
})

t.test('package: its documents link to its files, or to the pages of contributors', async t => {
  const paths = pack.files.map(({ path }) => path)
  const { files }: { files: string[] } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8')
  )
  /** Pages for contributors are only in the repository. */
  const leftOut = files.flatMap(path => (path.startsWith('!docs/') ? [path.slice(1)] : []))
  const isThere = (path: string) =>
    paths.some(one => one === path || one.startsWith(`${path}/`)) ||
    leftOut.some(one => path === one || path.startsWith(`${one}/`))
  let count = 0
  for (const file of paths.filter(path => path.endsWith('.md'))) {
    for (const [, link = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(
      /(?<!!\[[^\]]*)\]\((?!https?:|#)([^)#\s]+)/g
    )) {
      // pictures are only in the repository
      t.ok(isThere(join(dirname(file), link).replace(/\/$/, '')), `${file}: ${link}`)
      count++
    }
  }
  t.ok(count > 20)
})

const folder = use(t, MANAGERS[0] as Manager)

t.test('package: `node:test` uses it', async t => {
  t.equal(run(folder, [process.execPath, '--test', 'node.test.mjs']).status, 0)
})

t.test('package: a bundle of it says that it must be external', async t => {
  for (const [format, file] of [
    ['cjs', 'dist/index.cjs'],
    ['esm', 'dist/index.mjs']
  ] as const) {
    const stdin = { contents: "import 'commerce-emulator'", resolveDir: folder }
    const outfile = join(scratch, file)
    buildSync({ stdin, outfile, format, bundle: true, platform: 'node', logLevel: 'error' })
    t.match(run(scratch, [process.execPath, outfile]).stderr, /Mark it external/, format)
  }
})

t.test('package: what it exports is what the source exports', async t => {
  const names = Object.keys(await import('../../src/index.js')).sort()
  const required = output(folder, [
    process.execPath,
    '-p',
    "JSON.stringify(Object.keys(require('commerce-emulator')).sort())"
  ])
  const code = "console.log(JSON.stringify(Object.keys(await import('commerce-emulator')).sort()))"
  const imported: string[] = JSON.parse(
    output(folder, [process.execPath, '--input-type=module', '-e', code])
  )

  t.strictSame(JSON.parse(required), names)
  t.strictSame(
    imported.filter(name => name !== 'default' && name !== 'module.exports'),
    names
  )
})

type Resolution = { title: string; options: ts.CompilerOptions; endings: string[] }
const RESOLUTIONS: Resolution[] = [
  {
    title: 'bundler',
    options: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
    endings: ['ts']
  },
  {
    title: 'node16',
    options: { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
    endings: ['mts', 'cts']
  }
]

for (const { title, options, endings } of RESOLUTIONS) {
  t.test(
    `package: its types compile strictly under ${title}, with those of the language alone`,
    async t => {
      const files = endings.map(ending => join(folder, `typed.${ending}`))
      for (const file of files) cpSync(join(PROJECT, 'typed.ts'), file)
      const strict = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        skipDefaultLibCheck: true
      }
      const program = ts.createProgram(files, {
        ...options,
        ...strict,
        target: ts.ScriptTarget.ES2022,
        lib: ['lib.es2022.d.ts'],
        types: [],
        noEmit: true
      })
      const problems = ts
        .getPreEmitDiagnostics(program)
        .map(
          ({ file, messageText }) =>
            `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
        )

      t.strictSame(problems, [])
      t.ok(
        program
          .getSourceFiles()
          .some(({ fileName }) => fileName.endsWith('commerce-emulator/dist/types/index.d.ts'))
      )
    }
  )
}

t.test(
  'package: other package managers install it without a warning, and use it',
  { skip: !isWhole && 'npm run test:package does it' },
  async t => {
    const managers = join(scratch, 'managers')
    mkdirSync(managers)
    writeFileSync(join(managers, 'package.json'), '{"private":true}')
    output(
      managers,
      [
        'npm',
        'install',
        '--prefer-offline',
        '--no-audit',
        '--no-fund',
        '--ignore-scripts',
        ...OTHER_MANAGERS
      ],
      BARE
    )

    for (const manager of MANAGERS.slice(1)) use(t, manager)
  }
)

t.test(
  'package: Vitest, Jest and Sinon use it',
  { skip: !isWhole && 'npm run test:package does it' },
  async t => {
    output(
      folder,
      [
        'npm',
        'install',
        '--prefer-offline',
        '--save-dev',
        '--no-audit',
        '--no-fund',
        '--ignore-scripts',
        ...RUNNERS
      ],
      BARE
    )

    for (const command of ['npx vitest run vitest.test.mjs', 'npx jest', 'node sinon.mjs']) {
      const { status, stdout, stderr } = run(folder, command.split(' '))
      t.equal(status, 0, `${command}\n${stdout}\n${stderr}`)
    }
  }
)

t.test(
  'package: a package from a fresh clone has the same files',
  { skip: !isWhole && 'npm run test:package does it' },
  async t => {
    const clone = join(scratch, 'clone')
    for (const file of output(
      ROOT,
      ['git', 'ls-files', '--cached', '--others', '--exclude-standard'],
      BARE
    )
      .trim()
      .split('\n')) {
      if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(clone, file))
    }
    symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
    t.notOk(readdirSync(clone).includes('dist'))

    t.strictSame(
      packed(clone)
        .files.map(({ path }) => path)
        .sort(),
      pack.files.map(({ path }) => path).sort()
    )
  }
)
