/** The script of the document worker. */
const { parentPort, workerData } = require('node:worker_threads')
const { answerJobs } = require('./load.js')

answerJobs(parentPort, workerData)
