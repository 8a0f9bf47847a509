/**
 * `npm run build`: makes dist/. The emulator and the packages that every start needs are one script, whose compiled code is kept beside it; packages that
 * are needed later are a file each. The shipped documents are read and checked, and the types are declared.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const require = createRequire(import.meta.url)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DIST = join(ROOT, 'dist')
/** What the build that is there was made from. */
const INPUTS = join(DIST, 'inputs.txt')
/** Packages that are loaded when they are first needed, by the names of their files. */
const LATER = {
  chokidar: 'chokidar',
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
    "export { ApiError, startEmulator } from './src/index.js'\nexport { run } from './src/cli/program.js'\nexport { answerJobs } from './src/scenario/worker-reader.js'"
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
    build({ ...OPTIONS, entryPoints: LATER, outdir: 'dist/packages', alias: { fdir: require.resolve('fdir') } })
  ])
  const inputs = bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs))
  return [...new Set(inputs.flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))].sort()
}
/** The licences of packages, one after the other. */
async function licencesOf(packages) {
  const parts = packages.map(async folder => {
    const { name, version, license } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'))
    const file = (await readdir(join(ROOT, folder))).find(file => /^licen[cs]e/i.test(file))
    const text = file === undefined ? '' : await readFile(join(ROOT, folder, file), 'utf8')
    return `${name} ${version}: ${license}\n\n${text.trim()}\n`
  })
  return ['The JavaScript beside this file holds these packages.\n', ...(await Promise.all(parts))].join(`\n${'-'.repeat(80)}\n\n`)
}

/** Modules of the emulator that the build itself uses. */
async function ownModules() {
  const contents = [
    "export { problemLine, readDocument } from './src/scenario/documents.js'",
    "export { preparedName } from './src/scenario/prepared.js'",
    "export { FIXTURE_CHECKER, publishedSchema, SCENARIO_CHECKER } from './src/scenario/schemas.js'"
  ].join('\n')
  await build({ ...OPTIONS, stdin: { contents, resolveDir: ROOT, loader: 'ts' }, entryNames: 'build', packages: 'external', plugins: [atSource] })
  return require(join(DIST, 'build.js'))
}

/** Reads and checks the shipped documents and writes them as JSON. Errors: a line for each problem of one. */
async function prepareDocuments({ readDocument, problemLine, preparedName, FIXTURE_CHECKER, SCENARIO_CHECKER }) {
  const folders = { fixtures: { checkedAs: 'fixture', checker: FIXTURE_CHECKER }, scenarios: { checkedAs: 'scenario', checker: SCENARIO_CHECKER } }
  await mkdir(join(DIST, 'documents'))
  for (const [folder, { checkedAs, checker }] of Object.entries(folders)) {
    for (const file of await readdir(join(ROOT, folder))) {
      const text = await readFile(join(ROOT, folder, file), 'utf8')
      const { data } = await readDocument(file, text)
      const problems = await checker.problems(data)
      if (problems.length > 0) throw new Error(problems.map(problem => problemLine({ file, ...problem })).join('\n'))
      await writeFile(join(DIST, 'documents', preparedName(text)), JSON.stringify({ checkedAs, data }))
    }
  }
}

/** Writes the JSON Schemas that editors read (`npm run schema`). */
async function publishSchemas({ publishedSchema }) {
  for (const kind of ['fixture', 'scenario']) {
    await writeFile(join(ROOT, 'docs/schema', `${kind}.json`), `${JSON.stringify(publishedSchema(kind), null, 2)}\n`)
  }
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

/** Empties dist/ but for the types, which are declared anew only where their sources have changed. */
async function clear() {
  await mkdir(DIST, { recursive: true })
  const old = (await readdir(DIST)).filter(name => name !== 'types')
  await Promise.all(old.map(name => rm(join(DIST, name), { recursive: true })))
}

async function main() {
  const before = await inputs()
  const isSchemaWanted = process.argv.includes('--schema')
  if (!isSchemaWanted && (await readFile(INPUTS, 'utf8').catch(() => '')) === before) return
  await clear()
  const types = runNode(require.resolve('typescript/bin/tsc'), '--build', 'src/build')
  await cp(new URL('runtime', import.meta.url), DIST, { recursive: true })
  const [packages, own] = await Promise.all([bundle(), ownModules()])
  if (isSchemaWanted) await publishSchemas(own)
  await rm(join(DIST, 'build.js'))
  await writeFile(join(DIST, 'LICENCES.txt'), await licencesOf(packages))
  await prepareDocuments(own)
  await runNode('src/build/keep-code.cjs')
  await types
  await writeFile(INPUTS, before)
}

await main()
