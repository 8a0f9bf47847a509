/** After all tests: stops the emulator that was started for them. */
module.exports = () => globalThis.commerceEmulator?.close()
