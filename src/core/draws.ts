/** The nth draw under a label depends on the seed, the label and n alone (A03). */
import { createHash } from 'node:crypto'

const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')
const digest = (seed: number, label: string, n: number, length: number) =>
  createHash('shake256', { outputLength: length }).update(`${seed}:${label}:${n}`).digest()

/** Texts of one digest, since most of the cost is starting one. */
export const TEXTS_A_BLOCK = 64

/** A block of `TEXTS_A_BLOCK` texts of letters and digits, joined. */
export const drawnBlock = (seed: number, label: string, block: number, length: number): string =>
  digest(seed, label, block, TEXTS_A_BLOCK * length)
    .map(byte => ALPHABET[byte % ALPHABET.length] as number)
    .toString()

/** A random number from 0 to below 1. */
export const drawnFraction = (seed: number, label: string, n: number): number =>
  digest(seed, label, n, 6).readUIntBE(0, 6) / 2 ** 48
