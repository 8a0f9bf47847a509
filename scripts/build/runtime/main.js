#!/usr/bin/env node
/** The process: command line, environment, exit status. */
const { problem } = require('./node-version.js')

if (problem !== null) {
  console.error(problem)
  process.exitCode = 2
} else {
  const { run } = require('./emulator/load.js')
  run(process.argv.slice(2), process.env, process).then(status => {
    if (status !== null) process.exitCode = status
  })
}
