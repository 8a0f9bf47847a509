/** The script of the worker's thread, where the sources are run as they are. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { runJobs } from './jobs.js'

runJobs(parentPort as MessagePort)
