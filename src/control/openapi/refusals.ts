/** The refusals of operations, by the rules and assumptions that they have. */
import { CATALOGUE, type ErrorCode, SERVICE_ERRORS, statusOf } from '../../core/errors.js'
import type { Settings } from '../../core/settings.js'
import { filled } from '../../core/templates.js'
import { OPERATION_IDS, type OperationId, operationOf } from '../../reference/operations.js'
import { each, keysOf } from '../../reference/rules.js'
import type { Json } from './examples.js'
import { OPTIONAL_TEXT, referTo, tableOf, templateSchema } from './schemas.js'

/** Requests that do not reach an operation. */
const UNROUTED: readonly string[] =
  'path_unknown method_not_allowed request_malformed headers_too_large request_timeout expectation_failed'.split(
    ' '
  )
/** Mocks respond with the first. */
const CODES = keysOf(SERVICE_ERRORS)
  .filter(code => !UNROUTED.includes(code))
  .sort((a, b) => Number(b.startsWith('parameter')) - Number(a.startsWith('parameter')))

export const isKeyChecked = (settings: Settings) => settings['auth.payment_key'] === 'check'

function codesOf(id: OperationId, settings: Settings): ErrorCode[] {
  const { family, kind, key, rules, assumptions, disabledBy } = operationOf(id)
  const takesParameters = tableOf(id, 'body') ?? tableOf(id, 'querystring')
  const isKeyRead = key || isKeyChecked(settings)
  const isPossible: Partial<Record<ErrorCode, boolean>> = {
    api_key_missing: key,
    api_key_malformed: isKeyRead,
    api_key_unknown: isKeyRead,
    parameter_unknown: settings['parameters.unknown'] === 'reject',
    parameter_not_updatable: settings['parameters.not_updatable'] === 'reject',
    parameter_invalid: takesParameters !== undefined,
    parameter_missing: kind === 'create',
    resource_missing: disabledBy === undefined && tableOf(id, 'params') !== undefined,
    reference_missing: kind === 'create' && family !== 'users',
    charge_has_no_amount: family === 'refunds',
    charge_has_no_card: settings['refunds.without_card'] === 'reject'
  }
  const causes: readonly string[] = [...rules, ...assumptions]
  return CODES.filter(
    code => isPossible[code] !== false && SERVICE_ERRORS[code].by.some(id => causes.includes(id))
  )
}

/** Responses by status. */
export function refusals(id: OperationId, settings: Settings): Json {
  const codes = codesOf(id, settings)
  const statuses = [...new Set(codes.map(code => String(statusOf(code, settings))))]
  return {
    ...(operationOf(id).disabledBy === undefined && { default: OTHER }),
    ...each(statuses, status => {
      const causes = codes.filter(code => String(statusOf(code, settings)) === status)
      const lines = causes.map(code => `- \`${code}\`: ${CATALOGUE[code].when}`)
      return refusalOf(
        lines.join('\n'),
        each(causes, code => referTo('examples', code))
      )
    })
  }
}

const refusalOf = (description: string, examples?: Json) => ({
  description,
  content: { 'application/json': { schema: referTo('schemas', 'ErrorResponse'), examples } }
})
const OTHER = refusalOf('The response of a script, or a limit of the emulator.')

/** The schema of refusals, which have one shape (A07), and their examples. */
export function refusalComponents(settings: Settings) {
  const possible = new Set(OPERATION_IDS.flatMap(id => codesOf(id, settings)))
  const codes = CODES.filter(code => possible.has(code))
  const required = { ...OPTIONAL_TEXT }
  const parts = {
    // a script can respond with others
    type: {
      ...required,
      'x-extensible-enum': [...new Set(codes.map(code => CATALOGUE[code].type))]
    },
    code: { ...required, 'x-extensible-enum': codes },
    message: required,
    param: OPTIONAL_TEXT,
    ...(settings['errors.expose_rule'] && { rule: OPTIONAL_TEXT, assumption: OPTIONAL_TEXT }),
    request_id: required
  }
  const shape = settings['shapes.error']
  return {
    schemas: { ErrorResponse: templateSchema(shape, parts, 'A07') },
    // the message of a real error names the parameter and the values
    examples: each(codes, code => {
      const { type, when } = CATALOGUE[code]
      const value = filled(shape, { type, code, message: when, request_id: 'req_42' })
      return { summary: code, value }
    })
  }
}
