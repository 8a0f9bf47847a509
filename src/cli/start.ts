/** `commerce-emulator start`: starts the emulator and prints where it is. The last line, `commerce-emulator ready on …`, is a stable format. */
import closeWithGrace from 'close-with-grace'
import { settingsInForce } from '../core/settings.js'
import { type RunningEmulator, type RunOptions, runEmulator } from '../emulator.js'
import { createLogger } from '../http/logging.js'
import { createProgressBar } from './progress.js'
import { visible } from './terminal.js'

type Output = { stdout: NodeJS.WritableStream; stderr: NodeJS.WriteStream }

/** Starts with the given settings and closes on SIGTERM or SIGINT; a second signal ends the process at once. Errors: as of `runEmulator`. */
export async function start(
  given: Required<Pick<RunOptions, 'settings' | 'environment'>> & Pick<RunOptions, 'variables'>,
  { stdout, stderr }: Output
): Promise<void> {
  const { values } = settingsInForce({ flag: given.settings, environment: given.environment })
  const logger = await createLogger(values.log_level, stderr.isTTY, stderr)
  const bar = await createProgressBar(stderr)
  const emulator = await runEmulator({ ...given, settings: { ...given.settings, port: values.port }, logger, progress: bar.update }).finally(bar.stop)
  closeWithGrace({ delay: values['limits.shutdown'] + 5000, logger: false }, async ({ err }) => {
    if (err) logger.fatal({ err }, 'The emulator stops because of a defect. Please report it.')
    await emulator.close().catch(error => {
      stderr.write(`commerce-emulator: ${error.message}\n`)
      throw error
    })
  })
  stdout.write(`${startUpText(emulator)}\n`)
}

/** The text that is printed at start-up: the addresses, the keys, a first call, and the line that says that the emulator is ready. */
export function startUpText({ baseUrl, controlUrl, scenario, apiKeys, resumed }: RunningEmulator): string {
  const [first] = apiKeys
  const width = apiKeys.reduce((width, { key }) => Math.max(width, key.length), 0)
  return [
    '',
    `  API       ${baseUrl}`,
    `  Control   ${controlUrl}`,
    `  Scenario  ${visible(scenario.name)}${scenario.description ? `: ${visible(scenario.description)}` : ''}`,
    ...(resumed === null ? [] : [`  Data      ${resumed}: continued from where it stopped`]),
    ...apiKeys.map(({ key, account }, index) => `  ${index === 0 ? 'Keys    ' : '        '}  ${visible(key).padEnd(width)}  acts as ${account}`),
    ...(first ? ['', `  Try       curl -u ${shellWord(`${first.key}:`)} ${shellWord(`${baseUrl}/locations`)}`] : []),
    '',
    `commerce-emulator ready on ${baseUrl}`
  ].join('\n')
}

/** The text as one word of a shell command, quoted where that is needed. */
const shellWord = (text: string) => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
