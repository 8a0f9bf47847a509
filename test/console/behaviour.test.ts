/** The words and values of the console's scenario and settings. */
import t from 'tap'
import { yamlOf } from '../../src/console/ui/components/yaml.js'
import { changesInWords } from '../../src/console/ui/views/scenario/changes-words.js'
import {
  entryOf,
  FIELDS,
  isAt,
  PRESETS,
  type Preset
} from '../../src/console/ui/views/scenario/presets.js'
import { givenVariables } from '../../src/console/ui/views/scenario/variable-values.js'
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

t.test('console: each form of a script entry makes one that the emulator takes', async t => {
  const { control } = await startTestEmulator(t)
  const forms: [name: keyof typeof PRESETS, values: Record<string, string>, entry: object][] = [
    [
      'decline',
      {},
      {
        name: 'card payments are declined',
        on: 'POST /transactions',
        match: { body: { payment_type: 'card' } },
        calls: 1,
        respond: {
          status: 402,
          error: { type: 'card_error', code: 'card_declined', message: 'The card was declined.' }
        }
      }
    ],
    [
      'decline',
      {
        calls: ' 2-3 ',
        'match.body.ticket': 'tkt_a',
        'match.body.card.last4': '0341',
        'respond.error.message': 'No: "never" #1'
      },
      {
        name: 'card payments are declined',
        on: 'POST /transactions',
        match: { body: { payment_type: 'card', ticket: 'tkt_a', card: { last4: '0341' } } },
        calls: '2-3',
        respond: {
          status: 402,
          error: { type: 'card_error', code: 'card_declined', message: 'No: "never" #1' }
        }
      }
    ],
    [
      'lose',
      { calls: '' },
      {
        name: 'the response is lost',
        on: 'POST /refunds',
        fault: 'connection_reset',
        when: 'after'
      }
    ],
    [
      'down',
      { 'respond.retry_after': '' },
      { name: 'the service is down', on: '*', for: '10s', respond: { status: 503, error: {} } }
    ],
    [
      'hold',
      { 'hold.for': '' },
      {
        name: 'requests wait for each other',
        on: 'POST /refunds',
        hold: { until: 2, release: 'in_order' }
      }
    ],
    [
      'gate',
      {},
      {
        name: 'requests wait at a gate',
        on: 'POST /refunds',
        hold: { gate: 'refunds', for: '30s' }
      }
    ],
    ['slow', {}, { name: 'responses are slow', on: 'GET *', delay: { min: '500ms', max: '3s' } }],
    [
      'slow',
      { on: 'GET /tickets', 'delay.min': '1s', 'delay.max': '1s', calls: '4+' },
      {
        name: 'responses are slow',
        on: 'GET /tickets',
        calls: '4+',
        delay: { min: '1s', max: '1s' }
      }
    ],
    [
      'flaky',
      {},
      {
        name: 'requests fail now and then',
        on: '*',
        chance: 0.2,
        respond: { status: 503, error: {} }
      }
    ],
    [
      'flaky',
      { fault: 'hang', chance: '1', 'respond.status': '' },
      { name: 'requests fail now and then', on: '*', chance: 1, fault: 'hang' }
    ],
    [
      'flaky',
      { fault: 'hang' },
      {
        name: 'requests fail now and then',
        on: '*',
        chance: 0.2,
        respond: { status: 503, error: {} },
        fault: 'hang'
      }
    ],
    ['own', {}, { on: 'GET /tickets', respond: { status: 500, error: {} } }]
  ]
  for (const [name, values, entry] of forms) {
    await control('DELETE /script')
    const made = entryOf({ ...PRESETS[name].values, ...values })
    t.strictSame(made, entry, name)
    const { status, body } = await control('POST /script', yamlOf(made), YAML)
    t.equal(status, 201, JSON.stringify(body))
    t.strictSame(body.entry, made)
  }
})

t.test(
  'console: a problem of a script entry is shown at the field that its value came from',
  async t => {
    const { control } = await startTestEmulator(t)
    const cases: [name: keyof typeof PRESETS, values: Record<string, string>, fields: string[]][] =
      [
        ['decline', { calls: '-1', 'respond.status': 'x' }, ['calls', 'respond.status']],
        ['down', { for: 'ten', 'respond.retry_after': 'x' }, ['for', 'respond.retry_after']],
        ['hold', { 'hold.until': '1.5' }, ['hold.until']],
        ['hold', { 'hold.until': '2', 'hold.for': 'x' }, ['hold.for']],
        ['slow', { 'delay.min': 'x' }, ['delay.min']],
        ['slow', { 'delay.min': '3s', 'delay.max': '1s' }, ['delay.min', 'delay.max']],
        ['flaky', { chance: '2' }, ['chance']]
      ]
    for (const [name, values, wanted] of cases) {
      const preset: Preset = PRESETS[name]
      const { status, body } = await control(
        'POST /script',
        yamlOf(entryOf({ ...preset.values, ...values })),
        YAML
      )
      t.equal(status, 400, name)
      const fields = Object.keys(FIELDS).filter(
        field =>
          field in preset.values &&
          body.error.problems.some(({ path }: { path: string }) => isAt(path, field))
      )
      t.strictSame(fields.sort(), wanted.sort(), `${name}: ${JSON.stringify(body.error.problems)}`)
    }
    t.strictSame(
      [
        isAt('', 'on'),
        isAt('match.body', 'match.body.ticket'),
        isAt('on[0]', 'on'),
        isAt('match.body.cards', 'match.body.ticket')
      ],
      [false, true, true, false]
    )
  }
)

t.test('console: what has changed since the load in words', async t => {
  const nothing = {
    records: {},
    keys: { added: 0, deleted: 0 },
    clock: { began: { now: null, running: true }, changed: false },
    script: { added: [], removed: [], matched: 0 },
    settings: []
  }
  const lines = (changes: object) =>
    changesInWords({ ...nothing, ...changes }).map(
      ({ text, to }) => `${text}${to ? ` → ${to.view ?? to.path}` : ''}`
    )

  t.strictSame(lines({}), [])
  t.strictSame(
    lines({
      records: {
        refunds: { added: 2, changed: 0, deleted: 1 },
        users: { added: 0, changed: 1, deleted: 0 }
      },
      keys: { added: 1, deleted: 0 }
    }),
    ['Users: 1 changed', 'Refunds: 2 added, 1 deleted', 'API keys: 1 added']
  )
  t.strictSame(
    lines({
      clock: { began: { now: null, running: true }, changed: true },
      script: { added: ['scr_2'], removed: ['scr_1'], matched: 3 },
      settings: ['seed']
    }),
    [
      'Clock: it began as the machine’s → clock',
      'Script: scr_2 added, scr_1 removed, requests matched: 3 → script',
      'Settings: seed → settings'
    ]
  )
  for (const [running, text] of [
    [true, 'at'],
    [false, 'frozen at']
  ] as const) {
    t.strictSame(
      lines({ clock: { began: { now: '2026-05-01T00:00:00.000Z', running }, changed: true } }),
      [`Clock: it began ${text} 2026-05-01 00:00:00 UTC → clock`]
    )
  }
  t.strictSame(lines({ script: { added: [], removed: [], matched: 1 } }), [
    'Script: requests matched: 1 → script'
  ])
})

t.test('console: settings are in groups, those that can be changed first', async t => {
  const { control } = await startTestEmulator(t, { settings: { port: 4020 } })
  await control('PATCH /settings', { 'pagination.max_limit': 5 })
  const { settings } = (await control('GET /settings')).body
  const names = (...search: [text?: string, isChangedOnly?: boolean]) =>
    groupsOf(settings, ...search).map(([name, { length }]) => `${name}: ${length}`)

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
    'evidence: 3',
    'refunds: 2',
    'transactions: 3',
    'process: 13',
    'limits: 20',
    'sandboxes: 1'
  ])
  t.strictSame(names('a10 '), ['pagination: 4'])
  t.strictSame(names('`limit MAXIMUM'), ['pagination: 1'])
  t.strictSame(names('', true), ['pagination: 1', 'process: 1'])
  t.strictSame(names('nothing is like that'), [])
})

t.test('console: values of settings are typed as they are shown', async t => {
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
      sourceInWords({
        ...settings['ids.length'],
        source: 'environment',
        given_by: 'COMMERCE_EMULATOR_IDS_LENGTH'
      }),
      sourceInWords({ ...settings['ids.length'], source: 'flag' })
    ],
    [
      'from --port',
      'changed here',
      'from the scenario',
      'from SEED',
      'from COMMERCE_EMULATOR_IDS_LENGTH',
      'from --set ids.length'
    ]
  )
})

t.test('console: variables are sent with the types of their defaults', async t => {
  const declared = { last4: '0341', count: 3, strict: true }

  const cases: [typed: Record<string, string>, given: object, title: string][] = [
    [{}, {}, 'nothing'],
    [{ last4: '0341', count: '3', strict: 'true' }, {}, 'typed as the defaults are'],
    [
      { last4: '0042', count: ' 4 ', strict: 'false' },
      { last4: '0042', count: 4, strict: false },
      'each of its type'
    ],
    [
      { last4: '', count: 'four', strict: 'no' },
      { last4: '', count: 'four', strict: 'no' },
      'of another type: sent as text, and refused'
    ]
  ]
  for (const [typed, given, title] of cases)
    t.strictSame(givenVariables(declared, typed), given, title)
  t.strictSame(givenVariables(undefined, {}), {})
})
