/** Settings of the command line and the environment, converted and checked by schema. */
import { isIP } from 'node:net'
import type { Option } from 'commander'
import { checkerOf } from '../core/checking.js'
import { ApiError, type Problem } from '../core/errors.js'
import {
  flattened,
  type GivenSettings,
  nested,
  prefixedVariableOf,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type SettingVariables,
  settingHint,
  settingsSchema,
  variableOf
} from '../core/settings.js'
import { typedValue } from '../core/typed-value.js'
import type { Launch } from '../scenario/scenario.js'
import { collect, type Environment, namedValueOf, option, type Pairs } from './command.js'
import { SAYS, say } from './sentences.js'

export type SettingFlags = { set?: string[]; var?: Pairs }
export type CommandLaunch = Launch & {
  variables: SettingVariables
  vars: { values: Record<string, string>; isText: true } | undefined
}

export const VAR = option(
  '--var <name=value>',
  'Value of a scenario variable; repeatable.',
  namedValueOf
)
export const A_FREE_PORT = 'default: a free port'

type SettingTexts = Readonly<Partial<Record<SettingKey, string>>>

/** `notes` replace the default and variable of a setting, `abouts` its description. */
export function settingOptions(
  keys: readonly SettingKey[],
  notes: SettingTexts = {},
  abouts: SettingTexts = {}
): Option[] {
  const flagOptions = keys.flatMap(key => {
    const { flag, about, default: fallback } = SETTINGS[key]
    if (!flag) return []
    const note = fallback === null || fallback === false ? '' : `default: ${fallback}; `
    const word = key === 'data' ? 'dir' : flag.split('-').at(-1)
    return option(
      typeof fallback === 'boolean' ? flag : `${flag} <${word}>`,
      `${abouts[key] ?? about} (${notes[key] ?? `${note}variable: ${variableOf(key)}`})`
    )
  })
  return [...flagOptions, option('--set <key=value>', 'Any setting; repeatable.', collect)]
}

export const FOLDERS = settingOptions(['fixtures_dir', 'scenarios_dir'])

/** Errors: `setting_invalid`. */
export async function launchOf(
  { set = [], var: vars, ...flags }: SettingFlags,
  environment: Environment
): Promise<CommandLaunch> {
  return {
    flag: await settingsOfFlags(flags, set),
    environment: await settingsOfEnvironment(environment),
    variables: variablesIn(environment),
    vars: vars && { values: Object.fromEntries(vars), isText: true }
  }
}

type SettingText = { key: SettingKey; text: string; place: string; advice?: string }

const CHECKER = checkerOf(() => settingsSchema(() => true))

const isSetting = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key)

/** Variables with the prefix take precedence; an empty one counts as absent. */
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
  const variables = variablesIn(environment)
  return read(
    SETTING_KEYS.flatMap(key => {
      const name = variables[key]
      const text = name && environment[name]
      return text ? { key, text, place: `the variable ${name}`, advice: adviceOn(key, name) } : []
    })
  )
}

/** Refuses a bare HOST, which shells set. Errors: `setting_invalid`. */
export function refuseForeignHost({ host }: GivenSettings, environment: Environment): void {
  const { HOST = '' } = environment
  const isForEmulator =
    host !== undefined ||
    variablesIn(environment).host !== 'HOST' ||
    isIP(HOST) !== 0 ||
    HOST === 'localhost'
  if (isForEmulator) return
  const message = `${SAYS.host(HOST)}${adviceOn('host', 'HOST')}`
  throw settingInvalid([{ path: 'the variable HOST', code: 'host', message }])
}

const settingInvalid = (problems: Problem[]) =>
  new ApiError('setting_invalid', {
    message: problems.map(({ path, message }) => `${path}: ${message}`).join('; '),
    problems
  })

function adviceOn(key: SettingKey, name: string): string {
  const prefixed = prefixedVariableOf(key)
  return name === prefixed ? '' : SAYS.not_meant(prefixed)
}

/** `flags`, as commander names them, take precedence. Errors: `setting_invalid` with every problem. */
export async function settingsOfFlags(
  flags: Readonly<Record<string, unknown>>,
  sets: readonly string[]
): Promise<GivenSettings> {
  const problems: Problem[] = []
  const texts: SettingText[] = []
  for (const text of sets) {
    const [, key = '', value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    const place = `--set ${key === 'control_token' ? key : text}`
    if (value === undefined) problems.push({ path: place, ...say('set') })
    else if (isSetting(key)) texts.push({ key, text: value, place })
    else {
      const advice = settingHint(key) || SAYS.settings_listed()
      problems.push({ path: place, ...say('unknown_setting', key, advice) })
    }
  }
  for (const [name, value] of Object.entries(flags)) {
    const key = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
    if (isSetting(key)) texts.push({ key, text: String(value), place: String(SETTINGS[key].flag) })
  }
  return read(texts, problems)
}

async function read(
  texts: readonly SettingText[],
  problems: Problem[] = []
): Promise<GivenSettings> {
  const values = Object.fromEntries(
    texts.map(({ key, text }) => [key, typedValue(text, SETTINGS[key].schema as { type?: string })])
  )
  for (const { path, code, message } of await CHECKER.problems(nested(values))) {
    const { place, advice = '' } = texts.findLast(
      ({ key }) => path === key || path.startsWith(`${key}[`)
    ) as SettingText
    problems.push({ path: place, code, message: `${message}${advice}` })
  }
  if (problems.length > 0) throw settingInvalid(problems)
  return flattened(nested(values)) as GivenSettings
}
