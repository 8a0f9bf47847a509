/** Long responses in pieces, between which other requests are served. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { exported } from '../scenario/export.js'
import type { Store } from '../store/store.js'
import { jsonPieces } from '../work/json-pieces.js'
import type { Jobs } from '../work/worker.js'
import { WRITING, written } from '../work/writing.js'

/** Sends JSON: at once if it is short, otherwise as fast as the client takes it. */
export async function sendJson(reply: FastifyReply, value: unknown): Promise<void> {
  const pieces = jsonPieces(value)
  const { value: first } = await pieces.next()
  const { value: second, done: isAll } = await pieces.next()
  async function* all() {
    yield first
    yield second
    yield* pieces
  }
  await reply
    .type('application/json; charset=utf-8')
    .send(isAll ? first : Readable.from(all(), { objectMode: false }))
}

const SOME = 500

/** Records and keys as YAML, in pieces. Errors: as of `Jobs.runPiece`. */
export async function* yamlOfStore(
  store: Store,
  jobs: Jobs,
  signal: AbortSignal
): AsyncGenerator<Uint8Array> {
  for (const [name, members] of Object.entries(exported(store))) {
    let isFirst = true
    for (const some of groupsOf(members)) {
      const text = await jobs.runPiece(WRITING, signal, ask =>
        written(ask, 'yaml', { [name]: some })
      )
      // the name stands once, before the first members
      yield isFirst ? text : text.subarray(text.indexOf(LINE_END) + 1)
      isFirst = false
    }
  }
}

const LINE_END = 10

/** Members in groups; one empty group for none. */
function* groupsOf<T>(members: Iterable<T>): Generator<T[]> {
  let group: T[] = []
  let isEmpty = true
  for (const member of members) {
    group.push(member)
    isEmpty = false
    if (group.length < SOME) continue
    yield group
    group = []
  }
  if (isEmpty || group.length > 0) yield group
}
