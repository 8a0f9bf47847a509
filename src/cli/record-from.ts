/**
 * `commerce-emulator record --from URL --out FILE -- COMMAND…`: passes the requests of a command on
 * to a running service, and writes them as a scenario.
 */
import { basename, extname } from 'node:path'
import fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify'
import { BASE } from '../core/paths.js'
import { isObject } from '../core/quick-check.js'
import { maskedThroughout } from '../core/redaction.js'
import { SecretWords } from '../core/secret-words.js'
import { settingsInForce } from '../core/settings.js'
import { visible } from '../core/visible.js'
import type { Outcome } from '../engine/exchange.js'
import { execute } from '../engine/execute.js'
import { keyIn } from '../engine/keys.js'
import { needsKey, operationAt, operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import { common, determined, type Fields, playOf } from '../replay/played-requests.js'
import { SAYS as RECORDED } from '../replay/sentences.js'
import { CHECK_FORMATS } from '../reports/formats.js'
import { replaceFile } from '../sandbox/disk.js'
import { Sandbox } from '../sandbox/sandbox.js'
import { documentOf } from '../scenario/documents.js'
import { Library } from '../scenario/library.js'
import { withTexts } from '../scenario/references.js'
import type { Launch } from '../scenario/scenario.js'
import { answerRead, type StepAnswer, type StepData } from '../scenario/steps.js'
import { scenarioText } from '../scenario/yaml.js'
import { type ResponseBounds, textOf, whyNone } from './check/service-calls.js'
import { check } from './check.js'
import { fieldOf } from './drift/compare.js'
import { namedIn } from './drift/service-records.js'
import { type Command, flagOfRecording, runCommand } from './exec.js'
import { STATUS } from './failures.js'
import { checkWritable } from './record.js'
import { SAYS } from './sentences.js'

/** A request as it was sent, below the base address, and the response of the service. */
type Passed = {
  method: string
  url: string
  headers: FastifyRequest['headers']
  body: string | null
  answer: StepAnswer
}
type FromOptions = {
  from: string
  out: string
  launch: Launch
  names: { baseUrlName: string }
  killAfter: number
}

const BOUNDS: ResponseBounds = { maxBytes: 16_777_216, timeout: 30_000 }
const MAX_BODY = 1_048_576
/** What belongs to a connection, and not to the request or response on it. */
const OF_CONNECTION = [
  'connection',
  'content-encoding',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding'
]
/** The first key that the command sends is that of steps that name none. */
const FIRST_KEY = 'key'

/**
 * Returns the exit status: that of the command, or 1 when only the file could not be written. How
 * the responses differ from the emulator's is told, and fails nothing.
 */
export async function recordFrom(
  command: Command,
  { from, out, launch, names, killAfter }: FromOptions,
  stderr: NodeJS.WriteStream
): Promise<number> {
  await checkWritable(out)
  const say = (text: string) => stderr.write(`commerce-emulator: ${visible(text)}\n`)
  const passed: Passed[] = []
  const most = settingsInForce({ ...launch, flag: flagOfRecording(launch) }).values[
    'limits.journal'
  ]
  let omitted = 0
  const proxy = proxyTo(from, one => {
    if (passed.length < most) passed.push(one)
    else omitted++
  })
  const address = await proxy.listen({ port: 0, host: '127.0.0.1' })
  const status = await runCommand(
    command,
    { [names.baseUrlName]: address },
    killAfter,
    stderr
  ).finally(() => proxy.close())

  const recorded = await scenarioOf(passed, { file: basename(out), from, launch })
  if (omitted > 0) say(SAYS.not_kept(most, omitted))
  if (recorded.answers.length === 0) {
    say(SAYS.not_written(out, SAYS.nothing_passed()))
    return status || STATUS.failed
  }
  await (await replaceFile(out, [scenarioText(recorded.data, recorded.notes)])).close()
  say(SAYS.recorded(out, passed.length, passed.length - recorded.answers.length))
  const answers = recorded.answers.values()
  const responses = () => answers.next().value as StepAnswer
  stderr.write(
    CHECK_FORMATS.text(
      await check([out], {
        launch,
        against: from,
        keys: recorded.keys,
        variables: new Map(),
        ...BOUNDS,
        responses
      })
    )
  )
  return status
}

/**
 * Listens in place of the service: a request goes there as it is, and so does the response come
 * back. A record that a request names, and that no response has
 * shown, is read first: only so is known what the service had.
 */
function proxyTo(from: string, keep: (passed: Passed) => void): FastifyInstance {
  const base = from.replace(/\/+$/, '')
  const shown = new Set<unknown>()
  let authorization: string | undefined
  const pass = async (request: Omit<Passed, 'answer'>) => {
    const { method, url, headers, body } = request
    const response = await fetch(`${base}${url}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(BOUNDS.timeout),
      headers: { ...ownOf(headers), 'accept-encoding': 'identity' },
      ...(body !== null && { body })
    })
    const text = await textOf(response, BOUNDS.maxBytes)
    const own = ownOf(Object.fromEntries(response.headers))
    const answer = answerRead(response.status, own, text)
    JSON.stringify(answer.body, (name, value) => {
      if (name === 'id') shown.add(value)
      return value
    })
    keep({ ...request, answer })
    return { status: response.status, headers: own, text }
  }
  const readNamed = async ({ method, url, body }: Omit<Passed, 'answer'>) => {
    const [path = '', query = ''] = url.split('?')
    for (const { families, id } of namedIn({ method, path, query, form: body, key: null })) {
      const read = `/${families[0]}/${encodeURIComponent(id)}`
      if (
        shown.has(id) ||
        authorization === undefined ||
        read === path ||
        operationAt('GET', read) === null
      )
        continue
      shown.add(id)
      await pass({ method: 'GET', url: read, headers: { authorization }, body: null })
    }
  }
  const app = fastify({ bodyLimit: MAX_BODY, forceCloseConnections: true })
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const isTooLong = error.statusCode === 413
    const message = isTooLong
      ? SAYS.body_too_long(MAX_BODY)
      : SAYS.not_passed(from, whyNone(error, BOUNDS.timeout))
    return reply.code(502).send({ error: { message } })
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.all(
    '/*',
    async (
      { method, url, headers, body = null }: FastifyRequest<{ Body: string | null }>,
      reply
    ) => {
      const request = { method, url, headers, body }
      authorization = headers.authorization ?? authorization
      await readNamed(request)
      const response = await pass(request)
      return reply.code(response.status).headers(response.headers).send(response.text)
    }
  )
  return app
}

const ownOf = (headers: FastifyRequest['headers']) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name))
  ) as Record<string, string>

type Recorded = {
  data: Record<string, unknown>
  notes: string[]
  /** Of the requests that are in it, in their order. */
  answers: StepAnswer[]
  /** By their names in the scenario. */
  keys: Map<string, string>
}

/**
 * The requests as plays; what they sent is read and masked as the emulator's own journal is.
 * Errors: none but those of the settings.
 */
async function scenarioOf(
  passed: readonly Passed[],
  { file, from, launch }: { file: string; from: string; launch: Launch }
): Promise<Recorded> {
  const name = basename(file, extname(file))
  const sent = [...new Set(passed.flatMap(({ headers }) => keyIn(headers.authorization) ?? []))]
  const named = sent.map(
    (key, nth) => [nth === 0 ? FIRST_KEY : `${FIRST_KEY}_${nth + 1}`, key] as const
  )
  // Accounts that the keys act as in the emulator
  const data = {
    api_keys: named.map(([key]) => ({ key, account: key })),
    accounts: named.map(([key]) => ({
      id: key,
      type: 'merchant',
      name: key,
      email: `${key}@service.example`,
      address: { country: 'US' }
    }))
  }
  const words = new SecretWords(sent)
  const sandbox = new Sandbox({
    library: new Library({ fixtures: null, scenarios: null }),
    launch,
    machine: Date.now
  })
  await sandbox.load(documentOf(name, { data }), { name, file: null })
  for (const [account, key] of named) sandbox.store.keys.set(key, account)

  const written = new Map<string, string>()
  const inPlay = (text: string) => written.get(text) ?? text
  const answers: StepAnswer[] = []
  const play: StepData[] = []
  const notes = [
    RECORDED.of_service(from),
    SAYS.checked_with(
      file,
      from,
      named.slice(1).map(([key]) => key)
    )
  ]
  for (const [index, { answer, ...request }] of passed.entries()) {
    const call = execute(
      sandbox,
      { ...request, url: `${BASE}${request.url}` },
      { isScripted: false }
    )
    call.redact()
    // placeholders for card data follow what the service shows of it
    call.outcome = { ...call.outcome, shown: answer.body as Outcome['shown'] }
    const { operation } = call
    const label = `${call.method} ${call.path}`
    const made = playOf(call, {
      keyOf: account => (account === FIRST_KEY ? undefined : account),
      written: inPlay
    })
    if (operation === null || made === null) {
      notes.push(RECORDED.of(label, RECORDED.no_operation(String(answer.status))))
      continue
    }
    if (call.account === null && needsKey(call.method, call.path)) {
      notes.push(RECORDED.of(label, RECORDED.no_key()))
      continue
    }
    const { kind, family } = operationOf(operation)
    const isCreated = kind === 'create' && answer.status < 300
    const body = maskedThroughout(answer.body, words) as Fields | null
    // what a service shows of its other records may be different the next time, and what is masked
    // is not what it shows
    const isExpected = isObject(body) && (isCreated || answer.status >= 400)
    const shared = (shown: Fields) => determined(shown, answer.status, isCreated, call.settings)
    const values = isExpected ? common(shared(body), shared(answer.body as Fields)) : undefined
    const expect = {
      status: answer.status,
      ...(values !== undefined && { body: withTexts(values, inPlay) })
    }
    const as = isCreated ? `${RESOURCE_NAMES[family].toLowerCase()}_${index + 1}` : null
    play.push({ ...(as !== null && { as }), ...made.step, expect } as StepData)
    answers.push({ ...answer, body })
    notes.push(...made.notes.map(note => RECORDED.of(as ?? label, note)))
    const id = fieldOf(answer.body, 'id')
    if (as !== null && typeof id === 'string') written.set(id, `\${${as}.id}`)
  }
  return {
    data: { name, description: RECORDED.description(from), data, play },
    notes,
    answers,
    keys: new Map(named)
  }
}
