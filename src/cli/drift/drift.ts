/**
 * How the answers of a running service differ from those of the emulator, and why. The calls were made there already; here they are made in an emulator of its own, whose
 * settings are changed until it answers as the service did, as far as a setting can.
 */
import { isDeepStrictEqual } from 'node:util'
import { BASE } from '../../core/paths.js'
import type { Step } from '../../core/places.js'
import type { GivenSettings, SettingKey } from '../../core/settings.js'
import { execute } from '../../engine/execute.js'
import { answerSeen, requestOf } from '../../engine/play.js'
import { operationOf } from '../../reference/operations.js'
import { Sandbox } from '../../sandbox/sandbox.js'
import type { Snapshot } from '../../sandbox/snapshots.js'
import type { SourceDocument } from '../../scenario/documents.js'
import type { Library } from '../../scenario/library.js'
import type { Launch } from '../../scenario/scenario.js'
import { type StepCall, type StepOutcome, wantsStatus } from '../../scenario/steps.js'
import { FAMILIES, type Store } from '../../store/store.js'
import { givenVariables, type PlayedWith } from '../check/scenario-keys.js'
import { type Candidate, candidatesFor, pairsOf } from './candidates.js'
import { type Cause, type Compared, causeOf } from './causes.js'
import { answerDifferences, distanceOf, type FieldDifference, isMade } from './compare.js'
import { IdPairs } from './id-pairs.js'
import { RecordsThere } from './records-there.js'

/** A call that was made at the service, with its answer and where the scenario writes it. */
export type PlayedStep = { place: readonly Step[]; label: string; outcome: StepOutcome }
/** What differs in one call, for one cause. */
export type Deviation<C extends Cause = Cause> = { played: PlayedStep; differences: readonly FieldDifference[]; cause: C }
/** Differences that settings of one assumption explain. */
type Explained = Deviation<Extract<Cause, { by: 'setting' }>>
export type Drift = {
  /** The settings that make the emulator answer as the service does, as far as settings can. */
  settings: GivenSettings
  deviations: readonly Deviation[]
  pairs: IdPairs
}
export type DriftOptions = Pick<PlayedWith, 'keys' | 'variables'> & {
  document: SourceDocument
  library: Library
  launch: Launch
  /** The base address of the service. */
  base: string
  /** The scenario's key for one that was sent in its place. */
  keyHere: (key: string | null) => string | null
}
/** What differs with some settings; `explained` by further ones. */
type Round = { explained: Explained[]; others: Deviation[]; pairs: IdPairs }

/** Rounds after which settings that contradict each other are left. */
const MOST_ROUNDS = 4
/** Accounts that are tried as the one that every key acts as. */
const MOST_ACCOUNTS = 20

/** Compares every call, in the order in which they took effect. */
export async function driftOf(playedSteps: readonly PlayedStep[], options: DriftOptions): Promise<Drift> {
  const ordered = inEffectOrder(playedSteps.filter(wasMade))
  const rounds: Round[] = []
  let found: GivenSettings = {}
  let last: Round
  do {
    last = await compareAll(ordered, found, options)
    rounds.push(last)
    found = Object.assign({}, found, ...last.explained.map(({ cause }) => cause.settings))
  } while (last.explained.length > 0 && rounds.length < MOST_ROUNDS)
  const settings = await withoutNeedless(found, ordered, options)
  const isNeeded = ({ cause }: Explained) => Object.entries(cause.settings).some(([key, value]) => settings[key as SettingKey] === value)
  // what the last round still had to explain shows which settings contradict each other, though only one of them is in force
  const explained = rounds.flatMap(round => (round === last ? round.explained : round.explained.filter(isNeeded)))
  return { settings, deviations: [...onceEach(explained), ...last.others], pairs: last.pairs }
}

/** What several rounds found of the same call, once. */
function onceEach(explained: readonly Explained[]): Explained[] {
  const found = new Map<PlayedStep, Explained[]>()
  for (const one of explained) {
    const known = found.get(one.played) ?? []
    if (!known.some(({ cause }) => isDeepStrictEqual(cause, one.cause))) found.set(one.played, [...known, one])
  }
  return [...found.values()].flat()
}

/** A step that refers to an answer that did not come is not made. */
export const wasMade = ({ outcome: { answer } }: PlayedStep) => answer.status !== 0 || answer.body !== null

/** Calls that were made at once are compared in the order that their answers suggest: those that were made, then those that were refused. */
function inEffectOrder(playedSteps: readonly PlayedStep[]): PlayedStep[] {
  const groupOf = ({ place }: PlayedStep) => `${place[0]} ${place[1]}`
  const isRefused = ({ outcome }: PlayedStep) => Number(!isMade(outcome.answer))
  const ranks = new Map([...new Set(playedSteps.map(groupOf))].map((group, rank) => [group, rank]))
  const rank = (played: PlayedStep) => ranks.get(groupOf(played)) as number
  return [...playedSteps].sort((a, b) => rank(a) - rank(b) || isRefused(a) - isRefused(b))
}

/** The settings without those that change nothing. */
async function withoutNeedless(settings: GivenSettings, playedSteps: readonly PlayedStep[], options: DriftOptions): Promise<GivenSettings> {
  if (Object.keys(settings).length < 2) return settings
  const distance = async (given: GivenSettings) => {
    const { others } = await compareAll(playedSteps, given, options, false)
    return others.reduce((sum, { differences }) => sum + distanceOf(differences), 0)
  }
  const least = await distance(settings)
  let needed = settings
  for (const key of Object.keys(settings) as SettingKey[]) {
    const { [key]: _left, ...others } = needed
    if ((await distance(others)) <= least) needed = others
  }
  return needed
}

/** A sandbox in which a scenario is loaded, with these settings besides its own. */
async function loadedWith(settings: GivenSettings, { document, library, launch, keys, variables }: DriftOptions): Promise<Sandbox> {
  const sandbox = new Sandbox({ library, launch: { ...launch, flag: { ...launch.flag, ...settings } }, machine: Date.now })
  await sandbox.load(document, { name: document.name, file: document.name }, { variables: givenVariables({ variables }), keys })
  return sandbox
}

/** Makes every call in an emulator with these settings, without the script; where its answer differs, settings are tried unless `isSearching` is false. */
async function compareAll(playedSteps: readonly PlayedStep[], settings: GivenSettings, options: DriftOptions, isSearching = true): Promise<Round> {
  const { base, keyHere, variables, document } = options
  const sandbox = await loadedWith(settings, options)
  const { store: loaded } = sandbox.requireLoaded()
  const known = { isKnown: (id: string) => isIn(sandbox.store, id), isLoaded: (id: string) => isIn(loaded, id) }
  const named = [...variables].filter(([name]) => known.isKnown(name)).map(([name, value]) => [value, name] as const)
  const round: Round = { explained: [], others: [], pairs: new IdPairs(known, named) }
  const recordsThere = new RecordsThere()
  const bases = { here: BASE, there: new URL(base).pathname.replace(/\/+$/, '') }
  // those of the scenario alone: a setting is in force before any call makes an Account
  const accounts = [...loaded.accounts.inCreationOrder().slice(0, MOST_ACCOUNTS)].map(({ id }) => id)
  const hasScript = ((document.data as { script?: unknown[] } | null)?.script ?? []).length > 0

  /** Makes a call from the same state again, with the ids and the key that it has here. */
  const attempt = ({ outcome: { call, answer: there } }: PlayedStep, before: Snapshot): Compared => {
    sandbox.restore(before)
    const pairs = round.pairs.copy()
    const judged = execute(sandbox, requestOf({ ...translated(call, pairs), key: keyHere(call.key) }), { isScripted: false })
    const here = answerSeen(judged)
    const isCreate = judged.operation !== null && operationOf(judged.operation).kind === 'create'
    return { call, there, here, judged, pairs, recordsThere, accounts, differences: answerDifferences(there, here, { pairs, bases, isCreate }) }
  }
  /** The candidate that brings the answers nearest, if any does. */
  const nearest = async (candidates: readonly Candidate[], played: PlayedStep, before: Snapshot, { differences }: Compared) => {
    let [least, found]: [number, { candidate: Candidate; compared: Compared } | null] = [distanceOf(differences), null]
    for (const candidate of candidates) {
      const was = sandbox.settings
      await sandbox.changeSettings(candidate.settings)
      const compared = attempt(played, before)
      await sandbox.changeSettings(Object.fromEntries(Object.keys(candidate.settings).map(key => [key, was[key as SettingKey]])))
      const distance = distanceOf(compared.differences)
      if (distance < least) [least, found] = [distance, { candidate, compared }]
    }
    return found
  }
  /** Changes settings as long as one brings the answers nearer; they stay changed. */
  const explain = async (played: PlayedStep, before: Snapshot, first: Compared): Promise<Compared> => {
    for (let best = first; best.differences.length > 0; ) {
      const { differences } = best
      const singles = candidatesFor(best)
      const nearer = (await nearest(singles, played, before, best)) ?? (await nearest(pairsOf(singles), played, before, best))
      if (nearer === null) break
      const { candidate, compared } = nearer
      await sandbox.changeSettings(candidate.settings)
      const left = new Set(compared.differences.map(shownPlace))
      const gone = differences.filter(difference => !left.has(shownPlace(difference)))
      round.explained.push({ played, differences: gone, cause: { by: 'setting', ...candidate } })
      best = compared
    }
    return first.differences.length === 0 ? first : attempt(played, before)
  }
  const compareOne = async (played: PlayedStep): Promise<void> => {
    const { step, answer, problems } = played.outcome
    const before = sandbox.snapshot()
    let compared = attempt(played, before)
    const isOther = step.expect?.fault !== undefined || (step.expect?.status !== undefined && !wantsStatus(step.expect.status, compared.here.status))
    const isScripted = hasScript && isOther
    if (isScripted && problems.length > 0) round.others.push({ played, differences: [], cause: { by: 'script' } })
    // whether a call took effect is unknown when its answer was lost
    if (answer.status === 0 || (isScripted && problems.length === 0)) return sandbox.restore(before)
    if (isSearching) compared = await explain(played, before, compared)
    const { differences, pairs } = compared
    round.pairs = pairs
    for (const difference of differences) round.others.push({ played, differences: [difference], cause: causeOf(difference, compared) })
    // the state goes on as that of the service
    if (differences[0]?.kind === 'outcome') sandbox.restore(before)
  }

  for (const played of playedSteps) {
    await compareOne(played)
    recordsThere.note(played.outcome.call, played.outcome.answer)
  }
  return round
}

/** Whether a store has a record of an id. */
const isIn = (store: Store, id: string) => FAMILIES.some(family => store[family].get(id) !== undefined)
const shownPlace = ({ kind, steps }: FieldDifference) => JSON.stringify([kind, steps])

/** A call with the ids of the emulator in place of those of the service. */
function translated({ path, query, form, ...call }: StepCall, { here }: IdPairs): StepCall {
  const mapped = (text: string) => String(new URLSearchParams([...new URLSearchParams(text)].map(([name, value]) => [name, here(value)] as [string, string])))
  const steps = path.split('/').map(part => encodeURIComponent(here(decodeURIComponent(part))))
  return { ...call, path: steps.join('/'), query: mapped(query), form: form === null ? null : mapped(form) }
}
