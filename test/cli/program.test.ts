import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { parse } from 'yaml'
import { validate } from '../../src/cli/check/validate.js'
import { startUpText, warnOfExposure } from '../../src/cli/commands/start.js'
import { failureLines } from '../../src/cli/failures.js'
import { run, type Streams } from '../../src/cli/program.js'
import { reasonOf, SAYS } from '../../src/cli/sentences.js'
import { SETTINGS, variableOf } from '../../src/core/settings.js'
import { ran, serving } from '../support/command.js'
import { freePort } from '../support/ports.js'

const quiet = { LOG_LEVEL: 'silent', PORT: '0' }

const isOpen = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(socket.destroy() !== null)).on('error', () => resolve(false))
  })

t.test('cli: a reader that closes early is not a failure; a full disk ends nothing', async t => {
  const cases = [
    ['EPIPE', ['stdout', 'stderr'], 'rules', 0],
    ['ENOSPC', ['stdout'], 'rules', 1],
    ['ENOSPC', ['stderr'], '--nope', 2],
    ['ENOSPC', ['stdout', 'stderr'], 'rules', 1]
  ] as const
  for (const [code, full, arg, status] of cases) {
    const isFull = new Set<string>(full)
    const said: string[] = []
    const [stdout, stderr] = ['stdout', 'stderr'].map(
      name =>
        new Writable({
          // like the process's own streams, which no error ends
          destroy(error, done) {
            done(error)
            ;(this as unknown as { _undestroy: () => void })._undestroy()
          },
          write(chunk, _encoding, done) {
            if (isFull.has(name)) return done(Object.assign(new Error('full'), { code }))
            if (/missing/.test(chunk)) said.push(String(chunk))
            done()
          }
        })
    )
    const what = `${code} ${full} ${arg}`
    t.equal(await run([arg], {}, { stdout, stderr } as unknown as Streams), status, what)
    stderr?.write('lost')
    await sleep(0)
    isFull.clear()
    const isSaid = code !== 'EPIPE' && !full.includes('stderr' as never)
    t.same(
      said,
      isSaid ? [`commerce-emulator: ${SAYS.lines_missing('stdout', 'full')}\n`] : [],
      what
    )
  }
})

t.test('cli: --help shows the commands, every flag with its default and variable', async t => {
  const { status, stdout, stderr } = await ran(['--help'])

  t.equal(status, 0)
  t.equal(stderr, '')
  const [usage] = stdout.split('\n\n')
  t.equal(usage, 'Usage: commerce-emulator [options] [command]')
  const flat = stdout.replace(/\s+/g, ' ')
  for (const [key, { about, default: fallback, flag }] of Object.entries(SETTINGS) as [
    keyof typeof SETTINGS,
    { about: string; default: unknown; flag?: string }
  ][]) {
    if (!flag) continue
    const shown = `${about} (${fallback === null || fallback === false ? '' : `default: ${fallback}; `}variable: ${variableOf(key)})`
    t.ok(
      flat.includes(fallback === false ? `${flag} ${shown}` : `${flag} <`) && flat.includes(shown),
      flag
    )
  }
  for (const part of [
    '--set <key=value> ',
    '-V, --version Print the version.',
    '-h, --help Print this help.',
    'validate [options] <file...> Check',
    'check [options] <file...> Play',
    'exec [options] <command...> Run',
    'openapi [options] Print the emulated API as OpenAPI 3.1, with these settings. More: record',
    'judge [options] Judge',
    'Examples:'
  ])
    t.ok(flat.includes(part), part)
  t.strictSame(
    stdout.split('\n').filter(line => line.length > 80),
    []
  )
  t.equal((await ran(['help'])).stdout, stdout)
})

t.test('cli: the help of every command fits 80 columns and ends in a valid example', async t => {
  const namesIn = (help: string) =>
    [...help.matchAll(/^(?:Commands|More):\n([\s\S]*?)\n\n/gm)].flatMap(([, list = '']) =>
      [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name as string)
    )
  const check = async (words: string[]): Promise<void> => {
    const { stdout } = await ran([...words, '--help'])
    const name = ['commerce-emulator', ...words].join(' ')
    t.strictSame(
      stdout.split('\n').filter(line => line.length > 80),
      [],
      name
    )
    const [, examples = ''] = stdout.split(/\nExamples?:\n/)
    t.ok(examples.includes(name), `${name} has an example`)
    const options = new Set(stdout.split(/\nExamples?:\n/)[0]?.match(/--[a-z-]+/g))
    for (const [option] of (words.length > 0 ? examples : '').matchAll(/(?<= )--[a-z][a-z-]*/g))
      t.ok(options.has(option), `${name} takes ${option}`)
    for (const below of namesIn(stdout)) if (below !== 'help') await check([...words, below])
  }
  await check([])
})

t.test('cli: an invalid command line is refused with the reason', async t => {
  const cases: [args: string[], message: string][] = [
    [['--prot', '1'], "error: unknown option '--prot'\n(Did you mean --port?)"],
    [['strat'], 'error: unknown command strat; did you mean start?'],
    [['frobnicate'], 'error: unknown command frobnicate'],
    [['start', 'default'], 'error: unknown command default'],
    [['./own.yaml'], `error: ${SAYS.file_without_flag('./own.yaml')}`],
    [['start', 'own.yaml'], `error: ${SAYS.file_without_flag('own.yaml')}`],
    [['--port', '0', 'validate', 'x.yaml'], `error: ${SAYS.command_first('validate')}`],
    [['validate'], "error: missing required argument 'file'"],
    [['validate', '--port', '1', 'x.yaml'], "error: unknown option '--port'"],
    [
      ['healthcheck', 'now'],
      "error: too many arguments for 'healthcheck'. Expected 0 arguments but got 1."
    ],
    [['--set'], "error: option '--set <key=value>' argument missing"],
    [['--port'], "error: option '--port <port>' argument missing"],
    [['--port', '--host', '::1'], `error: ${SAYS.no_option_value('--port <port>', '--host')}`],
    [['--port', '--seed=x'], `error: ${SAYS.no_option_value('--port <port>', '--seed=x')}`],
    [['exec', '--report', '--', 'true'], `error: ${SAYS.no_option_value('--report <dir>', '--')}`],
    [
      ['exec', '--fail-on', 'errors', 'true'],
      `error: missing required argument 'command'; ${SAYS.dashes_first()}`
    ],
    [['exec', '--report', '-h'], `error: ${SAYS.no_option_value('--report <dir>', '-h')}`],
    [
      ['exec', '--fail-on', '--', 'true'],
      `error: ${SAYS.no_option_value('--fail-on <names...>', '--')}`
    ],
    [
      ['exec', '--min-coverage', '--report', 'reports', '--', 'true'],
      `error: ${SAYS.no_option_value('--min-coverage <percent>', '--report')}`
    ],
    [
      ['exec', '--min-coverage', '-5', '--', 'true'],
      `error: option '--min-coverage <percent>' argument '-5' is invalid. ${SAYS.percentage()}`
    ]
  ]
  for (const [args, message] of cases) {
    const of = /^(validate|healthcheck|exec)$/.test(args[0] as string)
      ? ` ${args[0]} --help for its flags`
      : ' --help for the commands and flags'
    t.strictSame(
      await ran(args),
      { status: 2, stdout: '', stderr: `${message}\n(run commerce-emulator${of})\n` },
      args.join(' ')
    )
  }
})

t.test('cli: an unknown setting or a bad value is refused where it was given', async t => {
  const host = SAYS.host('x86_64-linux-gnu')
  const cases: [
    args: string[],
    environment: Record<string, string>,
    place: string,
    says: string
  ][] = [
    [['--set', 'foo'], {}, '--set foo', SAYS.set()],
    [['--set=--port'], {}, '--set --port', SAYS.set()],
    [['--set', '=1'], {}, '--set =1', SAYS.set()],
    [['--set', 'prot=1'], {}, '--set prot=1', SAYS.unknown_setting('prot', '; did you mean port?')],
    [
      ['--set', 'constructor=1'],
      {},
      '--set constructor=1',
      SAYS.unknown_setting('constructor', SAYS.settings_listed())
    ],
    [
      ['--set', 'search=exact'],
      {},
      '--set search=exact',
      SAYS.unknown_setting('search', SAYS.settings_listed())
    ],
    [['--set', 'port=x'], {}, '--set port=x', 'x'],
    [['--set', 'port='], {}, '--set port=', 'got'],
    [['--set', 'cors=yes'], {}, '--set cors=yes', 'yes'],
    [['--set', 'host='], {}, '--set host=', ''],
    [['--set', 'control_token=fifteen letters'], {}, '--set control_token', '16'],
    [[], { CONTROL_TOKEN: 'x'.repeat(15) }, 'the variable CONTROL_TOKEN', '16'],
    [['--set', 'control_hosts=a,,b'], {}, '--set control_hosts=a,,b', ''],
    [['--set', 'auth.visibility=opne'], {}, '--set auth.visibility=opne', 'did you mean open?'],
    [['--port', '65536'], {}, '--port', '65535'],
    [['--log-level', 'loud'], {}, '--log-level', 'loud'],
    [[], { PORT: 'abc' }, 'the variable PORT', SAYS.not_meant()],
    [[], { HOST: 'x86_64-linux-gnu' }, 'the variable HOST', host],
    [['exec', '--', 'true'], { HOST: 'x86_64-linux-gnu' }, 'the variable HOST', host],
    [['mcp'], { HOST: 'x86_64-linux-gnu' }, 'the variable HOST', host],
    [[], { LIMITS_BODY: '0' }, 'the variable LIMITS_BODY', SAYS.not_meant()],
    [
      [],
      { TRANSACTIONS_DEFAULT_CURRENCY: 'USD' },
      'the variable TRANSACTIONS_DEFAULT_CURRENCY',
      `usd${SAYS.not_meant()}`
    ],
    [['healthcheck', '--port', 'x'], {}, '--port', 'x'],
    [
      ['validate', '--set', 'prot=1', 'x.yaml'],
      {},
      '--set prot=1',
      SAYS.unknown_setting('prot', '')
    ]
  ]
  for (const [args, environment, place, says] of cases) {
    const { status, stdout, stderr } = await ran(args, environment)
    const isSaid = stderr.startsWith(`commerce-emulator: ${place}: `) && stderr.includes(says)
    t.strictSame(
      [status, stdout, isSaid, stderr.includes('letters')],
      [2, '', true, false],
      `${args.join(' ')} ${Object.keys(environment)}: ${stderr}`
    )
  }
  const several = (await ran(['--set', 'foo', '--set', 'cors=1', '--seed', 'x'])).stderr.split('\n')
  t.equal(several[0], `commerce-emulator: ${SAYS.problems(3)}`)
  t.strictSame(
    several.slice(1, 4).map(line => line.split(':')[0]),
    ['  --set foo', '  --set cors=1', '  --seed']
  )
})

const VALID = `  ✓ ${SAYS.valid()}`
const INVALID = `  ✗ ${SAYS.valid()}`

t.test('cli: validate reports for each file whether it is valid', async t => {
  const root = t.testdir(
    parse(`
    fixtures: {mine.yaml: 'accounts: []'}
    right.yaml: "fixtures: [mine]\\nseed: 3"
    fixture.yaml: "accounts:\\n  - { id: mch_a, type: merchant, name: A, email: a@example.com, address: { country: US } }"
    one.yaml: 'fixtures: [mien]'
    bad.yaml: "sede: 3\\nsettings: { port: 1 }\\ndata:\\n  tickets:\\n    - { id: tkt_1, location: loc_x, reference: 12 }\\n"
    broken.json: '{ "seed": 1,, }'
    steps.yaml: "steps:\\n  - do: GET /nowhere\\n  - do: GET /tickets/\${gone.id}"
    refused.yaml: "steps:\\n  - do: GET /tickets/none"
    made.yaml: "fixtures: [bistro]\\nsteps:\\n  - { do: POST /refunds, body: { transaction: txn_119, amount: 5 } }"
    misspelled.yaml: "fixtures: [bistro]\\nsteps:\\n  - { do: POST /refunds, body: { transaction: txn_119, amout: 5 } }"
    parts: {outer.yaml: 'fixtures: [inner.yaml]', inner.yaml: "users:\\n  - account: mch_none\\n    name: A\\n    email: nonsense"}
  `)
  )
  const folder = ['--fixtures-dir', `${root}/fixtures`]
  const at = (name: string) => `${root}/${name}`

  const right = await ran(['validate', ...folder, at('right.yaml'), at('fixture.yaml')])
  const wrong = await ran([
    'validate',
    ...folder,
    at('bad.yaml'),
    at('right.yaml'),
    at('one.yaml'),
    at('none.yaml'),
    at('parts')
  ])

  t.strictSame(right, {
    status: 0,
    stdout: `${at('right.yaml')}\n${VALID}\n${at('fixture.yaml')}\n${VALID}\n\n2 passed, 0 failed in 2 files\n`,
    stderr: ''
  })
  t.strictSame([wrong.status, wrong.stderr], [1, ''])
  /** The lines of files and problems, without messages. */
  const placesIn = (stdout: string) =>
    stdout
      .replaceAll(`${root}/`, '')
      .split('\n')
      .map(line => line.replace(/^ {6}/, '').replace(/^(\S+:\d+:\d+ [^:]+): .*/, '$1'))
  t.strictSame(placesIn(wrong.stdout), [
    'right.yaml',
    VALID,
    'bad.yaml',
    INVALID,
    'bad.yaml:1:1 sede',
    'bad.yaml:2:13 settings.port',
    'bad.yaml:5:48 data.tickets[0].reference',
    'one.yaml',
    INVALID,
    'one.yaml:1:12 fixtures[0]',
    'none.yaml',
    INVALID,
    SAYS.unread('none.yaml', reasonOf('read', { code: 'ENOENT', message: '' })),
    ...['inner', 'outer'].flatMap(name => [
      `parts/${name}.yaml`,
      INVALID,
      'parts/inner.yaml:4:12 users[0].email'
    ]),
    '',
    '1 passed, 5 failed in 6 files; 5 files failed',
    ''
  ])
  const outer = await ran(['validate', at('parts/outer.yaml')])
  const steps = await ran([
    'validate',
    ...['steps', 'made', 'refused', 'misspelled'].map(name => at(`${name}.yaml`))
  ])
  t.equal(steps.status, 1)
  t.strictSame(
    placesIn(steps.stdout),
    [
      'made.yaml',
      VALID,
      'steps.yaml',
      INVALID,
      'steps.yaml:2:9 steps[0].do',
      'steps.yaml:3:9 steps[1].do',
      'refused.yaml',
      INVALID,
      'refused.yaml:2:5 steps[0]',
      'misspelled.yaml',
      INVALID,
      'misspelled.yaml:3:5 steps[0]',
      '',
      '1 passed, 3 failed in 4 files; 3 files failed',
      ''
    ],
    'the requests of steps are sent where nothing else is wrong'
  )
  t.equal(outer.status, 1)
  t.ok(
    outer.stdout.includes(`${at('parts/inner.yaml')}:4:12 users[0].email: `),
    'in the file that it is in'
  )
  const broken = await ran(['validate', at('broken.json')])
  t.equal(broken.status, 1)
  t.match(broken.stdout, /\n {6}.*broken\.json:1:\d+ .+\n/)
})

t.test('cli: a start that fails says why on stderr', async t => {
  const root = t.testdir({
    file: '',
    'one.yaml': 'fixtures: [nope]',
    'two.yaml': 'sede: 3\nclock: yesterday',
    'step.yaml': 'steps:\n  - { do: GET /tickets/none }\nfixtures: [bistro]',
    'any-key.yaml': 'settings: { auth: { accept_any_key: mch_none } }'
  })
  const port = await freePort()
  const long = 'x'.repeat(300)
  const unread = (path: string, code: string) =>
    SAYS.unread(path, reasonOf('read', { code, message: '' }))
  const unmade = (path: string, code: string) =>
    SAYS.unmade(path, reasonOf('make', { code, message: '' }))
  const cases: [args: string[], message: string][] = [
    [['--scenario', 'nope'], 'No scenario is called nope. '],
    [['--scenario', 'defualt'], 'No scenario is called defualt; did you mean default? '],
    [['--scenario', './nope.yaml'], unread('./nope.yaml', 'ENOENT')],
    [['--scenario', `${root}/one.yml`], unread(`${root}/one.yml`, 'ENOENT')],
    [['--scenario', `${root}/`], unread(`${root}/`, 'EISDIR')],
    [['--scenario', `./${long}.yaml`], SAYS.unread(`./${long}.yaml`, 'ENAMETOOLONG')],
    [['--fixtures-dir', '/nowhere'], unread('/nowhere', 'ENOENT')],
    [['--scenarios-dir', `${root}/file`], unread(`${root}/file`, 'ENOTDIR')],
    [['--snapshots-dir', `${root}/file`], unmade(`${root}/file`, 'EEXIST')],
    [['--snapshots-dir', `${root}/${long}`], SAYS.unmade(`${root}/${long}`, 'ENAMETOOLONG')],
    [['--snapshots-dir', `${root}/file/below`], unmade(`${root}/file/below`, 'ENOTDIR')],
    [['--scenario', `${root}/step.yaml`], `${root}/step.yaml:2:5 steps[0]: `],
    [['--scenario', `${root}/one.yaml`], `${root}/one.yaml:1:12 fixtures[0]: `],
    [
      ['--scenario', `${root}/any-key.yaml`],
      `${root}/any-key.yaml:1:37 settings.auth.accept_any_key: `
    ],
    [['--host', 'no-such-host.invalid'], SAYS.address_unusable('').slice(0, 40)],
    [['--host', '192.0.2.1'], SAYS.address_unusable('').slice(0, 40)]
  ]
  for (const [args, message] of cases) {
    const { status, stdout, stderr } = await ran(['--port', String(port), ...args], quiet)
    t.strictSame([status, stdout], [1, ''], args.join(' '))
    t.ok(stderr.startsWith(`commerce-emulator: ${message}`), stderr)
    t.notOk(await isOpen(port))
  }
  const several = await ran(['--port', String(port), '--scenario', `${root}/two.yaml`], quiet)
  t.strictSame(
    several.stderr
      .replaceAll(`${root}/`, '')
      .split('\n')
      .map(line => line.split(': ')[0]),
    ['commerce-emulator', '  two.yaml:1:1 sede', '  two.yaml:2:8 clock', '']
  )
  t.notOk(await isOpen(port))
})

t.test('cli: a port in use is reported in one line, with what to do', async t => {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo

  const answer = await ran(['--port', String(port)])

  t.strictSame(answer, {
    status: 1,
    stdout: '',
    stderr: `commerce-emulator: ${SAYS.port_in_use(port, '127.0.0.1')}\n`
  })
})

t.test('cli: a system error is reported in words, a defect with its stack', async t => {
  const failure = (properties: object) =>
    failureLines(
      Object.assign(new Error('listen EACCES: permission denied 0.0.0.0:80'), properties)
    )

  t.strictSame(failure({ code: 'EACCES', syscall: 'listen', port: 80 }), [
    `commerce-emulator: ${SAYS.port_denied(80)}`
  ])
  t.strictSame(failure({ code: 'EACCES', syscall: 'open', path: '/etc/shadow' }), [
    `commerce-emulator: ${SAYS.unread('/etc/shadow', 'permission denied')}`
  ])
  const defect = new TypeError('x is not a function')
  t.strictSame(failureLines(defect).join('\n'), `commerce-emulator: ${defect.stack}`)
  let [looks, most] = [0, Number.POSITIVE_INFINITY]
  const flag = {
    get seed(): number {
      if (++looks > most) throw defect
      return 1
    }
  }
  const launch = { flag, environment: {}, variables: {}, vars: undefined }
  await validate([], launch)
  ;[looks, most] = [0, looks]
  await t.rejects(
    validate(['own.yaml'], launch),
    defect,
    'and is not reported as a problem of the file'
  )
})

t.test('cli: healthcheck asks the emulator at the port and host of its settings', async t => {
  const listening = async (answer: RequestListener, host?: string) =>
    new URL(await serving(t, answer, host)).port
  const asked: string[] = []
  const ready: RequestListener = ({ url = '' }, response) => {
    asked.push(url)
    response.end('{"status":"ready"}')
  }
  const port = await listening(ready)
  const six = await listening(ready, '::1')
  const starting = await listening((_request, response) =>
    response.writeHead(503).end('{"status":"starting"}')
  )
  const free = String(await freePort())
  const at = (host: string, port: string) => `http://${host}:${port}/_control/health`
  const cases: [
    args: string[],
    environment: Record<string, string>,
    status: number,
    line: string
  ][] = [
    [['--port', port], {}, 0, SAYS.health(at('127.0.0.1', port), 200, '{"status":"ready"}')],
    [
      [],
      { PORT: port, HOST: '0.0.0.0' },
      0,
      SAYS.health(at('127.0.0.1', port), 200, '{"status":"ready"}')
    ],
    [
      ['--port', port, '--host', 'localhost'],
      {},
      0,
      SAYS.health(at('localhost', port), 200, '{"status":"ready"}')
    ],
    [
      ['--port', six, '--host', '::'],
      {},
      0,
      SAYS.health(at('[::1]', six), 200, '{"status":"ready"}')
    ],
    [
      ['--port', six, '--host', '::1'],
      {},
      0,
      SAYS.health(at('[::1]', six), 200, '{"status":"ready"}')
    ],
    [
      ['--port', starting],
      {},
      1,
      SAYS.health(at('127.0.0.1', starting), 503, '{"status":"starting"}')
    ],
    [
      ['--port', free],
      {},
      1,
      SAYS.unhealthy(
        at('127.0.0.1', free),
        reasonOf('reach', { code: 'ECONNREFUSED', message: '' })
      )
    ],
    [
      ['--port', '6000'],
      {},
      1,
      SAYS.unhealthy(
        at('127.0.0.1', '6000'),
        reasonOf('reach', { code: 'ECONNREFUSED', message: '' })
      )
    ]
  ]
  for (const [args, environment, status, line] of cases)
    t.strictSame(
      await ran(['healthcheck', ...args], environment),
      { status, stdout: `${line}\n`, stderr: '' },
      args.join(' ')
    )
  t.strictSame([...new Set(asked)], ['/_control/health'])
})

t.test('cli: healthcheck has a time limit, and reports other errors too', async t => {
  const server = createTcpServer(socket => {
    if (speaks) socket.end('this is no HTTP\r\n\r\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const args = ['healthcheck', '--port', String((server.address() as AddressInfo).port)]
  let speaks = true

  const strange = await ran(args)
  speaks = false
  const silent = await ran(args)

  t.equal(strange.status, 1)
  t.ok(/Parse Error: .*\n$/.test(strange.stdout), strange.stdout)
  t.equal(silent.status, 1)
  t.ok(silent.stdout.endsWith(`${SAYS.no_response_within(3)}\n`), silent.stdout)
})

t.test('cli: a host beyond loopback without a control token causes a warning', async t => {
  const warned = (host: string, control_token: string | null = null) => {
    const lines: string[] = []
    warnOfExposure({ host, control_token }, {
      warn: (line: string) => lines.push(line)
    } as unknown as Parameters<typeof warnOfExposure>[1])
    return lines
  }

  for (const host of '0.0.0.0 :: 192.168.1.5 my-laptop localhost.example.com 127.0.0.1.example.com'.split(
    ' '
  ))
    t.strictSame(warned(host), [SAYS.exposed(host)])
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
    t.strictSame(warned(host), [], host)
  t.strictSame(warned('0.0.0.0', 'open sesame'), [])
})

t.test('cli: the start-up text shows addresses, scenario, data', async t => {
  const emulator = {
    baseUrl: 'http://localhost:4010/next',
    controlUrl: 'http://localhost:4010/_control',
    scenario: { name: 'lunch', description: 'A busy lunch.' },
    apiKeys: ['sk_a', 'sk_longer'].map(key => ({ key, account: 'mch_a' })),
    resumed: null
  }
  const facts = { requested: null, data: null, hasVars: false, records: 226 }
  const textOf = (changed: object, given: object = {}) =>
    startUpText({ ...emulator, ...changed }, { ...facts, ...given })
  const flat = (text: string) => text.replaceAll(/\s+/g, ' ')

  t.equal(
    textOf({}),
    `
  API       http://localhost:4010/next
  Console   http://localhost:4010/_control
  API docs  http://localhost:4010/_control/docs
  Scenario  lunch: A busy lunch.
  Data      226 records, ${SAYS.in_memory()}
  Keys      sk_a       acts as mch_a
            sk_longer  acts as mch_a

  Try       curl -u sk_a: http://localhost:4010/next/locations

commerce-emulator ready on http://localhost:4010/next`
  )
  const resumed = { resumed: './state' }
  const cases: [changed: object, given: object, shown: string, isShown?: false][] = [
    [
      { scenario: { name: 'bare', description: null }, apiKeys: [] },
      { records: 1, data: './state' },
      ` Scenario bare Data 1 record, ${SAYS.kept('./state')} c`
    ],
    [resumed, { data: './state' }, ` Data 226 records, ${SAYS.resumed('./state')} Keys `],
    [resumed, { data: './state', requested: 'split-bill' }, SAYS.not_loaded('split-bill')],
    [resumed, { hasVars: true }, SAYS.vars_ignored()],
    [{}, { hasVars: true }, '--var', false],
    [{}, { requested: 'split-bill' }, 'not loaded', false],
    [
      { baseUrl: 'http://[fe80::1]:4010/next', apiKeys: [{ key: "a'b&$c", account: 'mch_a' }] },
      {},
      `curl -u 'a'\\''b&$c:' 'http://[fe80::1]:4010/next/locations' `
    ]
  ]
  for (const [changed, given, shown, isShown = true] of cases)
    t.equal(flat(textOf(changed, given)).includes(shown), isShown, shown)
  const many = {
    scenario: {
      name: 'long',
      description: 'Many words, one after the other. '.repeat(20).trim()
    },
    apiKeys: Array.from({ length: 11 }, (_, index) => ({ key: `sk_${index}`, account: 'mch_a' }))
  }
  const lines = textOf(many, { data: '/data/state.json', records: 250_000 }).split('\n')
  t.strictSame(
    [lines.some(line => line.length > 80), lines.some(line => line.length > 72)],
    [false, true],
    'it fits 80 columns, and uses them'
  )
  t.equal(lines.filter(line => line.includes('acts as')).length, 8)
  t.ok(lines.includes(`            ${SAYS.more_keys(3, 'http://localhost:4010/_control/keys')}`))
})
