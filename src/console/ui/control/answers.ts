/** What control calls answer that the package has no type for. */
import type { JournalCall, LoadedScenario } from '../../../client/answers.js'
import type { Family } from '../../../reference/operations.js'

export type { Family }
/** A place in a document, with what is wrong there: as in `client/error.ts`, which no browser can read. */
export type Problem = { path: string; message: string; file?: string; line?: number; column?: number }
/** What happened to the journal of a sandbox: a call that it keeps, or null when it was cleared. The sandbox at the base address has no name. */
export type JournalEvent = { sandbox: string; call: JournalCall | null }
/** `vars` are the variables that it declares, with their defaults; files that it uses may have others. */
export type ListedScenario = { name: string; kind: 'scenario' | 'fixture'; title?: string; description: string | null; vars?: Readonly<Record<string, Scalar>> }
export type Scalar = string | number | boolean
/** What was loaded, and what of it is probably not meant so. */
export type LoadAnswer = { scenario: LoadedScenario; dry_run: boolean; warnings?: Problem[] }
/** What differs from the loaded scenario's first state. */
export type Changes = {
  records: Partial<Record<Family, { added: number; changed: number; deleted: number }>>
  keys: { added: number; deleted: number }
  clock: { began: { now: string | null; running: boolean }; changed: boolean }
  script: { added: string[]; removed: string[]; matched: number }
  settings: string[]
}
export type ShownSetting = {
  value: unknown
  source: string
  given_by: string | null
  default: unknown
  scope: 'process' | 'sandbox'
  about: string
  /** What it may be. */
  schema: { type?: string | readonly string[]; enum?: readonly Scalar[]; minimum?: number; maximum?: number }
  flag: string
  variable: string
  scenario: string
  assumption: string | null
}
