/** docs/reference/errors.md: every refusal of the emulated API and of the control API. */
import {
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

\`param\` is in bracket notation, as the request wrote it. Where an assumption is the reason, the error has \`assumption\` instead of \`rule\`. A refused request changes nothing: no id is drawn, no record is changed.

Refusals are tried in this order: path, method, key, disabled operation, content type, size, form, unknown parameter; then each parameter in the order of [the API](api.md), with the record that it names; then the record in the path, the permission, and the rules of the operation.`

const DEFAULTS = settingsInForce({}).values

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

/** The page. */
export const errorsPage = (): string =>
  page(
    'Errors',
    INTRODUCTION,
    '## Of the emulated API',
    table(
      ['code', 'status', 'type', 'when', 'rule or assumption'],
      Object.entries(SERVICE_ERRORS).map(([name, { status, type, when, by }]) => [
        named(name),
        shownStatus(name as ServiceErrorCode, status),
        code(type),
        when,
        idLinks(by)
      ])
    ),
    '## Of the control API',
    'The same shape, never with a rule or an assumption, and with `problems` where there are several. The statuses are the same whatever the settings.',
    table(
      ['code', 'status', 'type', 'when'],
      Object.entries(CONTROL_ERRORS).map(([name, { status, type, when }]) => [
        named(name),
        String(status),
        code(type),
        when
      ])
    )
  )
