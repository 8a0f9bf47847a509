import {
  connect,
  type Emulator,
  EmulatorError,
  type EmulatorOptions,
  type Scenario,
  startEmulator
} from 'commerce-emulator'

const scenario: Scenario = {
  fixtures: ['bistro'],
  script: [{ on: 'POST /transactions', respond: { status: 402 } }]
}
const options: EmulatorOptions = {
  scenario,
  settings: { 'pagination.max_limit': 5, pagination: { order: 'oldest_first' } }
}

export async function typed(url?: string): Promise<number> {
  await using emulator: Emulator =
    url === undefined ? await startEmulator(options) : await connect({ url })
  await emulator.clock.advance('1h')
  const { tickets = [] } = await emulator.state()
  return tickets.length
}

export function codeOf(error: unknown): string {
  return error instanceof EmulatorError ? error.code : 'none'
}

// @ts-expect-error the setting has fixed values
export const wrong: EmulatorOptions = { settings: { 'pagination.order': 'sideways' } }
// @ts-expect-error no setting has this name
export const unknown: EmulatorOptions = { settings: { 'pagination.ordre': 'oldest_first' } }
