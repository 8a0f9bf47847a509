/** Settings of the environment: with the prefix, without it, and what is said of a variable that means something else. */
import t from 'tap'
import { linesOnVariables, refuseForeignHost, settingsOfEnvironment, variablesIn } from '../../src/cli/launch.js'
import { SAYS } from '../../src/cli/sentences.js'
import { prefixedVariableOf, SETTING_KEYS, variableOf } from '../../src/core/settings.js'
import { runEmulator } from '../../src/emulator.js'
import { ran } from '../support/command.js'

t.test('every setting is read from its variable with the prefix, which wins over the bare one', async t => {
  t.equal(prefixedVariableOf('pagination.max_limit'), 'COMMERCE_EMULATOR_PAGINATION_MAX_LIMIT')
  for (const key of SETTING_KEYS) {
    const [bare, prefixed] = [variableOf(key), prefixedVariableOf(key)]
    t.strictSame(variablesIn({ [bare]: 'a' }), { [key]: bare })
    t.strictSame(variablesIn({ [prefixed]: 'a' }), { [key]: prefixed })
    t.strictSame(variablesIn({ [bare]: 'a', [prefixed]: 'b' }), { [key]: prefixed })
    t.strictSame(variablesIn({ [bare]: 'a', [prefixed]: '' }), { [key]: bare }, 'an empty one counts as absent')
  }
  t.strictSame(variablesIn({}), {})
  t.strictSame(
    await settingsOfEnvironment({ PORT: 'abc', COMMERCE_EMULATOR_PORT: '1', SEED: '2', LIMITS_BODY: '' }),
    Object.assign(Object.create(null), { port: 1, seed: 2 }),
    'a bare one that is overridden may hold anything'
  )
})

t.test('a bare HOST is an address or localhost; one with the prefix or a flag may be a name', async t => {
  const cases: [host: string | undefined, environment: Record<string, string>, isRefused: boolean][] = [
    [undefined, {}, false],
    [undefined, { HOST: '' }, false],
    [undefined, { HOST: '0.0.0.0' }, false],
    [undefined, { HOST: '::1' }, false],
    [undefined, { HOST: 'localhost' }, false],
    [undefined, { HOST: 'my-laptop' }, true],
    [undefined, { HOST: 'x86_64-conda-linux-gnu' }, true],
    [undefined, { HOST: 'my-laptop', COMMERCE_EMULATOR_HOST: '127.0.0.1' }, false],
    [undefined, { COMMERCE_EMULATOR_HOST: 'my-laptop' }, false],
    ['127.0.0.1', { HOST: 'my-laptop' }, false]
  ]
  for (const [host, environment, isRefused] of cases) {
    const check = () => refuseForeignHost(host === undefined ? {} : { host }, environment)
    if (isRefused) t.throws(check, { code: 'setting_invalid' }, JSON.stringify(environment))
    else t.doesNotThrow(check, JSON.stringify(environment))
  }
})

t.test('a failure names the bare variable that its value came from', async t => {
  const folder = t.testdir()
  const ADVICE = (name: string) => `${SAYS.not_meant(`COMMERCE_EMULATOR_${name}`)}.`
  const failing = async (environment: Record<string, string>) => {
    const { status, stderr } = await ran(['--port', '0', '--log-level', 'silent'], environment)
    t.equal(status, 1)
    return stderr.trimEnd().split('\n')
  }
  t.equal((await failing({ DATA: folder })).at(-1), `  DATA in the environment is ${folder}${ADVICE('DATA')}`)
  t.equal((await failing({ SCENARIO: 'production' })).at(-1), `  SCENARIO in the environment is production${ADVICE('SCENARIO')}`)
  t.equal((await failing({ FIXTURES_DIR: `${folder}/none` })).at(-1), `  FIXTURES_DIR in the environment is ${folder}/none${ADVICE('FIXTURES_DIR')}`)
  t.notOk(
    (await failing({ COMMERCE_EMULATOR_DATA: folder, DATA: 'x' })).some(line => line.includes('in the environment')),
    'one with the prefix is meant'
  )
  t.strictSame(
    linesOnVariables(['port 4010 is in use', 'the variable HOST: 1.2.3.4'], { PORT: '4010', HOST: '1.2.3.4', SEED: '4010', DATA: 'other', SCENARIO: '' }),
    [`  PORT in the environment is 4010${ADVICE('PORT')}`]
  )
})

t.test('the settings in force tell the variable that each was read from', async t => {
  const emulator = await runEmulator({
    environment: { seed: 5, cors: false, port: 0 },
    variables: { seed: 'COMMERCE_EMULATOR_SEED', port: 'PORT' },
    settings: { log_level: 'silent' }
  })
  t.teardown(() => emulator.close())

  const { settings } = (await emulator.app.inject({ method: 'GET', url: '/_control/settings', headers: { host: 'localhost' } })).json()

  t.strictSame(
    ['seed', 'cors', 'port', 'log_level', 'host'].map(key => [settings[key].source, settings[key].given_by]),
    [
      ['environment', 'COMMERCE_EMULATOR_SEED'],
      ['environment', null],
      ['flag', null],
      ['flag', null],
      ['default', null]
    ]
  )
})
