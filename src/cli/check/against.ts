/** Checks a scenario at a service, and compares its responses with those of the emulator. */
import type { Sandbox } from '../../sandbox/sandbox.js'
import { Tally } from '../../scenario/expect/tally.js'
import type { StepBindings } from '../../scenario/steps.js'
import { SAYS, say } from '../sentences.js'
import { driftOf, driftPoints } from './drift.js'
import { type CheckOptions, wasSent } from './plays.js'
import { playedPoints, type Results } from './points.js'
import { missingValues, scenarioKeyOf, serviceBindings } from './scenario-keys.js'
import { NOT_SENT, playOver } from './service-calls.js'

/** Nothing is sent before every key and value is known. */
export async function checkAgainst(
  sandbox: Sandbox,
  scenario: StepBindings,
  options: CheckOptions
): Promise<Results> {
  const { timeout, variables } = options
  const address = String(options.against)
  const first = sandbox.requireLoaded()
  const missing = missingValues(first, scenario, options)
  if (missing.length > 0) {
    const points = [{ ...say('all_given'), problems: missing }]
    return { points, notes: [SAYS.nothing_sent(address)] }
  }
  const bindings = serviceBindings(scenario, options)
  const keyHere = (key: string | null) => scenarioKeyOf(key, scenario, options)
  const checking = { sandbox, bindings, service: playOver(address, timeout), keyHere }
  const { points, played } = await playedPoints(checking, new Tally(first.expectations))
  const deviations = await driftOf(played, sandbox, { variables, keyHere })
  const count = played.filter(step => wasSent(step) && step.outcome.response !== NOT_SENT).length
  return {
    points: [...points, ...driftPoints(deviations)],
    notes: [SAYS.sent(count, address)]
  }
}
