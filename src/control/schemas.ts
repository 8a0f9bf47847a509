/** Parts of response schemas, for the types of the package and the OpenAPI document. */
import type { TProperties, TSchema } from 'typebox'
import * as Type from 'typebox'
import { ASSUMPTION_IDS } from '../reference/assumptions.js'
import { closed, integer, nullable, optional, text, word } from '../reference/parameters.js'
import { RULE_IDS } from '../reference/rules.js'

const noted = (description?: string) => (description === undefined ? {} : { description })

/** A schema that is written as a type of the package. */
export const typed = (type: string, schema: object = {}) =>
  Type.Unsafe<unknown>({ ...schema, 'x-type': type })
/** A type of the package; `about` describes it if it is not a response. */
export const namedSchema = <T extends TSchema>(name: string, schema: T, about?: string): T =>
  Object.assign(schema, { 'x-name': name, ...(about && { 'x-about': about }) })
export const response = (name: string, properties: TProperties, about?: string) =>
  namedSchema(name, closed(properties), about)
export const list = (items: TSchema, description?: string) => Type.Array(items, noted(description))
export const listing = (items: TSchema) => closed({ data: list(items) })
export const map = (values: TSchema, description?: string) =>
  Type.Unsafe<object>({ type: 'object', additionalProperties: values, ...noted(description) })
export const flag = (description?: string) => Type.Boolean(noted(description))
export const count = (description?: string) => integer(noted(description))
export const described = (description: string) => text({ description })

export const any = Type.Unknown()
export const strings = list(text())
export const textOrNull = nullable(text())
export const rule = word(RULE_IDS)
export const assumption = word(ASSUMPTION_IDS)
/** How often something happened, and in which requests. */
export const totals = { times: count(), requests: strings }

export const SCENARIO = response(
  'LoadedScenario',
  { name: text(), description: textOrNull },
  'The loaded scenario.'
)
export const CLOCK = response('ClockState', {
  now: described('An ISO 8601 instant.'),
  running: flag('Whether the clock runs on from `now`.')
})
export const NEAR_MISS = response(
  'NearMiss',
  { in: text(), misses: list(closed({ condition: text(), wanted: text(), got: text() })) },
  'The id of a request or record that nearly matched, and the conditions that it missed.'
)
export const nearMisses = optional(
  list(NEAR_MISS, 'Near misses: what nearly matched, and why it did not.')
)

/** The query parameter `format`; the first is the default. */
export const format = <T extends string>(
  words: readonly T[],
  description = `\`${words[0]}\`, the default, or \`${words[1]}\`.`
) => ({ format: optional(word(words, { description })) })
export const scope = (description: string) => ({
  scope: optional(word(['sandbox', 'run'], { description }))
})
export const yes = (does: string) =>
  optional(word(['1', '0', 'true', 'false'], { description: `\`1\` or \`true\`: ${does}` }))
export const isYes = (sent?: string) => sent === '1' || sent === 'true'
