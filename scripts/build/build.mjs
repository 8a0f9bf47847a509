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
  lowdb: 'lowdb',
  open: 'open',
  'pino-pretty': 'pino-pretty',
  'prom-client': 'prom-client',
  re2js: 're2js',
  semver: 'semver',
  tinyglobby: 'tinyglobby',
  'vscode-jsonrpc': 'vscode-jsonrpc/node.js',
  yaml: 'yaml'
}
/** Two entries of a package that are one file. */
const MCP = ['@modelcontextprotocol/server/stdio', '@modelcontextprotocol/server']
/** How to load what Fastify requires at its start and this server seldom or never uses. */
const DEFERRED = {
  'node:http2': "require('http2')",
  'node:https': "require('https')",
  semver: "require('../packages/semver.js')",
  '@fastify/ajv-compiler': "require('../packages/schema-compilers.js').validators",
  '@fastify/fast-json-stringify-compiler': "require('../packages/schema-compilers.js').serializers"
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
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning'
}

/** @type {import('esbuild').Plugin} */
const deferred = {
  name: 'deferred',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(${Object.keys(DEFERRED).join('|')})$`) }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: 'deferred' } : undefined
    )
    onLoad({ filter: /.*/, namespace: 'deferred' }, ({ path }) => ({
      contents: `module.exports = require('./deferred.cjs')(() => ${DEFERRED[path]})`,
      resolveDir: import.meta.dirname
    }))
  }
}

/** Bundles the emulator, and each of the other packages. Returns the folders of all packages. */
async function bundle() {
  const bundles = await Promise.all([
    build({
      ...OPTIONS,
      entryPoints: ['scripts/build/emulator.ts'],
      outdir: 'dist/emulator',
      alias: Object.fromEntries([...Object.entries(LATER), ...MCP.map(name => ['mcp', name])].map(([file, name]) => [name, `../packages/${file}.js`])),
      external: ['../packages/*'],
      plugins: [deferred],
      supported: { 'dynamic-import': false },
      // `load.js` calls it with these; a source that asks for its address lies as deep in src/ as this script in dist/
      banner: { js: '(function (exports, require, module, BUNDLE_URL) {' },
      footer: { js: '})' },
      define: { 'import.meta.url': 'BUNDLE_URL' },
      // names stay, so that stack traces can be read
      minifySyntax: true,
      minifyWhitespace: true,
      lineLimit: 160
    }),
    // the module of fdir that an import gets asks for its own address, which a bundle does not have
    build({
      ...OPTIONS,
      entryPoints: {
        ...LATER,
        open: './scripts/build/open.cjs',
        'schema-compilers': './scripts/build/schema-compilers.cjs',
        mcp: './scripts/build/mcp.mjs'
      },
      outdir: 'dist/packages',
      minify: true,
      alias: { fdir: require.resolve('fdir') }
    })
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
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: join(DIST, 'console'),
      emptyOutDir: true,
      target: 'es2022',
      cssTarget: 'chrome123',
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
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

/** Runs another part of the build in a process of its own. */
async function runPart(...args) {
  const [status] = await once(spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'inherit'] }), 'close')
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
}

/** What a build depends on, as a text that is another one whenever any of it has changed. */
async function inputs() {
  const folders = ['src', 'scripts', 'fixtures', 'scenarios']
  const inFolders = folders.map(async folder => (await readdir(join(ROOT, folder), { recursive: true })).map(file => join(folder, file)))
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', ...(await Promise.all(inFolders)).flat().sort()]
  const lines = files.map(async file => {
    const { size, mtimeMs } = await stat(join(ROOT, file))
    return `${file} ${size} ${mtimeMs}`
  })
  return [process.version, process.arch, ...(await Promise.all(lines))].join('\n')
}

const before = await inputs()
if ((await readFile(INPUTS, 'utf8').catch(() => '')) !== before) {
  console.error('Building commerce-emulator; this takes a few seconds.')
  await rm(DIST, { recursive: true, force: true })
  await cp(new URL('runtime', import.meta.url), DIST, { recursive: true })
  const types = runPart('--import', 'tsx', '../docs/write.ts', 'types').then(() => runPart('declare.mjs'))
  const parts = [types, runPart('--import', 'tsx', 'documents.ts')]
  const [packages] = await Promise.all([Promise.all([bundle(), copySwagger(), browserFiles()]), ...parts])
  await writeFile(join(DIST, 'LICENCES.txt'), await licencesOf([...new Set(packages.flat())]))
  await runPart('keep-code.cjs')
  await writeFile(INPUTS, before)
}
