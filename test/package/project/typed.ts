import { ApiError, type EmulatorOptions, startEmulator } from 'commerce-emulator'

const options: EmulatorOptions = { scenario: 'default', settings: { 'pagination.max_limit': 5, 'pagination.order': 'oldest_first' } }

export async function typed(): Promise<string> {
  const emulator = await startEmulator(options)
  try {
    return emulator.baseUrl
  } finally {
    await emulator.close()
  }
}

export function codeOf(error: unknown): string {
  return error instanceof ApiError ? error.code : 'none'
}

// @ts-expect-error a setting has its own words
export const wrong: EmulatorOptions = { settings: { 'pagination.order': 'sideways' } }
// @ts-expect-error no setting is called so
export const unknown: EmulatorOptions = { settings: { 'pagination.ordre': 'oldest_first' } }
