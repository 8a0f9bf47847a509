/** The package for in-process use. */
const { problem } = require('./node-version.js')

if (problem !== null) throw new Error(problem)
const { connect, EmulatorError, startEmulator } = require('./emulator/load.js')

exports.connect = connect
exports.EmulatorError = EmulatorError
exports.startEmulator = startEmulator
