/** Settings as the command line and the environment give them: text, read by each setting's schema. */
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import { didYouMean } from '../core/nearest.js'
import { flattened, type GivenSettings, nested, SETTING_KEYS, SETTINGS, type SettingKey, settingsSchema, variableOf } from '../core/settings.js'

const check = checkerOf(() => settingsSchema(() => true))

/** The settings that the environment gives, by their variables; an empty variable is as if absent. Errors: `setting_invalid`. */
export function settingsOfEnvironment(environment: Readonly<Record<string, string | undefined>>): GivenSettings {
  const given = SETTING_KEYS.flatMap(key => {
    const text = environment[variableOf(key)]
    return text ? [{ key, text, place: `the variable ${variableOf(key)}` }] : []
  })
  return read(given)
}

/** The settings that flags give: those of `--set key=value`, then flags of their own. Errors: `setting_invalid`. */
export function settingsOfFlags(flags: Partial<Record<SettingKey, string>>, sets: readonly string[]): GivenSettings {
  const ofSets = sets.map(text => {
    const [, key = '', value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    const place = `--set ${text}`
    if (value === undefined) throw refused([`${place}: key=value was expected`])
    if (!(key in SETTINGS)) throw refused([`${place}: there is no setting ${key}${didYouMean(key, SETTING_KEYS)}`])
    return { key: key as SettingKey, text: value, place }
  })
  const ofFlags = Object.entries(flags).map(([key, text]) => ({ key: key as SettingKey, text, place: SETTINGS_FLAGS[key as SettingKey] as string }))
  return read([...ofSets, ...ofFlags])
}

const SETTINGS_FLAGS = Object.fromEntries(SETTING_KEYS.map(key => [key, (SETTINGS[key] as { flag?: string }).flag])) as Partial<Record<SettingKey, string>>

function read(given: { key: SettingKey; text: string; place: string }[]): GivenSettings {
  const values = Object.fromEntries(given.map(({ key, text }) => [key, typedValue(key, text)]))
  const problems = check(nested(values)).map(({ path, message }) => `${given.findLast(({ key }) => path.startsWith(key))?.place}: ${message}`)
  if (problems.length > 0) throw refused(problems)
  return flattened(nested(values)) as GivenSettings
}

/** The text as the kind of value that the setting takes; what does not fit stays text and is refused by the schema. */
function typedValue(key: SettingKey, text: string): unknown {
  const { type } = SETTINGS[key].schema as { type?: string | string[] }
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  if (type === 'array') return text.split(',').map(part => part.trim())
  return Array.isArray(type) && text === '' ? null : text
}

const refused = (problems: readonly string[]) => new ApiError('setting_invalid', { message: problems.join('\n') })
