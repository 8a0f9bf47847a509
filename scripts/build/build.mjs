/**
 * `npm run build`: makes dist/. The emulator and the packages that every start needs are one
 * script, whose compiled code is kept beside it; packages that
 * are needed later are a file each. The shipped documents are read and checked, and the types are
 * declared.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { faker } from '@faker-js/faker/locale/en'
import { build } from 'esbuild'
import subsetFont from 'subset-font'
import { build as buildPages, minify, parseSync } from 'vite'

const require = createRequire(import.meta.url)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DIST = join(ROOT, 'dist')
/** What the build that is there was made from. */
const INPUTS = join(DIST, 'inputs.txt')
/** Packages that are loaded when they are first needed, by the names of their files. */
const LATER = {
  faker: '@faker-js/faker/locale/en',
  'light-my-request': 'light-my-request',
  lowdb: 'lowdb',
  'pino-pretty': 'pino-pretty',
  'prom-client': 'prom-client',
  re2js: 're2js',
  yaml: 'yaml'
}
/** Entries of a package that are one file. */
const MCP = [
  '@modelcontextprotocol/server/validators/cf-worker',
  '@modelcontextprotocol/server/stdio',
  '@modelcontextprotocol/server'
]
/** The parts of faker's data that generated records are drawn from. */
const DRAWN_FROM = ['company', 'food', 'internet', 'location', 'person']
/** How to load what Fastify requires at its start and this server seldom uses. */
const DEFERRED = { 'node:http2': "require('http2')", 'node:https': "require('https')" }
/** Refuses to compile a schema, which no route has. */
const NO_SCHEMAS =
  "module.exports = () => () => { throw new Error('The schemas of routes cannot be compiled here.') }"
/** The globals of Node.js, which all scripts take from one place. */
const GLOBALS = `'use strict';const {${Object.keys(require('./runtime/globals.js'))}} = require('../globals.js');`
/**
 * Modules that stand for others in the package: those are large, and nothing of them is needed; or
 * tests fake them.
 */
const STAND_INS = {
  ...Object.fromEntries(
    ['timers', 'node:timers'].flatMap(name => [
      [name, 'module.exports = nodeTimers'],
      [`${name}/promises`, 'module.exports = nodeTimersPromises']
    ])
  ),
  // npm has checked the versions of Fastify's plugins
  semver: 'exports.satisfies = () => true',
  '@fastify/ajv-compiler': NO_SCHEMAS,
  '@fastify/fast-json-stringify-compiler': NO_SCHEMAS,
  './faker-data.json': () =>
    JSON.stringify(Object.fromEntries(DRAWN_FROM.map(part => [part, faker.rawDefinitions[part]]))),
  // where none is named, ajv is used
  '@modelcontextprotocol/server/_shims': `
    export { default as process } from 'node:process'
    export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'`
}
/** The files of Swagger UI that the page of the API's documentation needs. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']
/** The pages, which are copied as they are: the server fills them in. */
const PAGES = ['index.html', 'docs.html']
/**
 * Files in which a package has its licence, the notices of others, and the licences of what it
 * holds itself.
 */
const LICENCE_FILES = /^(licen[cs]e|notice|copying)|\bbundle\.js\.LICENSE\.txt$/i
/** Characters after which a line of the script may end. */
const MIN_LINE = 160
/** A line that says who has the copyright. */
const COPYRIGHT = /^\s*copyright (\(c\)|©|\d)/i

/** @type {import('esbuild').BuildOptions} */
const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // otherwise a regular expression with \p is compiled each time it is used
  supported: { 'regexp-unicode-property-escapes': true },
  format: 'cjs',
  legalComments: 'none',
  define: { 'process.nextTick': 'nextTick' },
  metafile: true,
  logLevel: 'warning'
}

/** @type {import('esbuild').Plugin} */
const deferred = {
  name: 'deferred',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: filterOf(DEFERRED) }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: 'deferred' } : undefined
    )
    onLoad({ filter: /.*/, namespace: 'deferred' }, ({ path }) => ({
      contents: `module.exports = require('./deferred.cjs')(() => ${DEFERRED[path]})`,
      resolveDir: import.meta.dirname
    }))
  }
}

/** @type {import('esbuild').Plugin} */
const standIns = {
  name: 'stand-ins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: filterOf(STAND_INS) }, ({ path }) => ({ path, namespace: 'stand-in' }))
    onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => {
      const contents = STAND_INS[path]
      return typeof contents === 'string'
        ? { contents, resolveDir: import.meta.dirname }
        : { contents: contents(), loader: 'json' }
    })
  }
}

/** The modules that a table names. */
const filterOf = table => new RegExp(`^(${Object.keys(table).join('|')})$`)

/**
 * A script without white space and with short names, but those of functions and classes, so that
 * stack traces can be read; in ASCII, as it is loaded.
 */
async function minified(script) {
  const { code } = await minify('emulator.js', script, {
    compress: false,
    mangle: { keepNames: true },
    codegen: true
  })
  return inLines(code).replace(
    /[^\0-\x7f]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
}

/**
 * Breaks a script into lines before statements, methods and properties: Node.js prints the whole
 * line that an error comes from.
 */
function inLines(script) {
  const starts = []
  const visit = node => {
    if (/(?<!Block)Statement$|Declaration$|^(MethodDefinition|Property)$/.test(node?.type))
      starts.push(node.start)
    if (typeof node === 'object' && node !== null)
      for (const part of Object.values(node)) visit(part)
  }
  visit(parseSync('emulator.js', script, { sourceType: 'script' }).program)
  const lines = []
  let begin = 0
  for (const start of starts.sort((a, b) => a - b)) {
    if (start - begin < MIN_LINE) continue
    lines.push(script.slice(begin, start))
    begin = start
  }
  return [...lines, script.slice(begin)].join('\n')
}

/** Bundles the emulator, and each of the other packages. Returns the folders of all packages. */
async function bundle() {
  const bundles = await Promise.all([
    build({
      ...OPTIONS,
      entryPoints: ['scripts/build/emulator.ts'],
      outdir: 'dist/emulator',
      alias: Object.fromEntries(
        [...Object.entries(LATER), ...MCP.map(name => ['mcp', name])].map(([file, name]) => [
          name,
          `../packages/${file}.js`
        ])
      ),
      external: ['../packages/*'],
      plugins: [deferred, standIns],
      supported: { ...OPTIONS.supported, 'dynamic-import': false },
      // `load.js` calls it with these; a source that asks for its address lies as deep in src/ as
      // this script in dist/
      banner: { js: `(function (exports, require, module, BUNDLE_URL) {${GLOBALS}` },
      footer: { js: '})' },
      define: { ...OPTIONS.define, 'import.meta.url': 'BUNDLE_URL' },
      minifySyntax: true
    }),
    build({
      ...OPTIONS,
      entryPoints: {
        ...LATER,
        faker: './scripts/build/faker.mjs',
        mcp: './scripts/build/mcp.mjs'
      },
      outdir: 'dist/packages',
      banner: { js: GLOBALS },
      minify: true,
      plugins: [standIns]
    })
  ])
  const emulator = join(DIST, 'emulator/emulator.js')
  await writeFile(emulator, await minified(await readFile(emulator, 'utf8')))
  const inputs = bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs))
  return [
    ...new Set(inputs.flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))
  ].sort()
}

/** Writes a file that browsers load, compressed as the server sends it. */
async function writeCompressed(path, content) {
  await writeFile(
    `${path}.br`,
    await promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
  )
}

/**
 * Copies the files of Swagger UI, without the addresses of source maps, which are not there.
 * Returns the folder of the package.
 */
async function copySwagger() {
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'))
  await mkdir(join(DIST, 'swagger-ui'))
  const copies = SWAGGER_FILES.map(async file => {
    const bytes = await readFile(join(folder, file))
    const isText = /\.(js|css)$/.test(file)
    await writeCompressed(
      join(DIST, 'swagger-ui', file),
      isText ? bytes.toString('utf8').replace(/\n\/[/*]# sourceMappingURL=.*\s*$/, '\n') : bytes
    )
  })
  await Promise.all(copies)
  return relative(ROOT, folder)
}

/** What the fonts of the console are cut down to: Latin-1, and the signs that it shows. */
const LETTERS = `${String.fromCharCode(...Array(0x100).keys()).slice(0x20)}‘’“”–—…·•×→←✓✗€`
const subsetOf = (fileName, source) =>
  subsetFont(Buffer.from(source), LETTERS, {
    targetFormat: 'woff2',
    ...(fileName.startsWith('inter')
      ? { variationAxes: { wght: { min: 400, max: 600 } } }
      : { noLayoutClosure: true })
  })

/**
 * Builds the browser files: the console, and what starts the page of the API's documentation.
 * Returns the folders of the packages that they hold.
 */
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
      write: false,
      target: 'es2022',
      cssTarget: 'chrome123',
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        checks: { pluginTimings: false },
        input: { console: join(root, 'main.tsx'), docs: join(root, 'docs/start.ts') },
        output: {
          entryFileNames: '[name].js',
          // a view is named by its folder
          chunkFileNames: ({ facadeModuleId }) =>
            `${facadeModuleId ? basename(dirname(facadeModuleId)) : '[name]'}-[hash].js`,
          assetFileNames: ({ names: [name = ''] }) =>
            name.endsWith('.woff2') ? '[name]-[hash].woff2' : 'console[extname]'
        }
      }
    }
  })
  const folder = join(DIST, 'console')
  await mkdir(folder)
  const icon = { fileName: 'icon.svg', source: await readFile(join(root, 'icon.svg')) }
  await Promise.all(
    [...output, icon].map(async ({ fileName, code, source }) =>
      writeCompressed(
        join(folder, fileName),
        fileName.endsWith('.woff2') ? await subsetOf(fileName, source) : (code ?? source)
      )
    )
  )
  for (const page of PAGES) await cp(join(root, page), join(folder, page))
  return output
    .flatMap(({ moduleIds = [], originalFileNames = [] }) => [
      ...moduleIds,
      ...originalFileNames.map(file => join(root, file))
    ])
    .flatMap(id => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relative(ROOT, id)) ?? [])
}

/**
 * The licences of packages, each text once, after the packages that are under it and their
 * copyright.
 */
async function licencesOf(packages) {
  const licences = new Map()
  for (const folder of packages) {
    const { name, version, license, author } = await manifestOf(folder)
    const files = (await readdir(join(ROOT, folder)))
      .filter(file => LICENCE_FILES.test(file))
      .sort()
    const texts = await Promise.all(files.map(file => readFile(join(ROOT, folder, file), 'utf8')))
    if (texts.length === 0) texts.push(`Copyright (c) ${author.name ?? author}`)
    for (const text of texts) {
      const lines = text.split(/\r?\n/)
      const others = lines.filter(line => !COPYRIGHT.test(line)).join('\n')
      const words = others.replace(/\s+/g, ' ').trim()
      const licence = licences.get(words) ?? { packages: [], text: others.trim() }
      licences.set(words, licence)
      licence.packages.push(
        `${name} ${version}: ${license}`,
        ...lines.filter(line => COPYRIGHT.test(line)).map(line => `  ${line.trim()}`)
      )
    }
  }
  const parts = [...licences.values()].map(
    ({ packages, text }) => `${packages.join('\n')}\n\n${text}\n`
  )
  return ['The JavaScript beside this file holds these packages.\n', ...parts].join(
    `\n${'-'.repeat(80)}\n\n`
  )
}

const manifestOf = async folder =>
  JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'))

/** The packages as a CycloneDX SBOM, by which scanners know them. */
async function sbomOf(packages) {
  const componentOf = (type, { name, version, license }) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
    const [group, own] = name.startsWith('@') ? name.split('/') : [undefined, name]
    const licences = [/ /.test(license) ? { expression: license } : { license: { id: license } }]
    return { type, 'bom-ref': purl, group, name: own, version, licenses: licences, purl }
  }
  const component = componentOf('application', await manifestOf('.'))
  const manifests = await Promise.all(packages.map(manifestOf))
  const all = manifests.map(manifest => componentOf('library', manifest))
  // two folders can hold the same version of a package
  const components = [...new Map(all.map(one => [one.purl, one])).values()]
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component },
    components,
    dependencies: [{ ref: component.purl, dependsOn: components.map(({ purl }) => purl) }]
  }
}

/** Runs another part of the build in a process of its own. */
async function runPart(...args) {
  const [status] = await once(
    spawn(process.execPath, args, {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'ignore', 'inherit']
    }),
    'close'
  )
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
}

/** What a build depends on, as a text that is another one whenever any of it has changed. */
async function inputs() {
  const folders = ['src', 'scripts', 'fixtures', 'scenarios']
  const inFolders = folders.map(async folder =>
    (await readdir(join(ROOT, folder), { recursive: true })).map(file => join(folder, file))
  )
  const files = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    ...(await Promise.all(inFolders)).flat().sort()
  ]
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
  const types = runPart('--import', 'tsx', '../docs/write.ts', 'types').then(() =>
    runPart('declare.mjs')
  )
  const parts = [types, runPart('--import', 'tsx', 'documents.ts')]
  const [folders] = await Promise.all([
    Promise.all([bundle(), copySwagger(), browserFiles()]),
    ...parts
  ])
  const packages = [...new Set(folders.flat())]
  await writeFile(join(DIST, 'LICENCES.txt'), await licencesOf(packages))
  await writeFile(
    join(DIST, 'sbom.cdx.json'),
    `${JSON.stringify(await sbomOf(packages), null, 2)}\n`
  )
  await runPart('keep-code.cjs')
  await writeFile(INPUTS, before)
}
