/** The requests of the control API as rows of a table, and the routes that are made from them. */
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
import { compileTable, decodeParameters, refuseMisshapen } from '../engine/parameters.js'
import { NO_PARAMETERS, schemaOf } from '../reference/parameters.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { Body } from '../scenario/body.js'
import {
  documentOf,
  readDocument,
  refuseProblems,
  type SourceDocument
} from '../scenario/documents.js'
import type { Library } from '../scenario/library.js'
import { readBy } from '../scenario/reading.js'
import type { Data } from '../server/api.js'
import type { Bodies } from '../server/bodies.js'
import { freed } from '../work/heap.js'
import type { AnswerName } from './answers.js'
import type { EventStreams } from './events.js'
import { REFUSALS } from './sentences.js'
import type { Sessions } from './sessions.js'
import { sendJson } from './writing.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    row?: Flags
  }
}

export type Pages = {
  /** Sends the console. */
  console: (reply: FastifyReply, control: string) => Promise<void>
  /**
   * The API's documentation; `key` is what its requests are made with, so that no cache may keep
   * it.
   */
  docs: (reply: FastifyReply, values: { control: string; key: string }) => Promise<string>
  /** Sends a file that a page loads. Returns whether there is such a file. */
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
  /** The places of requests that wait. */
  waiting: Shares
  /** Aborted when the server closes. */
  closing: AbortSignal
}

export type Context<Q = unknown, B = unknown> = Services & {
  request: FastifyRequest
  reply: FastifyReply
  sandbox: Sandbox
  /** The parts of the path that are in capitals in the row's name: the first, and the second. */
  name: string
  id: string
  query: Q
  /** The body as its schema has it, and the document that it was read from. */
  body: B
  document: SourceDocument
  /** The body as it was sent; null where none was. */
  sent: Body | null
  /** Whether it changes nothing. */
  isTrial: boolean
  /** A signal that is aborted when the client leaves before the response. */
  left: () => AbortSignal
}

export type Flags = {
  /**
   * Needs no token: it shows nothing of the state, and belongs to the sandbox at the base address.
   */
  open?: true
  /** Shows browsers a page; without a token the console, which asks for it. */
  page?: true
  /**
   * Changes something, and makes the sandbox that it names; when it fails, there is none afterwards
   * either.
   */
  makesSandbox?: true
  /** Changes what a data file holds, unless it is refused or only a trial. */
  isSaved?: true
  /** Adds something to a sandbox, for which there has to be memory. */
  adds?: true
  /** Whether a request changes nothing. */
  isTrial?: (request: FastifyRequest) => boolean
}

export type Row<Q extends TSchema = TSchema, B extends TSchema = TSchema> = Flags & {
  does: string
  /** Left out, there are no parameters; null takes any and reads none. */
  query?: Q | null
  /**
   * With a schema, a body is read by it; without one it is a document of up to
   * `limits.control_body`, which the handler reads.
   */
  body?: {
    example: string
    schema?: () => B
    isOptional?: true /** What describes such a document. */
    published?: () => object
  }
  /**
   * The type of its JSON; `X[]` is `{ data: X[] }`. Left out, it responds with nothing, text, or a
   * document that has a schema of its own.
   */
  answer?: AnswerName
  /** The status of its response, 200 when left out; a DELETE has 204. */
  status?: 200 | 201
  /** The status of a response of the same type that tells what is not so. */
  also?: 409 | 503
  run: (context: Context<Static<Q>, Static<B>>) => unknown
}

/**
 * Requests of one subject. A name is a method and the path below `/_control`; parts in capitals are
 * any name or id.
 */
export type Group = { title: string; rows: Rows }
export type Rows = Readonly<Record<string, Row>>

/** A row whose handler gets its query and body with their types. */
export const row = <Q extends TSchema, B extends TSchema>(row: Row<Q, B>): Row =>
  row as unknown as Row

/** A query names no records, and everything unknown in it is refused. */
const nothing = () => {}
const PLAIN = { settings: settingsInForce({}).values, rely: nothing }
const LOOKUPS = { unknown: nothing, find: nothing, cursor: nothing }

export function addRoute(control: FastifyInstance, on: string, row: Row, services: Services): void {
  const { run, query, body: wanted, status = 200, adds, isSaved, makesSandbox } = row
  const { sandboxes, data } = services
  const [method, path] = on.split(' ') as [string, string]
  const table = query === null ? null : compileTable(schemaOf(query ?? NO_PARAMETERS))
  const read = wanted ? bodyReader(wanted) : refuseBody
  const takesDocument = wanted !== undefined && wanted.schema === undefined
  const frees = /^DELETE|\/(?:load|reset)$/.test(on)
  control.route({
    method,
    exposeHeadRoute: method === 'GET',
    url: path.replaceAll(/[A-Z]{2,}/g, named => `:${named.toLowerCase()}`),
    config: { row, takesDocument },
    bodyLimit: services.settings[takesDocument ? 'limits.control_body' : 'limits.body'],
    handler: async (request, reply) => {
      const { sandbox } = request.arrival
      const isTrial = row.isTrial?.(request) === true
      if (adds) sandboxes.requireRoom(sandbox)
      if (isSaved && !isTrial) await data?.writable()
      const [name = '', id = ''] = Object.values(request.params as Record<string, string>)
      const decoded = table && queryOf(request, table)
      const sent = request.body instanceof Body && !request.body.isEmpty ? request.body : null
      const left = () => clientDisconnect(reply)
      const given = (await read(sent, sandbox, left)) as Pick<Context, 'body' | 'document'>
      reply.code(method === 'DELETE' ? 204 : status)
      const answer = await run({
        ...services,
        ...given,
        request,
        reply,
        sandbox,
        name,
        id,
        query: decoded,
        sent,
        left,
        isTrial
      })
      if (frees) freed()
      if (makesSandbox && !isTrial) sandboxes.keep(sandbox)
      if (isSaved && !isTrial) await data?.saved()
      if (method === 'DELETE') return reply.send()
      return isObject(answer) ? sendJson(reply, answer) : answer
    }
  })
}

/** Errors: those of the emulated API, naming the parameter. */
function queryOf(request: FastifyRequest, table: ReturnType<typeof compileTable>) {
  const { root, problem } = decodeForm(request.query as string, request.arrival.sandbox.settings)
  if (problem) throw new ApiError(problem.code, { message: problem.message, param: problem.param })
  refuseMisshapen(table, root)
  return decodeParameters(table, root, PLAIN, LOOKUPS)
}

/** A reader of bodies. Errors: `body_malformed` for none, or broken JSON; `document_invalid`. */
function bodyReader({ example, schema, isOptional }: NonNullable<Row['body']>) {
  const checker = schema && checkerOf(schema)
  return async (
    sent: Body | null,
    { settings, jobs }: Sandbox,
    left: Context['left']
  ): Promise<Partial<Pick<Context, 'body' | 'document'>>> => {
    if (sent === null && !isOptional) throw REFUSALS.bodyMissing(example)
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

/** For a request without a body, as which the `{}` of a client that always sends one counts. */
function refuseBody(sent: Body | null): void {
  if (sent !== null && !/^\s*\{\s*\}\s*$/.test(sent.text)) throw REFUSALS.bodyUnexpected()
}

function clientDisconnect({ raw }: FastifyReply): AbortSignal {
  const disconnect = new AbortController()
  raw.once('close', () => disconnect.abort(REFUSALS.clientLeft()))
  return disconnect.signal
}

/** Accepts JSON and YAML, as bytes that are read when needed; refuses others. */
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

/** A control path that does not exist; `known` are the requests that do, by method and path. */
export function noSuchPath(
  { url, arrival }: FastifyRequest,
  known: readonly string[] = []
): ApiError {
  return REFUSALS.pathUnknown(
    arrival.exchange.method,
    controlOfBase(arrival.base),
    pathOf(url).slice(CONTROL.length),
    known
  )
}
