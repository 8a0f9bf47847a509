/** The refusals of the OpenAPI document. */
import { CATALOGUE, type ErrorCode } from '../../core/errors.js'
import { isObject } from '../../core/quick-check.js'
import { CARD_RULES, LOCATION_RULES, REFUND_RULES, TRANSACTION_RULES } from '../../core/rules.js'
import type { Settings } from '../../core/settings.js'
import { filled } from '../../core/templates.js'
import { OPERATION_IDS, type OperationId, operationOf } from '../../reference/operations.js'
import { type Json, referTo, tablesOf, templateSchema } from './schemas.js'

/** The rules of an operation after its parameters are read. */
const JUDGED_BY: Readonly<Partial<Record<OperationId, readonly { else: ErrorCode }[]>>> = {
  createLocation: LOCATION_RULES,
  createTransaction: TRANSACTION_RULES,
  createRefund: [...REFUND_RULES, ...CARD_RULES]
}

/** Mocks respond with the first. */
function codesOf(id: OperationId, isKeyChecked = false): ErrorCode[] {
  const { method, kind, key, disabledBy } = operationOf(id)
  const { params, querystring, body } = tablesOf(id)
  const codes: ErrorCode[] = key ? ['api_key_missing'] : []
  if (key || isKeyChecked) codes.push('api_key_malformed', 'api_key_unknown')
  if (disabledBy !== undefined) return [...codes, 'operation_disabled']
  const fields = Object.values(body?.properties ?? {})
  if (body || querystring) codes.push('parameter_invalid')
  if (body?.required && kind !== 'update') codes.push('parameter_missing')
  if (fields.some(field => field['x-fixed'])) codes.push('parameter_not_updatable')
  codes.push('parameter_unknown', 'form_malformed', 'form_too_large', 'body_too_large')
  codes.push(method === 'POST' ? 'content_type_unsupported' : 'body_unexpected')
  if (querystring) codes.push('cursor_unknown')
  if (fields.some(field => field['x-refers'])) codes.push('reference_missing')
  if (params) codes.push('resource_missing')
  return [...new Set([...codes, ...(JUDGED_BY[id] ?? []).map(rule => rule.else)])]
}

const ALL_CODES = [...new Set(OPERATION_IDS.flatMap(id => codesOf(id)))].sort(
  (a, b) => Number(b.startsWith('parameter')) - Number(a.startsWith('parameter'))
)
export const isKeyChecked = (settings: Settings) => settings['auth.payment_key'] === 'check'

/** The codes of an operation, or of all, without those that the settings disable. */
export function codesBy(settings: Settings, id?: OperationId): ErrorCode[] {
  const isRefused: Partial<Record<ErrorCode, boolean>> = {
    charge_has_no_card: settings['refunds.without_card'] === 'reject',
    parameter_unknown: settings['parameters.unknown'] === 'reject',
    parameter_not_updatable: settings['parameters.not_updatable'] === 'reject'
  }
  const codes = id === undefined ? ALL_CODES : codesOf(id, isKeyChecked(settings))
  return codes.filter(code => isRefused[code] ?? true)
}

/** The message of a real error names the parameter and the values. */
export const errorExamples = (settings: Settings): Json =>
  Object.fromEntries(
    codesBy(settings).map(code => {
      const { type, when } = CATALOGUE[code]
      const parts = { type, code, message: when, request_id: 'req_42' }
      return [code, { summary: code, value: filled(settings['shapes.error'], parts) }]
    })
  )

const TEXT = { type: 'string', 'x-assumption': 'A07', description: 'Assumption A07.' }
const TYPES = new Set(ALL_CODES.map(code => CATALOGUE[code].type))
/** The placeholders of an error; a script can respond with other types and codes. */
const ERROR_PARTS: Json = {
  $type: { ...TEXT, 'x-extensible-enum': [...TYPES] },
  $code: { ...TEXT, 'x-extensible-enum': ALL_CODES },
  $message: TEXT,
  $param: TEXT,
  $rule: TEXT,
  $assumption: TEXT,
  $request_id: TEXT
}
const OPTIONAL = ['$param', '$rule', '$assumption']

/** The one shape of refusals (A07). */
export function errorSchemas(settings: Settings): Record<string, Json> {
  const { $rule, $assumption, ...others } = ERROR_PARTS
  const parts = settings['errors.expose_rule'] ? ERROR_PARTS : others
  const whole = templateSchema(settings['shapes.error'], parts, 'A07', OPTIONAL)
  const { properties } = whole
  if (!isObject(properties) || !isObject(properties.error) || !properties.error.properties)
    return { ErrorResponse: whole }
  return {
    ErrorResponse: {
      ...whole,
      properties: { ...properties, error: referTo('schemas', 'ErrorDetail') }
    },
    ErrorDetail: properties.error
  }
}
