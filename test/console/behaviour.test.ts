/** Texts and values of the console's scenario and settings. */
import t from 'tap'
import { instantInWords } from '../../src/console/ui/views/count.js'
import { PRESETS, presetText } from '../../src/console/ui/views/scenario/presets.js'
import {
  choicesIn,
  groupsOf,
  shownValue,
  sourceInWords,
  textOf
} from '../../src/console/ui/views/settings/setting-values.js'
import { typedValue } from '../../src/core/typed-value.js'
import { startTestEmulator } from '../support/emulator.js'

const YAML = { 'content-type': 'application/yaml' }

t.test('console: the emulator accepts each preset of a script entry', async t => {
  const { control } = await startTestEmulator(t)

  for (const [name, preset] of Object.entries(PRESETS)) {
    const added = await control('POST /script', presetText(preset), YAML)
    t.equal(added.status, 201, name)
    t.strictSame(added.body.entry, preset.entry, name)
  }
})

t.test('console: settings are in groups, those that can be changed first', async t => {
  const { control } = await startTestEmulator(t, { settings: { port: 4020 } })
  await control('PATCH /settings', { 'pagination.max_limit': 5 })
  const { settings } = (await control('GET /settings')).body
  const names = (search?: string) =>
    groupsOf(settings, search).map(([name, { length }]) => `${name}: ${length}`)

  t.strictSame(names(), [
    'seed: 1',
    'ids: 8',
    'shapes: 2',
    'statuses: 7',
    'errors: 1',
    'pagination: 5',
    'search: 2',
    'parameters: 3',
    'auth: 3',
    'evidence: 1',
    'refunds: 2',
    'transactions: 3',
    'process: 12',
    'limits: 14',
    'sandboxes: 1'
  ])
  t.strictSame(names('a10 '), ['pagination: 4'])
  t.strictSame(names('`limit MAXIMUM'), ['pagination: 1'])
  t.strictSame(names('changed here'), ['pagination: 1'])
  t.strictSame(names('from --port'), ['process: 1'])
  t.strictSame(names('nothing is like that'), [])
})

t.test('console: values of settings are typed as shown', async t => {
  const { control } = await startTestEmulator(t, { settings: { port: 4020 } })
  const { settings } = (await control('GET /settings')).body
  const typed: [key: string, text: string, value: unknown][] = [
    ['statuses.created', '201', 201],
    ['statuses.created', '202', 202],
    ['pagination.order', 'oldest_first', 'oldest_first'],
    ['errors.expose_rule', 'false', false],
    ['errors.expose_rule', 'true', true],
    ['errors.expose_rule', 'no', 'no'],
    ['pagination.max_limit', '7.5', '7.5'],
    ['pagination.max_limit', '', ''],
    ['auth.accept_any_key', '', null],
    ['auth.accept_any_key', 'mch_a', 'mch_a'],
    ['ids.prefixes.refund', '', ''],
    ['pagination.cursors', 'after, before', ['after', 'before']],
    ['shapes.list', '{"data":"$members"}', { data: '$members' }],
    ['shapes.list', '{ data: $members }', '{ data: $members }']
  ]
  for (const [key, text, value] of typed)
    t.strictSame(typedValue(text, settings[key].schema), value, `${key} ${text}`)
  t.equal(typedValue('1', {}), '1', 'a schema without a type')
  t.strictSame(
    ['statuses.created', 'errors.expose_rule', 'auth.accept_any_key', 'pagination.max_limit'].map(
      key => choicesIn(settings[key].schema)
    ),
    [['200', '201'], ['true', 'false'], undefined, undefined]
  )
  t.strictSame(
    [
      textOf(['a', 'b']),
      textOf({ a: 1 }),
      textOf(null),
      textOf(false),
      shownValue(null),
      shownValue(0)
    ],
    ['a, b', '{"a":1}', '', 'false', 'none', '0']
  )
  t.strictSame(
    [
      sourceInWords(settings.port),
      ...['control', 'scenario', 'environment'].map(source =>
        sourceInWords({ ...settings.seed, source })
      ),
      sourceInWords({ ...settings['ids.length'], source: 'flag' })
    ],
    ['from --port', 'changed here', 'from the scenario', 'from SEED', 'from --set ids.length']
  )
})

t.test('console: an instant in words', async t => {
  t.equal(instantInWords('2026-03-05T12:00:00.000Z'), '2026-03-05 12:00:00 UTC')
})
