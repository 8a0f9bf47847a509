/** Uses the installed package with `require()`. Prints what came of it as JSON. */
const { ApiError, startEmulator } = require('commerce-emulator')

async function main() {
  const { call } = await import('./call.mjs')
  const emulator = await startEmulator()
  const status = await call(emulator.baseUrl, 'sk_test_merchant')
  await emulator.close()
  const refused = await startEmulator({ settings: { 'pagination.max_limit': 'many' } }).catch(error => [error instanceof ApiError, error.message])
  process.stdout.write(JSON.stringify({ status, refused }))
}

void main()
