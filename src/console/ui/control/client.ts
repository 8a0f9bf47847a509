/** The control API, typed: every request that the console sends. */
import type * as answers from '../../../client/documents.js'
import type { Problem } from '../../../core/errors.js'
import type { Family } from '../../../reference/operations.js'
import { controlOf } from './place.js'

export type * from '../../../client/documents.js'
/** The evidence of the sandbox, or of the whole run. */
export type Scope = 'sandbox' | 'run'
export type Release = 'in_order' | 'reverse'
export type { Family, Problem }

/** A request that the journal of a sandbox keeps, or null when it was cleared. The sandbox at the base address has the name ''. */
export type JournalEvent = { sandbox: string; call: answers.JournalCall | null }
export type Scalar = string | number | boolean
/** A request to try; its body is a form. */
export type TrialCall = { method: string; path: string; body?: string | null; key?: string | null; changes?: object }

type Query = Readonly<Record<string, string | number | undefined>>
type CallOptions = { query?: Query; body?: unknown /** A YAML document in place of a body. */; yaml?: string }

export class ControlError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    readonly problems: readonly Problem[] = []
  ) {
    super(message)
  }
}

let onTokenRequired = () => {}
export const whenTokenRequired = (run: () => void): void => {
  onTokenRequired = run
}

/** Sends a control request to the chosen or a named sandbox. Returns the text of the response. Errors: `ControlError`. */
async function controlText(on: string, { query = {}, body, yaml }: CallOptions = {}, sandbox?: string): Promise<string> {
  const [method = 'GET', path = ''] = on.split(' ')
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  const sent = yaml ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(`${controlOf(sandbox)}${path === '/' ? '' : path}${search}`, {
    method,
    headers: { accept: '*/*', ...(sent !== undefined && { 'content-type': yaml === undefined ? 'application/json' : 'application/yaml' }) },
    ...(sent !== undefined && { body: sent })
  }).catch(() => {
    throw new ControlError('no_answer', 'The emulator is not responding.', 0)
  })
  const text = await response.text()
  if (response.ok) return text
  const { error } = refusalIn(text, response.status)
  if (error.code === 'token_required' && path !== '/session') onTokenRequired()
  throw new ControlError(error.code, error.message, response.status, error.problems)
}

type Refusal = { error: { code: string; message: string; problems?: Problem[] } }

function refusalIn(text: string, status: number): Refusal {
  try {
    return JSON.parse(text)
  } catch {
    return { error: { code: 'answer_unreadable', message: `The emulator responded with status ${status}.` } }
  }
}

/** The same, with JSON as a value; null where there is no body. */
export async function control<T>(on: string, options?: CallOptions, sandbox?: string): Promise<T> {
  const text = await controlText(on, options, sandbox)
  return text === '' ? (null as T) : JSON.parse(text)
}

const named = (name: string) => encodeURIComponent(name)

/** The control requests, of the chosen sandbox unless another is named. */
export const api = {
  session: () => control<answers.Session>('GET /session'),
  signIn: (token: string) => control<answers.Session>('POST /session', { body: { token } }),
  signOut: () => control<null>('DELETE /session'),
  overview: () => control<answers.Overview>('GET /'),
  sandboxes: () => control<{ data: answers.SandboxItem[] }>('GET /sandboxes'),
  deleteSandbox: (name: string) => control<null>(`DELETE /sandboxes/${named(name)}`, {}, ''),
  reset: (name?: string) => control<answers.Reset>('POST /reset', {}, name),
  scenarios: () => control<{ data: answers.ListedScenario[] }>('GET /scenarios'),
  /** Its document, as it is written. */
  scenario: (name: string) => controlText(`GET /scenarios/${named(name)}`),
  load: (body: object, query: Query = {}) => control<answers.Loaded>('POST /load', { body, query }),
  loadYaml: (yaml: string, query: Query = {}) => control<answers.Loaded>('POST /load', { yaml, query }),
  changes: () => control<answers.Changes>('GET /changes'),
  state: () => control<answers.State>('GET /state'),
  stateYaml: () => controlText('GET /state', { query: { format: 'yaml' } }),
  stateOf: (name: string) => control<answers.State>('GET /state', {}, name),
  addRecords: (fixture: answers.Fixture) => control<answers.AddedRecords>('POST /records', { body: fixture }),
  addRecordsYaml: (yaml: string) => control<answers.AddedRecords>('POST /records', { yaml }),
  keys: () => control<{ data: answers.ApiKey[] }>('GET /keys'),
  addKey: (account: string) => control<answers.ApiKey>('POST /keys', { body: { account } }),
  clock: () => control<answers.ClockState>('GET /clock'),
  setClock: (clock: Partial<answers.ClockState>) => control<answers.ClockState>('PUT /clock', { body: clock }),
  advanceClock: (by: string) => control<answers.ClockState>('POST /clock/advance', { body: { by } }),
  snapshots: () => control<{ data: answers.SnapshotName[] }>('GET /snapshots'),
  takeSnapshot: (name: string) => control<answers.SnapshotState>(`PUT /snapshots/${named(name)}`),
  restoreSnapshot: (name: string) => control<answers.SnapshotState>(`POST /snapshots/${named(name)}/restore`),
  deleteSnapshot: (name: string) => control<null>(`DELETE /snapshots/${named(name)}`),
  script: () => control<{ data: answers.ListedEntry[] }>('GET /script'),
  addEntryYaml: (yaml: string) => control<answers.ListedEntry>('POST /script', { yaml }),
  removeEntry: (id: string) => control<null>(`DELETE /script/${named(id)}`),
  clearScript: () => control<null>('DELETE /script'),
  gates: () => control<{ data: answers.Gate[] }>('GET /gates'),
  openGate: (name: string, release: Release) => control<answers.OpenedGate>(`POST /gates/${named(name)}/open`, { body: { release } }),
  settings: () => control<answers.ShownSettings>('GET /settings'),
  changeSettings: (changes: object) => control<answers.ShownSettings>('PATCH /settings', { body: changes }),
  unsetSetting: (name: string) => control<null>(`DELETE /settings/${named(name)}`),
  assumptions: (scope?: Scope) => control<{ data: answers.ShownAssumption[] }>('GET /assumptions', { query: { scope } }),
  clearRequests: () => control<null>('DELETE /requests'),
  requestsOfRun: (query: Query = {}) => control<answers.Journal>('GET /requests', { query: { limit: 1000, ...query, scope: 'run' } }, ''),
  request: (id: string) => control<answers.ExplainedCall>(`GET /requests/${named(id)}`),
  /** The records that a request changed, before and after. */
  requestChanges: (id: string) => control<{ data: answers.RecordChange[] }>(`GET /requests/${named(id)}/changes`),
  /** The requests since the load or reset, or some of them by their ids, as a scenario that sends them again. */
  requestsScenario: (ids?: string) => controlText('GET /requests', { query: { format: 'scenario', ids } }),
  /** A scenario, as YAML, in which the request is answered the same. */
  requestScenario: (id: string) => controlText(`GET /requests/${named(id)}`, { query: { format: 'scenario' } }),
  /** Judges a request on a copy that is thrown away. */
  explain: (call: TrialCall) => control<answers.TriedCall>('POST /explain', { body: call }),
  coverage: (scope?: Scope) => control<answers.CoverageReport>('GET /coverage', { query: { scope } }),
  findings: (scope?: Scope) => control<answers.FindingsReport>('GET /findings', { query: { scope } }),
  run: () => control<answers.RunReport>('GET /run')
}
