/** The rows of the control API, and their routes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import { decodeForm } from '../core/form.js'
import { sentence } from '../core/nearest.js'
import { CONTROL, controlOfBase, pathOf } from '../core/paths.js'
import type { Settings } from '../core/settings.js'
import type { Shares } from '../core/shares.js'
import { hasBody } from '../engine/reading.js'
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
import { type Format, sendResult } from './writing.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    row?: Flags
  }
}

export type Pages = {
  console: (reply: FastifyReply, control: string) => Promise<void>
  /** The page holds the key of its requests, so it must not be cached. */
  docs: (reply: FastifyReply, values: { control: string; key: string }) => Promise<string>
  /** Returns whether the file exists. */
  file: (reply: FastifyReply, of: 'console' | 'docs', name: string) => Promise<boolean>
}

export type Services = {
  sandboxes: Sandboxes
  library: Library
  /** Of the process; a sandbox has its own. */
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
  /** The parts of the path that are in capitals in the row. */
  name: string
  id: string
  query: Q
  /** The parsed body, and the document it was read from. */
  body: B
  document: SourceDocument
  sent: Body | null
  isTrial: boolean
  /** Aborted when the client leaves before the response. */
  left: () => AbortSignal
}

export type Flags = {
  /** Needs no token: it shows no state. */
  open?: true
  /** The console asks a browser for its token. */
  page?: true
  /** Creates the sandbox that it names, unless it fails. */
  makesSandbox?: true
  /** Changes what a data folder keeps, unless it is refused or a trial. */
  isSaved?: true
  /** Needs memory for what it adds. */
  adds?: true
}

export const CHANGES = { makesSandbox: true, isSaved: true } as const

export type Row<Q extends TSchema = TSchema, B extends TSchema = TSchema> = Flags & {
  does: string
  /** Left out, there are no parameters; null ignores any. */
  query?: Q | null
  /** Without a schema, the handler reads a document of up to `limits.control_body`. */
  body?: {
    example: string
    schema?: () => B
    isOptional?: true
    /** The schema of such a document. */
    published?: () => object
  }
  /** Left out for an empty response, text or a document. */
  response?: TSchema
  /** 200 by default; a DELETE has 204. */
  status?: 200 | 201
  /** The status of a negative result of the same type. */
  also?: 409 | 503
  run(context: Context<Static<Q>, Static<B>>): unknown
}

/** By method and path; capitals are any name or id. */
export type Group = { title: string; rows: Rows }
export type Rows = Readonly<Record<string, Row>>

/** A row whose handler gets the types of its query and body. */
export const row = <Q extends TSchema, B extends TSchema>(row: Row<Q, B>): Row => row

/** The parameters that mean the same in every row. */
type Query = { dry_run?: string; format?: Format }
type Requested = { Params: Record<string, string>; Querystring: string }
type ControlRequest = FastifyRequest<Requested>

export function addRoute(control: FastifyInstance, on: string, row: Row, services: Services): void {
  const [method = '', path = ''] = on.split(' ')
  const takesDocument = row.body !== undefined && row.body.schema === undefined
  control.route<Requested>({
    method,
    exposeHeadRoute: method === 'GET',
    url: path.replaceAll(/[A-Z]{2,}/g, param => `:${param.toLowerCase()}`),
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
  return async (request: ControlRequest, reply: FastifyReply) => {
    const { sandbox } = request.arrival
    const query = readQuery(request)
    const isTrial = isYes(query.dry_run)
    if (adds) sandboxes.requireRoom(sandbox)
    if (isSaved && !isTrial) await data?.writable()
    const [name = '', id = ''] = Object.values(request.params)
    const sent = request.body instanceof Body && !request.body.isEmpty ? request.body : null
    const left = () => clientDisconnect(reply)
    const bodyParts = (await readBody(sent, sandbox, left)) as Pick<Context, 'body' | 'document'>
    reply.code(isDelete ? 204 : status)
    const requestParts = { request, reply, sandbox, name, id, query, sent, left, isTrial }
    const result = await run({ ...services, ...bodyParts, ...requestParts })
    if (frees) freed()
    if (makesSandbox && !isTrial) sandboxes.keep(sandbox)
    if (isSaved && !isTrial) await data?.saved()
    if (isDelete) return reply.send()
    return sendResult(reply, result, query.format)
  }
}

const takeAny = (): Query => ({})

/** An empty value counts as left out, or as yes for yes or no. Errors: with the parameter. */
function queryReader(parameters: TSchema) {
  const { properties = {} } = schemaOf(parameters)
  const { problems } = checkerOf(() => parameters)
  return ({ query, arrival }: ControlRequest): Query => {
    const { root, problem } = decodeForm(query, arrival.sandbox.settings)
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

/** Errors: `body_malformed` for a missing body or broken JSON; `document_invalid`. */
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

/** Some clients always send `{}`, which counts as no body. */
function refuseBody(sent: Body | null): void {
  if (sent !== null && !/^\s*\{\s*\}\s*$/.test(sent.text)) throw REFUSALS.bodyUnexpected()
}

function clientDisconnect({ raw }: FastifyReply): AbortSignal {
  const disconnect = new AbortController()
  raw.once('close', () => disconnect.abort(REFUSALS.clientLeft()))
  return disconnect.signal
}

/** Accepts JSON and YAML, and refuses any other type. */
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

/** `known`: the methods and paths that exist. */
export function noSuchPath(
  { url, arrival }: FastifyRequest,
  known: readonly string[] = []
): ApiError {
  return REFUSALS.pathUnknown(
    arrival.reading.method,
    controlOfBase(arrival.base),
    pathOf(url).slice(CONTROL.length),
    known
  )
}
