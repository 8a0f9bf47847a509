/** The calls of the control API as rows of a table, and the routes that are made from them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import { decodeForm } from '../core/form.js'
import { CONTROL, controlOfBase, pathOf } from '../core/paths.js'
import { isObject } from '../core/quick-check.js'
import { type Settings, settingsInForce } from '../core/settings.js'
import type { Shares } from '../core/shares.js'
import { hasBody } from '../engine/exchange.js'
import { compileTable, decodeParameters } from '../engine/parameters.js'
import { NO_PARAMETERS, schemaOf } from '../reference/parameters.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { Body } from '../scenario/body.js'
import { documentOf, readDocument, refuseProblems, type SourceDocument } from '../scenario/documents.js'
import type { Library } from '../scenario/library.js'
import { readBy } from '../scenario/reading.js'
import type { Bodies } from '../server/bodies.js'
import type { EventStreams } from './events.js'
import type { Sessions } from './sessions.js'
import { sendJson } from './writing.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Changes what a data file holds, unless it is refused or only a trial. */
    isSaved?: true
    /** Adds something to a sandbox, for which there has to be memory. */
    adds?: true
    /** Whether a request changes nothing. */
    isTrial?: (request: FastifyRequest) => boolean
  }
}

export type Pages = {
  console: (reply: FastifyReply, control: string) => Promise<string>
  /** The API's documentation; `key` is what its calls are made with. */
  docs: (reply: FastifyReply, values: { control: string; key: string }) => Promise<string>
  /** Null where there is no such file. */
  file: (of: 'console' | 'docs', name: string) => Promise<{ type: string; content: Buffer } | null>
}

/** What the calls of one server share. */
export type Services = {
  sandboxes: Sandboxes
  library: Library
  /** Of the process; a sandbox has its own. */
  settings: Settings
  version: string
  pages: Pages
  sessions: Sessions
  streams: EventStreams
  /** The places of calls that wait. */
  waiting: Shares
  /** Aborted when the server closes. */
  closing: AbortSignal
}

/** What a call's handler is given. */
export type Context<Q = unknown, B = unknown> = Services & {
  request: FastifyRequest
  reply: FastifyReply
  sandbox: Sandbox
  /** The part of the path that is in capitals in the call's name. */
  name: string
  query: Q
  /** The body as its schema has it, and the document that it was read from. */
  body: B
  document: SourceDocument
  /** The body as it was sent; null where none was. */
  sent: Body | null
  /** A signal that is aborted when the caller leaves before the answer. */
  left: () => AbortSignal
}

/** With a schema, a body is read by it; without one it is a document of up to `limits.control_body`, which the handler reads. */
type BodyRow<S extends TSchema> = {
  /** As it is documented. */
  example: string
  /** In a refusal, where that is another one. */
  shown?: string
  schema?: () => S
  isOptional?: true
}

export type Call<Q extends TSchema = TSchema, B extends TSchema = TSchema> = {
  does: string
  /** Left out, there are no parameters; null takes any and reads none. */
  query?: Q | null
  body?: BodyRow<B>
  /** Needs no token: it shows nothing of the state, and belongs to the sandbox at the base address. */
  open?: true
  /** Answers browsers with a page; without a token, with the console, which asks for it. */
  page?: true
  /** Changes something, and makes the sandbox that it names; when it fails, there is none afterwards either. */
  makesSandbox?: true
  isSaved?: true
  adds?: true
  isTrial?: (request: FastifyRequest) => boolean
  /** The status of its answers, 200 when left out; a DELETE answers 204. */
  status?: 200 | 201
  run: (context: Context<Static<Q>, Static<B>>) => unknown
}

/** A row whose handler gets its query and body with their types. */
export const call = <Q extends TSchema, B extends TSchema>(row: Call<Q, B>): Call => row as unknown as Call

/** A query names no records, and everything unknown in it is refused. */
const nothing = () => {}
const PLAIN = { settings: settingsInForce({}).values, rely: nothing }
const LOOKUPS = { unknown: nothing, find: nothing, cursor: nothing }

/** Adds the route of a call, named by its method and its path. */
export function addCall(control: FastifyInstance, on: string, { run, query, body: wanted, status = 200, ...flags }: Call, services: Services): void {
  const [method, path] = on.split(' ') as [string, string]
  const table = query === null ? null : compileTable(schemaOf(query ?? NO_PARAMETERS))
  const read = wanted && bodyReader(wanted)
  const takesDocument = wanted !== undefined && wanted.schema === undefined
  control.route({
    method,
    url: path.replace(/[A-Z]{2,}/, named => `:${named.toLowerCase()}`),
    config: { ...flags, takesDocument },
    bodyLimit: services.settings[takesDocument ? 'limits.control_body' : 'limits.body'],
    handler: async (request, reply) => {
      const { sandbox } = request.arrival
      const [name = ''] = Object.values(request.params as Record<string, string>)
      const decoded = table && queryOf(request, table)
      const sent = sentBody(request)
      const left = departureOf(reply)
      const given = (await read?.(sent, sandbox, left)) as Pick<Context, 'body' | 'document'>
      reply.code(method === 'DELETE' ? 204 : status)
      const answer = await run({ ...services, ...given, request, reply, sandbox, name, query: decoded, sent, left })
      if (method === 'DELETE') return reply.send()
      return isObject(answer) ? sendJson(reply, answer) : answer
    }
  })
}

/** Errors: those of the emulated API, naming the parameter. */
function queryOf(request: FastifyRequest, table: ReturnType<typeof compileTable>) {
  const { root, problem } = decodeForm(request.query as string, request.arrival.sandbox.settings)
  if (problem) throw new ApiError(problem.code, { message: problem.message, param: problem.param })
  return decodeParameters(table, root, PLAIN, LOOKUPS)
}

/** Null where no body was sent, or white space alone. */
const sentBody = ({ body }: FastifyRequest): Body | null => (body instanceof Body && !body.isEmpty ? body : null)

/** A reader of bodies; large ones are read by the worker. Errors: `body_malformed` for none, or broken JSON; `document_invalid`. */
function bodyReader({ example, shown = example, schema, isOptional }: BodyRow<TSchema>) {
  const checker = schema && checkerOf(schema)
  return async (sent: Body | null, { settings, jobs }: Sandbox, left: Context['left']): Promise<Partial<Pick<Context, 'body' | 'document'>>> => {
    if (sent === null && !isOptional)
      throw new ApiError('body_malformed', { message: `This call needs a body, as application/json or application/yaml, such as ${shown}` })
    if (sent === null || checker === undefined) return { body: {} }
    const { type, bytes } = sent
    if (sent.isLarge) {
      const job = { kind: 'value', type, bytes, schema: (schema as () => object)() } as const
      const [data] = await readBy(jobs, job, left(), async ({ parts }) => {
        const members: unknown[] = []
        for await (const [, [member]] of parts()) members.push(member)
        return members
      })
      return { body: data, document: documentOf('body', data, settings) }
    }
    const document = await readDocument('body', sent.text, { limits: settings, type })
    await refuseProblems(document, checker)
    return { body: document.data, document }
  }
}

const departureOf =
  ({ raw }: FastifyReply) =>
  (): AbortSignal => {
    const departure = new AbortController()
    const leave = () => departure.abort(new ApiError('request_malformed', { message: 'The caller left before the answer.' }))
    raw.once('close', leave)
    return departure.signal
  }

/** Accepts JSON and YAML, as bytes that are read when they are needed; any other type is refused with 415. */
export function acceptBodies(control: FastifyInstance, bodies: Bodies): void {
  control.removeAllContentTypeParsers()
  for (const type of ['json', 'yaml'] as const) {
    control.addContentTypeParser(`application/${type}`, async (request: FastifyRequest, payload: FastifyRequest['raw']) => {
      return new Body(type, await bodies.read(request, payload))
    })
  }
  control.addContentTypeParser('*', (request, _payload, done) => {
    if (!hasBody(request.headers)) return done(null, undefined)
    const sent = request.headers['content-type'] ?? 'of no type'
    const message = `The body is ${sent}; the control API reads JSON and YAML: send it with Content-Type: application/json or application/yaml.`
    return done(new ApiError('content_type_unsupported', { message }))
  })
}

/** A control path that does not exist. */
export function noControlCall({ method, url, arrival }: FastifyRequest): ApiError {
  const control = controlOfBase(arrival.base)
  return new ApiError('path_unknown', {
    message: `The control API has no ${method} ${control}${pathOf(url).slice(CONTROL.length)}; GET ${control} links to what it has.`
  })
}
