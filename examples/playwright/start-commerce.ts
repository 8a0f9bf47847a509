/** Before all tests: one emulator for every worker, or the one that runs already at `COMMERCE_URL`. */
import { startEmulator } from 'commerce-emulator'

export default async function startCommerce() {
  if (process.env.COMMERCE_URL) return
  const emulator = await startEmulator()
  process.env.COMMERCE_URL = emulator.url
  return () => emulator.close()
}
