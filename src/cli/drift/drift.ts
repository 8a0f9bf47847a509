/** How the responses of a service differ, and which settings explain that. */
import { partAt } from '../../core/places.js'
import { type GivenSettings, SETTING_KEYS, SETTINGS } from '../../core/settings.js'
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
/** For a scenario without a merchant's key. */
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
  const original = sandbox.snapshot()
  await prepare(sandbox)
  const prepared = sandbox.snapshot()
  const ordered = inEffectOrder(playedSteps.filter(wasSent))
  const keyHere = (key: string) => options.keyHere(key) ?? CALLER.id
  const replayWith = async (settings: GivenSettings) => {
    const values = SETTING_KEYS.filter(key => Object.hasOwn(settings, key)).map(key => [
      key,
      sandbox.settings[key]
    ])
    await changeSettings(sandbox, settings)
    const replay = new Replay(sandbox, { ...options, keyHere })
    for (const played of ordered) await replay.add(played)
    await changeSettings(sandbox, Object.fromEntries(values))
    sandbox.restore(prepared)
    return replay
  }
  const drift = await replayWith({})
  const wrong = drift.deviations.filter(({ isWrong }) => isWrong)
  for (const settings of wrong.length === 0 ? [] : settingsToTry(sandbox)) {
    const { deviations } = await replayWith(settings)
    for (const explained of explainedBy(deviations, wrong)) explained.settings.push(settings)
  }
  sandbox.restore(original)
  return drift
}

/** The deviations that are gone, if none is new; one below a gone one is not new. */
function explainedBy(tried: readonly Deviation[], wrong: readonly Deviation[]): Deviation[] {
  const isWithin = (inner: Deviation, { played, steps }: Deviation) =>
    played === inner.played && steps.every((step, depth) => step === inner.steps[depth])
  const isAt = (a: Deviation, b: Deviation) => isWithin(a, b) && isWithin(b, a)
  const remaining = tried.filter(({ isWrong }) => isWrong)
  const gone = wrong.filter(before => !remaining.some(deviation => isAt(before, deviation)))
  const isNew = (deviation: Deviation) =>
    !wrong.some(before => isAt(deviation, before)) &&
    !gone.some(before => isWithin(deviation, before))
  return remaining.some(isNew) ? [] : gone
}

/** A step that refers to a missing response is not sent. */
export const wasSent = ({ outcome: { answer } }: PlayedStep) =>
  answer.status !== 0 || answer.body !== null

/** Of requests that were sent together, accepted ones come first. */
function inEffectOrder(playedSteps: readonly PlayedStep[]): PlayedStep[] {
  const groupOf = ({ place }: PlayedStep) => `${place[0]} ${place[1]}`
  const groups = [...new Set(playedSteps.map(groupOf))]
  const ranks = new Map(groups.map((group, rank) => [group, 2 * rank]))
  const rankOf = (played: PlayedStep) =>
    Number(ranks.get(groupOf(played))) + Number(!isMade(played.outcome.answer))
  return [...playedSteps].sort((a, b) => rankOf(a) - rankOf(b))
}

/** Settings with few values, each with another one. `warn` responds as `ignore` does. */
const settingsToTry = ({ settings }: Sandbox): GivenSettings[] =>
  SETTING_KEYS.flatMap(key => {
    const { scope, schema } = SETTINGS[key]
    const booleans = partAt(schema, ['type']) === 'boolean' ? [true, false] : []
    const words = partAt(schema, ['enum']) ?? booleans
    return !Array.isArray(words) || scope === 'process' || key.startsWith('evidence.')
      ? []
      : words
          .filter(word => word !== 'warn' && word !== settings[key])
          .map(word => ({ [key]: word }))
  })

async function prepare(sandbox: Sandbox): Promise<void> {
  // ids that no record of the service has, even if it is an emulator
  await changeSettings(sandbox, { seed: SEED })
  if (bindingsOf(sandbox.store).key('') !== null) return
  sandbox.store.accounts.insert(CALLER)
  sandbox.store.keys.set(CALLER.id, CALLER.id)
}

const MAX_LISTED = 10

export function driftPoints(deviations: readonly Deviation[]): PlacedPoint[] {
  const groups = new Map<string, PlacedPoint & { problems: PlacedProblem[] }>()
  const inOrder = [
    ...deviations.filter(({ isWrong, settings }) => isWrong && settings.length === 0),
    ...deviations.filter(({ settings }) => settings.length > 0),
    ...deviations.filter(({ isWrong }) => !isWrong)
  ]
  for (const { played, isWrong, settings, message } of inOrder) {
    const words = settings.map(values =>
      Object.entries(values)
        .map(pair => pair.join('='))
        .join()
    )
    const explained = words.length > 0 ? say('by_setting', words) : say('differently')
    const title = isWrong ? explained : say('other_data')
    const group = groups.get(title.message) ?? { ...title, problems: [], isWarning: !isWrong }
    groups.set(title.message, group)
    group.problems.push({ at: played.place, ...say('of_step', played.label, message) })
  }
  return [...groups.values()].map(group => ({ ...group, problems: firstOf(group.problems) }))
}

function firstOf(problems: readonly PlacedProblem[]): PlacedProblem[] {
  const more = problems.length - MAX_LISTED
  const [first] = problems
  const listed = problems.slice(0, MAX_LISTED)
  return first && more > 0 ? [...listed, { at: first.at, ...say('more', more) }] : listed
}

export const settingsFor = (deviations: readonly Deviation[]): GivenSettings =>
  Object.assign({}, ...deviations.toReversed().map(({ settings: [first] }) => first))
