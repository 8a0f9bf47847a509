/** Seeded random draws without state: the nth draw under a label depends on the seed, the label and n alone (A03). */
import { createHash } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const digest = (seed: number, label: string, n: number, length: number) =>
  createHash('shake256', { outputLength: length }).update(`${seed}:${label}:${n}`).digest()

/** Random letters and digits, `length` of them. */
export function drawnText(seed: number, label: string, n: number, length: number): string {
  let body = ''
  for (const byte of digest(seed, label, n, length)) body += ALPHABET[byte % ALPHABET.length]
  return body
}

/** A random number from 0 up to, but not including, 1. */
export const drawnFraction = (seed: number, label: string, n: number): number => digest(seed, label, n, 6).readUIntBE(0, 6) / 2 ** 48
