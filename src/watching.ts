/** Watches files by polling, since file events do not cross every bind mount. */
import { type Stats, type StatsListener, unwatchFile, watchFile } from 'node:fs'
import type { FastifyBaseLogger } from 'fastify'
import type { ApiError } from './core/errors.js'
import { problemLine } from './scenario/documents.js'
import { SAYS } from './server/sentences.js'

const INTERVAL_MS = 250

/** Watches a growing set of files; changes are handled in order. Returns what stops it. */
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
