/** Starts an emulator. */
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { buildApp } from './app.js'
import { checkerOf } from './core/checking.js'
import { ApiError } from './core/errors.js'
import { BASE, CONTROL } from './core/paths.js'
import { sentence } from './core/sentences.js'
import {
  flatSettingsSchema,
  flattened,
  type GivenSettings,
  type Settings,
  settingsInForce
} from './core/settings.js'
import type { Sandbox } from './sandbox/sandbox.js'
import { Sandboxes } from './sandbox/sandboxes.js'
import { DataFolder } from './sandbox/saved/data-folder.js'
import { Library, VERSION } from './scenario/library.js'
import { keysIn } from './scenario/records/record.js'
import { SAYS } from './server/sentences.js'
import { loadStart, reloading, type StartOptions, watchFiles } from './start-scenario.js'

/** `scenario` is `default` when left out. */
export type RunOptions = Partial<StartOptions> & {
  /** By key, as on the command line: `{ port: 0, 'pagination.max_limit': 5 }`. */
  settings?: GivenSettings
  /** Whether to listen on a free port if `settings` has none; true by default. */
  isPortFree?: boolean
  /** Settings of lower precedence, as from the environment. */
  environment?: GivenSettings
  /** The machine's time in milliseconds; `Date.now` when left out. */
  now?: () => number
  logger?: FastifyBaseLogger
  /** Called with a sandbox that is about to forget its requests. */
  beforeForgetting?: (sandbox: Sandbox) => void
}

export type RunningEmulator = Awaited<ReturnType<typeof runEmulator>>

const SETTINGS_CHECKER = checkerOf(() => flatSettingsSchema(() => true))

type Parts = Awaited<ReturnType<typeof buildParts>>

/** Errors, with nothing left running: of the settings, the scenario, the system. */
export async function runEmulator(options: RunOptions = {}) {
  const parts = await buildParts(options)
  const { app, settings, library, sandboxes, folder } = parts
  let stopWatching = async () => {}
  /** Gives requests in flight up to `limits.shutdown` ms. Errors: `data_not_written`. */
  const close = async () => {
    await stopWatching()
    const cut = setTimeout(() => app.server.closeAllConnections(), settings['limits.shutdown'])
    await app.close()
    clearTimeout(cut)
    await folder?.close()
  }
  try {
    await prepareFolders(settings)
    const url = await listen(app, settings)
    const load = () => loadStart({ scenario: settings.scenario, ...options }, parts)
    const isResumed = await loadOrResume(parts, load)
    if (settings.watch) stopWatching = watchFiles(library.read, reloading(load, app.log))
    app.log.info(SAYS.listening(url))
    const sandbox = sandboxes.main
    return {
      url,
      baseUrl: `${url}${BASE}`,
      controlUrl: `${url}${CONTROL}`,
      scenario: sandbox.scenario,
      apiKeys: keysIn(sandbox.store),
      /** The data folder that the state was read from, if it was. */
      resumed: isResumed ? settings.data : null,
      sandbox,
      sandboxes,
      app,
      close
    }
  } catch (error) {
    await Promise.allSettled([close()])
    throw error
  }
}

async function buildParts({
  settings: flags = {},
  isPortFree = true,
  environment = {},
  now = Date.now,
  logger,
  beforeForgetting
}: RunOptions) {
  const launch = {
    flag: { ...(isPortFree && { port: 0 }), ...(await checked(flags)) },
    environment: await checked(environment)
  }
  const settings = settingsInForce(launch).values
  const { data } = settings
  const library = Library.from(settings)
  const sandboxes = new Sandboxes({ library, launch, machine: now, beforeForgetting })
  const folder = data === null ? null : await DataFolder.take(data, () => sandboxes.present())
  const app = await buildApp({
    sandboxes,
    library,
    settings,
    version: VERSION,
    data: folder ?? undefined,
    ...(logger && { logger })
  })
  return { app, launch, settings, library, sandboxes, folder }
}

async function prepareFolders({ fixtures_dir, scenarios_dir, snapshots_dir }: Settings) {
  await Promise.all([fixtures_dir, scenarios_dir].map(path => path && readdir(path)))
  if (snapshots_dir) await mkdir(snapshots_dir, { recursive: true })
}

async function listen(app: FastifyInstance, settings: Settings): Promise<string> {
  const host = settings.host === 'localhost' ? '127.0.0.1' : settings.host
  // workers of a cluster share no port
  const exclusive = true
  await app.listen({ port: settings.port, host, exclusive, listenTextResolver: SAYS.loading })
  const { port } = app.server.address() as AddressInfo
  let name = host.includes(':') ? `[${host}]` : host
  if (host === '::') name = 'localhost'
  else if (host === '127.0.0.1' || host === '0.0.0.0') {
    // some clients try only this one
    const listening = once(app.loopback.listen({ port, host: '::1', exclusive }), 'listening')
    name = await listening.then(
      () => 'localhost',
      () => '127.0.0.1'
    )
  }
  return `http://${name}:${port}`
}

/** Returns whether it resumed the state of the data folder. */
async function loadOrResume(
  { sandboxes, folder, launch }: Parts,
  load: () => Promise<unknown>
): Promise<boolean> {
  if (folder === null || folder.isNew) {
    await load()
    return false
  }
  sandboxes.resume(await folder.read(launch))
  folder.resumed()
  return true
}

/** By flat keys. Errors: `setting_invalid` with every problem. */
async function checked(settings: GivenSettings): Promise<GivenSettings> {
  const flat: GivenSettings = flattened(settings)
  const problems = SETTINGS_CHECKER.problems(flat).map(({ steps: _, ...problem }) => problem)
  if (problems.length === 0) return flat
  throw new ApiError('setting_invalid', {
    message: sentence(problems.map(({ path, message }) => `${path}: ${message}`).join('; ')),
    problems
  })
}
