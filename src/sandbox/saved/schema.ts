/** What the document of a sandbox holds: its schema, and the types that follow from it. */
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { checkerOf } from '../../core/checking.js'
import type { ClockStart } from '../../core/clock.js'
import type { IdCounters } from '../../core/ids.js'
import { LATEST_INSTANT } from '../../core/instants.js'
import { SETTINGS, settingsSchema } from '../../core/settings.js'
import { each } from '../../reference/rules.js'
import { MAX_VALUES } from '../../scenario/match/matching.js'
import type { EntryCount } from '../../scenario/script.js'
import { type EntryData, entrySchema } from '../../scenario/shape/entry.js'
import { type ExpectationData, expectationSchema } from '../../scenario/shape/expectation.js'
import { fixtureSchema, typed } from '../../scenario/shape/parts.js'
import type { Tombstone } from '../../store/collection.js'
import { FAMILIES } from '../../store/store.js'

const COUNT = Type.Integer({ minimum: 0 })
const COUNTS = { matched: COUNT, applied: COUNT }
const VALUE = Type.Object({ value: Type.String(), ...COUNTS })
const entry = () =>
  Type.Object(
    {
      id: Type.String({ pattern: '^scr_[1-9][0-9]{0,8}$' }),
      entry: entrySchema(),
      ...COUNTS,
      values: Type.Optional(Type.Array(VALUE, { maxItems: MAX_VALUES }))
    },
    { additionalProperties: { type: 'integer' } }
  )
const instant = {
  type: ['integer', 'null'],
  minimum: -LATEST_INSTANT,
  maximum: LATEST_INSTANT
}
const stateParts = () => ({
  settings: typed<object>(settingsSchema(key => SETTINGS[key].scope === 'sandbox')),
  counters: typed<IdCounters>({ type: 'object', additionalProperties: COUNT }),
  clock: Type.Object({ at: typed<ClockStart['at']>(instant), running: Type.Boolean() }),
  script: Type.Array(typed<{ id: string; entry: EntryData } & EntryCount>(entry())),
  records: typed<Readonly<Record<string, unknown[]>>>(fixtureSchema()),
  deleted: Type.Object(each(FAMILIES, () => typed<Tombstone[]>({ type: 'array' })))
})
export const stateSchema = () => Type.Object(stateParts())
const firstSchema = () =>
  Type.Object({
    ...stateParts(),
    scenario: Type.Object({ name: Type.String(), description: typed<string | null>({}) }),
    expectations: typed<ExpectationData[]>(Type.Array(expectationSchema()))
  })
const sandboxSchema = () =>
  Type.Object({
    first: firstSchema(),
    start: Type.Optional(firstSchema()),
    sandbox: Type.Object({ ...stateParts(), requests: COUNT })
  })

export type SandboxData = Static<ReturnType<typeof sandboxSchema>>
export type StateData = Omit<SandboxData['sandbox'], 'requests'>
export type FirstData = SandboxData['first']
export const CHECKER = checkerOf(sandboxSchema)
