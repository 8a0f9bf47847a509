/** Whether the requests that came are those that were expected. */
import * as Type from 'typebox'
import { durationOf } from '../core/durations.js'
import { isSecretName, maskedThroughout } from '../core/redaction.js'
import type { Exchange } from '../engine/exchange.js'
import { keysToMask } from '../engine/keys.js'
import { endingOf, sentIn } from '../engine/scripted.js'
import type { Journal } from '../evidence/journal.js'
import { explainedUnused, explainedVerdicts } from '../evidence/near-misses.js'
import { summaryOf } from '../evidence/why.js'
import { text, word } from '../reference/parameters.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { ProblemList, type Report, reportTo, type SourceDocument, withoutProblems } from '../scenario/documents.js'
import {
  type CallsData,
  type CountData,
  compileExpectation,
  type Expectation,
  type ExpectationData,
  type Verdict as ScenarioVerdict,
  Tally
} from '../scenario/expectations.js'
import type { StateData } from '../scenario/final-state.js'
import { tooLarge } from '../scenario/limits.js'
import { shownOn } from '../scenario/matching.js'
import { explainedMessage } from '../scenario/near-misses.js'
import { expectationSchema } from '../scenario/schemas.js'
import { type Lazy, lazily } from '../work/json-pieces.js'
import { pause } from '../work/slices.js'
import type { Context } from './route.js'
import { REFUSALS, say, VERIFY } from './sentences.js'

type Verdict = { holds: boolean; message: string; [more: string]: unknown }
/** Judges the requests of a journal, and each later one. */
type Judge = {
  see: (call: Exchange) => void
  holds: () => Promise<boolean>
  /** Errors: `journal_incomplete`. */
  verdict: () => Promise<Verdict>
}
type Wanted = Partial<CountData> & { sequence?: CallsData[]; state?: StateData; script?: 'all_used'; within?: string }
/** An expectation or that of the script, and how long to wait for it. */
export function judgementSchema() {
  const expectation = expectationSchema({ account: true })
  const properties = { ...expectation.properties, script: word(['all_used']), within: text() }
  return Type.Unsafe<Wanted>({ ...expectation, properties })
}
/** Maximum number of requests and of messages in a verdict. */
const MAX_SHOWN = 20
const MAX_WAIT = 60_000

/** Judges what a verify request asks. Errors: of the body, `journal_incomplete`, and `limit_reached` where too many wait. */
export async function verify({ sandbox, body: wanted, document, ...waiting }: Waiting & { body: Wanted; document: SourceDocument }): Promise<Verdict> {
  const problems = new ProblemList()
  // makes judges: a new one after the journal is cleared
  const begin = await withoutProblems(problems, () => judgeOf(wanted, reportTo(problems, document), document, sandbox))
  const within = wanted.within === undefined ? 0 : withinOf(wanted.within)
  const following = new Following(begin, sandbox.evidence.journal)
  try {
    await following.catchUp()
    if (within > 0 && !(await following.judge.holds())) await waitedFor(following, within, { sandbox, ...waiting })
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
  const success = expectations.length === 0 ? VERIFY.nothing_expected() : VERIFY.all_hold()
  const unused = await explainedUnused(sandbox.script, lookedIn(sandbox))
  const lists = { expectations: maskedList(expectations, sandbox), unused_script_entries: maskedList(unused, sandbox) }
  return { holds: failed.length === 0, message: failed.length === 0 ? success : maskedThroughout(told.join('; '), keysToMask(sandbox)), ...lists }
}

/** The journal of a sandbox and its records, to look for near misses in. */
export const lookedIn = ({ evidence: { journal }, store }: Sandbox) => ({ requests: journal.requests(), store })
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

async function judgeOf(wanted: Wanted, tell: Report, { limits }: SourceDocument, sandbox: Sandbox): Promise<() => Judge> {
  const { within: _within, script, ...expected } = wanted
  const { on, sequence = [], state } = wanted
  const ways = [on, wanted.sequence, state, script].filter(way => way !== undefined).length
  if (ways !== 1) tell([], say(ways === 0 ? 'no_way' : 'several_ways'))
  if (script !== undefined) return () => scriptJudge(sandbox)
  if (sequence.length > limits['limits.entries']) throw tooLarge('limits.entries', limits, VERIFY.too_many_steps(sequence.length))
  for (const [index, one] of sequence.entries()) checkKept(one, (steps, said) => tell(['sequence', index, ...steps], said))
  if (on !== undefined) checkKept(wanted as CallsData, tell)
  const expectation = ways === 1 ? await compileExpectation(expected as ExpectationData, tell) : null
  return () => tallyJudge(expectation as Expectation, sandbox)
}

/** What is not in the journal cannot be matched. */
function checkKept({ on, match }: CallsData, tell: Report): void {
  if (match?.key !== undefined) tell(['match', 'key'], say('key_not_kept'))
  for (const name of secretsNamed(match?.body ?? {})) tell(['match', 'body', ...name], say('secret_not_kept', name.join('.'), shownOn(on)))
}

function secretsNamed(names: object): string[][] {
  return Object.entries(names).flatMap(([written, value]) => {
    if (isSecretName(written)) return [[written]]
    return typeof value === 'object' && !Array.isArray(value) ? secretsNamed(value).map(inner => [written, ...inner]) : []
  })
}

/** How many requests a judge of this journal has missed since. */
function missingIn({ journal }: Sandbox['evidence']): () => number {
  const { dropped, unseen } = journal
  return () => dropped + journal.unseen - unseen
}

function tallyJudge(expectation: Expectation, sandbox: Sandbox): Judge {
  const missing = missingIn(sandbox.evidence)
  const tally = new Tally([expectation])
  const counted: Exchange[] = []
  const see = (call: Exchange) => {
    if (call.operation === null || !tally.count(sentIn(sandbox.store, call, null), expectation.isOfEndings ? endingOf(call) : null)) return
    if (counted.push(call) > MAX_SHOWN && 'calls' in expectation) counted.shift()
  }
  const judged = async () => {
    const [verdict] = (await tally.verdicts(sandbox.store)) as [ScenarioVerdict]
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
      const [explained] = maskedThroughout(await explainedVerdicts(tally, lookedIn(sandbox)), keysToMask(sandbox)) as [ScenarioVerdict]
      const { near_misses: near = [] } = explained
      const told = { holds, message: explainedMessage(explained.message, { near_misses: near }), ...(near.length > 0 && { near_misses: near }) }
      if ('differences' in expectation) return told
      if ('steps' in expectation) return { ...told, requests: counted.map(({ id }) => id) }
      return { ...told, seen, requests: counted.map(call => summaryOf(call, keysToMask(sandbox))) }
    }
  }
}

/** Whether requests that the journal lacks could not change a verdict. */
function isCertainAnyway(expectation: Expectation, { holds, exceeded }: ScenarioVerdict): boolean {
  if ('differences' in expectation) return true
  if ('steps' in expectation) return holds
  const { times, at_most = times } = expectation.data
  return exceeded || (holds && at_most === undefined)
}

function scriptJudge(sandbox: Sandbox): Judge {
  return { see: () => {}, holds: async () => sandbox.script.isUsed, verdict: () => scriptVerdict(sandbox) }
}

async function scriptVerdict(sandbox: Sandbox): Promise<Verdict> {
  const unused = maskedThroughout(await explainedUnused(sandbox.script, lookedIn(sandbox)), keysToMask(sandbox))
  const told = unused.map(({ id, entry, ...more }) => explainedMessage(entry.name ?? `${id}, ${shownOn(entry.on)}`, more))
  return { holds: told.length === 0, message: told.length === 0 ? VERIFY.all_applied() : VERIFY.never_applied(told), unused_script_entries: unused }
}

type Waiting = Pick<Context, 'sandbox' | 'reply' | 'waiting' | 'closing'>

/** Follows a journal with a judge: what it holds, then each later request, in slices; with a new judge after the journal is cleared. */
class Following {
  judge: Judge
  /** Called with each request that comes. */
  wake = () => {}
  readonly stop: () => void
  readonly #begin: () => Judge
  readonly #journal: Journal
  #clears: number
  #unseen: Exchange[]

  constructor(begin: () => Judge, journal: Journal) {
    this.#begin = begin
    this.#journal = journal
    this.judge = begin()
    this.#clears = journal.clears
    this.#unseen = journal.requests()
    this.stop = journal.listen(call => {
      if (journal.clears === this.#clears) this.#unseen.push(call)
      this.wake()
    })
  }

  /** Whether there is something that the judge does not know yet. */
  get isBehind(): boolean {
    return this.#unseen.length > 0 || this.#journal.clears !== this.#clears
  }

  /** Shows the judge every request that came so far. */
  async catchUp(): Promise<void> {
    for (let place = 0; ; place++) {
      if (this.#journal.clears !== this.#clears) {
        place = 0
        this.#clears = this.#journal.clears
        this.judge = this.#begin()
        this.#unseen = this.#journal.requests()
      }
      const call = this.#unseen[place]
      if (call === undefined) break
      this.judge.see(call)
      await pause()
    }
    this.#unseen = []
  }
}

/** Follows a journal until its judge is content, the time is over or the caller leaves. Errors: `limit_reached`. */
async function waitedFor(following: Following, within: number, { sandbox, reply, waiting, closing }: Waiting): Promise<void> {
  const free = waiting.take(sandbox)
  let isOver = false
  const end = () => {
    isOver = true
    following.wake()
  }
  const late = setTimeout(end, within)
  reply.raw.once('close', end)
  const endings = [sandbox.ending, closing]
  for (const signal of endings) signal.addEventListener('abort', end)
  try {
    do {
      const news = new Promise<void>(resolve => {
        following.wake = resolve
      })
      if (!isOver && !following.isBehind) await news
      await following.catchUp()
    } while (!isOver && !(await following.judge.holds()))
  } finally {
    free()
    clearTimeout(late)
    reply.raw.off('close', end)
    for (const signal of endings) signal.removeEventListener('abort', end)
  }
}
