/**
 * What is measured in one run: the control, the emulator of this checkout, that of another one, and
 * peers.
 */
import { answersOf, begin, CALLS } from './calls.mjs'
import { writeDocument } from './files.mjs'
import { ROOT, startControl, startEmulator } from './servers.mjs'

/** An id as long as those of the emulator, for the control, which keeps no state. */
const ANY_ID = `txn_${'0'.repeat(24)}`

/**
 * A target is a server that can be started, by options of `servers.mjs`, with the calls it can
 * answer.
 * `begin` returns it to its first state and returns the id of a Transaction to refund.
 */
export const CONTROL = {
  name: 'control',
  start: startControl,
  calls: CALLS,
  begin: async () => ANY_ID
}

/** The emulator of a checkout. */
const emulatorIn = (name, dir) => ({
  name,
  dir,
  start: options => startEmulator({ dir, ...options }),
  calls: CALLS,
  begin
})

/** The emulators of a run, that of this checkout first. */
export const emulatorsOf = before => [
  emulatorIn('emulator', ROOT),
  ...(before ? [emulatorIn('before', before)] : [])
]

/** The control with the answers of an emulator. */
export async function controlLike({ start }) {
  const { port, stop } = await start()
  const data = writeDocument('answers.json', await answersOf(port))
  await stop()
  return { ...CONTROL, options: { data } }
}
