/**
 * Generates ids and API keys from the seed: the nth of a kind depends only on the seed, the kind
 * and n, so the same requests get the same ids (A03).
 */
import type { AccountType } from '../reference/accounts.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import { drawnBlock, TEXTS_A_BLOCK } from './draws.js'
import type { Settings } from './settings.js'

export type IdKind =
  | 'merchant'
  | 'reseller'
  | 'location'
  | 'ticket'
  | 'transaction'
  | 'user'
  | 'refund'
type Kind = IdKind | 'key'
type Taken = { has: (id: string) => boolean }
/** The kind of id that a record of a family gets; an Account's depends on its type (A02). */
export const kindOf = (family: Family, type?: AccountType | null): IdKind =>
  family === 'accounts' ? (type ?? 'merchant') : (RESOURCE_NAMES[family].toLowerCase() as IdKind)

/** The whole state of {@link Ids}; never changed. */
export type IdCounters = Readonly<Partial<Record<Kind, number>>>

/** The prefix of API keys, and the characters after it. */
const KEY = ['sk_test_', 24] as const

const FAR = 2 ** 32

type Block = { seed: number; number: number; length: number; texts: string }

export class Ids {
  counters: IdCounters
  readonly #blocks: Partial<Record<Kind, Block>> = {}

  constructor(counters: IdCounters = {}) {
    this.counters = counters
  }

  /** Continues with ids that no request will get. */
  skip(): void {
    const kinds = [...Object.values(RESOURCE_NAMES), 'Merchant', 'Reseller']
    this.counters = Object.fromEntries(kinds.map(kind => [kind.toLowerCase(), FAR]))
  }

  /** The next id of a kind that is not taken. */
  draw(kind: Kind, settings: Settings, usedIds: Taken): string {
    const [prefix, length] =
      kind === 'key' ? KEY : [settings[`ids.prefixes.${kind}`], settings['ids.length']]
    let n = (this.counters[kind] ?? 0) - 1
    let id: string
    do {
      n++
      id = prefix + this.#text(settings.seed, kind, n, length)
    } while (usedIds.has(id))
    this.counters = { ...this.counters, [kind]: n + 1 }
    return id
  }

  #text(seed: number, kind: Kind, n: number, length: number): string {
    const number = Math.floor(n / TEXTS_A_BLOCK)
    let block = this.#blocks[kind]
    if (block?.number !== number || block.seed !== seed || block.length !== length) {
      block = { seed, number, length, texts: drawnBlock(seed, kind, number, length) }
      this.#blocks[kind] = block
    }
    const start = (n % TEXTS_A_BLOCK) * length
    return block.texts.slice(start, start + length)
  }
}
