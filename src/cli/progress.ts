/** A progress bar for work that takes over a second, on a terminal only. */
import type { SingleBar } from 'cli-progress'

const DELAY_MS = 1000
export type Progress = (what: string, done: number, total: number) => void
type ProgressBar = { update: Progress; stop: () => void }

export async function createProgressBar(
  stream: NodeJS.WriteStream,
  now: () => number = Date.now
): Promise<ProgressBar> {
  if (!stream.isTTY) return { update: () => {}, stop: () => {} }
  const { default: progress } = await import('cli-progress')
  const since = now()
  let bar: SingleBar | undefined
  return {
    update: (what, done, total) => {
      if (now() - since < DELAY_MS) return
      if (!bar) {
        bar = new progress.SingleBar({
          stream,
          format: '  {what} {bar} {value}/{total}',
          barsize: 30,
          barCompleteChar: '█',
          barIncompleteChar: '░',
          clearOnComplete: true,
          gracefulExit: false
        })
        bar.start(total, done, { what })
      }
      bar.setTotal(total)
      bar.update(done, { what })
    },
    stop: () => bar?.stop()
  }
}
