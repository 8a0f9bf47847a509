/** Uses the installed package as an ES module. Prints the results as JSON. */
import { EmulatorError, startEmulator } from 'commerce-emulator'
import { call } from './call.mjs'

const emulator = await startEmulator()
const status = await call(emulator.baseUrl, emulator.key)
await emulator.close()
const refused = await startEmulator({ settings: { pagination: { max_limit: 'many' } } }).catch(
  error => [error instanceof EmulatorError, error.code]
)
process.stdout.write(JSON.stringify({ status, refused }))
