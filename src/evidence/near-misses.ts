/** The requests that came nearest to an unmet expectation or an unused script entry. */
import { isoOf } from '../core/instants.js'
import { quoted } from '../core/sentences.js'
import { hasReached, STAGE, type Stage } from '../engine/outcome.js'
import { sentIn } from '../engine/scripted.js'
import type { World } from '../engine/world.js'
import type { Calls } from '../scenario/expect/calls.js'
import { type Expectation, nextOf } from '../scenario/expect/expectations.js'
import { isOf, judgedValue } from '../scenario/expect/judges.js'
import type { Tally } from '../scenario/expect/tally.js'
import { countedValue, type SentCall, shownOn } from '../scenario/match/matching.js'
import {
  type Miss,
  miss,
  missesOf,
  missesOfMatch,
  type NearMiss
} from '../scenario/match/near-misses.js'
import type { EntryData, ListedEntry, Script } from '../scenario/script.js'
import type { Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import { type Entry, endingOf } from './entry.js'

export type SearchScope = {
  requests: readonly Entry[]
  store: Store
  nameOf?: (id: string) => string
}
type Unused = ReturnType<Script['unused']>[number]
/** What a request can nearly match, and why it does not. */
type Target = {
  title: string
  operations: Calls['operations']
  missesIn: (call: Entry, sent: SentCall) => Miss[]
}

/** Maximum of targets, and of newest requests to search for each. */
const MAX_EXPLAINED = 20
const MAX_SEARCHED = 1000
/** Maximum of near misses, and of the conditions of each. */
const MAX_SHOWN = 3

/** Adds what an unmet expectation counted or nearly counted. `isForced`: see `Tally`. */
export async function explainedVerdicts(tally: Tally, scope: SearchScope, isForced = false) {
  const verdicts = await tally.verdicts(scope.store, isForced)
  const { nameOf = id => id } = scope
  let left = MAX_EXPLAINED
  for (const [index, verdict] of verdicts.entries()) {
    const expectation = tally.expectations[index] as Expectation
    if (verdict.holds || 'differences' in expectation) continue
    const { value, forbidden, requests: counted = [], tests = [] } = verdict
    if (counted.length > 0) verdict.requests = counted.map(nameOf)
    const next = nextOf(expectation, verdict.seen as number)
    // too many requests are not near misses; in a sequence, the next one is the reason
    if (left-- <= 0 || next === undefined || (forbidden && 'on' in expectation.data)) continue
    const { per } = expectation.data
    const target = targetOfCalls(next, '', counted.length === 0)
    const isOfOther = (call: Entry, sent: SentCall) =>
      counted.includes(call.id) || (per && value !== undefined && judgedValue(per, sent) !== value)
    const near = await nearIn(scope, {
      ...target,
      missesIn: (call, sent) => (isOfOther(call, sent) ? [] : target.missesIn(call, sent))
    })
    if (near.length === 0) continue
    verdict.near_misses = near.map(({ of, misses }) => ({ in: nameOf(of.id), misses }))
    verdict.tests = [...new Set([...tests, ...near.flatMap(({ of }) => of.caller.test ?? [])])]
  }
  return verdicts
}

/** The entries that were never applied. */
export async function explainedUnused(script: Script, scope: SearchScope) {
  const { nameOf = id => id } = scope
  const explained: ListedEntry[] = []
  for (const [index, unused] of script.unused().entries()) {
    const { id, entry, count } = unused
    const near = index < MAX_EXPLAINED ? await nearIn(scope, targetOfEntry(unused)) : []
    const named = near.map(({ of, misses }) => ({ in: nameOf(of.id), misses }))
    explained.push(withNearlyMet({ id, entry: entry.data, ...count }, named))
  }
  return explained
}

export async function explainedEntries(script: Script, scope: SearchScope) {
  const unused = new Map((await explainedUnused(script, scope)).map(entry => [entry.id, entry]))
  return script.listed().map(entry => unused.get(entry.id) ?? entry)
}

/** Unmet expectations and unused entries that a request nearly matched. */
export function nearlyMet(call: Entry, { tally, state: { store, script } }: World): NearMiss[] {
  if (call.operation === null) return []
  const sent = sentIn(store, call)
  const awaited = tally.awaited()
  const targets = [
    ...script.unused().map(targetOfEntry),
    ...awaited.map(({ wanted, calls, seen }) => targetOfCalls(calls, wanted, seen === 0))
  ].filter(target => isOf(target, call))
  const near = targets
    .slice(0, MAX_EXPLAINED)
    .map(({ title, missesIn }) => ({ of: title, misses: missesIn(call, sent) }))
  return nearestOf(near).map(({ of, misses }) => ({ in: of, misses }))
}

export const withNearlyMet = <W extends object>(why: W, near: readonly NearMiss[]) =>
  near.length === 0 ? why : { ...why, near_misses: near }

type Near<Of> = { of: Of; misses: Miss[] }

/** Those with the fewest misses, of these the first, and the same misses once. */
function nearestOf<Of>(near: readonly Near<Of>[]): Near<Of>[] {
  const known = new Map<string, Near<Of>>()
  for (const { of, misses } of near.toSorted((a, b) => a.misses.length - b.misses.length)) {
    const text = JSON.stringify(misses)
    if (misses.length > 0 && !known.has(text))
      known.set(text, { of, misses: misses.slice(0, MAX_SHOWN) })
  }
  return [...known.values()].slice(0, MAX_SHOWN)
}

async function nearIn({ requests, store }: SearchScope, target: Target): Promise<Near<Entry>[]> {
  const near: Near<Entry>[] = []
  for (const call of requests.slice(-MAX_SEARCHED).reverse()) {
    if (!isOf(target, call)) continue
    near.push({ of: call, misses: target.missesIn(call, sentIn(store, call)) })
    await pause()
  }
  return nearestOf(near)
}

/** `isNone`: no request matched. */
const targetOfCalls = (
  { operations, matches, ended }: Calls,
  wanted: string,
  isNone: boolean
): Target => ({
  title: `the expectation ${wanted}`,
  operations,
  missesIn(call, sent) {
    const endings = missesOf(ended, endingOf(call))
    const misses = [...missesOfMatch(matches, sent, isNone && endings.length === 0), ...endings]
    // with an invalid key the body was not read
    return misses.length === 0
      ? misses
      : (missedStage(call, STAGE.identified, 'a request with a known API key') ?? misses)
  }
})

const labelOf = (id: string, { name, on }: EntryData) =>
  name === undefined ? `${id}, ${shownOn(on)}` : quoted(name)

const targetOfEntry = (unused: Unused): Target => ({
  title: `the script entry ${labelOf(unused.id, unused.entry.data)}`,
  operations: unused.entry.operations,
  missesIn: (call, sent) =>
    missedStage(call, STAGE.admitted, 'a request that reaches the script') ??
    missesOfEntry(unused, call, sent)
})

function missesOfEntry({ id, entry, count, isWaiting }: Unused, call: Entry, sent: SentCall) {
  const { between, data, calls, chance } = entry
  const { per, from, until, after } = data
  const { at, script } = call
  const misses = missesOfMatch(entry.matches, sent, count.matched === 0)
  const value = per && countedValue(per, sent)
  // the key is no longer known
  if (per !== undefined && per !== 'key' && value === undefined)
    misses.push(miss('per', `a ${per}`, 'none'))
  if (at < between.from) misses.push(miss('from', `${from}`, isoOf(at)))
  if (isWaiting) misses.push(miss('after', JSON.stringify(after), 'not yet'))
  if (at >= between.until) misses.push(miss('until', `before ${until}`, isoOf(at)))
  const ofValue =
    value === undefined ? count : count.values?.find(counted => counted.value === value)
  const matched = ofValue?.matched ?? 0
  // a request that meets every condition and was not counted came before the entry was added
  if (misses.length > 0 || matched === 0) return misses
  const action = script?.action
  if (action?.id === id)
    return [miss('applied', 'a response that it can change', unchangedBy(call))]
  if (matched < calls.from) return [miss('calls', `${data.calls}`, `${matched} that matched`)]
  return action === undefined
    ? [miss('chance', `${chance}`, 'not selected')]
    : [miss('entry', 'no earlier entry that applies', labelOf(action.id, action.entry.data))]
}

const unchangedBy = ({ script, outcome }: Entry) =>
  script?.problem ??
  (script?.action.entry.data.hold ? 'a hold that ended too early' : `a ${outcome.status}`)

function missedStage(call: Entry, stage: Stage, wanted: string) {
  if (hasReached(call, stage)) return null
  const { status, refusal } = call.outcome
  return [miss('request', wanted, `refused with ${status} (${refusal?.code})`)]
}
