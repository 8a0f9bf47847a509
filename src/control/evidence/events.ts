/** The journal as server-sent events. */
import type { FastifyReply } from 'fastify'
import type { Settings } from '../../core/settings.js'
import { Shares } from '../../core/shares.js'
import { keysToMask } from '../../engine/keys.js'
import type { JournalListener } from '../../evidence/run.js'
import { summaryOf } from '../../evidence/why.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { CONTROL_HEADERS } from '../guard.js'

export const EVENT_STREAM = 'text/event-stream; charset=utf-8'
const HEARTBEAT_MS = 15_000
/** A client with more unread bytes is disconnected. */
const MAX_BACKLOG = 1_048_576

export class EventStreams {
  readonly #ends = new Set<() => void>()
  readonly #shares: Shares
  constructor(settings: Settings) {
    this.#shares = new Shares({ what: 'event streams', setting: 'limits.waiting' }, settings)
  }

  /** Sends events until the client leaves. Errors: `limit_reached`. */
  open(
    reply: FastifyReply,
    { id, sandbox }: { id: string; sandbox: Sandbox },
    isOfRun: boolean
  ): void {
    const free = this.#shares.take(sandbox)
    const { raw } = reply.hijack()
    const { listeners } = sandbox.run
    const ownName = sandbox.name ?? ''
    const write = (event: string) =>
      raw.writableLength > MAX_BACKLOG ? raw.destroy() : raw.write(event)
    const listener: JournalListener = (name, recorded) => {
      if (!isOfRun && name !== ownName) return
      write(eventOf(recorded, { ...(isOfRun && { sandbox: name || null }) }))
    }
    const heartbeat = setInterval(() => write(': \n\n'), HEARTBEAT_MS)
    const end = () => {
      free()
      listeners.delete(listener)
      clearInterval(heartbeat)
      this.#ends.delete(end)
      sandbox.ending.removeEventListener('abort', end)
      raw.end()
    }
    raw.once('close', end)
    listeners.add(listener)
    this.#ends.add(end)
    if (!isOfRun) sandbox.ending.addEventListener('abort', end)
    raw.writeHead(200, { ...CONTROL_HEADERS, 'content-type': EVENT_STREAM, 'request-id': id })
    raw.write(': the journal, as it is written\n\n')
  }

  end(): void {
    for (const end of this.#ends) end()
  }
}

/** Events of a run name the sandbox, which is null at the base address. */
function eventOf(recorded: Parameters<JournalListener>[1], labels: object): string {
  const head = recorded === null ? 'event: clear' : `id: ${recorded.entry.id}\nevent: request`
  const data = { ...labels, ...(recorded && summaryOf(recorded.entry, keysToMask(recorded.world))) }
  return `${head}\ndata: ${JSON.stringify(data)}\n\n`
}
