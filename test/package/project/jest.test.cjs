const { afterAll, beforeAll, expect, test } = require('@jest/globals')
const { startEmulator } = require('commerce-emulator')

let emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())

test('a call is answered', async () => {
  const answer = await fetch(`${emulator.baseUrl}/locations?limit=1`, {
    headers: { authorization: `Basic ${btoa(`${emulator.key}:`)}` }
  })
  expect(answer.status).toBe(200)
})

test('objects and errors are instances of the classes that the test sees', async () => {
  expect(await emulator.state()).toBeInstanceOf(Object)
  const error = await startEmulator({ settings: { pagination: { max_limit: 'many' } } }).catch(
    error => error
  )
  expect(error).toBeInstanceOf(Error)
})
