/** What documents of states have to be. */
import { checkerOf } from '../core/checking.js'
import { LATEST_INSTANT } from '../core/instants.js'
import { SETTINGS, settingsSchema } from '../core/settings.js'
import { MAX_VALUES } from '../scenario/match/matching.js'
import { entrySchema } from '../scenario/shape/entry.js'
import { expectationSchema } from '../scenario/shape/expectation.js'
import { fixtureSchema } from '../scenario/shape/parts.js'

const COUNT = { type: 'integer', minimum: 0 }
const objectOf = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional }
})
const listOf = (items: object) => ({ type: 'array', items })
const COUNTS = { matched: COUNT, applied: COUNT }
const VALUES = {
  ...listOf(objectOf({ value: { type: 'string' }, ...COUNTS })),
  maxItems: MAX_VALUES
}
const INSTANT = { minimum: -LATEST_INSTANT, maximum: LATEST_INSTANT }

export function stateSchema(
  more: Record<string, object> = {},
  optional: Record<string, object> = {}
) {
  const id = { type: 'string', pattern: '^scr_[1-9][0-9]{0,8}$' }
  const entry = objectOf({ id, entry: entrySchema(), ...COUNTS }, { values: VALUES })
  const required = {
    settings: settingsSchema(key => SETTINGS[key].scope === 'sandbox'),
    counters: { type: 'object', additionalProperties: COUNT },
    clock: objectOf({
      at: { type: ['integer', 'null'], ...INSTANT },
      running: { type: 'boolean' }
    }),
    script: listOf({ ...entry, additionalProperties: { type: 'integer' } }),
    records: fixtureSchema(),
    ...more
  }
  return objectOf(required, optional)
}

const firstSchema = () =>
  stateSchema(
    { scenario: objectOf({ name: { type: 'string' } }) },
    { expectations: listOf(expectationSchema()) }
  )
export const SNAPSHOT_CHECKER = checkerOf(() => objectOf({ first: firstSchema() }))
export const SANDBOX_CHECKER = checkerOf(() => {
  const first = firstSchema()
  return objectOf({ first, sandbox: stateSchema({ requests: COUNT }) }, { start: first })
})
