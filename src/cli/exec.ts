/** `commerce-emulator exec`, `record`: run a command against an emulator, and judge it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { BASE } from '../core/paths.js'
import { type GivenSettings, type SettingVariables, settingsInForce } from '../core/settings.js'
import { visible } from '../core/visible.js'
import { runEmulator } from '../emulator.js'
import type { Launch } from '../scenario/scenario.js'
import type { GivenVariables } from '../scenario/variables.js'
import { createLogger } from '../server/logging.js'
import { STATUS } from './failures.js'
import { concluded, type ReportOptions } from './judge.js'
import { originOf, runOf } from './running.js'
import { SAYS, shellWord } from './sentences.js'

export type ExecOptions = Omit<ReportOptions, 'next'> & {
  launch: Launch & { variables: SettingVariables }
  vars?: GivenVariables | undefined
  /** Of environment variables for the command. */
  names: Record<
    'urlName' | 'baseUrlName' | 'sandboxUrlName' | 'apiKeyName' | 'controlUrlName',
    string
  >
  /** Seconds after a signal. */
  killAfter: number
  /** File of the scenario to write. */
  out?: string | undefined
}
type Command = readonly [string, ...string[]]
type Streams = { stderr: NodeJS.WriteStream }
const NOT_RUNNABLE = 126
const NOT_FOUND = 127

/** Returns the exit status: that of the command, or 3 when only a gate failed. */
export async function exec(
  command: Command,
  { launch, vars, names, killAfter, out, ...options }: ExecOptions,
  { stderr }: Streams
): Promise<number> {
  const { environment, variables } = launch
  const { report } = options
  if (report !== null) await mkdir(report, { recursive: true })
  const recording = out === undefined && report === null ? null : await import('./record.js')
  if (out !== undefined) await recording?.checkWritable(out)
  const recorder = recording && new recording.Recorder()
  const flag = recorder === null ? launch.flag : flagOfRecording(launch)
  const level = flag.log_level ?? environment.log_level
  const logger = level && (await createLogger(level, stderr.isTTY, stderr))
  const say = (line: string) => stderr.write(`commerce-emulator: ${line}\n`)
  const warn = (line: string) => say(SAYS.warning(visible(line)))
  const emulator = await runEmulator({
    settings: flag,
    environment,
    variables,
    vars,
    ...(recorder && { beforeForgetting: recorder.note }),
    ...(logger ? { logger } : { warn })
  })
  try {
    const { baseUrl, controlUrl } = emulator
    const origin = originOf(controlUrl)
    const {
      status,
      why,
      hasRun = true
    } = await runCommand(
      command,
      {
        [names.urlName]: origin,
        [names.baseUrlName]: baseUrl,
        [names.sandboxUrlName]: `${origin}/sandbox/{name}${BASE}`,
        [names.controlUrlName]: controlUrl,
        ...(emulator.apiKeys[0] && { [names.apiKeyName]: emulator.apiKeys[0].key }),
        ...withoutProxy(process.env, say)
      },
      killAfter,
      say
    )
    if (!hasRun) {
      say(why)
      return status
    }
    const run = await runOf({
      url: controlUrl,
      token: settingsInForce(launch).values.control_token
    })
    const recorded = await recorder?.end(emulator, out, stderr)
    run.recordings = recorded?.recordings ?? []
    const isWritten = out === undefined || recorded?.isWritten === true
    const next = (request: string) => {
      if (out !== undefined) return SAYS.check_it(shellWord(out))
      const isRecorded = run.recordings?.some(({ of, requests }) =>
        requests.some(({ id }) => `${of}/${id}` === request)
      )
      return report === null || !isRecorded
        ? SAYS.record_it()
        : SAYS.repro_of_run(shellWord(request), shellWord(join(report, 'run.json')))
    }
    const judged = await concluded(run, status, { ...options, next }, stderr)
    if (status !== 0) say(why)
    return judged === STATUS.done && !isWritten ? STATUS.failed : judged
  } finally {
    await emulator.close()
  }
}

const LOOPBACK = 'localhost,127.0.0.1,::1'
function withoutProxy(env: NodeJS.ProcessEnv, say: (line: string) => void): Record<string, string> {
  const proxy = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'].find(name => env[name])
  if (proxy === undefined) return {}
  const given = ['no_proxy', 'NO_PROXY'].map(name => env[name]).filter(Boolean)
  if (given.some(hosts => hosts?.trim() === '*')) return {}
  say(SAYS.proxy(proxy))
  const value = [...given, LOOPBACK].join(',')
  return { no_proxy: value, NO_PROXY: value }
}

/** A recording has a larger journal, unless a setting says how large. */
const RECORDED = {
  'limits.journal': 10_000,
  'limits.journal_bytes': 268_435_456,
  'limits.journal_total': 1_073_741_824
} as const satisfies GivenSettings

const flagOfRecording = ({ flag, environment }: Launch): GivenSettings => ({
  ...Object.fromEntries(
    Object.entries(RECORDED).filter(
      ([key]) => environment[key as keyof typeof RECORDED] === undefined
    )
  ),
  ...flag
})

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** A terminal sends Ctrl-C and Ctrl-\ to the command as well. */
const OF_KEYBOARD: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

/** Returns the status, or 128 plus the signal, and why it is not 0. */
async function runCommand(
  [name, ...args]: Command,
  variables: Record<string, string>,
  killAfter: number,
  say: (line: string) => void
): Promise<{ status: number; why: string; hasRun?: boolean }> {
  const child = spawn(name, args, { stdio: 'inherit', env: { ...process.env, ...variables } })
  let killing: NodeJS.Timeout | undefined
  const passOn = (signal: NodeJS.Signals) => {
    if (process.stdin.isTTY && OF_KEYBOARD.includes(signal)) return
    child.kill(signal)
    killing ??= setTimeout(() => {
      say(SAYS.killing(killAfter, signal))
      child.kill('SIGKILL')
    }, killAfter * 1000)
  }
  for (const signal of SIGNALS) process.on(signal, passOn)
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const outcome = await ended.then(
    ([code, signal]) => ({
      status: code ?? 128 + constants.signals[signal as NodeJS.Signals],
      why: SAYS.command_failed(signal ?? `status ${code}`)
    }),
    ({ code, message }: NodeJS.ErrnoException) => {
      const isMissing = code === 'ENOENT'
      return {
        status: isMissing ? NOT_FOUND : NOT_RUNNABLE,
        why: SAYS.not_run(visible(name), isMissing ? SAYS.no_such_command() : message),
        hasRun: false
      }
    }
  )
  clearTimeout(killing)
  for (const signal of SIGNALS) process.off(signal, passOn)
  return outcome
}
