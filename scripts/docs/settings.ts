/** docs/reference/settings.md: every setting. */
import { isObject } from '../../src/core/quick-check.js'
import {
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  scenarioPathOf,
  variableOf
} from '../../src/core/settings.js'
import type { Schema } from '../../src/reference/parameters.js'
import { anchor, code, idLink, page, table, typeName } from './markdown.js'

const INTRODUCTION = `Every setting, in one table. A flag takes precedence over the environment, the environment over the scenario, and the scenario over the default; \`PATCH /_control/settings\` takes precedence over all of them until the next load or reset. \`--set key=value\` takes any setting. A setting without a place in the scenario belongs to the process.

Each variable is also read with the prefix \`COMMERCE_EMULATOR_\`, such as \`COMMERCE_EMULATOR_PORT\`, which takes precedence over the one without; an empty variable counts as absent. A variable whose value cannot be the setting's is refused and named: where \`HOST\`, \`DATA\` or \`SEED\` means something else on your machine, give the one with the prefix. A bare \`HOST\` has to be an IP address or \`localhost\`. \`GET /_control/settings\` says of each setting by which variable it was given.`

/** What a setting is where nothing gives it. */
function shownDefault(value: unknown): string {
  if (isObject(value)) return code(JSON.stringify(value))
  return value === null || (Array.isArray(value) && value.length === 0)
    ? 'none'
    : code(String(value))
}

function row(key: SettingKey): readonly string[] {
  const {
    schema,
    default: fallback,
    flag,
    about,
    assumption
  } = SETTINGS[key] as (typeof SETTINGS)[SettingKey] & { flag?: string; assumption?: string }
  const path = scenarioPathOf(key)
  const type = typeName(schema as Schema).replace(' or null', '')
  return [
    `${anchor(key)}${code(key)}`,
    shownDefault(fallback),
    type,
    code(variableOf(key)),
    flag ? code(flag) : '',
    path ? code(path) : '',
    `${about}${assumption ? ` (${idLink(assumption)})` : ''}`
  ]
}

/** The page. */
export const settingsPage = (): string =>
  page(
    'Settings',
    INTRODUCTION,
    table(
      ['setting', 'default', 'takes', 'variable', 'flag', 'scenario', 'what it does'],
      SETTING_KEYS.map(row)
    )
  )
