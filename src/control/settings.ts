import { SETTING_KEYS, SETTINGS, type SettingKey, scenarioPathOf, variableOf } from '../core/settings.js'
import type { Totals } from '../evidence/totals.js'
import { ASSUMPTION_IDS, ASSUMPTIONS, isStanding } from '../reference/assumptions.js'
import type { Sandbox } from '../sandbox/sandbox.js'

/** Each assumption with its settings and the answers that relied on it. */
export function assumptionsShown({ settings: inForce }: Sandbox, { assumptions }: Totals) {
  return ASSUMPTION_IDS.map(id => {
    const { topic, default: fallback, settings } = ASSUMPTIONS[id]
    const { times, requests } = assumptions.get(id)
    const values = Object.fromEntries(settings.map(key => [key, inForce[key as SettingKey]]))
    return { id, topic, default: fallback, settings: values, standing: isStanding(id), times, requests }
  })
}

/** Each setting with its value and source, and what it may be; not the value of the control token. */
export function settingsShown(sandbox: Sandbox) {
  const { values, sources, variables } = sandbox.settingsInForce
  return {
    settings: Object.fromEntries(
      SETTING_KEYS.map(key => {
        const { scope, about, default: fallback, schema, ...more } = SETTINGS[key]
        const value = key === 'control_token' && values[key] !== null ? '***' : values[key]
        const places = { flag: more.flag ?? `--set ${key}=`, variable: variableOf(key), scenario: scenarioPathOf(key) }
        const given_by = sources[key] === 'environment' ? (variables[key] ?? null) : null
        return [key, { value, source: sources[key], given_by, default: fallback, scope, about, schema, ...places, assumption: more.assumption ?? null }]
      })
    )
  }
}
