/** `commerce-emulator start`. Its last line, `commerce-emulator ready on …`, is a stable format. */
import closeWithGrace from 'close-with-grace'
import { Help } from 'commander'
import type { FastifyBaseLogger } from 'fastify'
import { type Settings, settingsInForce } from '../core/settings.js'
import { visible } from '../core/visible.js'
import { type RunningEmulator, type RunOptions, runEmulator } from '../emulator.js'
import { countOf } from '../reports/sentences.js'
import { createLogger } from '../server/logging.js'
import { coloured } from './colours.js'
import { createProgressBar } from './progress.js'
import { SAYS, shellWord } from './sentences.js'

/** `quiet`: only the last line is printed; `open`: the console is shown in the browser. */
type Shown = { quiet?: boolean; open?: boolean }
type Output = {
  stdout: NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, 'hasColors'>>
  stderr: NodeJS.WriteStream
}

/** Closes on SIGTERM or SIGINT; a second signal ends the process at once. */
export async function start(
  {
    quiet = false,
    open = false,
    ...given
  }: Required<Pick<RunOptions, 'settings' | 'environment'>> &
    Pick<RunOptions, 'variables' | 'vars'> &
    Shown,
  { stdout, stderr }: Output,
  beforeEnd: typeof closeWithGrace = closeWithGrace,
  openPage: (address: string) => Promise<unknown> = openInBrowser
): Promise<void> {
  const { values, sources } = settingsInForce({
    flag: given.settings,
    environment: given.environment
  })
  const logger = await createLogger(values.log_level, stderr.isTTY, stderr)
  const bar = await createProgressBar(stderr)
  const emulator = await runEmulator({
    ...given,
    isPortFree: false,
    logger,
    progress: bar.update
  }).finally(bar.stop)
  beforeEnd({ delay: values['limits.shutdown'] + 5000, logger: false }, async ({ err }) => {
    if (err) logger.fatal({ err }, SAYS.defect())
    await emulator.close().catch(error => {
      stderr.write(`commerce-emulator: ${error.message}\n`)
      throw error
    })
  })
  warnOfExposure(values, logger)
  const { store } = emulator.sandbox
  const facts = {
    asked: sources.scenario === 'default' ? null : values.scenario,
    data: values.data,
    hasVars: given.vars !== undefined,
    records: store.size
  }
  stdout.write(coloured(`${quiet ? readyLine(emulator) : startUpText(emulator, facts)}\n`, stdout))
  if (open)
    await openPage(emulator.controlUrl).catch(error =>
      logger.warn(SAYS.not_opened(emulator.controlUrl, error.message))
    )
}

async function openInBrowser(address: string): Promise<unknown> {
  const { default: open } = await import('open')
  return open(address)
}

export function warnOfExposure(
  { host, control_token }: Pick<Settings, 'host' | 'control_token'>,
  log: Pick<FastifyBaseLogger, 'warn'>
): void {
  if (control_token !== null || /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)) return
  log.warn(SAYS.exposed(host))
}

/** Columns beside a name, where words allow it: eighty in all. */
const COLUMNS = 68
const MAX_KEYS = 8

type StartFacts = {
  asked: string | null
  data: string | null
  hasVars: boolean
  records: number
}

const readyLine = ({ baseUrl }: Pick<RunningEmulator, 'baseUrl'>) =>
  `commerce-emulator ready on ${baseUrl}`

export function startUpText(
  {
    baseUrl,
    controlUrl,
    scenario,
    apiKeys,
    resumed
  }: Pick<RunningEmulator, 'baseUrl' | 'controlUrl' | 'scenario' | 'apiKeys' | 'resumed'>,
  { asked, data, hasVars, records }: StartFacts
): string {
  const help = new Help()
  const [first] = apiKeys
  const shown = apiKeys.slice(0, MAX_KEYS)
  const width = shown.reduce((width, { key }) => Math.max(width, visible(key).length), 0)
  const keys = shown.map(({ key, account }) => `${visible(key).padEnd(width)}  acts as ${account}`)
  if (apiKeys.length > shown.length)
    keys.push(SAYS.more_keys(apiKeys.length - shown.length, `${controlUrl}/keys`))
  const description = scenario.description ? `: ${visible(scenario.description)}` : ''
  const texts: [name: string, text: string][] = [
    ['API', baseUrl],
    ['Console', controlUrl],
    ['API docs', `${controlUrl}/docs`],
    ['Scenario', `${visible(scenario.name)}${description}`],
    ['Data', `${countOf(records, 'record')}, ${keptWhere(data, resumed)}`]
  ]
  if (resumed !== null && asked !== null) texts.push(['', SAYS.not_loaded(visible(asked))])
  if (resumed !== null && hasVars) texts.push(['', SAYS.vars_ignored()])
  return [
    '',
    ...texts.flatMap(([name, text]) => beside(name, help.boxWrap(text, COLUMNS).split('\n'))),
    ...beside('Keys', keys),
    ...(first
      ? [
          '',
          `  Try       curl -u ${shellWord(`${first.key}:`)} ${shellWord(`${baseUrl}/locations`)}`
        ]
      : []),
    '',
    readyLine({ baseUrl })
  ].join('\n')
}

function keptWhere(data: string | null, resumed: string | null): string {
  if (data === null) return SAYS.in_memory()
  return resumed === null ? SAYS.kept(visible(data)) : SAYS.resumed(visible(resumed))
}

const beside = (name: string, lines: readonly string[]) =>
  lines.map((line, index) => `  ${(index === 0 ? name : '').padEnd(8)}  ${line}`)
