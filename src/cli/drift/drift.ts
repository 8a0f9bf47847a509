/**
 * How the answers of a running service differ from those of the emulator, and why. The calls were made there already; here they are made in an emulator of its own, whose
 * settings are changed until it answers as the service did, as far as a setting can.
 */
import { isDeepStrictEqual } from 'node:util'
import { BASE } from '../../core/paths.js'
import type { Step } from '../../core/places.js'
import { type GivenSettings, type SettingKey, settingsInForce } from '../../core/settings.js'
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
export type PlayedStep = { place: readonly Step[]; label: string; outcome: StepOutcome; expect: StepData['expect'] | undefined }
/** What differs in one call. */
export type Deviation = { played: PlayedStep; differences: readonly FieldDifference[] }
/** Differences that settings of one assumption explain. */
export type Explained = Deviation & { assumption: AssumptionId; settings: GivenSettings }
export type Caused = Deviation & { cause: Cause }
export type Drift = {
  /** The settings that make the emulator answer as the service does, as far as settings can. */
  settings: GivenSettings
  explained: readonly Explained[]
  remaining: readonly Caused[]
  /** Calls whose expectation only the script of the scenario meets. */
  scripted: readonly PlayedStep[]
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

/** Compares every played, in the order in which they took effect. */
export async function driftOf(playedSteps: readonly PlayedStep[], options: DriftOptions): Promise<Drift> {
  const ordered = inEffectOrder(playedSteps)
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
  const found = new Map<PlayedStep, Explained[]>()
  for (const one of explained) {
    const known = found.get(one.played) ?? []
    if (!known.some(({ settings }) => isDeepStrictEqual(settings, one.settings))) found.set(one.played, [...known, one])
  }
  return [...found.values()].flat()
}

/** Calls that were made at once are compared in the order that their answers suggest: those that were made, then those that were refused. */
function inEffectOrder(playedSteps: readonly PlayedStep[]): PlayedStep[] {
  const groupOf = ({ place }: PlayedStep) => `${place[0]} ${place[1]}`
  const refused = ({ outcome }: PlayedStep) => (isMade(outcome.answer) ? 0 : 1)
  const ranks = new Map([...new Set(playedSteps.map(groupOf))].map((group, rank) => [group, rank]))
  const rank = (played: PlayedStep) => ranks.get(groupOf(played)) as number
  return [...playedSteps].sort((a, b) => rank(a) - rank(b) || refused(a) - refused(b))
}

/** The settings without those that change nothing. */
async function withoutNeedless(settings: GivenSettings, playedSteps: readonly PlayedStep[], options: DriftOptions): Promise<GivenSettings> {
  if (Object.keys(settings).length < 2) return settings
  let needed = settings
  const distance = async (given: GivenSettings) => {
    const { remaining } = await compareAll(playedSteps, given, options, { isSearching: false })
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
  playedSteps: readonly PlayedStep[],
  settings: GivenSettings,
  options: DriftOptions,
  { isSearching = true }: { isSearching?: boolean } = {}
): Promise<Round> {
  const emulator = await emulated({ ...options, settings })
  const named = [...options.variables].filter(([name]) => emulator.known.isKnown(name)).map(([name, value]) => [value, name] as const)
  const pairs = new IdPairs(emulator.known, named)
  const state: State = { emulator, options, pairs, recordsThere: new RecordsThere(), explained: [], remaining: [], scripted: [], isSearching }
  for (const played of playedSteps) {
    if (!wasMade(played)) continue
    await compareOne(played, state)
    state.recordsThere.note(played.outcome.call, played.outcome.answer)
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
  scripted: PlayedStep[]
}
/** An answer of the emulator, and how it differs from that of the service. */
type Attempt = { here: JudgedAnswer; differences: FieldDifference[]; pairs: IdPairs }

/** A step that refers to an answer that did not come is not made. */
export const wasMade = ({ outcome: { answer } }: PlayedStep) => answer.status !== 0 || answer.body !== null

async function compareOne(played: PlayedStep, state: State): Promise<void> {
  const { emulator, options } = state
  const { outcome, expect } = played
  const before = emulator.sandbox.snapshot()
  const first = await attempt(played, before, state)
  const hasScript = ((options.document.data as { script?: unknown[] } | null)?.script ?? []).length > 0
  if (hasScript && isOtherThan(expect, first.here)) {
    emulator.sandbox.restore(before)
    if (outcome.problems.length > 0) state.scripted.push(played)
    else return
  }
  // whether a call took effect is unknown when its answer was lost
  if (outcome.answer.status === 0) return emulator.sandbox.restore(before)
  if (state.isSearching) await explain(played, { first, before }, state)
  const last = first.differences.length === 0 && !hasScript ? first : await attempt(played, before, state)
  state.pairs = last.pairs
  const { differences, here } = last
  if (differences.length === 0) return
  const { pairs, recordsThere } = state
  const differing = { call: outcome.call, there: outcome.answer, here, differences, pairs, recordsThere, isKnown: emulator.known.isKnown }
  for (const difference of differences) state.remaining.push({ played, differences: [difference], cause: causeOf(difference, differing) })
  // the state goes on as that of the service
  if (differences[0]?.kind === 'outcome') emulator.sandbox.restore(before)
}

/** Whether the emulator without the script answers with another status than is expected. */
const isOtherThan = (expect: PlayedStep['expect'], { answer }: JudgedAnswer) =>
  expect?.fault !== undefined || (expect?.status !== undefined && !wantsStatus(expect.status, answer.status))

/** Makes the call from the same state again, with the ids and the key that it has here. */
async function attempt({ outcome: { call, answer } }: PlayedStep, before: Snapshot, { emulator, options, pairs: known }: State): Promise<Attempt> {
  emulator.sandbox.restore(before)
  const pairs = known.copy()
  const here = emulator.ask({ ...translated(call, pairs), key: options.keyHere(call.key) })
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
async function explain(played: PlayedStep, { first, before }: { first: Attempt; before: Snapshot }, state: State): Promise<void> {
  let best = first
  const { sandbox } = state.emulator
  while (best.differences.length > 0) {
    const { answer: there, call } = played.outcome
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
    state.explained.push({ ...candidate, played, differences: differences.filter(difference => !left.has(shownPlace(difference))) })
    best = found
  }

  async function nearest(candidates: readonly Candidate[], { differences }: Attempt): Promise<{ candidate: Candidate; found: Attempt } | null> {
    let least = distanceOf(differences)
    let best: { candidate: Candidate; found: Attempt } | null = null
    for (const candidate of candidates) {
      const { values } = settingsInForce({ control: sandbox.settings })
      await sandbox.changeSettings(candidate.settings)
      const found = await attempt(played, before, state)
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
