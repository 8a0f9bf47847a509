/** How the responses of a service differ, and which settings explain it. */
import { type GivenSettings, SETTINGS, type SettingKey } from '../../core/settings.js'
import type { PlacedPoint, PlacedProblem } from '../../reports/points.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { changeSettings } from '../../sandbox/settings.js'
import { bindingsOf } from '../../scenario/steps.js'
import type { Records } from '../../store/store.js'
import { say } from '../sentences.js'
import { type IdPairs, isMade } from './compare.js'
import { type Deviation, type PlayedStep, Replay, type ReplayOptions } from './replay.js'

export type Drift = { deviations: readonly Deviation[]; pairs: IdPairs }
type DriftOptions = Omit<ReplayOptions, 'keyHere'> & {
  keyHere: (key: string) => string | null
}

const SEED = 2_147_483_629
/** Acts where the scenario has no merchant's key. */
const CALLER = {
  id: 'caller',
  object: 'account',
  type: 'merchant',
  created: '1970-01-01T00:00:00.000Z',
  reseller: null
} as Records['accounts']

/** In the order in which requests took effect. The sandbox is left as it was. */
export async function driftOf(
  playedSteps: readonly PlayedStep[],
  sandbox: Sandbox,
  options: DriftOptions
): Promise<Drift> {
  const begun = sandbox.snapshot()
  await prepare(sandbox)
  const first = sandbox.snapshot()
  const ordered = inEffectOrder(playedSteps.filter(wasMade))
  const keyHere = (key: string) => options.keyHere(key) ?? CALLER.id
  const replayWith = async (settings: GivenSettings) => {
    const own = Object.keys(settings).map(key => [key, sandbox.settings[key as SettingKey]])
    await changeSettings(sandbox, settings)
    const replay = new Replay(sandbox, { ...options, keyHere })
    for (const played of ordered) await replay.add(played)
    await changeSettings(sandbox, Object.fromEntries(own))
    sandbox.restore(first)
    return replay
  }
  const drift = await replayWith({})
  const wrong = drift.deviations.filter(({ isWrong }) => isWrong)
  for (const settings of wrong.length === 0 ? [] : settingsToTry(sandbox)) {
    const { deviations } = await replayWith(settings)
    for (const one of explainedBy(deviations, wrong)) one.settings.push(settings)
  }
  sandbox.restore(begun)
  return drift
}

/** What is right now, if nothing else is wrong; below that nothing was compared before. */
function explainedBy(tried: readonly Deviation[], wrong: readonly Deviation[]): Deviation[] {
  const isWithin = (one: Deviation, { played, steps }: Deviation) =>
    played === one.played && steps.every((step, depth) => step === one.steps[depth])
  const isAt = (one: Deviation, other: Deviation) => isWithin(one, other) && isWithin(other, one)
  const left = tried.filter(({ isWrong }) => isWrong)
  const gone = wrong.filter(one => !left.some(other => isAt(one, other)))
  const isNew = (one: Deviation) =>
    !wrong.some(other => isAt(one, other)) && !gone.some(other => isWithin(one, other))
  return left.some(isNew) ? [] : gone
}

/** A step that refers to a missing response is not sent. */
export const wasMade = ({ outcome: { response } }: PlayedStep) =>
  response.status !== 0 || response.body !== null

/** Of requests that were sent together the accepted ones are first, then the refused ones. */
function inEffectOrder(playedSteps: readonly PlayedStep[]): PlayedStep[] {
  const groupOf = ({ place }: PlayedStep) => `${place[0]} ${place[1]}`
  const groups = [...new Set(playedSteps.map(groupOf))]
  const ranks = new Map(groups.map((group, rank) => [group, 2 * rank]))
  const rankOf = (played: PlayedStep) =>
    (ranks.get(groupOf(played)) as number) + Number(!isMade(played.outcome.response))
  return [...playedSteps].sort((one, other) => rankOf(one) - rankOf(other))
}

/** Other values of settings that have few. `warn` responds as `ignore` does. */
const settingsToTry = ({ settings }: Sandbox): GivenSettings[] =>
  Object.entries(SETTINGS).flatMap(([key, { scope, schema }]) => {
    const { type, enum: words = type === 'boolean' ? [true, false] : [] } = schema as {
      type?: string
      enum?: readonly unknown[]
    }
    return scope === 'process' || key.startsWith('evidence.')
      ? []
      : words
          .filter(word => word !== 'warn' && word !== settings[key as SettingKey])
          .map(word => ({ [key]: word }))
  })

async function prepare(sandbox: Sandbox): Promise<void> {
  // what the run makes here has an id that no record of the service has, were that an emulator too
  await changeSettings(sandbox, { seed: SEED })
  if (bindingsOf(sandbox.store).key('') !== null) return
  sandbox.store.accounts.insert(CALLER)
  sandbox.store.keys.set(CALLER.id, CALLER.id)
}

const MAX_LISTED = 10

/** By group: what is wrong, what settings explain, other data. */
export function driftPoints(deviations: readonly Deviation[]): PlacedPoint[] {
  const groups = new Map<string, PlacedPoint & { problems: PlacedProblem[] }>()
  const inOrder = [
    ...deviations.filter(({ isWrong, settings }) => isWrong && settings.length === 0),
    ...deviations.filter(({ settings }) => settings.length > 0),
    ...deviations.filter(({ isWrong }) => !isWrong)
  ]
  for (const { played, isWrong, settings, message } of inOrder) {
    const words = settings.map(one =>
      Object.entries(one)
        .map(pair => pair.join('='))
        .join()
    )
    const explained = words.length > 0 ? say('by_setting', words) : say('differently')
    const title = isWrong ? explained : say('other_data')
    const group = groups.get(title.message) ?? { ...title, problems: [], isWarning: !isWrong }
    groups.set(title.message, group)
    group.problems.push({ at: played.place, ...say('of_step', played.label, message) })
  }
  return [...groups.values()].map(group => ({ ...group, problems: listed(group.problems) }))
}

function listed(problems: readonly PlacedProblem[]): PlacedProblem[] {
  const more = problems.length - MAX_LISTED
  const [{ at }] = problems as [PlacedProblem]
  return [...problems.slice(0, MAX_LISTED), ...(more > 0 ? [{ at, ...say('more', more) }] : [])]
}

export const settingsFor = (deviations: readonly Deviation[]): GivenSettings =>
  Object.assign({}, ...deviations.toReversed().map(({ settings: [first] }) => first))
