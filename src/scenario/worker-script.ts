/** The script of the document worker, where the sources are run as they are. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { answerJobs } from './worker-reader.js'

answerJobs(parentPort as MessagePort, workerData)
