/**
 * Settings from the environment, with and without the prefix, and messages for variables with
 * another meaning.
 */
import t from 'tap'
import { refuseForeignHost, settingsOfEnvironment, variablesIn } from '../../src/cli/launch.js'
import { prefixedVariableOf, SETTING_KEYS, variableOf } from '../../src/core/settings.js'
import { runEmulator } from '../../src/emulator.js'

t.test('every setting is read from its variable with the prefix', async t => {
  t.equal(prefixedVariableOf('pagination.max_limit'), 'COMMERCE_EMULATOR_PAGINATION_MAX_LIMIT')
  for (const key of SETTING_KEYS) {
    const [bare, prefixed] = [variableOf(key), prefixedVariableOf(key)]
    t.strictSame(variablesIn({ [bare]: 'a' }), { [key]: bare })
    t.strictSame(variablesIn({ [prefixed]: 'a' }), { [key]: prefixed })
    t.strictSame(variablesIn({ [bare]: 'a', [prefixed]: 'b' }), { [key]: prefixed })
    t.strictSame(
      variablesIn({ [bare]: 'a', [prefixed]: '' }),
      { [key]: bare },
      'an empty one counts as absent'
    )
  }
  t.strictSame(variablesIn({}), {})
  t.strictSame(
    await settingsOfEnvironment({
      PORT: 'abc',
      COMMERCE_EMULATOR_PORT: '1',
      SEED: '2',
      LIMITS_BODY: ''
    }),
    Object.assign(Object.create(null), { port: 1, seed: 2 }),
    'a bare one that is overridden may hold anything'
  )
})

t.test('a bare HOST is an address or localhost', async t => {
  const cases: [isRefused: boolean, environment: Record<string, string>, host?: string][] = [
    ...['', '0.0.0.0', '::1', 'localhost'].map((HOST): [boolean, Record<string, string>] => [
      false,
      { HOST }
    ]),
    [false, {}],
    [true, { HOST: 'my-laptop' }],
    [true, { HOST: 'x86_64-conda-linux-gnu' }],
    [false, { HOST: 'my-laptop', COMMERCE_EMULATOR_HOST: '127.0.0.1' }],
    [false, { COMMERCE_EMULATOR_HOST: 'my-laptop' }],
    [false, { HOST: 'my-laptop' }, '127.0.0.1']
  ]
  for (const [isRefused, environment, host] of cases) {
    const check = () => refuseForeignHost(host === undefined ? {} : { host }, environment)
    if (isRefused)
      t.throws(
        check,
        { code: 'setting_invalid', problems: [{ code: 'host' }] },
        JSON.stringify(environment)
      )
    else t.doesNotThrow(check, JSON.stringify(environment))
  }
})

t.test('settings show the variable that each was read from', async t => {
  const emulator = await runEmulator({
    environment: { seed: 5, cors: false, port: 0 },
    variables: { seed: 'COMMERCE_EMULATOR_SEED', port: 'PORT' },
    settings: { log_level: 'silent' }
  })
  t.teardown(() => emulator.close())

  const { settings } = (
    await emulator.app.inject({
      method: 'GET',
      url: '/_control/settings',
      headers: { host: 'localhost' }
    })
  ).json()

  t.strictSame(
    ['seed', 'cors', 'port', 'log_level', 'host'].map(key => [
      settings[key].source,
      settings[key].given_by
    ]),
    [
      ['environment', 'COMMERCE_EMULATOR_SEED'],
      ['environment', null],
      ['flag', null],
      ['flag', null],
      ['default', null]
    ]
  )
})
