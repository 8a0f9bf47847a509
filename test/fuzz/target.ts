/**
 * The built command in a separate process, whose memory is measured and whose log is searched for
 * secrets and defects.
 */
import { createInterface } from 'node:readline'
import { started } from '../endurance/support/emulator.js'
import { leaksIn } from './secrets.js'

const COLLECTS = `data:text/javascript,${encodeURIComponent('process.on("SIGWINCH", () => globalThis.gc())')}`
/** A low limit of sandboxes with eviction of idle ones, so that many names come and go. */
const SETTINGS = ['limits.sandboxes=24', 'sandboxes.evict_idle=true']
const MOST_LINES = 20

export type Memory = { heap: number; rss: number }

/**
 * Starts the command; with a folder it saves state and snapshots there. `options` are for Node.js.
 */
export async function startTarget(folder: string | null = null, options: readonly string[] = []) {
  const kept =
    folder === null ? [] : [`data=${folder}/data.json`, `snapshots_dir=${folder}/snapshots`]
  const sets = [...SETTINGS, ...kept].flatMap(set => ['--set', set])
  /** Lines of the log that report a defect or show a secret. */
  const complaints: string[] = []
  const read = (line: string) => {
    const leaks = leaksIn(line, { keys: false, misplaced: false }).map(
      leak => `the log shows ${leak}: ${line}`
    )
    const isWrong = !line.startsWith('{') || /^\{"level":(50|60),/.test(line)
    if (complaints.length < MOST_LINES)
      complaints.push(...leaks, ...(isWrong ? [`the log says: ${line}`] : []))
  }
  const flags = [...options, '--expose-gc', '--import', COLLECTS]
  const { port, child, end } = await started(
    ['--log-level', 'info', ...sets],
    flags,
    ({ stderr }) => createInterface({ input: stderr as NodeJS.ReadableStream }).on('line', read)
  )

  const call = async (on: string, body?: object) => {
    const [method, path] = on.split(' ') as [string, string]
    const headers: Record<string, string> =
      body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000)
    })
    return { status: response.status, text: await response.text() }
  }
  const memory = async (): Promise<Memory> => {
    let text = ''
    for (let times = 0; times < 3; times++) {
      child.kill('SIGWINCH')
      text = (await call('GET /_control/metrics')).text
    }
    const of = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    return { heap: of('nodejs_heap_size_used_bytes'), rss: of('process_resident_memory_bytes') }
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop = async (): Promise<string[]> => {
    const early = hasEnded() ? ['the process ended by itself'] : []
    const code = await end('SIGTERM')
    return [
      ...early,
      ...(code === 0 ? [] : [`SIGTERM ended the process with ${code}`]),
      ...complaints
    ]
  }
  return { port, call, memory, stop, hasEnded }
}
export type FuzzTarget = Awaited<ReturnType<typeof startTarget>>
