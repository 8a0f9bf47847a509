/**
 * How the answers of a running service differ from those of the emulator, and why. The calls were made there already; here they are made in rounds, each with the
 * settings that were found in those before, until no further one is needed.
 */
import { isDeepStrictEqual } from 'node:util'
import type { GivenSettings, SettingKey } from '../../core/settings.js'
import { distanceOf, type IdPairs, isMade } from './compare.js'
import { compareAll, type Deviation, type Explained, type PlayedStep, type Round, type RoundOptions } from './round.js'

export type Drift = {
  /** The settings that make the emulator answer as the service does, as far as settings can; none that calls need different values of. */
  settings: GivenSettings
  deviations: readonly Deviation[]
  pairs: IdPairs
}

/** Rounds after which a setting that still changes is a contradiction. */
const MAX_ROUNDS = 4
/** How much more a wrong value counts than other data. */
const WRONG = 1_000_000

/** Compares every call, in the order in which they took effect. */
export async function driftOf(playedSteps: readonly PlayedStep[], options: RoundOptions): Promise<Drift> {
  const ordered = inEffectOrder(playedSteps.filter(wasMade))
  const rounds: Round[] = []
  let found: GivenSettings = {}
  let last: Round
  do {
    last = await compareAll(ordered, found, options)
    rounds.push(last)
    found = Object.assign({}, found, ...last.explained.map(({ cause }) => cause.settings))
  } while (last.explained.length > 0 && rounds.length < MAX_ROUNDS)
  const contradicted = contradictionsIn(last)
  const contradictions = (await Promise.all([...contradicted].map(([key, values]) => sidesOf(key, values, found, ordered, options)))).flat()
  const agreed = Object.fromEntries(Object.entries(found).filter(([key]) => !contradicted.has(key as SettingKey)))
  const settings = await withoutNeedless(agreed, ordered, options)
  const isNeeded = ({ cause }: Explained) => Object.entries(cause.settings).some(([key, value]) => isDeepStrictEqual(settings[key as SettingKey], value))
  const explained = rounds.flatMap(round => round.explained.filter(isNeeded))
  // what differs with the very settings that are proposed; a contradiction has differences with any
  const { others, pairs } = contradicted.size > 0 ? last : await compareAll(ordered, settings, options, false)
  return { settings, deviations: [...contradictions, ...onceEach(explained), ...others], pairs }
}

/** The settings that the last round still gave several values, with these. */
function contradictionsIn({ explained }: Round): Map<SettingKey, unknown[]> {
  const values = new Map<SettingKey, unknown[]>()
  for (const [key, value] of explained.flatMap(({ cause }) => Object.entries(cause.settings) as [SettingKey, unknown][])) {
    const others = values.get(key) ?? []
    if (!others.some(other => isDeepStrictEqual(other, value))) values.set(key, [...others, value])
  }
  return new Map([...values].filter(([, { length }]) => length > 1))
}

/** The calls that need each value of a setting: those that another value brings further from the service. */
async function sidesOf(key: SettingKey, values: readonly unknown[], settings: GivenSettings, ordered: readonly PlayedStep[], options: RoundOptions) {
  const distances = await Promise.all(values.map(value => distancesWith({ ...settings, [key]: value }, ordered, options)))
  return values.flatMap((value, nth) =>
    ordered
      .filter(played => distances.some(others => (others.get(played) ?? 0) > (distances[nth]?.get(played) ?? 0)))
      .map((played): Deviation => ({ played, differences: [], cause: { by: 'contradiction', key, value } }))
  )
}

/** How far each call that differs is from the service with some settings: what is wrong counts before all other data. */
async function distancesWith(settings: GivenSettings, ordered: readonly PlayedStep[], options: RoundOptions): Promise<Map<PlayedStep, number>> {
  const { others } = await compareAll(ordered, settings, options, false)
  const distances = new Map<PlayedStep, number>()
  for (const { played, differences, cause } of others) {
    const distance = distanceOf(differences) * (cause.by === 'wrong' ? WRONG : 1)
    distances.set(played, (distances.get(played) ?? 0) + distance)
  }
  return distances
}

/** What several rounds found of the same call, once. */
const onceEach = (explained: readonly Explained[]) =>
  explained.filter((one, index) => index === explained.findIndex(({ played, cause }) => played === one.played && isDeepStrictEqual(cause, one.cause)))

/** A step that refers to an answer that did not come is not made. */
export const wasMade = ({ outcome: { answer } }: PlayedStep) => answer.status !== 0 || answer.body !== null

/** Calls that were made at once are compared in the order that their answers suggest: those that were made, then those that were refused. */
function inEffectOrder(playedSteps: readonly PlayedStep[]): PlayedStep[] {
  const groupOf = ({ place }: PlayedStep) => `${place[0]} ${place[1]}`
  const isRefused = ({ outcome }: PlayedStep) => Number(!isMade(outcome.answer))
  const ranks = new Map([...new Set(playedSteps.map(groupOf))].map((group, rank) => [group, rank]))
  const rank = (played: PlayedStep) => ranks.get(groupOf(played)) as number
  return [...playedSteps].sort((a, b) => rank(a) - rank(b) || isRefused(a) - isRefused(b))
}

/** The settings without those that change nothing. */
async function withoutNeedless(settings: GivenSettings, ordered: readonly PlayedStep[], options: RoundOptions): Promise<GivenSettings> {
  if (Object.keys(settings).length < 2) return settings
  const distance = async (given: GivenSettings) => [...(await distancesWith(given, ordered, options)).values()].reduce((sum, one) => sum + one, 0)
  const least = await distance(settings)
  let needed = settings
  for (const key of Object.keys(settings) as SettingKey[]) {
    const { [key]: _left, ...others } = needed
    if ((await distance(others)) <= least) needed = others
  }
  return needed
}
