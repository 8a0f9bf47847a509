/** Writes JSON while it is sent, so that large responses are never whole in memory. */
import { isObject } from '../reference/rules.js'
import { pause } from './slices.js'

/** A list whose members are made as they are written. */
export type Lazy<M> = Iterable<M> & { toJSON: () => M[] }

export const lazily = <T, M>(list: readonly T[], memberOf: (item: T) => M): Lazy<M> => ({
  *[Symbol.iterator]() {
    for (const item of list) yield memberOf(item)
  },
  toJSON: () => list.map(memberOf)
})

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value

const PIECE = 65_536

/** In pieces of about 64 KiB; the first `levels` are written member by member. */
export async function* jsonPieces(value: unknown, levels = 2): AsyncGenerator<string> {
  let piece = ''
  for (const part of partsOf(value, levels)) {
    piece += part
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
    await pause()
  }
  yield piece
}

function* partsOf(value: unknown, levels: number): Generator<string> {
  if (levels > 0 && isIterable(value)) {
    let before = '['
    for (const member of value) {
      yield before
      yield* partsOf(member ?? null, levels - 1)
      before = ','
    }
    yield before === '[' ? '[]' : ']'
  } else if (levels > 0 && isObject(value)) {
    let before = '{'
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${before}${JSON.stringify(name)}:`
      yield* partsOf(member, levels - 1)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  } else yield JSON.stringify(value)
}
