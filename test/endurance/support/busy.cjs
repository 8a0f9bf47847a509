/**
 * Loaded into an emulator before its own code: measures the longest time that its main thread
 * worked without letting other requests in, in milliseconds of the
 * processor, which other work on the machine does not lengthen. Each SIGWINCH writes it to a file
 * named after the process, and begins again.
 */
const { openSync, readSync, renameSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { isMainThread } = require('node:worker_threads')

if (isMainThread) {
  const file = join(tmpdir(), `busy-${process.pid}`)
  const figures = openSync('/proc/thread-self/schedstat')
  const bytes = Buffer.alloc(64)
  const worked = () =>
    Number(
      bytes.toString('latin1', 0, readSync(figures, bytes, 0, bytes.length, 0)).split(' ', 1)[0]
    ) / 1e6
  let before = worked()
  let longest = 0
  const look = () => {
    const now = worked()
    longest = Math.max(longest, now - before)
    before = now
    setImmediate(look)
  }
  setImmediate(look)
  process.on('SIGWINCH', () => {
    writeFileSync(`${file}.new`, String(longest))
    renameSync(`${file}.new`, file)
    longest = 0
  })
}
