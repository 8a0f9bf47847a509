/** Control calls' bodies (JSON, or YAML where a document is wanted) and queries. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import type { Form } from '../core/form.js'
import { settingsInForce } from '../core/settings.js'
import { Trace } from '../core/trace.js'
import { hasBody } from '../http/call.js'
import { compileTable, decodeParameters, type Table } from '../http/parameters.js'
import { NO_PARAMETERS, schemaOf } from '../reference/parameters.js'
import { readDocument, refusalOf, type SourceDocument } from '../scenario/documents.js'

type Body = { type: 'json' | 'yaml'; text: string }
/** A control call's query names no records, and everything unknown in it is refused. */
const nothing = () => {}
const PLAIN = { settings: settingsInForce({}).values, unknown: nothing, refer: nothing, cursor: nothing }
const COMPILED = new Map<TSchema, Table>()

function tableOf(schema: TSchema): Table {
  const table = COMPILED.get(schema) ?? compileTable(schemaOf(schema))
  COMPILED.set(schema, table)
  return table
}

/** Accepts `application/json` and `application/yaml`, as text that is parsed when it is needed; a body of any other type is refused with 415. */
export function acceptBodies(control: FastifyInstance, bodyLimit: number): void {
  control.removeAllContentTypeParsers()
  for (const [media, type] of [
    ['application/json', 'json'],
    ['application/yaml', 'yaml']
  ] as const) {
    control.addContentTypeParser(media, { parseAs: 'string', bodyLimit }, async (_request: FastifyRequest, text: string | Buffer) => ({
      type,
      text: String(text)
    }))
  }
  control.addContentTypeParser('*', (request, _payload, done) => {
    if (!hasBody(request.headers)) return done(null, undefined)
    const sent = request.headers['content-type'] ?? 'of no type'
    const message = `The body is ${sent}; the control API reads JSON and YAML: send it with Content-Type: application/json or application/yaml.`
    return done(new ApiError('content_type_unsupported', { message }))
  })
}

/**
 * The document in a call's body; `example` is shown to a caller who sent none.
 * Errors: `body_malformed` without one, or where JSON is broken; `document_invalid` where YAML is.
 */
export async function documentIn({ body, call }: FastifyRequest, example: string): Promise<SourceDocument & { type: Body['type'] }> {
  const { type, text } = (body ?? { type: 'json', text: '' }) as Body
  if (text.trim() === '')
    throw new ApiError('body_malformed', { message: `This call needs a body, as application/json or application/yaml, such as ${example}` })
  return { type, ...(await readDocument('body', text, { limits: call.settings, type })) }
}

/** A reader of call bodies that match a schema; it returns the body and its document. Errors: `document_invalid` with every problem. */
export function bodyReader<T>(
  schema: object,
  example: string
): (request: FastifyRequest) => Promise<{ body: T; document: SourceDocument & { type: Body['type'] } }> {
  const checker = checkerOf(() => schema)
  return async request => {
    const document = await documentIn(request, example)
    const problems = await checker.problems(document.data, document.limits['limits.problems'])
    if (problems.length > 0) throw await refusalOf(problems.map(({ steps, message }) => ({ document, steps, message })))
    return { body: document.data as T, document }
  }
}

/** A call's query, decoded by its parameter table; without a table, no parameter is allowed. Errors: those of the emulated API, naming the parameter. */
export function queryOf<T>(request: FastifyRequest, table: TSchema = NO_PARAMETERS): T {
  const { root, problem } = request.query as Form
  if (problem) throw new ApiError(problem.code, { message: problem.message, param: problem.param })
  return decodeParameters(tableOf(table), root, { ...PLAIN, trace: new Trace() }) as T
}
