// Loads TypeScript from a compiled copy, made once for each version of a file. Its source map has the
// source text, which coverage needs. Packages are loaded as one module.
import { createHash, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)
const ROOT = new URL('../../', import.meta.url)
const FOLDER = new URL('.tap/compiled/', ROOT)
mkdirSync(FOLDER, { recursive: true })
/** `require` loads tap's modules without the loaders; other modules are bundled. */
const PACKAGES = {
  tap: () => ({ url: String(pathToFileURL(require.resolve('tap'))), format: 'commonjs' }),
  typebox: bundled
}

function writtenAt(file) {
  const time = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  return time && Math.round(time)
}

/** A copy of a source, made unless it is as old; another process may make it meanwhile. */
function copyOf(source, name, make) {
  const copy = new URL(name, FOLDER)
  const time = writtenAt(source)
  if (writtenAt(copy) !== time) {
    const own = new URL(randomUUID(), FOLDER)
    writeFileSync(own, make())
    utimesSync(own, time / 1000, time / 1000)
    renameSync(own, copy)
  }
  return copy
}

function bundled(name) {
  const manifest = new URL(`node_modules/${name}/package.json`, ROOT)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const file = copyOf(manifest, `${name}-${version}.mjs`, () => {
    const contents = `export * from '${name}'\nexport { default } from '${name}'`
    const { buildSync } = require('esbuild')
    const { outputFiles } = buildSync({
      stdin: { contents, resolveDir: fileURLToPath(ROOT) },
      write: false,
      bundle: true,
      platform: 'node',
      format: 'esm'
    })
    return outputFiles[0].text
  })
  return { url: String(file), format: 'module' }
}

export function compiled(url, text) {
  const { transformSync } = require('esbuild')
  const loader = url.endsWith('x') ? 'tsx' : 'ts'
  const options = {
    loader,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: 'node20.19',
    format: 'esm',
    tsconfigRaw: '{}'
  }
  return transformSync(text, { ...options, sourcemap: 'inline', sourcefile: url }).code
}

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
  if (Object.hasOwn(PACKAGES, specifier))
    return { ...PACKAGES[specifier](specifier), shortCircuit: true }
  const source = sourceOf(specifier, context.parentURL)
  return source === null
    ? nextResolve(specifier, context)
    : { url: String(source), format: 'module', shortCircuit: true }
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  const [file] = url.split('?')
  if (!/^file:.*\.m?tsx?$/.test(file)) return nextLoad(url, context)
  const name = `${createHash('sha1').update(file).digest('hex')}.mjs`
  const copy = copyOf(new URL(file), name, () =>
    compiled(file, readFileSync(new URL(file), 'utf8'))
  )
  return { format: 'module', source: readFileSync(copy), shortCircuit: true }
}
