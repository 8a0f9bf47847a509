/** docs/reference/settings.md: every setting. */
import { SETTING_KEYS, SETTINGS, type SettingKey, scenarioPathOf } from '../../src/core/settings.js'
import type { Schema } from '../../src/reference/parameters.js'
import { isObject } from '../../src/reference/rules.js'
import { anchor, code, idLink, page, table, typeName } from './markdown.js'

const INTRODUCTION = `A flag takes precedence over the environment, the environment over the scenario, and the scenario over the default; \`PATCH /_control/settings\` takes precedence over all of them until the next load or reset. \`--set key=value\` takes any setting. \`GET /_control/settings\` says where each value came from.

The variable of a setting is its name in capitals, with \`_\` for \`.\`: \`LIMITS_BODY\`. An empty variable counts as absent. A variable with a value that its setting cannot have is refused by name: where \`DATA\` or \`SEED\` means something else on your machine, unset it. \`HOST\` has to be an IP address or \`localhost\`.`

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
  const type = typeName(schema as Schema).replace(' or null', '')
  return [
    `${anchor(key)}${code(key)}${flag ? ` ${code(flag)}` : ''}`,
    shownDefault(fallback),
    type,
    `${about}${assumption ? ` (${idLink(assumption)})` : ''}`
  ]
}

const settingsTable = (isOfScenario: boolean) =>
  table(
    ['setting', 'default', 'takes', 'what it does'],
    SETTING_KEYS.filter(key => (scenarioPathOf(key) !== null) === isOfScenario).map(row)
  )

/** The page. */
export const settingsPage = (): string =>
  page(
    'Settings',
    INTRODUCTION,
    '## Of a sandbox',
    'A scenario has them under `settings`, written in groups: `settings: { pagination: { max_limit: 5 } }`. `seed` is a name of the scenario itself.',
    settingsTable(true),
    '## Of the process',
    settingsTable(false)
  )
