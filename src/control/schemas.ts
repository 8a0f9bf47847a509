/** Parts of response schemas, for the types of the package and the OpenAPI document. */
import type { TProperties, TSchema } from 'typebox'
import * as Type from 'typebox'
import { ASSUMPTION_IDS } from '../reference/assumptions.js'
import { OPERATION_NAMES } from '../reference/operations.js'
import { closed, integer, nullable, optional, text, word } from '../reference/parameters.js'
import { RULE_IDS } from '../reference/rules.js'
import { FAMILIES } from '../store/store.js'

const noted = (description?: string) => (description === undefined ? {} : { description })

/** A schema that is written as a type of the package. */
export const typed = (type: string, schema: object = {}) =>
  Type.Unsafe<unknown>({ ...schema, 'x-type': type })
/** A type of the package. */
export const namedSchema = <T extends TSchema>(name: string, schema: T): T =>
  Object.assign(schema, { 'x-name': name })
export const response = (name: string, properties: TProperties) =>
  namedSchema(name, closed(properties))
export const list = (items: TSchema, description?: string) => Type.Array(items, noted(description))
export const listing = (items: TSchema) => closed({ data: list(items) })
export const map = (values: TSchema, description?: string) =>
  Type.Unsafe<object>({ type: 'object', additionalProperties: values, ...noted(description) })
export const flag = () => Type.Boolean()
export const count = (description?: string) => integer(noted(description))
export const described = (description: string) => text({ description })

export const any = Type.Unknown()
export const strings = list(text())
export const textOrNull = nullable(text())
export const rule = word(RULE_IDS)
export const assumption = word(ASSUMPTION_IDS)
/** How often something happened, and in which requests. */
export const totals = { times: count(), requests: strings }

export const SCENARIO = response('LoadedScenario', { name: text(), description: textOrNull })
export const CLOCK = response('ClockState', { now: text(), running: flag() })
export const NEAR_MISS = response('NearMiss', {
  in: described('The id of a request or record.'),
  misses: list(closed({ condition: text(), wanted: text(), got: text() }))
})
export const nearMisses = optional(list(NEAR_MISS))

export const OUTCOME = word(
  ['refused', 'answered', 'scripted', 'lost_before', 'lost_after', 'not_written'],
  {
    description:
      '`lost_before` and `lost_after`: a script lost the response, before or after the operation ran.'
  }
)
const PARAMETERS = namedSchema(
  'Parameters',
  typed('{ [name: string]: string | readonly string[] | Parameters }', {
    type: 'object',
    additionalProperties: any
  })
)
/** A request without what a trial lacks: client and duration. */
export const REQUEST = {
  sandbox: optional(nullable(described('Null at the base address; only for a whole run.'))),
  id: described('The Request-Id of the response.'),
  at: described("When it arrived, by the sandbox's clock."),
  on: typed('OperationName | null', nullable(word(OPERATION_NAMES))),
  method: text(),
  path: described('Below the base address, without the query.'),
  params: map(text()),
  account: nullable(described('The Account that the key acts as.')),
  query: PARAMETERS,
  body: PARAMETERS,
  test: nullable(described('By its Test-Name header.')),
  trace: nullable(described('By its traceparent header.')),
  outcome: OUTCOME,
  status: count(),
  answer: any,
  answered: flag(),
  took_effect: flag(),
  script: nullable(
    closed({
      id: text(),
      name: textOrNull,
      fault: textOrNull,
      applied: optional(flag()),
      problem: optional(text())
    })
  ),
  refusal: nullable(
    closed({
      code: text(),
      rule: typed('RuleId | null', nullable(rule)),
      assumption: typed('AssumptionId | null', nullable(assumption)),
      param: textOrNull
    })
  )
}
export const JOURNALED = {
  ...REQUEST,
  user_agent: textOrNull,
  ms: Type.Number()
}
export const WHY = closed({
  rules: list(
    closed({ rule, verdict: word(['passed', 'violated']), text: text(), facts: optional(map(any)) })
  ),
  assumptions: list(closed({ assumption, topic: text() })),
  changed_by: list(text(), 'What last changed the records that this request depends on.'),
  near_misses: nearMisses
})
export const RECORD_CHANGE = response('RecordChange', {
  family: word(FAMILIES),
  id: text(),
  before: any,
  after: any
})

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
