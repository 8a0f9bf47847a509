/** Writes JSON while it is sent, so that large responses are never whole in memory. */
import { isObject } from '../core/schema-words.js'
import { pause } from './slices.js'

/** A list whose members are made as they are written. */
export class Lazy<M> {
  readonly #members: () => Iterable<M>

  constructor(members: () => Iterable<M>) {
    this.#members = members
  }

  [Symbol.iterator](): Iterator<M> {
    return this.#members()[Symbol.iterator]()
  }

  toJSON(): M[] {
    return [...this]
  }
}

export const lazily = <T, M>(list: readonly T[], memberOf: (item: T) => M): Lazy<M> =>
  new Lazy(function* () {
    for (const item of list) yield memberOf(item)
  })

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
  if (levels > 0 && (Array.isArray(value) || value instanceof Lazy)) {
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
