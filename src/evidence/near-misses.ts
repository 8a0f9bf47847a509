/** The requests that came nearest to an unmet expectation or an unused script entry. */
import { isoOf } from '../core/instants.js'
import { isSecretName } from '../core/redaction.js'
import { quoted } from '../core/sentences.js'
import { hasReached, STAGE, type Stage } from '../engine/outcome.js'
import { sentIn } from '../engine/scripted.js'
import type { World } from '../engine/world.js'
import type { Calls } from '../scenario/expect/calls.js'
import { type Expectation, nextOf } from '../scenario/expect/expectations.js'
import { isOf, judgedValue } from '../scenario/expect/judges.js'
import type { Tally } from '../scenario/expect/tally.js'
import { unmetBy } from '../scenario/match/conditions.js'
import {
  countedValue,
  type MatchCondition,
  type Matcher,
  type SentCall,
  shownOn
} from '../scenario/match/matching.js'
import { type Miss, missOf, Nearest, type NearMiss } from '../scenario/match/near-misses.js'
import type { ListedEntry, Script } from '../scenario/script.js'
import type { Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import { type Entry, endingOf } from './entry.js'

export type SearchScope = {
  requests: readonly Entry[]
  store: Store
  nameOf?: (id: string) => string
}
type Unused = ReturnType<Script['unused']>[number]

/** Maximum of expectations and entries, and of newest requests to search for each. */
const MAX_EXPLAINED = 20
const MAX_SEARCHED = 1000

/** Adds what an unmet expectation counted or nearly counted. `isForced`: see `Tally`. */
export async function explainedVerdicts(tally: Tally, scope: SearchScope, isForced = false) {
  const verdicts = await tally.verdicts(scope.store, isForced)
  const { requests, nameOf = id => id } = scope
  let left = MAX_EXPLAINED
  for (const [index, verdict] of verdicts.entries()) {
    const expectation = tally.expectations[index] as Expectation
    if (verdict.holds || 'differences' in expectation) continue
    const counted = verdict.requests ?? []
    if (counted.length > 0) verdict.requests = counted.map(nameOf)
    const next = nextOf(expectation, verdict.seen as number)
    // too many requests are not near misses; in a sequence, the next one is the reason
    if (left-- <= 0 || next === undefined || (verdict.forbidden && 'on' in expectation.data))
      continue
    const { per } = expectation.data
    const { value } = verdict
    const near = await nearIn(next.operations, scope, (call, sent) =>
      counted.includes(call.id) || (per && value !== undefined && judgedValue(per, sent) !== value)
        ? []
        : missesOfCalls(next, call, sent, counted.length === 0)
    )
    if (near.length === 0) continue
    verdict.near_misses = near
    const tests = requests.flatMap(({ id, caller: { test } }) =>
      test !== null && near.some(({ in: where }) => where === nameOf(id)) ? test : []
    )
    verdict.tests = [...new Set([...(verdict.tests ?? []), ...tests])]
  }
  return verdicts
}

/** The entries that were never applied. */
export async function explainedUnused(script: Script, scope: SearchScope) {
  const explained: ListedEntry[] = []
  for (const [index, unused] of script.unused().entries()) {
    const { id, entry, count } = unused
    const near =
      index < MAX_EXPLAINED
        ? await nearIn(entry.operations, scope, (call, sent) => missesOfEntry(unused, call, sent))
        : []
    explained.push(withNearlyMet({ id, entry: entry.data, ...count }, near))
  }
  return explained
}

export async function explainedEntries(script: Script, scope: SearchScope) {
  const unused = new Map((await explainedUnused(script, scope)).map(entry => [entry.id, entry]))
  return script.listed().map(entry => unused.get(entry.id) ?? entry)
}

/** Unmet expectations and unused entries that a request nearly matched. */
export function nearlyMet(call: Entry, { tally, state }: World) {
  const { store, script } = state
  if (call.operation === null) return []
  const sent = sentIn(store, call)
  const entries = script.unused().filter(({ entry }) => isOf(entry, call))
  const awaited = tally.awaited().filter(({ calls }) => isOf(calls, call))
  const nearest = new Nearest()
  for (const unused of entries.slice(0, MAX_EXPLAINED)) {
    const { id, entry } = unused
    const { name, on } = entry.data
    const which = name === undefined ? `${id}, ${shownOn(on)}` : quoted(name)
    add(nearest, `the script entry ${which}`, missesOfEntry(unused, call, sent))
  }
  for (const { wanted, calls, seen } of awaited.slice(0, MAX_EXPLAINED))
    add(nearest, `the expectation ${wanted}`, missesOfCalls(calls, call, sent, seen === 0))
  return nearest.list()
}

export const withNearlyMet = <W extends object>(why: W, near: readonly NearMiss[]) =>
  near.length === 0 ? why : { ...why, near_misses: near }

const add = (nearest: Nearest, where: string, misses: Miss[]) =>
  nearest.add(where, misses.length, () => misses)

async function nearIn(
  operations: Calls['operations'],
  { requests, store, nameOf = id => id }: SearchScope,
  missesOf: (call: Entry, sent: SentCall) => Miss[]
) {
  const nearest = new Nearest()
  for (const call of requests.slice(-MAX_SEARCHED).reverse()) {
    if (!isOf({ operations }, call)) continue
    add(nearest, nameOf(call.id), missesOf(call, sentIn(store, call)))
    await pause()
  }
  return nearest.list()
}

const miss = (condition: string, wanted: string, got: string): Miss => ({ condition, wanted, got })

/** Why a request does not count. `isNone`: no request matched. */
function missesOfCalls({ matches, ended }: Calls, call: Entry, sent: SentCall, isNone: boolean) {
  const ending = endingOf(call)
  const endings = unmetBy(ending, ended).map(condition => missOf(condition, ending))
  const misses = [...missesOfMatch(matches, sent, isNone && endings.length === 0), ...endings]
  // with an invalid key the body was not read
  return misses.length === 0
    ? misses
    : (missedStage(call, STAGE.identified, 'a request with a known API key') ?? misses)
}

function missesOfEntry({ id, entry, count, isWaiting }: Unused, call: Entry, sent: SentCall) {
  const early = missedStage(call, STAGE.admitted, 'a request that reaches the script')
  if (early !== null) return early
  const { between, data, calls, chance } = entry
  const { per } = data
  const { at, script } = call
  const misses = missesOfMatch(entry.matches, sent, count.matched === 0)
  const value = per && countedValue(per, sent)
  // the key is no longer known
  if (per !== undefined && per !== 'key' && value === undefined)
    misses.push(miss('per', `a ${per}`, 'none'))
  if (at < between.from) misses.push(miss('from', `${data.from}`, isoOf(at)))
  if (isWaiting) misses.push(miss('after', JSON.stringify(data.after), 'not yet'))
  if (at >= between.until) misses.push(miss('until', `before ${data.until}`, isoOf(at)))
  const ofValue =
    value === undefined ? count : count.values?.find(counted => counted.value === value)
  const matched = ofValue?.matched ?? 0
  // a request that meets every condition and was not counted came before the entry was added
  if (misses.length > 0 || matched === 0) return misses
  const action = script?.action
  if (action?.id === id)
    return [miss('applied', 'a response that it can change', unchangedBy(call))]
  if (matched < calls.from) return [miss('calls', `${data.calls}`, `${matched} that matched`)]
  if (action === undefined) return [miss('chance', `${chance}`, 'not selected')]
  const { name } = action.entry.data
  const earlier = name === undefined ? action.id : quoted(name)
  return [miss('entry', 'no earlier entry that applies', earlier)]
}

const unchangedBy = ({ script, outcome }: Entry) =>
  script?.problem ??
  (script?.action.entry.data.hold ? 'a hold that ended too early' : `a ${outcome.status}`)

function missedStage(call: Entry, stage: Stage, wanted: string) {
  if (hasReached(call, stage)) return null
  const { status, refusal } = call.outcome
  return [miss('request', wanted, `refused with ${status} (${refusal?.code})`)]
}

/** Lists conditions on values that are not stored only if no request matched. */
function missesOfMatch(matches: Matcher, sent: SentCall, isNone: boolean): Miss[] {
  const hidden = matches.filter(condition => isHidden(condition, sent))
  const misses = unmetBy(sent, matches)
    .filter(condition => !hidden.includes(condition))
    .map(condition => missOf(condition, sent))
  if (misses.length > 0 || !isNone) return misses
  return hidden.map(({ section, name, wanted }) => {
    const isSecret = section === 'key' || HOLDS_DIGEST.test(wanted)
    return miss(name, isSecret ? 'the value in match' : wanted, 'a value that is not stored')
  })
}

const isHidden = ({ section, name, wanted, valueIn }: MatchCondition, sent: SentCall) =>
  section === 'key' ||
  isSecretName(name) ||
  HOLDS_DIGEST.test(wanted) ||
  (section === 'headers' && valueIn(sent) === null)
const HOLDS_DIGEST = /sha256:[\da-f]{40}/
