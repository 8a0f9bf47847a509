/** A comparison with a service, as points of a check. */
import type { GivenSettings } from '../../core/settings.js'
import type { PlacedPoint, PlacedProblem } from '../../reports/points.js'
import { say } from '../sentences.js'
import type { Deviation } from './replay.js'

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
