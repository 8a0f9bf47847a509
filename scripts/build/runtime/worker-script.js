/** The script of the worker's thread. */
const { parentPort } = require('node:worker_threads')
const { answerJobs } = require('./emulator/load.js')

answerJobs(parentPort)
