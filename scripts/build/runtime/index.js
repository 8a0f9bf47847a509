/** The package for in-process use. */
const { problem } = require('./node-version.js')

if (problem !== null) throw new Error(problem)
// a bundle of ES modules has no __dirname, and no require
if (
  typeof __dirname === 'undefined' ||
  !require('node:fs').existsSync(`${__dirname}/emulator/emulator.js`)
)
  throw new Error(
    'commerce-emulator cannot be bundled, since it reads files of its folder. Mark it external, as with esbuild --external:commerce-emulator.'
  )
const { connect, EmulatorError, startEmulator } = require('./emulator/load.js')

exports.connect = connect
exports.EmulatorError = EmulatorError
exports.startEmulator = startEmulator
