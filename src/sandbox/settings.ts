/** Changes settings. */
import { problemAt } from '../core/places.js'
import {
  flattened,
  type GivenSettings,
  SETTING_KEYS,
  SETTINGS,
  type SettingsInForce
} from '../core/settings.js'
import { withNumbers } from '../scenario/read/numbers.js'
import { SANDBOX_SETTINGS_CHECKER } from '../scenario/shape/scenario.js'
import type { Sandbox } from './sandbox.js'
import { REFUSALS } from './sentences.js'
import { actorProblem, requireActor } from './state.js'

/** Until the next load or reset; all or none. Errors: `setting_invalid`. */
export async function changeSettings(
  sandbox: Sandbox,
  changes: object,
  document: Parameters<typeof withNumbers>[0] = {}
): Promise<SettingsInForce> {
  const newSettings: GivenSettings = flattened(changes)
  const problems = [
    ...withNumbers(document, changes, SANDBOX_SETTINGS_CHECKER.problems(newSettings))
  ]
  const isJudged = problems.some(({ path }) => path === ACTOR.join('.'))
  const message = isJudged ? null : actorProblem(newSettings, sandbox.store)
  if (message !== null) problems.push(problemAt(ACTOR, { code: 'missing_record', message }))
  const [first, ...others] = problems.map(({ path, code, message }) => ({ path, code, message }))
  if (first) throw REFUSALS.wrongSettings([first, ...others])
  sandbox.setControlSettings({ ...sandbox.state.settings, ...newSettings })
  return sandbox.settingsInForce
}

/** Errors: `setting_invalid`; `account_unknown` for an Account that the value then names. */
export function unsetSetting(sandbox: Sandbox, name: string): void {
  const known = SETTING_KEYS.filter(key => SETTINGS[key].scope === 'sandbox')
  const key = known.find(key => key === name)
  if (key === undefined) throw REFUSALS.noSetting(name, known)
  const { [key]: _, ...settings } = sandbox.state.settings
  requireActor(sandbox.settingsWith(settings).values, sandbox.store)
  sandbox.setControlSettings(settings)
}

const ACTOR = ['auth', 'accept_any_key']
