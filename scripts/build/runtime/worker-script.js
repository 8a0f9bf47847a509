/** The script of the worker's thread. */
const { parentPort } = require('node:worker_threads')
const { runJobs } = require('./emulator/load.js')

runJobs(parentPort)
