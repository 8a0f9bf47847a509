/** A data file's text: the document on the first line, and below it what has changed since, a line each time, with a checksum. */
import { hash } from 'node:crypto'
import type { Family } from '../reference/operations.js'
import type { ExpectationData } from '../scenario/expectations.js'
import type { FirstState } from '../scenario/scenario.js'
import { FAMILIES } from '../store/store.js'
import type { SerializedState } from './serialization.js'

export const FORMAT = 3
export type SerializedFirstState = { scenario: FirstState['scenario']; expectations: ExpectationData[]; state: SerializedState }
/** `first_state` is the index of its first state; families that are as they were there are left out of its records. */
export type SerializedSandbox = { name: string | null; first_state: number; requests: number; state: SerializedState }
export type SerializedData = { format: typeof FORMAT; start: number; first_states: SerializedFirstState[]; sandboxes: SerializedSandbox[] }

/** Records by family: those that are new or replaced come whole, in the order of creation, those that were deleted by id. Keys come all together. */
type RecordChanges = { records?: Readonly<Record<string, SerializedRecord[]>>; removed?: Readonly<Record<string, string[]>> }
type SerializedRecord = { id: string }
/** What changed in a sandbox; what is left out is as it was. */
export type SandboxChange = { name: string | null; requests: number; changed: Partial<Omit<SerializedState, 'records'>> & RecordChanges }
/** What one write adds. `first_states` come behind the others; `removed` are names of sandboxes. */
export type Change = {
  start?: number
  first_states?: SerializedFirstState[]
  removed?: string[]
  sandboxes?: (SerializedSandbox | SandboxChange)[]
}

const HEAD = /^\{"sha256":"([0-9a-f]{16})","change":/
const HEAD_LENGTH = '{"sha256":"0123456789abcdef","change":'.length

const checksum = (text: string) => hash('sha256', text).slice(0, 16)

/** The line of a change, which is given as JSON. */
export const lineOf = (change: string): string => `{"sha256":"${checksum(change)}","change":${change}}\n`

/** The change in a line; null for a line that is not whole. */
function changeIn(line: string): Change | null {
  const [, sum] = HEAD.exec(line) ?? []
  const text = line.slice(HEAD_LENGTH, -1)
  return sum !== undefined && line.endsWith('}') && checksum(text) === sum ? JSON.parse(text) : null
}

/**
 * The document that a file's text holds, with its changes applied. The last line may be torn: no call was answered whose change it holds.
 * Errors: what makes the text no JSON, or that a line before the last is damaged.
 */
export function dataIn(text: string): unknown {
  const end = text.indexOf('\n')
  const first = parsed(end < 0 ? text : text.slice(0, end))
  // a document that was reformatted by hand, on many lines, has no changes below it
  if (first === undefined) return JSON.parse(text)
  if (end < 0) return first
  const changes = text
    .slice(end + 1)
    .split('\n')
    .map(changeIn)
  const whole = changes.filter(change => change !== null)
  const torn = changes.indexOf(null)
  if (torn >= 0 && torn < whole.length) throw new Error(`line ${torn + 2} is damaged, and there are lines below it that are not`)
  return applied(first as SerializedData, whole)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A sandbox that changes are applied to, its records by id. */
type Opened = Omit<SerializedSandbox, 'state'> & {
  state: Omit<SerializedState, 'records'>
  keys: unknown[]
  families: Map<Family, Map<string, SerializedRecord>>
}

/** A document with changes applied. */
export function applied(data: SerializedData, changes: readonly Change[]): SerializedData {
  if (changes.length === 0) return data
  const firstStates = [...data.first_states]
  const sandboxes = new Map(data.sandboxes.map(sandbox => [sandbox.name, opened(sandbox)]))
  let { start } = data
  for (const change of changes) {
    firstStates.push(...(change.first_states ?? []))
    start = change.start ?? start
    for (const name of change.removed ?? []) sandboxes.delete(name)
    for (const one of change.sandboxes ?? []) {
      if ('state' in one) sandboxes.set(one.name, opened(one))
      else amend(sandboxes.get(one.name) as Opened, one, firstStates)
    }
  }
  return { ...data, start, first_states: firstStates, sandboxes: [...sandboxes.values()].map(closed) }
}

function opened({ state: { records, ...state }, ...sandbox }: SerializedSandbox): Opened {
  const families = FAMILIES.flatMap(family => (records[family] === undefined ? [] : [[family, byId(records[family])] as const]))
  return { ...sandbox, state, keys: records.api_keys as unknown[], families: new Map(families) }
}

const byId = (records: readonly unknown[]) => new Map((records as SerializedRecord[]).map(record => [record.id, record]))

function closed({ state, keys, families, ...sandbox }: Opened): SerializedSandbox {
  const records = Object.fromEntries(
    FAMILIES.filter(family => families.has(family)).map(family => [family, [...(families.get(family) as Map<string, unknown>).values()]])
  )
  return { ...sandbox, state: { ...state, records: { api_keys: keys, ...records } } }
}

function amend(
  sandbox: Opened,
  { requests, changed: { records = {}, removed = {}, ...parts } }: SandboxChange,
  firstStates: readonly SerializedFirstState[]
): void {
  const { records: first } = (firstStates[sandbox.first_state] as SerializedFirstState).state
  sandbox.requests = requests
  sandbox.keys = records.api_keys ?? sandbox.keys
  Object.assign(sandbox.state, parts)
  const isChanged = (family: Family) => records[family] !== undefined || removed[family] !== undefined
  for (const family of withMoney(FAMILIES.filter(isChanged))) {
    if (!sandbox.families.has(family)) sandbox.families.set(family, byId(first[family] as unknown[]))
    const present = sandbox.families.get(family) as Map<string, SerializedRecord>
    for (const record of records[family] ?? []) present.set(record.id, record)
    for (const id of removed[family] ?? []) present.delete(id)
  }
}

const MONEY: readonly Family[] = ['transactions', 'refunds']

/** The amount refunded of a Transaction follows from its Refunds, so both families are written when one has changed. */
export function withMoney(families: readonly Family[]): Family[] {
  const isMoneyChanged = families.some(family => MONEY.includes(family))
  return FAMILIES.filter(family => families.includes(family) || (isMoneyChanged && MONEY.includes(family)))
}
