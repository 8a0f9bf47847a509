import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startEmulator } from 'commerce-emulator'
import { call } from './call.mjs'

let emulator
before(async () => {
  emulator = await startEmulator()
})
after(() => emulator.close())

test('a call is answered', async () => {
  assert.equal(await call(emulator.baseUrl, emulator.key), 200)
})
