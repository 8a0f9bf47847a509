/** The built command in a separate process on a free port. */
import { OWN_ENVIRONMENT, started } from '../endurance/support/emulator.js'

export { OWN_ENVIRONMENT }

/** Its address, and a function that sends SIGTERM and returns the exit code or signal. */
export async function startBuiltCommand(args: readonly string[] = []) {
  const { port, end } = await started(args)
  return { baseUrl: `http://localhost:${port}/next`, stop: () => end('SIGTERM') }
}
