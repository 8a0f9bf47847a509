/** docs/reference/errors.md: every refusal of the emulated API and of the control API. */
import {
  CATALOGUE,
  CONTROL_ERRORS,
  type ErrorCode,
  SERVICE_ERRORS,
  type ServiceErrorCode,
  statusOf
} from '../../src/core/errors.js'
import { settingsInForce } from '../../src/core/settings.js'
import { anchor, code, idLinks, page, settingLink, table } from './markdown.js'

const INTRODUCTION = `Every refusal has the same shape:

\`\`\`json
{"error":{"type":"invalid_request_error","code":"refund_exceeds_remaining","message":"txn_1 was charged 4200 usd, 1200 of it has been refunded, 3000 remain; the request asks for 3500.","param":"amount","rule":"REF-7","request_id":"req_42"}}
\`\`\`

\`param\` is in bracket notation, as in the request. Where an assumption is the reason, the error has \`assumption\` instead of \`rule\`. A refused request changes nothing: no id is drawn, no record is changed.

Refusals are tried in this order: path, method, key, disabled operation, content type, size, form, unknown parameter; then each parameter in the order of [the API](api.md), with the record that it names; then the record in the path, the permission, and the rules of the operation.`

const DEFAULTS = settingsInForce({}).values
const USUAL_TYPE = 'invalid_request_error'

/** A status, with the setting that changes it. */
const shownStatus = (name: ErrorCode, status: number | string) =>
  typeof status === 'number'
    ? String(status)
    : `${statusOf(name, DEFAULTS)} (${settingLink(status)})`

const named = (name: string) => `${anchor(name)}${code(name)}`

/** The codes of the refusals that a rule or an assumption makes. */
export const codesBy = (id: string): readonly string[] =>
  Object.entries(SERVICE_ERRORS).flatMap(([name, { by }]) =>
    (by as readonly string[]).includes(id) ? [name] : []
  )

/** The `type` of an error follows the default status of its code. */
function typesText(): string {
  const types = new Map(
    Object.entries(CATALOGUE).map(([name, { type }]) => [
      statusOf(name as ErrorCode, DEFAULTS),
      type
    ])
  )
  const others = [...types].filter(([, type]) => type !== USUAL_TYPE).sort(([a], [b]) => a - b)
  return `\`type\` is ${others.map(([status, type]) => `${code(type)} for ${status}`).join(', ')}, and ${code(USUAL_TYPE)} for any other status. It stays the same when a setting changes the status.`
}

/** The page. */
export const errorsPage = (): string =>
  page(
    'Errors',
    INTRODUCTION,
    typesText(),
    '## Of the emulated API',
    table(
      ['code', 'status', 'when', 'rule or assumption'],
      Object.entries(SERVICE_ERRORS).map(([name, { status, when, by }]) => [
        named(name),
        shownStatus(name as ServiceErrorCode, status),
        when,
        idLinks(by)
      ])
    ),
    '## Of the control API',
    'The same shape, never with a rule or an assumption, and with `problems` where there are several. The statuses are the same whatever the settings.',
    table(
      ['code', 'status', 'when'],
      Object.entries(CONTROL_ERRORS).map(([name, { status, when }]) => [
        named(name),
        String(status),
        when
      ])
    )
  )
