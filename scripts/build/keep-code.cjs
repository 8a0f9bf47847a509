/**
 * Starts the built emulator, makes a few calls, and keeps the code that V8 has compiled for that.
 */
const { writeFileSync } = require('node:fs')
const { CODE, run, script } = require('../../dist/emulator/load.js')

const KEY = { authorization: `Basic ${Buffer.from('sk_test_merchant:').toString('base64')}` }
const PAYMENT = new URLSearchParams({
  ticket: 'tkt_60',
  payment_type: 'card',
  amount: '100',
  'card[last4]': '4242'
})

async function callAndKeep(baseUrl) {
  await fetch(`${baseUrl}/../_control/health`)
  await fetch(`${baseUrl}/locations?limit=1`, { headers: KEY })
  await fetch(`${baseUrl}/transactions`, { method: 'POST', headers: KEY, body: PAYMENT })
  writeFileSync(CODE, script.createCachedData())
  process.exit()
}

const write = text => {
  const [, baseUrl] = /ready on (\S+)/.exec(text) ?? []
  if (baseUrl) void callAndKeep(baseUrl)
}
run(
  ['--port', '0', '--log-level', 'silent'],
  {},
  { stdout: { write, on: () => {} }, stderr: process.stderr }
)
