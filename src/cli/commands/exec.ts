import { join } from 'node:path'
import { BASE } from '../../core/paths.js'
import {
  type GivenSettings,
  SETTING_KEYS,
  settingsInForce,
  variableOf
} from '../../core/settings.js'
import type { RunningEmulator, RunOptions } from '../../emulator.js'
import type { RunDocument } from '../../reports/run.js'
import { type Command, runCommand } from '../child-command.js'
import { type CommandLine, type CommandSpec, option, STATUS } from '../command.js'
import { CRITERIA, type CriteriaFlags, concludeRun, reportingOf } from '../judging.js'
import {
  A_FREE_PORT,
  launchOf,
  refuseForeignHost,
  type SettingFlags,
  settingOptions,
  VAR
} from '../launch.js'
import { printLine } from '../printing.js'
import { readFrom } from '../running.js'
import { SAYS, shellWord } from '../sentences.js'

type ExecFlags = SettingFlags & CriteriaFlags & { out?: string }

const OPTIONS = [
  ...CRITERIA,
  VAR,
  ...settingOptions(SETTING_KEYS, {
    port: A_FREE_PORT,
    log_level: `default: silent; variable: ${variableOf('log_level')}`
  })
]
const argument = [
  '<command...>',
  'Command to run, with its options; always put -- before it.'
] as const

export const EXEC: CommandSpec = {
  about:
    'Run a command against its own emulator, and judge its requests; exit with its status, or 3 if only a criterion failed.',
  argument,
  options: OPTIONS,
  examples: [
    [
      'run a test suite against its own emulator, and judge its requests',
      'commerce-emulator exec --fail-on errors --report reports \\\n    -- npm test'
    ]
  ],
  run: exec
}

export const RECORD: CommandSpec = {
  about:
    'Run a command as exec does, and write a scenario that replays its requests, with the records that they touched.',
  argument,
  options: [
    option(
      '--out <file>',
      'File for the scenario; each load or reset starts another file, with -2, -3 … in its name.'
    ).makeOptionMandatory(),
    ...OPTIONS
  ],
  examples: [
    [
      'turn what a test does into a scenario',
      'commerce-emulator record --out refunds.yaml -- npm test'
    ]
  ],
  run: exec
}

async function exec(flags: ExecFlags, line: CommandLine, command: Command): Promise<number> {
  const { stderr } = line
  const { out } = flags
  const reporting = await reportingOf(flags)
  const { vars, ...launch } = await launchOf(flags, line.environment)
  refuseForeignHost(launch.flag, line.environment)
  const recording =
    out === undefined && reporting.report === null ? null : await import('../recorder.js')
  if (out !== undefined) await recording?.checkWritable(out)
  const recorder = recording && new recording.Recorder()
  const environment = { ...(recorder && RECORDING_SETTINGS), ...launch.environment }
  const say = (text: string) => printLine(stderr, text)
  const emulator = await startFor({ ...launch, environment, vars }, recorder?.note, line)
  try {
    const variables = { ...variablesFor(emulator), ...withoutProxy(process.env, say) }
    const { status, why, hasRun = true } = await runCommand(command, variables)
    if (!hasRun) {
      say(why)
      return status
    }
    const { control_token: token } = settingsInForce(launch).values
    const address = { url: emulator.url, ...(token && { token }) }
    const run: RunDocument = await readFrom(address, ({ control }) => control('GET /run'))
    const recorded = await recorder?.end(emulator, out, stderr)
    run.recordings = recorded?.recordings ?? []
    const next = nextFor(run, out, reporting.report)
    const exitStatus = await concludeRun(run, status, { ...reporting, next }, line)
    if (status !== 0) say(why)
    const isWritten = out === undefined || recorded?.isWritten === true
    return exitStatus === STATUS.done && !isWritten ? STATUS.failed : exitStatus
  } finally {
    await emulator.close()
  }
}

const LOOPBACK = 'localhost,127.0.0.1,::1'
/** Keeps a proxy of the environment away from the emulator. */
function withoutProxy(env: NodeJS.ProcessEnv, say: (text: string) => void): Record<string, string> {
  const proxy = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'].find(name => env[name])
  const exceptions = ['no_proxy', 'NO_PROXY'].map(name => env[name]).filter(Boolean)
  if (proxy === undefined || exceptions.some(hosts => hosts?.trim() === '*')) return {}
  say(SAYS.proxy(proxy))
  const value = [...exceptions, LOOPBACK].join(',')
  return { no_proxy: value, NO_PROXY: value }
}

async function startFor(
  { flag, environment, vars }: Awaited<ReturnType<typeof launchOf>>,
  beforeForgetting: RunOptions['beforeForgetting'],
  { stderr }: CommandLine
): Promise<RunningEmulator> {
  const [{ runEmulator }, { createLogger }] = await Promise.all([
    import('../../emulator.js'),
    import('../../server/logging.js')
  ])
  const level = flag.log_level ?? environment.log_level
  const warn = (line: string) => printLine(stderr, SAYS.warning(line))
  return runEmulator({
    settings: flag,
    environment,
    vars,
    ...(beforeForgetting && { beforeForgetting }),
    ...(level ? { logger: await createLogger(level, stderr.isTTY, stderr) } : { warn })
  })
}

function variablesFor({ url, baseUrl, controlUrl, apiKeys: [first] }: RunningEmulator) {
  return {
    COMMERCE_URL: url,
    COMMERCE_BASE_URL: baseUrl,
    COMMERCE_SANDBOX_URL: `${url}/sandbox/{name}${BASE}`,
    COMMERCE_CONTROL_URL: controlUrl,
    ...(first && { COMMERCE_API_KEY: first.key })
  }
}

const nextFor =
  ({ recordings = [] }: RunDocument, out: string | undefined, report: string | null) =>
  (request: string): string => {
    if (out !== undefined) return SAYS.check_it(shellWord(out))
    const isRecorded = recordings.some(({ of, requests }) =>
      requests.some(({ id }) => `${of}/${id}` === request)
    )
    return report === null || !isRecorded
      ? SAYS.record_it()
      : SAYS.repro_of_run(shellWord(request), shellWord(join(report, 'run.json')))
  }

/** A recording has a larger journal, unless a flag or variable sets its size. */
const RECORDING_SETTINGS: GivenSettings = {
  'limits.journal': 10_000,
  'limits.journal_bytes': 268_435_456
}
