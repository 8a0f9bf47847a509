/** Reloads a scenario when one of its files changes. The files are polled, since file events do not cross every bind mount. */
import { stat } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import { ApiError } from './core/errors.js'
import { problemLine } from './scenario/documents.js'
import type { Library } from './scenario/library.js'

const INTERVAL_MS = 250

/** Watches every file that the library has read. An invalid file is logged, and the last good state stays. Returns a function that stops watching. */
export async function watchFiles(
  library: Pick<Library, 'read'>,
  load: () => Promise<{ name: string }>,
  log: Pick<FastifyBaseLogger, 'info' | 'error'>
): Promise<() => Promise<void>> {
  const versions = new Map<string, string>()
  const watchNewFiles = async () => {
    for (const file of library.read) if (!versions.has(file)) versions.set(file, await versionOf(file))
  }
  const reload = async (file: string) => {
    try {
      const { name } = await load().finally(watchNewFiles)
      log.info(`${file} changed: the scenario ${name} was reloaded`)
    } catch (error) {
      const lines = error instanceof ApiError ? (error.problems ?? []).map(problemLine) : []
      log.error(`${file} changed, but could not be loaded; the state is unchanged. ${lines.length > 0 ? lines.join('; ') : (error as Error).message}`)
    }
  }
  const reloadChanged = async () => {
    for (const [file, version] of versions) {
      const present = await versionOf(file)
      versions.set(file, present)
      if (present !== version) await reload(file)
    }
  }
  await watchNewFiles()
  let work: Promise<void> | null = null
  const timer = setInterval(() => {
    work ??= reloadChanged().finally(() => {
      work = null
    })
  }, INTERVAL_MS)
  return async () => {
    clearInterval(timer)
    await work
  }
}

/** What differs once a file has been written, replaced, removed or made. */
async function versionOf(file: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(file).catch(() => ({ mtimeMs: 0, size: 0, ino: 0 }))
  return `${mtimeMs} ${size} ${ino}`
}
