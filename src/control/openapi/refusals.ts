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

/** By kind, by tables, and by the rules of the records. */
export function codesOf(id: OperationId, isKeyChecked = false): ErrorCode[] {
  const { method, kind, key, disabledBy } = operationOf(id)
  const { params, querystring, body } = tablesOf(id)
  const codes: ErrorCode[] = key ? ['api_key_missing'] : []
  if (key || isKeyChecked) codes.push('api_key_malformed', 'api_key_unknown')
  if (disabledBy !== undefined) return [...codes, 'operation_disabled']
  const fields = Object.values(body?.properties ?? {})
  // mocks respond with the first
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

const CODES = [...new Set(OPERATION_IDS.flatMap(id => codesOf(id)))].sort(
  (one, other) => Number(other.startsWith('parameter')) - Number(one.startsWith('parameter'))
)
/** Whether a code is one that the settings do not let pass. */
export const isRefusedBy = (settings: Settings) => (code: ErrorCode) => {
  const setting =
    code === 'charge_has_no_card'
      ? 'refunds.without_card'
      : (code.replace('parameter_', 'parameters.') as keyof Settings)
  return (settings[setting] ?? 'reject') === 'reject'
}
export const codesBy = (settings: Settings) => CODES.filter(isRefusedBy(settings))

/** The message of a real error names the parameter and the values. */
export const errorExamples = (settings: Settings): Json =>
  Object.fromEntries(
    codesBy(settings).map(code => {
      const { type, when } = CATALOGUE[code]
      const parts = { type, code, message: when, request_id: 'req_42' }
      return [code, { summary: code, value: filled(settings['shapes.error'], parts) }]
    })
  )

const errorText = (description: string) => ({
  type: 'string',
  description: `${description} Assumption A07.`,
  'x-assumption': 'A07'
})
/** What each placeholder of an error stands for. */
const ERROR_PARTS: Json = {
  $type: {
    ...errorText('The kind of refusal. A script can respond with others.'),
    'x-extensible-enum': [...new Set(CODES.map(code => CATALOGUE[code].type))]
  },
  $code: {
    ...errorText(
      'Which refusal it is; every response lists its codes. A script can respond with others.'
    ),
    'x-extensible-enum': CODES
  },
  $message: errorText('What is wrong, where, and what to do, for a person.'),
  $param: errorText('The parameter, in the bracket notation of the request.'),
  $rule: errorText('The id of the rule that refused.'),
  $assumption: errorText('The id of the assumption that refused, where no rule did.'),
  $request_id: errorText('The id of the response.')
}
const NOT_ALWAYS = ['$param', '$rule', '$assumption']

/** The one shape of refusals (A07). */
export function errorSchemas({
  'errors.expose_rule': isRuleShown,
  'shapes.error': template
}: Settings): Record<string, Json> {
  const { $rule, $assumption, ...others } = ERROR_PARTS
  const schemaOf = (part: unknown) =>
    templateSchema(part, isRuleShown ? ERROR_PARTS : others, 'A07', NOT_ALWAYS) as Json
  const { type, ...whole } = schemaOf(template)
  const { error } = template
  if (!isObject(error)) return { ErrorResponse: { type, description: 'A refusal.', ...whole } }
  const properties = { ...(whole.properties as Json), error: referTo('schemas', 'ErrorDetail') }
  return {
    ErrorResponse: { type, description: 'A refusal.', ...whole, properties },
    ErrorDetail: schemaOf(error)
  }
}
