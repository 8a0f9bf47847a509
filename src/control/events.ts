/** The journal as server-sent events: each request as it is recorded, and that the journal was cleared. */
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Settings } from '../core/settings.js'
import { Shares } from '../core/shares.js'
import type { Exchange } from '../engine/exchange.js'
import type { JournalListener } from '../evidence/run.js'
import { summaryOf } from '../evidence/why.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { CONTROL_HEADERS } from './guard.js'

const HEARTBEAT_MS = 15_000
/** Bytes that a reader may leave unread; one that leaves more is cut. */
const MAX_BACKLOG = 1_048_576

/** Events of a run name the sandbox, which is null at the base address. */
function eventOf(request: Exchange | null, named: { sandbox?: string | null }): string {
  if (request === null) return `event: clear\ndata: ${JSON.stringify(named)}\n\n`
  return `id: ${request.id}\nevent: request\ndata: ${JSON.stringify({ ...named, ...summaryOf(request, request.secretWords) })}\n\n`
}

/** An event is written as text once for all readers, so a slow one holds no text of its own. */
export class EventStreams {
  /** By reader, the name of its sandbox, empty at the base address; null for all sandboxes. */
  readonly #readers = new Map<ServerResponse, string | null>()
  readonly #shares: Shares
  #stop = () => {}

  constructor(settings: Settings) {
    this.#shares = new Shares({ what: 'event streams', setting: 'limits.streams' }, settings)
  }

  /** Answers with the events of a sandbox, or of all, until the client leaves. Errors: `limit_reached`. */
  open(reply: FastifyReply, { id, sandbox }: { id: string; sandbox: Sandbox }, isOfRun: boolean): void {
    const free = this.#shares.take(sandbox)
    const { raw } = reply.hijack()
    raw.writeHead(200, { ...CONTROL_HEADERS, 'content-type': 'text/event-stream; charset=utf-8', 'request-id': id })
    raw.write(': the journal, as it is written\n\n')
    if (this.#readers.size === 0) this.#start(sandbox)
    this.#readers.set(raw, isOfRun ? null : (sandbox.name ?? ''))
    const left = new AbortController()
    if (!isOfRun) sandbox.ending.addEventListener('abort', () => this.#end(raw), { signal: left.signal })
    raw.once('close', () => {
      free()
      left.abort()
      this.#end(raw)
    })
  }

  end(): void {
    for (const reader of this.#readers.keys()) this.#end(reader)
  }

  #start({ run }: Sandbox): void {
    const listener: JournalListener = (name, request) => {
      for (const of of [name, null]) this.#write(of, () => eventOf(request, of === null ? { sandbox: name || null } : {}))
    }
    run.listeners.add(listener)
    const heartbeat = setInterval(() => this.#write(undefined, () => ': \n\n'), HEARTBEAT_MS)
    this.#stop = () => {
      run.listeners.delete(listener)
      clearInterval(heartbeat)
    }
  }

  #end(reader: ServerResponse): void {
    reader.end()
    this.#readers.delete(reader)
    if (this.#readers.size === 0) this.#stop()
  }

  /** Writes to the readers of a sandbox, with null to those of all sandboxes, without a name to everyone. */
  #write(name: string | null | undefined, text: () => string): void {
    const readers = [...this.#readers.keys()].filter(reader => name === undefined || this.#readers.get(reader) === name)
    if (readers.length === 0) return
    const bytes = Buffer.from(text())
    for (const reader of readers) {
      if (reader.writableLength > MAX_BACKLOG) reader.destroy()
      else reader.write(bytes)
    }
  }
}
