/** Starts the emulator: its app on a port, with the start scenario or the data folder loaded. */
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { buildApp } from './app.js'
import { checkerOf } from './core/checking.js'
import { ApiError, type Problem } from './core/errors.js'
import { sentence } from './core/nearest.js'
import { BASE, CONTROL } from './core/paths.js'
import { withoutSecrets } from './core/redaction.js'
import {
  flattened,
  type GivenSettings,
  nested,
  type SettingVariables,
  settingsInForce,
  settingsSchema
} from './core/settings.js'
import { playIn } from './engine/play.js'
import type { Sandbox } from './sandbox/sandbox.js'
import { Sandboxes } from './sandbox/sandboxes.js'
import { DataFolder } from './sandbox/saved/data-folder.js'
import { DISK, UNSYNCED } from './sandbox/saved/disk.js'
import { documentOf } from './scenario/documents.js'
import { isPath, Library, VERSION } from './scenario/library.js'
import { problemLine } from './scenario/read/refusal.js'
import { keysIn } from './scenario/records/export.js'
import type { GivenVariables } from './scenario/shape/variables.js'
import { SAYS } from './server/sentences.js'
import { reloading, watchFiles } from './watching.js'

export type RunOptions = {
  /** A scenario's or fixture's name, a file's path, or a document; `default` when left out. */
  scenario?: string | object
  /** Settings by key, as on the command line: `{ port: 0, 'pagination.max_limit': 5 }`. */
  settings?: GivenSettings
  /** Whether a port that `settings` leaves out is a free one, as by default. */
  isPortFree?: boolean
  /** Settings of lower precedence, as from the environment. */
  environment?: GivenSettings
  /** The variable that each of them was read from, as `GET /_control/settings` tells it. */
  variables?: SettingVariables
  /** The machine's time in milliseconds; `Date.now` when left out. */
  now?: () => number
  logger?: FastifyBaseLogger
  /** Values of the start scenario's variables in place of their defaults. */
  vars?: GivenVariables | undefined
  /** Takes each warning of the start scenario as a line, besides the log. */
  warn?: (line: string) => void
  /** Called with a sandbox that is about to forget its requests. */
  beforeForgetting?: (sandbox: Sandbox) => void
}

export type RunningEmulator = {
  /** The origin, `http://localhost:PORT`, or the address that is bound. */
  url: string
  /** The base address, `http://localhost:PORT/next`. */
  baseUrl: string
  controlUrl: string
  /** The loaded scenario. */
  scenario: { name: string; description: string | null }
  /** The API keys at the start, each with the Account that it acts as. */
  apiKeys: { key: string; account: string }[]
  /** The data folder that the state was read from; null without one, or when it is new. */
  resumed: string | null
  /** The sandbox at the base address: records, script, evidence. */
  sandbox: Sandbox
  /** Every sandbox. */
  sandboxes: Sandboxes
  /** The app, to inject requests into. */
  app: FastifyInstance
  /**
   * Stops the emulator: new requests are refused, those in flight get up to `limits.shutdown`
   * milliseconds. Errors: `data_not_written` with what is not on disk.
   */
  close: () => Promise<void>
}

const SETTINGS_CHECKER = checkerOf(() => settingsSchema(() => true))

/**
 * Starts an emulator and loads its scenario. Errors, with nothing left running: an `ApiError` of
 * the settings or the scenario, or the system's own.
 */
export async function runEmulator({
  scenario,
  settings = {},
  isPortFree = true,
  environment = {},
  variables,
  vars,
  warn = () => {},
  now = Date.now,
  logger,
  beforeForgetting
}: RunOptions = {}): Promise<RunningEmulator> {
  const launch = {
    flag: { ...(isPortFree && { port: 0 }), ...(await checked(settings)) },
    environment: await checked(environment),
    variables
  }
  const process = settingsInForce(launch).values
  const library = Library.from(process)
  const sandboxes = new Sandboxes({ library, launch, machine: now, beforeForgetting })
  const folder =
    process.data === null
      ? null
      : await DataFolder.take(process.data, process.data_sync ? DISK : UNSYNCED)
  const app = await buildApp({
    sandboxes,
    library,
    settings: process,
    version: VERSION,
    data: folder ?? undefined,
    ...(logger && { logger })
  })
  let stopWatching = async () => {}
  /** Whether the state is complete, so that it may be written. */
  let isWritable = false
  const close = async () => {
    await stopWatching()
    const cut = setTimeout(() => app.server.closeAllConnections(), process['limits.shutdown'])
    await app.close()
    clearTimeout(cut)
    await folder?.close({ writesLast: isWritable })
  }
  try {
    await Promise.all(
      [process.fixtures_dir, process.scenarios_dir].map(path => path && readdir(path))
    )
    if (process.snapshots_dir) await mkdir(process.snapshots_dir, { recursive: true })
    const host = process.host === 'localhost' ? '127.0.0.1' : process.host
    // workers of a cluster share no port
    const exclusive = true
    await app.listen({ port: process.port, host, exclusive, listenTextResolver: SAYS.loading })
    const { port } = app.server.address() as AddressInfo
    let name = host.includes(':') ? `[${host}]` : host
    if (host === '::') name = 'localhost'
    else if (host === '127.0.0.1' || host === '0.0.0.0') {
      // a client may try no other address of localhost
      const listening = once(app.loopback.listen({ port, host: '::1', exclusive }), 'listening')
      name = await listening.then(
        () => 'localhost',
        () => '127.0.0.1'
      )
    }
    const url = `http://${name}:${port}`
    const reportWarnings = (warnings: readonly Problem[]) => {
      for (const line of warnings.map(problemLine).map(line => withoutSecrets(line))) {
        app.log.warn(line)
        warn(line)
      }
    }
    const load = async () => {
      const { document, origin } = await startDocument(scenario ?? process.scenario, library)
      await folder?.writable()
      const loaded = await sandboxes.start(document, origin, {
        play: playIn,
        variables: vars,
        warn: reportWarnings
      })
      await folder?.saved()
      return loaded
    }
    folder?.writeFrom(() => sandboxes.present)
    const isNew = folder === null || folder.isNew
    if (isNew) await load()
    else {
      sandboxes.resume(await folder.read(launch))
      folder.resumed()
    }
    isWritable = true
    if (process.watch) stopWatching = watchFiles(library.read, reloading(load, app.log))
    app.log.info(SAYS.listening(url))
    const sandbox = sandboxes.main
    const apiKeys = keysIn(sandbox.store)
    const resumed = isNew ? null : process.data
    return {
      url,
      baseUrl: `${url}${BASE}`,
      controlUrl: `${url}${CONTROL}`,
      scenario: sandbox.scenario,
      apiKeys,
      resumed,
      sandbox,
      sandboxes,
      app,
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Settings given by key or nested. Errors: `setting_invalid` with every problem. */
async function checked(given: GivenSettings): Promise<GivenSettings> {
  const problems = (await SETTINGS_CHECKER.problems(nested(flattened(given)))).map(
    ({ path, code, message }) => ({ path, code, message })
  )
  if (problems.length === 0) return flattened(given) as GivenSettings
  throw new ApiError('setting_invalid', {
    message: sentence(problems.map(({ path, message }) => `${path}: ${message}`).join('; ')),
    problems
  })
}

async function startDocument(scenario: string | object, library: Library) {
  if (typeof scenario === 'object')
    return {
      document: documentOf('scenario', scenario, library.limits),
      origin: { name: 'inline', file: null }
    }
  const document = isPath(scenario)
    ? await library.file(scenario)
    : await library.scenario(scenario, '.')
  return { document, origin: { name: scenario, file: document.name } }
}
