/** The rows of the control API, and the routes that are made from them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import { decodeForm } from '../core/form.js'
import { sentence } from '../core/nearest.js'
import { CONTROL, controlOfBase, pathOf } from '../core/paths.js'
import type { Settings } from '../core/settings.js'
import type { Shares } from '../core/shares.js'
import { hasBody } from '../engine/arrived.js'
import { NO_PARAMETERS, schemaOf } from '../reference/parameters.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { refuseProblems } from '../scenario/documents.js'
import type { Library } from '../scenario/library.js'
import type { SourceDocument } from '../scenario/read/document.js'
import { Body } from '../scenario/reading.js'
import type { Data } from '../server/api.js'
import type { Bodies } from '../server/bodies.js'
import { freed } from '../work/heap.js'
import type { EventStreams } from './evidence/events.js'
import type { Sessions } from './guard.js'
import { isYes } from './schemas.js'
import { REFUSALS } from './sentences.js'
import { type Format, sendAnswer } from './writing.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    row?: Flags
  }
}

export type Pages = {
  console: (reply: FastifyReply, control: string) => Promise<void>
  /** `key` is what its requests are made with, so no cache may keep the page. */
  docs: (reply: FastifyReply, values: { control: string; key: string }) => Promise<string>
  /** Returns whether there is such a file. */
  file: (reply: FastifyReply, of: 'console' | 'docs', name: string) => Promise<boolean>
}

export type Services = {
  sandboxes: Sandboxes
  library: Library
  /** Those of the process; a sandbox has its own. */
  settings: Settings
  version: string
  data: Data
  pages: Pages
  sessions: Sessions
  streams: EventStreams
  waiting: Shares
  closing: AbortSignal
}

export type Context<Q = unknown, B = unknown> = Services & {
  request: FastifyRequest
  reply: FastifyReply
  sandbox: Sandbox
  /** The first and the second part of the path that the row has in capitals. */
  name: string
  id: string
  query: Q
  /** The body by its schema, and the document that it was read from. */
  body: B
  document: SourceDocument
  sent: Body | null
  isTrial: boolean
  /** Aborted when the client leaves before the response. */
  left: () => AbortSignal
}

export type Flags = {
  /** Needs no token: it shows no state, and is of the base address. */
  open?: true
  /** Without a token, browsers get the console, which asks for it. */
  page?: true
  /** Makes the sandbox that it names, unless it fails. */
  makesSandbox?: true
  /** Changes what a data folder holds, if it is neither refused nor a trial. */
  isSaved?: true
  /** Adds something, for which there has to be memory. */
  adds?: true
}

/** Of a row that changes the state of the sandbox that it names, and makes it if needed. */
export const CHANGES = { makesSandbox: true, isSaved: true } as const

export type Row<Q extends TSchema = TSchema, B extends TSchema = TSchema> = Flags & {
  does: string
  /** Without it there are no parameters; null takes any and reads none. */
  query?: Q | null
  /** Without a schema it is a document of up to `limits.control_body`, which the handler reads. */
  body?: {
    example: string
    schema?: () => B
    isOptional?: true
    /** What describes such a document. */
    published?: () => object
  }
  /** Left out, the response is empty, text or a document. */
  answer?: TSchema
  /** 200 by default; a DELETE has 204. */
  status?: 200 | 201
  /** The status of a negative result of the same type. */
  also?: 409 | 503
  run: (context: Context<Static<Q>, Static<B>>) => unknown
}

/** A name is a method and a path; capitals are any name or id. */
export type Group = { title: string; rows: Rows }
export type Rows = Readonly<Record<string, Row>>

/** A row whose handler gets the types of its query and body. */
export const row = <Q extends TSchema, B extends TSchema>(row: Row<Q, B>): Row =>
  row as unknown as Row

/** `dry_run` and `format` mean the same wherever a row takes them. */
type Query = { dry_run?: string; format?: Format }

export function addRoute(control: FastifyInstance, on: string, row: Row, services: Services): void {
  const [method, path] = on.split(' ') as [string, string]
  const takesDocument = row.body !== undefined && row.body.schema === undefined
  control.route({
    method,
    exposeHeadRoute: method === 'GET',
    url: path.replaceAll(/[A-Z]{2,}/g, named => `:${named.toLowerCase()}`),
    config: { row, takesDocument },
    bodyLimit: services.settings[takesDocument ? 'limits.control_body' : 'limits.body'],
    handler: handlerOf(on, row, services)
  })
}

function handlerOf(on: string, row: Row, services: Services) {
  const { run, status = 200, adds, isSaved, makesSandbox } = row
  const { sandboxes, data } = services
  const readQuery = row.query === null ? takeAny : queryReader(row.query ?? NO_PARAMETERS)
  const readBody = row.body ? bodyReader(row.body) : refuseBody
  const isDelete = on.startsWith('DELETE')
  const frees = isDelete || /\/(?:load|reset)$/.test(on)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { sandbox } = request.arrival
    const query = readQuery(request)
    const isTrial = isYes(query.dry_run)
    if (adds) sandboxes.requireRoom(sandbox)
    if (isSaved && !isTrial) await data?.writable()
    const [name = '', id = ''] = Object.values(request.params as Record<string, string>)
    const sent = request.body instanceof Body && !request.body.isEmpty ? request.body : null
    const left = () => clientDisconnect(reply)
    const taken = (await readBody(sent, sandbox, left)) as Pick<Context, 'body' | 'document'>
    reply.code(isDelete ? 204 : status)
    const of = { request, reply, sandbox, name, id, query, sent, left, isTrial }
    const answer = await run({ ...services, ...taken, ...of })
    if (frees) freed()
    if (makesSandbox && !isTrial) sandboxes.keep(sandbox)
    if (isSaved && !isTrial) await data?.saved()
    if (isDelete) return reply.send()
    return sendAnswer(reply, answer, query.format)
  }
}

const takeAny = (): Query => ({})

/**
 * Reads queries. An empty value counts as left out; of a parameter that is yes or no, as yes.
 * Errors: naming the parameter.
 */
function queryReader(parameters: TSchema) {
  const { properties = {} } = schemaOf(parameters)
  const { problems } = checkerOf(() => parameters)
  return ({ query, arrival }: FastifyRequest): Query => {
    const { root, problem } = decodeForm(query as string, arrival.sandbox.settings)
    if (problem) throw new ApiError(problem.code, problem)
    const values = [...root].flatMap(([name, value]): [string, unknown][] => {
      const { type, enum: words = [] } = properties[name] ?? {}
      if (value === '') return words[0] === '1' ? [[name, '1']] : []
      return [[name, type === 'integer' && /^\d+$/.test(String(value)) ? Number(value) : value]]
    })
    const sent = Object.fromEntries(values)
    const unknown = Object.keys(sent).find(name => !Object.hasOwn(properties, name))
    if (unknown !== undefined) throw REFUSALS.parameterUnknown(unknown, Object.keys(properties))
    const [wrong] = problems(sent)
    if (wrong) {
      const { path: param, message } = wrong
      throw new ApiError('parameter_invalid', { message: sentence(`${param} ${message}`), param })
    }
    return sent
  }
}

/** Reads bodies. Errors: `body_malformed` for none, or broken JSON; `document_invalid`. */
function bodyReader({ example, schema, isOptional }: NonNullable<Row['body']>) {
  const checker = schema && checkerOf(schema)
  return async (
    sent: Body | null,
    sandbox: Sandbox,
    left: Context['left']
  ): Promise<Partial<Pick<Context, 'body' | 'document'>>> => {
    if (sent === null && !isOptional) throw REFUSALS.bodyMissing(example)
    if (sent === null || checker === undefined) return { body: {} }
    const { type, text } = sent
    const document = await sandbox.reading(left)('body', text, { limits: sandbox.settings, type })
    await refuseProblems(document, checker)
    return { body: document.data, document }
  }
}

/** The `{}` of a client that always sends a body counts as none. */
function refuseBody(sent: Body | null): void {
  if (sent !== null && !/^\s*\{\s*\}\s*$/.test(sent.text)) throw REFUSALS.bodyUnexpected()
}

function clientDisconnect({ raw }: FastifyReply): AbortSignal {
  const disconnect = new AbortController()
  raw.once('close', () => disconnect.abort(REFUSALS.clientLeft()))
  return disconnect.signal
}

/** Accepts JSON and YAML, read when needed, and refuses any other type. */
export function acceptBodies(control: FastifyInstance, bodies: Bodies): void {
  control.removeAllContentTypeParsers()
  for (const type of ['json', 'yaml'] as const) {
    control.addContentTypeParser(
      `application/${type}`,
      async (request: FastifyRequest, payload: FastifyRequest['raw']) => {
        return new Body(type, await bodies.read(request, payload))
      }
    )
  }
  control.addContentTypeParser('*', ({ headers }, _payload, done) => {
    if (hasBody(headers)) done(REFUSALS.contentType(headers['content-type']))
    else done(null, undefined)
  })
}

/** `known` are the requests that exist, by method and path. */
export function noSuchPath(
  { url, arrival }: FastifyRequest,
  known: readonly string[] = []
): ApiError {
  return REFUSALS.pathUnknown(
    arrival.request.method,
    controlOfBase(arrival.base),
    pathOf(url).slice(CONTROL.length),
    known
  )
}
