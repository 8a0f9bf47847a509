/**
 * Reloads a scenario when one of its files changes. The files are polled, since file events do not
 * cross every bind mount.
 */
import { type Stats, type StatsListener, unwatchFile, watchFile } from 'node:fs'
import type { FastifyBaseLogger } from 'fastify'
import { ApiError } from './core/errors.js'
import { problemLine } from './scenario/documents.js'
import type { Library } from './scenario/library.js'
import { SAYS } from './server/sentences.js'

const INTERVAL_MS = 250

/**
 * Watches every file that the library has read. An invalid file is logged, and the last good state
 * stays. Returns a function that stops watching.
 */
export function watchFiles(
  library: Pick<Library, 'read'>,
  load: () => Promise<{ name: string }>,
  log: Pick<FastifyBaseLogger, 'info' | 'error'>
): () => Promise<void> {
  const listeners = new Map<string, StatsListener>()
  let work = Promise.resolve()
  const reload = async (file: string) => {
    try {
      const { name } = await load().finally(watchNewFiles)
      log.info(SAYS.reloaded(file, name))
    } catch (error) {
      const lines = error instanceof ApiError ? (error.problems ?? []).map(problemLine) : []
      log.error(
        SAYS.not_reloaded(file, lines.length > 0 ? lines.join('; ') : (error as Error).message)
      )
    }
  }
  const watchNewFiles = () => {
    for (const file of library.read) {
      if (listeners.has(file)) continue
      const listener: StatsListener = (now, before) => {
        if (versionOf(now) !== versionOf(before)) work = work.then(() => reload(file))
      }
      listeners.set(file, listener)
      watchFile(file, { interval: INTERVAL_MS }, listener)
    }
  }
  watchNewFiles()
  return async () => {
    for (const [file, listener] of listeners) unwatchFile(file, listener)
    await work
  }
}

/**
 * What differs once a file has been written, replaced, removed or made, and not when it is read.
 */
const versionOf = ({ mtimeMs, size, ino }: Stats) => `${mtimeMs} ${size} ${ino}`
