import { connect, type Emulator, EmulatorError, type Scenario, type StartOptions, startEmulator } from 'commerce-emulator'

const scenario: Scenario = { fixtures: ['bistro'], script: [{ on: 'POST /transactions', respond: { status: 402 } }] }
const options: StartOptions = { scenario, settings: { 'pagination.max_limit': 5, pagination: { order: 'oldest_first' } } }

export async function typed(url?: string): Promise<number> {
  await using emulator: Emulator = url === undefined ? await startEmulator(options) : await connect({ url })
  await emulator.clock.advance('1h')
  const { tickets = [] } = await emulator.state()
  return tickets.length
}

export function codeOf(error: unknown): string {
  return error instanceof EmulatorError ? error.code : 'none'
}

// @ts-expect-error a setting has its own words
export const wrong: StartOptions = { settings: { 'pagination.order': 'sideways' } }
// @ts-expect-error no setting is called so
export const unknown: StartOptions = { settings: { 'pagination.ordre': 'oldest_first' } }
