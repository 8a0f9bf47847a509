import type { Clock } from '../core/clock.js'
import { isoOf } from '../core/instants.js'
import { MASK } from '../core/mask.js'
import { BASE, CONTROL, controlOfBase } from '../core/paths.js'
import {
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  scenarioPathOf,
  variableOf
} from '../core/settings.js'
import type { Totals } from '../evidence/totals.js'
import { ASSUMPTION_IDS, ASSUMPTIONS, isStanding } from '../reference/assumptions.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { FAMILIES } from '../store/store.js'

const LINKS =
  'health scenarios state script clock snapshots requests coverage findings run metrics sandboxes openapi.json docs settings assumptions'.split(
    ' '
  )

export const clockShown = (clock: Clock) => ({ now: isoOf(clock.now()), running: clock.running })

export function overviewOf({ scenario, settings, clock, store, requests }: Sandbox, base: string) {
  const own = controlOfBase(base)
  return {
    scenario,
    seed: settings.seed,
    clock: clockShown(clock),
    calls: requests,
    counts: Object.fromEntries(FAMILIES.map(family => [family, store[family].size])),
    links: {
      api: base,
      ...Object.fromEntries(LINKS.map(name => [name.replace(/\.json$/, ''), `${own}/${name}`])),
      schemas: ['fixture', 'scenario', 'script'].map(kind => `${own}/schema/${kind}.json`)
    }
  }
}

export function listed({ name, scenario, store, requests, inFlight }: Sandbox) {
  if (name === null) return []
  const address = `/sandbox/${name}`
  return [
    {
      name,
      api: `${address}${BASE}`,
      control: `${address}${CONTROL}`,
      scenario: scenario.name,
      records: store.size,
      requests,
      in_flight: inFlight
    }
  ]
}

export function assumptionsShown({ settings: inForce }: Sandbox, { assumptions }: Totals) {
  return ASSUMPTION_IDS.map(id => {
    const { topic, default: fallback, settings } = ASSUMPTIONS[id]
    const values = Object.fromEntries(settings.map(key => [key, inForce[key as SettingKey]]))
    const { times, requests } = assumptions.get(id)
    return {
      id,
      topic,
      default: fallback,
      settings: values,
      standing: isStanding(id),
      times,
      requests
    }
  })
}

/** The settings, but not the value of the control token. */
export function settingsShown(sandbox: Sandbox) {
  const { values, sources, variables } = sandbox.settingsInForce
  const shown = SETTING_KEYS.map(key => {
    const {
      scope,
      about,
      default: fallback,
      schema,
      flag = `--set ${key}=`,
      ...more
    } = SETTINGS[key]
    const value = key === 'control_token' && values[key] !== null ? MASK : values[key]
    const given_by = sources[key] === 'environment' ? (variables[key] ?? null) : null
    const places = { flag, variable: variableOf(key), scenario: scenarioPathOf(key) }
    return [
      key,
      {
        value,
        source: sources[key],
        given_by,
        default: fallback,
        scope,
        about,
        schema,
        ...places,
        assumption: more.assumption ?? null
      }
    ]
  })
  return { settings: Object.fromEntries(shown) }
}
