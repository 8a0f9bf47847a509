#!/usr/bin/env node
/** The process: the version of Node.js, before anything is loaded that an older one cannot read; command line, environment, exit status. */
const { engines } = require('../package.json')

const [major, minor] = engines.node.match(/\d+/g).map(Number)
const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number)
if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  console.error(`commerce-emulator: Node.js must be ${major}.${minor} or newer; got ${process.versions.node}. Install a newer one, or run the Docker image.`)
  process.exitCode = 2
} else {
  const { run } = require('./emulator/load.js')
  run(process.argv.slice(2), process.env, process).then(status => {
    if (status !== null) process.exitCode = status
  })
}
