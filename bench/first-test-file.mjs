/**
 * A test file as of a client: PACKAGE is the module of the package, or CONTROL that of the control;
 * it starts there, and makes a call.
 */
import { strictEqual } from 'node:assert'
import test from 'node:test'

const { PACKAGE, CONTROL } = process.env

async function start() {
  if (CONTROL !== undefined) {
    const { address, close } = await import(CONTROL)
    return { url: `${address}/next/transactions?limit=1`, close }
  }
  const { startEmulator } = await import(PACKAGE)
  const { baseUrl, close } = await startEmulator()
  return { url: `${baseUrl}/transactions?limit=1`, close }
}

test('a list is answered', async () => {
  const { url, close } = await start()
  const { status } = await fetch(url, {
    headers: { authorization: `Basic ${btoa('sk_test_merchant:')}` }
  })
  strictEqual(status, 200)
  await close()
})
