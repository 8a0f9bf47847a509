/** The operations of the OpenAPI document. */
import { CATALOGUE, type ErrorCode, statusOf } from '../../core/errors.js'
import { inBrackets } from '../../core/form.js'
import { isObject } from '../../core/quick-check.js'
import type { Settings } from '../../core/settings.js'
import { ASSUMPTION_IDS } from '../../reference/assumptions.js'
import {
  type Family,
  OPERATION_IDS,
  type OperationId,
  operationOf,
  PATH_RECORDS,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import { type Schema, sentName } from '../../reference/parameters.js'
import { RULE_IDS, RULES } from '../../reference/rules.js'
import type { Shape } from '../../store/collection.js'
import { BODIES, listExample, pathExample, QUERIES } from './examples.js'
import { codesOf, isRefusedBy } from './refusals.js'
import { type Json, type Publisher, referTo, responseName, tablesOf } from './schemas.js'
import { aNamed, operationText } from './texts.js'

/** What a document is written with; `records` are the examples. */
export type Writing = {
  settings: Settings
  isFlat: boolean
  publisher: Publisher
  records: Readonly<Record<Family, Json>>
  shape: Shape
}

const ENABLED = OPERATION_IDS.map(operationOf).filter(({ disabledBy }) => disabledBy === undefined)
/** True of all operations, or of all that need a key. */
export const KEY: readonly string[] = ['AUTH-1', 'AUTH-3', 'A18']
const GENERAL: ReadonlySet<string> = new Set([
  ...KEY,
  ...[...RULE_IDS, ...ASSUMPTION_IDS].filter(id =>
    ENABLED.every(({ rules, assumptions }) => [...rules, ...assumptions].some(own => own === id))
  )
])
/** What a script or a limit of the emulator responds with. */
const OTHERS = ['402', '429', '503', 'default']
const HEADERS = { 'Request-Id': referTo('headers', 'RequestId') }
const DEEP = { style: 'deepObject', explode: true }

/** What an operation does, its rules and its assumptions. */
export function operationObject(id: OperationId, writing: Writing): Json {
  const { family, key, title, rules, assumptions } = operationOf(id)
  const { body } = tablesOf(id)
  const parameters = [...parametersIn('path', id, writing), ...parametersIn('query', id, writing)]
  const ownRules = rules
    .filter(id => !GENERAL.has(id))
    .map(id => `- Rule ${id}: ${RULES[id].text}.`)
  const ownAssumptions = assumptions.filter(id => !GENERAL.has(id))
  const relies = ownAssumptions.length > 0 && `Assumptions: ${ownAssumptions.join(', ')}.`
  return {
    operationId: id,
    tags: [family],
    summary: title,
    description: [
      operationText(id, writing.settings['pagination.cursors'][0]),
      ownRules.join('\n'),
      relies
    ]
      .filter(Boolean)
      .join('\n\n'),
    ...(!key && { security: isKeyChecked(writing.settings) ? [{}, { apiKey: [] }] : [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(id, body, writing) }),
    responses: { ...success(id, writing), ...refusals(id, writing) },
    'x-rules': rules,
    'x-assumptions': assumptions
  }
}

const isKeyChecked = (settings: Settings) => settings['auth.payment_key'] === 'check'

function parametersIn(
  place: 'path' | 'query',
  id: OperationId,
  { settings, isFlat, publisher }: Writing
): Json[] {
  const isPath = place === 'path'
  const operation = operationOf(id)
  const use = isPath ? { ...operation, kind: 'read' as const } : operation
  const { params, querystring } = tablesOf(id)
  const examples = styled((isPath ? pathExample(id) : QUERIES[id]) ?? {}, isFlat)
  return Object.entries((isPath ? params : querystring)?.properties ?? {}).flatMap(
    ([name, table]) => {
      const isPageSize = table['x-page-size'] === true
      const sent = sentName(name, table, settings['pagination.cursors'])
      const fields = publisher.fieldsOf(isPageSize ? pageSize(table, settings) : table, sent, {
        use,
        isRequired: isPath,
        isOwn: true
      })
      return fields.map(({ name: field, schema }) => {
        const { description = descriptionOf(id, name), ...words } = schema
        return {
          name: field,
          in: place,
          required: isPath,
          description,
          ...notesIn(words, true),
          ...(!isFlat && table.properties && DEEP),
          schema: { ...notesIn(words, false), ...(isPageSize && { format: 'int32' }) },
          ...(examples[field] !== undefined && { example: examples[field] })
        }
      })
    }
  )
}

/** `limit` with the bounds that the settings give it (A10). */
function pageSize(limit: Schema, settings: Settings): Schema & { default: number } {
  const maximum = settings['pagination.max_limit']
  const fallback = Math.min(settings['pagination.default_limit'], maximum)
  const bounds = settings['pagination.out_of_range'] === 'reject' && { minimum: 1, maximum }
  return {
    ...limit,
    ...bounds,
    default: fallback,
    description: `Page size, 1 to ${maximum}; ${fallback} when left out.`
  }
}

/** What a parameter is whose table does not say so. */
function descriptionOf(id: OperationId, name: string): string {
  const record = PATH_RECORDS[id].find(record => record.name === name)
  return record ? `The id of ${aNamed(record.family)}.` : 'Filters by the time of creation.'
}

/** The words of a schema that are notes, or the others. */
const notesIn = (words: Json, areNotes: boolean): Json =>
  Object.fromEntries(Object.entries(words).filter(([word]) => word.startsWith('x-') === areNotes))

/** In the flat style `address[country]` in place of a `country` in an `address`. */
const styled = (values: Json, isFlat: boolean): Json =>
  isFlat
    ? Object.fromEntries(
        Object.entries(values).flatMap(([name, value]) =>
          isObject(value)
            ? Object.entries(value).map(([part, inner]) => [inBrackets(name, part), inner])
            : [[name, value]]
        )
      )
    : values

function requestBody(
  id: OperationId,
  table: Schema,
  { settings, isFlat, publisher: { component, schemas } }: Writing
): Json {
  const operation = operationOf(id)
  const nested = Object.entries(table.properties as Record<string, Schema>).filter(
    ([, { type }]) => type === 'object'
  )
  const examples = Object.entries(BODIES[id] as object).map(([summary, value]) => ({
    summary,
    value: styled(value, isFlat)
  }))
  const name = id.replace(/^./, first => first.toUpperCase())
  const schema = component(table, name, operation)
  const own = schemas[name] as { properties: Record<string, Json>; required: string[] }
  if (id === 'createTransaction') {
    own.required = [...own.required]
    if (settings['transactions.default_currency'] === 'required') own.required.push('currency')
    if (settings['transactions.without_amount'] === 'reject') own.required.push('amount')
  }
  for (const [name, part] of Object.entries(own.properties)) {
    const example = examples.find(({ value }) => value[name] !== undefined)?.value[name]
    if (example !== undefined) part.examples = [example]
  }
  const encoding = Object.fromEntries(nested.map(([name]) => [name, DEEP]))
  return {
    required: operation.kind === 'create',
    content: {
      'application/x-www-form-urlencoded': {
        schema,
        ...(!isFlat && nested.length > 0 && { encoding }),
        examples: Object.fromEntries(
          examples.map(example => [example.summary.replaceAll(/\W+/g, '_'), example])
        )
      }
    }
  }
}

const json = (more: Json) => ({ content: { 'application/json': more } })

function success(id: OperationId, { settings, publisher, records, shape }: Writing): Json {
  const { answer } = tablesOf(id)
  const { family, kind, disabledBy } = operationOf(id)
  if (disabledBy !== undefined) return {}
  if (!answer) return { 204: { description: 'Done. The body is empty.', headers: HEADERS } }
  const schema = publisher.component(answer, responseName(answer) as string, 'response')
  const isList = kind === 'list'
  return {
    [kind === 'create' ? settings['statuses.created'] : 200]: {
      description: isList
        ? `A page of ${RESOURCE_NAMES[family]}s.`
        : `The ${RESOURCE_NAMES[family]}.`,
      headers: HEADERS,
      ...json({ schema, example: isList ? listExample(id, records, shape) : records[family] })
    }
  }
}

export const refusalOf = (description: string, codes: readonly ErrorCode[]) => ({
  description,
  headers: HEADERS,
  ...json({
    schema: referTo('schemas', 'ErrorResponse'),
    examples: Object.fromEntries(codes.map(code => [code, referTo('examples', code)]))
  })
})

/**
 * By status. Prism responds with what stands first: of a disabled operation its 501, since in
 * JSON a range follows a status; some flat generators read none.
 */
function refusals(id: OperationId, { settings, isFlat }: Writing): Json {
  const isDisabled = operationOf(id).disabledBy !== undefined
  const byStatus = new Map<string, ErrorCode[]>()
  for (const code of codesOf(id, isKeyChecked(settings)).filter(isRefusedBy(settings))) {
    const status = String(statusOf(code, settings))
    const key = isDisabled && !isFlat && status < '500' ? `${status[0]}XX` : status
    byStatus.set(key, [...(byStatus.get(key) ?? []), code])
  }
  return Object.fromEntries([
    ...(isDisabled ? [] : OTHERS).map(status => [status, referTo('responses', 'Refusal')]),
    ...Array.from(byStatus, ([status, codes]) => [
      status,
      refusalOf(codes.map(code => `- \`${code}\`: ${CATALOGUE[code].when}`).join('\n'), codes)
    ])
  ])
}
