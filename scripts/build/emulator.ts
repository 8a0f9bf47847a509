/** What the bundle exports, for the command, for use in process and for the worker's thread. */
export { run } from '../../src/cli/program.js'
export { connect, EmulatorError, startEmulator } from '../../src/index.js'
export { runJobs } from '../../src/jobs.js'
