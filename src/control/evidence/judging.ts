/** Judges what `verify` expects by the requests in the journal and those that follow. */
import * as Type from 'typebox'
import { durationOf } from '../../core/durations.js'
import { isSecretName } from '../../core/redaction.js'
import { keysToMask } from '../../engine/keys.js'
import { sentIn } from '../../engine/scripted.js'
import { type Entry, endingOf } from '../../evidence/entry.js'
import type { Journal } from '../../evidence/journal.js'
import { explainedUnused, explainedVerdicts } from '../../evidence/near-misses.js'
import { summaryOf } from '../../evidence/why.js'
import { word } from '../../reference/parameters.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import {
  ProblemList,
  type Report,
  reportTo,
  within,
  withoutProblems
} from '../../scenario/documents.js'
import {
  type CallsData,
  type CountData,
  compileExpectation,
  type Expectation,
  type ExpectationData
} from '../../scenario/expect/expectations.js'
import type { StateData } from '../../scenario/expect/final-state.js'
import { type Verdict as ScenarioVerdict, Tally } from '../../scenario/expect/tally.js'
import { shownOn } from '../../scenario/match/matching.js'
import { explainedMessage } from '../../scenario/match/near-misses.js'
import type { SourceDocument } from '../../scenario/read/document.js'
import { tooLarge } from '../../scenario/read/refusal.js'
import { expectationSchema, type SequenceData } from '../../scenario/shape/expectation.js'
import { pause } from '../../work/slices.js'
import type { Context } from '../route.js'
import { REFUSALS, say, VERIFY } from '../sentences.js'
import { lookedIn, masked } from '../writing.js'

export type Verdict = { holds: boolean; message: string; [more: string]: unknown }
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
    within: Type.String({ format: 'duration' })
  }
  return Type.Unsafe<Wanted>({ ...expectation, properties })
}
/** Maximum number of requests and of messages in a verdict. */
export const MAX_SHOWN = 20
const MAX_WAIT = 60_000
const FOREVER = Number.POSITIVE_INFINITY

/** Errors: of the body, `journal_incomplete`, `limit_reached`, `state_replaced`. */
export async function verify({
  sandbox,
  body: wanted,
  document,
  ...waiting
}: Waiting & { body: Wanted; document: SourceDocument }): Promise<Verdict> {
  const problems = new ProblemList()
  // there is a new judge after the journal is cleared
  const begin = await withoutProblems(problems, () =>
    judgeOf(wanted, reportTo(problems, document), sandbox)
  )
  const { within: duration = '0s' } = wanted
  const longest = durationOf(duration) as number
  if (longest > MAX_WAIT) throw REFUSALS.waitTooLong(duration)
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

async function judgeOf(wanted: Wanted, tell: Report, sandbox: Sandbox): Promise<() => Judge> {
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
  const { settings } = sandbox
  if (sequence.length > settings['limits.entries'])
    throw tooLarge('limits.entries', settings, VERIFY.too_many_steps(sequence.length))
  const keptHeaders = ['user-agent', settings['evidence.test_header'].toLowerCase()]
  for (const [index, step] of sequence.entries())
    checkKept(step, keptHeaders, within(tell, 'sequence', index))
  if (on !== undefined) checkKept(wanted as CallsData, keptHeaders, tell)
  if (wanted.per === 'key') tell(['per'], say('key_not_kept'))
  const expectation =
    ways === 1 ? await compileExpectation(expected as ExpectationData, tell) : null
  return () => tallyJudge(expectation as Expectation, sandbox)
}

/** Only what the journal keeps can be matched. */
function checkKept(
  { on, match = {} }: CallsData,
  keptHeaders: readonly string[],
  tell: Report
): void {
  const report = within(tell, 'match')
  if (match.key !== undefined) report(['key'], say('key_not_kept'))
  for (const name of secretsNamed(match.body ?? {}))
    report(['body', ...name], say('secret_not_kept', name.join('.'), shownOn(on)))
  for (const name of Object.keys(match.headers ?? {}))
    if (!keptHeaders.includes(name.toLowerCase()))
      report(['headers', name], say('header_not_kept', name, keptHeaders))
}

function secretsNamed(names: object): string[][] {
  return Object.entries(names).flatMap(([name, value]) => {
    if (isSecretName(name)) return [[name]]
    return typeof value === 'object' && !Array.isArray(value)
      ? secretsNamed(value).map(inner => [name, ...inner])
      : []
  })
}

function tallyJudge(expectation: Expectation, sandbox: Sandbox): Judge {
  const { journal } = sandbox.evidence
  const known = journal.unseen - journal.dropped
  const missing = () => journal.unseen - known
  const tally = new Tally([expectation])
  const counted: Entry[] = []
  const isCertain = (verdict: ScenarioVerdict) =>
    missing() === 0 || isCertainAnyway(expectation, verdict)
  return {
    see: request => {
      const came = tally.addRequest(sentIn(sandbox.store, request), request.id)
      tally.endRequest(came, endingOf(request))
      if (!tally.hasCounted(came)) return
      if (counted.push(request) > MAX_SHOWN && 'calls' in expectation) counted.shift()
    },
    holds: async () => {
      const [verdict] = await tally.verdicts(sandbox.store, true)
      return verdict?.holds === true && isCertain(verdict)
    },
    verdict: async () => {
      const verdicts = await explainedVerdicts(tally, lookedIn(sandbox), true)
      const [judged] = masked(verdicts, sandbox) as [ScenarioVerdict]
      if (!isCertain(judged)) throw REFUSALS.journalIncomplete(missing())
      const { holds, verdict, near_misses: near = [] } = judged
      return {
        holds,
        verdict,
        message: explainedMessage(judged.message, { near_misses: near }),
        ...(near.length > 0 && { near_misses: near }),
        ...requestsCounted(expectation, judged, counted, sandbox)
      }
    }
  }
}

function requestsCounted(
  expectation: Expectation,
  { seen }: ScenarioVerdict,
  counted: readonly Entry[],
  sandbox: Sandbox
): object {
  if ('differences' in expectation) return {}
  if ('steps' in expectation) return { requests: counted.map(({ id }) => id) }
  return { seen, requests: counted.map(request => summaryOf(request, keysToMask(sandbox))) }
}

/** Whether requests that the journal lacks cannot change a verdict. */
function isCertainAnyway(expectation: Expectation, { holds, forbidden }: ScenarioVerdict): boolean {
  if ('differences' in expectation) return true
  // the journal cannot show other values, or requests in between
  const isAnyhow = holds && expectation.data.per === undefined
  if ('steps' in expectation)
    return isAnyhow && expectation.others && expectation.steps.every(({ apart }) => apart === null)
  const { times, calls } = expectation
  if (forbidden) return (calls.apart?.most ?? FOREVER) === FOREVER
  return isAnyhow && times.to === FOREVER && calls.apart === null
}

export const unusedEntries = async (sandbox: Sandbox) =>
  masked(await explainedUnused(sandbox.script, lookedIn(sandbox)), sandbox)

async function scriptVerdict(sandbox: Sandbox): Promise<Verdict> {
  const unused = await unusedEntries(sandbox)
  const names = unused.map(({ id, entry, ...more }) =>
    explainedMessage(entry.name ?? `${id}, ${shownOn(entry.on)}`, more)
  )
  return {
    holds: unused.length === 0,
    message: unused.length === 0 ? VERIFY.all_applied() : VERIFY.never_applied(names),
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
  wake?: () => void
  #clears = -1
  #unseen: Entry[] = []

  constructor(
    private readonly begin: () => Judge,
    private readonly journal: Journal
  ) {
    this.judge = begin()
    this.stop = journal.listen(request => {
      this.#unseen.push(request)
      this.wake?.()
    })
  }

  get #isCleared(): boolean {
    return this.journal.clears !== this.#clears
  }

  async catchUp(): Promise<void> {
    while (true) {
      if (this.#isCleared) {
        this.#clears = this.journal.clears
        this.judge = this.begin()
        this.#unseen = inOrderOfArrival(this.journal)
      }
      const request = this.#unseen.shift()
      if (request === undefined) return
      this.judge.see(request)
      await pause()
    }
  }

  async news(isOver: AbortSignal): Promise<void> {
    if (!isOver.aborted && this.#unseen.length === 0 && !this.#isCleared)
      await new Promise<void>(resolve => {
        this.wake = resolve
      })
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
  const end = () => following.wake?.()
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
