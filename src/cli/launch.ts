/** Settings from the command line and the environment: text, converted and checked by each setting's schema. */
import { checkerOf } from '../core/checking.js'
import { ApiError, type Problem } from '../core/errors.js'
import { didYouMean } from '../core/nearest.js'
import { flattened, type GivenSettings, nested, SETTING_KEYS, SETTINGS, type SettingKey, settingsSchema, variableOf } from '../core/settings.js'

type Given = { key: SettingKey; text: string; place: string }

const CHECKER = checkerOf(() => settingsSchema(() => true))

/** The settings of the environment's variables; an empty variable counts as absent. Errors: `setting_invalid` with every problem. */
export async function settingsOfEnvironment(environment: Readonly<Record<string, string | undefined>>): Promise<GivenSettings> {
  const given = SETTING_KEYS.flatMap(key => {
    const text = environment[variableOf(key)]
    return text ? [{ key, text, place: `the variable ${variableOf(key)}` }] : []
  })
  return read(given)
}

/** The settings of the command line: those of `--set key=value`, then those of their own flags, which win. Errors: `setting_invalid` with every problem. */
export async function settingsOfFlags(flags: Partial<Record<SettingKey, string>>, sets: readonly string[]): Promise<GivenSettings> {
  const problems: Problem[] = []
  const fromSets = sets.flatMap(text => {
    const [, key = '', value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    const place = `--set ${text}`
    if (value === undefined) problems.push({ path: place, message: 'key=value was expected, such as --set pagination.max_limit=5' })
    else if (!Object.hasOwn(SETTINGS, key)) problems.push({ path: place, message: `there is no setting ${key}${suggestion(key)}` })
    else return [{ key: key as SettingKey, text: value, place }]
    return []
  })
  const fromFlags = Object.entries(flags).map(([key, text]) => ({ key: key as SettingKey, text, place: flagOf(key as SettingKey) }))
  return read([...fromSets, ...fromFlags], problems)
}

const flagOf = (key: SettingKey) => (SETTINGS[key] as { flag?: string }).flag as string

/** What an unknown key may have meant: a key that is spelled like it, or the keys of the group that it names. */
function suggestion(key: string): string {
  const group = SETTING_KEYS.filter(known => known.startsWith(`${key}.`))
  return group.length === 0 ? didYouMean(key, SETTING_KEYS) : `; the settings in that group are ${group.join(', ')}`
}

/** The typed settings. Errors: `setting_invalid` with these problems and those of the values. */
async function read(given: readonly Given[], problems: Problem[] = []): Promise<GivenSettings> {
  const values = Object.fromEntries(given.map(({ key, text }) => [key, typedValue(key, text)]))
  for (const { path, message } of await CHECKER.problems(nested(values))) {
    const { place } = given.findLast(({ key }) => path === key || path.startsWith(`${key}[`)) as Given
    problems.push({ path: place, message })
  }
  if (problems.length > 0) {
    throw new ApiError('setting_invalid', { message: problems.map(({ path, message }) => `${path}: ${message}`).join('; '), problems })
  }
  return flattened(nested(values)) as GivenSettings
}

/** The text as a value of the setting's type; text that does not fit is left as it is, and the schema refuses it. */
function typedValue(key: SettingKey, text: string): unknown {
  const { type } = SETTINGS[key].schema as { type?: string | string[] }
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  if (type === 'array') return text.split(',').map(part => part.trim())
  return Array.isArray(type) && text === '' ? null : text
}
