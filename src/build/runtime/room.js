/** The script of the reading room's worker. */
const { parentPort, workerData } = require('node:worker_threads')
const { answerJobs } = require('./load.js')

answerJobs(parentPort, workerData)
