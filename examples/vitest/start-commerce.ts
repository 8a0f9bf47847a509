/** Before all tests: one emulator for every worker, or the one that runs already at `COMMERCE_URL`. */
import { startEmulator } from 'commerce-emulator'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    commerceUrl: string
  }
}

export default async function startCommerce(project: TestProject) {
  const { COMMERCE_URL } = process.env
  const emulator = COMMERCE_URL ? undefined : await startEmulator()
  project.provide('commerceUrl', COMMERCE_URL ?? emulator?.url ?? '')
  return () => emulator?.close()
}
