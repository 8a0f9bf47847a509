/** The journal as server-sent events. */
import type { FastifyReply } from 'fastify'
import type { SecretWords } from '../core/secret-words.js'
import type { Settings } from '../core/settings.js'
import { Shares } from '../core/shares.js'
import type { Entry } from '../evidence/entry.js'
import type { JournalListener } from '../evidence/run.js'
import { summaryOf } from '../evidence/why.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { CONTROL_HEADERS } from './guard.js'

export const EVENT_STREAM = 'text/event-stream; charset=utf-8'
const HEARTBEAT_MS = 15_000
/** A reader that leaves more bytes unread is cut. */
const MAX_BACKLOG = 1_048_576

export class EventStreams {
  readonly #ends = new Set<() => void>()
  readonly #shares: Shares
  /** The last event as bytes, which readers share; `named` tells its sandbox. */
  readonly #last: { own: [unknown, Buffer?]; named: [unknown, Buffer?] } = {
    own: [null],
    named: [null]
  }

  constructor(settings: Settings) {
    this.#shares = new Shares({ what: 'event streams', setting: 'limits.streams' }, settings)
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
    const own = sandbox.name ?? ''
    const write = (bytes: Buffer | string) =>
      raw.writableLength > MAX_BACKLOG ? raw.destroy() : raw.write(bytes)
    const listener: JournalListener = (name, entry, keys) => {
      if (isOfRun || name === own) write(this.#eventOf(entry, name, isOfRun, keys))
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

  /** Events of a run name the sandbox, which is null at the base address. */
  #eventOf(request: Entry | null, name: string, isNamed: boolean, keys: () => SecretWords): Buffer {
    const last = this.#last[isNamed ? 'named' : 'own']
    if (request !== null && last[0] === request) return last[1] as Buffer
    const about = {
      ...(isNamed && { sandbox: name || null }),
      ...(request && summaryOf(request, keys()))
    }
    const head = request === null ? 'event: clear' : `id: ${request.id}\nevent: request`
    const bytes = Buffer.from(`${head}\ndata: ${JSON.stringify(about)}\n\n`)
    last[0] = request
    last[1] = bytes
    return bytes
  }
}
