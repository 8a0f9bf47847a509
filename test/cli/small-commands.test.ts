/**
 * What the command line lists, colours and reads from stdin, and its suggestions for misspelt
 * names.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { coloured } from '../../src/cli/printing.js'
import { SAYS } from '../../src/cli/sentences.js'
import { SETTING_KEYS } from '../../src/core/settings.js'
import { ASSUMPTIONS } from '../../src/reference/assumptions.js'
import { RULES } from '../../src/reference/rules.js'
import { VERSION } from '../../src/scenario/library.js'
import { ran } from '../support/command.js'
import { smallFixture } from '../support/emulator.js'
import { scenarioIn, script } from './exec-run.js'

const DIST = fileURLToPath(new URL('../../dist', import.meta.url))

t.test('scenarios, rules, assumptions, settings: each is listed on a line', async t => {
  const root = t.testdir({
    'plain.yaml': 'seed: 1',
    'titled.yaml': 'name: A title',
    'described.yaml': 'description: A text.'
  })
  const cases: [args: string[], names: readonly string[]][] = [
    [['rules'], Object.keys(RULES)],
    [['assumptions'], Object.keys(ASSUMPTIONS)],
    [['settings'], SETTING_KEYS]
  ]
  for (const [args, names] of cases) {
    const { status, stdout, stderr } = await ran(args)
    t.strictSame([status, stderr], [0, ''])
    t.strictSame(
      stdout.split('\n').map(line => line.split(' ')[0]),
      [...names, '']
    )
  }
  const lines = (await ran(['scenarios', '--scenarios-dir', root])).stdout
    .split('\n')
    .map(line => line.replace(/ {2,}/, ': '))
  t.strictSame(
    ['plain', 'titled: A title', 'described: A text.', 'declined-then-approved: The'].filter(
      line => !lines.some(listed => listed.startsWith(line))
    ),
    []
  )
})

t.test('colours: lines are coloured by what they say, on a terminal that has colours', t => {
  const lines: [line: string, colour: number | null][] = [
    ['error: unknown command', 31],
    ['commerce-emulator: no', 31],
    ['  ✗ play 1. GET /tickets', 31],
    ['  FAILED        warnings', 31],
    ['1 passed, 2 failed in 3 files', 31],
    ['  ! odd', 33],
    ['  ✓ play 1. GET /tickets', 32],
    ['2 passed, 0 failed', 32],
    ['commerce-emulator ready on http://localhost:4010/next', 32],
    ['  Next          commerce-emulator check own.yaml', 1],
    ['  API       http://localhost:4010/next', null],
    ['', null]
  ]
  const text = lines.map(([line]) => line).join('\n')
  for (const stream of [{}, { hasColors: () => false }]) t.equal(coloured(text, stream), text)
  const shown = coloured(text, { hasColors: () => true }).split('\n')
  for (const [index, [line, colour]] of lines.entries())
    t.equal(
      shown[index],
      colour === null ? line : `\u001b[${colour}m${line}\u001b[${colour === 1 ? 22 : 39}m`
    )
  t.end()
})

t.test('validate, check: a document comes on stdin', async t => {
  const { stdin } = process
  t.teardown(() => Object.defineProperty(process, 'stdin', { value: stdin }))
  for (const [command, text, status, says] of [
    ['validate', 'seed: 1', 0, `-\n  ✓ ${SAYS.valid()}\n`],
    ['validate', '# nothing', 1, '- is empty; '],
    ['check', 'sede: 1', 1, '-:1:1 sede: ']
  ] as const) {
    Object.defineProperty(process, 'stdin', { value: Readable.from([text]), configurable: true })
    const checked = await ran([command, '-'])
    t.strictSame([checked.status, checked.stdout.includes(says)], [status, true], checked.stdout)
  }
})

t.test('check: failed files come last', async t => {
  const own = (path: string) =>
    JSON.stringify({ data: smallFixture(), play: [{ do: `GET ${path}` }] })
  const root = t.testdir({ 'a.json': own('/tickets/none'), 'b.json': own('/tickets') })
  const { stdout } = await ran(['check', root])
  t.strictSame(
    stdout
      .replaceAll(`${root}/`, '')
      .split('\n')
      .filter(line => line.endsWith('.json')),
    ['b.json', 'a.json']
  )
})

t.test('start: an unknown scenario is refused with a near name', async t => {
  for (const [name, near] of [
    ['flaky-netwok', '; did you mean flaky-network?'],
    ['frobnicate', '.']
  ] as const) {
    const { stderr } = await ran(['exec', '--scenario', name, '--', 'true'])
    const begin = `commerce-emulator: No scenario is called ${name}${near} Available: `
    t.ok(stderr.startsWith(begin), stderr)
  }
})

t.test('record, exec: a run that failed a criterion names the command that replays it', async t => {
  const file = `${scenarioIn(t)}.recorded.yaml`
  const { status, stderr } = await ran([
    'record',
    '--out',
    file,
    '--fail-on',
    'warnings',
    '--',
    ...script(`await call('GET /tickets?location=null')`)
  ])
  t.strictSame(
    [status, stderr.includes(`\n  Next          ${SAYS.check_it(file)}\n`)],
    [3, true],
    stderr
  )
  const scenario = scenarioIn(t, { expect: [{ on: 'GET /tickets', times: 2 }] })
  const unmet = await ran([
    'exec',
    '--scenario',
    scenario,
    '--',
    ...script(`await call('GET /tickets')`)
  ])
  t.ok(unmet.stderr.endsWith(`\n  Next          ${SAYS.record_it()}\n`), unmet.stderr)
})

t.test('the command and the package say which Node.js they need before they load anything', t => {
  const [main, index] = ['main.js', 'index.js'].map(file => JSON.stringify(join(DIST, file)))
  const use = (loaded: string) =>
    `await (async () => ${loaded})().then(({ connect }) => console.log(typeof connect), ({ message }) => console.log(message))`
  const code = `(async () => { ${use(`require(${index})`)}; ${use(`import(${index})`)}; process.argv.push('main', '--version'); require(${main}) })()`
  const under = (version: string) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['-e', `Object.defineProperty(process.versions, 'node', { value: '${version}' }); ${code}`],
      {
        encoding: 'utf8'
      }
    )
    return [status, stdout, stderr]
  }
  for (const version of ['18.20.8', '20.18.3']) {
    const sentence = `commerce-emulator: Node.js must be 20.19 or newer; got ${version}. Install a newer one, or run the Docker image.\n`
    t.strictSame(under(version), [2, sentence.repeat(2), sentence])
  }
  for (const version of ['20.19.0', '22.0.0'])
    t.strictSame(under(version), [0, `function\nfunction\n${VERSION}\n`, ''])
  t.end()
})
