import t from 'tap'
import { checkerOf } from '../../src/core/checking.js'
import {
  flatSettingsSchema,
  flattened,
  nested,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  scenarioPathOf,
  settingsInForce,
  settingsSchema,
  variableOf
} from '../../src/core/settings.js'

t.test('settings: control, then flag, environment, scenario, default', async t => {
  const places = ['scenario', 'environment', 'flag', 'control'] as const
  const given: Record<string, object> = {}

  for (const [index, place] of (['default', ...places] as const).entries()) {
    if (place !== 'default') given[place] = { 'ids.length': 24 + index }
    const { values, sources } = settingsInForce(given)
    t.strictSame(
      [values['ids.length'], sources['ids.length'], values.seed, sources.seed],
      [24 + index, place, 1, 'default'],
      'the others stay as they were'
    )
  }
})

t.test('settings: false, 0 and null are values, undefined is not', async t => {
  const { values, sources } = settingsInForce({
    flag: { cors: false, port: 0, 'auth.accept_any_key': null, seed: undefined as never },
    scenario: { 'auth.accept_any_key': 'mch_a', seed: 9 }
  })

  t.strictSame(
    [values.cors, values.port, values['auth.accept_any_key'], values.seed],
    [false, 0, null, 9]
  )
  t.strictSame(
    [sources.cors, sources.port, sources['auth.accept_any_key'], sources.seed],
    ['flag', 'flag', 'flag', 'scenario']
  )
  t.strictSame(Object.keys(values), SETTING_KEYS)
  t.strictSame(Object.keys(sources), SETTING_KEYS)
})

t.test('settings: each default is valid; each setting has a description', async t => {
  const { problems: check } = checkerOf(() => settingsSchema(() => true))
  const defaults = nested(settingsInForce({}).values)

  t.strictSame(await check(JSON.parse(JSON.stringify(defaults))), [])
  for (const key of SETTING_KEYS) t.ok(/^.+\.$/.test(SETTINGS[key].about), key)
})

t.test('settings: the variable and the place in a scenario', async t => {
  const variables = (
    ['pagination.max_limit', 'ids.prefixes.merchant', 'control_token'] as const
  ).map(variableOf)
  t.strictSame(variables, ['PAGINATION_MAX_LIMIT', 'IDS_PREFIXES_MERCHANT', 'CONTROL_TOKEN'])
  t.equal(new Set(SETTING_KEYS.map(variableOf)).size, SETTING_KEYS.length)
  t.strictSame((['seed', 'pagination.order', 'port'] as const).map(scenarioPathOf), [
    'seed',
    'settings.pagination.order',
    null
  ])
})

t.test('settings: the schema of one scope, nested by the dots, closed at every level', async t => {
  const schema = settingsSchema(key => key.startsWith('ids.') || key === 'seed') as {
    properties: Record<
      string,
      { properties: Record<string, unknown>; additionalProperties: boolean }
    >
    additionalProperties: boolean
  }

  t.strictSame(Object.keys(schema.properties), ['seed', 'ids'])
  t.strictSame(Object.keys(schema.properties.ids?.properties as object), ['prefixes', 'length'])
  t.equal(schema.additionalProperties, false)
  t.equal(schema.properties.ids?.additionalProperties, false)
  t.hasStrict(schema.properties.ids?.properties.length, {
    type: 'integer',
    minimum: 8,
    maximum: 64,
    default: 24,
    description: SETTINGS['ids.length'].about
  })
})

t.test('settings: invalid values', async t => {
  const { problems: check } = checkerOf(() => flatSettingsSchema(() => true))
  const refused: Partial<Record<SettingKey, unknown[]>> = {
    ...{
      port: [-1, 65_536, '4010'],
      host: [''],
      log_level: ['loud'],
      cors: ['true'],
      control_token: ['', 'x'.repeat(15)],
      control_hosts: ['a']
    },
    ...{
      seed: [-1, 1.5, 4_294_967_296],
      'ids.length': [7, 65],
      'ids.prefixes.refund': ['a b', 'x'.repeat(17)]
    },
    ...{
      'statuses.created': [202],
      'statuses.missing': [200, 500],
      'pagination.default_limit': [0],
      'pagination.max_limit': [1001]
    },
    ...{ 'transactions.default_currency': ['USD'], 'auth.visibility': ['closed'] }
  }
  for (const [key, values] of Object.entries(refused)) {
    for (const value of values) {
      const paths = check({ [key]: value }).map(({ path }) => path)
      t.strictSame(paths, [key], `${key} ${value}`)
    }
  }
})

t.test('settings: nested and flat keys are converted into each other', async t => {
  const flat = {
    seed: 1,
    'pagination.max_limit': 5,
    'ids.prefixes.user': 'u_',
    control_hosts: ['a', 'b'],
    'auth.accept_any_key': null
  }
  const deep = {
    seed: 1,
    pagination: { max_limit: 5 },
    ids: { prefixes: { user: 'u_' } },
    control_hosts: ['a', 'b'],
    auth: { accept_any_key: null }
  }

  t.strictSame({ ...flattened(deep) }, flat)
  t.strictSame(JSON.parse(JSON.stringify(nested(flat))), deep)
  t.strictSame({ ...flattened(flat) }, flat, 'keys with dots are left as they are')
  t.strictSame(
    { ...flattened({ pagination: { 'deep.er': { x: 1 } } }) },
    { 'pagination.deep.er.x': 1 }
  )
  t.strictSame({ ...flattened({}) }, {})
})

t.test('settings: hostile keys are plain names and touch no prototype', async t => {
  const hostile = JSON.parse(
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "a": {"__proto__": 2}}'
  )

  const flat = flattened(hostile)
  t.strictSame(Object.keys(flat).sort(), [
    '__proto__.polluted',
    'a.__proto__',
    'constructor.prototype.polluted'
  ])

  t.equal(({} as Record<string, unknown>).polluted, undefined)

  const problems = checkerOf(() => flatSettingsSchema(() => true)).problems(flat)
  t.strictSame(problems.map(({ path }) => path).sort(), Object.keys(flat).sort())
})

t.test('settings: a key that is not one is an unknown name', t => {
  const { problems: check } = checkerOf(() => flatSettingsSchema(() => true))
  const keys = ['seed.x', 'pagination', 'control_hosts.0.x', 'shapes.list.data', 'constructor.x']
  for (const key of keys)
    t.strictSame(
      check({ seed: 1, [key]: 5 }).map(({ path, code }) => [path, code]),
      [[key, 'unknown_name']]
    )
  t.end()
})

t.test('settings: one of the process is refused with how to set it', t => {
  const isOfSandbox = (key: SettingKey) => SETTINGS[key].scope === 'sandbox'
  const cases: [schema: object, settings: object, set: string][] = [
    [settingsSchema(isOfSandbox), { limits: { body: 5 } }, '--set limits.…'],
    [settingsSchema(isOfSandbox), { port: 5 }, '--set port=…'],
    [flatSettingsSchema(isOfSandbox), { 'limits.body': 5 }, '--set limits.body=…']
  ]
  for (const [schema, settings, set] of cases) {
    t.strictSame(
      checkerOf(() => schema)
        .problems(settings)
        .map(({ message }) => message),
      [`belongs to the process; set it with ${set} when you start the emulator`]
    )
  }
  t.end()
})
