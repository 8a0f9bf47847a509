/** Starts an emulator in the process of a test, as the object that `connect` returns too. */
import type { FastifyBaseLogger } from 'fastify'
import { Connection, joinedHeaders, type Transport } from './client/connection.js'
import type { Fixture, Scenario, Settings } from './client/documents.js'
import { type Emulator, emulatorAt } from './client/emulator.js'
import { errorFrom } from './client/error.js'
import { withNextTick } from './client/next-tick.js'
import type { Variables } from './client/options.js'
import { checkOptions } from './client/sentences.js'
import { flattened, type GivenSettings } from './core/settings.js'
import { type RunningEmulator, runEmulator } from './emulator.js'

/** Writes an object with a text, or a text alone. */
export type LogLine = (about: unknown, text?: string) => void
/** Such as pino or `console`. Lines of a level that it lacks are not written. */
export type Logger = {
  info: LogLine
  warn: LogLine
  error: LogLine
  debug?: LogLine
  level?: string
  isLevelEnabled?: (level: string) => boolean
}

export type EmulatorOptions = {
  /** A scenario or a fixture: a name, a file's path, or a document; `default` when left out. */
  scenario?: string | Scenario | Fixture
  /** Values of the scenario's variables, each of the type of its default. */
  vars?: Variables
  /** By key, as on the command line, or nested: `{ pagination: { max_limit: 5 } }`. */
  settings?: Settings
  /** The port to listen on; a free one when left out. */
  port?: number
  /** Where log lines go; nothing is logged when left out. */
  logger?: Logger
  /** The machine's time in milliseconds; `Date.now` when left out. */
  now?: () => number
}

const OPTIONS = [
  'scenario',
  'vars',
  'settings',
  'port',
  'logger',
  'now'
] as const satisfies (keyof EmulatorOptions)[]

/**
 * Starts an emulator and loads its scenario. Variables of the environment are not read. Errors, with
 * nothing left running: an `EmulatorError`: `option_invalid`; `setting_invalid` and
 * `document_invalid` with every problem; `scenario_unknown`; or the system's own, as `EADDRINUSE`.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions('startEmulator', options, OPTIONS)
  const { scenario, vars, settings = {}, port, logger, now } = options
  const flat: GivenSettings = flattened(settings)
  const running = await withNextTick(() =>
    runEmulator({
      settings: { ...flat, ...(port !== undefined && { port }) },
      ...(scenario !== undefined && {
        scenario: typeof scenario === 'string' ? scenario : JSON.parse(JSON.stringify(scenario))
      }),
      ...(vars && { vars: { values: vars, isText: false } }),
      ...(logger && { logger: completeLogger(logger) }),
      ...(now && { now })
    })
  ).catch(error => {
    throw errorFrom(error)
  })
  const { url, apiKeys, sandbox } = running
  const connection = new Connection(url, injection(running), sandbox.settings.control_token)
  return emulatorAt(connection, {
    sandbox: null,
    keys: apiKeys,
    close: () => connection.close()
  })
}

/** Sends requests to the app itself, without a socket. */
function injection({ url, app, close }: RunningEmulator): Transport {
  const { host } = new URL(url)
  return {
    send: async ({ method, path, headers, body }) => {
      const request = {
        method: method as 'GET',
        url: path,
        headers: { host, ...headers },
        ...(body !== undefined && { payload: body })
      }
      const { statusCode, headers: sentHeaders, payload } = await app.inject(request)
      return { status: statusCode, headers: joinedHeaders(sentHeaders), text: payload }
    },
    close: () =>
      close().catch(error => {
        throw errorFrom(error)
      })
  }
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** A logger with every level, as the framework needs it. */
function completeLogger(logger: Logger): FastifyBaseLogger {
  const lines: Partial<Record<(typeof LEVELS)[number], LogLine>> = logger
  const levels = LEVELS.map(level => [
    level,
    (...line: Parameters<LogLine>) => lines[level]?.(...line)
  ])
  const isLevelEnabled = (level: string) =>
    logger.isLevelEnabled?.(level) ?? (level !== 'debug' && level !== 'trace')
  const complete = {
    ...Object.fromEntries(levels),
    isLevelEnabled,
    level: logger.level ?? 'info',
    child: () => complete
  }
  return complete
}
