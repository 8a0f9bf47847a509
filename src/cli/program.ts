/** The command line: `commerce-emulator [start] | new NAME | validate FILE… | check FILE… | exec -- COMMAND… | record --out FILE -- COMMAND… | repro ID | coverage merge FILE… | healthcheck`. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, CommanderError, Help, InvalidArgumentError, Option } from 'commander'
import { didYouMean } from '../core/nearest.js'
import { SETTING_KEYS, SETTINGS, type SettingKey, settingsInForce, variableOf } from '../core/settings.js'
import { visible } from '../core/visible.js'
import { COVERAGE_FORMATS, type CoverageFormat } from '../evidence/reports.js'
import { isPath } from '../scenario/library.js'
import { VERSION } from '../version.js'
import { type CheckedFile, isFailed } from './check/points.js'
import { failureLines } from './failures.js'
import { examplesOf } from './help-examples.js'
import { linesOnVariables, refuseForeignHost, settingsOfEnvironment, settingsOfFlags, variablesIn } from './launch.js'
import { createProgressBar } from './progress.js'
import { REPORT_FORMATS, type ReportFormat } from './reports.js'

export type Streams = { stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream }
type Flags = { set?: string[]; var?: string[]; settings?: string } & Partial<Record<SettingKey, string>>
type CheckFlags = Flags & {
  against?: string
  key?: string[]
  format: ReportFormat
  maxAnswer?: number
  timeout?: number
  writeSettings?: string
  failOn?: string[]
  report?: string
}
type GateFlags = { minCoverage?: number; failOn?: string[]; ignore?: string[]; report?: string }
type ExecFlags = Flags &
  GateFlags & { killAfter: number; urlName: string; baseUrlName: string; sandboxUrlName: string; apiKeyName: string; controlUrlName: string }
type RecordFlags = ExecFlags & { out: string }
type AddressFlags = { url?: string | undefined; token?: string | undefined }
type JudgeFlags = GateFlags & AddressFlags
type Environment = Readonly<Record<string, string | undefined>>

const EXAMPLES = `
Examples:
  commerce-emulator                                  the default scenario
  commerce-emulator --port 0 --scenario ./own.yaml   your own, on a free port
  commerce-emulator --set pagination.max_limit=5     any setting, by its key
  commerce-emulator validate ./own.yaml              check it, start nothing

A flag takes precedence over its environment variable, and the variable over the
scenario. A variable with the prefix COMMERCE_EMULATOR_ takes precedence over
the one without it. GET /_control/settings of a running emulator lists every
setting and where its value came from.`

/** The exit status of a command line of exec that names no command, so that no build takes it for a success of its tests. */
const USAGE_STATUS = 2

const collected = (text: string, before: string[] = []) => [...before, text]

/** The two parts of `NAME=VALUE`; a value alone has the name ''. */
const pairOf = (text: string): readonly [string, string] => {
  const at = text.indexOf('=')
  return at < 1 ? ['', text] : [text.slice(0, at), text.slice(at + 1)]
}

/** A percentage from 0 to 100. Errors: `InvalidArgumentError` for any other text. */
const percentOf = (text: string): number => {
  const percent = Number(text)
  if (text.trim() === '' || !(percent >= 0 && percent <= 100)) throw new InvalidArgumentError('A percentage from 0 to 100 was expected.')
  return percent
}

/** A whole number from 1 to 2^31 - 1, as timers take them. Errors: `InvalidArgumentError` for any other text. */
const wholeOf = (text: string): number => {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > 2_147_483_647) throw new InvalidArgumentError('A whole number from 1 to 2147483647 was expected.')
  return number
}

/** Names of a list that is given in one or several words, with spaces or commas between them. */
const listOf = (text: string, before: string[] = []) => [...before, ...text.split(',').filter(name => name !== '')]

/** What is printed after a setting's description in place of its own default and variable. */
type SettingNotes = Readonly<Partial<Record<SettingKey, string>>>

/** Adds the flags of those settings that have one, and `--set` for all of them. */
function withSettings(command: Command, wanted: (key: SettingKey) => boolean = () => true, notes: SettingNotes = {}): Command {
  for (const key of SETTING_KEYS.filter(wanted)) {
    const { flag, about, default: fallback } = SETTINGS[key] as { flag?: string; about: string; default: unknown }
    if (!flag) continue
    const shown = fallback === null || fallback === false ? '' : `default: ${fallback}; `
    const value = typeof fallback === 'boolean' ? '' : ` <${flag.slice(2).split('-').at(-1)}>`
    command.addOption(new Option(`${flag}${value}`, `${about} (${notes[key] ?? `${shown}variable: ${variableOf(key)}`})`))
  }
  return command
    .addOption(new Option('--set <key=value>', 'Any setting, as often as needed.').argParser(collected))
    .option('--settings <file>', 'A YAML or JSON file of settings; --set and the flags take precedence.')
    .helpOption('-h, --help', 'Print this help.')
}

/** Adds `--var` for the variables of scenarios. */
const withVariables = (command: Command, about = 'The value of a variable of the scenario, as often as needed.'): Command =>
  command.addOption(new Option('--var <name=value>', about).argParser(collected))

/** What exec or record runs: all that comes after `--`, which is there. */
const commandIn = (args: readonly string[]): readonly string[] => args.slice(args.indexOf('--') + 1)

/** The usage of each command that runs another one. */
const RUN_USAGES: Readonly<Record<string, string>> = { exec: 'exec [options] -- COMMAND', record: 'record --out FILE [options] -- COMMAND' }

/** Why a command line of exec or record runs nothing, though no help is asked for; null where it names a command. */
function missingCommand([command = '', first, ...rest]: readonly string[]): string | null {
  if (!Object.hasOwn(RUN_USAGES, command) || first === '-h' || first === '--help') return null
  const all = [first, ...rest]
  const end = all.indexOf('--')
  if (end < 0) return `${command} needs -- before the command that it runs: commerce-emulator ${RUN_USAGES[command]}`
  if (end === all.length - 1) return `${command} needs a command after --`
  const version = all.slice(0, end).find(word => word === '-V' || word === '--version')
  return version === undefined ? null : `${command} has no option ${version}`
}

/** Adds the flags that say what fails a run, and where its reports go. */
function withGates(command: Command): Command {
  return command
    .option('--min-coverage <percent>', 'The least rule coverage that passes.', percentOf)
    .option(
      '--fail-on <names...>',
      'What fails the run: expectations, script, findings, errors, warnings, or findings by their names. (default: expectations)',
      listOf
    )
    .option('--ignore <names...>', 'Findings that fail no gate, by their names.', listOf)
    .option('--report <dir>', 'Folder to write reports to: report.html, junit.xml, summary.md, run.json and the coverage.')
}

/** Why a text is no address to send calls to; null where it is one. */
function addressProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return `${text} is not an HTTP address`
  if (url.username !== '' || url.password !== '') return 'it holds a user name or a password; give keys with --key'
  return url.search === '' && url.hash === '' ? null : 'it ends in a query or a fragment'
}

/** A reader that has read enough, such as `head`, is no failure. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** What the commands are added to, and what they report by. */
type CommandLine = Streams & {
  program: Command
  args: readonly string[]
  environment: Environment
  /** Settles the exit status; null when the process goes on serving. */
  end: (status: number | null) => void
}

/** Runs the command line and returns the exit status, or null when the process goes on serving. Errors are reported on stderr. */
export async function run(args: readonly string[], environment: Environment, { stdout, stderr }: Streams): Promise<number | null> {
  for (const stream of [stdout, stderr]) stream.on('error', ignoreClosed)
  let status: number | null = 0
  const end = (settled: number | null) => {
    status = settled
  }
  const program = programOn({ stdout, stderr })
  const line: CommandLine = { program, args, environment, stdout, stderr, end }
  const start = addStart(line)
  for (const add of [addNew, addValidate, addCheck, addExec, addRecord, addJudge, addRepro, addCoverage, addHealthcheck]) add(line)
  program.configureHelp({ formatHelp: (_program, { helpWidth }) => overview(program, start, helpWidth as number) })

  const missing = missingCommand(args)
  if (missing !== null) {
    stderr.write(`commerce-emulator: ${missing}\n`)
    return USAGE_STATUS
  }
  try {
    await program.parseAsync([...args], { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    const lines = failureLines(error as Error)
    for (const line of [...lines, ...linesOnVariables(lines, environment).map(visible)]) stderr.write(`${line}\n`)
    return 1
  }
}

/** The program without its commands. */
function programOn({ stdout, stderr }: Streams): Command {
  return new Command('commerce-emulator')
    .description('A local emulator of the Commerce Service API.')
    .usage(
      '[start] [options]\n       commerce-emulator new [options] <name>\n       commerce-emulator validate [options] <file...>\n       commerce-emulator check [options] <file...>\n       commerce-emulator exec [options] -- <command...>\n       commerce-emulator record --out <file> [options] -- <command...>\n       commerce-emulator judge [options]\n       commerce-emulator repro [options] <id>\n       commerce-emulator coverage merge [options] <file...>\n       commerce-emulator healthcheck [options]'
    )
    .version(VERSION, '-V, --version', 'Print the version.')
    .helpOption('-h, --help', 'Print this help.')
    .helpCommand('help [command]', 'Print the help of a command.')
    .addHelpText('after', EXAMPLES)
    .configureOutput({
      writeOut: text => stdout.write(text),
      writeErr: text => stderr.write(text),
      getOutHelpWidth: () => stdout.columns
    })
    .exitOverride()
    .showHelpAfterError('(run commerce-emulator --help for the commands and flags)')
}

/** The settings of a command's flags and of the environment. */
async function launchOf({ set = [], settings, var: _, ...flags }: Flags, environment: Environment) {
  const named = Object.fromEntries(Object.entries(flags).map(([name, value]) => [name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), String(value)]))
  const fromFile = settings === undefined ? {} : await (await import('./settings-file.js')).readSettings(settings)
  const flag = { ...fromFile, ...(await settingsOfFlags(named, set)) }
  return { flag, environment: await settingsOfEnvironment(environment), variables: variablesIn(environment) }
}

/** The values that `--var` gives; undefined where it gives none. */
function varsOf({ var: texts }: Flags, program: Command) {
  if (texts === undefined) return undefined
  const nameless = texts.find(text => !/^[^=]+=/.test(text))
  if (nameless !== undefined) program.error(`error: --var takes NAME=VALUE, not ${nameless}`)
  const values = new Map(texts.map(pairOf))
  const twice = texts.map(pairOf).find(([name], index) => texts.findIndex(text => pairOf(text)[0] === name) < index)
  if (twice !== undefined) program.error(`error: --var gives ${twice[0]} twice`)
  return { values: Object.fromEntries(values), isText: true }
}

/** What fails a run, by its flags. */
async function gatesOf(flags: GateFlags, program: Command) {
  const { gatesFrom } = await import('../control/reports/gates.js')
  const gates = gatesFrom(flags)
  return typeof gates === 'string' ? program.error(`error: ${gates}`) : gates
}

/** Annotates the lines of problems where GitHub Actions shows them, and settles the exit status. */
async function concludeCheck(checked: readonly CheckedFile[], { environment, stderr, end }: CommandLine): Promise<void> {
  const { pointAnnotations } = await import('./reports.js')
  if (environment.GITHUB_ACTIONS === 'true') stderr.write(pointAnnotations(checked))
  end(checked.some(({ points }) => points.some(isFailed)) ? 1 : 0)
}

function addStart({ program, environment, stdout, stderr, end }: CommandLine): Command {
  return withSettings(withVariables(program.command('start', { isDefault: true }).description('Start the emulator; also when no command is named.')))
    .addHelpText('after', examplesOf('start'))
    .allowExcessArguments()
    .action(async (flags: Flags, { args }: Command) => {
      if (args.length > 0) program.error(`error: ${strayArgument(args[0] as string, program)}`)
      const { start } = await import('./start.js')
      const { flag, ...more } = await launchOf(flags, environment)
      refuseForeignHost(flag, environment)
      await start({ settings: flag, ...more, vars: varsOf(flags, program) }, { stdout, stderr })
      end(null)
    })
}

function addNew({ program, stdout, stderr, end }: CommandLine): void {
  program
    .command('new')
    .argument('<name>', 'The name of the file, or its path; .yaml is added.')
    .description('Write a commented scenario to start from.')
    .addHelpText('after', examplesOf('new'))
    .option('--force', 'Overwrite an existing file.')
    .helpOption('-h, --help', 'Print this help.')
    .action(async (name: string, { force = false }: { force?: boolean }) => {
      const { newScenario } = await import('./new.js')
      const { lines, isWritten } = await newScenario(name, { force })
      if (isWritten) stdout.write(`${lines.map(visible).join('\n')}\n`)
      else stderr.write(`commerce-emulator: ${lines.map(visible).join('\n')}\n`)
      end(isWritten ? 0 : 1)
    })
}

function addValidate(line: CommandLine): void {
  const { program, environment, stdout } = line
  withSettings(
    withVariables(
      program
        .command('validate')
        .argument('<file...>', "Scenario or fixture files, folders of them, or patterns such as 'scenarios/**/*.yaml'.")
        .description('Check scenario and fixture files; exit 0 when all are valid.')
        .addHelpText('after', examplesOf('validate'))
    ),
    key => key === 'fixtures_dir' || key === 'scenarios_dir'
  ).action(async (files: string[], flags: Flags) => {
    const { validate } = await import('./validate.js')
    const launch = await launchOf(flags, environment)
    await concludeCheck(await validate(files, { launch, vars: varsOf(flags, program) }, text => stdout.write(`${text}\n`)), line)
  })
}

function addCheck(line: CommandLine): void {
  const { program, environment, stdout, stderr } = line
  withSettings(
    withVariables(
      program
        .command('check')
        .argument('<file...>', "Scenario files, folders of them, or patterns such as 'scenarios/**/*.yaml'.")
        .description("Play scenarios' steps and check their expectations; exit 0 when all hold.")
        .addHelpText('after', examplesOf('check'))
        .option('--against <url>', 'Play against a running service, by its base address, and compare its answers; no script and no control call is sent there.')
        .option('--write-settings <file>', 'File to write the settings to that make the emulator answer as that service does, as YAML or JSON.')
        .addOption(
          new Option('--key <[name=]key>', "A key to send there in place of a scenario's; without a name, in place of the first merchant's.").argParser(
            collected
          )
        )
        .option('--max-answer <bytes>', 'Longest answer that is read there. (default: 16777216)', wholeOf)
        .option('--timeout <ms>', 'Longest that an answer may take there, in milliseconds. (default: 30000)', wholeOf)
        .addOption(new Option('--format <format>', 'How to report.').choices(REPORT_FORMATS).default('text'))
        .option('--fail-on <names...>', 'What fails besides steps and expectations: script, findings, errors, warnings, or findings by their names.', listOf)
        .option('--report <dir>', 'Folder to write junit.xml and check.txt to.'),
      'The value of a variable of the scenario, or of ${name} in its steps.'
    ),
    key => key === 'fixtures_dir' || key === 'scenarios_dir'
  ).action(async (files: string[], { against, key, format, maxAnswer, timeout, writeSettings, failOn, report: folder, ...flags }: CheckFlags) => {
    if (key && against === undefined) program.error('error: --key goes with --against; in process the scenario uses its own keys')
    if (writeSettings !== undefined && against === undefined) program.error('error: --write-settings goes with --against')
    const wrong = against === undefined ? null : addressProblem(against)
    if (wrong !== null) program.error(`error: --against takes the base address of a service, such as https://service.example/next: ${wrong}`)
    const gates = await gatesOf({ failOn: failOn ?? [] }, program)
    const { check } = await import('./check.js')
    const { report, settingsFound } = await import('./reports.js')
    const bar = await createProgressBar(stderr)
    const checked = await check(files, {
      launch: await launchOf(flags, environment),
      against: against ?? null,
      ...(maxAnswer !== undefined && { mostBytes: maxAnswer }),
      ...(timeout !== undefined && { timeout }),
      failOn: gates.failOn,
      keys: new Map([...(environment.COMMERCE_API_KEY ? [['', environment.COMMERCE_API_KEY] as const] : []), ...(key ?? []).map(pairOf)]),
      variables: new Map(Object.entries(varsOf(flags, program)?.values ?? {})),
      onProgress: bar.update
    }).finally(bar.stop)
    stdout.write(report(checked, format))
    if (writeSettings !== undefined) {
      if (checked.every(({ settings }) => settings === null))
        stderr.write(`commerce-emulator: ${visible(writeSettings)} is not written: no answer was compared\n`)
      else await (await import('./settings-file.js')).writeSettings(writeSettings, settingsFound(checked))
    }
    if (folder !== undefined) {
      await mkdir(folder, { recursive: true })
      await Promise.all([writeFile(join(folder, 'junit.xml'), report(checked, 'junit')), writeFile(join(folder, 'check.txt'), report(checked, 'text'))])
    }
    await concludeCheck(checked, line)
  })
}

/** Adds the flags of a command that runs another one. */
const withRunFlags = (command: Command): Command =>
  withSettings(
    withVariables(withGates(command))
      .argument('<command...>', 'The command to run, after --.')
      .addOption(new Option('--kill-after <seconds>', 'How long the command may take to end after a signal.').argParser(wholeOf).default(5))
      .option('--url-name <name>', "Variable for the emulator's address.", 'COMMERCE_URL')
      .option('--base-url-name <name>', 'Variable for the base address of the API.', 'COMMERCE_BASE_URL')
      .option('--sandbox-url-name <name>', 'Variable for the base address of a sandbox, with {name} in it.', 'COMMERCE_SANDBOX_URL')
      .option('--api-key-name <name>', 'Variable for the first API key.', 'COMMERCE_API_KEY')
      .option('--control-url-name <name>', 'Variable for the address of the control API.', 'COMMERCE_CONTROL_URL'),
    () => true,
    { port: 'default: a free one', log_level: `default: silent; variable: ${variableOf('log_level')}` }
  )

/** What runs the command of exec or record. */
function runnerOf({ program, args, environment, stderr, end }: CommandLine) {
  return async (operands: string[], { minCoverage, failOn, ignore, report, killAfter, ...flags }: ExecFlags, name: string, out?: string) => {
    const command = commandIn(args) as [string, ...string[]]
    if (operands.length > command.length) program.error(`error: ${operands[0]} comes before --, where ${name} has its own options`, { exitCode: USAGE_STATUS })
    const { exec } = await import('./exec.js')
    const { urlName, baseUrlName, sandboxUrlName, apiKeyName, controlUrlName, ...settings } = flags
    const vars = varsOf(settings, program)
    const names = { url: urlName, baseUrl: baseUrlName, sandboxUrl: sandboxUrlName, apiKey: apiKeyName, controlUrl: controlUrlName }
    const gates = await gatesOf({ ...(minCoverage !== undefined && { minCoverage }), ...(failOn && { failOn }), ...(ignore && { ignore }) }, program)
    const launch = await launchOf(settings, environment)
    refuseForeignHost(launch.flag, environment)
    end(await exec(command, { launch, vars, names, killAfter, gates, report: report ?? null, environment, out }, { stderr }))
  }
}

function addExec(line: CommandLine): void {
  const runIt = runnerOf(line)
  withRunFlags(
    line.program
      .command('exec')
      .usage('[options] -- <command...>')
      .description('Run a command against an emulator of its own, and judge its calls; exit with its status, or 2 when only a gate failed.')
      .addHelpText('after', examplesOf('exec'))
  ).action((operands: string[], flags: ExecFlags) => runIt(operands, flags, 'exec'))
}

function addRecord(line: CommandLine): void {
  const runIt = runnerOf(line)
  withRunFlags(
    line.program
      .command('record')
      .usage('--out <file> [options] -- <command...>')
      .description('Run a command as exec does, and write its calls as a scenario that plays them again, with no more records than they need.')
      .addHelpText('after', examplesOf('record'))
      .requiredOption('--out <file>', 'File to write the scenario to; after each load or reset another one, with -2, -3 … in its name.')
  ).action((operands: string[], { out, ...flags }: RecordFlags) => runIt(operands, flags, 'record', out))
}

/** Adds the flags that say where a running emulator is. */
const withAddress = (command: Command): Command =>
  command
    .option('--url <url>', "The emulator's address. (default: http://localhost:4010; variable: COMMERCE_URL)")
    .option('--token <token>', 'Its control token. (variable: CONTROL_TOKEN)')
    .helpOption('-h, --help', 'Print this help.')

/** Where a running emulator is, by those flags or the environment. */
async function runningAt({ url, token }: AddressFlags, environment: Environment): Promise<{ url: string; token: string | null }> {
  const known = token ?? (await settingsOfEnvironment(environment)).control_token ?? null
  return { url: url ?? (environment.COMMERCE_URL || 'http://localhost:4010'), token: known }
}

function addJudge({ program, environment, stderr, end }: CommandLine): void {
  withAddress(
    withGates(
      program
        .command('judge')
        .description('Judge the calls that a running emulator was sent, by the gates and with the reports of exec; exit 2 when a gate failed.')
        .addHelpText('after', examplesOf('judge'))
    )
  ).action(async ({ url, token, report, ...flags }: JudgeFlags) => {
    const { judge } = await import('./judge.js')
    const gates = await gatesOf(flags, program)
    const emulator = await runningAt({ url, token }, environment)
    end(await judge({ ...emulator, gates, report: report ?? null, environment }, stderr))
  })
}

function addRepro({ program, environment, stdout }: CommandLine): void {
  withAddress(
    program
      .command('repro')
      .argument('<id>', 'A Request-Id such as req_3, or the name of a call in a report, such as worker-1#2/req_3.')
      .description('Print the smallest scenario in which a call of a running emulator is answered as it was; it holds the records that the call was judged by.')
      .addHelpText('after', examplesOf('repro'))
  ).action(async (id: string, flags: AddressFlags) => {
    const { repro } = await import('./repro.js')
    stdout.write(await repro(id, await runningAt(flags, environment)))
  })
}

function addCoverage({ program, stdout, end }: CommandLine): void {
  const coverage = program
    .command('coverage')
    .description('Reports of rule coverage.')
    .addHelpText('after', examplesOf('coverage'))
    .helpOption('-h, --help', 'Print this help.')
  coverage
    .command('merge')
    .argument('<file...>', 'Coverage reports as JSON, folders of them, or patterns such as reports/*/coverage.json.')
    .description('Add up the coverage of several runs.')
    .addHelpText('after', examplesOf('coverage merge'))
    .addOption(new Option('--format <format>', 'How to report.').choices(COVERAGE_FORMATS).default('text'))
    .option('--min-coverage <percent>', 'The least rule coverage that passes; exit 2 below it.', percentOf)
    .helpOption('-h, --help', 'Print this help.')
    .action(async (files: string[], { format, minCoverage }: { format: CoverageFormat; minCoverage?: number }) => {
      const { coverageReport, mergedCoverage } = await import('./coverage.js')
      const merged = await mergedCoverage(files)
      stdout.write(coverageReport(merged, format))
      end(merged.percent < (minCoverage ?? 0) ? 2 : 0)
    })
}

function addHealthcheck({ program, environment, stdout, end }: CommandLine): void {
  withSettings(
    program
      .command('healthcheck')
      .description('Ask a running emulator whether it is ready; exit 0 when it is.')
      .addHelpText('after', examplesOf('healthcheck')),
    key => key === 'port' || key === 'host'
  ).action(async (flags: Flags) => {
    const { healthcheck } = await import('./healthcheck.js')
    end((await healthcheck(settingsInForce(await launchOf(flags, environment)).values, line => stdout.write(`${line}\n`))) ? 0 : 1)
  })
}

/** The program's help, with the options of the default command before its own. */
function overview(program: Command, start: Command, helpWidth: number): string {
  const help = new Help()
  const own = help.visibleOptions(program)
  help.visibleOptions = () => [...start.options, ...own]
  help.prepareContext({ helpWidth })
  return help.formatHelp(program, help)
}

/** Why an argument that is not a flag is refused where the emulator is started. */
function strayArgument(word: string, program: Command): string {
  const commands = program.commands.map(command => command.name())
  if (commands.includes(word)) return `the command ${word} comes first: commerce-emulator ${word}`
  if (isPath(word)) return `${word} has no flag; did you mean --scenario ${word}?`
  return `unknown command ${word}${didYouMean(word, commands)}`
}
