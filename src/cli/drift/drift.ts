/**
 * How the answers of a running service differ from those of the emulator, and why. The calls were made there already; here they are made in an emulator of its own, whose
 * settings are changed until it answers as the service did, as far as a setting can.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Step } from '../../core/places.js'
import { type GivenSettings, type SettingKey, settingsInForce } from '../../core/settings.js'
import { BASE } from '../../http/paths.js'
import type { AssumptionId } from '../../reference/assumptions.js'
import { operationOf } from '../../reference/operations.js'
import type { Snapshot } from '../../sandbox/snapshots.js'
import { type StepCall, type StepData, type StepOutcome, wantsStatus } from '../../scenario/steps.js'
import { type Candidate, candidatesFor, pairsOf } from './candidates.js'
import { type Cause, causeOf, lackedThere } from './causes.js'
import { answerDifferences, distanceOf, type FieldDifference, isMade } from './compare.js'
import { type Emulated, type EmulatedOptions, emulated, type JudgedAnswer } from './emulated.js'
import { IdPairs } from './id-pairs.js'
import { RecordsThere } from './records-there.js'

/** A call that was made at the service, with its answer and where the scenario writes it. */
export type Exchange = { place: readonly Step[]; label: string; outcome: StepOutcome; expect: StepData['expect'] | undefined }
/** What differs in one call. */
export type Deviation = { exchange: Exchange; differences: readonly FieldDifference[] }
/** Differences that settings of one assumption explain. */
export type Explained = Deviation & { assumption: AssumptionId; settings: GivenSettings }
export type Caused = Deviation & { cause: Cause }
export type Drift = {
  /** The settings that make the emulator answer as the service does, as far as settings can. */
  settings: GivenSettings
  explained: readonly Explained[]
  remaining: readonly Caused[]
  /** Calls whose expectation only the script of the scenario meets. */
  scripted: readonly Exchange[]
  pairs: IdPairs
}
export type DriftOptions = Omit<EmulatedOptions, 'settings'> & {
  /** The base address of the service. */
  base: string
  /** The service's names for the scenario's: `${NAME}` and its value. */
  variables: ReadonlyMap<string, string>
  /** The scenario's key for one that was sent in its place. */
  keyHere: (key: string | null) => string | null
}

/** Rounds after which settings that contradict each other are left. */
const MOST_ROUNDS = 4

/** Compares every exchange, in the order in which they took effect. */
export async function driftOf(exchanges: readonly Exchange[], options: DriftOptions): Promise<Drift> {
  const ordered = inEffectOrder(exchanges)
  let settings: GivenSettings = {}
  const earlier: Explained[] = []
  let round = await compareAll(ordered, settings, options)
  for (let count = 1; round.explained.length > 0 && count < MOST_ROUNDS; count++) {
    earlier.push(...round.explained)
    settings = withSettingsOf(round, settings)
    round = await compareAll(ordered, settings, options)
  }
  settings = await withoutNeedless(withSettingsOf(round, settings), ordered, options)
  const isNeeded = ({ settings: own }: Explained) => Object.entries(own).some(([key, value]) => settings[key as SettingKey] === value)
  // what the last round still had to explain shows which settings contradict each other, though only one of them is in force
  return { ...round, settings, explained: onceEach([...earlier.filter(isNeeded), ...round.explained]) }
}

const withSettingsOf = ({ explained }: Pick<Round, 'explained'>, before: GivenSettings): GivenSettings =>
  Object.assign({}, before, ...explained.map(({ settings }) => settings))

/** What several rounds found of the same call, once. */
function onceEach(explained: readonly Explained[]): Explained[] {
  const found = new Map<Exchange, Explained[]>()
  for (const one of explained) {
    const known = found.get(one.exchange) ?? []
    if (!known.some(({ settings }) => isDeepStrictEqual(settings, one.settings))) found.set(one.exchange, [...known, one])
  }
  return [...found.values()].flat()
}

/** Calls that were made at once are compared in the order that their answers suggest: those that were made, then those that were refused. */
function inEffectOrder(exchanges: readonly Exchange[]): Exchange[] {
  const groupOf = ({ place }: Exchange) => `${place[0]} ${place[1]}`
  const refused = ({ outcome }: Exchange) => (isMade(outcome.answer) ? 0 : 1)
  const ranks = new Map([...new Set(exchanges.map(groupOf))].map((group, rank) => [group, rank]))
  const rank = (exchange: Exchange) => ranks.get(groupOf(exchange)) as number
  return [...exchanges].sort((a, b) => rank(a) - rank(b) || refused(a) - refused(b))
}

/** The settings without those that change nothing. */
async function withoutNeedless(settings: GivenSettings, exchanges: readonly Exchange[], options: DriftOptions): Promise<GivenSettings> {
  if (Object.keys(settings).length < 2) return settings
  let needed = settings
  const distance = async (given: GivenSettings) => {
    const { remaining } = await compareAll(exchanges, given, options, { isSearching: false })
    return remaining.reduce((sum, { differences }) => sum + distanceOf(differences), 0)
  }
  const least = await distance(settings)
  for (const key of Object.keys(settings) as SettingKey[]) {
    const { [key]: _left, ...others } = needed
    if ((await distance(others)) <= least) needed = others
  }
  return needed
}

type Round = Pick<Drift, 'explained' | 'remaining' | 'scripted' | 'pairs'>

/** Makes every call in an emulator with these settings; where its answer differs, settings are tried unless `isSearching` is false. */
async function compareAll(
  exchanges: readonly Exchange[],
  settings: GivenSettings,
  options: DriftOptions,
  { isSearching = true }: { isSearching?: boolean } = {}
): Promise<Round> {
  const emulator = await emulated({ ...options, settings })
  const named = [...options.variables].filter(([name]) => emulator.known.isKnown(name)).map(([name, value]) => [value, name] as const)
  const pairs = new IdPairs(emulator.known, named)
  const state: State = { emulator, options, pairs, recordsThere: new RecordsThere(), explained: [], remaining: [], scripted: [], isSearching }
  try {
    for (const exchange of exchanges) {
      if (!wasMade(exchange)) continue
      await compareOne(exchange, state)
      state.recordsThere.note(exchange.outcome.call, exchange.outcome.answer)
    }
  } finally {
    await emulator.close()
  }
  return state
}

type State = {
  emulator: Emulated
  options: DriftOptions
  isSearching: boolean
  pairs: IdPairs
  recordsThere: RecordsThere
  explained: Explained[]
  remaining: Caused[]
  scripted: Exchange[]
}
/** An answer of the emulator, and how it differs from that of the service. */
type Attempt = { here: JudgedAnswer; differences: FieldDifference[]; pairs: IdPairs }

/** A step that refers to an answer that did not come is not made. */
export const wasMade = ({ outcome: { answer } }: Exchange) => answer.status !== 0 || answer.body !== null

async function compareOne(exchange: Exchange, state: State): Promise<void> {
  const { emulator, options } = state
  const { outcome, expect } = exchange
  const before = emulator.sandbox.snapshot()
  const first = await attempt(exchange, before, state)
  const hasScript = ((options.document.data as { script?: unknown[] } | null)?.script ?? []).length > 0
  if (hasScript && isOtherThan(expect, first.here)) {
    emulator.sandbox.restore(before)
    if (outcome.problems.length > 0) state.scripted.push(exchange)
    else return
  }
  // whether a call took effect is unknown when its answer was lost
  if (outcome.answer.status === 0) return emulator.sandbox.restore(before)
  if (state.isSearching) await explain(exchange, { first, before }, state)
  const last = first.differences.length === 0 && !hasScript ? first : await attempt(exchange, before, state)
  state.pairs = last.pairs
  const { differences, here } = last
  if (differences.length === 0) return
  const { pairs, recordsThere } = state
  const differing = { call: outcome.call, there: outcome.answer, here, differences, pairs, recordsThere, isKnown: emulator.known.isKnown }
  for (const difference of differences) state.remaining.push({ exchange, differences: [difference], cause: causeOf(difference, differing) })
  // the state goes on as that of the service
  if (differences[0]?.kind === 'outcome') emulator.sandbox.restore(before)
}

/** Whether the emulator without the script answers with another status than is expected. */
const isOtherThan = (expect: Exchange['expect'], { answer }: JudgedAnswer) =>
  expect?.fault !== undefined || (expect?.status !== undefined && !wantsStatus(expect.status, answer.status))

/** Makes the call from the same state again, with the ids and the key that it has here. */
async function attempt({ outcome: { call, answer } }: Exchange, before: Snapshot, { emulator, options, pairs: known }: State): Promise<Attempt> {
  emulator.sandbox.restore(before)
  const pairs = known.copy()
  const here = await emulator.ask({ ...translated(call, pairs), key: options.keyHere(call.key) })
  const { operation } = here.judged
  const isCreate = operation !== null && operationOf(operation).kind === 'create'
  const bases = { here: BASE, there: new URL(options.base).pathname.replace(/\/+$/, '') }
  return { here, pairs, differences: answerDifferences(answer, here.answer, { pairs, bases, isCreate }) }
}

/** A call with the ids of the emulator in place of those of the service. */
function translated({ path, query, form, ...call }: StepCall, pairs: IdPairs): StepCall {
  const mapped = (text: string) =>
    new URLSearchParams([...new URLSearchParams(text)].map(([name, value]): [string, string] => [name, pairs.here(value)])).toString()
  return {
    ...call,
    path: path
      .split('/')
      .map(part => encodeURIComponent(pairs.here(decodeURIComponent(part))))
      .join('/'),
    query: mapped(query),
    form: form === null ? null : mapped(form)
  }
}

/** Changes settings as long as one brings the answers nearer; they stay changed. */
async function explain(exchange: Exchange, { first, before }: { first: Attempt; before: Snapshot }, state: State): Promise<void> {
  let best = first
  const { sandbox } = state.emulator
  while (best.differences.length > 0) {
    const { answer: there, call } = exchange.outcome
    const { here, differences } = best
    const isLacking = lackedThere({ call, there, here, recordsThere: state.recordsThere }) !== null
    // those of the scenario alone: a setting is in force before any call makes an Account
    const accounts = sandbox.requireLoaded().store.accounts.inCreationOrder().slice(0, MOST_ACCOUNTS)
    const singles = candidatesFor({ call, there, here, differences, isLacking, settings: sandbox.settings, accounts: accounts.map(({ id }) => id) })
    const nearer = (await nearest(singles, best)) ?? (await nearest(pairsOf(singles), best))
    if (nearer === null) break
    const { candidate, found } = nearer
    await sandbox.changeSettings(candidate.settings)
    const left = new Set(found.differences.map(shownPlace))
    state.explained.push({ ...candidate, exchange, differences: differences.filter(difference => !left.has(shownPlace(difference))) })
    best = found
  }

  async function nearest(candidates: readonly Candidate[], { differences }: Attempt): Promise<{ candidate: Candidate; found: Attempt } | null> {
    let least = distanceOf(differences)
    let best: { candidate: Candidate; found: Attempt } | null = null
    for (const candidate of candidates) {
      const { values } = settingsInForce({ control: sandbox.settings })
      await sandbox.changeSettings(candidate.settings)
      const found = await attempt(exchange, before, state)
      await sandbox.changeSettings(Object.fromEntries(Object.keys(candidate.settings).map(key => [key, values[key as SettingKey]])))
      const distance = distanceOf(found.differences)
      if (distance < least) {
        least = distance
        best = { candidate, found }
      }
    }
    return best
  }
}

/** Accounts that are tried as the one that every key acts as. */
const MOST_ACCOUNTS = 20
const shownPlace = ({ kind, steps }: FieldDifference) => JSON.stringify([kind, steps])
