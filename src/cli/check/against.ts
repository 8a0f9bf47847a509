/** Checks a scenario at a service, and compares its responses with those of the emulator. */
import type { Said } from '../../core/sentences.js'
import { needsKey } from '../../reference/operations.js'
import type { PlacedProblem } from '../../reports/points.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { Tally } from '../../scenario/expect/tally.js'
import { namesIn, textsIn } from '../../scenario/play/references.js'
import type { FirstState } from '../../scenario/scenario.js'
import { placedCalls, type StepBindings, splitCall } from '../../scenario/steps.js'
import { Failure } from '../failures.js'
import { SAYS, say } from '../sentences.js'
import { driftOf, driftPoints } from './drift.js'
import { type CheckOptions, wasSent } from './plays.js'
import { playedPoints, type Results } from './points.js'
import { NOT_SENT, playOver } from './service-calls.js'

/** Nothing is sent before every key and value is known. */
export async function checkAgainst(
  sandbox: Sandbox,
  scenario: StepBindings,
  { against, timeout, variables, keys }: CheckOptions
): Promise<Results> {
  const address = String(against)
  const first = sandbox.requireLoaded()
  const { localKey, remoteKey } = pairedKeys(scenario.key(''), keys)
  const missing = missingValues(first, variables, remoteKey)
  if (missing.length > 0) {
    const points = [{ ...say('all_given'), problems: missing }]
    return { points, notes: [SAYS.nothing_sent(address)] }
  }
  const bindings: StepBindings = {
    variable: name => variables.get(name),
    key: name => {
      const key = remoteKey(name)
      if (typeof key !== 'string') throw new Failure(key.message)
      return key
    }
  }
  const checking = { sandbox, bindings, service: playOver(address, timeout), localKey }
  const { points, played, skipped } = await playedPoints(checking, new Tally(first.expectations))
  const deviations = await driftOf(played, sandbox, { variables, localKey })
  const count = played.filter(step => wasSent(step) && step.outcome.response !== NOT_SENT).length
  return {
    points: [...points, ...driftPoints(deviations)],
    notes: [SAYS.sent(count, address), ...(skipped > 0 ? [SAYS.skipped(skipped)] : [])]
  }
}

type RemoteKey = (name: string) => string | Said

/** `first` is the key of the scenario's first merchant; `keys` has that of the service under `''`. */
function pairedKeys(first: string | null, keys: CheckOptions['keys']) {
  const usual = keys.get('')
  const pairs = new Map([...(first && usual ? [[first, usual] as const] : []), ...keys])
  const remoteKey: RemoteKey = name => {
    const key = name || first
    return key ? (pairs.get(key) ?? say('no_key', key)) : say('no_merchant_key')
  }
  const localKey = (sent: string | null) => [...pairs].find(([, key]) => key === sent)?.[0] ?? sent
  return { localKey, remoteKey }
}

/** Keys and values that requests to a service need, but nobody gave. */
function missingValues(
  { steps, play }: Pick<FirstState, 'steps' | 'play'>,
  variables: CheckOptions['variables'],
  remoteKey: RemoteKey
): PlacedProblem[] {
  const calls = [...placedCalls('steps', steps), ...placedCalls('play', play)]
  const names = new Set(calls.map(({ step }) => step.as))
  return calls.flatMap(({ step, at }) => {
    const unknown = textsIn(step, at).flatMap(({ steps, text }) =>
      namesIn(text)
        .filter(name => !names.has(name.split('.')[0]) && !variables.has(name))
        .map(name => ({ at: steps, ...say('no_value', name) }))
    )
    const name = step.key ?? (needsKey(...splitCall(step.do)) ? '' : null)
    // a key from a response is known only once it has arrived
    const key = name === null || name.includes('${') ? '' : remoteKey(name)
    return typeof key === 'string' ? unknown : [...unknown, { at, ...key }]
  })
}
