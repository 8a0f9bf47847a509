/** Whether the requests that came are those that were expected. */
import { EventEmitter, once } from 'node:events'
import * as Type from 'typebox'
import { durationOf } from '../core/durations.js'
import { isSecretName, maskedThroughout } from '../core/redaction.js'
import { keysToMask } from '../engine/keys.js'
import { sentIn } from '../engine/scripted.js'
import { type Entry, endingOf } from '../evidence/entry.js'
import type { Journal } from '../evidence/journal.js'
import { explainedUnused, explainedVerdicts } from '../evidence/near-misses.js'
import { summaryOf } from '../evidence/why.js'
import { word } from '../reference/parameters.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import {
  ProblemList,
  type Report,
  reportTo,
  within,
  withoutProblems
} from '../scenario/documents.js'
import {
  type CallsData,
  type CountData,
  compileExpectation,
  type Expectation,
  type ExpectationData
} from '../scenario/expect/expectations.js'
import type { StateData } from '../scenario/expect/final-state.js'
import { type Verdict as ScenarioVerdict, Tally } from '../scenario/expect/tally.js'
import { tooLarge } from '../scenario/limits.js'
import { shownOn } from '../scenario/match/matching.js'
import { explainedMessage } from '../scenario/match/near-misses.js'
import type { SourceDocument } from '../scenario/read/document.js'
import { expectationSchema, type SequenceData } from '../scenario/schemas.js'
import { type Lazy, lazily } from '../work/json-pieces.js'
import { pause } from '../work/slices.js'
import type { Context } from './route.js'
import { REFUSALS, say, VERIFY } from './sentences.js'

type Verdict = { holds: boolean; message: string; [more: string]: unknown }
type Judge = {
  see: (request: Entry) => void
  holds: () => Promise<boolean>
  /** Errors: `journal_incomplete`. */
  verdict: () => Promise<Verdict>
}
type Wanted = Partial<CountData> &
  Partial<SequenceData> & { state?: StateData; script?: 'all_used'; within?: string }
export function judgementSchema() {
  const expectation = expectationSchema({ account: true })
  const properties = {
    ...expectation.properties,
    script: word(['all_used']),
    within: Type.String({ 'x-duration': true })
  }
  return Type.Unsafe<Wanted>({ ...expectation, properties })
}
/** Maximum number of requests and of messages in a verdict. */
const MAX_SHOWN = 20
const MAX_WAIT = 60_000
const FOREVER = Number.POSITIVE_INFINITY

/**
 * Errors: of the body, `journal_incomplete`, `limit_reached` where too many wait, and
 * `state_replaced`.
 */
export async function verify({
  sandbox,
  body: wanted,
  document,
  ...waiting
}: Waiting & { body: Wanted; document: SourceDocument }): Promise<Verdict> {
  const problems = new ProblemList()
  // makes judges: a new one after the journal is cleared
  const begin = await withoutProblems(problems, () =>
    judgeOf(wanted, reportTo(problems, document), document, sandbox)
  )
  const longest = wanted.within === undefined ? 0 : withinOf(wanted.within)
  const following = new Following(begin, sandbox.evidence.journal)
  try {
    await following.catchUp()
    if (longest > 0 && !(await following.judge.holds()))
      await waitedFor(following, longest, { sandbox, ...waiting })
    return await following.judge.verdict()
  } finally {
    following.stop()
  }
}

export async function scenarioVerdict(sandbox: Sandbox): Promise<Verdict> {
  const expectations = await explainedVerdicts(sandbox.tally, lookedIn(sandbox))
  const failed = expectations.filter(verdict => !verdict.holds)
  const told = failed.slice(0, MAX_SHOWN).map(verdict => explainedMessage(verdict.message, verdict))
  if (failed.length > MAX_SHOWN) told.push(VERIFY.more(failed.length - MAX_SHOWN))
  if (failed.length === 0)
    told.push(expectations.length === 0 ? VERIFY.nothing_expected() : VERIFY.all_hold())
  const unused = await explainedUnused(sandbox.script, lookedIn(sandbox))
  return {
    holds: failed.length === 0,
    message: maskedThroughout(told.join('; '), keysToMask(sandbox)),
    expectations: maskedList(expectations, sandbox),
    unused_script_entries: maskedList(unused, sandbox)
  }
}

export const lookedIn = ({ evidence: { journal }, store }: Sandbox) => ({
  requests: journal.requests(),
  store
})
export function maskedList(members: readonly unknown[], sandbox: Sandbox): Lazy<unknown> {
  const keys = keysToMask(sandbox)
  return lazily(members, member => maskedThroughout(member, keys))
}

function withinOf(written: string): number {
  const ms = durationOf(written)
  if (ms === null) throw REFUSALS.notAWait(written)
  if (ms > MAX_WAIT) throw REFUSALS.waitTooLong(written)
  return ms
}

async function judgeOf(
  wanted: Wanted,
  tell: Report,
  { limits }: SourceDocument,
  sandbox: Sandbox
): Promise<() => Judge> {
  const { within: _within, script, ...expected } = wanted
  const { on, sequence = [], state } = wanted
  const ways = [on, wanted.sequence, state, script].filter(way => way !== undefined).length
  if (ways !== 1) tell([], say(ways === 0 ? 'no_way' : 'several_ways'))
  if (script !== undefined)
    return () => ({
      see: () => {},
      holds: async () => sandbox.script.isUsed,
      verdict: () => scriptVerdict(sandbox)
    })
  if (sequence.length > limits['limits.entries'])
    throw tooLarge('limits.entries', limits, VERIFY.too_many_steps(sequence.length))
  const kept = ['user-agent', sandbox.settings['evidence.test_header'].toLowerCase()]
  for (const [index, one] of sequence.entries())
    checkKept(one, kept, within(tell, 'sequence', index))
  if (on !== undefined) checkKept(wanted as CallsData, kept, tell)
  if (wanted.per === 'key') tell(['per'], say('key_not_kept'))
  const expectation =
    ways === 1 ? await compileExpectation(expected as ExpectationData, tell) : null
  return () => tallyJudge(expectation as Expectation, sandbox)
}

/** What is not in the journal cannot be matched. */
function checkKept({ on, match = {} }: CallsData, kept: readonly string[], tell: Report): void {
  const report = within(tell, 'match')
  if (match.key !== undefined) report(['key'], say('key_not_kept'))
  for (const name of secretsNamed(match.body ?? {}))
    report(['body', ...name], say('secret_not_kept', name.join('.'), shownOn(on)))
  for (const name of Object.keys(match.headers ?? {}))
    if (!kept.includes(name.toLowerCase()))
      report(['headers', name], say('header_not_kept', name, kept))
}

function secretsNamed(names: object): string[][] {
  return Object.entries(names).flatMap(([written, value]) => {
    if (isSecretName(written)) return [[written]]
    return typeof value === 'object' && !Array.isArray(value)
      ? secretsNamed(value).map(inner => [written, ...inner])
      : []
  })
}

function tallyJudge(expectation: Expectation, sandbox: Sandbox): Judge {
  const { journal } = sandbox.evidence
  const known = journal.unseen - journal.dropped
  const missing = () => journal.unseen - known
  const tally = new Tally([expectation])
  const counted: Entry[] = []
  const see = (request: Entry) => {
    const came = tally.came(sentIn(sandbox.store, request), request.id)
    tally.ended(came, endingOf(request))
    if (!tally.hasCounted(came)) return
    if (counted.push(request) > MAX_SHOWN && 'calls' in expectation) counted.shift()
  }
  const judged = async () => {
    const [verdict] = (await tally.verdicts(sandbox.store, true)) as [ScenarioVerdict]
    return { ...verdict, isCertain: missing() === 0 || isCertainAnyway(expectation, verdict) }
  }
  return {
    see,
    holds: async () => {
      const { holds, isCertain } = await judged()
      return holds && isCertain
    },
    verdict: async () => {
      const { holds, seen, isCertain } = await judged()
      if (!isCertain) throw REFUSALS.journalIncomplete(missing())
      const [explained] = maskedThroughout(
        await explainedVerdicts(tally, lookedIn(sandbox), true),
        keysToMask(sandbox)
      ) as [ScenarioVerdict]
      const { verdict, near_misses: near = [] } = explained
      const told = {
        holds,
        verdict,
        message: explainedMessage(explained.message, { near_misses: near }),
        ...(near.length > 0 && { near_misses: near })
      }
      if ('differences' in expectation) return told
      if ('steps' in expectation) return { ...told, requests: counted.map(({ id }) => id) }
      return {
        ...told,
        seen,
        requests: counted.map(request => summaryOf(request, keysToMask(sandbox)))
      }
    }
  }
}

/** Whether requests that the journal lacks could not change a verdict. */
function isCertainAnyway(expectation: Expectation, { holds, forbidden }: ScenarioVerdict): boolean {
  if ('differences' in expectation) return true
  // how many came of another value, and what came in between, cannot be told
  const isAnyhow = holds && expectation.data.per === undefined
  if ('steps' in expectation)
    return isAnyhow && expectation.others && expectation.steps.every(({ apart }) => apart === null)
  const { times, calls } = expectation
  if (forbidden) return (calls.apart?.most ?? FOREVER) === FOREVER
  return isAnyhow && times.to === FOREVER && calls.apart === null
}

async function scriptVerdict(sandbox: Sandbox): Promise<Verdict> {
  const unused = maskedThroughout(
    await explainedUnused(sandbox.script, lookedIn(sandbox)),
    keysToMask(sandbox)
  )
  const told = unused.map(({ id, entry, ...more }) =>
    explainedMessage(entry.name ?? `${id}, ${shownOn(entry.on)}`, more)
  )
  return {
    holds: told.length === 0,
    message: told.length === 0 ? VERIFY.all_applied() : VERIFY.never_applied(told),
    unused_script_entries: unused
  }
}

const inOrderOfArrival = (journal: Journal): Entry[] =>
  journal.requests().sort((a, b) => numberOf(a) - numberOf(b))
const numberOf = ({ id }: Entry) => Number(id.slice(id.indexOf('_') + 1))

type Waiting = Pick<Context, 'sandbox' | 'left' | 'waiting' | 'closing'>

/** Shows a judge each request of a journal; a new judge once it is cleared. */
class Following {
  judge: Judge
  readonly stop: () => void
  #clears: number
  #unseen: Entry[]
  readonly #news = new EventEmitter()

  constructor(
    private readonly begin: () => Judge,
    private readonly journal: Journal
  ) {
    this.judge = begin()
    this.#clears = journal.clears
    this.#unseen = inOrderOfArrival(journal)
    this.stop = journal.listen(request => {
      if (journal.clears === this.#clears) this.#unseen.push(request)
      this.wake()
    })
  }

  wake(): void {
    this.#news.emit('news')
  }

  async catchUp(): Promise<void> {
    for (let place = 0; ; place++) {
      if (this.journal.clears !== this.#clears) {
        place = 0
        this.#clears = this.journal.clears
        this.judge = this.begin()
        this.#unseen = inOrderOfArrival(this.journal)
      }
      const request = this.#unseen[place]
      if (request === undefined) break
      this.judge.see(request)
      await pause()
    }
    this.#unseen = []
  }

  /** Waits for a request that the judge does not know yet. */
  async news(isOver: AbortSignal): Promise<void> {
    if (!isOver.aborted && this.#unseen.length === 0 && this.journal.clears === this.#clears)
      await once(this.#news, 'news')
  }
}

/** Errors: `limit_reached`, `state_replaced`. */
async function waitedFor(
  following: Following,
  within: number,
  { sandbox, left, waiting, closing }: Waiting
): Promise<void> {
  const free = waiting.take(sandbox)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), within)
  const { replacing } = sandbox
  const isOver = AbortSignal.any([late.signal, left(), replacing, closing])
  const end = () => following.wake()
  isOver.addEventListener('abort', end)
  try {
    do {
      await following.news(isOver)
      await following.catchUp()
    } while (!isOver.aborted && !(await following.judge.holds()))
    replacing.throwIfAborted()
  } finally {
    clearTimeout(timer)
    isOver.removeEventListener('abort', end)
    free()
  }
}
