/** Reloads a scenario when one of its files changes. The files are polled, since file events do not cross every bind mount. */
import type { FastifyBaseLogger } from 'fastify'
import { ApiError } from './core/errors.js'
import { problemLine } from './scenario/documents.js'
import type { Library } from './scenario/library.js'

const INTERVAL_MS = 250

/** Watches every file that the library has read. An invalid file is logged, and the last good state stays. Returns a function that stops watching. */
export async function watchFiles(
  library: Library,
  load: () => Promise<{ name: string }>,
  log: Pick<FastifyBaseLogger, 'info' | 'error'>
): Promise<() => Promise<void>> {
  const { watch } = await import('chokidar')
  const watcher = watch([...library.read], { usePolling: true, interval: INTERVAL_MS, ignoreInitial: true })
  let work = Promise.resolve()
  const reload = async (file: string) => {
    try {
      const { name } = await load()
      log.info(`${file} changed: the scenario ${name} was reloaded`)
    } catch (error) {
      const lines = error instanceof ApiError ? (error.problems ?? []).map(problemLine) : []
      log.error(`${file} changed, but could not be loaded; the state is unchanged. ${lines.length > 0 ? lines.join('; ') : (error as Error).message}`)
    }
    if (!watcher.closed) watcher.add([...library.read])
  }
  watcher.on('error', log.error.bind(log))
  watcher.on('all', (_event, file) => {
    work = work.then(() => reload(file))
  })
  await new Promise<void>(resolve => watcher.once('ready', () => resolve()))
  return async () => {
    await watcher.close()
    await work
  }
}
