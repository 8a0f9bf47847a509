/** An emulator, or one sandbox of it, as an object whose methods are control requests. */
import { basicAuthorization } from '../core/basic-authorization.js'
import { encodeForm, type FormValue } from '../core/form-encoding.js'
import { BASE, CONTROL, pathOf } from '../core/paths.js'
import { isObject } from '../core/quick-check.js'
import { needsKey } from '../reference/operations.js'
import { checkedName } from '../sandbox/names.js'
import { type Connection, contentOf } from './connection.js'
import type {
  AddedRecords,
  AnswerCode,
  ApiKey,
  ClockState,
  CoverageReport,
  Expectation,
  ExplainedCall,
  FindingsReport,
  Fixture,
  Gate,
  Journal,
  ListedEntry,
  Loaded,
  Match,
  OpenedGate,
  OperationName,
  Reset,
  RuleId,
  RunReport,
  SandboxSettings,
  Scenario,
  ScriptEntry,
  SnapshotState,
  State,
  TriedCall,
  Verdict
} from './documents.js'
import { EmulatorError, errorFrom, type Problem } from './error.js'
import { checkedVars, checkOptions, type Variables } from './options.js'
import { ERRORS } from './sentences.js'

/** Parameters of a query or a form, nested as they are in brackets. */
export type Values = { readonly [name: string]: FormValue }
/** A request of the emulated API. */
export type InjectOptions = {
  query?: Values
  /** The parameters of a POST; `null` is an empty value. Text is sent as it is, form-encoded unless a header says otherwise. */
  body?: Values | string
  /** The API key; null sends none. By default the first key, or none where the operation needs none. */
  key?: string | null
  headers?: { readonly [name: string]: string }
}
/** A request that is only tried. The default key is that of the first merchant, or none where the operation needs none. */
export type ExplainOptions = InjectOptions & {
  /** What is different on the copy that the request is tried on: records to add or replace, settings, and the time. */
  changes?: { data?: Fixture; settings?: SandboxSettings; clock?: string }
}
/** The body of a response: whatever it holds. */
// biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects to find in a response
export type Json = any
/** A response of the emulated API. */
export type InjectedAnswer = {
  status: number
  /** By their names in lower case, without those of the connection. */
  headers: { [name: string]: string }
  /** JSON as a value, other text as it is, null for an empty body. */
  body: Json
  /** The body as it came. */
  text: string
}
/** The sandbox since its last load or reset, or with `run` every sandbox, load and reset of the process. */
export type Scope = { scope?: 'sandbox' | 'run' }
/** Which requests of the journal are listed; with the scope `run`, each has the name of its sandbox. */
export type JournalFilter = Scope & {
  on?: OperationName
  /** A status, or a class of them such as `4xx`. */
  status?: number | string
  /** An instant, or the id of a request: only later ones. */
  since?: string
  /** Requests that kept or broke it. */
  rule?: RuleId
  /** 100 by default, at most 1000. */
  limit?: number
}
/** Values of the scenario's variables in place of their defaults. */
export type LoadOptions = { vars?: Variables }
/** A request of the control API. */
export type ControlOptions = { query?: Values; body?: object }
/** Waiting requests go on as they came, or the last one first. */
export type Release = 'in_order' | 'reverse'
/** Requests to look for; the journal keeps the Account of a key in place of the key. */
export type JournalMatch = { on: OperationName; match?: Omit<Match, 'key'> & { account?: string | readonly string[] } }
/** What `verify` judges: how many requests came, their order, or whether the script was used. `within`, such as `2s`, is how long to wait. */
export type Verification = { within?: string } & (
  | (JournalMatch & Omit<Expectation, 'on' | 'match'>)
  | { sequence: readonly JournalMatch[] }
  | { script: 'all_used' }
)

/**
 * An emulator, or one sandbox of it. Every method resolves to the response of its control request, as a plain object. A refusal rejects with an `EmulatorError`
 * that has the code, the message and the problems; each may also reject with `no_answer` and, after `close`, with `closed`.
 */
export type Emulator = {
  /** `http://localhost:PORT`, of a sandbox `http://localhost:PORT/sandbox/NAME`. */
  readonly url: string
  /** The address of the emulated API: `url` with `/next`. */
  readonly baseUrl: string
  /** The address of the control API: `url` with `/_control`. */
  readonly controlUrl: string
  /** The first of `keys`; an empty text where there is none. */
  readonly key: string
  /** The API keys of the scenario that was loaded at the start, or by `load` since. */
  readonly keys: readonly ApiKey[]

  /**
   * Goes back to the first state of the loaded scenario: records, keys, ids, clock, settings, script and journal. Creates the sandbox if there is none.
   * `POST /_control/reset`. Errors: `sandbox_limit`.
   */
  reset: () => Promise<Reset>
  /**
   * Replaces everything with a scenario or fixture, a document or the name of one; with a problem, nothing is changed.
   * `POST /_control/load`. Errors: `document_invalid` with every problem, `document_too_large`, `scenario_unknown`.
   */
  load: (scenario: string | Scenario | Fixture, options?: LoadOptions) => Promise<Loaded>
  /** Returns the whole state, as a fixture that can be loaded again. `GET /_control/state`. Errors: `sandbox_unknown`. */
  state: () => Promise<State>
  /** Adds records, such as Tickets, all or none, and returns them. `POST /_control/records`. Errors: `document_invalid` with every problem, `document_too_large`. */
  records: (fixture: Fixture) => Promise<AddedRecords>
  /** Keeps the current state under a name. `PUT /_control/snapshots/NAME`. Errors: `name_invalid`, `limit_reached`. */
  snapshot: (name: string) => Promise<SnapshotState>
  /** Restores a snapshot; the journal stays. `POST /_control/snapshots/NAME/restore`. Errors: `snapshot_unknown`, `name_invalid`, `account_unknown`. */
  restore: (name: string) => Promise<SnapshotState>
  /** The clock that stamps `created`. */
  readonly clock: {
    /** `GET /_control/clock`. Errors: `sandbox_unknown`. */
    now: () => Promise<ClockState>
    /** Sets the clock, freezes it or lets it run. `PUT /_control/clock`. Errors: `document_invalid`, `body_malformed`. */
    set: (clock: { now?: string | Date; running?: boolean }) => Promise<ClockState>
    /** Moves the clock forward, such as by `36h`. `POST /_control/clock/advance`. Errors: `body_malformed`. */
    advance: (by: string) => Promise<ClockState>
  }
  /** What the emulator does differently for some requests. */
  readonly script: {
    /** Adds an entry at the end. `POST /_control/script`. Errors: `document_invalid` with every problem, `limit_reached`. */
    add: (entry: ScriptEntry) => Promise<ListedEntry>
    /** Lists the entries, each with how often it was used. `GET /_control/script`. Errors: `sandbox_unknown`. */
    list: () => Promise<{ data: ListedEntry[] }>
    /** Removes an entry, by its id. `DELETE /_control/script/ID`. Errors: `entry_unknown`. */
    remove: (id: string) => Promise<void>
    /** Removes every entry. `DELETE /_control/script`. */
    clear: () => Promise<void>
  }
  /** The requests that the script holds. */
  readonly gates: {
    /** Lists the gates of the script, with the requests that wait there. `GET /_control/gates`. Errors: `sandbox_unknown`. */
    list: () => Promise<{ data: Gate[] }>
    /** Opens a gate, so that the requests that wait there go on; it stays open. `POST /_control/gates/NAME/open`. Errors: `gate_unknown`. */
    open: (name: string, options?: { release?: Release }) => Promise<OpenedGate>
  }
  /** Returns the journal, newest first. `GET /_control/requests`. Errors: `parameter_invalid`, `sandbox_unknown`. */
  requests: (filter?: JournalFilter) => Promise<Journal>
  /** Returns a request, by the Request-Id of its response, and why it was answered so. `GET /_control/requests/ID`. Errors: `request_unknown`. */
  why: (id: string) => Promise<ExplainedCall>
  /**
   * Returns the requests since the last load or reset as a scenario that replays them, in YAML; with an id that request alone, with the records that it touched
   * and what they refer to. `GET /_control/requests?format=scenario`, `GET /_control/requests/ID?format=scenario`. Errors: `request_unknown`, `parameter_invalid`.
   */
  recorded: (id?: string) => Promise<string>
  /**
   * Tells how the emulator would respond to a request such as `POST /refunds` now, and why. It is judged on a copy that is thrown away: nothing is changed or kept.
   * `POST /_control/explain`. Errors: `option_invalid`, `document_invalid`, `setting_invalid`, `parameter_invalid`, `sandbox_unknown`.
   */
  explain: (on: string, options?: ExplainOptions) => Promise<TriedCall>
  /**
   * Resolves when the expected requests came; without an argument, when every expectation of the scenario holds.
   * `POST /_control/verify`. Errors: `expectation_unmet` with the `verdict`, `document_invalid`, `journal_incomplete`, `limit_reached`.
   */
  verify: (expectation?: Verification) => Promise<Verdict>
  /** Returns how often each rule was kept and broken. `GET /_control/coverage`. */
  coverage: (scope?: Scope) => Promise<CoverageReport>
  /** Returns the mistakes of the client under test. `GET /_control/findings`. */
  findings: (scope?: Scope) => Promise<FindingsReport>
  /** Returns everything that a report of the run so far holds, over every sandbox. `GET /_control/run`. */
  report: () => Promise<RunReport>
  /** Sends any other control request, such as `GET /settings`; resolves to JSON as a value, and to anything else as text. */
  control: (on: string, options?: ControlOptions) => Promise<Json>

  /**
   * Returns the same object for a sandbox of this emulator, which is isolated from every other. Sends nothing: the first request that changes the sandbox, such
   * as `reset`, creates it, in the scenario that the emulator started with. Errors: throws `name_invalid`.
   */
  sandbox: (name: string) => Emulator
  /**
   * Sends a request such as `POST /refunds` to the emulated API: in process without a socket, otherwise over HTTP. A refusal is a response like any other.
   * Errors: `option_invalid`; `no_answer` where a script loses the response.
   */
  inject: (on: string, options?: InjectOptions) => Promise<InjectedAnswer>
  /**
   * Stops an emulator of `startEmulator`; ends the requests and connections of an object of `connect`, and nothing else; deletes a sandbox, if it is there.
   * Closing twice does nothing. Errors: `data_not_written`.
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

/** The object for a part of an emulator. */
export function emulatorAt(connection: Connection, { sandbox, keys: first, startKeys, close }: Place): Emulator {
  const prefix = sandbox === null ? '' : `/sandbox/${sandbox}`
  const url = `${connection.address}${prefix}`
  let keys = first
  const control = <T = void>(on: string, options?: ControlOptions): Promise<T> => controlled(connection, prefix, on, options)

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
      checkOptions('load', options, ['vars'])
      const { vars } = options
      const loaded = await control<Loaded>('POST /load', { body: { scenario, ...(vars && { vars: checkedVars(vars) }) } })
      keys = (await control<{ data: ApiKey[] }>('GET /keys')).data
      return loaded
    },
    state: () => control('GET /state'),
    records: body => control('POST /records', { body }),
    snapshot: async name => control(`PUT /snapshots/${nameIn(name)}`),
    restore: async name => control(`POST /snapshots/${nameIn(name)}/restore`),
    clock: {
      now: () => control('GET /clock'),
      set: body => control('PUT /clock', { body }),
      advance: by => control('POST /clock/advance', { body: { by } })
    },
    script: {
      add: body => control('POST /script', { body }),
      list: () => control('GET /script'),
      remove: async id => control(`DELETE /script/${idIn(id)}`),
      clear: () => control('DELETE /script')
    },
    gates: {
      list: () => control('GET /gates'),
      open: async (name, body) => control(`POST /gates/${idIn(name)}/open`, body && { body })
    },
    requests: filter => control('GET /requests', { query: { ...filter } }),
    why: async id => control(`GET /requests/${idIn(id)}`),
    recorded: async id => control(`GET /requests${id === undefined ? '' : `/${idIn(id)}`}`, { query: { format: 'scenario' } }),
    explain: async (on, options = {}) => {
      checkOptions('explain', options, EXPLAIN_OPTIONS)
      return control('POST /explain', { body: { ...requestIn(on, 'POST /refunds'), ...options } })
    },
    verify: body => control('POST /verify', body && { body }),
    coverage: scope => control('GET /coverage', { query: { ...scope } }),
    findings: scope => control('GET /findings', { query: { ...scope } }),
    report: () => control('GET /run'),
    control: async (on, options = {}) => {
      checkOptions('control', options, ['query', 'body'])
      return control(on, options)
    },
    sandbox: name => emulatorAt(connection, { sandbox: nameIn(name), keys: startKeys, startKeys, close: () => deleteSandbox(connection, name) }),
    inject: (on, options) => injected(connection, prefix, keys[0]?.key ?? null, on, options),
    close,
    [Symbol.asyncDispose]: close
  }
}

/** `firstKey` is sent where the operation needs a key and the options give none. */
async function injected(connection: Connection, prefix: string, firstKey: string | null, on: string, options: InjectOptions = {}): Promise<InjectedAnswer> {
  checkOptions('inject', options, INJECT_OPTIONS)
  const { method, path } = requestIn(on, 'POST /refunds')
  const { query, body, key = needsKey(method, pathOf(path)) ? firstKey : null, headers = {} } = options
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const { text, ...response } = await connection.send({
    method,
    path: `${prefix}${BASE}${path}${queryOf(query)}`,
    headers: {
      ...(key !== null && { authorization: basicAuthorization(key) }),
      ...(body !== undefined && { 'content-type': FORM }),
      ...Object.fromEntries(own)
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : encodeForm(body) })
  })
  return { ...response, body: contentOf(text), text }
}

/** The response of a control request. Errors: those of the request, and of the connection. */
async function controlled<T>(connection: Connection, prefix: string, on: string, { query, body }: ControlOptions = {}): Promise<T> {
  const { method, path } = requestIn(on, 'GET /settings')
  const { status, text } = await connection.send({
    method,
    path: `${prefix}${CONTROL}${path === '/' ? '' : path}${queryOf(query)}`,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(connection.token !== null && { authorization: `Bearer ${connection.token}` })
    },
    ...(body !== undefined && { body: jsonOf(body) })
  })
  const content = contentOf(text)
  if (status < 300) return (text === '' ? undefined : content) as T
  const { error, ...verdict }: Refused = isObject(content) ? content : {}
  if (error !== undefined) throw new EmulatorError(error.code, error.message, { status, param: error.param, problems: error.problems })
  if (verdict.holds === false) throw new EmulatorError('expectation_unmet', verdict.message as string, { status, verdict: verdict as Verdict })
  throw ERRORS.unreadable(`${method} ${connection.address}${prefix}${CONTROL}${path}`, status)
}

type Refused = { error?: { code: AnswerCode; message: string; param?: string; problems?: Problem[] } } & Partial<Verdict>

async function deleteSandbox(connection: Connection, name: string): Promise<void> {
  if (connection.isClosed) return
  await controlled(connection, '', `DELETE /sandboxes/${name}`).catch((error: EmulatorError) => {
    if (error.code !== 'sandbox_unknown') throw error
  })
}

/** A method and a path, as in `POST /refunds`. Errors: `option_invalid`. */
function requestIn(on: string, example: string): { method: string; path: string } {
  const [, method, path] = ON.exec(on) ?? []
  if (method === undefined || path === undefined) throw ERRORS.notARequest(example, on)
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
  if (['', '.', '..'].includes(id)) throw ERRORS.notAnId(id)
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
    throw ERRORS.notJson(error as Error)
  }
}
