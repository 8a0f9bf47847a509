/** Loads the scenario that the emulator starts with, and again when one of its files changes. */
import { type Stats, type StatsListener, unwatchFile, watchFile } from 'node:fs'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { ApiError } from './core/errors.js'
import { withoutSecrets } from './core/redaction.js'
import { playIn } from './engine/play.js'
import type { Sandboxes } from './sandbox/sandboxes.js'
import type { DataFolder } from './sandbox/saved/data-folder.js'
import { documentOf, problemLine } from './scenario/documents.js'
import { isPath, type Library } from './scenario/library.js'
import type { GivenVariables } from './scenario/shape/variables.js'
import { SAYS } from './server/sentences.js'

export type StartOptions = {
  /** A name, a file's path, or a document. */
  scenario: string | object
  /** Values of its variables. */
  vars?: GivenVariables | undefined
  /** Called with each warning, which is logged too. */
  warn?: (line: string) => void
}
type Parts = {
  app: FastifyInstance
  library: Library
  sandboxes: Sandboxes
  folder: DataFolder | null
}

/** Errors: of the scenario, the disk. */
export async function loadStart(
  { scenario, vars, warn = () => {} }: StartOptions,
  { app, library, sandboxes, folder }: Parts
): Promise<{ name: string }> {
  const { document, origin } = await startDocument(scenario, library)
  await folder?.writable()
  const loaded = await sandboxes.start(document, origin, {
    play: playIn,
    variables: vars,
    warn: warnings => {
      for (const warning of warnings) {
        const line = withoutSecrets(problemLine(warning))
        app.log.warn(line)
        warn(line)
      }
    }
  })
  await folder?.saved()
  return loaded
}

async function startDocument(scenario: string | object, library: Library) {
  if (typeof scenario === 'object')
    return {
      document: documentOf('scenario', scenario),
      origin: { name: 'inline', file: null }
    }
  const document = isPath(scenario)
    ? await library.file(scenario)
    : await library.scenario(scenario)
  return { document, origin: { name: scenario, file: document.name } }
}

const INTERVAL_MS = 250

/**
 * Watches a growing set of files by polling, since file events do not cross every bind mount.
 * Changes are handled in order. Returns what stops it.
 */
export function watchFiles(
  files: ReadonlySet<string>,
  onChange: (file: string) => Promise<unknown>
): () => Promise<void> {
  const listeners = new Map<string, StatsListener>()
  let work = Promise.resolve()
  let isStopped = false
  const watchNewFiles = () => {
    for (const file of files) {
      if (isStopped || listeners.has(file)) continue
      const listener: StatsListener = (now, before) => {
        if (versionOf(now) !== versionOf(before))
          work = work.then(() => onChange(file)).then(watchNewFiles)
      }
      listeners.set(file, listener)
      watchFile(file, { interval: INTERVAL_MS }, listener)
    }
  }
  watchNewFiles()
  return async () => {
    isStopped = true
    for (const [file, listener] of listeners) unwatchFile(file, listener)
    await work
  }
}

/** Loads a scenario again. An invalid file is logged, and the last good state stays. */
export const reloading =
  (load: () => Promise<{ name: string }>, log: Pick<FastifyBaseLogger, 'info' | 'error'>) =>
  (file: string): Promise<void> =>
    load().then(
      ({ name }) => log.info(SAYS.reloaded(file, name)),
      ({ problems, message }: Partial<ApiError>) => {
        const lines = problems?.map(problemLine).join('; ')
        log.error(SAYS.not_reloaded(file, lines || String(message)))
      }
    )

/** Differs once a file is written, replaced, removed or created, not when it is read. */
const versionOf = ({ mtimeMs, size, ino }: Stats) => `${mtimeMs} ${size} ${ino}`
