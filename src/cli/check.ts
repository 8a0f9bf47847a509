/** `commerce-emulator check FILE…`: plays a scenario's steps and checks its expectations, in process or against any running service. */
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../app.js'
import { ApiError } from '../core/errors.js'
import { createFormDecoder } from '../core/form.js'
import { withoutSecrets } from '../core/redaction.js'
import { SecretWords } from '../core/secret-words.js'
import { type Settings, settingsInForce } from '../core/settings.js'
import { BASE } from '../http/paths.js'
import { sentIn } from '../http/script.js'
import { isChange, operationAt, operationOf } from '../reference/operations.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { Sandboxes } from '../sandbox/sandboxes.js'
import { problemLine } from '../scenario/documents.js'
import { type Ending, Tally } from '../scenario/expectations.js'
import { Library } from '../scenario/library.js'
import type { SentCall } from '../scenario/matching.js'
import { bindingsOf, type Launch } from '../scenario/scenario.js'
import type { Fault } from '../scenario/script.js'
import { Answers, type Play, playSteps, type StepAnswer, type StepBindings, type StepCall, type StepOutcome } from '../scenario/steps.js'
import type { Store } from '../store/store.js'
import { VERSION } from '../version.js'
import { problemsOf } from './failures.js'

export type CheckOptions = {
  launch: Launch
  /** The base address of a running service; null plays in process. */
  against: string | null
  /** Keys to send in place of the scenario's own, by the scenario's key; under `''` the one for a step that names none. */
  keys: ReadonlyMap<string, string>
  /** Longest answer of a running service, in bytes, and the longest that it may take, in milliseconds. */
  mostBytes?: number
  timeout?: number
  /** Values of `${NAME}`. */
  variables: ReadonlyMap<string, string>
  /** Called before each file's steps and after each step, for a progress bar. */
  onProgress?: (what: string, done: number, total: number) => void
}
/** One checked item: a step, an expectation, or the document itself. */
export type Point = { file: string; title: string; problems: string[]; ms: number }

/** Checks the files one after the other. A document that cannot be loaded is a failed point, not an error. */
export async function check(files: readonly string[], options: CheckOptions): Promise<Point[]> {
  const points: Point[] = []
  const keys = new SecretWords([...options.keys.values()].filter(key => key.length >= SHORTEST_KEY))
  const show = (text: string) => withoutSecrets(text, keys)
  for (const file of files) {
    for (const { title, problems, ...point } of await checkFile(file, options)) points.push({ ...point, title: show(title), problems: problems.map(show) })
  }
  return points
}

/** A key is masked in reports from this length on: a shorter one is a word like any other. */
const SHORTEST_KEY = 8
/** What `check --against` reads of an answer and waits for it, by default. */
export const DEFAULT_ANSWER_BYTES = 16_777_216
export const DEFAULT_TIMEOUT = 30_000

async function checkFile(file: string, options: CheckOptions): Promise<Point[]> {
  const { launch } = options
  const settings = settingsInForce(launch).values
  const library = new Library({ fixtures: settings.fixtures_dir, scenarios: settings.scenarios_dir }, settings)
  const sandboxes = new Sandboxes({ library, launch, machine: Date.now })
  const sandbox = sandboxes.main
  try {
    const known = new Set<string>()
    await sandboxes.start(await library.file(file), { name: file, file }, { variables: { values: Object.fromEntries(options.variables), isText: true, known } })
  } catch (error) {
    return [{ file, title: 'the document is valid', problems: problemsOf(error as Error).map(problemLine), ms: 0 }]
  }
  const app = await buildApp({ sandboxes, library, settings, version: VERSION })
  try {
    return await checkLoaded(file, { app, sandbox, settings }, options)
  } finally {
    await app.close()
  }
}

type Loaded = { app: FastifyInstance; sandbox: Sandbox; settings: Settings }

/** Plays the steps of a scenario that is loaded, then its plays, and judges what it expects by the plays, or by the steps where there are none. */
async function checkLoaded(file: string, { app, sandbox, settings }: Loaded, options: CheckOptions): Promise<Point[]> {
  const { against, onProgress = () => {} } = options
  const { steps, play, expectations } = sandbox.requireLoaded()
  const tally = new Tally(expectations)
  const decode = createFormDecoder({ parameters: settings['limits.parameters'], depth: settings['limits.depth'] })
  const own = bindingsOf(sandbox.store)
  const bindings = bindingsFor(own, options)
  const counted =
    (play: Play): Play =>
    async (call, fault) => {
      const sent = sentBy({ ...call, key: scenarioKeyOf(call.key, own, options) }, sandbox.store, decode)
      if (sent !== null) tally.count(sent)
      const answer = await play(call, fault)
      if (sent !== null) tally.count(sent, endingBy(sent, answer))
      return answer
    }
  const points: Point[] = []
  const total = steps.length + play.length
  let since = performance.now()
  const add = (list: string, { at, title, problems }: StepOutcome) => {
    const now = performance.now()
    const nth = at.map(step => (typeof step === 'number' ? step + 1 : step)).join(' ')
    points.push({ file, title: `${list}${nth}. ${title}`, problems, ms: now - since })
    since = now
    onProgress(file, Math.min(points.length, total), total)
  }
  const answers = new Answers([...steps, ...play])
  onProgress(file, 0, total)

  const set = against === null ? app.playIn(sandbox) : playAgainst(against, options)
  await playSteps(steps, play.length > 0 ? set : counted(set), bindings, outcome => add('', outcome), answers)
  if (play.length > 0) {
    // a client of its own, so that the script acts on its calls and can lose their answers
    const base = against ?? `${await app.listen({ host: '127.0.0.1', port: 0 })}${BASE}`
    const client = playAgainst(base, options)
    await playSteps(play, against === null ? client : counted(client), bindings, outcome => add('play ', outcome), answers)
  }
  // calls are counted by what became of them when their connections have ended
  await app.close()
  const judged = play.length > 0 && against === null ? sandbox.tally : tally
  for (const { expectation, wanted, seen, holds, message } of judged.verdicts(sandbox.store)) {
    if ('state' in expectation && against !== null) continue
    const problem = 'on' in expectation ? `${seen} came` : message
    points.push({ file, title: `expects ${wanted}`, problems: holds ? [] : [problem], ms: 0 })
  }
  if (points.length === 0) points.push({ file, title: 'the document is valid; it has no steps and no expectations', problems: [], ms: 0 })
  return points
}

/** A call as the scenario's expectations match it; null where it is none of the reference. */
function sentBy({ method, path, query, key, form }: StepCall, store: Store, decode: ReturnType<typeof createFormDecoder>): SentCall | null {
  const route = operationAt(method, path)
  if (route === null) return null
  const account = (key !== null && store.keys.get(key)) || null
  return sentIn(store, { ...route, account, query: decode(query).root, body: decode(form ?? '').root }, key)
}

/** What became of a call, as far as its answer says so: a service that answers a change with a 2xx has made it. */
const endingBy = ({ operation }: SentCall, { status }: StepAnswer): Ending => ({
  status,
  isDelivered: status > 0,
  tookEffect: status >= 200 && status < 300 && isChange(operationOf(operation))
})

/** The values of names and keys: the scenario's own in process, those of the command line for a running service. */
function bindingsFor(own: StepBindings, { against, keys, variables }: CheckOptions): StepBindings {
  const variable = (name: string) => variables.get(name) ?? (against === null ? own.variable(name) : undefined)
  if (against === null) return { variable, key: own.key }
  const first = own.key('')
  return {
    variable,
    key: name => {
      const key = keys.get(name) ?? (name === '' || name === first ? (keys.get(first ?? '') ?? keys.get('')) : undefined)
      if (key === undefined) {
        const wanted = name || first
        const message = wanted
          ? `The scenario calls with the key ${wanted}; give --key ${wanted}=KEY for it.`
          : 'A step names no key, and the scenario has none of a merchant; give --key KEY for it.'
        throw new ApiError('setting_invalid', { message })
      }
      return key
    }
  }
}

/** The scenario's own key for a key that was sent in its place, so that an expectation of a key holds wherever the scenario is played. */
function scenarioKeyOf(key: string | null, own: StepBindings, { against, keys }: CheckOptions): string | null {
  const [name] = (against !== null && [...keys].find(([, sent]) => sent === key)) || [key]
  return name === '' ? own.key('') : name
}

/** How long a call that is expected to hang is waited for. */
const HANG_MS = 1000

/** Plays over HTTP. A redirect is not followed, so that no key goes to another address. When no answer can be read, the result is an error with status 0. */
function playAgainst(base: string, { mostBytes = DEFAULT_ANSWER_BYTES, timeout = DEFAULT_TIMEOUT }: Pick<CheckOptions, 'mostBytes' | 'timeout'>): Play {
  return async ({ method, path, query, key, form }, fault) => {
    const longest = fault === 'hang' ? Math.min(HANG_MS, timeout) : timeout
    let answer: Response | null = null
    try {
      answer = await fetch(`${base.replace(/\/+$/, '')}${path}${query === '' ? '' : `?${query}`}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(longest),
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(key !== null && { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
          ...(form !== null && { 'content-type': 'application/x-www-form-urlencoded' })
        },
        ...(form !== null && { body: form })
      })
      return bodyRead(answer.status, await textOf(answer, mostBytes), answer.headers.get('content-type'))
    } catch (error) {
      const message = reasonOf(error as FetchError, longest)
      return { status: 0, body: { error: { message } }, fault: error instanceof UnreadableAnswer ? null : faultBy(error as FetchError, answer !== null) }
    }
  }
}

/** An answer as data; what says that it is JSON and is not has been broken on the way. */
function bodyRead(status: number, text: string, type: string | null): StepAnswer {
  try {
    return { status, body: JSON.parse(text) }
  } catch {
    return { status, body: text === '' ? null : text, ...(type?.includes('json') && text !== '' && { fault: 'malformed_body' }) }
  }
}

type FetchError = Error & { cause?: { code?: string; message?: string } }

/** The fault by which an answer was lost, by what the client saw of it. */
function faultBy({ name, cause }: FetchError, hasBegun: boolean): Fault | null {
  if (name === 'TimeoutError') return 'hang'
  if (hasBegun) return 'truncated_body'
  if (cause?.code === 'ECONNRESET') return 'connection_reset'
  return cause?.code === 'UND_ERR_SOCKET' ? 'empty_response' : null
}

class UnreadableAnswer extends Error {}

/** The text of an answer. Errors: `UnreadableAnswer` for one that is compressed or too long. */
async function textOf({ headers, body }: Response, mostBytes: number): Promise<string> {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    await body?.cancel()
    throw new UnreadableAnswer(`the answer is compressed (Content-Encoding: ${encoding}), though Accept-Encoding: identity was sent`)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // leaving the loop ends the connection
    if (bytes > mostBytes) throw new UnreadableAnswer(`the answer is longer than ${mostBytes} bytes; --max-answer reads more`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function reasonOf(error: FetchError, timeout: number): string {
  if (error instanceof UnreadableAnswer) return error.message
  const { name, message, cause } = error
  if (name === 'TimeoutError') return `no answer came within ${timeout} ms; --timeout waits longer`
  return `no answer came: ${cause?.code ?? cause?.message ?? message}`
}
