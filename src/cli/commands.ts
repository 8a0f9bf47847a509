/** The commands: their help, their flags, and what they run. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { didYouMean } from '../core/nearest.js'
import { SETTING_KEYS, SETTINGS, type SettingKey, settingsInForce, variableOf } from '../core/settings.js'
import { visible } from '../core/visible.js'
import { CHECK_FORMATS, COVERAGE_FORMATS } from '../reports/formats.js'
import { gatesFrom } from '../reports/gates.js'
import { type CheckedFile, isFailed, settingsFound } from '../reports/points.js'
import { checkAnnotations } from '../reports/text.js'
import { isPath } from '../scenario/library.js'
import type { ExecOptions } from './exec.js'
import { type Environment, refuseForeignHost, settingsOfEnvironment, settingsOfFlags, variablesIn } from './launch.js'
import { createProgressBar } from './progress.js'

export type CommandLine = {
  program: Command
  args: readonly string[]
  environment: Environment
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}
export type Spec = {
  about: string
  argument?: readonly [name: string, about: string]
  /** What follows the name, if not the options and the argument. */
  usage?: string
  options?: readonly Option[]
  examples: readonly (readonly [about: string, line: string])[]
  /** The exit status, or null when the process goes on serving; `operand` is the argument, or all words where none is declared. */
  run?: (operand: never, flags: never, line: CommandLine) => Promise<number | null>
}

/** The flags of settings lie beside these, each under its own name. */
type SettingFlags = { set?: string[]; var?: string[]; settings?: string }
type GateFlags = { minCoverage?: number; failOn?: string[]; ignore?: string[]; allowNoRequests?: boolean; report?: string }
type RunFlags = SettingFlags & GateFlags & ExecOptions['names'] & { killAfter: number; out?: string }
type AddressFlags = { url?: string; token?: string }
type ServiceFlags = { against?: string; writeSettings?: string; key?: string[]; maxAnswer?: number; timeout?: number }
type CheckFlags = SettingFlags & ServiceFlags & { format: keyof typeof CHECK_FORMATS; failOn?: string[]; report?: string }

/** A command line of exec that names no command ends with it, so that no build takes it for a success of its tests. */
export const USAGE_STATUS = 2

const collected = (text: string, before: string[] = []) => [...before, text]

/** Names with spaces or commas between them. */
const listOf = (text: string, before: string[] = []) => [...before, ...text.split(',').filter(name => name !== '')]

/** Errors: `InvalidArgumentError` for anything but a percentage from 0 to 100. */
const percentOf = (text: string): number => {
  const percent = Number(text)
  if (text.trim() === '' || !(percent >= 0 && percent <= 100)) throw new InvalidArgumentError('Must be a percentage from 0 to 100.')
  return percent
}

/** Errors: `InvalidArgumentError` for anything but 1 to 2^31 - 1, as timers take it. */
const wholeOf = (text: string): number => {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > 2_147_483_647) throw new InvalidArgumentError('Must be a whole number from 1 to 2147483647.')
  return number
}

/** The two parts of `NAME=VALUE`; a value alone has the name ''. */
const pairOf = (text: string): readonly [string, string] => {
  const at = text.indexOf('=')
  return at < 1 ? ['', text] : [text.slice(0, at), text.slice(at + 1)]
}

const option = <T>(flags: string, about: string, parse: (text: string, before: T) => T) => new Option(flags, about).argParser(parse)

/** The flags of settings, and `--set` for all. `notes` replace the default and variable of a setting. */
function settingOptions(keys: readonly SettingKey[], notes: Readonly<Partial<Record<SettingKey, string>>> = {}): Option[] {
  const own = keys.flatMap(key => {
    const { flag, about, default: fallback } = SETTINGS[key]
    if (!flag) return []
    const shown = fallback === null || fallback === false ? '' : `default: ${fallback}; `
    const value = typeof fallback === 'boolean' ? '' : ` <${flag.slice(2).split('-').at(-1)}>`
    return [new Option(`${flag}${value}`, `${about} (${notes[key] ?? `${shown}variable: ${variableOf(key)}`})`)]
  })
  const set = option('--set <key=value>', 'Any setting, as often as needed.', collected)
  return [...own, set, new Option('--settings <file>', 'A YAML or JSON file of settings; --set and the flags take precedence.')]
}

/** The name of a variable that tells a command where the emulator is. */
const nameOption = (name: string, what: string) =>
  new Option(`--${name}-name <name>`, `Variable for ${what}.`).default(`COMMERCE_${name.replace('-', '_').toUpperCase()}`)
const formatOption = (formats: object) => new Option('--format <format>', 'How to report.').choices(Object.keys(formats)).default('text')
const VAR = option('--var <name=value>', 'The value of a variable of the scenario, as often as needed.', collected)
const LEAST_COVERAGE = 'The least rule coverage that passes'
const FOLDERS = settingOptions(['fixtures_dir', 'scenarios_dir'])
const GATES = [
  option('--min-coverage <percent>', `${LEAST_COVERAGE}.`, percentOf),
  option(
    '--fail-on <names...>',
    'What fails the run in addition to the expectations of the scenario: script, findings, errors, warnings, or findings by their names.',
    listOf
  ),
  option('--ignore <names...>', 'What fails no run: expectations, or findings by their names.', listOf),
  new Option('--allow-no-requests', 'Let a run pass in which the emulator received no requests.'),
  new Option('--report <dir>', 'Folder to write reports to: report.html, junit.xml, summary.md, run.json and the coverage.')
]
const RUN = [
  ...GATES,
  VAR,
  option('--kill-after <seconds>', 'How long the command may take to end after a signal.', wholeOf).default(5),
  nameOption('url', "the emulator's address"),
  nameOption('base-url', 'the base address of the API'),
  nameOption('sandbox-url', 'the base address of a sandbox, with {name} in it'),
  nameOption('api-key', 'the first API key'),
  nameOption('control-url', 'the address of the control API'),
  ...settingOptions(SETTING_KEYS, { port: 'default: a free one', log_level: `default: silent; variable: ${variableOf('log_level')}` })
]
const COMMAND = ['<command...>', 'The command to run, after --.'] as const
const ADDRESS = [
  new Option('--url <url>', "The emulator's address. (default: http://localhost:4010; variable: COMMERCE_URL)"),
  new Option('--token <token>', 'Its control token. (variable: CONTROL_TOKEN)')
]

/** The commands in the order of the help; one below another has both names. */
export const COMMANDS = {
  start: {
    about: 'Start the emulator; also when no command is named.',
    options: [VAR, ...settingOptions(SETTING_KEYS)],
    examples: [
      ['your own scenario, on a free port', 'commerce-emulator start --port 0 --scenario ./own.yaml'],
      ['a state that outlives the process', 'commerce-emulator start --data ./state.json']
    ],
    run: async ([stray]: string[], flags: SettingFlags, { program, environment, stdout, stderr }) => {
      if (stray !== undefined) program.error(`error: ${strayArgument(stray, program)}`)
      const { start } = await import('./start.js')
      const { flag, ...more } = await launchOf(flags, environment)
      refuseForeignHost(flag, environment)
      await start({ settings: flag, ...more, vars: varsOf(flags, program) }, { stdout, stderr })
      return null
    }
  },
  new: {
    about: 'Write a commented scenario to start from.',
    argument: ['<name>', 'The name of the file, or its path; .yaml is added.'],
    options: [new Option('--force', 'Overwrite an existing file.')],
    examples: [['a scenario to start from, in own.yaml', 'commerce-emulator new own']],
    run: async (name: string, { force = false }: { force?: boolean }, { stdout, stderr }) => {
      const { newScenario } = await import('./new.js')
      const { lines, isWritten } = await newScenario(name, { force })
      const text = `${lines.map(visible).join('\n')}\n`
      if (isWritten) stdout.write(text)
      else stderr.write(`commerce-emulator: ${text}`)
      return isWritten ? 0 : 1
    }
  },
  validate: {
    about: 'Check scenario and fixture files; exit 0 when all are valid.',
    argument: ['<file...>', "Scenario or fixture files, folders of them, or patterns such as 'scenarios/**/*.yaml'."],
    options: [VAR, ...FOLDERS],
    examples: [['every problem of a document, with its line', 'commerce-emulator validate ./own.yaml']],
    run: async (files: string[], flags: SettingFlags, line) => {
      const { validate } = await import('./validate.js')
      const launch = await launchOf(flags, line.environment)
      return concludeCheck(await validate(files, { launch, vars: varsOf(flags, line.program) }, text => line.stdout.write(`${text}\n`)), line)
    }
  },
  check: {
    about: "Play scenarios' steps and check their expectations; exit 0 when all hold.",
    argument: ['<file...>', "Scenario files, folders of them, or patterns such as 'scenarios/**/*.yaml'."],
    options: [
      new Option(
        '--against <url>',
        'Play against a running service, by its base address, and compare its answers; no script and no control call is sent there.'
      ),
      new Option('--write-settings <file>', 'File to write the settings to that make the emulator answer as that service does, as YAML or JSON.'),
      option('--key <[name=]key>', "A key to send there in place of a scenario's; without a name, in place of the first merchant's.", collected),
      option('--max-answer <bytes>', 'Longest answer that is read there. (default: 16777216)', wholeOf),
      option('--timeout <ms>', 'Longest that an answer may take there, in milliseconds. (default: 30000)', wholeOf),
      formatOption(CHECK_FORMATS),
      option('--fail-on <names...>', 'What fails besides steps and expectations: script, findings, errors, warnings, or findings by their names.', listOf),
      new Option('--report <dir>', 'Folder to write junit.xml and check.txt to.'),
      option('--var <name=value>', 'The value of a variable of the scenario, or of ${name} in its steps.', collected),
      ...FOLDERS
    ],
    examples: [
      ['play a scenario in process and judge what it expects', 'commerce-emulator check ./own.yaml'],
      [
        'play it against a running service, and report as JUnit',
        'commerce-emulator check ./own.yaml --against http://localhost:4010/next \\\n    --key sk_test_merchant --format junit'
      ]
    ],
    run: runCheck
  },
  exec: {
    about: 'Run a command against an emulator of its own, and judge its calls; exit with its status, or 2 when only a gate failed.',
    argument: COMMAND,
    usage: '[options] -- <command...>',
    options: RUN,
    examples: [
      ['run a test suite against an emulator of its own, and judge its calls', 'commerce-emulator exec --fail-on errors --report reports \\\n    -- npm test']
    ],
    run: runCommand
  },
  record: {
    about: 'Run a command as exec does, and write its calls as a scenario that plays them again, with no more records than they need.',
    argument: COMMAND,
    usage: '--out <file> [options] -- <command...>',
    options: [
      new Option('--out <file>', 'File to write the scenario to; after each load or reset another one, with -2, -3 … in its name.').makeOptionMandatory(),
      ...RUN
    ],
    examples: [['write what a test does as a scenario', 'commerce-emulator record --out refunds.yaml -- npm test']],
    run: runCommand
  },
  judge: {
    about: 'Judge the calls that a running emulator was sent, by the gates and with the reports of exec; exit 2 when a gate failed.',
    options: [...GATES, ...ADDRESS],
    examples: [['judge what a running emulator was sent', 'commerce-emulator judge --url http://localhost:4010 --min-coverage 30']],
    run: async (_: string[], flags: GateFlags & AddressFlags, { program, environment, stderr }) => {
      const { judge } = await import('./judge.js')
      const gates = gatesOf(flags, program)
      return judge({ ...(await runningAt(flags, environment)), gates, report: flags.report ?? null, environment }, stderr)
    }
  },
  repro: {
    about: 'Print a scenario in which a call of a running emulator is answered as it was: the records that it touched, what they refer to, and what was sent.',
    argument: ['<id>', 'A Request-Id such as req_3, or the name of a call in a report, such as worker-1#2/req_3.'],
    options: ADDRESS,
    examples: [['a scenario that answers a call as it was answered', 'commerce-emulator repro req_3 > refused.yaml']],
    run: async (id: string, flags: AddressFlags, { environment, stdout }) => {
      const { repro } = await import('./repro.js')
      stdout.write(await repro(id, await runningAt(flags, environment)))
      return 0
    }
  },
  coverage: {
    about: 'Reports of rule coverage.',
    examples: [['add up the coverage of several jobs', 'commerce-emulator coverage merge reports']]
  },
  'coverage merge': {
    about: 'Add up the coverage of several runs.',
    argument: ['<file...>', 'Coverage reports as JSON, folders of them, or patterns such as reports/*/coverage.json.'],
    options: [formatOption(COVERAGE_FORMATS), option('--min-coverage <percent>', `${LEAST_COVERAGE}; exit 2 below it.`, percentOf)],
    examples: [['add up several jobs and ask for 80 %', 'commerce-emulator coverage merge --min-coverage 80 reports']],
    run: async (files: string[], { format, minCoverage = 0 }: { format: keyof typeof COVERAGE_FORMATS; minCoverage?: number }, { stdout }) => {
      const { mergedCoverage } = await import('./coverage.js')
      const merged = await mergedCoverage(files)
      stdout.write(COVERAGE_FORMATS[format](merged))
      return merged.percent < minCoverage ? 2 : 0
    }
  },
  healthcheck: {
    about: 'Ask a running emulator whether it is ready; exit 0 when it is.',
    options: settingOptions(['port', 'host']),
    examples: [['wait until an emulator is ready', 'until commerce-emulator healthcheck --port 4010; do sleep 0.1; done']],
    run: async (_: string[], flags: SettingFlags, { environment, stdout }) => {
      const { healthcheck } = await import('./healthcheck.js')
      return (await healthcheck(settingsInForce(await launchOf(flags, environment)).values, text => stdout.write(`${text}\n`))) ? 0 : 1
    }
  }
} satisfies Readonly<Record<string, Spec>>

async function runCheck(files: string[], flags: CheckFlags, line: CommandLine): Promise<number> {
  const { program, environment, stdout, stderr } = line
  const { against = null, key = [], format, maxAnswer: mostBytes, timeout, writeSettings, failOn = [], report: folder } = flags
  if (against === null && flags.key) program.error('error: --key goes with --against; in process the scenario uses its own keys')
  if (against === null && writeSettings !== undefined) program.error('error: --write-settings goes with --against')
  const wrong = against === null ? null : addressProblem(against)
  if (wrong !== null) program.error(`error: --against takes the base address of a service, such as https://service.example/next: ${wrong}`)
  const gates = gatesOf({ failOn }, program)
  const { check } = await import('./check.js')
  const bar = await createProgressBar(stderr)
  const checked = await check(files, {
    launch: await launchOf(flags, environment),
    against,
    mostBytes,
    timeout,
    failOn: gates.failOn,
    keys: new Map([...(environment.COMMERCE_API_KEY ? [['', environment.COMMERCE_API_KEY] as const] : []), ...key.map(pairOf)]),
    variables: new Map(Object.entries(varsOf(flags, program)?.values ?? {})),
    onProgress: bar.update
  }).finally(bar.stop)
  stdout.write(CHECK_FORMATS[format](checked))
  if (writeSettings !== undefined) {
    if (checked.every(({ settings }) => settings === null))
      stderr.write(`commerce-emulator: ${visible(writeSettings)} is not written: no answer was compared\n`)
    else await (await import('./settings-file.js')).writeSettings(writeSettings, settingsFound(checked))
  }
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true })
    await Promise.all([writeFile(join(folder, 'junit.xml'), CHECK_FORMATS.junit(checked)), writeFile(join(folder, 'check.txt'), CHECK_FORMATS.text(checked))])
  }
  return concludeCheck(checked, line)
}

/** Why calls cannot be sent to an address; null where they can. */
function addressProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return `${text} is not an HTTP address`
  if (url.username !== '' || url.password !== '') return 'it holds a user name or a password; give keys with --key'
  return url.search === '' && url.hash === '' ? null : 'it ends in a query or a fragment'
}

/** Annotates problems in GitHub Actions, and returns the exit status. */
function concludeCheck(checked: readonly CheckedFile[], { environment, stderr }: CommandLine): number {
  if (environment.GITHUB_ACTIONS === 'true') stderr.write(checkAnnotations(checked))
  return checked.some(({ points }) => points.some(isFailed)) ? 1 : 0
}

/** The command is all that comes after `--`, which is there. */
async function runCommand(operands: string[], flags: RunFlags, { program, args, environment, stderr }: CommandLine): Promise<number> {
  const command = args.slice(args.indexOf('--') + 1) as [string, ...string[]]
  if (operands.length > command.length) program.error(`error: ${operands[0]} comes before --, where ${args[0]} has its own options`, { exitCode: USAGE_STATUS })
  const { exec } = await import('./exec.js')
  const { killAfter, report = null, out } = flags
  const vars = varsOf(flags, program)
  const gates = gatesOf(flags, program)
  const launch = await launchOf(flags, environment)
  refuseForeignHost(launch.flag, environment)
  return exec(command, { launch, vars, names: flags, killAfter, gates, report, environment, out }, { stderr })
}

async function launchOf({ set = [], settings, ...flags }: SettingFlags, environment: Environment) {
  const named = Object.entries(flags).map(([name, value]) => [name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), String(value)] as const)
  const fromFile = settings === undefined ? {} : await (await import('./settings-file.js')).readSettings(settings)
  const fromFlags = await settingsOfFlags(Object.fromEntries(named.filter(([key]) => Object.hasOwn(SETTINGS, key))), set)
  return { flag: { ...fromFile, ...fromFlags }, environment: await settingsOfEnvironment(environment), variables: variablesIn(environment) }
}

/** Undefined without `--var`. */
function varsOf({ var: texts }: SettingFlags, program: Command) {
  if (texts === undefined) return undefined
  const nameless = texts.find(text => pairOf(text)[0] === '')
  if (nameless !== undefined) program.error(`error: --var takes NAME=VALUE, not ${nameless}`)
  const names = texts.map(text => pairOf(text)[0])
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) program.error(`error: --var gives ${twice} twice`)
  return { values: Object.fromEntries(texts.map(pairOf)), isText: true }
}

function gatesOf(flags: GateFlags, program: Command) {
  const gates = gatesFrom(flags)
  return typeof gates === 'string' ? program.error(`error: ${gates}`) : gates
}

async function runningAt({ url, token }: AddressFlags, environment: Environment): Promise<{ url: string; token: string | null }> {
  const known = token ?? (await settingsOfEnvironment(environment)).control_token ?? null
  return { url: url ?? (environment.COMMERCE_URL || 'http://localhost:4010'), token: known }
}

/** Why an argument is refused where the emulator is started. */
function strayArgument(word: string, program: Command): string {
  const commands = program.commands.map(command => command.name())
  if (commands.includes(word)) return `the command ${word} comes first: commerce-emulator ${word}`
  if (isPath(word)) return `${word} has no flag; did you mean --scenario ${word}?`
  return `unknown command ${word}${didYouMean(word, commands)}`
}
