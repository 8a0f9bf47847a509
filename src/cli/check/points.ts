/** Points of expectations, of the script, and of the findings of plays. */
import type { Finding } from '../../evidence/findings.js'
import { REPEATS } from '../../evidence/findings.js'
import { explainedUnused, explainedVerdicts } from '../../evidence/near-misses.js'
import type { PlacedPoint, PlacedProblem } from '../../reports/points.js'
import { concerns } from '../../reports/run.js'
import type { Expectation } from '../../scenario/expect/expectations.js'
import { recordsOf, type StateData, type StateTest } from '../../scenario/expect/final-state.js'
import type { Tally } from '../../scenario/expect/tally.js'
import { shownOn } from '../../scenario/match/matching.js'
import { type Explained, explainedMessage } from '../../scenario/match/near-misses.js'
import { withAnswers } from '../../scenario/play/references.js'
import type { Json } from '../../scenario/steps.js'
import { type Drift, wasSent } from '../drift/drift.js'
import type { PlayedStep } from '../drift/replay.js'
import { serviceState } from '../drift/service-state.js'
import { SAYS, say } from '../sentences.js'
import type { Checking } from './plays.js'

const MAX_SHOWN = 3

export async function expectationPoints(
  tally: Tally,
  checking: Checking,
  played: readonly PlayedStep[],
  drift: Drift | null
): Promise<PlacedPoint[]> {
  const { steps, play } = checking.sandbox.requireLoaded()
  const verdicts = await explainedVerdicts(tally, lookedAt(checking, played))
  return Promise.all(
    verdicts.map(async (verdict, index) => {
      const { expectation, wanted: description, seen, holds, forbidden, message } = verdict
      // a number says nothing about requests that came too soon
      const isPlain =
        'on' in expectation &&
        expectation.per === undefined &&
        !(forbidden && (expectation.no_sooner_than ?? expectation.no_later_than))
      const isUnplayed = steps.length + play.length === 0
      const counted = isPlain ? SAYS.counted(Number(seen), isUnplayed) : message
      const unmet: readonly (PlacedProblem & Explained)[] =
        'state' in expectation
          ? await stateProblems(index, checking, drift)
          : [{ ...verdict, at: [], code: 'counted', message: counted }].filter(() => !holds)
      const problems = unmet.map(({ at, code, message, ...more }) => ({
        at: ['expect', index, ...at],
        code,
        message: explainedMessage(message, more)
      }))
      return { ...say('expects', description), problems }
    })
  )
}

const lookedAt = ({ sandbox: { store, evidence } }: Checking, played: readonly PlayedStep[]) => ({
  store,
  requests: evidence.journal.requests(),
  nameOf: (request: string) => playedAs(request, played).label
})

async function stateProblems(
  index: number,
  { sandbox, service, bindings }: Checking,
  drift: Drift | null
): Promise<readonly PlacedProblem[]> {
  const { expectations, answers } = sandbox.requireLoaded()
  const { differences, data } = expectations[index] as Expectation & {
    differences: StateTest
    data: { state: StateData }
  }
  if (service === null || drift === null) return differences(recordsOf(sandbox.store))
  return serviceState(withAnswers(data.state as Json, answers) as StateData, differences, {
    play: service,
    key: bindings.key(''),
    pairs: drift.pairs,
    settings: sandbox.settings,
    accountOf: user => sandbox.store.users.get(user)?.account
  })
}

/** A lost response has no Request-Id header; its request is found by its number. */
function playedAs(request: string, steps: readonly PlayedStep[]): PlayedStep {
  const calls = steps.filter(wasSent)
  const number = Number(request.split('_').at(-1))
  const hasId = ({ outcome }: PlayedStep) => outcome.answer.headers?.['request-id'] === request
  return (calls.find(hasId) ?? calls[number - 1]) as PlayedStep
}

/** Entries that were never applied, and mistakes of the plays: warnings unless they are to fail. */
export async function warningPoints(
  checking: Checking,
  played: readonly PlayedStep[]
): Promise<PlacedPoint[]> {
  const { sandbox, failOn = [] } = checking
  const places = new Map(sandbox.script.listed().map(({ id }, index) => [id, index]))
  const unused = await explainedUnused(sandbox.script, lookedAt(checking, played))
  const unusedPoints = unused.map(({ id, entry, ...more }) => {
    const message = explainedMessage(SAYS.never_applied(), more)
    return {
      ...say('must_apply', entry.name ?? shownOn(entry.on)),
      problems: [{ at: ['script', Number(places.get(id))], code: 'never_applied', message }],
      isWarning: !failOn.includes('script')
    }
  })
  const findings = sandbox.evidence.totals.findings().map(finding => ({
    ...say('must_not_cause', finding.finding),
    problems: problemsOf(finding, checking, played),
    // a script that fails to change records proves nothing
    isWarning:
      finding.finding !== 'change-not-made' &&
      !failOn.some(criterion => concerns(criterion, finding))
  }))
  return [...unusedPoints, ...findings]
}

function problemsOf(
  { finding, requests, about, advice }: Finding,
  { sandbox }: Checking,
  played: readonly PlayedStep[]
): PlacedProblem[] {
  const steps = requests
    .slice(0, MAX_SHOWN)
    .map(request => ({ request, ...playedAs(request, played) }))
  // the first of repeated requests may be right
  const isRepeat = REPEATS.has(finding)
  const labels = steps.map(({ label }) => label).join(', ')
  return (isRepeat ? steps.slice(-1) : steps).map(({ request, place, label }) => {
    const why = sandbox.evidence.find(request)?.script?.problem ?? advice
    return { at: place, ...say('caused', isRepeat ? labels : label, about, why) }
  })
}
