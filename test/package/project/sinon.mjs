import { deepStrictEqual } from 'node:assert'
import { startEmulator } from 'commerce-emulator'
import sinon from 'sinon'

const clock = sinon.useFakeTimers()
const emulator = await startEmulator()
const { status } = await emulator.inject('GET /tickets')
const verdict = await emulator.verify({ on: 'GET /tickets', times: 1 })
await emulator.reset()
const { data } = await emulator.requests()
await emulator.close()
clock.restore()
deepStrictEqual([status, verdict.holds, data], [200, true, []])
