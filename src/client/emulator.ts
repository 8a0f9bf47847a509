/** An emulator, or one sandbox of it, as an object whose methods are control requests. */

import { basicAuthorization } from '../core/basic-authorization.js'
import { encodeForm } from '../core/form-encoding.js'
import { BASE, CONTROL, pathOf } from '../core/paths.js'
import { isObject } from '../core/quick-check.js'
import { needsKey } from '../reference/operations.js'
import { checkedName } from '../sandbox/saved/names.js'
import { checkedVars, checkOptions } from './check-options.js'
import { type Connection, contentOf } from './connection.js'
import type { AnswerCode, ApiKey, Loaded, Problem, Verdict } from './documents.js'
import { EmulatorError, errorFrom } from './error.js'
import type { Methods } from './methods.js'
import type {
  ControlOptions,
  ExplainOptions,
  InjectedAnswer,
  InjectOptions,
  Json,
  Values
} from './options.js'
import { ERRORS } from './sentences.js'

/**
 * An emulator, or one sandbox of it. Methods resolve to the response of their control request. A
 * refusal rejects with an `EmulatorError`; each may also reject with `no_answer` and, after `close`,
 * with `closed`.
 */
export type Emulator = Methods & {
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
   * The requests since the last load or reset as a scenario that replays them, in YAML; with an id
   * that request alone, with the records that it touched and what they refer to. Errors:
   * `request_unknown`, `parameter_invalid`.
   */
  recorded: (id?: string) => Promise<string>
  /**
   * Sends any other control request, such as `GET /settings`; resolves to JSON as a value, and to
   * anything else as text.
   */
  control: (on: string, options?: ControlOptions) => Promise<Json>

  /**
   * The object for a sandbox of this emulator. The first request that changes it, such as `reset`,
   * creates it, in the scenario of the start. Errors: throws `name_invalid`.
   */
  sandbox: (name: string) => Emulator
  /**
   * Sends a request such as `POST /refunds` to the emulated API: in process without a socket,
   * otherwise over HTTP. A refusal is a response like any other.
   * Errors: `option_invalid`; `no_answer` where a script loses the response.
   */
  inject: (on: string, options?: InjectOptions) => Promise<InjectedAnswer>
  /**
   * Stops an emulator of `startEmulator`; ends the connections of an object of `connect`; deletes a
   * sandbox, if it is there. Errors: `data_not_written`.
   */
  close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose]: () => Promise<void>
}

/** A sandbox or, with null, the base address. A new sandbox begins with `startKeys`. */
export type Place = {
  sandbox: string | null
  keys: readonly ApiKey[]
  startKeys: readonly ApiKey[]
  close: () => Promise<void>
}

const FORM = 'application/x-www-form-urlencoded'
/** Dots lead outside. */
const ON = /^\s*([a-z]+)\s+(?![^?#]*[\\/](?:\.|%2e){1,2}(?:[\\/?#\s]|$))(\/\S*)\s*$/i
const INJECT_OPTIONS = [
  'query',
  'body',
  'key',
  'headers'
] as const satisfies (keyof InjectOptions)[]
const EXPLAIN_OPTIONS = [...INJECT_OPTIONS, 'changes'] as const satisfies (keyof ExplainOptions)[]

/** The object for a part of an emulator. */
export function emulatorAt(
  connection: Connection,
  { sandbox, keys: first, startKeys, close }: Place
): Emulator {
  const prefix = sandbox === null ? '' : `/sandbox/${sandbox}`
  const url = `${connection.address}${prefix}`
  let keys = first
  const control = <T = void>(on: string, options?: ControlOptions): Promise<T> =>
    controlled(connection, prefix, on, options)

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
      checkOptions('load', options, ['vars', 'seed'])
      const { vars, seed } = options
      const loaded = await control<Loaded>('POST /load', {
        body: { scenario, seed, ...(vars && { vars: checkedVars(vars) }) }
      })
      keys = (await control<{ data: ApiKey[] }>('GET /keys')).data
      return loaded
    },
    state: moment => control('GET /state', { query: { ...moment } }),
    records: body => control('POST /records', { body }),
    changeRecord: async (family, id, body) =>
      control(`PATCH /records/${idIn(family)}/${idIn(id)}`, { body }),
    deleteRecord: async (family, id) => control(`DELETE /records/${idIn(family)}/${idIn(id)}`),
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
    changes: async id => control(`GET /requests/${idIn(id)}/changes`),
    recorded: async id =>
      control(`GET /requests${id === undefined ? '' : `/${idIn(id)}`}`, {
        query: { format: 'scenario' }
      }),
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
    sandbox: name =>
      emulatorAt(connection, {
        sandbox: nameIn(name),
        keys: startKeys,
        startKeys,
        close: () => deleteSandbox(connection, name)
      }),
    inject: (on, options) => injected(connection, prefix, keys[0]?.key ?? null, on, options),
    close,
    [Symbol.asyncDispose]: close
  }
}

/** `firstKey` is sent where the operation needs a key and the options give none. */
async function injected(
  connection: Connection,
  prefix: string,
  firstKey: string | null,
  on: string,
  options: InjectOptions = {}
): Promise<InjectedAnswer> {
  checkOptions('inject', options, INJECT_OPTIONS)
  const { method, path } = requestIn(on, 'POST /refunds')
  const {
    query,
    body,
    key = needsKey(method, pathOf(path)) ? firstKey : null,
    headers = {}
  } = options
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
async function controlled<T>(
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
  const content = contentOf(text)
  if (status < 300) return (text === '' ? undefined : content) as T
  const { error, ...verdict }: Refused = isObject(content) ? content : {}
  if (error !== undefined)
    throw new EmulatorError(error.code, error.message, {
      status,
      param: error.param,
      problems: error.problems
    })
  if (verdict.holds === false)
    throw new EmulatorError('expectation_unmet', verdict.message as string, {
      status,
      verdict: verdict as Verdict
    })
  throw ERRORS.unreadable(`${method} ${connection.address}${prefix}${CONTROL}${path}`, status)
}

type Refused = {
  error?: { code: AnswerCode; message: string; param?: string; problems?: Problem[] }
} & Partial<Verdict>

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
