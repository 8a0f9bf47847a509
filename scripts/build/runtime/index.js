/** The package for in-process use. */
const { connect, EmulatorError, startEmulator } = require('./emulator/load.js')

exports.connect = connect
exports.EmulatorError = EmulatorError
exports.startEmulator = startEmulator
