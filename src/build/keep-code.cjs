/** Starts the built emulator, and keeps the code that V8 has compiled for that. */
const { writeFileSync } = require('node:fs')
const { CODE, run, script } = require('../../dist/load.js')

const write = text => {
  if (!/ready on/.test(text)) return
  writeFileSync(CODE, script.createCachedData())
  process.exit()
}
run(['--port', '0', '--log-level', 'silent'], {}, { stdout: { write }, stderr: process.stderr })
