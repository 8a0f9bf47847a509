/** An emulator, or one sandbox of it, as an object whose methods are control requests. */
import { NAMED_PARTS } from '../control/row.js'
import { FORM_TYPE } from '../core/form.js'
import { encodeForm } from '../core/form-encoding.js'
import { BASE, basicAuthorization, CONTROL, pathOf } from '../core/paths.js'
import { needsKey } from '../reference/operations.js'
import { isObject } from '../reference/rules.js'
import { checkedName } from '../sandbox/saved/names.js'
import { type Connection, contentOf } from './connection.js'
import type { ApiKey, Problem, RefusalCode, Verdict } from './documents.js'
import { EmulatorError, errorFrom } from './error.js'
import type { Methods } from './methods.js'
import type { ControlOptions, InjectedResponse, InjectOptions, Json, Values } from './options.js'
import { checkOptions, ERRORS } from './sentences.js'

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

/** A sandbox, or the base address for null. New sandboxes begin with `startKeys`. */
export type Place = {
  sandbox: string | null
  keys: readonly ApiKey[]
  startKeys?: readonly ApiKey[]
  close: () => Promise<void>
}

/** Without dots, which would lead to another path. */
const METHOD_AND_PATH = /^\s*([a-z]+)\s+(?![^?#]*[\\/](?:\.|%2e){1,2}(?:[\\/?#\s]|$))(\/\S*)\s*$/i

type Send = <T = Json>(on: string, options?: ControlOptions) => Promise<T>

export function emulatorAt(
  connection: Connection,
  { sandbox, keys: initialKeys, startKeys = initialKeys, close }: Place
): Emulator {
  const prefix = sandbox === null ? '' : `/sandbox/${sandbox}`
  const url = `${connection.address}${prefix}`
  let keys = initialKeys
  const send: Send = (on, options) => sendControl(connection, prefix, on, options)

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
    ...methodsOver(send),
    load: async (scenario, options = {}) => {
      const loaded = await send('POST /load', { body: { scenario, ...options } })
      keys = (await send<{ data: ApiKey[] }>('GET /keys')).data
      return loaded
    },
    explain: async (on, options) =>
      send('POST /explain', { body: { ...requestIn(on), ...options } }),
    control: send,
    sandbox: name => {
      const sandbox = nameIn(name)
      const close = () => deleteSandbox(connection, sandbox)
      return emulatorAt(connection, { sandbox, keys: startKeys, close })
    },
    inject: (on, options) => inject(connection, prefix, keys[0]?.key ?? null, on, options),
    close,
    [Symbol.asyncDispose]: close
  }
}

/** Methods that are one control request. */
function methodsOver(send: Send): Omit<Methods, 'load' | 'explain'> {
  /** Parameters are the parts of the path in capitals, and then the query or the body. */
  const row =
    (on: string) =>
    async (...parameters: (string | object | undefined)[]): Promise<Json> => {
      const sent = on.replaceAll(NAMED_PARTS, () => idIn(String(parameters.shift())))
      const [last] = parameters
      if (typeof last !== 'object') return send(sent)
      return send(sent, on.startsWith('GET ') ? { query: { ...last } } : { body: last })
    }
  return {
    // a test runner calls it with arguments of its own
    reset: () => send('POST /reset'),
    state: row('GET /state'),
    records: row('POST /records'),
    deleteRecord: row('DELETE /records/FAMILY/ID'),
    snapshot: row('PUT /snapshots/NAME'),
    restore: row('POST /snapshots/NAME/restore'),
    clock: {
      now: () => send('GET /clock'),
      set: row('PUT /clock'),
      advance: by => send('POST /clock/advance', { body: { by } })
    },
    script: {
      add: row('POST /script'),
      list: () => send('GET /script'),
      remove: row('DELETE /script/ID'),
      clear: () => send('DELETE /script')
    },
    gates: { list: () => send('GET /gates'), open: row('POST /gates/NAME/open') },
    requests: row('GET /requests'),
    why: row('GET /requests/ID'),
    verify: row('POST /verify'),
    coverage: row('GET /coverage'),
    findings: row('GET /findings')
  }
}

/** `firstKey` is sent where the operation needs a key and the options give none. */
async function inject(
  connection: Connection,
  prefix: string,
  firstKey: string | null,
  on: string,
  options: InjectOptions = {}
): Promise<InjectedResponse> {
  checkOptions('inject', options, ['query', 'body', 'key', 'headers'])
  const { method, path } = requestIn(on)
  const {
    query,
    body,
    key = needsKey(method, pathOf(path)) ? firstKey : null,
    headers = {}
  } = options
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const { text, ...response } = await connection.send({
    method,
    path: `${prefix}${BASE}${path}${queryOf(query)}`,
    headers: {
      ...(key !== null && { authorization: basicAuthorization(key) }),
      ...(body !== undefined && { 'content-type': FORM_TYPE }),
      ...Object.fromEntries(lowerCase)
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : encodeForm(body) })
  })
  return { ...response, body: contentOf(text), text }
}

async function sendControl<T>(
  connection: Connection,
  prefix: string,
  on: string,
  options: ControlOptions = {}
): Promise<T> {
  checkOptions('control', options, ['query', 'body'])
  const { query, body } = options
  const { method, path } = requestIn(on)
  const { status, text } = await connection.send({
    method,
    path: `${prefix}${CONTROL}${path === '/' ? '' : path}${queryOf(query)}`,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(connection.token !== null && { authorization: `Bearer ${connection.token}` })
    },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const content = text === '' ? undefined : contentOf(text)
  if (status < 300) return content
  const { error, ...verdict }: Refused = isObject(content) ? content : {}
  if (error !== undefined) throw new EmulatorError(error.code, error.message, { status, ...error })
  if (isUnmet(verdict))
    throw new EmulatorError('expectation_unmet', verdict.message, { status, verdict })
  throw ERRORS.notAnEmulator(`${connection.address}${prefix}${CONTROL}${path}`, status)
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
function requestIn(on: string): { method: string; path: string } {
  const [, method, path] = METHOD_AND_PATH.exec(on) ?? []
  if (method === undefined || path === undefined) throw ERRORS.notARequest(on)
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
