/**
 * `npm run build`: makes dist/. The emulator and the packages that every start needs are one script, whose compiled code is kept beside it; packages that
 * are needed later are a file each. The shipped documents are read and checked, and the types are declared.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { build as buildPages } from 'vite'
import { declarations } from './declarations.mjs'

const require = createRequire(import.meta.url)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DIST = join(ROOT, 'dist')
/** What the build that is there was made from. */
const INPUTS = join(DIST, 'inputs.txt')
/** Packages that are loaded when they are first needed, by the names of their files. */
const LATER = {
  'cli-progress': 'cli-progress',
  faker: '@faker-js/faker/locale/en',
  'light-my-request': 'light-my-request',
  'pino-pretty': 'pino-pretty',
  'prom-client': 'prom-client',
  re2js: 're2js',
  semver: 'semver',
  tinyglobby: 'tinyglobby',
  yaml: 'yaml'
}
/** The files of Swagger UI that the page of the API's documentation needs. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']
/** Browser files that are copied as they are. */
const PAGE_FILES = ['index.html', 'docs.html', 'icon.svg']
/** Files in which a package has its licence, the notices of others, and the licences of what it holds itself. */
const LICENCE_FILES = /^(licen[cs]e|notice|copying)|\bbundle\.js\.LICENSE\.txt$/i

/** @type {import('esbuild').BuildOptions} */
const OPTIONS = {
  absWorkingDir: ROOT,
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning'
}

/** A module finds files relative to itself from where its source is; the script of the document worker is beside the bundle. */
const atSource = {
  name: 'import.meta.url',
  setup({ onLoad }) {
    const contents = "export const WORKER_FILE = require('node:path').join(require('node:path').dirname(__filename), 'document-worker.js')"
    onLoad({ filter: /[\\/]worker-file\.ts$/ }, () => ({ contents, loader: 'ts' }))
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const source = JSON.stringify(relative(DIST, path))
      const text = await readFile(path, 'utf8')
      return { contents: text.replaceAll('import.meta.url', `new URL(${source}, require('node:url').pathToFileURL(__filename))`), loader: 'ts' }
    })
  }
}

/** Packages in files of their own; and modules that Fastify asks for and this server does not use, which are loaded if it does. */
const later = {
  name: 'later',
  setup({ onResolve, onLoad }) {
    const names = new Map(Object.entries(LATER).map(([file, name]) => [name, file]))
    const fileOf = path => ({ path: names.has(path) ? `./packages/${names.get(path)}.js` : path, external: true })
    onResolve({ filter: /^(node:https|node:http2|semver)$/ }, ({ path, namespace }) => (namespace === 'later' ? fileOf(path) : { path, namespace: 'later' }))
    onResolve({ filter: new RegExp(`^(${[...names.keys()].join('|')})$`) }, ({ path }) => fileOf(path))
    onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => require(${JSON.stringify(path)})[name] })`
    }))
  }
}

/** Bundles the emulator, and each of the other packages. Returns the folders of all packages. */
async function bundle() {
  const contents =
    "export { connect, EmulatorError, startEmulator } from './src/index.js'\nexport { run } from './src/cli/program.js'\nexport { answerJobs } from './src/scenario/worker-reader.js'"
  const bundles = await Promise.all([
    build({
      ...OPTIONS,
      stdin: { contents, resolveDir: ROOT, loader: 'ts' },
      entryNames: 'emulator',
      external: ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'],
      plugins: [atSource, later],
      supported: { 'dynamic-import': false },
      banner: { js: '(function (exports, require, module, __filename) {' },
      footer: { js: '})' }
    }),
    // the module of fdir that an import gets asks for its own address, which a bundle does not have
    build({ ...OPTIONS, entryPoints: LATER, outdir: 'dist/packages', minify: true, alias: { fdir: require.resolve('fdir') } })
  ])
  const inputs = bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs))
  return [...new Set(inputs.flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))].sort()
}

/** Copies the files of Swagger UI, without the addresses of source maps, which are not there. Returns the folder of the package. */
async function copySwagger() {
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'))
  await mkdir(join(DIST, 'swagger-ui'))
  for (const file of SWAGGER_FILES) {
    const bytes = await readFile(join(folder, file))
    const isText = /\.(js|css)$/.test(file)
    await writeFile(join(DIST, 'swagger-ui', file), isText ? bytes.toString('utf8').replace(/\n\/[/*]# sourceMappingURL=.*\s*$/, '\n') : bytes)
  }
  return relative(ROOT, folder)
}

/** Builds the browser files: the console, and what starts the page of the API's documentation. Returns the folders of the packages that they hold. */
async function browserFiles() {
  const root = join(ROOT, 'src/console/ui')
  const { output } = await buildPages({
    configFile: false,
    publicDir: false,
    root,
    base: './',
    logLevel: 'warn',
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
    build: {
      outDir: join(DIST, 'console'),
      emptyOutDir: true,
      target: 'es2022',
      cssTarget: 'chrome123',
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      rollupOptions: {
        input: { console: join(root, 'main.tsx'), docs: join(root, 'docs/start.ts') },
        output: {
          entryFileNames: '[name].js',
          // a view is named by its folder
          chunkFileNames: ({ facadeModuleId }) => `${facadeModuleId ? basename(dirname(facadeModuleId)) : '[name]'}-[hash].js`,
          assetFileNames: 'console[extname]'
        }
      }
    }
  })
  for (const file of PAGE_FILES) await cp(join(root, file), join(DIST, 'console', file))
  return output.flatMap(({ moduleIds = [] }) => moduleIds).flatMap(id => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relative(ROOT, id)) ?? [])
}

/** The licences of packages, one after the other. */
async function licencesOf(packages) {
  const parts = packages.map(async folder => {
    const { name, version, license, author } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'))
    const files = (await readdir(join(ROOT, folder))).filter(file => LICENCE_FILES.test(file)).sort()
    const texts = await Promise.all(files.map(file => readFile(join(ROOT, folder, file), 'utf8')))
    if (texts.length === 0) texts.push(`Copyright (c) ${author.name ?? author}`)
    return [`${name} ${version}: ${license}`, ...texts.map(text => text.trim()), ''].join('\n\n')
  })
  return ['The JavaScript beside this file holds these packages.\n', ...(await Promise.all(parts))].join(`\n${'-'.repeat(80)}\n\n`)
}

/** Modules of the emulator that the build itself uses. */
async function ownModules() {
  const contents = [
    "export { problemLine, readDocument } from './src/scenario/documents.js'",
    "export { preparedName } from './src/scenario/prepared.js'",
    "export { isSharedScript, SHARED_SCRIPT_CHECKER } from './src/scenario/shared-script.js'",
    "export { withDefaults } from './src/scenario/variables.js'",
    "export { publishedSchema } from './src/scenario/published-schema.js'",
    "export * from './src/scenario/schemas.js'",
    "export { SETTINGS, settingsSchema } from './src/core/settings.js'",
    "export { CATALOGUE } from './src/core/errors.js'",
    "export { FINDINGS } from './src/evidence/findings.js'",
    "export { ACCOUNT_TYPES } from './src/reference/accounts.js'",
    "export { ASSUMPTIONS } from './src/reference/assumptions.js'",
    "export { OPERATION_NAMES, RESOURCE_NAMES } from './src/reference/operations.js'",
    "export { PAYMENT_TYPES } from './src/reference/payment-methods.js'",
    "export { RULES } from './src/reference/rules.js'",
    "export { RESOURCES } from './src/reference/tables.js'"
  ].join('\n')
  await build({ ...OPTIONS, stdin: { contents, resolveDir: ROOT, loader: 'ts' }, entryNames: 'build', packages: 'external', plugins: [atSource] })
  return require(join(DIST, 'build.js'))
}

/** Reads and checks the shipped documents and writes them as JSON. Errors: a line for each problem of one. */
async function prepareDocuments({
  readDocument,
  problemLine,
  preparedName,
  withDefaults,
  isSharedScript,
  FIXTURE_CHECKER,
  SCENARIO_CHECKER,
  SHARED_SCRIPT_CHECKER
}) {
  const checkers = { fixture: FIXTURE_CHECKER, scenario: SCENARIO_CHECKER, script: SHARED_SCRIPT_CHECKER }
  await mkdir(join(DIST, 'documents'))
  for (const folder of ['fixtures', 'scenarios']) {
    for (const file of await readdir(join(ROOT, folder))) {
      const text = await readFile(join(ROOT, folder, file), 'utf8')
      const { data } = await readDocument(file, text)
      const kind = folder === 'fixtures' ? 'fixture' : 'scenario'
      const checkedAs = isSharedScript(data) ? 'script' : kind
      const problems = await checkers[checkedAs].problems(withDefaults(data))
      if (problems.length > 0) throw new Error(problems.map(problem => problemLine({ file, ...problem })).join('\n'))
      await writeFile(join(DIST, 'documents', preparedName(text)), JSON.stringify({ checkedAs, data }))
    }
  }
}

/** Writes the JSON Schemas that editors read, and the same as TypeScript (`npm run schema`). */
async function publishSchemas(own) {
  for (const kind of ['fixture', 'scenario', 'script']) {
    await writeFile(join(ROOT, 'docs/schema', `${kind}.json`), `${JSON.stringify(own.publishedSchema(kind), null, 2)}\n`)
  }
  await writeFile(join(ROOT, 'src/client/documents.ts'), declarations(own))
}

/** Runs a module of Node's or a package in a process of its own. */
async function runNode(...args) {
  const [status] = await once(spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] }), 'close')
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
}

/** What a build depends on, as a text that is another one whenever any of it has changed. */
async function inputs() {
  const folders = ['src', 'fixtures', 'scenarios']
  const inFolders = folders.map(async folder => (await readdir(join(ROOT, folder), { recursive: true })).map(file => join(folder, file)))
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', ...(await Promise.all(inFolders)).flat().sort()]
  const lines = files.map(async file => {
    const { size, mtimeMs } = await stat(join(ROOT, file))
    return `${file} ${size} ${mtimeMs}`
  })
  return [process.version, process.arch, ...(await Promise.all(lines))].join('\n')
}

async function main() {
  const before = await inputs()
  const isSchemaWanted = process.argv.includes('--schema')
  if (!isSchemaWanted && (await readFile(INPUTS, 'utf8').catch(() => '')) === before) return
  console.error('Building commerce-emulator; this takes a few seconds.')
  await rm(DIST, { recursive: true, force: true })
  await mkdir(DIST)
  const types = runNode('src/build/declare.mjs')
  await cp(new URL('runtime', import.meta.url), DIST, { recursive: true })
  const [packages, own, swagger, pages] = await Promise.all([bundle(), ownModules(), copySwagger(), browserFiles()])
  if (isSchemaWanted) await publishSchemas(own)
  await rm(join(DIST, 'build.js'))
  await writeFile(join(DIST, 'LICENCES.txt'), await licencesOf([...new Set([...packages, swagger, ...pages])]))
  await prepareDocuments(own)
  await runNode('src/build/keep-code.cjs')
  await types
  await writeFile(INPUTS, before)
}

await main()
