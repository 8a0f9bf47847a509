/** Requests that came nearest to an unmet expectation, and to an entry that was never applied. */
import { isoOf } from '../core/instants.js'
import { isSecretName } from '../core/redaction.js'
import { type Exchange, hasReached, type Refusal, STAGE, type Stage } from '../engine/exchange.js'
import { endingOf, sentIn } from '../engine/scripted.js'
import type { OperationId } from '../reference/operations.js'
import type { Calls, Expectation, Tally, Verdict } from '../scenario/expectations.js'
import {
  countedValue,
  type MatchCondition,
  type Matcher,
  type SentCall,
  shownOn,
  valueFor
} from '../scenario/matching.js'
import { type Miss, missOf, Nearest, type NearMiss } from '../scenario/near-misses.js'
import type { SequenceData } from '../scenario/schemas.js'
import type { ListedEntry, Script } from '../scenario/script.js'
import type { Store } from '../store/store.js'
import { pause } from '../work/slices.js'

/** What is looked through. `nameOf` gives a request its name, its id where it is left out. */
export type Looked = {
  requests: readonly Exchange[]
  store: Store
  nameOf?: (id: string) => string
}
type Unused = ReturnType<Script['unused']>[number]

/** How many are explained, how many requests are looked at for each, and how many are listed. */
const MAX_EXPLAINED = 20
const MAX_LOOKED_AT = 1000
const MAX_LISTED = 10

/** Each expectation now; one that does not hold with those that counted and those that nearly did. */
export async function explainedVerdicts(tally: Tally, looked: Looked): Promise<Verdict[]> {
  const verdicts = await tally.verdicts(looked.store)
  let left = MAX_EXPLAINED
  for (const [index, verdict] of verdicts.entries()) {
    const expectation = tally.expectations[index] as Expectation
    if (verdict.holds || 'differences' in expectation || left-- <= 0) continue
    const own = { ...looked, requests: requestsOf(verdict, expectation.data, looked) }
    Object.assign(
      verdict,
      await ('steps' in expectation
        ? ofSequence(expectation.steps, verdict, own)
        : ofCalls(expectation.calls, verdict, own))
    )
  }
  return verdicts
}

/** The requests that are looked through for a verdict: those of the value that it is about. */
function requestsOf(
  { value }: Verdict,
  { per }: Partial<SequenceData>,
  { requests, store }: Looked
): readonly Exchange[] {
  if (per === undefined || value === undefined) return requests
  return requests.filter(
    call => call.operation !== null && countedValue(per, sentIn(store, call, null)) === value
  )
}

/** The entries that were never applied, each with the requests that it nearly was applied to. */
export async function explainedUnused(script: Script, looked: Looked): Promise<ListedEntry[]> {
  const explained: ListedEntry[] = []
  for (const [index, unused] of script.unused().entries()) {
    const { id, entry, count } = unused
    const came = index < MAX_EXPLAINED ? exchangesOf(entry.operations, looked) : []
    const near = await nearIn(
      came,
      call => missesOfEntry(unused, call, sentIn(looked.store, call, null)),
      looked
    )
    explained.push({
      id,
      entry: entry.data,
      ...count,
      ...(near.length > 0 && { near_misses: near })
    })
  }
  return explained
}

/** Every entry of a script, in order; those that were never applied as above. */
export async function explainedEntries(script: Script, looked: Looked): Promise<ListedEntry[]> {
  const unused = new Map((await explainedUnused(script, looked)).map(entry => [entry.id, entry]))
  return script.listed().map(entry => unused.get(entry.id) ?? entry)
}

/** The unmet expectations and never applied entries that a request nearly met. */
export function nearlyMet(call: Exchange): NearMiss[] {
  const { tally, state } = call.world
  const { store, script } = state
  const { operation } = call
  if (operation === null) return []
  const sent = sentIn(store, call, null)
  const entries = script.unused().filter(({ entry }) => entry.operations.has(operation))
  const awaited = tally.awaited().filter(({ calls }) => calls.operations.has(operation))
  const nearest = new Nearest()
  const add = (where: string, misses: Miss[]) => nearest.add(where, misses.length, () => misses)
  for (const unused of entries.slice(0, MAX_EXPLAINED))
    add(`the script entry ${nameOfEntry(unused)}`, missesOfEntry(unused, call, sent))
  for (const { wanted, calls, seen } of awaited.slice(0, MAX_EXPLAINED))
    add(`the expectation ${wanted}`, missesOfCalls(calls, call, { sent, isNone: seen === 0 }))
  return nearest.list()
}

/** A `why` with what the request nearly met, where there is anything. */
export const withNearlyMet = <W extends object>(why: W, near: readonly NearMiss[]) =>
  near.length === 0 ? why : { ...why, near_misses: near }

const nameOfEntry = ({ id, entry: { data } }: Unused) => data.name ?? `${id}, ${shownOn(data.on)}`

/** The requests of operations, the newest first. */
const exchangesOf = (operations: ReadonlySet<OperationId>, { requests }: Looked): Exchange[] =>
  requests
    .slice(-MAX_LOOKED_AT)
    .reverse()
    .filter(({ operation }) => operations.has(operation as OperationId))

async function nearIn(
  calls: readonly Exchange[],
  missesOf: (call: Exchange) => Miss[],
  { nameOf = id => id }: Looked
): Promise<NearMiss[]> {
  const nearest = new Nearest()
  for (const call of calls) {
    const misses = missesOf(call)
    nearest.add(nameOf(call.id), misses.length, () => misses)
    await pause()
  }
  return nearest.list()
}

const namesOf = (calls: readonly Exchange[], { nameOf = id => id }: Looked) =>
  calls.slice(0, MAX_LISTED).map(({ id }) => nameOf(id))

/** Requests that counted are named if the journal holds all of them, and no others. */
const explanation = (requests: string[], near: NearMiss[]) => ({
  ...(requests.length > 0 && { requests }),
  ...(near.length > 0 && { near_misses: near })
})

async function ofCalls(calls: Calls, { seen, exceeded }: Verdict, looked: Looked) {
  const counted: Exchange[] = []
  const missesOf = (call: Exchange) => {
    const misses = missesOfCalls(calls, call, {
      sent: sentIn(looked.store, call, null),
      isNone: seen === 0
    })
    if (misses.length === 0) counted.push(call)
    return misses
  }
  const near = await nearIn(exchangesOf(calls.operations, looked), missesOf, looked)
  return explanation(
    seen === counted.length ? namesOf(counted.reverse(), looked) : [],
    exceeded ? [] : near
  )
}

/** The requests that came in the order of a sequence, and those that nearly were the next one. */
async function ofSequence(steps: readonly Calls[], { seen }: Verdict, looked: Looked) {
  const { store } = looked
  const counted: Exchange[] = []
  let after: Exchange[] = []
  for (const call of looked.requests.slice(-MAX_LOOKED_AT)) {
    // none where all of them came, one too soon
    const step = counted.length < seen ? steps[counted.length] : undefined
    const isOfStep = step?.operations.has(call.operation as OperationId)
    if (
      isOfStep &&
      missesOfCalls(step as Calls, call, { sent: sentIn(store, call, null), isNone: false })
        .length === 0
    ) {
      counted.push(call)
      after = []
    } else after.push(call)
    await pause()
  }
  const next = steps[seen]
  if (next === undefined) return explanation(namesOf(counted, looked), [])
  const near = after
    .filter(({ operation }) => next.operations.has(operation as OperationId))
    .reverse()
  const nearest = await nearIn(
    near,
    call => missesOfCalls(next, call, { sent: sentIn(store, call, null), isNone: true }),
    looked
  )
  return explanation(seen === counted.length ? namesOf(counted, looked) : [], nearest)
}

/** `isNone`: no request met the conditions, so those on what is not kept are not met either. */
type Knowing = { sent: SentCall; isNone: boolean }

/** Why a request is not one of those; nothing where it is, as far as that can still be told. */
function missesOfCalls({ matches, ended }: Calls, call: Exchange, knowing: Knowing): Miss[] {
  const early = missedStage(call, STAGE.identified, 'a request with a known API key')
  if (early !== null) return [early]
  const ending = endingOf(call)
  const endings = ended
    .filter(({ holds }) => !holds(ending))
    .map(({ name, wanted, got }) => ({ condition: name, wanted, got: got(ending) }))
  return [
    ...missesOfMatch(matches, { ...knowing, isNone: knowing.isNone && endings.length === 0 }),
    ...endings
  ]
}

/** Why an entry that was never applied was not applied to a request of its operations. */
function missesOfEntry(
  { id, entry, count, isWaiting }: Unused,
  call: Exchange,
  sent: SentCall
): Miss[] {
  const early = missedStage(call, STAGE.admitted, 'a request that reaches the script')
  if (early !== null) return [early]
  const { between, data, calls } = entry
  const { per } = data
  const misses = missesOfMatch(entry.matches, { sent, isNone: count.matched === 0 })
  const value = per && countedValue(per, sent)
  // which key was sent is not known any more
  const isNone = per !== undefined && per !== 'key' && value === undefined
  if (isNone) misses.push({ condition: 'per', wanted: `a ${per}`, got: 'none' })
  if (call.at < between.from)
    misses.push({ condition: 'from', wanted: `${data.from}`, got: isoOf(call.at) })
  if (isWaiting(call.at))
    misses.push({ condition: 'after', wanted: JSON.stringify(data.after), got: 'not yet' })
  if (call.at >= between.until)
    misses.push({ condition: 'until', wanted: `before ${data.until}`, got: isoOf(call.at) })
  const { matched } =
    value === undefined ? count : (count.values?.find(own => own.value === value) ?? { matched: 0 })
  // a request that meets every condition and was not counted came before the entry was added
  if (misses.length > 0 || matched === 0 || call.action?.id === id) return misses
  if (matched < calls.from)
    return [{ condition: 'calls', wanted: `${data.calls}`, got: `${matched} that matched` }]
  if (call.action !== null)
    return [
      {
        condition: 'entry',
        wanted: 'no earlier entry that applies',
        got: call.action.entry.data.name ?? call.action.id
      }
    ]
  return [{ condition: 'chance', wanted: `${entry.chance}`, got: 'not drawn' }]
}

/** That a request was refused before it came so far; null where it was not. */
function missedStage(call: Exchange, stage: Stage, wanted: string): Miss | null {
  if (hasReached(call, stage)) return null
  const { status, refusal } = call.outcome
  return {
    condition: 'request',
    wanted,
    got: `refused with ${status} (${(refusal as Refusal).code})`
  }
}

/** The conditions that a request does not meet; those on what is not kept only for lack of others. */
function missesOfMatch(matches: Matcher, { sent, isNone }: Knowing): Miss[] {
  const misses = missesAmong(matches, sent)
  if (misses.length > 0 || !isNone) return misses
  return matches
    .filter(condition => isHidden(condition, sent))
    .map(({ section, name, wanted }) => ({
      condition: name.join('.'),
      wanted: section === 'key' || HOLDS_DIGEST.test(wanted) ? 'the value of the match' : wanted,
      got: 'a value that is not kept'
    }))
}

/** The conditions that a request certainly does not meet. */
function missesAmong(matches: Matcher, sent: SentCall): Miss[] {
  return matches.flatMap(condition => {
    if (isHidden(condition, sent)) return []
    const value = valueFor(condition, sent)
    return condition.test(value) ? [] : [missOf(condition, value)]
  })
}

/** Whether the journal does not keep what a condition looks at. */
const isHidden = ({ section, name, wanted }: MatchCondition, sent: SentCall): boolean =>
  section === 'key' ||
  isSecretName(name.join('.')) ||
  HOLDS_DIGEST.test(wanted) ||
  (section === 'headers' && sent.header((name[0] as string).toLowerCase()) === null)
/** The beginning of a digest, in a text that may be cut. */
const HOLDS_DIGEST = /sha256:[\da-f]{40}/
