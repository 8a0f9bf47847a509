/**
 * The lines of a data file or snapshot, each JSON with a checksum: the first names the format, the
 * others add to what is above.
 */
import { constants } from 'node:buffer'
import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { ClockStart } from '../core/clock.js'
import type { IdCounters } from '../core/ids.js'
import type { Family } from '../reference/operations.js'
import type { ExpectationData } from '../scenario/expect/expectations.js'
import type { FirstState } from '../scenario/scenario.js'
import type { EntryCount, EntryData } from '../scenario/script.js'
import type { Tombstone } from '../store/collection.js'
import { SAYS } from './sentences.js'

const FORMAT = 4

/** A family that is not among its records is as in its first state. */
export type SavedState = {
  settings: object
  counters: IdCounters
  clock: ClockStart
  script: ({ id: string; entry: EntryData } & EntryCount)[]
  records: Readonly<Record<string, unknown[]>>
  deleted: Partial<Record<Family, Tombstone[]>>
}
/**
 * `from` and `start` are indexes of first states; `start` is for new sandboxes. A snapshot is a
 * first state.
 */
export type SavedData = {
  first_states: (SavedState & {
    scenario: FirstState['scenario']
    expectations?: ExpectationData[]
  })[]
  sandboxes: (SavedState & { name: string | null; from: number; requests: number })[]
  start: number
}

type SavedRecord = { id: string; deleted?: Pick<Tombstone, 'at' | 'owners'> }
/**
 * Of a first state, by its number, or of a sandbox: that it begins `from` a state, or `ended`;
 * records of a family, added or (`all`) replacing; or parts by name. With neither: where new
 * sandboxes `start`.
 */
type Amendment = {
  first?: number
  sandbox?: string | null
  from?: number
  ended?: true
  start?: number
  family?: Family
  all?: true
  records?: SavedRecord[]
}
type Holder = {
  parts: Record<string, unknown>
  families: Map<Family, Map<string, SavedRecord>>
  base: Holder | undefined
}

/** `torn` is a last line that was not written completely. */
export type Read = { data: SavedData; torn: { line: number; bytes: number } | null }

const headOf = (data: string | Uint8Array) =>
  `{"sha256":"${hash('sha256', data).slice(0, 16)}","data":`
const HEAD_LENGTH = headOf('').length
const [LINE_END, CLOSING] = Buffer.from('\n}')
/** A line is read as one string, of up to three bytes a character. */
const MAX_AMENDMENT = Math.floor(constants.MAX_STRING_LENGTH / 3) - 64

export const lineOf = (data: string): string => `${headOf(data)}${data}}\n`

export const amendmentLine = (texts: readonly string[]): string => lineOf(`[${texts.join(',')}]`)

/** Errors: that an amendment is too long to be read back. */
export function* wholeLines(texts: Iterable<string>): Generator<string> {
  yield lineOf(`{"format":${FORMAT}}`)
  for (const text of texts) {
    if (text.length > MAX_AMENDMENT)
      throw new Error(SAYS.tooLong(text.slice(0, 60), text.length, MAX_AMENDMENT))
    yield amendmentLine([text])
  }
}

/** Errors: those of the system; an empty, foreign, incomplete or damaged file. */
export const readLines = (path: string): Promise<Read> =>
  linesRead(createReadStream(path, { highWaterMark: 2 ** 20 }))

/** Reads bytes, which may be more than fit into a string. Errors: as of `readLines`. */
export async function linesRead(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Read> {
  const firsts = new Map<number, Holder>()
  const sandboxes = new Map<string | null, Holder>()
  let number = 0
  let start: number | undefined
  let torn: Read['torn'] = null
  for await (const line of linesIn(chunks)) {
    if (torn !== null) throw new Error(SAYS.damaged(torn.line))
    const data = dataIn(line)
    if (++number === 1) {
      const { format } = (data ?? {}) as { format?: number }
      if (format !== FORMAT)
        throw new Error(format === undefined ? SAYS.foreign : SAYS.otherFormat(format, FORMAT))
    } else if (data === undefined) {
      if (!isTorn(line)) throw new Error(SAYS.damaged(number))
      torn = { line: number, bytes: line.length }
    } else {
      for (const { first, sandbox = null, ...amendment } of data as Amendment[]) {
        if (amendment.start !== undefined) start = amendment.start
        else if (first !== undefined) amend(firsts, first, amendment, firsts)
        else amend(sandboxes, sandbox, amendment, firsts)
      }
    }
  }
  if (number === 0) throw new Error(SAYS.empty)
  if (start === undefined) throw new Error(SAYS.cutOff)
  const data = {
    start,
    first_states: [...firsts.values()].map(stateIn),
    sandboxes: Array.from(sandboxes, ([name, holder]) => ({ name, ...stateIn(holder) }))
  }
  return { data: data as unknown as SavedData, torn }
}

/**
 * A killed process leaves a line without its end; a power failure perhaps zeros, which JSON never
 * holds.
 */
const isTorn = (line: Buffer) => line.at(-1) !== LINE_END || line.includes(0)

/** Each with its end, except a last one that has none. */
async function* linesIn(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end + 1)])
      parts = []
      from = end + 1
    }
    parts.push(chunk.subarray(from))
  }
  const rest = Buffer.concat(parts)
  if (rest.length > 0) yield rest
}

/** Undefined for a line that is not whole. */
function dataIn(line: Buffer): unknown {
  const end = line.at(-1) === LINE_END ? -2 : -1
  const data = line.subarray(HEAD_LENGTH, end)
  const isWhole =
    line.at(end) === CLOSING && line.toString('latin1', 0, HEAD_LENGTH) === headOf(data)
  return isWhole ? JSON.parse(data.toString()) : undefined
}

function amend<K>(
  holders: Map<K, Holder>,
  key: K,
  { from, ended, family, all, records = [], ...parts }: Amendment,
  firsts: ReadonlyMap<number, Holder>
): void {
  if (ended) {
    holders.delete(key)
    return
  }
  if (from !== undefined || !holders.has(key))
    holders.set(key, { parts: { from }, families: new Map(), base: firsts.get(from as number) })
  const holder = holders.get(key) as Holder
  Object.assign(holder.parts, parts)
  if (family === undefined) return
  // Refunds give the amount refunded of a Transaction, so both families are read when one has
  // changed
  for (const one of MONEY.includes(family) ? MONEY : [family]) open(holder, one)
  const present = open(holder, family)
  if (all) present.clear()
  for (const record of records) present.set(record.id, record)
}

const MONEY: readonly Family[] = ['transactions', 'refunds']

/** Records by id; they begin as those of the first state. */
function open({ families, base }: Holder, family: Family): Map<string, SavedRecord> {
  const present = families.get(family) ?? new Map(base?.families.get(family))
  families.set(family, present)
  return present
}

function stateIn({ parts: { api_keys, ...parts }, families }: Holder): object {
  const records: Record<string, unknown> = { api_keys }
  const deleted: Record<string, Tombstone[]> = {}
  for (const [family, all] of families) {
    const present: SavedRecord[] = []
    const places: Tombstone[] = []
    for (const record of all.values()) {
      if (record.deleted) places.push({ id: record.id, ...record.deleted, after: present.length })
      else present.push(record)
    }
    records[family] = present
    deleted[family] = places
  }
  return { ...parts, records, deleted }
}
