/** Settings of the command line and the environment, converted and checked by schema. */
import { isIP } from 'node:net'
import type { Option } from 'commander'
import { checkerOf } from '../core/checking.js'
import { ApiError, type Problem } from '../core/errors.js'
import { didYouMean } from '../core/sentences.js'
import {
  flatSettingsSchema,
  type GivenSettings,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  variableOf
} from '../core/settings.js'
import { typedValue } from '../core/typed-value.js'
import type { Launch } from '../scenario/scenario.js'
import { collect, type Environment, namedValueOf, option, type Pairs } from './command.js'
import { SAYS, say } from './sentences.js'

export type SettingFlags = { set?: string[]; var?: Pairs }
export type CommandLaunch = Launch & {
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
    vars: vars && { values: Object.fromEntries(vars), isText: true }
  }
}

type SettingText = { key: SettingKey; text: string; place: string; advice?: string }

const CHECKER = checkerOf(() => flatSettingsSchema(() => true))

const isSetting = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key)

/** An empty variable counts as absent. Errors: `setting_invalid` with every problem. */
export async function settingsOfEnvironment(environment: Environment): Promise<GivenSettings> {
  return read(
    SETTING_KEYS.flatMap(key => {
      const name = variableOf(key)
      const text = environment[name]
      return text ? { key, text, place: `the variable ${name}`, advice: SAYS.not_meant() } : []
    })
  )
}

/** Refuses a HOST that shells set for themselves. Errors: `setting_invalid`. */
export function refuseForeignHost({ host }: GivenSettings, environment: Environment): void {
  const { HOST = '' } = environment
  if (host !== undefined || HOST === '' || HOST === 'localhost' || isIP(HOST) !== 0) return
  throw settingInvalid([{ path: 'the variable HOST', code: 'host', message: SAYS.host(HOST) }])
}

const settingInvalid = (problems: Problem[]) =>
  new ApiError('setting_invalid', {
    message: problems.map(({ path, message }) => `${path}: ${message}`).join('; '),
    problems
  })

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
      const advice = didYouMean(key, SETTING_KEYS) || SAYS.settings_listed()
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
  for (const { path, code, message } of await CHECKER.problems(values)) {
    const { place, advice = '' } = texts.findLast(
      ({ key }) => path === key || path.startsWith(`${key}[`)
    ) as SettingText
    problems.push({ path: place, code, message: `${message}${advice}` })
  }
  if (problems.length > 0) throw settingInvalid(problems)
  return values
}
