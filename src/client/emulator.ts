/** An emulator, or one sandbox of it, as an object whose methods are control calls. */
import { basicAuthorization } from '../core/basic-authorization.js'
import { encodeForm, type FormValue } from '../core/form-encoding.js'
import { BASE, CONTROL, pathOf } from '../core/paths.js'
import { needsKey } from '../reference/operations.js'
import { checkedName } from '../sandbox/names.js'
import type {
  AddedRecords,
  ClockState,
  CoverageReport,
  ExplainedCall,
  FindingsReport,
  Gate,
  Journal,
  ListedEntry,
  LoadedScenario,
  Release,
  RunReport,
  SnapshotState,
  State,
  TriedCall,
  Verdict,
  Verification
} from './answers.js'
import { type Connection, contentOf } from './connection.js'
import type { AnswerCode, ApiKey, Fixture, OperationName, RuleId, SandboxSettings, Scenario, ScriptEntry } from './documents.js'
import { EmulatorError, errorFrom, type Problem } from './error.js'
import { checkedVars, checkOptions, invalidOption, type Variables } from './options.js'

/** Parameters of a query or a form, nested as they are in brackets. */
export type Values = { readonly [name: string]: FormValue }
/** A call of the emulated API. */
export type InjectOptions = {
  query?: Values
  /** The parameters of a POST; `null` is an empty value. Text is sent as it is, as a form where no header says otherwise. */
  body?: Values | string
  /** The API key; null sends none. Left out, it is the first key, or none where the operation needs none. */
  key?: string | null
  headers?: { readonly [name: string]: string }
}
/** A call that is only tried. Left out, the key is that of the first merchant, or none where the operation needs none. */
export type ExplainOptions = InjectOptions & {
  /** What is different on the copy that the call is tried on: records that are added or take the place of others, settings, and an instant. */
  changes?: { data?: Fixture; settings?: SandboxSettings; clock?: string }
}
/** What an answer holds: whatever the call answers. */
// biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects to find in an answer
export type Json = any
/** An answer of the emulated API. */
export type InjectedAnswer = {
  status: number
  /** By their names in lower case, without those of the connection. */
  headers: { [name: string]: string }
  /** What JSON says; text where it is no JSON, null where there is none. */
  body: Json
  /** The body as it came. */
  text: string
}
/** Which calls of the journal are listed. */
export type JournalFilter = {
  on?: OperationName
  /** A status, or a class of them such as `4xx`. */
  status?: number | string
  /** An instant, or the id of a call: only later ones. */
  since?: string
  /** Calls that kept or broke it. */
  rule?: RuleId
  /** 100 when left out, 1000 at most. */
  limit?: number
  /** With `run`, calls of every sandbox, each of which has the name of its own. */
  scope?: 'sandbox' | 'run'
}
/** Whose calls are counted: those of the sandbox since its last load or reset, or with `run` those of every sandbox, load and reset of the process. */
export type Scope = { scope?: 'sandbox' | 'run' }
/** `vars` are values of the scenario's variables in place of their defaults. */
export type LoadOptions = { vars?: Variables }
/** What was loaded; `warnings` are there where something of it is probably not meant so. */
export type Loaded = { scenario: LoadedScenario; dry_run: boolean; warnings?: Problem[] }
/** A call of the control API. */
export type ControlOptions = { query?: Values; body?: object }

/**
 * An emulator, or one sandbox of it. Every method resolves to what its control call answers, as a plain object. Where the call is refused, it rejects with an
 * `EmulatorError` that has the code, the message and the problems of the refusal; each may also reject with `no_answer` and, after `close`, with `closed`.
 */
export type Emulator = {
  /** `http://localhost:PORT`, of a sandbox `http://localhost:PORT/sandbox/NAME`. */
  readonly url: string
  /** Where the emulated API is: `url` with `/next`. */
  readonly baseUrl: string
  /** Where its control API is: `url` with `/_control`. */
  readonly controlUrl: string
  /** The first of `keys`; an empty text where there is none. */
  readonly key: string
  /** The API keys of the scenario that was loaded at the start, or by `load` since. */
  readonly keys: readonly ApiKey[]

  /**
   * Goes back to the first state of the loaded scenario: records, keys, ids, clock, settings, script and journal. Makes the sandbox where there is none.
   * `POST /_control/reset`. Errors: `sandbox_limit`.
   */
  reset: () => Promise<{ scenario: LoadedScenario }>
  /**
   * Loads a scenario or a fixture, a document or the name of one: everything is replaced, or, with a problem, nothing.
   * `POST /_control/load`. Errors: `document_invalid` with every problem, `document_too_large`, `scenario_unknown`.
   */
  load: (scenario: string | Scenario | Fixture, options?: LoadOptions) => Promise<Loaded>
  /** The whole state, as a fixture that can be loaded again. `GET /_control/state`. Errors: `sandbox_unknown`. */
  state: () => Promise<State>
  /**
   * Adds records to the state, all or none, and returns them; Tickets are made so. `POST /_control/records`.
   * Errors: `document_invalid` with every problem, `document_too_large`.
   */
  records: (fixture: Fixture) => Promise<AddedRecords>
  /** Keeps the present state under a name. `PUT /_control/snapshots/NAME`. Errors: `name_invalid`, `limit_reached`. */
  snapshot: (name: string) => Promise<SnapshotState>
  /** Goes back to a snapshot; the journal stays. `POST /_control/snapshots/NAME/restore`. Errors: `snapshot_unknown`, `name_invalid`, `account_unknown`. */
  restore: (name: string) => Promise<SnapshotState>
  /** The clock that stamps `created`. */
  readonly clock: {
    /** `GET /_control/clock`. Errors: `sandbox_unknown`. */
    now: () => Promise<ClockState>
    /** Sets the clock, freezes it or lets it run; what is left out stays. `PUT /_control/clock`. Errors: `document_invalid`, `body_malformed`. */
    set: (clock: { now?: string | Date; running?: boolean }) => Promise<ClockState>
    /** Moves the clock on by a length of time such as `36h`. `POST /_control/clock/advance`. Errors: `body_malformed`. */
    advance: (by: string) => Promise<ClockState>
  }
  /** What the emulator does differently for some calls. */
  readonly script: {
    /** Adds an entry after the others. `POST /_control/script`. Errors: `document_invalid` with every problem, `limit_reached`. */
    add: (entry: ScriptEntry) => Promise<ListedEntry>
    /** Every entry, with how many calls it matched and was applied to; one that was never applied with its near misses. `GET /_control/script`. Errors: `sandbox_unknown`. */
    list: () => Promise<{ data: ListedEntry[] }>
    /** Removes an entry, by its id. `DELETE /_control/script/ID`. Errors: `entry_unknown`. */
    remove: (id: string) => Promise<void>
    /** Removes every entry. `DELETE /_control/script`. */
    clear: () => Promise<void>
  }
  /** The calls that the script holds. */
  readonly gates: {
    /** Every gate that the script names, with the calls that wait there. `GET /_control/gates`. Errors: `sandbox_unknown`. */
    list: () => Promise<{ data: Gate[] }>
    /** Opens a gate, so that the calls that wait there go on; it stays open. Resolves to their ids. `POST /_control/gates/NAME/open`. Errors: `gate_unknown`. */
    open: (name: string, options?: { release?: Release }) => Promise<{ name: string; released: string[] }>
  }
  /** The journal, newest first. `GET /_control/requests`. Errors: `parameter_invalid`, `sandbox_unknown`. */
  requests: (filter?: JournalFilter) => Promise<Journal>
  /** A call of the journal, by the Request-Id of its answer, with why it was answered so. `GET /_control/requests/ID`. Errors: `request_unknown`. */
  why: (id: string) => Promise<ExplainedCall>
  /**
   * The calls since the last load or reset as a scenario that plays them again, in YAML; with the id of a call that one alone, answered as it was, with the
   * records that it touched and what they refer to. `GET /_control/requests?format=scenario`, `GET /_control/requests/ID?format=scenario`.
   * Errors: `request_unknown`, `parameter_invalid`.
   */
  recorded: (id?: string) => Promise<string>
  /**
   * What a call such as `POST /refunds` would be answered now, and why. It is judged on a copy, which is thrown away: nothing is changed, counted or kept.
   * `POST /_control/explain`. Errors: `option_invalid`, `document_invalid`, `setting_invalid`, `parameter_invalid`, `sandbox_unknown`.
   */
  explain: (on: string, options?: ExplainOptions) => Promise<TriedCall>
  /**
   * Resolves where the calls that came are those that are expected; without an argument, where everything holds that the scenario itself expects.
   * `POST /_control/verify`. Errors: `expectation_unmet` with the `verdict`, `document_invalid`, `journal_incomplete`, `limit_reached`.
   */
  verify: (expectation?: Verification) => Promise<Verdict>
  /** How often each rule was kept and broken. `GET /_control/coverage`. */
  coverage: (scope?: Scope) => Promise<CoverageReport>
  /** The mistakes that the client under test made. `GET /_control/findings`. */
  findings: (scope?: Scope) => Promise<FindingsReport>
  /** Everything that a report of the run so far holds, over every sandbox. `GET /_control/run`. */
  report: () => Promise<RunReport>
  /** Makes any other call of the control API, such as `GET /settings`, and resolves to its answer: JSON as a value, anything else as text. Errors: those of the call. */
  control: (on: string, options?: ControlOptions) => Promise<Json>

  /**
   * The same for a sandbox of this emulator, which is isolated from every other. Nothing is called: the sandbox is made by the first call that changes it, such
   * as `reset`, in the scenario that the emulator was started with. Errors: throws `name_invalid`.
   */
  sandbox: (name: string) => Emulator
  /**
   * Calls the emulated API, such as `POST /refunds`: in process without a socket, otherwise over HTTP. A refusal is an answer like any other.
   * Errors: `option_invalid`; `no_answer` where a script loses the answer.
   */
  inject: (on: string, options?: InjectOptions) => Promise<InjectedAnswer>
  /**
   * Of what `startEmulator` returned: stops it. Of what `connect` returned: ends the calls and connections of this object, and nothing else. Of a sandbox:
   * deletes it, if it is there. Closing twice does nothing. Errors: `data_not_written`.
   */
  close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose]: () => Promise<void>
}

/** A sandbox or, with null, the base address. A new sandbox begins with `startKeys`. */
export type Place = { sandbox: string | null; keys: readonly ApiKey[]; startKeys: readonly ApiKey[]; close: () => Promise<void> }

const FORM = 'application/x-www-form-urlencoded'
const ON = /^\s*([A-Za-z]+)\s+(\/\S*)\s*$/
const INJECT_OPTIONS = ['query', 'body', 'key', 'headers'] as const satisfies (keyof InjectOptions)[]
const EXPLAIN_OPTIONS = [...INJECT_OPTIONS, 'changes'] as const satisfies (keyof ExplainOptions)[]
const LOAD_OPTIONS = ['vars'] as const satisfies (keyof LoadOptions)[]
const CONTROL_OPTIONS = ['query', 'body'] as const satisfies (keyof ControlOptions)[]

/** The object for a part of an emulator. */
export function emulatorAt(connection: Connection, { sandbox, keys: first, startKeys, close }: Place): Emulator {
  const prefix = sandbox === null ? '' : `/sandbox/${sandbox}`
  const url = `${connection.address}${prefix}`
  let keys = first
  const control = <T = void>(on: string, options?: ControlOptions): Promise<T> => controlCall(connection, prefix, on, options)

  return {
    url,
    baseUrl: `${url}${BASE}`,
    controlUrl: `${url}${CONTROL}`,
    get key() {
      return keys[0]?.key ?? ''
    },
    get keys() {
      return keys
    },
    reset: () => control('POST /reset'),
    load: async (scenario, options = {}) => {
      checkOptions('load', options, LOAD_OPTIONS)
      const { vars } = options
      const loaded = await control<Loaded>('POST /load', { body: { scenario, ...(vars && { vars: checkedVars(vars) }) } })
      keys = (await control<{ data: ApiKey[] }>('GET /keys')).data
      return loaded
    },
    state: () => control('GET /state'),
    records: fixture => control('POST /records', { body: fixture }),
    snapshot: async name => control(`PUT /snapshots/${nameIn(name)}`),
    restore: async name => control(`POST /snapshots/${nameIn(name)}/restore`),
    clock: {
      now: () => control('GET /clock'),
      set: clock => control('PUT /clock', { body: clock }),
      advance: by => control('POST /clock/advance', { body: { by } })
    },
    script: {
      add: entry => control('POST /script', { body: entry }),
      list: () => control('GET /script'),
      remove: async id => control(`DELETE /script/${idIn(id)}`),
      clear: () => control('DELETE /script')
    },
    gates: {
      list: () => control('GET /gates'),
      open: async (name, options) => control(`POST /gates/${idIn(name)}/open`, options && { body: options })
    },
    requests: filter => control('GET /requests', { query: { ...filter } }),
    why: async id => control(`GET /requests/${idIn(id)}`),
    recorded: async id => control(`GET /requests${id === undefined ? '' : `/${idIn(id)}`}`, { query: { format: 'scenario' } }),
    explain: async (on, options = {}) => {
      checkOptions('explain', options, EXPLAIN_OPTIONS)
      return control('POST /explain', { body: { ...callIn(on, 'POST /refunds'), ...options } })
    },
    verify: expectation => control('POST /verify', expectation && { body: expectation }),
    coverage: scope => control('GET /coverage', { query: { ...scope } }),
    findings: scope => control('GET /findings', { query: { ...scope } }),
    report: () => control('GET /run'),
    control: async (on, options = {}) => {
      checkOptions('control', options, CONTROL_OPTIONS)
      return control(on, options)
    },
    sandbox: name => emulatorAt(connection, { sandbox: nameIn(name), keys: startKeys, startKeys, close: () => deleteSandbox(connection, name) }),
    inject: (on, options) => apiCall(connection, prefix, keys[0]?.key ?? null, on, options),
    close,
    [Symbol.asyncDispose]: close
  }
}

/** `firstKey` is sent where the operation needs a key and the options give none. */
async function apiCall(connection: Connection, prefix: string, firstKey: string | null, on: string, options: InjectOptions = {}): Promise<InjectedAnswer> {
  checkOptions('inject', options, INJECT_OPTIONS)
  const { method, path } = callIn(on, 'POST /refunds')
  const { query, body, key = needsKey(method, pathOf(path)) ? firstKey : null, headers = {} } = options
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const { text, ...answer } = await connection.send({
    method,
    path: `${prefix}${BASE}${path}${queryOf(query)}`,
    headers: {
      ...(key !== null && { authorization: basicAuthorization(key) }),
      ...(body !== undefined && { 'content-type': FORM }),
      ...Object.fromEntries(own)
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : encodeForm(body) })
  })
  return { ...answer, body: contentOf(text), text }
}

/** Returns the answer of a control call. Errors: those of the call, and of the connection. */
async function controlCall<T>(connection: Connection, prefix: string, on: string, { query, body }: ControlOptions = {}): Promise<T> {
  const { method, path } = callIn(on, 'GET /settings')
  const { status, text } = await connection.send({
    method,
    path: `${prefix}${CONTROL}${path === '/' ? '' : path}${queryOf(query)}`,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(connection.token !== null && { authorization: `Bearer ${connection.token}` })
    },
    ...(body !== undefined && { body: jsonOf(body) })
  })
  if (status < 300) return (text === '' ? undefined : contentOf(text)) as T
  throw refusalIn(contentOf(text), status, `${method} ${connection.address}${prefix}${CONTROL}${path}`)
}

async function deleteSandbox(connection: Connection, name: string): Promise<void> {
  if (connection.isClosed) return
  await controlCall(connection, '', `DELETE /sandboxes/${name}`).catch((error: EmulatorError) => {
    if (error.code !== 'sandbox_unknown') throw error
  })
}

type Refused = { error?: { code: AnswerCode; message: string; param?: string; problems?: Problem[] } } & Partial<Verdict>

function refusalIn(answer: Refused | string | null, status: number, call: string): EmulatorError {
  const { error, ...verdict } = typeof answer === 'object' && answer !== null ? answer : {}
  if (error !== undefined) return new EmulatorError(error.code, error.message, { status, param: error.param, problems: error.problems })
  if (verdict.holds === false) return new EmulatorError('expectation_unmet', verdict.message as string, { status, verdict: verdict as Verdict })
  return new EmulatorError('answer_unreadable', `${call} was answered with status ${status}, and not as an emulator does.`, { status })
}

/** A method and a path, as in `POST /refunds`. Errors: `option_invalid`. */
function callIn(on: string, example: string): { method: string; path: string } {
  const [, method, path] = ON.exec(on) ?? []
  if (method === undefined || path === undefined) throw invalidOption('on', `on must be a method and a path, as in ${example}; got ${on}`)
  return { method: method.toUpperCase(), path }
}

/** The name of a sandbox or snapshot. Errors: `name_invalid`. */
function nameIn(name: string): string {
  try {
    return checkedName(name)
  } catch (error) {
    throw errorFrom(error)
  }
}

/** An id as a part of a path. Errors: `option_invalid` for what would lead to another path. */
function idIn(id: string): string {
  if (['', '.', '..'].includes(id)) throw invalidOption('id', `id must not be "${id}"`)
  return encodeURIComponent(id)
}

function queryOf(query: Values = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${encodeForm(Object.fromEntries(given))}`
}

/** A document as JSON. Errors: `option_invalid` for what JSON cannot say. */
export function jsonOf(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw new EmulatorError('option_invalid', `What was given cannot be written as JSON: ${(error as Error).message}.`, { cause: error as Error })
  }
}
