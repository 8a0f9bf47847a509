/** The commands: help, flags, and what they run. */
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { didYouMean } from '../core/nearest.js'
import {
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  settingsInForce,
  variableOf
} from '../core/settings.js'
import { visible } from '../core/visible.js'
import { CHECK_FORMATS, jsonText } from '../reports/formats.js'
import { type CheckedFile, isFailed, settingsFound } from '../reports/points.js'
import { type GivenGates, gatesFrom } from '../reports/run.js'
import { checkAnnotations } from '../reports/text.js'
import { isPath, VERSION } from '../scenario/library.js'
import { coloured } from './colours.js'
import type { ExecOptions } from './exec.js'
import { STATUS } from './failures.js'
import {
  type Environment,
  refuseForeignHost,
  settingsOfEnvironment,
  settingsOfFlags,
  variablesIn
} from './launch.js'
import type { listText } from './lists.js'
import { createProgressBar } from './progress.js'
import { SAYS } from './sentences.js'

export type CommandLine = {
  program: Command
  environment: Environment
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}
export type Spec = {
  about: string
  argument?: readonly [name: string, about: string, choices?: readonly string[]]
  options?: readonly Option[]
  examples: readonly (readonly [about: string, line: string])[]
  /** The exit status, null when the process goes on serving. */
  run?: (operand: never, flags: never, line: CommandLine) => Promise<number | null>
}

type Pairs = ReadonlyMap<string, string>
/** The flags of settings lie beside these, each under its own name. */
type StartFlags = SettingFlags & { quiet?: boolean; open?: boolean }
type SettingFlags = { set?: string[]; var?: Pairs; settings?: string }
type GateFlags = GivenGates & { report?: string; verbose?: boolean }
type RunFlags = SettingFlags &
  GateFlags &
  ExecOptions['names'] & { killAfter: number; out?: string }
type AddressFlags = { url?: string; token?: string }
type ServiceFlags = {
  against?: string
  writeSettings?: string
  key?: Pairs
  maxAnswer: number
  timeout: number
}
type CheckFlags = SettingFlags &
  ServiceFlags & {
    format: keyof typeof CHECK_FORMATS
    failOn?: string[]
    report?: string
  }

const collected = (text: string, before: string[] = []) => [...before, text]

const listOf = (text: string, before: string[] = []) => [
  ...before,
  ...text.split(',').filter(name => name !== '')
]

const numberOf = (isRight: (number: number) => boolean, says: string) => (text: string) => {
  if (!/^\d+(\.\d+)?$/.test(text) || !isRight(Number(text))) throw new InvalidArgumentError(says)
  return Number(text)
}
const percentOf = numberOf(number => number <= 100, SAYS.percentage())
/** Timers take no more. */
const wholeOf = numberOf(
  number => Number.isInteger(number) && number >= 1 && number <= 2_147_483_647,
  SAYS.whole()
)

/** Values by names, of `NAME=VALUE`; of a value alone, ''. */
const paired = (text: string, before: Pairs = new Map()): Pairs => {
  const at = text.indexOf('=')
  return new Map([...before, at < 1 ? ['', text] : [text.slice(0, at), text.slice(at + 1)]])
}

/** The same, each with a name and one value. Errors: `InvalidArgumentError`. */
const named = (text: string, before: Pairs = new Map()): Pairs => {
  const all = paired(text, before)
  if (all.has('')) throw new InvalidArgumentError(SAYS.pair())
  if (all.size === before.size) throw new InvalidArgumentError(SAYS.twice())
  return all
}

const option = <T>(flags: string, about: string, parse?: (text: string, before: T) => T) => {
  const made = new Option(flags, about)
  return parse ? made.argParser(parse) : made
}

type OfSettings = Readonly<Partial<Record<SettingKey, string>>>
/** Names of values that the flag does not tell. */
const VALUES: OfSettings = { data: 'dir' }

/**
 * The flags of settings, `--set` and `--settings`. `notes` replace default and variable, `abouts`
 * what a setting is.
 */
function settingOptions(
  keys: readonly SettingKey[],
  notes: OfSettings = {},
  abouts: OfSettings = {}
): Option[] {
  const own = keys.flatMap(key => {
    const { flag, about, default: fallback } = SETTINGS[key]
    if (!flag) return []
    const shown = fallback === null || fallback === false ? '' : `default: ${fallback}; `
    const value =
      typeof fallback === 'boolean' ? '' : ` <${VALUES[key] ?? flag.slice(2).split('-').at(-1)}>`
    return [
      option(
        `${flag}${value}`,
        `${abouts[key] ?? about} (${notes[key] ?? `${shown}variable: ${variableOf(key)}`})`
      )
    ]
  })
  const set = option('--set <key=value>', 'Any setting; repeatable.', collected)
  return [
    ...own,
    set,
    option(
      '--settings <file>',
      'YAML or JSON file of settings; --set and the other flags take precedence.'
    )
  ]
}

const nameOption = (name: string, what: string) =>
  option(`--${name}-name <name>`, `Variable for ${what}.`).default(
    `COMMERCE_${name.replace('-', '_').toUpperCase()}`
  )
const VAR = option('--var <name=value>', 'Value of a scenario variable; repeatable.', named)
const A_FREE_PORT = 'default: a free one'
const FILES =
  "- for stdin, folders of them, patterns such as 'scenarios/**/*.yaml', or names of scenarios and fixtures."
const FOLDERS = settingOptions(['fixtures_dir', 'scenarios_dir'])
const GATES = [
  option('--min-coverage <percent>', 'Minimum rule coverage.', percentOf),
  option(
    '--fail-on <names...>',
    'More gates: script, findings, errors, warnings, or a finding by name. Expectations are a gate by default.',
    listOf
  ),
  option('--ignore <names...>', 'Gates to disable: expectations, or a finding by name.', listOf),
  option('--allow-no-requests', 'Pass a run in which the emulator received no requests.'),
  option(
    '--report <dir>',
    'Folder for reports: report.html, junit.xml, summary.md, run.json and coverage.json.'
  ),
  option('--verbose', 'List the assumptions that responses relied on.')
]
const RUN = [
  ...GATES,
  VAR,
  option(
    '--kill-after <seconds>',
    'Seconds to wait for the command to end after a signal before it is killed.',
    wholeOf
  ).default(5),
  nameOption('url', "the emulator's address"),
  nameOption('base-url', 'the base address of the API'),
  nameOption('sandbox-url', 'the base address of a sandbox, with {name} in it'),
  nameOption('api-key', 'the first API key'),
  nameOption('control-url', 'the address of the control API'),
  ...settingOptions(SETTING_KEYS, {
    port: A_FREE_PORT,
    log_level: `default: silent; variable: ${variableOf('log_level')}`
  })
]
const COMMAND = [
  '<command...>',
  'Command to run, with its options; write -- before it after an option that takes several names.'
] as const
const TOKEN = option('--token <token>', 'Its control token. (variable: CONTROL_TOKEN)')
const ADDRESS = [
  option(
    '--url <url>',
    "The emulator's address. (default: http://localhost:4010; variable: COMMERCE_URL)"
  ),
  TOKEN
]

/** In the order of the help; one below another has both names. */
export const COMMANDS = {
  start: {
    about: 'Start the emulator. The default command.',
    options: [
      VAR,
      option('--quiet', 'Print only that it is ready, and log only warnings and errors.'),
      option('--open', 'Open the console in the browser.'),
      ...settingOptions(SETTING_KEYS)
    ],
    examples: [
      [
        'your own scenario, on a free port',
        'commerce-emulator start --port 0 --scenario ./own.yaml'
      ],
      ['state that survives a restart', 'commerce-emulator start --data ./state']
    ],
    run: async (
      [stray]: string[],
      { quiet = false, open = false, ...flags }: StartFlags,
      { program, environment, stdout, stderr }
    ) => {
      if (stray !== undefined) refuse(program, strayArgument(stray, program))
      const { start } = await import('./start.js')
      const { flag, ...more } = await launchOf(flags, environment)
      refuseForeignHost(flag, environment)
      await start(
        {
          settings: { ...(quiet && { log_level: 'warn' as const }), ...flag },
          ...more,
          vars: varsOf(flags),
          quiet,
          open
        },
        { stdout, stderr }
      )
      return null
    }
  },
  new: {
    about: 'Write a commented scenario to start from.',
    argument: ['<name>', 'Name of the file, or its path; .yaml is added.'],
    options: [option('--force', 'Overwrite an existing file.')],
    examples: [['a scenario to start from, in own.yaml', 'commerce-emulator new own']],
    run: async (name: string, { force = false }: { force?: boolean }, { stdout }) => {
      const { newScenario } = await import('./new.js')
      for (const line of await newScenario(name, { force })) stdout.write(`${visible(line)}\n`)
      return STATUS.done
    }
  },
  validate: {
    about: 'Check scenario and fixture files; exit 0 if all are valid.',
    argument: ['<file...>', `Scenario or fixture files, ${FILES}`],
    options: [
      option(
        '--watch',
        'Validate again after each change of the files, or of those that they use, until Ctrl-C.'
      ),
      VAR,
      ...FOLDERS
    ],
    examples: [
      ['every problem of a document, with its line', 'commerce-emulator validate ./own.yaml'],
      ['the same after each change', 'commerce-emulator validate ./own.yaml --watch']
    ],
    run: runValidate
  },
  check: {
    about: 'Play scenarios and check their expectations; exit 0 if all hold.',
    argument: ['<file...>', `Scenario files, ${FILES}`],
    options: [
      option(
        '--against <url>',
        'Base address of a running service to play against and compare with; it gets no script and no control requests.'
      ),
      option(
        '--write-settings <file>',
        'YAML or JSON file to write the settings to that make the emulator respond like the service.'
      ),
      option(
        '--key <[name=]key>',
        "Key to send to the service instead of the scenario's key NAME; without a name, instead of the first merchant's.",
        paired
      ),
      option(
        '--max-answer <bytes>',
        'Maximum size of a response from the service.',
        wholeOf
      ).default(16_777_216),
      option(
        '--timeout <ms>',
        'Maximum time to wait for a response from the service, in milliseconds.',
        wholeOf
      ).default(30_000),
      option('--format <format>', 'Format of the report.')
        .choices(Object.keys(CHECK_FORMATS))
        .default('text'),
      option(
        '--fail-on <names...>',
        'More gates: script, findings, errors, warnings, or a finding by name. Steps and expectations always count.',
        listOf
      ),
      option('--report <dir>', 'Folder for junit.xml and check.txt.'),
      option(
        '--var <name=value>',
        'Value of a scenario variable, or of ${name} in its steps; repeatable.',
        named
      ),
      ...FOLDERS
    ],
    examples: [
      [
        'play a scenario in process, and check what it expects',
        'commerce-emulator check ./own.yaml'
      ],
      [
        'play it against a running service, with a JUnit report',
        'commerce-emulator check ./own.yaml --against http://localhost:4010/next \\\n    --key sk_test_merchant --format junit'
      ]
    ],
    run: runCheck
  },
  exec: {
    about:
      'Run a command against its own emulator, and judge its requests; exit with its status, or 3 if only a gate failed.',
    argument: COMMAND,
    options: RUN,
    examples: [
      [
        'run a test suite against its own emulator, and judge its requests',
        'commerce-emulator exec --fail-on errors --report reports \\\n    -- npm test'
      ]
    ],
    run: runCommand
  },
  record: {
    about:
      'Run a command as exec does, and write a scenario that replays its requests, with the records that they touched.',
    argument: COMMAND,
    options: [
      option(
        '--out <file>',
        'File for the scenario; each load or reset starts another one, with -2, -3 … in its name.'
      ).makeOptionMandatory(),
      ...RUN
    ],
    examples: [
      [
        'turn what a test does into a scenario',
        'commerce-emulator record --out refunds.yaml -- npm test'
      ]
    ],
    run: runCommand
  },
  judge: {
    about:
      'Judge the requests that a running emulator received, with the gates and reports of exec; exit 3 if a gate failed.',
    options: [...GATES, ...ADDRESS],
    examples: [
      [
        'judge what a running emulator received',
        'commerce-emulator judge --url http://localhost:4010 --min-coverage 30'
      ]
    ],
    run: async (_: string[], flags: GateFlags & AddressFlags, { environment, stderr }) => {
      const { judge } = await import('./judge.js')
      const options = reportOptions(flags, environment)
      return judge({ ...(await runningAt(flags, environment)), ...options }, stderr)
    }
  },
  repro: {
    about:
      'Print a scenario that replays one request of a running emulator or of a report, with the records that it touched, and gets the same response.',
    argument: [
      '<id>',
      'A Request-Id such as req_3, or the name of a request in a report, such as worker-1#2/req_3.'
    ],
    options: [
      option('--run <file>', 'File run.json of exec --report, in place of a running emulator.'),
      ...ADDRESS
    ],
    examples: [
      ['reproduce the response to a request', 'commerce-emulator repro req_3 > refused.yaml'],
      [
        'the same from a report alone',
        "commerce-emulator repro '#1/req_3' --run reports/run.json > refused.yaml"
      ]
    ],
    run: async (
      id: string,
      { run, ...flags }: AddressFlags & { run?: string },
      { environment, stdout }
    ) => {
      const text =
        run === undefined
          ? (await import('./running.js')).scenarioOf(id, await runningAt(flags, environment))
          : (await import('./repro.js')).scenarioInRun(id, run)
      stdout.write(await text)
      return STATUS.done
    }
  },
  report: {
    about: 'Reports of runs.',
    examples: [['judge several jobs as one run', 'commerce-emulator report merge reports']]
  },
  'report merge': {
    about:
      'Judge several runs as one, and write one report; exit with the status of the first command that failed, or 3 if a gate failed.',
    argument: [
      '<file...>',
      'Files run.json, folders of them, or patterns such as reports/*/run.json.'
    ],
    options: GATES,
    examples: [
      [
        'one report of parallel jobs',
        'commerce-emulator report merge reports --report merged --fail-on errors'
      ]
    ],
    run: async (files: string[], flags: GateFlags, { environment, stderr }) => {
      const { mergeRuns } = await import('./reports.js')
      return mergeRuns(files, reportOptions(flags, environment), stderr)
    }
  },
  mcp: {
    about:
      'Serve a coding agent over the Model Context Protocol on stdin and stdout, with an emulator of its own or a running one.',
    options: [
      option('--url <url>', 'Address of a running emulator, in place of one of its own.'),
      TOKEN,
      VAR,
      // it logs nothing
      ...settingOptions(
        SETTING_KEYS.filter(key => key !== 'log_level'),
        { port: A_FREE_PORT }
      )
    ],
    examples: [['for an agent that starts it', 'commerce-emulator mcp --scenario ./own.yaml']],
    run: async (
      _: string[],
      { url, token, ...flags }: SettingFlags & AddressFlags,
      { environment }
    ) => {
      const { mcp } = await import('./mcp.js')
      const launch = await launchOf(flags, environment)
      const vars = varsOf(flags)?.values
      const settings = { ...launch.environment, port: 0, ...launch.flag }
      if (url === undefined) refuseForeignHost(launch.flag, environment)
      await mcp(
        url === undefined
          ? { settings, ...(vars && { vars }) }
          : await runningAt({ url, token }, environment)
      )
      return STATUS.done
    }
  },
  openapi: {
    about: 'Print the emulated API as OpenAPI 3.1, with the given settings.',
    options: [
      option(
        '--style <style>',
        'How nested parameters are described: as objects, or flat, each named in brackets.'
      )
        .choices(['nested', 'flat'])
        .default('nested'),
      option('--format <format>', 'Format of the document.')
        .choices(['json', 'yaml'])
        .default('json'),
      ...settingOptions(['port'], {}, { port: "Port in the address of the document's server." })
    ],
    examples: [
      [
        'the document that most generators can use',
        'commerce-emulator openapi --style flat > openapi.json'
      ]
    ],
    run: async (
      _: string[],
      { style, format, ...flags }: SettingFlags & { style: string; format: string },
      { environment, stdout }
    ) => {
      const [{ documentBy }, { yamlText }] = await Promise.all([
        import('../control/openapi/api.js'),
        import('../scenario/yaml.js')
      ])
      const document = documentBy(settingsInForce(await launchOf(flags, environment)).values, {
        version: VERSION,
        isFlat: style === 'flat'
      })
      stdout.write(format === 'yaml' ? yamlText(document) : jsonText(document))
      return STATUS.done
    }
  },
  scenarios: {
    ...listing('scenarios', 'List the scenarios and fixtures that can be loaded by name.'),
    options: FOLDERS
  },
  rules: listing('rules', 'List the rules of the service.'),
  assumptions: listing(
    'assumptions',
    'List what the emulator assumes where the reference is silent.'
  ),
  settings: listing('settings', 'List the settings, each with its default.'),
  completion: {
    about: 'Print a script that completes commands and options in a shell.',
    argument: ['<shell>', 'Shell that reads the script.', ['bash', 'zsh', 'fish']],
    examples: [
      ['complete commands and options in this bash', 'source <(commerce-emulator completion bash)'],
      ['in this zsh; in ~/.zshrc, for every zsh', 'source <(commerce-emulator completion zsh)'],
      ['in this fish', 'commerce-emulator completion fish | source']
    ],
    run: async (shell: string, _: object, { program, stdout }) => {
      const { COMPLETIONS } = await import('./completion.js')
      stdout.write((COMPLETIONS[shell] as (program: Command) => string)(program))
      return STATUS.done
    }
  },
  healthcheck: {
    about: 'Ask a running emulator whether it is ready; exit 0 if it is.',
    options: settingOptions(
      ['port', 'host'],
      {},
      { port: "The emulator's port.", host: 'The address that it listens on.' }
    ),
    examples: [
      [
        'wait until an emulator is ready',
        'until commerce-emulator healthcheck --port 4010; do sleep 0.1; done'
      ]
    ],
    run: async (_: string[], flags: SettingFlags, { environment, stdout }) => {
      const { healthcheck } = await import('./running.js')
      const isReady = await healthcheck(
        settingsInForce(await launchOf(flags, environment)).values,
        text => stdout.write(`${text}\n`)
      )
      return isReady ? STATUS.done : STATUS.failed
    }
  }
} satisfies Readonly<Record<string, Spec>>

function listing(name: Parameters<typeof listText>[0], about: string): Spec {
  return {
    about,
    examples: [[`find the ${name} about refunds`, `commerce-emulator ${name} | grep -i refund`]],
    run: async (_: string[], flags: SettingFlags, { environment, stdout }) => {
      const { listText } = await import('./lists.js')
      stdout.write(await listText(name, await launchOf(flags, environment)))
      return STATUS.done
    }
  }
}

async function runValidate(
  files: string[],
  { watch = false, ...flags }: SettingFlags & { watch?: boolean },
  line: CommandLine
): Promise<number> {
  const { validate, validateText } = await import('./validate.js')
  const launch = await launchOf(flags, line.environment)
  const read = new Set<string>()
  const validated = async () => {
    const bar = await createProgressBar(line.stderr)
    const options = { launch, vars: varsOf(flags), read, onProgress: bar.update }
    const checked = await validate(files, options).finally(bar.stop)
    line.stdout.write(coloured(validateText(checked), line.stdout))
    return concludeCheck(checked, line)
  }
  let status = await validated()
  if (!watch) return status
  const { watchFiles } = await import('../watching.js')
  const stop = watchFiles(read, async file => {
    line.stdout.write(`\n${visible(SAYS.changed(file))}\n`)
    status = await validated()
  })
  await once(process, 'SIGINT')
  await stop()
  return status
}

async function runCheck(files: string[], flags: CheckFlags, line: CommandLine): Promise<number> {
  const { program, environment, stdout, stderr } = line
  const {
    against = null,
    key = new Map(),
    format,
    maxAnswer: maxBytes,
    timeout,
    writeSettings,
    failOn = [],
    report: folder,
    var: variables = new Map()
  } = flags
  if (against === null && flags.key) refuse(program, SAYS.only_against('--key'))
  if (against === null && writeSettings !== undefined)
    refuse(program, SAYS.only_against('--write-settings'))
  const wrong = against === null ? null : addressProblem(against)
  if (wrong !== null) refuse(program, SAYS.address(wrong))
  const gates = gatesFrom({ failOn })
  const { check } = await import('./check.js')
  const bar = await createProgressBar(stderr)
  const checked = await check(files, {
    launch: await launchOf(flags, environment),
    against,
    maxBytes,
    timeout,
    failOn: gates.failOn,
    keys: new Map([
      ...(environment.COMMERCE_API_KEY ? [['', environment.COMMERCE_API_KEY] as const] : []),
      ...key
    ]),
    variables,
    onProgress: bar.update
  }).finally(bar.stop)
  stdout.write(coloured(CHECK_FORMATS[format](checked), stdout))
  if (writeSettings !== undefined) {
    if (checked.every(({ settings }) => settings === null))
      stderr.write(`commerce-emulator: ${SAYS.not_compared(visible(writeSettings))}\n`)
    else
      await (await import('./settings-file.js')).writeSettings(
        writeSettings,
        settingsFound(checked)
      )
  }
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true })
    await Promise.all([
      writeFile(join(folder, 'junit.xml'), CHECK_FORMATS.junit(checked)),
      writeFile(join(folder, 'check.txt'), CHECK_FORMATS.text(checked))
    ])
  }
  return concludeCheck(checked, line)
}

function addressProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return SAYS.not_http(text)
  if (url.username !== '' || url.password !== '') return SAYS.has_login()
  return url.search === '' && url.hash === '' ? null : SAYS.has_query()
}

/** Annotates problems in GitHub Actions. Returns the exit status. */
function concludeCheck(
  checked: readonly CheckedFile[],
  { environment, stderr }: CommandLine
): number {
  if (environment.GITHUB_ACTIONS === 'true') stderr.write(checkAnnotations(checked))
  return checked.some(({ points }) => points.some(isFailed)) ? STATUS.failed : STATUS.done
}

async function runCommand(
  command: [string, ...string[]],
  flags: RunFlags,
  { environment, stderr }: CommandLine
): Promise<number> {
  const { exec } = await import('./exec.js')
  const { killAfter, out } = flags
  const options = reportOptions(flags, environment)
  const launch = await launchOf(flags, environment)
  refuseForeignHost(launch.flag, environment)
  return exec(
    command,
    { launch, vars: varsOf(flags), names: flags, killAfter, out, ...options },
    { stderr }
  )
}

const reportOptions = (flags: GateFlags, environment: Environment) => ({
  gates: gatesFrom(flags),
  report: flags.report ?? null,
  isVerbose: flags.verbose ?? false,
  environment
})

async function launchOf({ set = [], settings, ...flags }: SettingFlags, environment: Environment) {
  const named = Object.entries(flags).map(
    ([name, value]) =>
      [name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), String(value)] as const
  )
  const fromFile =
    settings === undefined ? {} : await (await import('./settings-file.js')).readSettings(settings)
  const fromFlags = await settingsOfFlags(
    Object.fromEntries(named.filter(([key]) => Object.hasOwn(SETTINGS, key))),
    set
  )
  return {
    flag: { ...fromFile, ...fromFlags },
    environment: await settingsOfEnvironment(environment),
    variables: variablesIn(environment)
  }
}

const varsOf = ({ var: values }: SettingFlags) =>
  values && { values: Object.fromEntries(values), isText: true }

async function runningAt(
  { url, token }: AddressFlags,
  environment: Environment
): Promise<{ url: string; token: string | null }> {
  const known = token ?? (await settingsOfEnvironment(environment)).control_token ?? null
  return { url: url ?? (environment.COMMERCE_URL || 'http://localhost:4010'), token: known }
}

function strayArgument(word: string, program: Command): string {
  const commands = program.commands.map(command => command.name())
  if (commands.includes(word)) return SAYS.command_first(word)
  return isPath(word)
    ? SAYS.file_without_flag(word)
    : SAYS.unknown_command(word, didYouMean(word, commands))
}

const refuse = (program: Command, message: string): never => program.error(`error: ${message}`)
