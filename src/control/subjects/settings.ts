import * as Type from 'typebox'
import { MASK } from '../../core/mask.js'
import { SETTING_KEYS, SETTINGS, scenarioPathOf, variableOf } from '../../core/settings.js'
import { text, word } from '../../reference/parameters.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { changeSettings, unsetSetting } from '../../sandbox/settings.js'
import { CHANGES, type Rows, row } from '../row.js'
import { any, map, response, textOrNull, typed } from '../schemas.js'

const SHOWN = response('ShownSettings', {
  settings: map(
    response('ShownSetting', {
      value: any,
      source: text(),
      default: any,
      scope: word(['process', 'sandbox']),
      about: text(),
      schema: typed(
        '{ type?: string | readonly string[]; enum?: readonly (string | number | boolean)[]; minimum?: number; maximum?: number }'
      ),
      flag: text(),
      variable: text(),
      scenario: textOrNull,
      assumption: textOrNull
    })
  )
})

/** Without the value of the control token. */
function settingsShown({ settingsInForce: { values, sources } }: Sandbox) {
  const settings = SETTING_KEYS.map(key => {
    const { scope, about, default: fallback, schema, flag, assumption } = SETTINGS[key]
    return [
      key,
      {
        value: key === 'control_token' && values[key] !== null ? MASK : values[key],
        source: sources[key],
        default: fallback,
        scope,
        about,
        schema,
        flag: flag ?? `--set ${key}=`,
        variable: variableOf(key),
        scenario: scenarioPathOf(key),
        assumption: assumption ?? null
      }
    ]
  })
  return { settings: Object.fromEntries(settings) }
}

export const SETTINGS_ROWS: Rows = {
  'GET /settings': {
    does: 'Returns each setting with its value, the source of the value, and the allowed values: [the settings](settings.md).',
    response: SHOWN,
    run: ({ sandbox }) => settingsShown(sandbox)
  },
  'PATCH /settings': row({
    does: 'Changes settings of the sandbox until the next load or reset.',
    body: {
      example: '{"pagination.max_limit":5}',
      schema: () => Type.Unsafe<object>({ type: 'object' })
    },
    ...CHANGES,
    response: SHOWN,
    run: async ({ sandbox, body, document }) => {
      await changeSettings(sandbox, body, document)
      return settingsShown(sandbox)
    }
  }),
  'DELETE /settings/NAME': {
    does: 'Resets a setting to its value from the flag, environment, scenario or default.',
    isSaved: true,
    run: ({ sandbox, name }) => unsetSetting(sandbox, name)
  }
}
