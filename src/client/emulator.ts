/** An emulator, or one sandbox of it, as an object whose methods are control requests. */
import { basicAuthorization } from '../core/basic-authorization.js'
import { encodeForm } from '../core/form-encoding.js'
import { BASE, CONTROL, pathOf } from '../core/paths.js'
import { isObject } from '../core/quick-check.js'
import { needsKey } from '../reference/operations.js'
import { checkedName } from '../sandbox/saved/names.js'
import { checkedVars, checkOptions } from './check-options.js'
import { type Connection, contentOf } from './connection.js'
import type {
  ApiKey,
  Fixture,
  Loaded,
  Problem,
  RefusalCode,
  Scenario,
  Verdict
} from './documents.js'
import { EmulatorError, errorFrom } from './error.js'
import type { Methods } from './methods.js'
import type {
  ControlOptions,
  InjectedResponse,
  InjectOptions,
  Json,
  LoadOptions,
  Values
} from './options.js'
import { ERRORS } from './sentences.js'

/**
 * Methods resolve to the response of their control request. A refusal rejects with an
 * `EmulatorError`; each may also reject with `no_answer` and, after `close`, with `closed`.
 */
export type Emulator = Methods & {
  /** `http://localhost:PORT`, of a sandbox `http://localhost:PORT/sandbox/NAME`. */
  readonly url: string
  /** The address of the emulated API: `url` with `/next`. */
  readonly baseUrl: string
  /** The address of the control API: `url` with `/_control`. */
  readonly controlUrl: string
  /** The first of `keys`, or an empty text. */
  readonly key: string
  /** The API keys of the scenario that was loaded at the start, or by `load` since. */
  readonly keys: readonly ApiKey[]

  /**
   * A scenario in YAML that replays the requests since the last load or reset, or with an id that
   * request alone. Errors: `request_unknown`, `parameter_invalid`.
   */
  recorded: (id?: string) => Promise<string>
  /** Sends any control request, such as `GET /settings`; resolves to parsed JSON, or text. */
  control: (on: string, options?: ControlOptions) => Promise<Json>

  /**
   * A sandbox of this emulator. The first request that changes it, such as `reset`, creates it with
   * the scenario of the start. Errors: throws `name_invalid`.
   */
  sandbox: (name: string) => Emulator
  /**
   * Sends a request such as `POST /refunds` to the emulated API. A refusal is a response like any
   * other. Errors: `option_invalid`; `no_answer` where a script loses the response.
   */
  inject: (on: string, options?: InjectOptions) => Promise<InjectedResponse>
  /**
   * Stops an emulator of `startEmulator`, disconnects one of `connect`, or deletes a sandbox.
   * Errors: `data_not_written`.
   */
  close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose]: () => Promise<void>
}

/** A sandbox, or the base address for null; new sandboxes begin with `startKeys`. */
export type Place = {
  sandbox: string | null
  keys: readonly ApiKey[]
  startKeys: readonly ApiKey[]
  close: () => Promise<void>
}

const FORM = 'application/x-www-form-urlencoded'
/** Without dots, which would lead to another path. */
const METHOD_AND_PATH = /^\s*([a-z]+)\s+(?![^?#]*[\\/](?:\.|%2e){1,2}(?:[\\/?#\s]|$))(\/\S*)\s*$/i
const INJECT_OPTIONS = [
  'query',
  'body',
  'key',
  'headers'
] as const satisfies (keyof InjectOptions)[]

type Control = <T = void>(on: string, options?: ControlOptions) => Promise<T>

export function emulatorAt(
  connection: Connection,
  { sandbox, keys: initialKeys, startKeys, close }: Place
): Emulator {
  const prefix = sandbox === null ? '' : `/sandbox/${sandbox}`
  const url = `${connection.address}${prefix}`
  let keys = initialKeys
  const control: Control = (on, options) => sendControl(connection, prefix, on, options)

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
    load: async (scenario, options) => {
      const loaded = await load(control, scenario, options)
      keys = (await control<{ data: ApiKey[] }>('GET /keys')).data
      return loaded
    },
    ...stateMethods(control),
    ...scriptMethods(control),
    ...evidenceMethods(control),
    control: async (on, options = {}) => {
      checkOptions('control', options, ['query', 'body'])
      return control(on, options)
    },
    sandbox: name => sandboxAt(connection, nameIn(name), startKeys),
    inject: (on, options) => inject(connection, prefix, keys[0]?.key ?? null, on, options),
    close,
    [Symbol.asyncDispose]: close
  }
}

const sandboxAt = (connection: Connection, sandbox: string, startKeys: readonly ApiKey[]) =>
  emulatorAt(connection, {
    sandbox,
    keys: startKeys,
    startKeys,
    close: () => deleteSandbox(connection, sandbox)
  })

async function load(
  control: Control,
  scenario: string | Scenario | Fixture,
  options: LoadOptions = {}
): Promise<Loaded> {
  checkOptions('load', options, ['vars', 'seed'])
  const { vars, seed } = options
  return control('POST /load', {
    body: { scenario, seed, ...(vars && { vars: checkedVars(vars) }) }
  })
}

const stateMethods = (control: Control) =>
  ({
    reset: () => control('POST /reset'),
    state: moment => control('GET /state', { query: { ...moment } }),
    records: body => control('POST /records', { body }),
    deleteRecord: async (family, id) => control(`DELETE /records/${idIn(family)}/${idIn(id)}`),
    snapshot: async name => control(`PUT /snapshots/${nameIn(name)}`),
    restore: async name => control(`POST /snapshots/${nameIn(name)}/restore`),
    clock: {
      now: () => control('GET /clock'),
      set: body => control('PUT /clock', { body }),
      advance: by => control('POST /clock/advance', { body: { by } })
    }
  }) satisfies Partial<Emulator>

const scriptMethods = (control: Control) =>
  ({
    script: {
      add: body => control('POST /script', { body }),
      list: () => control('GET /script'),
      remove: async id => control(`DELETE /script/${idIn(id)}`),
      clear: () => control('DELETE /script')
    },
    gates: {
      list: () => control('GET /gates'),
      open: async (name, body) => control(`POST /gates/${idIn(name)}/open`, body && { body })
    }
  }) satisfies Partial<Emulator>

const evidenceMethods = (control: Control) =>
  ({
    requests: filter => control('GET /requests', { query: { ...filter } }),
    why: async id => control(`GET /requests/${idIn(id)}`),
    changes: async id => control(`GET /requests/${idIn(id)}/changes`),
    recorded: async id =>
      control(`GET /requests${id === undefined ? '' : `/${idIn(id)}`}`, {
        query: { format: 'scenario' }
      }),
    explain: async (on, options = {}) => {
      checkOptions('explain', options, INJECT_OPTIONS)
      return control('POST /explain', { body: { ...requestIn(on, 'POST /refunds'), ...options } })
    },
    verify: body => control('POST /verify', body && { body }),
    coverage: scope => control('GET /coverage', { query: { ...scope } }),
    findings: scope => control('GET /findings', { query: { ...scope } }),
    report: () => control('GET /run')
  }) satisfies Partial<Emulator>

/** `firstKey` is sent where the operation needs a key and the options give none. */
async function inject(
  connection: Connection,
  prefix: string,
  firstKey: string | null,
  on: string,
  options: InjectOptions = {}
): Promise<InjectedResponse> {
  checkOptions('inject', options, INJECT_OPTIONS)
  const { method, path } = requestIn(on, 'POST /refunds')
  const {
    query,
    body,
    key = needsKey(method, pathOf(path)) ? firstKey : null,
    headers = {}
  } = options
  const lowerCaseHeaders = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    value
  ])
  const { text, ...response } = await connection.send({
    method,
    path: `${prefix}${BASE}${path}${queryOf(query)}`,
    headers: {
      ...(key !== null && { authorization: basicAuthorization(key) }),
      ...(body !== undefined && { 'content-type': FORM }),
      ...Object.fromEntries(lowerCaseHeaders)
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : encodeForm(body) })
  })
  return { ...response, body: contentOf(text), text }
}

/** Errors: those of the request, and of the connection. */
async function sendControl<T>(
  connection: Connection,
  prefix: string,
  on: string,
  { query, body }: ControlOptions = {}
): Promise<T> {
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
  const content = text === '' ? undefined : contentOf(text)
  if (status < 300) return content
  const { error, ...verdict }: Refused = isObject(content) ? content : {}
  if (error !== undefined) throw new EmulatorError(error.code, error.message, { status, ...error })
  if (isUnmet(verdict))
    throw new EmulatorError('expectation_unmet', verdict.message, { status, verdict })
  throw ERRORS.unreadable(`${method} ${connection.address}${prefix}${CONTROL}${path}`, status)
}

type Refused = {
  error?: { code: RefusalCode; message: string; param?: string; problems?: Problem[] }
} & Partial<Verdict>

const isUnmet = (verdict: Partial<Verdict>): verdict is Verdict & { message: string } =>
  verdict.holds === false

async function deleteSandbox(connection: Connection, name: string): Promise<void> {
  if (connection.isClosed) return
  await sendControl(connection, '', `DELETE /sandboxes/${name}`).catch((error: EmulatorError) => {
    if (error.code !== 'sandbox_unknown') throw error
  })
}

/** Errors: `option_invalid`. */
function requestIn(on: string, example: string): { method: string; path: string } {
  const [, method, path] = METHOD_AND_PATH.exec(on) ?? []
  if (method === undefined || path === undefined) throw ERRORS.notARequest(example, on)
  return { method: method.toUpperCase(), path }
}

/** Errors: `name_invalid`. */
function nameIn(name: string): string {
  try {
    return checkedName(name)
  } catch (error) {
    throw errorFrom(error)
  }
}

/** Errors: `option_invalid` for an id that would lead to another path. */
function idIn(id: string): string {
  if (['', '.', '..'].includes(id)) throw ERRORS.notAnId(id)
  return encodeURIComponent(id)
}

function queryOf(query: Values = {}): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined)
  return parameters.length === 0 ? '' : `?${encodeForm(Object.fromEntries(parameters))}`
}

/** Errors: `option_invalid` for what cannot be written as JSON. */
export function jsonOf(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw ERRORS.notJson(error as Error)
  }
}
