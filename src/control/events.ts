/** Control: the journal as server-sent events. */
import type { ServerResponse } from 'node:http'
import type { FastifyPluginAsync } from 'fastify'
import type { Settings } from '../core/settings.js'
import { summaryOf } from '../evidence/why.js'
import { keysToMask } from '../http/answers.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { queryOf } from './bodies.js'
import { CONTROL_HEADERS } from './guard.js'
import { Slots } from './slots.js'

const HEARTBEAT_MS = 15_000

/** The readers of one sandbox's events. An entry is written as text once for all of them, so a reader that is slow holds no text of its own. */
class Feed {
  readonly #readers = new Set<ServerResponse>()
  readonly #backlog: number
  readonly #stop: () => void
  readonly #heartbeat: NodeJS.Timeout
  readonly #end = new AbortController()

  /** `backlog` is how many bytes a reader may leave unread; one that leaves more is cut. */
  constructor(sandbox: Sandbox, backlog: number) {
    this.#backlog = backlog
    this.#stop = sandbox.evidence.journal.listen(call =>
      this.#write(`id: ${call.id}\nevent: request\ndata: ${JSON.stringify(summaryOf(call, keysToMask(sandbox)))}\n\n`)
    )
    this.#heartbeat = setInterval(() => this.#write(': \n\n'), HEARTBEAT_MS)
  }

  get isEmpty(): boolean {
    return this.#readers.size === 0
  }

  /** Aborted when this ends. */
  get ended(): AbortSignal {
    return this.#end.signal
  }

  add(reader: ServerResponse): void {
    this.#readers.add(reader)
    reader.write(': the journal, as it is written\n\n')
  }

  remove(reader: ServerResponse): void {
    this.#readers.delete(reader)
  }

  end(): void {
    this.#end.abort()
    this.#stop()
    clearInterval(this.#heartbeat)
    for (const reader of this.#readers) reader.end()
  }

  #write(text: string): void {
    const bytes = Buffer.from(text)
    for (const reader of this.#readers) {
      if (reader.writableLength > this.#backlog) reader.destroy()
      else reader.write(bytes)
    }
  }
}

export const eventRoutes: FastifyPluginAsync<{ settings: Settings }> = async (control, { settings }) => {
  const slots = new Slots(settings['limits.streams'], 'event streams', 'limits.streams')
  const feeds = new Map<Sandbox, Feed>()
  const end = (sandbox: Sandbox) => {
    feeds.get(sandbox)?.end()
    feeds.delete(sandbox)
  }
  control.addHook('preClose', async () => {
    for (const sandbox of feeds.keys()) end(sandbox)
  })

  const feedOf = (sandbox: Sandbox): Feed => {
    const present = feeds.get(sandbox)
    if (present !== undefined) return present
    const feed = new Feed(sandbox, settings['limits.stream_backlog'])
    feeds.set(sandbox, feed)
    sandbox.ending.addEventListener('abort', () => end(sandbox), { signal: feed.ended })
    return feed
  }

  control.get('/events', (request, reply) => {
    queryOf(request)
    const { sandbox, id } = request.call
    const free = slots.take()
    const { raw } = reply.hijack()
    raw.writeHead(200, { ...CONTROL_HEADERS, 'content-type': 'text/event-stream; charset=utf-8', 'request-id': id })
    const feed = feedOf(sandbox)
    feed.add(raw)
    raw.once('close', () => {
      free()
      feed.remove(raw)
      if (feed.isEmpty && feeds.get(sandbox) === feed) end(sandbox)
    })
  })
}
