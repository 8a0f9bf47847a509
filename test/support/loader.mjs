// Loads TypeScript from a compiled copy, which is made once for each state of a file: a module that tests load costs them one read. Its source map has the text of
// the source, without which coverage sees no line of it. Packages of many modules are loaded as few, for the same reason.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)
const ROOT = new URL('../../', import.meta.url)
const FOLDER = new URL('.tap/compiled/', ROOT)
mkdirSync(FOLDER, { recursive: true })
/** `require` reads the modules of tap past the loaders; the others are bundled. */
const PACKAGES = { tap: () => ({ url: String(pathToFileURL(require.resolve('tap'))), format: 'commonjs' }), typebox: bundled }

/** A file that is made when it is not there yet; another process may make it meanwhile. */
function made(name, make) {
  const file = new URL(name, FOLDER)
  if (!existsSync(file)) {
    const own = new URL(`${randomUUID()}.mjs`, FOLDER)
    writeFileSync(own, make())
    renameSync(own, file)
  }
  return file
}

/** A package as one module. */
function bundled(name) {
  const { version } = JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, ROOT), 'utf8'))
  const file = made(`${name}-${version}.mjs`, () => {
    const contents = `export * from '${name}'\nexport { default } from '${name}'`
    const { buildSync } = require('esbuild')
    const { outputFiles } = buildSync({ stdin: { contents, resolveDir: fileURLToPath(ROOT) }, write: false, bundle: true, platform: 'node', format: 'esm' })
    return outputFiles[0].text
  })
  return { url: String(file), format: 'module' }
}

function compiled(url) {
  const file = new URL(url)
  const path = fileURLToPath(file)
  const { mtimeMs } = statSync(file)
  const name = `${path.slice(fileURLToPath(ROOT).length).replaceAll('/', '-')}-${mtimeMs}.mjs`
  return made(name, () => {
    const { transformSync } = require('esbuild')
    const { code } = transformSync(readFileSync(file, 'utf8'), {
      loader: path.endsWith('x') ? 'tsx' : 'ts',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      target: 'node20.19',
      format: 'esm',
      sourcemap: 'inline',
      sourcefile: url,
      tsconfigRaw: '{}'
    })
    return code
  })
}

/** The source of what a module imports by the name that its compiled file would have. */
function sourceOf(specifier, parent) {
  if (!/^(\.|file:).*\.js(\?|$)/.test(specifier)) return null
  const url = new URL(specifier, parent)
  if (url.pathname.includes('/node_modules/')) return null
  for (const ending of ['.ts', '.tsx']) {
    const source = new URL(url)
    source.pathname = url.pathname.replace(/\.js$/, ending)
    if (existsSync(source)) return source
  }
  return null
}

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, nextResolve) {
  if (Object.hasOwn(PACKAGES, specifier)) return { ...PACKAGES[specifier](specifier), shortCircuit: true }
  const source = sourceOf(specifier, context.parentURL)
  return source === null ? nextResolve(specifier, context) : { url: String(source), format: 'module', shortCircuit: true }
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!/^file:.*\.tsx?(\?|$)/.test(url)) return nextLoad(url, context)
  return { format: 'module', source: readFileSync(compiled(url.replace(/\?.*$/, ''))), shortCircuit: true }
}
