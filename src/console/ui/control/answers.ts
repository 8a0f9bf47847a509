/** What control calls answer that the package has no type for. */
import type { LoadedScenario } from '../../../client/answers.js'

/** A place in a document, with what is wrong there. */
export type Problem = { path: string; message: string; file?: string; line?: number; column?: number }
export type Family = 'accounts' | 'users' | 'locations' | 'tickets' | 'transactions' | 'refunds'
/** `vars` are the variables that it declares, with their defaults; files that it uses may have others. */
export type ListedScenario = { name: string; kind: 'scenario' | 'fixture'; description: string | null; vars?: Readonly<Record<string, Scalar>> }
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
/** A gate and the calls that wait at it, as they came. */
export type Gate = { name: string; open: boolean; waiting: { id: string; on: string }[] }
