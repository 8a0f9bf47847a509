/** How the responses of a service differ from the emulator's, and which settings explain that. */
import { partAt } from '../../core/places.js'
import { type GivenSettings, SETTING_KEYS, SETTINGS, type SettingKey } from '../../core/settings.js'
import { valueAt } from '../../core/templates.js'
import { clientResponse, execute, requestOf } from '../../engine/play.js'
import { operationAt, operationOf } from '../../reference/operations.js'
import type { PlacedPoint } from '../../reports/points.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { changeSettings } from '../../sandbox/settings.js'
import { isStatus } from '../../scenario/match/counts.js'
import type { StepCall } from '../../scenario/steps.js'
import { FAMILIES } from '../../store/store.js'
import { say } from '../sentences.js'
import { Comparison, type Difference, IdPairs, idOf, isOk } from './compare.js'
import type { Checking, CheckOptions, PlayedStep } from './plays.js'

/** Each of `settings` alone explains it. */
type Deviation = Difference & { played: PlayedStep; settings: string[] }
/** By the step and the place in its response. */
type Deviations = ReadonlyMap<string, Deviation>
type DriftOptions = Pick<CheckOptions, 'variables'> & Required<Pick<Checking, 'localKey'>>

/** Other ids than those of a service with the default seed. */
const SEED = 2_147_483_629

/** The requests are repeated in copies of the sandbox, without the script. */
export async function driftOf(
  playedSteps: readonly PlayedStep[],
  sandbox: Sandbox,
  options: DriftOptions
): Promise<Deviation[]> {
  const ordered = inEffectOrder(playedSteps)
  const replayWith = async (settings: GivenSettings = {}) => {
    const copy = sandbox.copy()
    await changeSettings(copy, { ...settings, seed: SEED })
    return replay(ordered, copy, options)
  }
  const deviations = await replayWith()
  for (const [key, value] of deviations.size === 0 ? [] : settingsToTry(playedSteps, sandbox))
    for (const explained of explainedBy(await replayWith({ [key]: value }), deviations))
      explained.settings.push(`${key}=${value}`)
  return [...deviations.values()]
}

/** Of requests sent together, accepted requests come first. */
function inEffectOrder(playedSteps: readonly PlayedStep[]): PlayedStep[] {
  const groupOf = ({ place }: PlayedStep) => `${place[0]} ${place[1]}`
  const groups = [...new Set(playedSteps.map(groupOf))]
  const rankOf = (played: PlayedStep) =>
    2 * groups.indexOf(groupOf(played)) + Number(!isOk(played.outcome.response))
  return playedSteps
    .filter(({ outcome }) => outcome.response.status > 0)
    .sort((a, b) => rankOf(a) - rankOf(b))
}

async function replay(
  playedSteps: readonly PlayedStep[],
  copy: Sandbox,
  { variables, localKey }: DriftOptions
): Promise<Deviations> {
  const deviations = new Map<string, Deviation>()
  const { settings: shapes } = copy
  const pairs = new IdPairs(id => FAMILIES.some(family => copy.store[family].get(id)))
  for (const [name, id] of variables) if (pairs.isKnown(name)) pairs.match(id, name)
  const hasScript = copy.script.listed().length > 0
  for (const [index, played] of playedSteps.entries()) {
    const { call, response: remote, step, problems } = played.outcome
    const before = copy.snapshot()
    const request = requestOf(localCall(call, pairs, localKey))
    const local = clientResponse(execute(copy, request, { given: null }))
    const { status } = step.expect ?? {}
    const isExpected = problems.length === 0 && status !== undefined
    // the script of the scenario responds like the service
    const isScripted = isExpected && hasScript && !isStatus(status, local.status)
    if (isScripted || isOk(remote) !== isOk(local)) copy.restore(before)
    if (isScripted) continue
    const route = operationAt(call.method, call.path)
    const kind = route && operationOf(route.operation).kind
    if (isOk(remote) && kind === 'create') pairs.addCreated(idOf(remote.body), idOf(local.body))
    const isEarlier = isOk(local) && kind === 'list' && !isNarrowed(call, copy, pairs)
    const comparison = new Comparison({ pairs, shapes, sent: sentIn(call), isEarlier })
    for (const difference of comparison.responses(remote, local)) {
      const place = [index, ...difference.steps, ''].join('/')
      deviations.set(place, { ...difference, played, settings: [] })
    }
  }
  return deviations
}

function localCall(call: StepCall, pairs: IdPairs, localKey: DriftOptions['localKey']): StepCall {
  const withIds = (text: string) => text.replace(/(?<=[=/])[\w-]+(?=[&/]|$)/g, pairs.local)
  const { path, query, form, key } = call
  return {
    ...call,
    path: withIds(path),
    query: withIds(query),
    form: form && withIds(form),
    key: localKey(key)
  }
}

/** Paths of parameters: `address.city` for `address[city]`. */
const sentIn = ({ form }: StepCall): ReadonlySet<string> =>
  new Set(
    Array.from(new URLSearchParams(form ?? ''), ([name]) => name.replace(/\[(.*?)\]/g, '.$1'))
  )

/** Whether a list is of a record that the run created. */
function isNarrowed({ path, query }: StepCall, { settings }: Sandbox, pairs: IdPairs): boolean {
  const cursors: readonly string[] = settings['pagination.cursors']
  const filters = [...new URLSearchParams(query)].filter(([name]) => !cursors.includes(name))
  return [...path.split('/'), ...filters.map(([, id]) => id)].some(pairs.isCreated)
}

/** The deviations that are gone, if none is new outside of them. */
function explainedBy(tried: Deviations, before: Deviations): Deviation[] {
  const places = [...tried.keys()]
  // where data from before the run differs, a setting can make places equal by chance
  const isGone = ([place, { isEarlier }]: [string, Deviation]) =>
    isEarlier
      ? !places.some(remaining => remaining.startsWith(place.replace(/\/.*/, '/')))
      : !tried.has(place)
  const gone = [...before].filter(isGone)
  const isNew = (place: string) =>
    !before.has(place) && !gone.some(([above]) => place.startsWith(above))
  return places.some(isNew) ? [] : gone.map(([, deviation]) => deviation)
}

type SettingValue = [key: SettingKey, value: unknown]

/** Settings with few values, each with a new value. `warn` responds like `ignore`. */
function settingsToTry(playedSteps: readonly PlayedStep[], { settings }: Sandbox): SettingValue[] {
  const keys = SETTING_KEYS.filter(
    key => SETTINGS[key].scope !== 'process' && !key.startsWith('evidence.')
  )
  const lengths = playedSteps.flatMap(({ outcome: { call, response } }) => {
    const members = valueAt(settings['shapes.list'], response.body, '$members')
    return Array.isArray(members) && !/\blimit=/.test(call.query) ? members.length : []
  })
  const longest = Math.max(0, ...lengths)
  const others = keys.flatMap(key => {
    const { schema } = SETTINGS[key]
    const booleans = partAt(schema, ['type']) === 'boolean' ? [true, false] : []
    return [partAt(schema, ['enum']) ?? booleans]
      .flat()
      .filter(value => value !== 'warn' && value !== settings[key])
      .map((value): SettingValue => [key, value])
  })
  return longest > 0 ? [...others, ['pagination.default_limit', longest]] : others
}

const MAX_LISTED = 10

/** A warning where only data from before the run differs. */
export function driftPoints(deviations: readonly Deviation[]): PlacedPoint[] {
  const titleOf = ({ settings, isEarlier }: Deviation) => {
    if (settings.length > 0) return say('by_setting', settings)
    return isEarlier ? say('other_data') : say('differently')
  }
  const rankOf = ({ settings, isEarlier }: Deviation) =>
    settings.length > 0 ? 1 : 2 * Number(isEarlier)
  const ranked = deviations.toSorted((a, b) => rankOf(a) - rankOf(b))
  const titles = new Map(ranked.map(titleOf).map(title => [title.message, title]))
  return [...titles.values()].map(title => {
    const group = ranked.filter(deviation => titleOf(deviation).message === title.message)
    const problems = group.map(({ played, message }) => ({
      at: played.place,
      ...say('of_step', played.label, message)
    }))
    const [first] = problems
    const listed = problems.slice(0, MAX_LISTED)
    const more = problems.length - listed.length
    if (first && more > 0) listed.push({ at: first.at, ...say('more', more) })
    return {
      ...title,
      problems: listed,
      isWarning: group.every(({ isEarlier }) => isEarlier)
    }
  })
}
