/**
 * The package: an emulator in the process of a test, or a connection to one that runs elsewhere;
 * the same object either way.
 */
/// <reference lib="esnext.disposable" preserve="true" />
export { type ConnectOptions, connect } from './client/connect.js'
export type * from './client/documents.js'
export type { Emulator } from './client/emulator.js'
export { EmulatorError, type ErrorCode } from './client/error.js'
export type * from './client/options.js'
export { type EmulatorOptions, type Logger, type LogLine, startEmulator } from './in-process.js'
