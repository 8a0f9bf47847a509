/**
 * Uses the package in process while timers are faked: by `node:test`, or with every global that a
 * test runner or browser environment replaces, including modules.
 */
import { mock } from 'node:test'
import timers from 'node:timers'
import promises from 'node:timers/promises'

const [, , dist, by] = process.argv
const { connect, startEmulator } = await import(dist)

const never = () => 0
const faked = [
  'setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate queueMicrotask',
  'AbortController AbortSignal TextEncoder TextDecoder URL URLSearchParams MessageChannel Date',
  'Buffer fetch performance structuredClone Uint8Array'
]
  .join(' ')
  .split(' ')
if (by === 'node:test') mock.timers.enable()
else {
  for (const name of faked) globalThis[name] = never
  // Sinon
  process.nextTick = never
  for (const module of [timers, promises]) {
    for (const name of Object.keys(module)) if (name.startsWith('set')) module[name] = never
  }
}

const emulator = await startEmulator()
await emulator.script.add({ on: 'GET /tickets', delay: '20ms' })
const { status } = await emulator.inject('GET /tickets')
await emulator.snapshot('a')
await emulator.restore('a')
await emulator.reset()
const unmet = await emulator
  .verify({ on: 'GET /tickets', times: 1, within: '20ms' })
  .catch(({ code }) => code)
const connected = await connect({ url: emulator.url })
const made = await connected.inject('POST /locations', {
  body: { display_name: 'é', address: { country: 'US' } }
})
await connected.close()
const { data } = await emulator.requests()
await emulator.close()
console.log(
  [
    status,
    unmet,
    made.status,
    made.body.display_name,
    data[0].answered,
    process.nextTick === never
  ].join()
)
