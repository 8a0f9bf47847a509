/** Writes responses; long ones in pieces, so that other requests are served in between. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { maskedThroughout } from '../core/redaction.js'
import { keysToMask } from '../engine/keys.js'
import { JSON_TYPE } from '../engine/response.js'
import { isObject } from '../reference/rules.js'
import { MEDIA_TYPES } from '../reports/formats.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { jsonPieces, type Lazy, lazily } from '../work/json-pieces.js'
import type { Ask, Text } from '../work/worker.js'

/** Sends JSON, at once if it is short, otherwise as fast as the client reads. */
async function sendJson(reply: FastifyReply, value: unknown): Promise<void> {
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

const YAML_TYPE = 'application/yaml; charset=utf-8'
const TYPES = { ...MEDIA_TYPES, json: JSON_TYPE, yaml: YAML_TYPE, scenario: YAML_TYPE }
export type Format = keyof typeof TYPES

/** Sends a value as JSON, and text in the requested format. */
export function sendResult(reply: FastifyReply, result: unknown, format: Format = 'json') {
  const isText = typeof result === 'string' || result instanceof Readable
  if (!isText) return isObject(result) ? sendJson(reply, result) : result
  if (!reply.hasHeader('content-type')) reply.type(TYPES[format])
  return reply.send(result)
}

/** Without the API keys of the sandbox. */
export const masked = <T>(value: T, sandbox: Sandbox): T =>
  maskedThroughout(value, keysToMask(sandbox))
export function maskedList(members: readonly unknown[], sandbox: Sandbox): Lazy<unknown> {
  const keys = keysToMask(sandbox)
  return lazily(members, member => maskedThroughout(member, keys))
}

/** Where to search for near misses. */
export const scopeOf = ({ evidence: { journal }, store }: Sandbox) => ({
  requests: journal.requests(),
  store
})

/** Text that the worker writes. Errors: as of `Worker.run`. */
export async function written(ask: Ask, write: Text['write'], value: unknown): Promise<string> {
  let json = ''
  for await (const piece of jsonPieces(value, 3)) json += piece
  return ask({ write, json } satisfies Text) as Promise<string>
}
