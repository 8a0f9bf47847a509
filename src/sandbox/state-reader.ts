/** The states of documents that were read: checked, and made again from their parts. */
import { type Checker, checkerOf } from '../core/checking.js'
import { Ids } from '../core/ids.js'
import { LATEST_INSTANT } from '../core/instants.js'
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
import { MAX_VALUES } from '../scenario/match/matching.js'
import type { SourceDocument } from '../scenario/read/document.js'
import { fixtureIn } from '../scenario/records/fixture.js'
import { FixtureImporter } from '../scenario/records/importer.js'
import type { FirstState } from '../scenario/scenario.js'
import { compileEntry } from '../scenario/script/entry.js'
import { Script } from '../scenario/script.js'
import { entrySchema } from '../scenario/shape/entry.js'
import { expectationSchema } from '../scenario/shape/expectation.js'
import { fixtureSchema } from '../scenario/shape/parts.js'
import { Answers } from '../scenario/steps.js'
import { FAMILIES, Store } from '../store/store.js'
import { SAYS } from './sentences.js'
import { missingActor, type SandboxState, type SavedSandbox } from './state.js'
import type { FirstData, StateData, StateDocument } from './state-document.js'

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

const firstSchema = () => {
  const scenario = objectOf({ name: { type: 'string' } })
  return stateSchema({ scenario }, { expectations: listOf(expectationSchema()) })
}
const SNAPSHOT_CHECKER = checkerOf(() => objectOf({ first: firstSchema() }))
const SANDBOX_CHECKER = checkerOf(() => {
  const first = firstSchema()
  return objectOf({ first, sandbox: stateSchema({ requests: COUNT }) }, { start: first })
})

/** Gives the settings that records are checked with, from those saved with their state. */
type SettingsFor = (scenario: GivenSettings, control?: GivenSettings) => Settings
type Place = { document: SourceDocument; at: string; problems: ProblemList }

/** Makes states of documents. Errors: `document_invalid` with every problem of one. */
export class StateReader {
  readonly #settingsFor: SettingsFor
  /** By their texts: most sandboxes begin with the same one. */
  readonly #firsts = new Map<string, FirstState>()

  constructor(settingsFor: SettingsFor) {
    this.#settingsFor = settingsFor
  }

  sandboxIn(
    path: string,
    data: StateDocument
  ): Promise<{ start: FirstState; sandbox: Omit<SavedSandbox, 'name'> }> {
    return this.#checked(path, data, SANDBOX_CHECKER, async place => {
      const first = await this.#firstState(data.first, place('first'))
      const start = data.start && (await this.#firstState(data.start, place('start')))
      const { requests, ...saved } = data.sandbox as NonNullable<StateDocument['sandbox']>
      const state = await this.#state(saved, place('sandbox'), first)
      return { start: start ?? first, sandbox: { first, requests, state } }
    })
  }

  snapshotIn(path: string, data: StateDocument): Promise<FirstState> {
    return this.#checked(path, data, SNAPSHOT_CHECKER, place =>
      this.#firstState(data.first, place('first'))
    )
  }

  async #checked<T>(
    path: string,
    data: StateDocument,
    checker: Checker,
    make: (place: (at: string) => Place) => Promise<T>
  ): Promise<T> {
    const document = documentOf(path, data)
    await refuseProblems(document, checker)
    const problems = new ProblemList()
    return withoutProblems(problems, () => make(at => ({ document, at, problems })))
  }

  async #firstState(data: FirstData, place: Place): Promise<FirstState> {
    const text = JSON.stringify(data)
    const known = this.#firsts.get(text)
    if (known !== undefined) return known
    const { scenario, expectations = [], ...saved } = data
    const state = await this.#state(saved, place)
    const answers = new Answers([])
    const { document, problems, at } = place
    const compiled = await Promise.all(
      expectations.map((one, nth) =>
        compileExpectation(one, reportTo(problems, document, [at, 'expectations', nth]), answers)
      )
    )
    const first: FirstState = {
      scenario,
      ...state,
      expectations: compiled.filter(one => one !== null),
      steps: [],
      play: [],
      answers
    }
    this.#firsts.set(text, first)
    return first
  }

  /** The families that its records leave out are those of `base`. */
  async #state(
    { settings: written, counters, clock, script: entries, records, deleted }: StateData,
    { document, problems, at }: Place,
    base?: FirstState
  ): Promise<SandboxState> {
    const given = flattened(written) as GivenSettings
    const settings =
      base === undefined ? this.#settingsFor(given) : this.#settingsFor(base.settings, given)
    const script = new Script()
    for (const [index, { id, entry: data, ...count }] of entries.entries()) {
      const report = reportTo(problems, document, [at, 'script', index, 'entry'])
      const entry = await compileEntry(data, report)
      if (entry) script.put(id, entry, count)
    }
    const own = FAMILIES.filter(family => records[family] !== undefined)
    const store = (base?.store ?? new Store()).without(own)
    store.keys.clear()
    new FixtureImporter(store, { ids: new Ids(), now: 0, settings }, problems).import(
      fixtureIn(document, records, [at, 'records'])
    )
    for (const family of FAMILIES)
      for (const tombstone of deleted[family] ?? []) store[family].addTombstone(tombstone)
    const actor = missingActor(settings, store)
    const said = actor !== null && SAYS.notAnActor(actor)
    if (said) problems.push({ document, steps: [at], code: 'missing_record', message: said })
    return { store, counters, clock, script, settings: given }
  }
}
