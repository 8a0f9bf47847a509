/** `commerce-emulator start`: starts the emulator and prints where it is. The last line, `commerce-emulator ready on …`, is a stable format. */
import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger } from 'fastify'
import { type Settings, settingsInForce } from '../core/settings.js'
import { type RunningEmulator, type RunOptions, runEmulator } from '../emulator.js'
import { createLogger } from '../http/logging.js'
import { createProgressBar } from './progress.js'
import { visible } from './terminal.js'

type Output = { stdout: NodeJS.WritableStream; stderr: NodeJS.WriteStream }

/** Starts with the given settings and closes on SIGTERM or SIGINT; a second signal ends the process at once. `beforeEnd` has the process close the emulator before it ends. Errors: as of `runEmulator`. */
export async function start(
  given: Required<Pick<RunOptions, 'settings' | 'environment'>> & Pick<RunOptions, 'variables' | 'vars'>,
  { stdout, stderr }: Output,
  beforeEnd: typeof closeWithGrace = closeWithGrace
): Promise<void> {
  const { values, sources } = settingsInForce({ flag: given.settings, environment: given.environment })
  const logger = await createLogger(values.log_level, stderr.isTTY, stderr)
  const bar = await createProgressBar(stderr)
  const emulator = await runEmulator({ ...given, isPortFree: false, logger, progress: bar.update }).finally(bar.stop)
  beforeEnd({ delay: values['limits.shutdown'] + 5000, logger: false }, async ({ err }) => {
    if (err) logger.fatal({ err }, 'The emulator stops because of a defect. Please report it.')
    await emulator.close().catch(error => {
      stderr.write(`commerce-emulator: ${error.message}\n`)
      throw error
    })
  })
  warnOfExposure(values, logger)
  stdout.write(`${startUpText(emulator, sources.scenario === 'default' ? null : values.scenario, given.vars !== undefined)}\n`)
}

/** Logs what to do where other machines may reach the control API and it needs no token. */
export function warnOfExposure({ host, control_token }: Pick<Settings, 'host' | 'control_token'>, log: Pick<FastifyBaseLogger, 'warn'>): void {
  if (control_token !== null || /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)) return
  log.warn(
    `The emulator listens on ${host} and needs no control token: every machine that reaches the port can read and change its state. Set CONTROL_TOKEN, or let this machine alone reach the port: HOST=127.0.0.1, or docker run -p 127.0.0.1:4010:4010.`
  )
}

/**
 * The text that is printed at start-up: the addresses, the keys, a first call, and the line that says that the emulator is ready. `asked` is the scenario that
 * was asked for, which a data file takes the place of.
 `hasVars` says that values were given to its variables.
 */
export function startUpText({ baseUrl, controlUrl, scenario, apiKeys, resumed }: RunningEmulator, asked: string | null = null, hasVars = false): string {
  const [first] = apiKeys
  const width = apiKeys.reduce((width, { key }) => Math.max(width, key.length), 0)
  return [
    '',
    `  API       ${baseUrl}`,
    `  Control   ${controlUrl}`,
    `  Scenario  ${visible(scenario.name)}${scenario.description ? `: ${visible(scenario.description)}` : ''}`,
    ...(resumed === null ? [] : [`  Data      ${resumed}: continued from where it stopped`]),
    ...(resumed === null || asked === null
      ? []
      : [
          `            The scenario ${visible(asked)} was not loaded: the data file counts. POST /_control/load loads it, or --data with a new file starts in it.`
        ]),
    ...(resumed === null || !hasVars ? [] : ['            The values of --var have no effect: the scenario that the data file keeps was loaded without them.']),
    ...apiKeys.map(({ key, account }, index) => `  ${index === 0 ? 'Keys    ' : '        '}  ${visible(key).padEnd(width)}  acts as ${account}`),
    ...(first ? ['', `  Try       curl -u ${shellWord(`${first.key}:`)} ${shellWord(`${baseUrl}/locations`)}`] : []),
    '',
    `commerce-emulator ready on ${baseUrl}`
  ].join('\n')
}

/** The text as one word of a shell command, quoted where that is needed. */
const shellWord = (text: string) => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
