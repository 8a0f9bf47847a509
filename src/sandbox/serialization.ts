/** The states of a file that was read: checked, then made again from their parts and records. */
import { checkerOf } from '../core/checking.js'
import { Ids } from '../core/ids.js'
import { LATEST_INSTANT } from '../core/instants.js'
import type { Step } from '../core/places.js'
import {
  flattened,
  type GivenSettings,
  SETTINGS,
  type Settings,
  settingsSchema
} from '../core/settings.js'
import {
  documentOf,
  ProblemList,
  refuseProblems,
  reportTo,
  withoutProblems
} from '../scenario/documents.js'
import { compileExpectation } from '../scenario/expect/expectations.js'
import { FixtureImporter, fixtureIn } from '../scenario/fixture.js'
import { MAX_VALUES } from '../scenario/match/matching.js'
import type { FirstState } from '../scenario/scenario.js'
import { entrySchema, expectationSchema, fixtureSchema } from '../scenario/schemas.js'
import { compileEntry, Script } from '../scenario/script.js'
import { Answers } from '../scenario/steps.js'
import { FAMILIES, Store } from '../store/store.js'
import type { SavedData, SavedState } from './lines.js'
import { SAYS } from './sentences.js'
import { missingActor, type SandboxState, type SavedSandbox, type SavedSandboxes } from './state.js'

const COUNT = { type: 'integer', minimum: 0 }
/** An object that has these properties, and may have others. */
const objectOf = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional }
})
const listOf = (items: object) => ({ type: 'array', items })
const VALUES = {
  ...listOf(objectOf({ value: { type: 'string' }, matched: COUNT, applied: COUNT })),
  maxItems: MAX_VALUES
}

export function stateSchema(
  more: Record<string, object> = {},
  optional: Record<string, object> = {}
) {
  const required = {
    settings: settingsSchema(key => SETTINGS[key].scope === 'sandbox'),
    counters: { type: 'object', additionalProperties: COUNT },
    clock: objectOf({
      at: { type: ['integer', 'null'], minimum: -LATEST_INSTANT, maximum: LATEST_INSTANT },
      running: { type: 'boolean' }
    }),
    script: listOf({
      ...objectOf(
        {
          id: { type: 'string', pattern: '^scr_[1-9][0-9]{0,8}$' },
          entry: entrySchema(),
          matched: COUNT,
          applied: COUNT
        },
        { values: VALUES }
      ),
      additionalProperties: { type: 'integer' }
    }),
    records: fixtureSchema(),
    ...more
  }
  return objectOf(required, optional)
}

const CHECKER = checkerOf(() => {
  const scenario = objectOf({ name: { type: 'string' } })
  return objectOf({
    first_states: listOf(stateSchema({ scenario }, { expectations: listOf(expectationSchema()) })),
    sandboxes: listOf(stateSchema())
  })
})

/** Gives the settings that records are checked with, from those saved with their state. */
type SettingsFor = (scenario: GivenSettings, control?: GivenSettings) => Settings

/** Errors: `document_invalid` with every problem. */
export async function statesIn(
  path: string,
  { start, first_states, sandboxes }: SavedData,
  settingsFor: SettingsFor
): Promise<SavedSandboxes> {
  const document = documentOf(path, { first_states, sandboxes })
  await refuseProblems(document, CHECKER)
  const problems = new ProblemList()

  /** The families that its records leave out are those of `base`. */
  const stateAt = async (
    at: readonly Step[],
    saved: SavedState,
    base: { store: Store; settings?: GivenSettings }
  ): Promise<SandboxState> => {
    const { counters, clock, records, deleted } = saved
    const given = flattened(saved.settings) as GivenSettings
    const settings =
      base.settings === undefined ? settingsFor(given) : settingsFor(base.settings, given)
    const script = new Script()
    for (const [index, { id, entry: data, ...count }] of saved.script.entries()) {
      const entry = await compileEntry(
        data,
        reportTo(problems, document, [...at, 'script', index, 'entry'])
      )
      if (entry) script.put(id, entry, count)
    }
    const store = base.store.without(FAMILIES.filter(family => records[family] !== undefined))
    store.keys.clear()
    new FixtureImporter(store, { ids: new Ids(), now: 0, settings }, problems).import(
      fixtureIn(document, records, [...at, 'records'])
    )
    for (const family of FAMILIES)
      for (const tombstone of deleted[family] ?? []) store[family].addTombstone(tombstone)
    const actor = missingActor(settings, store)
    if (actor !== null)
      problems.push({
        document,
        steps: at,
        code: 'missing_record',
        message: SAYS.notAnActor(actor)
      })
    return { store, counters, clock, script, settings: given }
  }

  return withoutProblems(problems, async () => {
    const firsts: FirstState[] = []
    for (const [index, { scenario, expectations = [], ...saved }] of first_states.entries()) {
      const at = ['first_states', index]
      const state = await stateAt(at, saved, { store: new Store() })
      const answers = new Answers([])
      const compiled = await Promise.all(
        expectations.map((one, nth) =>
          compileExpectation(
            one,
            reportTo(problems, document, [...at, 'expectations', nth]),
            answers
          )
        )
      )
      firsts.push({
        scenario,
        ...state,
        expectations: compiled.filter(one => one !== null),
        steps: [],
        play: [],
        answers
      })
    }
    const resumed: SavedSandbox[] = []
    for (const [index, { name, from, requests, ...saved }] of sandboxes.entries()) {
      const first = firsts[from] as FirstState
      resumed.push({
        name,
        first,
        requests,
        state: await stateAt(['sandboxes', index], saved, first)
      })
    }
    return { start: firsts[start] as FirstState, sandboxes: resumed }
  })
}
