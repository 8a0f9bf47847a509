/** Control: the journal as server-sent events: each call as it is recorded, and that the journal was cleared. */
import type { ServerResponse } from 'node:http'
import type { FastifyPluginAsync } from 'fastify'
import type { Settings } from '../core/settings.js'
import type { Exchange } from '../engine/exchange.js'
import type { Run } from '../evidence/run.js'
import { summaryOf } from '../evidence/why.js'
import { optional, parameters, word } from '../reference/parameters.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { queryOf } from './bodies.js'
import { CONTROL_HEADERS } from './guard.js'
import { Slots } from './slots.js'

const HEARTBEAT_MS = 15_000
const QUERY = parameters({ scope: optional(word(['sandbox', 'run'])) })

/** An event as it is sent. Those of a run name the sandbox, which is null at the base address. */
function eventOf(call: Exchange | null, named: { sandbox?: string | null }): string {
  if (call === null) return `event: clear\ndata: ${JSON.stringify(named)}\n\n`
  return `id: ${call.id}\nevent: request\ndata: ${JSON.stringify({ ...named, ...summaryOf(call, call.secretWords) })}\n\n`
}

/** The readers of the events of one sandbox, or of all. An entry is written as text once for all of them, so a reader that is slow holds no text of its own. */
class Feed {
  readonly #readers = new Set<ServerResponse>()
  readonly #backlog: number
  readonly #stop: () => void
  readonly #heartbeat: NodeJS.Timeout
  readonly #end = new AbortController()

  /** `sandbox` is the one whose events are sent; left out, those of all are. `backlog` is how many bytes a reader may leave unread; one that leaves more is cut. */
  constructor(run: Run, { sandbox, backlog }: { sandbox: Sandbox | undefined; backlog: number }) {
    this.#backlog = backlog
    const own = sandbox && (sandbox.name ?? '')
    this.#stop = run.listen((name, call) => {
      if (own === undefined) this.#write(eventOf(call, { sandbox: name === '' ? null : name }))
      else if (own === name) this.#write(eventOf(call, {}))
    })
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
  const feeds = new Map<Sandbox | Run, Feed>()
  const end = (source: Sandbox | Run) => {
    feeds.get(source)?.end()
    feeds.delete(source)
  }
  control.addHook('preClose', async () => {
    for (const source of feeds.keys()) end(source)
  })

  const feedOf = (run: Run, sandbox: Sandbox | undefined): Feed => {
    const source = sandbox ?? run
    const present = feeds.get(source)
    if (present !== undefined) return present
    const feed = new Feed(run, { sandbox, backlog: settings['limits.stream_backlog'] })
    feeds.set(source, feed)
    sandbox?.ending.addEventListener('abort', () => end(sandbox), { signal: feed.ended })
    return feed
  }

  control.get('/events', (request, reply) => {
    const { scope } = queryOf<{ scope?: string }>(request, QUERY)
    const { sandbox, id } = request.arrival
    const { run } = sandbox
    const source = scope === 'run' ? run : sandbox
    const free = slots.take()
    const { raw } = reply.hijack()
    raw.writeHead(200, { ...CONTROL_HEADERS, 'content-type': 'text/event-stream; charset=utf-8', 'request-id': id })
    const feed = feedOf(run, scope === 'run' ? undefined : sandbox)
    feed.add(raw)
    raw.once('close', () => {
      free()
      feed.remove(raw)
      if (feed.isEmpty && feeds.get(source) === feed) end(source)
    })
  })
}
