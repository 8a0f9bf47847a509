#!/usr/bin/env node
/** The process: command line, environment, exit status. */
import { run } from './cli/program.js'

const status = await run(process.argv.slice(2), process.env, process)
if (status !== null) process.exitCode = status
