/** Sends the steps and plays of a scenario: to a sandbox in process, or to a service. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Step } from '../../core/places.js'
import { playIn } from '../../engine/play.js'
import { Player } from '../../replay/player.js'
import type { PlacedPoint } from '../../reports/points.js'
import type { Criterion } from '../../reports/run.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { Tally } from '../../scenario/expect/tally.js'
import type { Launch } from '../../scenario/scenario.js'
import { type Play, playSteps, type StepBindings, type StepOutcome } from '../../scenario/steps.js'
import { say } from '../sentences.js'
import { countedPlay } from './counted-play.js'

export type CheckOptions = {
  /** By keys of the scenario, those of a service; `''` is for its first merchant's. */
  keys: ReadonlyMap<string, string>
  variables: ReadonlyMap<string, string>
  /** The address of a service; null plays in process. */
  against: string | null
  launch: Launch
  timeout: number
  failOn?: readonly Criterion[]
}
/** `localKey` returns the scenario's key for a key of the service. */
export type Checking = Pick<CheckOptions, 'failOn'> & {
  sandbox: Sandbox
  bindings: StepBindings
  service: Play | null
  localKey?: (key: string | null) => string | null
}
/** `skipped`: how many were not sent to a service, since the script loses their responses. */
export type Played = { points: PlacedPoint[]; played: PlayedStep[]; skipped: number }
export type PlayedStep = { place: readonly Step[]; label: string; outcome: StepOutcome }

/** For a play at a running service, in ms. */
const MAX_WAIT = 600_000

/** A step that refers to a missing response is not sent. */
export const wasSent = ({ outcome: { response } }: PlayedStep) =>
  response.status !== 0 || response.body !== null

export async function playAll(
  { sandbox, service, bindings, localKey = key => key }: Checking,
  tally: Tally
): Promise<Played> {
  const { steps, play, responses } = sandbox.requireLoaded()
  const points: PlacedPoint[] = []
  const played: PlayedStep[] = []
  let skipped = 0
  let since = performance.now()
  const add = (list: 'steps' | 'play') => (outcome: StepOutcome) => {
    // a service has no script that could lose the response
    if (service && outcome.step.expect?.fault !== undefined) {
      skipped++
      return
    }
    const now = performance.now()
    const label = labelOf(list, outcome)
    points.push({
      ...say('step', label),
      problems: outcome.problems.map(({ at, ...problem }) => ({ at: [list, ...at], ...problem })),
      ms: now - since
    })
    played.push({ place: [list, ...outcome.at], label, outcome })
    since = now
  }
  const errors = { ...bindings, error: sandbox.settings['shapes.error'] }
  const counted = (client: Play) => countedPlay(client, tally, sandbox, localKey)
  const client = service ?? playIn(sandbox)
  const stepClient = play.length > 0 ? client : counted(client)
  await playSteps(steps, stepClient, errors, add('steps'), responses)
  // the script acts on these requests and can lose their responses
  const playClient = service ? unlessLost(counted(service)) : new Player(sandbox).play
  const wait = service
    ? (ms: number) => sleep(Math.min(ms, MAX_WAIT))
    : (ms: number) => sandbox.setClock({ by: ms })
  await playSteps(play, playClient, errors, add('play'), responses, wait)
  return { points, played, skipped }
}

const unlessLost =
  (play: Play): Play =>
  (call, fault) =>
    fault === undefined ? play(call) : { status: 0, body: null, fault }

function labelOf(list: 'steps' | 'play', { at, step }: StepOutcome): string {
  const nth = at.map(part => (typeof part === 'number' ? part + 1 : part)).join(' ')
  return `${list === 'play' ? 'play ' : ''}${nth}. ${step.do}`
}
