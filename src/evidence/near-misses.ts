/** The requests that came nearest to an unmet expectation or an unused script entry. */
import { isoOf } from '../core/instants.js'
import { isSecretName } from '../core/redaction.js'
import { hasReached, type Refusal, STAGE, type Stage } from '../engine/outcome.js'
import { sentIn } from '../engine/scripted.js'
import type { World } from '../engine/world.js'
import type { OperationId } from '../reference/operations.js'
import type { Calls, Expectation } from '../scenario/expect/expectations.js'
import { judgedValue, type Tally, type Verdict } from '../scenario/expect/tally.js'
import {
  countedValue,
  type MatchCondition,
  type Matcher,
  type SentCall,
  shownOn,
  valueFor
} from '../scenario/match/matching.js'
import { type Miss, missOf, Nearest, type NearMiss } from '../scenario/match/near-misses.js'
import type { SequenceData } from '../scenario/schemas.js'
import type { ListedEntry, Script } from '../scenario/script.js'
import type { Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import { type Entry, endingOf } from './entry.js'

export type Looked = {
  requests: readonly Entry[]
  store: Store
  nameOf?: (id: string) => string
}
type Unused = ReturnType<Script['unused']>[number]

/** Expectations and entries that are explained, and the newest requests, looked at for each. */
const MAX_EXPLAINED = 20
const MAX_LOOKED_AT = 1000

/** Of one that does not hold, which requests counted and nearly did. `isAsked`: as of `Tally`. */
export async function explainedVerdicts(
  tally: Tally,
  looked: Looked,
  isAsked = false
): Promise<Verdict[]> {
  const verdicts = await tally.verdicts(looked.store, isAsked)
  const { nameOf = id => id } = looked
  let left = MAX_EXPLAINED
  for (const [index, verdict] of verdicts.entries()) {
    const expectation = tally.expectations[index] as Expectation
    if (verdict.holds || 'differences' in expectation) continue
    const counted = verdict.requests ?? []
    if (counted.length > 0) verdict.requests = counted.map(nameOf)
    const next =
      'steps' in expectation ? expectation.steps[verdict.seen as number] : expectation.calls
    // too many are no near misses; in a sequence the next one is what is in the way
    if (left-- <= 0 || next === undefined || (verdict.forbidden && 'calls' in expectation)) continue
    const near = await nearlyThe(next, counted, {
      ...looked,
      requests: requestsOf(verdict, expectation.data, looked)
    })
    if (near.length === 0) continue
    verdict.near_misses = near
    const tests = looked.requests.flatMap(({ id, caller: { test } }) =>
      test !== null && near.some(one => one.in === nameOf(id)) ? test : []
    )
    verdict.tests = [...new Set([...(verdict.tests ?? []), ...tests])]
  }
  return verdicts
}

function nearlyThe(calls: Calls, counted: readonly string[], looked: Looked): Promise<NearMiss[]> {
  const isNone = counted.length === 0
  return nearIn(
    entriesOf(calls.operations, looked).filter(({ id }) => !counted.includes(id)),
    call => missesOfCalls(calls, call, { sent: sentIn(looked.store, call), isNone }),
    looked
  )
}

/** The requests that are looked through for a verdict: those of the value that it is about. */
function requestsOf(
  { value }: Verdict,
  { per }: Partial<SequenceData>,
  { requests, store }: Looked
): readonly Entry[] {
  if (per === undefined || value === undefined) return requests
  return requests.filter(call => judgedValue(per, sentIn(store, call)) === value)
}

/** The entries that were never applied, with the requests that they nearly applied to. */
export async function explainedUnused(script: Script, looked: Looked): Promise<ListedEntry[]> {
  const explained: ListedEntry[] = []
  for (const [index, unused] of script.unused().entries()) {
    const { id, entry, count } = unused
    const came = index < MAX_EXPLAINED ? entriesOf(entry.operations, looked) : []
    const near = await nearIn(
      came,
      call => missesOfEntry(unused, call, sentIn(looked.store, call)),
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

export async function explainedEntries(script: Script, looked: Looked): Promise<ListedEntry[]> {
  const unused = new Map((await explainedUnused(script, looked)).map(entry => [entry.id, entry]))
  return script.listed().map(entry => unused.get(entry.id) ?? entry)
}

/** Unmet expectations and unused entries that a request nearly matched. */
export function nearlyMet(call: Entry, { tally, state }: World): NearMiss[] {
  const { store, script } = state
  const { operation } = call
  if (operation === null) return []
  const sent = sentIn(store, call)
  const entries = script.unused().filter(({ entry }) => entry.operations.has(operation))
  const awaited = tally.awaited().filter(({ calls }) => calls.operations?.has(operation) !== false)
  const nearest = new Nearest()
  const add = (where: string, misses: Miss[]) => nearest.add(where, misses.length, () => misses)
  for (const unused of entries.slice(0, MAX_EXPLAINED))
    add(`the script entry ${nameOfEntry(unused)}`, missesOfEntry(unused, call, sent))
  for (const { wanted, calls, seen } of awaited.slice(0, MAX_EXPLAINED))
    add(`the expectation ${wanted}`, missesOfCalls(calls, call, { sent, isNone: seen === 0 }))
  return nearest.list()
}

export const withNearlyMet = <W extends object>(why: W, near: readonly NearMiss[]) =>
  near.length === 0 ? why : { ...why, near_misses: near }

const nameOfEntry = ({ id, entry: { data } }: Unused) => data.name ?? `${id}, ${shownOn(data.on)}`

const entriesOf = (operations: Calls['operations'], { requests }: Looked): Entry[] =>
  requests
    .slice(-MAX_LOOKED_AT)
    .reverse()
    .filter(({ operation }) => operations?.has(operation as OperationId) !== false)

async function nearIn(
  calls: readonly Entry[],
  missesOf: (call: Entry) => Miss[],
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

/** `isNone`: no request met the conditions. */
type Knowing = { sent: SentCall; isNone: boolean }

/** Why a request does not count; none if it does, as far as that can still be told. */
function missesOfCalls({ matches, ended }: Calls, call: Entry, knowing: Knowing): Miss[] {
  const ending = endingOf(call)
  const endings = ended
    .filter(({ holds }) => !holds(ending))
    .map(({ name, wanted, got }) => ({ condition: name, wanted, got: got(ending) }))
  const misses = [
    ...missesOfMatch(matches, { ...knowing, isNone: knowing.isNone && endings.length === 0 }),
    ...endings
  ]
  // of one with a wrong key the body was not read
  const early = missedStage(call, STAGE.identified, 'a request with a known API key')
  return misses.length > 0 && early !== null ? [early] : misses
}

function missesOfEntry(
  { id, entry, count, isWaiting }: Unused,
  call: Entry,
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
  if (misses.length > 0 || matched === 0) return misses
  const action = call.script?.action
  if (action?.id === id)
    return [{ condition: 'applied', wanted: 'something that it changes', got: unchangedBy(call) }]
  if (matched < calls.from)
    return [{ condition: 'calls', wanted: `${data.calls}`, got: `${matched} that matched` }]
  if (action !== undefined)
    return [
      {
        condition: 'entry',
        wanted: 'no earlier entry that applies',
        got: action.entry.data.name ?? action.id
      }
    ]
  return [{ condition: 'chance', wanted: `${entry.chance}`, got: 'not drawn' }]
}

const unchangedBy = ({ script, outcome }: Entry): string =>
  script?.problem ??
  (script?.action.entry.data.hold
    ? 'a hold that ended before its number came'
    : `a ${outcome.status}`)

function missedStage(call: Entry, stage: Stage, wanted: string): Miss | null {
  if (hasReached(call, stage)) return null
  const { status, refusal } = call.outcome
  return {
    condition: 'request',
    wanted,
    got: `refused with ${status} (${(refusal as Refusal).code})`
  }
}

/** Those on what is not kept are told only if all others are met, and no request met them all. */
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

function missesAmong(matches: Matcher, sent: SentCall): Miss[] {
  return matches.flatMap(condition => {
    if (isHidden(condition, sent)) return []
    const value = valueFor(condition, sent)
    return condition.test(value) ? [] : [missOf(condition, value)]
  })
}

const isHidden = ({ section, name, wanted }: MatchCondition, sent: SentCall): boolean =>
  section === 'key' ||
  isSecretName(name.join('.')) ||
  HOLDS_DIGEST.test(wanted) ||
  (section === 'headers' && sent.header((name[0] as string).toLowerCase()) === null)
const HOLDS_DIGEST = /sha256:[\da-f]{40}/
