#!/usr/bin/env node
/** The process: command line, environment, exit status. */
const { run } = require('./emulator/load.js')

run(process.argv.slice(2), process.env, process).then(status => {
  if (status !== null) process.exitCode = status
})
