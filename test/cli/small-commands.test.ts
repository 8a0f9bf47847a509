/**
 * What the command line lists, completes, colours, reads from stdin, and says of names that are
 * nearly right.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { check } from '../../src/cli/check.js'
import { coloured } from '../../src/cli/colours.js'
import { COMMANDS } from '../../src/cli/commands.js'
import { SAYS } from '../../src/cli/sentences.js'
import { start } from '../../src/cli/start.js'
import { SETTING_KEYS } from '../../src/core/settings.js'
import { ASSUMPTIONS } from '../../src/reference/assumptions.js'
import { RULES } from '../../src/reference/rules.js'
import { VERSION } from '../../src/scenario/library.js'
import { ran } from '../support/command.js'
import { smallFixture } from '../support/emulator.js'
import { scenarioIn, script } from './exec-run.js'

const DIST = fileURLToPath(new URL('../../dist', import.meta.url))

t.test('scenarios, rules, assumptions, settings: each is listed in a line', async t => {
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

t.test('completion: a shell completes commands, the words below them and options', async t => {
  const { stdout: bash } = await ran(['completion', 'bash'])
  const cases: [line: string, completed: string][] = [
    ['commerce-emulator ch', 'check'],
    ['commerce-emulator check --ag', '--against'],
    ['commerce-emulator report m', 'merge'],
    ['commerce-emulator report --min', '--min-coverage'],
    ['commerce-emulator completion z', 'zsh'],
    ['commerce-emulator --port 0 --wa', '--watch'],
    ['commerce-emulator check own', '']
  ]
  const calls = cases.map(
    ([line]) =>
      `COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _commerce_emulator; echo "\${COMPREPLY[*]}"`
  )
  const { stdout, stderr } = spawnSync('bash', ['-c', [bash, ...calls].join('\n')], {
    encoding: 'utf8'
  })
  t.strictSame(
    [stderr, stdout.trimEnd().split('\n')],
    ['', cases.slice(0, -1).map(([, completed]) => completed)]
  )
  t.ok((await ran(['completion', 'zsh'])).stdout.endsWith(`bashcompinit\n${bash}`))
  const fish = (await ran(['completion', 'fish'])).stdout
  for (const name of Object.keys(COMMANDS))
    if (!name.includes(' '))
      t.ok(fish.includes(`-n '__fish_use_subcommand' -f -a ${name} -d '`), name)
  for (const line of [
    "-n '__fish_seen_subcommand_from report' -f -a merge -d 'merge'",
    "-n '__fish_seen_subcommand_from exec' -l report -r -d"
  ])
    t.ok(fish.includes(line), line)
  t.equal((await ran(['completion', 'ksh'])).status, 2)
})

const notInstalled = (shell: string) =>
  spawnSync(shell, ['--version']).error ? `${shell} is not installed` : false
/** What is typed after the name, up to a tab, and what it becomes. */
const TYPED: [typed: string, completed: string][] = [
  ['compl', 'completion'],
  ['completion z', 'completion zsh'],
  ['check --ag', 'check --against'],
  ['report mer', 'report merge'],
  ['--port 0 --wa', '--port 0 --watch'],
  ['--vers', '--version'],
  ['check decl', 'check declined.yaml']
]

t.test('completion: fish itself completes', { skip: notInstalled('fish') }, async t => {
  const cwd = t.testdir({
    'declined.yaml': '',
    'own.fish': (await ran(['completion', 'fish'])).stdout
  })
  const asks = TYPED.map(([typed]) => `complete -C 'commerce-emulator ${typed}'`)
  const { stdout, stderr } = spawnSync(
    'fish',
    ['--no-config', '-c', ['source own.fish', ...asks].join('\n')],
    { cwd, encoding: 'utf8' }
  )
  t.strictSame(
    [
      stderr,
      stdout
        .trimEnd()
        .split('\n')
        .map(line => line.split('\t')[0])
    ],
    ['', TYPED.map(([, completed]) => completed.split(' ').at(-1))]
  )
})

/**
 * Types lines into an interactive zsh, each with a tab, and prints the arguments that it then runs
 * the command with.
 */
const TYPE = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'commerce-emulator() { print -r -- ARGUMENTS=\${(j: :)@}. }; source own.zsh'
for line; do
  zpty -w z "commerce-emulator $line"$'\\t'
  zpty -r -m z shown $'*\\nARGUMENTS=*.\\r\\n*'
  print -r -- \${\${shown##*$'\\n'ARGUMENTS=}%.*}
done
zpty -d z`

t.test('completion: zsh completes, as it did', { skip: notInstalled('zsh') }, async t => {
  const zsh = (await ran(['completion', 'zsh'])).stdout
  const cwd = t.testdir({ 'declined.yaml': '', 'own.zsh': zsh })
  const run = (text: string, ...args: string[]) =>
    spawnSync('zsh', ['-f', '-c', text, 'zsh', ...args], {
      cwd,
      encoding: 'utf8',
      timeout: 60_000,
      env: { ...process.env, HOME: cwd, ZDOTDIR: cwd }
    }).stdout
  t.strictSame(
    run(TYPE, ...TYPED.map(([typed]) => typed))
      .trimEnd()
      .split('\n'),
    TYPED.map(([, completed]) => completed)
  )
  t.equal(
    run(
      'autoload -U compinit; compinit -u; compdef _of_another another; source own.zsh; print ${_comps[another]}'
    ),
    '_of_another\n'
  )
})

t.test('colours: lines are coloured by what they say, on a terminal that has colours', t => {
  const lines: [line: string, colour: number | null][] = [
    ['error: unknown command', 31],
    ['commerce-emulator: no', 31],
    ['  ✗ play 1. GET /tickets', 31],
    ['  FAILED        warnings', 31],
    ['1 passed, 2 failed in 3 files', 31],
    ['own.yaml: 2 problems', 31],
    ['  ! odd', 33],
    ['own.yaml: valid, 1 warning', 33],
    ['warning: odd', 33],
    ['  ✓ play 1. GET /tickets', 32],
    ['2 passed, 0 failed', 32],
    ['own.yaml: valid', 32],
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
    ['validate', 'seed: 1', 0, '-: valid\n'],
    ['validate', '# nothing', 1, '- is empty; '],
    ['check', 'sede: 1', 1, '-:1:1 sede: ']
  ] as const) {
    Object.defineProperty(process, 'stdin', { value: Readable.from([text]), configurable: true })
    const checked = await ran([command, '-'])
    t.strictSame([checked.status, checked.stdout.includes(says)], [status, true], checked.stdout)
  }
})

t.test('check: of several files those that failed come last', async t => {
  const own = (path: string) =>
    JSON.stringify({ data: smallFixture(), play: [{ do: `GET ${path}` }] })
  const root = t.testdir({ 'a.json': own('/tickets/none'), 'b.json': own('/tickets') })
  const reported: unknown[] = []
  const { stdout } = await ran(['check', root])
  t.strictSame(
    stdout
      .replaceAll(`${root}/`, '')
      .split('\n')
      .filter(line => line.endsWith('.json')),
    ['b.json', 'a.json']
  )
  await check([root], {
    launch: { flag: {}, environment: {} },
    against: null,
    keys: new Map(),
    variables: new Map(),
    maxBytes: 1,
    timeout: 1,
    onProgress: (...update) => reported.push(update)
  })
  t.strictSame(reported, [
    [root, 0, 2],
    [root, 1, 2]
  ])
})

t.test('start: a scenario that is not there is told from a near name and from a file', async t => {
  const folder = process.cwd()
  process.chdir(t.testdir({ 'mine.yml': 'seed: 1', 'flaky-netwrok.json': '{}' }))
  t.teardown(() => process.chdir(folder))
  for (const [name, meant] of [
    ['mine', 'the file ./mine.yml'],
    ['flaky-netwrok', 'the file ./flaky-netwrok.json'],
    ['flaky-netwok', 'flaky-network'],
    ['declned', 'declined-at-one-location'],
    ['decl', 'declined-at-one-location'],
    ['dec', null],
    ['frobnicate', null]
  ]) {
    const { stderr } = await ran(['exec', '--scenario', name as string, '--', 'true'])
    t.ok(
      stderr.startsWith(
        `commerce-emulator: No scenario is called ${name}${meant === null ? '.' : `; did you mean ${meant}?`} Available: `
      ),
      stderr
    )
  }
})

t.test('record, exec: a run that failed a gate names the command that plays it again', async t => {
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

t.test('start: a browser that cannot be opened is warned of, and the emulator goes on', async t => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const closes: ((reason: { err?: Error }) => Promise<void>)[] = []
  const beforeEnd = (_options: object, close: (typeof closes)[number]) => void closes.push(close)
  await start(
    { settings: { port: 0, log_level: 'warn' }, environment: {}, quiet: true, open: true },
    { stdout, stderr } as never,
    beforeEnd as never,
    async () => {
      throw new Error('no browser')
    }
  )
  await closes[0]?.({})
  const control = String(stdout.read()).replace(/.*(http.*)\/next\n/s, '$1/_control')
  t.equal(JSON.parse(String(stderr.read())).msg, SAYS.not_opened(control, 'no browser'))
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
