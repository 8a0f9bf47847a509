/** The records of one family: by id, and in list order under each index that a filter narrows on. Records are replaced, never mutated. */
import { LayeredMap } from './layered-map.js'
import { OrderedIndex, type Position } from './ordered-index.js'

export type StoredRecord = { readonly id: string; readonly created: string }
/** One text or several, mostly one. */
type Names = string | readonly string[]

/** A place in lists with the record that is there at present. */
export class Stored<R> implements Position {
  /** The mark of the collection that may put another record into this place; a collection with another mark shares the place, and makes a new one instead. */
  readonly holder: object
  record: R
  readonly at: number
  readonly nth: number
  /** The Accounts that it belongs to. */
  readonly owners: Names
  /** The answer that shows the record, as long as that is kept. */
  bytes: RecordBytes | null = null

  constructor(holder: object, record: R, { at, nth, owners }: Place) {
    this.holder = holder
    this.record = record
    this.at = at
    this.nth = nth
    this.owners = owners
  }

  isOwnedBy(account: string): boolean {
    return isAmong(this.owners, account)
  }
}
/** The JSON of a record in UTF-8; `base` is the base address in it, which begins at the byte `at`, null where there is none. */
export type RecordBytes = { readonly whole: Buffer; readonly base: string; readonly at: number | null }

type Place = Position & { readonly owners: Names }
/** For each index, the group or groups that a record is in; `account` are the Accounts that it belongs to. */
export type Groups<R> = Readonly<Record<string, (record: R) => Names>> & { readonly account: (record: R) => Names }

type Parts<R> = {
  byId: LayeredMap<Stored<R>>
  removed: LayeredMap<Place>
  indexes: readonly (readonly [name: string, index: OrderedIndex<Stored<R>>])[]
  next: number
  revision: number
  changes: Changes
}
/** The record that made a revision, and the changes before it; null ends the list. Copies share it. */
type Changes = { readonly revision: number; readonly id: string; readonly before: Changes; readonly length: number } | null
/** A deleted record: when it was created, how many of the remaining records came before it, and whom it belonged to. */
export type Tombstone = { id: string; at: number; after: number; owners: readonly string[] }

/** Ids that a wrong one is compared with, at most. */
const MOST_COMPARED = 1000
/** Records of a collection whose bytes are kept, at most. */
const MOST_WRITTEN = 4096
/** Changes that are listed, at least and at most. */
const CHANGES = { least: 1024, most: 2048 }

const isAmong = (names: Names, name: string): boolean => (typeof names === 'string' ? names === name : names.includes(name))

let revisions = 0

export class Collection<R extends StoredRecord> {
  readonly #groups: Groups<R>
  readonly #parts: Parts<R>
  /** The records whose bytes were kept last, in a ring. */
  readonly #written: Stored<R>[] = []
  #nextWritten = 0
  /** The mark of the places that no copy shares: this collection may change them in place. */
  #holder = {}

  constructor(groups: Groups<R>, parts?: Parts<R>) {
    this.#groups = groups
    this.#parts = parts ?? {
      byId: new LayeredMap(),
      removed: new LayeredMap(),
      indexes: Object.keys(groups).map(name => [name, new OrderedIndex()]),
      next: 0,
      revision: 0,
      changes: null
    }
  }

  /** A copy in constant time; what one side changes the other does not see. */
  clone(groups: Groups<R>): Collection<R> {
    this.#holder = {}
    const { byId, removed, indexes, next, revision, changes } = this.#parts
    return new Collection(groups, {
      byId: byId.clone(),
      removed: removed.clone(),
      indexes: indexes.map(([name, index]) => [name, index.clone()]),
      next,
      revision,
      changes
    })
  }

  get size(): number {
    return this.#parts.byId.size
  }

  /** Two collections of the same revision hold the same; any change gives a new one. */
  get revision(): number {
    return this.#parts.revision
  }

  /** The ids of the records that were put, replaced or deleted since a revision; null where that is not known: it was too long ago, or another state's. */
  changedSince(revision: number): Set<string> | null {
    const ids = new Set<string>()
    if (revision === this.#parts.revision) return ids
    for (let change = this.#parts.changes; change !== null; change = change.before) {
      if (change.revision === revision) return ids
      ids.add(change.id)
    }
    return null
  }

  /** Makes a new revision. */
  #noteChange(id: string): void {
    const parts = this.#parts
    parts.revision = ++revisions
    if (parts.changes?.length === CHANGES.most) parts.changes = newest(parts.changes, CHANGES.least)
    parts.changes = { revision: parts.revision, id, before: parts.changes, length: (parts.changes?.length ?? 0) + 1 }
  }

  get(id: string): R | undefined {
    return this.#parts.byId.get(id)?.record
  }

  /** A record in its place. */
  stored(id: string): Stored<R> | undefined {
    return this.#parts.byId.get(id)
  }

  /** Keeps the bytes of a record until it changes, or many others were kept after it. */
  keepBytes(stored: Stored<R>, bytes: RecordBytes): void {
    const oldest = this.#written[this.#nextWritten]
    if (oldest !== undefined) oldest.bytes = null
    stored.bytes = bytes
    this.#written[this.#nextWritten] = stored
    this.#nextWritten = (this.#nextWritten + 1) % MOST_WRITTEN
  }

  /** Up to `count` of the ids: as many as are compared with a wrong one, to suggest one that is similar. */
  someIds(count = MOST_COMPARED): string[] {
    const ids: string[] = []
    for (const [id] of this.#parts.byId.entries()) if (ids.push(id) === count) break
    return ids
  }

  /** The id belongs to a record, or belonged to one that was deleted: it is never given out again. */
  isTaken(id: string): boolean {
    return this.#parts.byId.has(id) || this.#parts.removed.has(id)
  }

  /** The position of a record, or of one that was deleted: what a cursor names. */
  position(id: string): Position | undefined {
    return this.#placeOf(id)
  }

  /** Whether a record belongs to an Account, or did before it was deleted. */
  isOwnedBy(id: string, account: string): boolean {
    const place = this.#placeOf(id)
    return place !== undefined && isAmong(place.owners, account)
  }

  #placeOf(id: string): Place | undefined {
    return this.#parts.byId.get(id) ?? this.#parts.removed.get(id)
  }

  index(name: string): OrderedIndex<Stored<R>> {
    const [, index] = this.#parts.indexes.find(([other]) => other === name) as Parts<R>['indexes'][number]
    return index
  }

  insert(record: R): R {
    return this.#put(record, this.#parts.next++)
  }

  /** Puts a record in the place of the one with its id; it keeps its number in the order of creation. */
  replace(record: R): R {
    const before = this.#storedAt(record.id)
    if (record.created !== before.record.created || !this.#isGroupedAs(before.record, record)) {
      this.#takeOut(record.id)
      return this.#put(record, before.nth)
    }
    return this.#amend(record, before)
  }

  /** Puts a record in the place of the one with its id that differs in nothing that an index or the order goes by. */
  amend(record: R): void {
    this.#amend(record, this.#storedAt(record.id))
  }

  #amend(record: R, before: Stored<R>): R {
    this.#noteChange(record.id)
    if (before.holder === this.#holder) {
      before.record = record
      before.bytes = null
      return record
    }
    const stored = new Stored(this.#holder, record, before)
    for (const [name, index] of this.#parts.indexes) for (const group of [this.#groupsOf(name, stored)].flat()) index.replace(group, stored)
    this.#parts.byId.set(record.id, stored)
    return record
  }

  /** Deletes a record; its id stays taken and stays a cursor. */
  remove(id: string): void {
    const { at, nth, owners } = this.#takeOut(id)
    this.#parts.removed.set(id, { at, nth, owners })
    this.#noteChange(id)
  }

  /** The deleted records in the order of their ids, for a file that the collection is read back from with `addTombstone`. */
  tombstones(): Tombstone[] {
    const removed = [...this.#parts.removed.entries()]
    if (removed.length === 0) return []
    const numbers = Array.from(this.#parts.byId.entries(), ([, { nth }]) => nth)
    return removed
      .map(([id, { at, nth, owners }]) => ({ id, at, owners: [owners].flat(), after: numbers.filter(number => number < nth).length }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Takes the id of a deleted record and its place among the others: after the first `after` of them. */
  addTombstone({ id, at, after, owners }: Tombstone): void {
    this.#parts.removed.set(id, { at, nth: after - 0.5, owners })
    this.#noteChange(id)
  }

  /** All records in the order in which they came; for exports, never for a query. */
  inCreationOrder(): R[] {
    return Array.from(this.#parts.byId.entries(), ([, stored]) => stored)
      .sort((a, b) => a.nth - b.nth)
      .map(({ record }) => record)
  }

  /** Gives records that came out of order their places in the lists, a list at each step. */
  *settling(): Generator<void, void> {
    for (const [, index] of this.#parts.indexes) yield* index.settling()
  }

  /** All records in the order of lists, each with its number in the order of creation. */
  inListOrder(): readonly Stored<R>[] {
    return Array.from(this.#parts.byId.entries(), ([, stored]) => stored).sort((a, b) => a.at - b.at || a.nth - b.nth)
  }

  /** The records that were created after an instant. */
  createdAfter(instant: number): R[] {
    const found: R[] = []
    for (const [, { at, record }] of this.#parts.byId.entries()) if (at > instant) found.push(record)
    return found
  }

  /** Inserts a record with its number in the order of creation. */
  insertAs(record: R, nth: number): void {
    this.#parts.next = Math.max(this.#parts.next, nth + 1)
    this.#put(record, nth)
  }

  #put(record: R, nth: number): R {
    const owners = this.#groups.account(record)
    const stored = new Stored(this.#holder, record, { at: Date.parse(record.created), nth, owners })
    for (const [name, index] of this.#parts.indexes) {
      const groups = this.#groupsOf(name, stored)
      if (typeof groups === 'string') index.add(groups, stored)
      else for (const group of groups) index.add(group, stored)
    }
    this.#parts.byId.add(record.id, stored)
    // a record that is brought back under a deleted id has another place, which no list of changes tells
    if (this.#parts.removed.has(record.id)) this.#parts.changes = null
    this.#noteChange(record.id)
    return record
  }

  #storedAt(id: string): Stored<R> {
    const stored = this.#parts.byId.get(id)
    if (!stored) throw new Error(`there is no record ${id}`)
    return stored
  }

  /** Whether two records are in the same groups of every index. */
  #isGroupedAs(one: R, other: R): boolean {
    return Object.values(this.#groups).every(groupsOf => String(groupsOf(one)) === String(groupsOf(other)))
  }

  #takeOut(id: string): Stored<R> {
    const stored = this.#storedAt(id)
    this.#parts.byId.delete(id)
    for (const [name, index] of this.#parts.indexes) for (const group of [this.#groupsOf(name, stored)].flat()) index.remove(group, stored)
    return stored
  }

  /** The groups of an index that a record is in. */
  #groupsOf(index: string, { record, owners }: Stored<R>): Names {
    return index === 'account' ? owners : (this.#groups[index] as Groups<R>[string])(record)
  }
}

/** A list of the newest changes of another. */
function newest(changes: Changes, count: number): Changes {
  const taken: NonNullable<Changes>[] = []
  for (let change = changes; change !== null && taken.length < count; change = change.before) taken.push(change)
  return taken.reduceRight<Changes>((before, { revision, id }) => ({ revision, id, before, length: (before?.length ?? 0) + 1 }), null)
}
