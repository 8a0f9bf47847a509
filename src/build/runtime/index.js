/** The package for in-process use. */
const { ApiError, startEmulator } = require('./load.js')

exports.ApiError = ApiError
exports.startEmulator = startEmulator
