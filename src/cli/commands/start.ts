/** The last line, `commerce-emulator ready on …`, is a stable format. */
import type closeWithGrace from 'close-with-grace'
import { type Command, Help } from 'commander'
import type { FastifyBaseLogger } from 'fastify'
import { didYouMean, visible } from '../../core/sentences.js'
import { SETTING_KEYS, type Settings, settingsInForce } from '../../core/settings.js'
import type { RunningEmulator, RunOptions } from '../../emulator.js'
import { countOf } from '../../reports/sentences.js'
import { isPath } from '../../scenario/library.js'
import type { CommandLine, CommandSpec } from '../command.js'
import { launchOf, refuseForeignHost, type SettingFlags, settingOptions, VAR } from '../launch.js'
import { coloured, printLine } from '../printing.js'
import { SAYS, shellWord } from '../sentences.js'

type StartOptions = Required<Pick<RunOptions, 'settings' | 'environment'>> &
  Pick<RunOptions, 'vars'>

export const START = {
  about: 'Start the emulator. The default command.',
  options: [VAR, ...settingOptions(SETTING_KEYS)],
  examples: [
    ['your own scenario, on a free port', 'commerce-emulator start --port 0 --scenario ./own.yaml'],
    ['state that survives a restart', 'commerce-emulator start --data ./state']
  ],
  async run(flags: SettingFlags, line, [stray]: string[]) {
    if (stray !== undefined) line.program.error(`error: ${strayArgument(stray, line.program)}`)
    const { flag, ...launch } = await launchOf(flags, line.environment)
    refuseForeignHost(flag, line.environment)
    await start({ settings: flag, ...launch }, line)
    return null
  }
} satisfies CommandSpec

function strayArgument(word: string, program: Command): string {
  const commands = program.commands.map(command => command.name())
  if (commands.includes(word)) return SAYS.command_first(word)
  return isPath(word)
    ? SAYS.file_without_flag(word)
    : SAYS.unknown_command(word, didYouMean(word, commands))
}

/** Closes on SIGTERM or SIGINT; a second signal ends the process at once. */
export async function start(
  options: StartOptions,
  { stdout, stderr }: Pick<CommandLine, 'stdout' | 'stderr'>,
  beforeEnd?: typeof closeWithGrace
): Promise<void> {
  const [{ runEmulator }, { createLogger }, { default: closeOnSignal }] = await Promise.all([
    import('../../emulator.js'),
    import('../../server/logging.js'),
    import('close-with-grace')
  ])
  const { settings: flag, environment } = options
  const { values, sources } = settingsInForce({ flag, environment })
  const logger = await createLogger(values.log_level, stderr.isTTY, stderr)
  const emulator = await runEmulator({ ...options, isPortFree: false, logger })
  const onEnd = beforeEnd ?? closeOnSignal
  onEnd({ delay: values['limits.shutdown'] + 5000, logger: false }, async ({ err }) => {
    if (err) logger.fatal({ err }, SAYS.defect())
    await emulator.close().catch(error => {
      printLine(stderr, error.message)
      throw error
    })
  })
  warnOfExposure(values, logger)
  const facts = {
    requested: sources.scenario === 'default' ? null : values.scenario,
    data: values.data,
    hasVars: options.vars !== undefined,
    records: emulator.sandbox.store.size
  }
  stdout.write(coloured(`${startUpText(emulator, facts)}\n`, stdout))
}

export function warnOfExposure(
  { host, control_token }: Pick<Settings, 'host' | 'control_token'>,
  log: Pick<FastifyBaseLogger, 'warn'>
): void {
  if (control_token !== null || /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)) return
  log.warn(SAYS.exposed(host))
}

const COLUMNS = 68
const MAX_KEYS = 8

type StartFacts = {
  requested: string | null
  data: string | null
  hasVars: boolean
  records: number
}

export function startUpText(
  emulator: Pick<RunningEmulator, 'baseUrl' | 'controlUrl' | 'scenario' | 'apiKeys' | 'resumed'>,
  { requested, data, hasVars, records }: StartFacts
): string {
  const { baseUrl, controlUrl, scenario, apiKeys, resumed } = emulator
  const help = new Help()
  const [first] = apiKeys
  const listedKeys = apiKeys.slice(0, MAX_KEYS)
  const width = listedKeys.reduce((width, { key }) => Math.max(width, visible(key).length), 0)
  const keys = listedKeys.map(
    ({ key, account }) => `${visible(key).padEnd(width)}  acts as ${account}`
  )
  if (apiKeys.length > listedKeys.length)
    keys.push(SAYS.more_keys(apiKeys.length - listedKeys.length, `${controlUrl}/keys`))
  const description = scenario.description ? `: ${scenario.description}` : ''
  const texts: [name: string, text: string][] = [
    ['API', baseUrl],
    ['Console', controlUrl],
    ['API docs', `${controlUrl}/docs`],
    ['Scenario', `${scenario.name}${description}`],
    ['Data', `${countOf(records, 'record')}, ${storageText(data, resumed)}`]
  ]
  if (resumed !== null && requested !== null) texts.push(['', SAYS.not_loaded(requested)])
  if (resumed !== null && hasVars) texts.push(['', SAYS.vars_ignored()])
  return [
    '',
    ...texts.flatMap(([name, text]) =>
      beside(name, help.boxWrap(visible(text), COLUMNS).split('\n'))
    ),
    ...beside('Keys', keys),
    ...(first
      ? [
          '',
          `  Try       curl -u ${shellWord(`${first.key}:`)} ${shellWord(`${baseUrl}/locations`)}`
        ]
      : []),
    '',
    `commerce-emulator ready on ${baseUrl}`
  ].join('\n')
}

function storageText(data: string | null, resumed: string | null): string {
  if (data === null) return SAYS.in_memory()
  return resumed === null ? SAYS.kept(data) : SAYS.resumed(resumed)
}

const beside = (name: string, lines: readonly string[]) =>
  lines.map((line, index) => `  ${(index === 0 ? name : '').padEnd(8)}  ${line}`)
