/** Whether the calls that came are those that were expected. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as Type from 'typebox'
import { DURATION_EXPECTED, durationOf } from '../core/durations.js'
import { ApiError } from '../core/errors.js'
import { isSecretName, maskedThroughout } from '../core/redaction.js'
import type { Exchange } from '../engine/exchange.js'
import { keysToMask } from '../engine/keys.js'
import { endingOf, sentIn } from '../engine/scripted.js'
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
import type { Context } from './call.js'

type Verdict = { holds: boolean; message: string; [more: string]: unknown }
/** Judges the calls of a journal, and each later one. */
type Judge = {
  see: (call: Exchange) => void
  holds: () => boolean
  /** Errors: `journal_incomplete`. */
  verdict: () => Verdict
}
type Asked = Partial<CountData> & { sequence?: CallsData[]; state?: StateData; script?: 'all_used'; within?: string }
/** An expectation or that of the script, and how long to wait for it. */
export function askedSchema() {
  const expectation = expectationSchema({ account: true })
  const properties = { ...expectation.properties, script: word(['all_used']), within: text() }
  return Type.Unsafe<Asked>({ ...expectation, properties })
}
const MOST_SHOWN = 20
const LONGEST_WAIT = 60_000

/** Judges what a verify call asks. Errors: of the body, `journal_incomplete`, and `limit_reached` where too many wait. */
export async function verify({ sandbox, body: asked, document, ...waiting }: Waiting & { body: Asked; document: SourceDocument }): Promise<Verdict> {
  const begin = await judgeOf(asked, document, sandbox)
  const within = asked.within === undefined ? 0 : withinOf(asked.within)
  const judge = begin()
  return judge.holds() || within === 0 ? judge.verdict() : judgedWithin(begin, judge, within, { sandbox, ...waiting })
}

export function scenarioVerdict(sandbox: Sandbox): Verdict {
  const expectations = maskedThroughout(explainedVerdicts(sandbox.tally, lookedIn(sandbox)))
  const holds = expectations.every(verdict => verdict.holds)
  const failed = expectations.filter(verdict => !verdict.holds).map(verdict => explainedMessage(verdict.message, verdict))
  const success = expectations.length === 0 ? 'The scenario expects nothing.' : 'All that the scenario expects holds.'
  const message = holds ? success : failed.join('; ')
  return { holds, message, expectations, unused_script_entries: unusedIn(sandbox) }
}

const lookedIn = ({ evidence: { journal }, store }: Sandbox) => ({ journal, store })
const unusedIn = (sandbox: Sandbox) => maskedThroughout(explainedUnused(sandbox.script, lookedIn(sandbox)))

function withinOf(written: string): number {
  const ms = durationOf(written)
  if (ms === null || ms > LONGEST_WAIT) {
    throw new ApiError('body_malformed', {
      message: `within: ${ms === null ? DURATION_EXPECTED : 'at most a minute was expected'}, not ${written}.`,
      param: 'within'
    })
  }
  return ms
}

/** Makes judges: a new one after the journal is cleared. */
async function judgeOf(asked: Asked, document: SourceDocument, sandbox: Sandbox): Promise<() => Judge> {
  const problems = new ProblemList(document.limits)
  return withoutProblems(problems, () => checkedJudge(asked, reportTo(problems, document), document, sandbox))
}

async function checkedJudge(asked: Asked, tell: Report, { limits }: SourceDocument, sandbox: Sandbox): Promise<() => Judge> {
  const ways = [asked.on, asked.sequence, asked.state, asked.script].filter(way => way !== undefined).length
  if (ways !== 1)
    tell([], `one of on, sequence, state and script was expected${ways === 0 ? '' : ', not several'}; a body left out judges the scenario's own expectations`)
  if (asked.script !== undefined) return () => scriptJudge(sandbox)
  const { within: _within, script: _script, ...expected } = asked
  const { sequence = [] } = asked
  if (sequence.length > limits['limits.entries']) throw tooLarge('limits.entries', limits, `The body holds ${sequence.length} members of sequence`)
  for (const [index, one] of sequence.entries()) checkKept(one, (steps, message) => tell(['sequence', index, ...steps], message))
  if (asked.on !== undefined) checkKept(asked as CallsData, tell)
  const expectation = ways === 1 ? await compileExpectation(expected as ExpectationData, tell) : null
  return () => tallyJudge(expectation as Expectation, sandbox)
}

/** What is not in the journal cannot be matched. */
function checkKept({ on, match }: CallsData, tell: (steps: readonly string[], message: string) => void): void {
  if (match?.key !== undefined) tell(['match', 'key'], 'the journal keeps no keys; match on account, the Account that the key acts as')
  for (const name of secretsNamed(match?.body ?? {})) {
    tell(['match', 'body', ...name], `${name.join('.')} is used and forgotten, so no call can be found by it; it can be matched in a script (${shownOn(on)})`)
  }
}

function secretsNamed(names: object): string[][] {
  return Object.entries(names).flatMap(([written, value]) => {
    const isSecret = isSecretName(written.replaceAll(']', '').split('[').at(-1) as string)
    if (isSecret) return [[written]]
    return typeof value === 'object' && !Array.isArray(value) ? secretsNamed(value).map(inner => [written, ...inner]) : []
  })
}

/** How many calls a judge of this journal has missed since. */
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
    if (counted.push(call) > MOST_SHOWN && 'calls' in expectation) counted.shift()
  }
  for (const call of sandbox.evidence.journal.requests()) see(call)
  const judged = () => {
    const [verdict] = tally.verdicts(sandbox.store) as [ScenarioVerdict]
    return { ...verdict, isCertain: missing() === 0 || isCertainAnyway(expectation, verdict) }
  }
  return {
    see,
    holds: () => {
      const { holds, isCertain } = judged()
      return holds && isCertain
    },
    verdict: () => {
      const { holds, seen, isCertain } = judged()
      if (!isCertain) throw incomplete(missing())
      const [explained] = maskedThroughout(explainedVerdicts(tally, lookedIn(sandbox))) as [ScenarioVerdict]
      const { near_misses: near = [] } = explained
      const told = { holds, message: explainedMessage(explained.message, { near_misses: near }), ...(near.length > 0 && { near_misses: near }) }
      if ('differences' in expectation) return told
      if ('steps' in expectation) return { ...told, requests: counted.map(({ id }) => id) }
      return { ...told, seen, requests: counted.map(call => summaryOf(call, keysToMask(sandbox))) }
    }
  }
}

/** Whether calls that the journal lacks could not change a verdict. */
function isCertainAnyway(expectation: Expectation, { holds, exceeded }: ScenarioVerdict): boolean {
  if ('differences' in expectation) return true
  if ('steps' in expectation) return holds
  const { times, at_most = times } = expectation.data
  return exceeded || (holds && at_most === undefined)
}

function scriptJudge(sandbox: Sandbox): Judge {
  return { see: () => {}, holds: () => sandbox.script.isUsed, verdict: () => scriptVerdict(sandbox) }
}

function scriptVerdict(sandbox: Sandbox): Verdict {
  const unused = unusedIn(sandbox)
  const message =
    unused.length === 0
      ? 'Every script entry was applied.'
      : `Script entries that were never applied: ${unused.map(({ id, entry, ...more }) => explainedMessage(entry.name ?? `${id}, ${shownOn(entry.on)}`, more)).join('; ')}.`
  return { holds: unused.length === 0, message, unused_script_entries: unused }
}

const incomplete = (dropped: number) =>
  new ApiError('journal_incomplete', {
    message: `The journal lacks ${dropped} of the calls, which it dropped or which came while it was off, so this cannot be judged; raise limits.journal, or declare it under expect in the scenario, which is counted as calls come.`
  })

type Waiting = Pick<Context, 'sandbox' | 'reply' | 'waiting' | 'closing'>

/** Judges each call until it holds, the time is over or the caller leaves. Errors: `limit_reached`, `journal_incomplete`. */
async function judgedWithin(begin: () => Judge, first: Judge, within: number, { sandbox, reply, waiting, closing }: Waiting): Promise<Verdict> {
  const { journal } = sandbox.evidence
  let judge = first
  let { clears } = journal
  /** Whether the journal was cleared, after which another judge begins. */
  const isAnew = () => {
    if (journal.clears === clears) return false
    clears = journal.clears
    judge = begin()
    return true
  }
  const free = waiting.take(sandbox)
  const over = new AbortController()
  const end = () => over.abort()
  const stop = journal.listen(call => {
    if (!isAnew()) judge.see(call)
    if (judge.holds()) end()
  })
  reply.raw.once('close', end)
  const endings = [sandbox.ending, closing]
  for (const signal of endings) signal.addEventListener('abort', end)
  await sleep(within, undefined, { signal: over.signal }).catch(() => {})
  free()
  stop()
  reply.raw.off('close', end)
  for (const signal of endings) signal.removeEventListener('abort', end)
  isAnew()
  return judge.verdict()
}
