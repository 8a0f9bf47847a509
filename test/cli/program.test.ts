import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { failureLines } from '../../src/cli/failures.js'
import { run, type Streams } from '../../src/cli/program.js'
import { startUpText, warnOfExposure } from '../../src/cli/start.js'
import { validate } from '../../src/cli/validate.js'
import { SETTINGS, variableOf } from '../../src/core/settings.js'
import { VERSION } from '../../src/version.js'
import { ran } from '../support/command.js'
import { freePort } from '../support/ports.js'

const quiet = { LOG_LEVEL: 'silent', PORT: '0' }

const isOpen = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(socket.destroy() !== null)).on('error', () => resolve(false))
  })

t.test('cli: a reader that has read enough is no failure, and a full disk is one', async t => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  await run(['--version'], {}, { stdout, stderr } as unknown as Streams)

  for (const stream of [stdout, stderr]) {
    stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    t.throws(() => stream.emit('error', Object.assign(new Error('full'), { code: 'ENOSPC' })), { code: 'ENOSPC' })
  }
})

t.test('cli: --help shows the commands, every flag with its default and variable, and examples that fit a terminal', async t => {
  const { status, stdout, stderr } = await ran(['--help'])

  t.equal(status, 0)
  t.equal(stderr, '')
  const [usage] = stdout.split('\n\n')
  t.equal(
    usage,
    'Usage: commerce-emulator [start] [options]\n       commerce-emulator new [options] <name>\n       commerce-emulator validate [options] <file...>\n       commerce-emulator check [options] <file...>\n       commerce-emulator exec [options] -- <command...>\n       commerce-emulator record --out <file> [options] -- <command...>\n       commerce-emulator judge [options]\n       commerce-emulator repro [options] <id>\n       commerce-emulator coverage merge [options] <file...>\n       commerce-emulator healthcheck [options]'
  )
  const flat = stdout.replace(/\s+/g, ' ')
  for (const [key, { about, default: fallback, flag }] of Object.entries(SETTINGS) as [
    keyof typeof SETTINGS,
    { about: string; default: unknown; flag?: string }
  ][]) {
    if (!flag) continue
    const shown = `${about} (${fallback === null || fallback === false ? '' : `default: ${fallback}; `}variable: ${variableOf(key)})`
    t.ok(flat.includes(fallback === false ? `${flag} ${shown}` : `${flag} <`) && flat.includes(shown), flag)
  }
  for (const part of [
    '--set <key=value> Any setting, as often as needed. ',
    '-V, --version Print the version.',
    '-h, --help Print this help.',
    'validate [options] <file...> Check',
    'check [options] <file...> Play',
    'exec [options] <command...> Run',
    'judge [options] Judge',
    'coverage Reports',
    'Examples:'
  ]) {
    t.ok(flat.includes(part), part)
  }
  t.strictSame(
    stdout.split('\n').filter(line => line.length > 80),
    []
  )
  t.equal((await ran(['help'])).stdout, stdout)
})

t.test('cli: the help of a command shows the flags that it takes', async t => {
  const cases: [command: string, flags: string][] = [
    ['validate', '--var --fixtures-dir --scenarios-dir --set --settings'],
    ['healthcheck', '--port --host --set --settings'],
    ['start', '--var --port --host --scenario --fixtures-dir --scenarios-dir --snapshots-dir --watch --log-level --data --seed --set --settings'],
    ['check', '--against --write-settings --key --max-answer --timeout --format --fail-on --report --var --fixtures-dir --scenarios-dir --set --settings']
  ]
  for (const [command, flags] of cases) {
    const { stdout } = await ran([command, '--help'])
    t.equal([...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag).join(' '), flags)
  }
})

t.test('cli: the help of every command fits 80 columns and ends in an example that the command line takes', async t => {
  const namesIn = (help: string) => [...(/\nCommands:\n([\s\S]*?)(\n\n|$)/.exec(help)?.[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name as string)
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
    for (const [option] of (words.length > 0 ? examples : '').matchAll(/(?<= )--[a-z][a-z-]*/g)) t.ok(options.has(option), `${name} takes ${option}`)
    for (const below of namesIn(stdout)) if (below !== 'help') await check([...words, below])
  }
  await check([])
})

t.test('cli: --version prints the version of the package', async t => {
  t.strictSame(await ran(['--version']), { status: 0, stdout: `${VERSION}\n`, stderr: '' })
  t.strictSame(await ran(['-V']), { status: 0, stdout: `${VERSION}\n`, stderr: '' })
})

t.test('cli: an invalid command line is refused with what is wrong, what was probably meant, and where to look', async t => {
  const cases: [args: string[], message: string][] = [
    [['--prot', '1'], "error: unknown option '--prot'\n(Did you mean --port?)"],
    [['strat'], 'error: unknown command strat; did you mean start?'],
    [['frobnicate'], 'error: unknown command frobnicate'],
    [['start', 'default'], 'error: unknown command default'],
    [['./own.yaml'], 'error: ./own.yaml has no flag; did you mean --scenario ./own.yaml?'],
    [['start', 'own.yaml'], 'error: own.yaml has no flag; did you mean --scenario own.yaml?'],
    [['--port', '0', 'validate', 'x.yaml'], 'error: the command validate comes first: commerce-emulator validate'],
    [['validate'], "error: missing required argument 'file'"],
    [['validate', '--port', '1', 'x.yaml'], "error: unknown option '--port'"],
    [['healthcheck', 'now'], "error: too many arguments for 'healthcheck'. Expected 0 arguments but got 1."],
    [['--set'], "error: option '--set <key=value>' argument missing"],
    [['--port'], "error: option '--port <port>' argument missing"]
  ]
  for (const [args, message] of cases) {
    t.strictSame(await ran(args), { status: 1, stdout: '', stderr: `${message}\n(run commerce-emulator --help for the commands and flags)\n` }, args.join(' '))
  }
})

const FOREIGN_HOST =
  'the variable HOST: must be an IP address or localhost; got x86_64-linux-gnu; if it is not meant for the emulator, unset it or give COMMERCE_EMULATOR_HOST, which wins'

t.test('cli: a setting that is unknown or has a bad value is refused where it was given', async t => {
  const cases: [args: string[], environment: Record<string, string>, message: string][] = [
    [['--set', 'foo'], {}, '--set foo: must be key=value, such as --set pagination.max_limit=5'],
    [['--set', '=1'], {}, '--set =1: must be key=value, such as --set pagination.max_limit=5'],
    [['--set', 'prot=1'], {}, '--set prot=1: there is no setting prot; did you mean port?'],
    [['--set', 'constructor=1'], {}, '--set constructor=1: there is no setting constructor'],
    [['--set', 'search=exact'], {}, '--set search=exact: there is no setting search; the settings in that group are search.reference, search.last4'],
    [['--set', 'port=x'], {}, '--set port=x: must be a whole number; got x'],
    [['--set', 'port=1.5'], {}, '--set port=1.5: must be a whole number; got 1.5'],
    [['--set', 'port='], {}, '--set port=: must be a whole number; got '],
    [['--set', 'cors=yes'], {}, '--set cors=yes: must be true or false; got yes'],
    [['--set', 'host='], {}, '--set host=: must not be empty'],
    [['--set', 'control_token=fifteen letters'], {}, '--set control_token: must be at least 16 characters long'],
    [[], { COMMERCE_EMULATOR_CONTROL_TOKEN: 'x'.repeat(15) }, 'the variable COMMERCE_EMULATOR_CONTROL_TOKEN: must be at least 16 characters long'],
    [['--set', 'control_hosts=a,,b'], {}, '--set control_hosts=a,,b: must not be empty'],
    [['--set', 'auth.visibility=opne'], {}, '--set auth.visibility=opne: must be one of open, scoped; got opne; did you mean open?'],
    [['--port', '65536'], {}, '--port: must be at most 65535; got 65536'],
    [['--seed', '-1'], {}, '--seed: must be at least 0; got -1'],
    [['--log-level', 'loud'], {}, '--log-level: must be one of trace, debug, info, warn, error, fatal, silent; got loud'],
    [
      [],
      { PORT: 'abc' },
      'the variable PORT: must be a whole number; got abc; if it is not meant for the emulator, unset it or give COMMERCE_EMULATOR_PORT, which wins'
    ],
    [[], { COMMERCE_EMULATOR_PORT: 'abc', PORT: '0' }, 'the variable COMMERCE_EMULATOR_PORT: must be a whole number; got abc'],
    [
      [],
      { COMMERCE_EMULATOR_PORT: 'tcp://10.0.0.1:4010' },
      'the variable COMMERCE_EMULATOR_PORT: must be a whole number; got tcp://10.0.0.1:4010; Kubernetes sets it for a Service called commerce-emulator: set enableServiceLinks: false in the pod'
    ],
    [
      [],
      { SEED: 'maple' },
      'the variable SEED: must be a whole number; got maple; if it is not meant for the emulator, unset it or give COMMERCE_EMULATOR_SEED, which wins'
    ],
    [[], { HOST: 'x86_64-linux-gnu' }, FOREIGN_HOST],
    [['exec', '--', 'true'], { HOST: 'x86_64-linux-gnu' }, FOREIGN_HOST],
    [
      [],
      { LIMITS_BODY: '0' },
      'the variable LIMITS_BODY: must be at least 1; got 0; if it is not meant for the emulator, unset it or give COMMERCE_EMULATOR_LIMITS_BODY, which wins'
    ],
    [
      [],
      { TRANSACTIONS_DEFAULT_CURRENCY: 'USD' },
      'the variable TRANSACTIONS_DEFAULT_CURRENCY: the code is written in lower case: usd; if it is not meant for the emulator, unset it or give COMMERCE_EMULATOR_TRANSACTIONS_DEFAULT_CURRENCY, which wins'
    ],
    [['healthcheck', '--port', 'x'], {}, '--port: must be a whole number; got x'],
    [['validate', '--set', 'prot=1', 'x.yaml'], {}, '--set prot=1: there is no setting prot; did you mean port?']
  ]
  for (const [args, environment, message] of cases) {
    t.strictSame(
      await ran(args, environment),
      { status: 1, stdout: '', stderr: `commerce-emulator: ${message}\n` },
      `${args.join(' ')} ${Object.keys(environment)}`
    )
  }
  const several = await ran(['--set', 'foo', '--set', 'cors=1', '--seed', 'x'])
  t.equal(
    several.stderr,
    [
      'commerce-emulator: 3 problems; nothing was started',
      '  --set foo: must be key=value, such as --set pagination.max_limit=5',
      '  --set cors=1: must be true or false; got 1',
      '  --seed: must be a whole number; got x',
      ''
    ].join('\n')
  )
})

t.test('cli: validate reports for each file whether it is valid, and for each problem its file, line and column', async t => {
  const root = t.testdir({
    fixtures: { 'mine.yaml': 'accounts: []' },
    'right.yaml': 'fixtures: [mine]\nseed: 3',
    'fixture.yaml': 'accounts:\n  - { id: mch_a, type: merchant, name: A, email: a@example.com, address: { country: US } }',
    'one.yaml': 'fixtures: [mien]',
    'bad.yaml': 'sede: 3\nsettings: { port: 1 }\ndata:\n  tickets:\n    - { id: tkt_1, location: loc_x, reference: 12 }\n',
    'broken.json': '{ "seed": 1,, }',
    'steps.yaml': 'steps:\n  - do: GET /nowhere\n  - do: GET /tickets/${gone.id}',
    'refused.yaml': 'steps:\n  - do: GET /tickets/none',
    'made.yaml': 'fixtures: [bistro]\nsteps:\n  - { do: POST /refunds, body: { transaction: txn_119, amount: 5 } }',
    'misspelled.yaml': 'fixtures: [bistro]\nsteps:\n  - { do: POST /refunds, body: { transaction: txn_119, amout: 5 } }',
    parts: { 'outer.yaml': 'fixtures: [inner.yaml]', 'inner.yaml': 'users:\n  - account: mch_none\n    name: A\n    email: nonsense' }
  })
  const folder = ['--fixtures-dir', `${root}/fixtures`]
  const at = (name: string) => `${root}/${name}`

  const right = await ran(['validate', ...folder, at('right.yaml'), at('fixture.yaml')])
  const wrong = await ran(['validate', ...folder, at('bad.yaml'), at('right.yaml'), at('one.yaml'), at('none.yaml'), at('parts')])

  t.strictSame(right, { status: 0, stdout: `${at('right.yaml')}: valid\n${at('fixture.yaml')}: valid\n\n2 files: 2 valid\n`, stderr: '' })
  t.strictSame([wrong.status, wrong.stderr], [1, ''])
  t.strictSame(
    wrong.stdout
      .replaceAll(`${root}/`, '')
      .split('\n')
      .map(line => line.replace(/Known are: .*/, 'Known are: …')),
    [
      'bad.yaml:1:7 sede: unknown name sede; did you mean seed?',
      'bad.yaml:2:19 settings.port: it belongs to the process; give it when the emulator is started, as with PORT or --set port=',
      'bad.yaml:5:30 data.tickets[0].location: no Location has the id loc_x',
      'bad.yaml:5:48 data.tickets[0].reference: must be text or null; got 12; quote it: "12"',
      'bad.yaml: 4 problems',
      'right.yaml: valid',
      'one.yaml:1:12 fixtures[0]: no fixture is called mien; did you mean mine? Known are: …',
      'one.yaml: 1 problem',
      'none.yaml cannot be read: there is no such file or folder',
      'none.yaml: 1 problem',
      'parts/inner.yaml:2:14 users[0].account: no Account has the id mch_none',
      'parts/inner.yaml:4:12 users[0].email: must be an email address, such as ana@example.com',
      'parts/inner.yaml: 2 problems',
      'parts/inner.yaml:2:14 users[0].account: no Account has the id mch_none',
      'parts/inner.yaml:4:12 users[0].email: must be an email address, such as ana@example.com',
      'parts/outer.yaml: 2 problems',
      '',
      '6 files: 1 valid, 5 with 10 problems',
      ''
    ]
  )
  const outer = await ran(['validate', at('parts/outer.yaml')])
  const steps = await ran(['validate', ...['steps', 'made', 'refused', 'misspelled'].map(name => at(`${name}.yaml`))])
  t.strictSame(
    [steps.status, steps.stdout.replaceAll(`${root}/`, '').split('\n')],
    [
      1,
      [
        'steps.yaml:2:9 steps[0].do: GET /nowhere is not an operation; a call is written as a method and a path, such as POST /refunds',
        'steps.yaml:3:9 steps[1].do: ${gone.id} refers to nothing; give the name that an earlier step has under as, or the id of a record',
        'steps.yaml: 2 problems',
        'made.yaml: valid',
        'refused.yaml:2:5 steps[0]: GET /tickets/none: status: must be a 2xx; got 401 (No API key was sent: send the API key as the user name and leave the password empty, as curl -u KEY: does.)',
        'refused.yaml: 1 problem',
        'misspelled.yaml:3:5 steps[0]: POST /refunds: status: must be a 2xx; got 400 (amout is not a parameter of this call; did you mean amount?)',
        'misspelled.yaml: 1 problem',
        '',
        '4 files: 1 valid, 3 with 4 problems',
        ''
      ]
    ],
    'the calls of steps are made where nothing else is wrong'
  )
  t.equal(outer.status, 1)
  t.ok(outer.stdout.includes(`${at('parts/inner.yaml')}:4:12 users[0].email: must be an email address, such as ana@example.com\n`), 'in the file that it is in')
  const broken = await ran(['validate', at('broken.json')])
  t.equal(broken.status, 1)
  t.ok(/^.*broken\.json:1:\d+ .+\n/.test(broken.stdout))
})

t.test('cli: a start that fails says why on stderr, ends with 1 and leaves no port open', async t => {
  const root = t.testdir({
    file: '',
    'one.yaml': 'fixtures: [nope]',
    'two.yaml': 'sede: 3\nclock: yesterday',
    'step.yaml': 'steps:\n  - { do: GET /tickets/none }\nfixtures: [bistro]',
    'any-key.yaml': 'settings: { auth: { accept_any_key: mch_none } }'
  })
  const port = await freePort()
  const long = 'x'.repeat(300)
  const cases: [args: string[], message: RegExp][] = [
    [['--scenario', 'nope'], /^No scenario is called nope\. Known are: .*\bdefault\b.*\.$/],
    [['--scenario', 'defualt'], /^No scenario is called defualt; did you mean default\? Known are: .*\.$/],
    [['--scenario', './nope.yaml'], /^\.\/nope\.yaml cannot be read: there is no such file or folder$/],
    [['--scenario', `${root}/`], /\/ cannot be read: it is a folder, not a file$/],
    [['--scenario', `./${long}.yaml`], /^\.\/x+\.yaml cannot be read: ENAMETOOLONG/],
    [['--fixtures-dir', '/nowhere'], /^\/nowhere cannot be read: there is no such file or folder$/],
    [['--scenarios-dir', `${root}/file`], /\/file cannot be read: it is a file, not a folder$/],
    [['--snapshots-dir', `${root}/file`], /\/file cannot be made: it is a file, not a folder$/],
    [['--snapshots-dir', `${root}/${long}`], /\/x+ cannot be made: ENAMETOOLONG/],
    [['--snapshots-dir', `${root}/file/below`], /\/file\/below cannot be made: a part of the path is a file, not a folder$/],
    [['--scenario', `${root}/step.yaml`], /step\.yaml:2:5 steps\[0\]: GET \/tickets\/none: status: must be a 2xx; got 404 \(No Ticket has the id none\.\)$/],
    [['--scenario', `${root}/one.yaml`], /one\.yaml:1:12 fixtures\[0\]: no fixture is called nope\. Known are: /],
    [
      ['--scenario', `${root}/any-key.yaml`],
      /any-key\.yaml:1:37 settings\.auth\.accept_any_key: auth\.accept_any_key names mch_none, which is no Account of it$/
    ],
    [
      ['--host', 'no-such-host.invalid'],
      /^the emulator cannot listen on that address: .*no-such-host\.invalid; choose an address of this machine with --host, such as 127\.0\.0\.1, or 0\.0\.0\.0 for all of them\.$/
    ],
    [['--host', '192.0.2.1'], /^the emulator cannot listen on that address: listen EADDRNOTAVAIL.*; choose an address of this machine with --host/]
  ]
  for (const [args, message] of cases) {
    const { status, stdout, stderr } = await ran(['--port', String(port), ...args], quiet)
    t.strictSame([status, stdout], [1, ''], args.join(' '))
    t.ok(stderr.startsWith('commerce-emulator: ') && stderr.endsWith('\n'), stderr)
    t.ok(message.test(stderr.slice('commerce-emulator: '.length, -1)), stderr)
    t.notOk(await isOpen(port))
  }
  const several = await ran(['--port', String(port), '--scenario', `${root}/two.yaml`], quiet)
  t.strictSame(
    several.stderr
      .replaceAll(`${root}/`, '')
      .split('\n')
      .map(line => line.replace(/an ISO.*/, 'an ISO …')),
    ['commerce-emulator: 2 problems; nothing was started', '  two.yaml:1:7 sede: unknown name sede; did you mean seed?', '  two.yaml:2:8 clock: an ISO …', '']
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
    stderr: `commerce-emulator: port ${port} on 127.0.0.1 is in use; stop the process that uses it, or choose another port with --port (0 picks a free one).\n`
  })
})

t.test('cli: a system error is reported in words, a defect with its stack', async t => {
  const failure = (properties: object) => failureLines(Object.assign(new Error('listen EACCES: permission denied 0.0.0.0:80'), properties))

  t.strictSame(failure({ code: 'EACCES', syscall: 'listen', port: 80 }), [
    'commerce-emulator: port 80 may not be used by this user; choose one above 1023 with --port.'
  ])
  t.strictSame(failure({ code: 'EACCES', syscall: 'open', path: '/etc/shadow' }), ['commerce-emulator: /etc/shadow cannot be read: this user may not read it'])
  const defect = new TypeError('x is not a function')
  t.strictSame(failureLines(defect), [`commerce-emulator: ${defect.stack}`])
  let [looks, most] = [0, Number.POSITIVE_INFINITY]
  const flag = {
    get seed(): number {
      if (++looks > most) throw defect
      return 1
    }
  }
  await validate([], { launch: { flag, environment: {} } }, t.fail)
  ;[looks, most] = [0, looks]
  await t.rejects(validate(['own.yaml'], { launch: { flag, environment: {} } }, t.fail), defect, 'and is not reported as a problem of the file')
})

t.test('cli: healthcheck asks the emulator at the port and host of its settings', async t => {
  const listening = async (answer: RequestListener, host: string) => {
    const server = createServer(answer).listen(0, host)
    await once(server, 'listening')
    t.teardown(() => server.close())
    return String((server.address() as AddressInfo).port)
  }
  const asked: string[] = []
  const ready: RequestListener = ({ url = '' }, response) => {
    asked.push(url)
    response.end('{"status":"ready"}')
  }
  const port = await listening(ready, '127.0.0.1')
  const six = await listening(ready, '::1')
  const starting = await listening((_request, response) => response.writeHead(503).end('{"status":"starting"}'), '127.0.0.1')
  const free = String(await freePort())
  const at = (host: string, port: string) => `http://${host}:${port}/_control/health`
  const cases: [args: string[], environment: Record<string, string>, status: number, line: string][] = [
    [['--port', port], {}, 0, `${at('127.0.0.1', port)} answered 200: {"status":"ready"}`],
    [[], { PORT: port, HOST: '0.0.0.0' }, 0, `${at('127.0.0.1', port)} answered 200: {"status":"ready"}`],
    [['--port', port, '--host', 'localhost'], {}, 0, `${at('localhost', port)} answered 200: {"status":"ready"}`],
    [['--port', six, '--host', '::'], {}, 0, `${at('[::1]', six)} answered 200: {"status":"ready"}`],
    [['--port', six, '--host', '::1'], {}, 0, `${at('[::1]', six)} answered 200: {"status":"ready"}`],
    [['--port', starting], {}, 1, `${at('127.0.0.1', starting)} answered 503: {"status":"starting"}`],
    [['--port', free], {}, 1, `${at('127.0.0.1', free)} did not answer: nothing listens there`],
    [['--port', '6000'], {}, 1, `${at('127.0.0.1', '6000')} did not answer: nothing listens there`]
  ]
  for (const [args, environment, status, line] of cases) {
    t.strictSame(await ran(['healthcheck', ...args], environment), { status, stdout: `${line}\n`, stderr: '' }, args.join(' '))
  }
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
  t.ok(/ did not answer: Parse Error: .*\n$/.test(strange.stdout), strange.stdout)
  t.equal(silent.status, 1)
  t.ok(silent.stdout.endsWith(' did not answer: no answer within 3 seconds\n'), silent.stdout)
})

t.test('cli: a host beyond loopback without a control token is warned of, with what to do', async t => {
  const cases: [host: string, token: string | null, isWarned: boolean][] = [
    ['0.0.0.0', null, true],
    ['::', null, true],
    ['192.168.1.5', null, true],
    ['my-laptop', null, true],
    ['localhost.example.com', null, true],
    ['127.0.0.1.example.com', null, true],
    ['0.0.0.0', 'open sesame', false],
    ['127.0.0.1', null, false],
    ['127.1.2.3', null, false],
    ['::1', null, false],
    ['localhost', null, false]
  ]
  for (const [host, control_token, isWarned] of cases) {
    const lines: string[] = []
    warnOfExposure({ host, control_token }, { warn: (line: string) => lines.push(line) } as unknown as Parameters<typeof warnOfExposure>[1])
    t.equal(lines.length, isWarned ? 1 : 0, host)
    for (const line of lines)
      for (const part of [`listens on ${host} `, 'Set CONTROL_TOKEN', 'docker run -p 127.0.0.1:4010:4010']) t.ok(line.includes(part), part)
  }
})

t.test('cli: the start-up text shows addresses, scenario, data, keys and a call to try, quoted for a shell where that is needed', async t => {
  const emulator = {
    baseUrl: 'http://localhost:4010/next',
    controlUrl: 'http://localhost:4010/_control',
    scenario: { name: 'lunch', description: 'A busy lunch.' },
    apiKeys: [
      { key: 'sk_a', account: 'mch_a' },
      { key: 'sk_longer', account: 'rsl_r' }
    ],
    resumed: null
  }
  const facts = { asked: null, data: null, hasVars: false, records: 226 }

  t.equal(
    startUpText(emulator, facts),
    `
  API       http://localhost:4010/next
  Console   http://localhost:4010/_control
  API docs  http://localhost:4010/_control/docs
  Scenario  lunch: A busy lunch.
  Data      226 records, in memory; --data FILE keeps them
  Keys      sk_a       acts as mch_a
            sk_longer  acts as rsl_r

  Try       curl -u sk_a: http://localhost:4010/next/locations

commerce-emulator ready on http://localhost:4010/next`
  )
  t.equal(
    startUpText({ ...emulator, scenario: { name: 'bare', description: null }, apiKeys: [] }, { ...facts, records: 1, data: './state.json' }),
    `
  API       http://localhost:4010/next
  Console   http://localhost:4010/_control
  API docs  http://localhost:4010/_control/docs
  Scenario  bare
  Data      1 record, kept in ./state.json

commerce-emulator ready on http://localhost:4010/next`
  )
  const resumed = { ...emulator, resumed: './state.json' }
  t.ok(
    startUpText(resumed, { ...facts, data: './state.json' }).includes('\n  Data      226 records, continued from ./state.json\n  Keys  '),
    'a state that is read from a data file is named'
  )
  t.ok(
    startUpText(resumed, { ...facts, data: './state.json', asked: 'split-bill' }).includes(
      `
            The scenario split-bill was not loaded: the data file wins. POST
            /_control/load loads it, or --data with a new file starts in it.
`
    ),
    'and so is the scenario that it takes the place of'
  )
  t.ok(
    startUpText(resumed, { ...facts, hasVars: true })
      .replaceAll(/\s+/g, ' ')
      .includes('The values of --var have no effect: the scenario that the data file keeps was loaded without them.')
  )
  t.notOk(startUpText(emulator, { ...facts, hasVars: true }).includes('--var'))
  t.notOk(startUpText(emulator, { ...facts, asked: 'split-bill' }).includes('not loaded'))
  const odd = startUpText({ ...emulator, baseUrl: 'http://[fe80::1]:4010/next', apiKeys: [{ key: "a'b&$c", account: 'mch_a' }] }, facts)
  t.ok(odd.includes(`curl -u 'a'\\''b&$c:' 'http://[fe80::1]:4010/next/locations'\n`), odd)
})

t.test('cli: the start-up text fits 80 columns with the longest description, and shows eight of many keys', async t => {
  const emulator = {
    baseUrl: 'http://localhost:65535/next',
    controlUrl: 'http://localhost:65535/_control',
    scenario: { name: 'long', description: 'Many words, one after the other. '.repeat(20).trim() },
    apiKeys: Array.from({ length: 11 }, (_, index) => ({ key: `sk_${index}`, account: 'mch_a' })),
    resumed: null
  }
  const lines = startUpText(emulator, { asked: null, data: '/data/state.json', hasVars: false, records: 250_000 }).split('\n')

  t.strictSame(
    lines.filter(line => line.length > 80),
    []
  )
  t.ok(
    lines.some(line => line.length > 72),
    'and uses them'
  )
  t.equal(lines.filter(line => line.includes('acts as')).length, 8)
  t.ok(lines.includes('            and 3 more: http://localhost:65535/_control/keys'))
})
