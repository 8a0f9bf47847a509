/** Long responses in pieces, between which other requests are served. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { JSON_TYPE } from '../engine/answers.js'
import { exported } from '../scenario/records/export.js'
import type { Store } from '../store/store.js'
import { jsonPieces } from '../work/json-pieces.js'
import { pause } from '../work/slices.js'
import type { Ask, Text } from '../work/worker.js'

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
  await reply.type(JSON_TYPE).send(isAll ? first : Readable.from(all(), { objectMode: false }))
}

/** What the thread writes of a value. Errors: as of `Worker.run`. */
export async function written(ask: Ask, write: Text['write'], value: unknown): Promise<string> {
  let json = ''
  for await (const piece of jsonPieces(value, 3)) json += piece
  return ask({ write, json } satisfies Text) as Promise<string>
}

/** Records and keys as YAML, one after the other. */
export async function* yamlOfStore(store: Store): AsyncGenerator<string> {
  const { yamlText } = await import('../scenario/yaml.js')
  for (const [name, members] of Object.entries(exported(store))) {
    let isEmpty = true
    for (const member of members) {
      const text = yamlText({ [name]: [member] })
      // the name stands once, before the first
      yield isEmpty ? text : text.slice(text.indexOf('\n') + 1)
      isEmpty = false
      await pause()
    }
    if (isEmpty) yield yamlText({ [name]: [] })
  }
}
