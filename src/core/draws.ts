/** The nth draw under a label depends on the seed, the label and n alone (A03). */
import { createHash } from 'node:crypto'

const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')
const digest = (seed: number, label: string, n: number, length: number) =>
  createHash('shake256', { outputLength: length }).update(`${seed}:${label}:${n}`).digest()

/** Texts of one digest, since most of the cost is starting one. */
export const TEXTS_A_BLOCK = 64

/** A block of `TEXTS_A_BLOCK` ASCII texts, joined, each after the prefix. */
export function drawnBlock(
  seed: number,
  label: string,
  block: number,
  { prefix, length }: { prefix: string; length: number }
): Buffer {
  const bytes = digest(seed, label, block, TEXTS_A_BLOCK * length)
  const texts = Buffer.alloc(TEXTS_A_BLOCK * (prefix.length + length))
  for (
    let from = 0, to = prefix.length;
    from < bytes.length;
    from += length, to += prefix.length + length
  ) {
    for (let place = 0; place < length; place++)
      texts[to + place] = ALPHABET[(bytes[from + place] as number) % ALPHABET.length] as number
    texts.write(prefix, to - prefix.length, 'latin1')
  }
  return texts
}

/** A random number from 0 to below 1. */
export const drawnFraction = (seed: number, label: string, n: number): number =>
  digest(seed, label, n, 6).readUIntBE(0, 6) / 2 ** 48
