/** Uses the installed package with `require()`. Prints what came of it as JSON. */
const { EmulatorError, startEmulator } = require('commerce-emulator')

async function main() {
  const { call } = await import('./call.mjs')
  const emulator = await startEmulator()
  const status = await call(emulator.baseUrl, emulator.key)
  await emulator.close()
  const refused = await startEmulator({ settings: { pagination: { max_limit: 'many' } } }).catch(
    error => [error instanceof EmulatorError, error.code]
  )
  process.stdout.write(JSON.stringify({ status, refused }))
}

void main()
