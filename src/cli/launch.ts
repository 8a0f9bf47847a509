/** Settings of the command line and the environment: texts that each schema converts and checks. */
import { isIP } from 'node:net'
import { checkerOf } from '../core/checking.js'
import { ApiError, type Problem } from '../core/errors.js'
import { didYouMean } from '../core/nearest.js'
import {
  flattened,
  type GivenSettings,
  nested,
  prefixedVariableOf,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type SettingVariables,
  settingsSchema,
  variableOf
} from '../core/settings.js'
import { typedValue } from '../core/typed-value.js'
import { SAYS, say } from './sentences.js'

type Given = { key: SettingKey; text: string; place: string; advice?: string }

export const CHECKER = checkerOf(() => settingsSchema(() => true))

export type Environment = Readonly<Record<string, string | undefined>>

/** With the prefix, else the bare one; an empty one is absent. */
export function variablesIn(environment: Environment): SettingVariables {
  return Object.fromEntries(
    SETTING_KEYS.flatMap(key => {
      const name = [prefixedVariableOf(key), variableOf(key)].find(name => environment[name])
      return name === undefined ? [] : [[key, name]]
    })
  )
}

/** Errors: `setting_invalid` with every problem. */
export async function settingsOfEnvironment(environment: Environment): Promise<GivenSettings> {
  const variables = Object.entries(variablesIn(environment)) as [SettingKey, string][]
  return read(
    variables.map(([key, name]) => {
      const text = environment[name] as string
      return { key, text, place: `the variable ${name}`, advice: adviceOn(key, text, name) }
    })
  )
}

/** Refuses a bare HOST, which shells set. Errors: `setting_invalid`. */
export function refuseForeignHost({ host }: GivenSettings, environment: Environment): void {
  const { HOST = '' } = environment
  if (
    host !== undefined ||
    variablesIn(environment).host !== 'HOST' ||
    isIP(HOST) !== 0 ||
    HOST === 'localhost'
  )
    return
  throw settingInvalid([
    {
      path: 'the variable HOST',
      code: 'host',
      message: `${SAYS.host(HOST)}${adviceOn('host', HOST, 'HOST')}`
    }
  ])
}

const settingInvalid = (problems: Problem[]) =>
  new ApiError('setting_invalid', {
    message: problems.map(({ path, message }) => `${path}: ${message}`).join('; '),
    problems
  })

function adviceOn(key: SettingKey, text: string, name: string): string {
  const prefixed = prefixedVariableOf(key)
  if (name !== prefixed) return SAYS.not_meant(prefixed)
  return /^tcp:/.test(text) ? SAYS.kubernetes() : ''
}

/** Wrong values of these are found only when they are used. */
const USED_LATER = SETTING_KEYS.filter(
  key => SETTINGS[key].flag && !['watch', 'log_level', 'seed'].includes(key)
)

export function linesOnVariables(lines: readonly string[], environment: Environment): string[] {
  return USED_LATER.flatMap(key => {
    const name = variableOf(key)
    const text = environment[name] ?? ''
    const shown = key === 'port' ? `port ${text} ` : text
    const isShown =
      variablesIn(environment)[key] === name &&
      lines.some(line => line.includes(shown) && !line.includes(`the variable ${name}`))
    return isShown ? [SAYS.variable_is(name, text, adviceOn(key, text, name))] : []
  })
}

/** Own flags win. Errors: `setting_invalid` with every problem. */
export async function settingsOfFlags(
  flags: Partial<Record<SettingKey, string>>,
  sets: readonly string[]
): Promise<GivenSettings> {
  const problems: Problem[] = []
  const fromSets = sets.flatMap(text => {
    const [, key = '', value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    const place = `--set ${key === 'control_token' ? key : text}`
    if (value === undefined) problems.push({ path: place, ...say('set') })
    else if (!Object.hasOwn(SETTINGS, key))
      problems.push({ path: place, ...say('unknown_setting', key, suggestion(key)) })
    else return [{ key: key as SettingKey, text: value, place }]
    return []
  })
  const fromFlags = Object.entries(flags).map(([key, text]) => ({
    key: key as SettingKey,
    text,
    place: flagOf(key as SettingKey)
  }))
  return read([...fromSets, ...fromFlags], problems)
}

const flagOf = (key: SettingKey) => SETTINGS[key].flag as string

function suggestion(key: string): string {
  const group = SETTING_KEYS.filter(known => known.startsWith(`${key}.`))
  if (group.length > 0) return SAYS.settings_in_group(group)
  return didYouMean(key, SETTING_KEYS) || SAYS.settings_listed()
}

async function read(given: readonly Given[], problems: Problem[] = []): Promise<GivenSettings> {
  const values = Object.fromEntries(
    given.map(({ key, text }) => [key, typedValue(text, SETTINGS[key].schema as { type?: string })])
  )
  for (const { path, code, message } of await CHECKER.problems(nested(values))) {
    const { place, advice = '' } = given.findLast(
      ({ key }) => path === key || path.startsWith(`${key}[`)
    ) as Given
    problems.push({ path: place, code, message: `${message}${advice}` })
  }
  if (problems.length > 0) throw settingInvalid(problems)
  return flattened(nested(values)) as GivenSettings
}
