// Packages of many modules, loaded as few: each module that passes through the loaders of a test costs it a millisecond or more.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'

const require = createRequire(import.meta.url)
const FOLDER = new URL('../../.tap/', import.meta.url)
/** `require` reads the modules of tap past the loaders; the others are bundled. */
const PACKAGES = { tap: () => ({ url: String(pathToFileURL(require.resolve('tap'))), format: 'commonjs' }), typebox: bundled }

/** A package as one module, made when it is not there yet. */
function bundled(name) {
  const { version } = JSON.parse(readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), 'utf8'))
  const file = new URL(`${name}-${version}.mjs`, FOLDER)
  if (!existsSync(file)) {
    const own = new URL(`${name}-${randomUUID()}.mjs`, FOLDER)
    mkdirSync(FOLDER, { recursive: true })
    buildSync({
      stdin: { contents: `export * from '${name}'\nexport { default } from '${name}'`, resolveDir: fileURLToPath(FOLDER) },
      outfile: fileURLToPath(own),
      bundle: true,
      platform: 'node',
      format: 'esm'
    })
    renameSync(own, file)
  }
  return { url: String(file), format: 'module' }
}

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, nextResolve) {
  return Object.hasOwn(PACKAGES, specifier) ? { ...PACKAGES[specifier](specifier), shortCircuit: true } : nextResolve(specifier, context)
}
