/** The script of the reading room's worker, where the sources are run as they are. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { answerJobs } from './room-reader.js'

answerJobs(parentPort as MessagePort, workerData)
