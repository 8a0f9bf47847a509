/** Points of expectations, of the script, and of the findings of plays. */
import { type Finding, REPEATS } from '../../evidence/findings.js'
import { explainedUnused, explainedVerdicts } from '../../evidence/near-misses.js'
import type { PlacedPoint, PlacedProblem } from '../../reports/points.js'
import { concerns } from '../../reports/run.js'
import type { Expectation } from '../../scenario/expect/expectations.js'
import { stateVerdict, type Tally, type Verdict } from '../../scenario/expect/tally.js'
import { shownOn } from '../../scenario/match/matching.js'
import { explainedMessage } from '../../scenario/match/near-misses.js'
import { SAYS, say } from '../sentences.js'
import { type Checking, type Played, type PlayedStep, playAll, wasSent } from './plays.js'

export type Results = { points: PlacedPoint[]; notes?: string[] }

const MAX_SHOWN = 3

export async function playedPoints(checking: Checking, tally: Tally): Promise<Played> {
  const { steps, play } = checking.sandbox.requireLoaded()
  const isUnplayed = steps.length + play.length === 0
  const { points, played, skipped } = await playAll(checking, tally)
  points.push(...(await expectationPoints(tally, checking, played, isUnplayed)))
  if (isUnplayed) points.push({ ...say('sends'), problems: [{ at: [], ...say('no_steps') }] })
  return { points, played, skipped }
}

async function expectationPoints(
  tally: Tally,
  checking: Checking,
  played: readonly PlayedStep[],
  isUnplayed: boolean
): Promise<PlacedPoint[]> {
  const { sandbox, service } = checking
  const verdicts = await explainedVerdicts(tally, scopeOf(checking, played))
  const points = verdicts.map(async (verdict, index) => {
    const title = say('expects', verdict.wanted)
    const at = ['expect', index]
    const expectation = tally.expectations[index] as Expectation
    const isOfState = 'differences' in expectation
    if (isOfState && service)
      return { ...title, problems: [{ at, ...say('state_unread') }], isWarning: true }
    const judged = isOfState ? await stateVerdict(expectation, sandbox.store) : verdict
    const message = explainedMessage(countMessage(judged, isUnplayed), judged)
    const code = isOfState ? 'records_differ' : 'counted'
    return { ...title, problems: judged.holds ? [] : [{ at, code, message }] }
  })
  return Promise.all(points)
}

/** A number says nothing about requests that came too soon. */
function countMessage(
  { expectation, seen, forbidden, message }: Verdict,
  isUnplayed: boolean
): string {
  const isPlain =
    'on' in expectation &&
    expectation.per === undefined &&
    !(forbidden && (expectation.no_sooner_than ?? expectation.no_later_than))
  return isPlain ? SAYS.counted(Number(seen), isUnplayed) : message
}

const scopeOf = ({ sandbox: { store, evidence } }: Checking, played: readonly PlayedStep[]) => ({
  store,
  requests: evidence.journal.requests(),
  nameOf: (request: string) => playedAs(request, played).label
})

/** A lost response has no Request-Id header; its request is found by its number. */
function playedAs(request: string, steps: readonly PlayedStep[]): PlayedStep {
  const calls = steps.filter(wasSent)
  const number = Number(request.split('_').at(-1))
  const hasId = ({ outcome }: PlayedStep) => outcome.response.headers?.['request-id'] === request
  return (calls.find(hasId) ?? calls[number - 1]) as PlayedStep
}

/** Entries that were never applied, and mistakes of the plays: warnings unless they are to fail. */
export async function warningPoints(
  checking: Checking,
  played: readonly PlayedStep[]
): Promise<PlacedPoint[]> {
  const { sandbox, failOn = [] } = checking
  const places = new Map(sandbox.script.listed().map(({ id }, index) => [id, index]))
  const unused = await explainedUnused(sandbox.script, scopeOf(checking, played))
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
