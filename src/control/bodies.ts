/** Control calls' bodies (JSON, or YAML where a document is wanted) and queries. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import { decodeForm } from '../core/form.js'
import { settingsInForce } from '../core/settings.js'
import { hasBody } from '../engine/exchange.js'
import { compileTable, decodeParameters, type Table } from '../engine/parameters.js'
import { NO_PARAMETERS, schemaOf } from '../reference/parameters.js'
import { Body } from '../scenario/body.js'
import { documentOf, readDocument, refuseProblems, type SourceDocument } from '../scenario/documents.js'

/** A control call's query names no records, and everything unknown in it is refused. */
const nothing = () => {}
const PLAIN = { settings: settingsInForce({}).values, rely: nothing }
const LOOKUPS = { unknown: nothing, find: nothing, cursor: nothing }
const COMPILED = new Map<TSchema, Table>()

function tableOf(schema: TSchema): Table {
  const table = COMPILED.get(schema) ?? compileTable(schemaOf(schema))
  COMPILED.set(schema, table)
  return table
}

/** Accepts `application/json` and `application/yaml`, as bytes that are read when they are needed; a body of any other type is refused with 415. */
export function acceptBodies(control: FastifyInstance): void {
  control.removeAllContentTypeParsers()
  for (const [media, type] of [
    ['application/json', 'json'],
    ['application/yaml', 'yaml']
  ] as const) {
    control.addContentTypeParser(media, { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: string | Buffer) => new Body(type, bytes as Buffer))
  }
  control.addContentTypeParser('*', (request, _payload, done) => {
    if (!hasBody(request.headers)) return done(null, undefined)
    const sent = request.headers['content-type'] ?? 'of no type'
    const message = `The body is ${sent}; the control API reads JSON and YAML: send it with Content-Type: application/json or application/yaml.`
    return done(new ApiError('content_type_unsupported', { message }))
  })
}

/** The body of a call; null where none was sent, or white space alone. */
export const sentBody = ({ body }: FastifyRequest): Body | null => (body instanceof Body && !body.isEmpty ? body : null)

/** The body of a call; `example` is shown to a caller who sent none. Errors: `body_malformed`. */
export function bodyOf(request: FastifyRequest, example: string): Body {
  const body = sentBody(request)
  if (body !== null) return body
  throw new ApiError('body_malformed', { message: `This call needs a body, as application/json or application/yaml, such as ${example}` })
}

/** Makes a signal that is aborted when the caller leaves before the answer. */
export const departureOf =
  ({ raw }: FastifyReply) =>
  (): AbortSignal => {
    const departure = new AbortController()
    const leave = () => departure.abort(new ApiError('request_malformed', { message: 'The caller left before the answer.' }))
    raw.once('close', leave)
    return departure.signal
  }

/**
 * A reader of call bodies that match a schema; it returns the body and its document. A large one is read in the document worker.
 * Errors: `body_malformed` where there is none, or where JSON is broken; `document_invalid`.
 */
export function bodyReader<T>(
  schema: object | (() => object),
  example: string
): (request: FastifyRequest, reply: FastifyReply) => Promise<{ body: T; document: SourceDocument }> {
  const schemaOf = typeof schema === 'function' ? (schema as () => object) : () => schema
  const checker = checkerOf(schemaOf)
  return async (request, reply) => {
    const { sandbox } = request.arrival
    const { settings } = sandbox
    const sent = bodyOf(request, example)
    const { type, bytes } = sent
    if (sent.isLarge) {
      const job = { kind: 'value', type, bytes, schema: schemaOf() } as const
      const [data] = await sandbox.documents.read(job, departureOf(reply)(), async ({ parts }) => {
        const members: unknown[] = []
        for await (const [, [member]] of parts()) members.push(member)
        return members
      })
      return { body: data as T, document: documentOf('body', data, settings) }
    }
    const document = await readDocument('body', sent.text, { limits: settings, type })
    await refuseProblems(document, checker)
    return { body: document.data as T, document }
  }
}

/** A call's query, decoded by its parameter table; without a table, no parameter is allowed. Errors: those of the emulated API, naming the parameter. */
export function queryOf<T>(request: FastifyRequest, table: TSchema = NO_PARAMETERS): T {
  const { root, problem } = decodeForm(request.query as string, request.arrival.sandbox.settings)
  if (problem) throw new ApiError(problem.code, { message: problem.message, param: problem.param })
  return decodeParameters(tableOf(table), root, PLAIN, LOOKUPS) as T
}
