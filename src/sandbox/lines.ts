/** The lines of a data file or snapshot, each JSON with a checksum: the first names the format, the others add to what is above. */
import { constants } from 'node:buffer'
import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { ClockStart } from '../core/clock.js'
import type { IdCounters } from '../core/ids.js'
import type { Family } from '../reference/operations.js'
import type { ExpectationData } from '../scenario/expectations.js'
import type { FirstState } from '../scenario/scenario.js'
import type { EntryCount, EntryData } from '../scenario/script.js'
import type { Tombstone } from '../store/collection.js'

const FORMAT = 4

/** A state from lines. A family that is not among its records is as in its first state. */
export type SavedState = {
  settings: object
  counters: IdCounters
  clock: ClockStart
  script: ({ id: string; entry: EntryData } & EntryCount)[]
  records: Readonly<Record<string, unknown[]>>
  deleted: Partial<Record<Family, Tombstone[]>>
}
export type SavedFirstState = SavedState & { scenario: FirstState['scenario']; expectations: ExpectationData[] }
/** `from` is the index of the first state that a sandbox goes back to, `start` of that which new ones begin with. */
export type SavedData = { first_states: SavedFirstState[]; sandboxes: (SavedState & { name: string | null; from: number; requests: number })[]; start: number }

type SavedRecord = { id: string; deleted?: Pick<Tombstone, 'at' | 'owners'> }
/**
 * What a line says of a first state, by its number, or of a sandbox: `from` which first state it begins anew; that it `ended`; that records of a family come to
 * the others, or, where they are all of it, in their place; or `parts`, each with its value. Without either: which first state new sandboxes begin with.
 */
type Amendment = { first?: number; sandbox?: string | null; from?: number; ended?: true; start?: number; family?: Family; all?: true; records?: SavedRecord[] }
type Holder = { parts: Record<string, unknown>; families: Map<Family, Map<string, SavedRecord>>; base: Holder | undefined }
type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>
type Holders = Map<number | string | null, Holder>

/** The last line, where it was not written completely, and its bytes. */
export type Torn = { line: number; bytes: number }
export type Read = { data: SavedData; torn: Torn | null }

const checksum = (data: string | Uint8Array) => hash('sha256', data).slice(0, 16)
const headOf = (data: string | Uint8Array) => `{"sha256":"${checksum(data)}","data":`
const HEAD_LENGTH = headOf('').length
/** The beginning of format 3 and earlier. */
const EARLIER = /^\{"format":(\d+)/
const [LINE_END, CLOSING] = Buffer.from('\n}')
/** Characters of the longest amendment: of a line that is read as one string, which may have as many characters as the line has bytes, up to three each. */
const MAX_AMENDMENT = Math.floor(constants.MAX_STRING_LENGTH / 3) - 64

export const lineOf = (data: string): string => `${headOf(data)}${data}}\n`

/** Amendments are given as JSON texts. */
export const amendmentLine = (texts: readonly string[]): string => lineOf(`[${texts.join(',')}]`)

/** The lines of a whole file. Errors: that an amendment is too long to be read back. */
export function* wholeLines(texts: Iterable<string>): Generator<string> {
  yield lineOf(`{"format":${FORMAT}}`)
  for (const text of texts) {
    if (text.length > MAX_AMENDMENT) throw new Error(`${text.slice(0, 60)}… is ${text.length} characters of JSON, and a line holds at most ${MAX_AMENDMENT}`)
    yield amendmentLine([text])
  }
}

/** Errors: the system's; that it is empty, of another format, cut off, or a line is damaged. */
export const readLines = (path: string): Promise<Read> => linesRead(createReadStream(path, { highWaterMark: 2 ** 20 }))

/** Lines come as bytes: together they may be longer than the longest string. Errors: as of `readLines`. */
export async function linesRead(chunks: Chunks): Promise<Read> {
  const holders: Holders = new Map()
  let number = 0
  let start: number | undefined
  let torn: Torn | null = null
  for await (const line of linesIn(chunks)) {
    if (torn !== null) throw damaged(torn.line)
    const data = dataIn(line)
    if (++number === 1) requireFormat(line, data as { format?: number } | undefined)
    else if (data !== undefined) for (const one of data as Amendment[]) start = amended(holders, one) ?? start
    else if (isTorn(line)) torn = { line: number, bytes: line.length }
    else throw damaged(number)
  }
  if (number === 0) throw new Error('it is empty')
  if (start === undefined) throw new Error('it was cut off: its lines do not hold a whole state')
  return { data: dataOf(holders, start), torn }
}

const damaged = (line: number) => new Error(`line ${line} is damaged: its checksum does not match. Put a copy of the file in its place`)

/** A process that is killed leaves a line without its end. A power failure may leave zeros, too, which JSON never holds. */
const isTorn = (line: Buffer) => line.at(-1) !== LINE_END || line.includes(0)

/** Each with its end, except a last one that has none. */
async function* linesIn(chunks: Chunks): AsyncGenerator<Buffer> {
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

function requireFormat(line: Buffer, data: { format?: number } | undefined): void {
  const [, earlier] = EARLIER.exec(line.toString('latin1', 0, 30)) ?? []
  const format = data?.format ?? (earlier === undefined ? undefined : Number(earlier))
  if (format === undefined) throw new Error('it is not a file of commerce-emulator, or its first line is damaged. Put a copy of the file in its place')
  if (format !== FORMAT) throw new Error(`it has the format ${format}, and this version reads format ${FORMAT}. Use the version that wrote it`)
}

/** Undefined for a line that is not whole. */
function dataIn(line: Buffer): unknown {
  const end = line.at(-1) === LINE_END ? -2 : -1
  const data = line.subarray(HEAD_LENGTH, end)
  const isWhole = line.at(end) === CLOSING && line.toString('latin1', 0, HEAD_LENGTH) === headOf(data)
  return isWhole ? JSON.parse(data.toString()) : undefined
}

/** Returns the first state that new sandboxes begin with, where the amendment names it. */
function amended(holders: Holders, { first, sandbox = null, start, from, ended, family, all, records = [], ...parts }: Amendment): number | undefined {
  if (start !== undefined) return start
  const key = first ?? sandbox
  if (ended) holders.delete(key)
  else {
    if (from !== undefined || !holders.has(key)) holders.set(key, { parts: { from }, families: new Map(), base: holders.get(from ?? '') })
    const holder = holders.get(key) as Holder
    Object.assign(holder.parts, parts)
    if (family !== undefined) {
      // Refunds give the amount refunded of a Transaction, so both families are read when one has changed
      for (const one of MONEY.includes(family) ? MONEY : [family]) open(holder, one)
      const present = open(holder, family)
      if (all) present.clear()
      for (const record of records) present.set(record.id, record)
    }
  }
  return undefined
}

const MONEY: readonly Family[] = ['transactions', 'refunds']

/** By id; they begin as those of the first state. */
function open({ families, base }: Holder, family: Family): Map<string, SavedRecord> {
  const present = families.get(family) ?? new Map(base?.families.get(family))
  families.set(family, present)
  return present
}

function dataOf(holders: Holders, start: number): SavedData {
  const all = [...holders]
  const first_states = all.flatMap(([key, holder]) => (typeof key === 'number' ? stateIn(holder) : []))
  const sandboxes = all.flatMap(([name, holder]) => (typeof name === 'number' ? [] : { name, ...stateIn(holder) }))
  return { start, first_states, sandboxes } as unknown as SavedData
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
