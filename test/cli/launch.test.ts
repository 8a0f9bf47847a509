/** Settings from the environment, and messages for variables with another meaning. */
import t from 'tap'
import { refuseForeignHost, settingsOfEnvironment } from '../../src/cli/launch.js'
import { variableOf } from '../../src/core/settings.js'

t.test('settings are read from their variables; an empty one counts as absent', async t => {
  t.strictSame(
    await settingsOfEnvironment({
      [variableOf('pagination.max_limit')]: '5',
      PORT: '1',
      SEED: '2',
      LIMITS_BODY: '',
      COMMERCE_EMULATOR_PORT: 'tcp://10.0.0.1:4010'
    }),
    { port: 1, seed: 2, 'pagination.max_limit': 5 },
    'Kubernetes sets a variable such as the last'
  )
})

t.test('HOST is an address or localhost, unless a flag sets the address', async t => {
  const cases: [isRefused: boolean, environment: Record<string, string>, host?: string][] = [
    [false, {}],
    [false, { HOST: '' }],
    [false, { HOST: '0.0.0.0' }],
    [false, { HOST: '::1' }],
    [false, { HOST: 'localhost' }],
    [true, { HOST: 'my-laptop' }],
    [true, { HOST: 'x86_64-conda-linux-gnu' }],
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
