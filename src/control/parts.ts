/** The parameters and the body of a control request. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import { decodeForm } from '../core/form.js'
import { sentence } from '../core/sentences.js'
import { hasBody } from '../engine/reading.js'
import { schemaOf } from '../reference/parameters.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { refuseProblems } from '../scenario/documents.js'
import { Body } from '../scenario/reading.js'
import type { Bodies } from '../server/bodies.js'
import type { Context, Row } from './row.js'
import { REFUSALS } from './sentences.js'
import type { Format } from './writing.js'

/** The parameters that mean the same in every row. */
export type Query = { dry_run?: string; format?: Format }
export type Requested = { Params: Record<string, string>; Querystring: string }
export type ControlRequest = FastifyRequest<Requested>

export const takeAny = (): Query => ({})

/** An empty value counts as left out, or as yes for yes or no. Errors: with the parameter. */
export function queryReader(parameters: TSchema) {
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
export function bodyReader({ example, schema, isOptional }: NonNullable<Row['body']>) {
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
export function refuseBody(sent: Body | null): void {
  if (sent !== null && !/^\s*\{\s*\}\s*$/.test(sent.text)) throw REFUSALS.bodyUnexpected()
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
