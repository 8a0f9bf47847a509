/** What the documents of a data folder hold: their schemas, and the types that follow from them. */
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { checkerOf } from '../../core/checking.js'
import type { ClockStart } from '../../core/clock.js'
import type { IdCounters } from '../../core/ids.js'
import { LATEST_INSTANT } from '../../core/instants.js'
import { SETTINGS, settingsSchema } from '../../core/settings.js'
import type { Family } from '../../reference/operations.js'
import { MAX_VALUES } from '../../scenario/match/matching.js'
import type { EntryCount } from '../../scenario/script.js'
import { type EntryData, entrySchema } from '../../scenario/shape/entry.js'
import { type ExpectationData, expectationSchema } from '../../scenario/shape/expectation.js'
import { fixtureSchema, of } from '../../scenario/shape/parts.js'
import type { Tombstone } from '../../store/collection.js'

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
  settings: of<object>(settingsSchema(key => SETTINGS[key].scope === 'sandbox')),
  counters: of<IdCounters>({ type: 'object', additionalProperties: COUNT }),
  clock: Type.Object({ at: of<ClockStart['at']>(instant), running: Type.Boolean() }),
  script: Type.Array(of<{ id: string; entry: EntryData } & EntryCount>(entry())),
  /** Of a sandbox, a family that is not among them is as in its first state. */
  records: of<Readonly<Record<string, unknown[]>>>(fixtureSchema()),
  deleted: of<Partial<Record<Family, Tombstone[]>>>({ type: 'object' })
})
export const stateSchema = () => Type.Object(stateParts())
const firstSchema = () =>
  Type.Object({
    ...stateParts(),
    scenario: Type.Object({ name: Type.String(), description: of<string | null>({}) }),
    expectations: Type.Optional(of<ExpectationData[]>(Type.Array(expectationSchema())))
  })
const snapshotSchema = () => Type.Object({ first: firstSchema() })
/** `start`: what new sandboxes begin with, where that differs. */
const sandboxSchema = () =>
  Type.Object({
    first: firstSchema(),
    start: Type.Optional(firstSchema()),
    sandbox: Type.Object({ ...stateParts(), requests: COUNT })
  })

export type StateData = Static<ReturnType<typeof stateSchema>>
export type FirstData = Static<ReturnType<typeof firstSchema>>
export type SnapshotData = Static<ReturnType<typeof snapshotSchema>>
export type SandboxData = Static<ReturnType<typeof sandboxSchema>>
export const SNAPSHOT_CHECKER = checkerOf(snapshotSchema)
export const SANDBOX_CHECKER = checkerOf(sandboxSchema)
