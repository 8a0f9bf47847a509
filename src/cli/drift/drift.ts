/**
 * How the responses of a running service differ from those of the emulator, and why. The requests
 * were sent there already; here they are made in rounds, one after
 * the other, in an emulator with the settings that were found in the rounds before, until no
 * further one is needed. Each difference gets its one cause: a setting
 * that removes it, other data that the service had before the run, or none of these: then it is
 * wrong.
 */
import { isDeepStrictEqual } from 'node:util'
import { BASE } from '../../core/paths.js'
import { partAt, type Step } from '../../core/places.js'
import type { GivenSettings, SettingKey } from '../../core/settings.js'
import { stepsTo, valueAt } from '../../core/templates.js'
import { execute } from '../../engine/execute.js'
import { answerSeen, requestOf } from '../../engine/play.js'
import type { AssumptionId } from '../../reference/assumptions.js'
import { type OperationId, operationOf } from '../../reference/operations.js'
import { Sandbox } from '../../sandbox/sandbox.js'
import type { Snapshot } from '../../sandbox/snapshots.js'
import type { SourceDocument } from '../../scenario/documents.js'
import type { Library } from '../../scenario/library.js'
import { bindingsOf, type Launch } from '../../scenario/scenario.js'
import { type StepCall, type StepOutcome, wantsStatus } from '../../scenario/steps.js'
import { EMBEDDED } from '../../store/bytes.js'
import { FAMILIES, type Records, type Store } from '../../store/store.js'
import { givenVariables, type PlayedWith } from '../check/scenario-keys.js'
import { type About, aboutOf, type Candidate, candidatesFor, pairsOf } from './causes.js'
import {
  answerDifferences,
  type Compared,
  type Comparison,
  distanceOf,
  type FieldDifference,
  fieldOf,
  IdPairs,
  isMade,
  membersOf
} from './compare.js'
import { type Learned, namedIn, ServiceRecords, saysMissing } from './service-records.js'
import { answeredIn } from './shapes.js'

/** A request that was sent to the service, with its response and its place in the scenario. */
export type PlayedStep = { place: readonly Step[]; label: string; outcome: StepOutcome }
export type Cause =
  /**
   * Neither a setting nor what was there before the run explains it; `isPaging` where the names of
   * the cursors may.
   */
  | { by: 'wrong'; about: About; isPaging: boolean }
  | { by: 'setting'; assumption: AssumptionId; settings: GivenSettings }
  /** Another request needs another value of the setting. */
  | { by: 'contradiction'; key: SettingKey; value: unknown }
  /**
   * `lacked`, in words: the records, at least one of which the service says that it does not have.
   */
  | { by: 'data'; lacked?: string }
  | { by: 'script' }
/** The differences of one request that have one cause. */
export type Deviation<C extends Cause = Cause> = {
  played: PlayedStep
  differences: readonly FieldDifference[]
  cause: C
}
/** Differences that settings of one assumption explain. */
type Explained = Deviation<Extract<Cause, { by: 'setting' }>>
type DriftOptions = Pick<PlayedWith, 'keys' | 'variables'> & {
  document: SourceDocument
  library: Library
  launch: Launch
  /** The base address of the service. */
  base: string
  /** The scenario's key for one that was sent in its place. */
  keyHere: (key: string | null) => string | null
}
type Round = { explained: Explained[]; others: Deviation[]; pairs: IdPairs }

/** Accounts that are tried as the one that every key acts as. */
const MAX_ACCOUNTS = 20
const SEED = 2_147_483_629
/** Acts where the scenario has no merchant's key. */
const CALLER = {
  id: 'caller',
  object: 'account',
  type: 'merchant',
  created: '1970-01-01T00:00:00.000Z',
  reseller: null
} as Records['accounts']

/** A sandbox in which a scenario is loaded, with these settings besides its own. */
async function loadedWith(
  settings: GivenSettings,
  { document, library, launch, keys, variables }: DriftOptions
): Promise<Sandbox> {
  const sandbox = new Sandbox({
    library,
    launch: { ...launch, flag: { ...launch.flag, ...settings } },
    machine: Date.now
  })
  await sandbox.load(
    document,
    { name: document.name, file: document.name },
    { variables: givenVariables({ variables }), keys }
  )
  // what the run makes here has an id that no record of the service has, were that an emulator too
  await sandbox.changeSettings({ seed: SEED })
  if (bindingsOf(sandbox.store).key('') === null) {
    sandbox.store.accounts.insert(CALLER)
    sandbox.store.keys.set(CALLER.id, CALLER.id)
  }
  return sandbox
}

/**
 * Makes every request here, without the script. If its response differs, settings are tried unless
 * `isSearching` is false.
 */
async function compareAll(
  playedSteps: readonly PlayedStep[],
  settings: GivenSettings,
  options: DriftOptions,
  isSearching = true
): Promise<Round> {
  const { base, keyHere, variables, document } = options
  const sandbox = await loadedWith(settings, options)
  const { store: loaded } = sandbox.requireLoaded()
  const records = new ServiceRecords(sandbox)
  const isKnown = (id: string) => isIn(loaded, id) || isIn(sandbox.store, id)
  const named = [...variables]
    .filter(([name]) => isKnown(name))
    .map(([name, value]) => [value, name] as const)
  const pairs = new IdPairs(
    { isKnown, isLoaded: id => isIn(loaded, id) || records.isEarlier(id) },
    named
  )
  const round: Round = { explained: [], others: [], pairs }
  const bases = { here: BASE, there: new URL(base).pathname.replace(/\/+$/, '') }
  const comparisonWith = (pairs: IdPairs): Comparison => {
    const { 'shapes.list': list, 'shapes.error': error } = sandbox.settings
    return { pairs, bases, shapes: { list, error } }
  }
  const answered = answeredIn(
    playedSteps.map(({ outcome }) => outcome),
    sandbox.settings['shapes.list']
  )
  // those of the scenario alone: settings apply before any request creates an Account
  const accounts = [...loaded.accounts.inCreationOrder().slice(0, MAX_ACCOUNTS)].map(({ id }) => id)
  const hasScript = ((document.data as { script?: unknown[] } | null)?.script ?? []).length > 0

  /**
   * Makes a request from the same state again, with its ids and key here. `isShownOnly` keeps only
   * the records of a list that the service has shown.
   */
  const attempt = (
    { outcome: { call, answer: there } }: PlayedStep,
    before: Snapshot,
    learned: Learned,
    isShownOnly: boolean
  ): Compared => {
    sandbox.restore(before)
    const comparison = comparisonWith(round.pairs.copy())
    records.order(learned, comparison)
    const key = call.key === null ? null : (keyHere(call.key) ?? CALLER.id)
    const request = requestOf({ ...translated(call, comparison.pairs), key })
    const onEntered = (operation: OperationId) =>
      isShownOnly && records.leaveOutUnseen(operation, comparison)
    const judged = execute(sandbox, request, { isScripted: false, onEntered })
    const here = answerSeen(judged)
    const isCreate = judged.operation !== null && operationOf(judged.operation).kind === 'create'
    const found =
      learned.wrong.length > 0
        ? learned.wrong
        : answerDifferences(there, here, comparison, isCreate)
    const compared = { call, there, here, judged, comparison, differences: [], unseen: [] }
    const unseen = isShownOnly
      ? found.filter(difference => isUnseen(difference, compared, records))
      : []
    return {
      ...compared,
      unseen,
      differences: found.filter(difference => !unseen.includes(difference))
    }
  }
  /** The settings that bring the responses closest, if any do. */
  const nearest = async (
    candidates: readonly Candidate[],
    tryIt: () => Compared,
    { differences }: Compared
  ) => {
    let [least, found]: [number, { candidate: Candidate; compared: Compared } | null] = [
      distanceOf(differences),
      null
    ]
    for (const candidate of candidates) {
      const was = sandbox.settings
      await sandbox.changeSettings(candidate.settings)
      const compared = tryIt()
      await sandbox.changeSettings(
        Object.fromEntries(
          Object.keys(candidate.settings).map(key => [key, was[key as SettingKey]])
        )
      )
      const distance = distanceOf(compared.differences)
      if (distance < least) [least, found] = [distance, { candidate, compared }]
    }
    return found
  }
  /** Changes settings while one, or two together, bring the responses closer; they stay changed. */
  const explain = async (played: PlayedStep, tryIt: () => Compared): Promise<void> => {
    for (let best = tryIt(); best.differences.length > 0; ) {
      const singles = candidatesFor(best, accounts, answered)
      const nearer =
        (await nearest(singles, tryIt, best)) ?? (await nearest(pairsOf(singles), tryIt, best))
      if (nearer === null) return
      const { candidate, compared } = nearer
      await sandbox.changeSettings(candidate.settings)
      const left = new Set(compared.differences.map(shownPlace))
      const differences = best.differences.filter(difference => !left.has(shownPlace(difference)))
      round.explained.push({ played, differences, cause: { by: 'setting', ...candidate } })
      best = compared
    }
  }
  /**
   * The response with all records, or with only those that the service has shown if that is closer.
   */
  const bestOf = async (
    played: PlayedStep,
    tryIt: (isShownOnly: boolean) => Compared
  ): Promise<Compared> => {
    const all = tryIt(false)
    if (all.differences.length === 0) return all
    const shown = tryIt(true)
    if (agrees(shown)) return { ...shown, unseen: all.differences }
    const isNearer =
      distanceOf([...shown.differences, ...shown.unseen.filter(isNotMore)]) <
      distanceOf(all.differences)
    for (const isShownOnly of [isNearer, !isNearer]) {
      if (isSearching) await explain(played, () => tryIt(isShownOnly))
      const found = tryIt(isShownOnly)
      if (found.differences.length > 0) continue
      const whole = tryIt(false)
      return whole.differences.length === 0 ? whole : found
    }
    return tryIt(isNearer)
  }
  const compareOne = async (played: PlayedStep): Promise<void> => {
    const { step, call, answer, problems } = played.outcome
    const add = (differences: readonly FieldDifference[], cause: Cause) =>
      round.others.push({ played, differences, cause })
    const comparison = comparisonWith(round.pairs)
    const learned = await records.learn(call, answer, comparison)
    const created = fieldOf(answer.body, 'created') as string
    // what the run makes is made at the time of the service
    if (
      isMade(answer) &&
      records.isMade(fieldOf(answer.body, 'id')) &&
      !Number.isNaN(Date.parse(created))
    )
      sandbox.setClock({ at: Date.parse(created), running: false })
    const before = sandbox.snapshot()
    const tryIt = (isShownOnly: boolean) => attempt(played, before, learned, isShownOnly)
    const first = tryIt(false)
    const { fault, status } = step.expect ?? {}
    const isScripted =
      fault !== undefined ||
      (hasScript && status !== undefined && !wantsStatus(status, first.here.status))
    if (isScripted && problems.length > 0) add([], { by: 'script' })
    const isUnreadable = first.differences[0]?.kind === 'form'
    const isAsScripted =
      isScripted && problems.length === 0 && (fault !== undefined || !isUnreadable)
    // if its response was lost, it is unknown whether a request took effect
    if (answer.status === 0 || isAsScripted) return sandbox.restore(before)
    const lacked =
      isMade(answer) || saysMissing(first.here, comparison.shapes) || isUnreadable
        ? null
        : records.lackedBy(call, answer, comparison.shapes)
    if (lacked !== null) {
      if (first.differences.length > 0) add(first.differences, { by: 'data', lacked })
      return sandbox.restore(before)
    }
    const compared = await bestOf(played, tryIt)
    round.pairs = compared.comparison.pairs
    const cursors = sandbox.settings['pagination.cursors']
    const isPaged = cursors.some(name => new URLSearchParams(call.query).has(name))
    for (const difference of compared.differences) {
      const isPaging =
        isPaged &&
        (!isMade(answer) || difference.kind === 'record' || difference.kind === 'members')
      add([difference], { by: 'wrong', about: aboutOf(difference, compared), isPaging })
    }
    if (learned.wrong.length === 0)
      for (const difference of [...learned.others, ...compared.unseen])
        add([difference], { by: 'data' })
    // the state goes on as that of the service; what a list left out is there again
    if (isMade(answer) !== isMade(compared.here) || call.method === 'GET') sandbox.restore(before)
  }

  for (const played of playedSteps) await compareOne(played)
  return round
}

/**
 * Whether a difference is about records that the service had before the run and has not shown: more
 * may follow a full page, and what a search leaves out is
 * not shown at all. What belongs to a record of this run has no others.
 */
function isUnseen(
  { kind, steps, part, here: by, there: of }: FieldDifference,
  { call, here, there, judged, comparison }: Compared,
  records: ServiceRecords
): boolean {
  const { list } = comparison.shapes
  if (kind === 'form') return false
  if (judged.outcome.refusal !== null)
    return kind === 'outcome' && judged.outcome.refusal.code === 'cursor_unknown'
  const depth = steps.length - (stepsTo(list, part ?? '')?.length ?? 0)
  if (depth > 0 && part === '$has_more') {
    const [owner, charge] = [depth, depth - 1].map(length =>
      partAt(there.body, steps.slice(0, length))
    )
    return (
      of === true &&
      membersOf(owner, list).length === EMBEDDED &&
      !records.isMade(fieldOf(charge, 'id'))
    )
  }
  const query = new URLSearchParams(call.query)
  if (
    judged.operation === null ||
    operationOf(judged.operation as OperationId).kind !== 'list' ||
    namedIn(call).some(({ id }) => records.isMade(id))
  )
    return false
  const { 'pagination.default_limit': usual, 'pagination.max_limit': most } = judged.settings
  const isSearch = (query.get('search_query') ?? '') !== ''
  const shown = membersOf(there.body, list).length
  const isFull = shown === Math.min(Number(query.get('limit') ?? usual), most)
  if (part === '$has_more') return of === true && by === false && (isFull || isSearch)
  if (!isSearch) return false
  const hasMore = valueAt(list, there.body, '$has_more') === true
  if (kind === 'members') return hasMore && shown < membersOf(here.body, list).length
  return (
    (part === '$first_id' || part === '$last_id') &&
    typeof of === 'string' &&
    (hasMore || !records.isEarlier(of))
  )
}

/** Whether two responses agree; only a `$has_more` that the emulator cannot know may differ. */
const agrees = ({ differences, unseen }: Compared) =>
  differences.length === 0 && !unseen.some(isNotMore)
const isNotMore = ({ part }: FieldDifference) => part !== '$has_more'
/** Whether a store has a record of an id. */
const isIn = (store: Store, id: string) =>
  FAMILIES.some(family => store[family].get(id) !== undefined)
const shownPlace = ({ kind, steps }: FieldDifference) => JSON.stringify([kind, steps])

/** A request with the emulator's ids in place of the service's. */
function translated({ path, query, form, ...call }: StepCall, { here }: IdPairs): StepCall {
  const mapped = (text: string) =>
    String(
      new URLSearchParams(
        [...new URLSearchParams(text)].map(
          ([name, value]) => [name, here(value)] as [string, string]
        )
      )
    )
  const steps = path.split('/').map(part => encodeURIComponent(here(decodeURIComponent(part))))
  return {
    ...call,
    path: steps.join('/'),
    query: mapped(query),
    form: form === null ? null : mapped(form)
  }
}

export type Drift = {
  /**
   * The settings that make the emulator respond as the service does, as far as settings can. None
   * that requests need different values of.
   */
  settings: GivenSettings
  deviations: readonly Deviation[]
  pairs: IdPairs
}

/** Rounds after which a setting that still changes is a contradiction. */
const MAX_ROUNDS = 4
/** How much more a wrong value counts than other data. */
const WRONG = 1_000_000

/** Compares every request, in the order in which they took effect. */
export async function driftOf(
  playedSteps: readonly PlayedStep[],
  options: DriftOptions
): Promise<Drift> {
  const ordered = inEffectOrder(playedSteps.filter(wasMade))
  const explained: Explained[] = []
  let found: GivenSettings = {}
  let last: Round
  for (let rounds = 0; ; ) {
    last = await compareAll(ordered, found, options)
    explained.push(...last.explained)
    found = Object.assign({}, found, ...last.explained.map(({ cause }) => cause.settings))
    if (last.explained.length === 0 || ++rounds === MAX_ROUNDS) break
  }
  const contradictions = contradictionsIn(last, explained)
  const isContradicted = (key: string) => contradictions.some(({ cause }) => cause.key === key)
  const settings = await withoutNeedless(
    Object.fromEntries(Object.entries(found).filter(([key]) => !isContradicted(key))),
    ordered,
    options
  )
  const isNeeded = ({ cause }: Explained) =>
    Object.entries(cause.settings).some(([key, value]) =>
      isDeepStrictEqual(settings[key as SettingKey], value)
    )
  // what differs with the very settings that are proposed; a contradiction has differences with any
  const { others, pairs } =
    contradictions.length > 0 ? last : await compareAll(ordered, settings, options, false)
  return {
    settings,
    deviations: [...contradictions, ...onceEach(explained.filter(isNeeded)), ...others],
    pairs
  }
}

/** Settings that the last round still gave several values, with the requests that need each. */
function contradictionsIn(
  last: Round,
  explained: readonly Explained[]
): Deviation<Extract<Cause, { by: 'contradiction' }>>[] {
  const needs = (all: readonly Explained[]) =>
    all.flatMap(({ played, cause }) =>
      Object.entries(cause.settings).map(([key, value]) => ({
        played,
        differences: [],
        cause: { by: 'contradiction' as const, key: key as SettingKey, value }
      }))
    )
  const still = needs(last.explained)
  const values = still
    .map(({ cause }) => cause)
    .filter((cause, nth, all) => nth === all.findIndex(other => isDeepStrictEqual(other, cause)))
  return values
    .filter(({ key }) => values.filter(other => other.key === key).length > 1)
    .flatMap(cause => onceEach(needs(explained).filter(one => isDeepStrictEqual(one.cause, cause))))
}

/**
 * How far all responses are from the service's with some settings: what is wrong counts before all
 * other data.
 */
async function distanceWith(
  settings: GivenSettings,
  ordered: readonly PlayedStep[],
  options: DriftOptions
): Promise<number> {
  const { others } = await compareAll(ordered, settings, options, false)
  return others.reduce(
    (sum, { differences, cause }) =>
      sum + distanceOf(differences) * (cause.by === 'wrong' ? WRONG : 1),
    0
  )
}

/** What several rounds found for the same request, deduplicated. */
const onceEach = <C extends Cause>(all: readonly Deviation<C>[]) =>
  all.filter(
    (one, nth) =>
      nth ===
      all.findIndex(
        ({ played, cause }) => played === one.played && isDeepStrictEqual(cause, one.cause)
      )
  )

/** A step that refers to a missing response is not sent. */
export const wasMade = ({ outcome: { answer } }: PlayedStep) =>
  answer.status !== 0 || answer.body !== null

/**
 * Requests that were sent together are compared in the order that their responses suggest: the
 * accepted ones, then the refused ones.
 */
function inEffectOrder(playedSteps: readonly PlayedStep[]): PlayedStep[] {
  const groupOf = ({ place }: PlayedStep) => `${place[0]} ${place[1]}`
  const isRefused = ({ outcome }: PlayedStep) => Number(!isMade(outcome.answer))
  const ranks = new Map([...new Set(playedSteps.map(groupOf))].map((group, rank) => [group, rank]))
  const rank = (played: PlayedStep) => ranks.get(groupOf(played)) as number
  return [...playedSteps].sort((a, b) => rank(a) - rank(b) || isRefused(a) - isRefused(b))
}

/** The settings without those that change nothing. */
async function withoutNeedless(
  settings: GivenSettings,
  ordered: readonly PlayedStep[],
  options: DriftOptions
): Promise<GivenSettings> {
  if (Object.keys(settings).length < 2) return settings
  const least = await distanceWith(settings, ordered, options)
  let needed = settings
  for (const key of Object.keys(settings) as SettingKey[]) {
    const { [key]: _left, ...others } = needed
    if ((await distanceWith(others, ordered, options)) <= least) needed = others
  }
  return needed
}
