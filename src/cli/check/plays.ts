/** Sends the steps and plays of a scenario: to a sandbox in process, or to a service. */
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeForm } from '../../core/form.js'
import { playIn } from '../../engine/play.js'
import { headerIn, sentIn } from '../../engine/scripted.js'
import { isChange, operationAt, operationOf } from '../../reference/operations.js'
import { Player } from '../../replay/player.js'
import type { PlacedPoint } from '../../reports/points.js'
import type { Criterion } from '../../reports/run.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { Tally } from '../../scenario/expect/tally.js'
import type { SentCall } from '../../scenario/match/matching.js'
import type { Launch } from '../../scenario/scenario.js'
import {
  type Play,
  playSteps,
  type StepBindings,
  type StepCall,
  type StepOutcome
} from '../../scenario/steps.js'
import { isMade } from '../drift/compare.js'
import type { PlayedStep } from '../drift/replay.js'
import { say } from '../sentences.js'
import { type PlayedWith, scenarioKeyOf } from './scenario-keys.js'

export type CheckOptions = PlayedWith & {
  launch: Launch
  timeout: number
  failOn?: readonly Criterion[]
}
/** `scenarioBindings` are the scenario's own names and keys, `bindings` those it is played with. */
export type Checking = CheckOptions & {
  sandbox: Sandbox
  scenarioBindings: StepBindings
  bindings: StepBindings
  service: Play | null
}
/** For a play at a running service, in ms. */
const MAX_WAIT = 600_000

export async function playAll(
  checking: Checking,
  tally: Tally
): Promise<{ points: PlacedPoint[]; played: PlayedStep[] }> {
  const { sandbox, service, bindings } = checking
  const { steps, play, answers } = sandbox.requireLoaded()
  const points: PlacedPoint[] = []
  const played: PlayedStep[] = []
  let since = performance.now()
  const add = (list: 'steps' | 'play') => (outcome: StepOutcome) => {
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
  const counted = counting(checking, tally)
  const client = service ?? playIn(sandbox)
  const stepClient = play.length > 0 ? client : counted(client)
  await playSteps(steps, stepClient, bindings, add('steps'), answers)
  // the script acts on these requests and can lose their responses
  const playClient = service ? counted(service) : new Player(sandbox).play
  const wait = service
    ? (ms: number) => sleep(Math.min(ms, MAX_WAIT))
    : (ms: number) => sandbox.setClock({ by: ms })
  await playSteps(play, playClient, bindings, add('play'), answers, wait)
  return { points, played }
}

function labelOf(list: 'steps' | 'play', { at, step }: StepOutcome): string {
  const nth = at.map(part => (typeof part === 'number' ? part + 1 : part)).join(' ')
  return `${list === 'play' ? 'play ' : ''}${nth}. ${step.do}`
}

/** Counts requests with the keys of the scenario. */
const counting =
  (checking: Checking, tally: Tally) =>
  (play: Play): Play =>
  async (call, fault) => {
    const sentCall = sentBy({ ...call, key: scenarioKeyOf(call.key, checking) }, checking)
    if (sentCall === null) return play(call, fault)
    const counts = tally.came(sentCall)
    const response = await play(call, fault)
    const { status, body } = response
    const { operation } = sentCall
    tally.ended(counts, {
      status,
      isDelivered: status > 0,
      // a 2xx response to a change means that the service made the change
      tookEffect: isMade(response) && operation !== null && isChange(operationOf(operation)),
      changed: [],
      at: checking.sandbox.machine(),
      body: () => body
    })
    return response
  }

function sentBy(
  { method, path, query, key, form, headers = {} }: StepCall,
  { sandbox }: Checking
): SentCall | null {
  const { store, settings } = sandbox
  const route = operationAt(method, path)
  if (route === null) return null
  const account = (key !== null && store.keys.get(key)) || null
  const test = headers[settings['evidence.test_header'].toLowerCase()] ?? null
  return sentIn(
    store,
    {
      ...route,
      at: sandbox.machine(),
      caller: { account, test, userAgent: headers['user-agent'] ?? null },
      query: decodeForm(query, settings).root,
      body: decodeForm(form ?? '', settings).root,
      settings
    },
    key,
    headerIn(headers)
  )
}
