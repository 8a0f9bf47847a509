/** Reads a call's parameters into `request.body` and `request.query` by the tables of its operation (FORM-1 to FORM-3, A08, A14). */
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.js'
import { type Form, FormObject } from '../core/form.js'
import { OPERATIONS, type OperationId } from '../reference/operations.js'
import { NO_PARAMETERS, type Schema, schemaOf } from '../reference/parameters.js'
import type { RuleId } from '../reference/rules.js'
import { type Decoding, decodeParameters, refuseUnknown } from './parameters.js'

const NOTHING = schemaOf(NO_PARAMETERS)
const NO_FORM: Form = { root: new FormObject(), problem: null }
const IN_BODY = '; the parameters of a POST go in its form-encoded body, not in the query string.'

/** Whether the request carries a body, by what its headers say. */
export const hasBody = ({ headers }: FastifyRequest): boolean => headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Decodes and checks. Errors: `body_unexpected`, those of the form, then those of the parameter table. */
export function readParameters(request: FastifyRequest, warn: (message: string) => void): void {
  const tables = request.routeOptions.schema as { body?: Schema; querystring?: Schema }
  const { sandbox, operation, trace } = request
  const decoding: Decoding = { settings: sandbox.settings, trace, warn }
  const query = request.query as Form
  const body = (request.body ?? NO_FORM) as Form
  request.sent = { query: query.root, body: body.root }
  const isPost = OPERATIONS[operation as OperationId].method === 'POST'

  if (!isPost && hasBody(request)) {
    throw new ApiError('body_unexpected', {
      message: `A ${request.method} takes no body; list parameters go in the query string.`,
      ...(tables.querystring ? { rule: 'FORM-3' } : { assumption: 'A14' })
    })
  }
  refuseBroken(body, 'FORM-1')
  refuseBroken(query, tables.querystring && 'FORM-3')

  if (isPost) {
    refuseUnknown(NOTHING, query.root, decoding, IN_BODY)
    request.body = decodeParameters(tables.body as Schema, body.root, decoding)
    request.query = {}
    trace.held('FORM-1')
  } else {
    request.query = decodeParameters(tables.querystring ?? NOTHING, query.root, decoding)
    if (tables.querystring) trace.held('FORM-3')
  }
}

/** Refuses a form that could not be decoded: by its own rule, by that of the place it was sent in, or where no rule speaks of that by an assumption. */
function refuseBroken({ problem }: Form, place: RuleId | undefined): void {
  if (!problem) return
  const { code, message, param, rule = place } = problem
  const blamed = code === 'form_too_large' ? ({ assumption: 'A35' } as const) : rule ? { rule } : ({ assumption: 'A14' } as const)
  throw new ApiError(code, { message, ...(param && { param }), ...blamed })
}
