import { startEmulator } from 'commerce-emulator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from './call.mjs'

let emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())

test('a call is answered', async () => {
  expect(await call(emulator.baseUrl, emulator.key)).toBe(200)
})
