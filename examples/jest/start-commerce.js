/** Before all tests: one emulator for every worker, or the one that runs already at `COMMERCE_URL`. */
const { startEmulator } = require('commerce-emulator')

module.exports = async () => {
  if (process.env.COMMERCE_URL) return
  globalThis.commerceEmulator = await startEmulator()
  process.env.COMMERCE_URL = globalThis.commerceEmulator.url
}
