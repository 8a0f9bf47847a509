/**
 * Runs the script of the emulator from the code that V8 compiled when it was built. V8 refuses code
 * of another version and compiles the script again; so
 * that none of another processor is given to it, the file is named after both.
 */
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { runInThisContext, Script } = require('node:vm')

const FILE = join(__dirname, 'emulator.js')
/** Where the compiled code is kept. */
const CODE = join(__dirname, `emulator-${process.version}-${process.arch}.code`)

function keptCode() {
  try {
    return readFileSync(CODE)
  } catch {
    return undefined
  }
}

const source = readFileSync(FILE, 'latin1')
if (runInThisContext('Object') === Object) {
  const script = new Script(source, { filename: FILE, cachedData: keptCode() })
  script.runInThisContext()(exports, require, module, pathToFileURL(FILE).href)
  Object.assign(module.exports, { script, CODE })
} else {
  // Jest runs each test file in a context of its own; objects of the emulator have to be instances
  // of that context's classes
  new Function(`return ${source}\n//# sourceURL=${FILE}`)()(
    exports,
    require,
    module,
    pathToFileURL(FILE).href
  )
}
