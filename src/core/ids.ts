/**
 * Draws from the seed: the nth id, API key or number of a kind depends only on the seed, the kind
 * and n, so the same requests get the same ids (A03).
 */
import { createHash } from 'node:crypto'
import type { AccountType } from '../reference/accounts.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import { keep } from './remembered.js'
import type { Settings } from './settings.js'

const digest = (seed: number, label: string, n: number, length: number) =>
  createHash('shake256', { outputLength: length }).update(`${seed}:${label}:${n}`).digest()

/** A random number from 0 to below 1. */
export const drawnFraction = (seed: number, label: string, n: number): number =>
  digest(seed, label, n, 6).readUIntBE(0, 6) / 2 ** 48

const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')
/** Texts of one digest, since most of the cost is starting one. */
export const TEXTS_A_BLOCK = 64
/** Blocks in memory. */
const MAX_BLOCKS = 64
const BLOCKS = new Map<string, string>()

/** The nth text of letters and digits. */
export function drawnText(seed: number, label: string, n: number, length: number): string {
  const block = Math.floor(n / TEXTS_A_BLOCK)
  const key = `${seed}:${label}:${block}:${length}`
  let texts = BLOCKS.get(key)
  if (texts === undefined) {
    texts = digest(seed, label, block, TEXTS_A_BLOCK * length)
      .map(byte => ALPHABET[byte % ALPHABET.length] as number)
      .toString()
    keep(BLOCKS, key, texts, MAX_BLOCKS)
  }
  const start = (n % TEXTS_A_BLOCK) * length
  return texts.slice(start, start + length)
}

export type IdKind =
  | 'merchant'
  | 'reseller'
  | 'location'
  | 'ticket'
  | 'transaction'
  | 'user'
  | 'refund'
type Kind = IdKind | 'key'
/** The kind of id that a record of a family gets; an Account's depends on its type (A02). */
export const kindOf = (family: Family, type?: AccountType | null): IdKind =>
  family === 'accounts' ? (type ?? 'merchant') : (RESOURCE_NAMES[family].toLowerCase() as IdKind)

/** The whole state of {@link Ids}; never changed. */
export type IdCounters = Readonly<Partial<Record<Kind, number>>>

/** The prefix of API keys, and the characters after it. */
const KEY = ['sk_test_', 24] as const
const FAR = 2 ** 32

export class Ids {
  counters: IdCounters

  constructor(counters: IdCounters = {}) {
    this.counters = counters
  }

  /** Continues with ids that no request will get. */
  skip(): void {
    const kinds = [...Object.values(RESOURCE_NAMES), 'Merchant', 'Reseller']
    this.counters = Object.fromEntries(kinds.map(kind => [kind.toLowerCase(), FAR]))
  }

  /** The next id of a kind that is not taken. */
  draw(kind: Kind, settings: Settings, usedIds: { has: (id: string) => boolean }): string {
    const [prefix, length] =
      kind === 'key' ? KEY : [settings[`ids.prefixes.${kind}`], settings['ids.length']]
    let n = this.counters[kind] ?? 0
    let id: string
    do id = prefix + drawnText(settings.seed, kind, n++, length)
    while (usedIds.has(id))
    this.counters = { ...this.counters, [kind]: n }
    return id
  }
}
