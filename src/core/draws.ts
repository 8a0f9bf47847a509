/** Seeded random draws without state: the nth draw under a label depends on the seed, the label and n alone (A03). */
import { createHash } from 'node:crypto'

const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')
const digest = (seed: number, label: string, n: number, length: number) =>
  createHash('shake256', { outputLength: length }).update(`${seed}:${label}:${n}`).digest()

/** Letters and digits that are drawn for one text, of which it may use fewer. */
export const LONGEST_TEXT = 64
/** Texts of one digest: most of what drawing costs is beginning a digest. */
export const TEXTS_A_BLOCK = 32

/** Random letters and digits as ASCII: those of the texts from `TEXTS_A_BLOCK` times `block` on, `LONGEST_TEXT` of each. */
export const drawnBlock = (seed: number, label: string, block: number): Buffer =>
  digest(seed, label, block, TEXTS_A_BLOCK * LONGEST_TEXT).map(byte => ALPHABET[byte % ALPHABET.length] as number) as Buffer

/** A random number from 0 up to, but not including, 1. */
export const drawnFraction = (seed: number, label: string, n: number): number => digest(seed, label, n, 6).readUIntBE(0, 6) / 2 ** 48
