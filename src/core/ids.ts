/** Generates ids and API keys from the seed: the nth of a kind depends on the seed, the kind and n alone, so the same calls get the same ids (A03). */
import type { AccountType } from '../reference/accounts.js'
import type { Family } from '../reference/operations.js'
import { drawnBlock, TEXTS_A_BLOCK } from './draws.js'
import type { Settings } from './settings.js'

export type IdKind = 'merchant' | 'reseller' | 'location' | 'ticket' | 'transaction' | 'user' | 'refund'
type Kind = IdKind | 'key'
const KINDS = { users: 'user', locations: 'location', tickets: 'ticket', transactions: 'transaction', refunds: 'refund' } as const
/** The kind of id that a record of a family gets; an Account's depends on its type (A02). */
export const kindOf = (family: Family, type?: AccountType | null): IdKind => (family === 'accounts' ? (type ?? 'merchant') : KINDS[family])

/** How many of each kind have been drawn: the whole state of {@link Ids}. */
export type IdCounters = Readonly<Partial<Record<Kind, number>>>

/** The ids that were drawn last of a kind, one behind the other. */
type Block = { seed: number; number: number; prefix: string; length: number; ids: Buffer }

/** The next id or key of each kind. */
export class Ids {
  readonly #counters: Partial<Record<Kind, number>>
  readonly #blocks: Partial<Record<Kind, Block>> = {}

  constructor(counters: IdCounters = {}) {
    this.#counters = { ...counters }
  }

  get counters(): IdCounters {
    return { ...this.#counters }
  }

  /** Goes on from these counters. */
  restore(counters: IdCounters): void {
    Object.assign(this.#counters, counters)
  }

  /** The next id of a kind that is not taken; taken ones are skipped. */
  draw(kind: IdKind, settings: Settings, isTaken: (id: string) => boolean): string {
    return this.#next(kind, settings, settings[`ids.prefixes.${kind}`], settings['ids.length'], isTaken)
  }

  /** The next API key that is not taken. */
  drawKey(settings: Settings, isTaken: (key: string) => boolean): string {
    return this.#next('key', settings, 'sk_test_', 24, isTaken)
  }

  #next(kind: Kind, settings: Settings, prefix: string, length: number, isTaken: (id: string) => boolean): string {
    for (;;) {
      const n = this.#counters[kind] ?? 0
      this.#counters[kind] = n + 1
      const id = this.#nth(n, kind, settings.seed, prefix, length)
      if (!isTaken(id)) return id
    }
  }

  /** The nth id of a kind. */
  #nth(n: number, kind: Kind, seed: number, prefix: string, length: number): string {
    const number = Math.floor(n / TEXTS_A_BLOCK)
    let block = this.#blocks[kind]
    if (block?.number !== number || block.seed !== seed || block.prefix !== prefix || block.length !== length) {
      block = { seed, number, prefix, length, ids: drawnBlock(seed, kind, number, { prefix, length }) }
      this.#blocks[kind] = block
    }
    const size = prefix.length + length
    const start = (n % TEXTS_A_BLOCK) * size
    return block.ids.toString('latin1', start, start + size)
  }
}
