/** The records of one family: by id, and in list order under each index that a filter narrows on. Records are replaced, never mutated. */
import { LayeredMap } from './layered-map.js'
import { OrderedIndex, type Position } from './ordered-index.js'

export type StoredRecord = { readonly id: string; readonly created: string }
/** The JSON of a record: whole, or in two pieces with the base address between them. */
export type RecordText = readonly [text: string] | readonly [head: string, tail: string]
/** A record in its place. */
export class Stored<R> {
  readonly record: R
  readonly position: Position
  /** The JSON of the record as it is answered; null until it is asked for, or when it was given up. */
  text: RecordText | null = null

  constructor(record: R, position: Position) {
    this.record = record
    this.position = position
  }
}
/** For each index, the group or groups that a record is in. */
export type Groups<R> = Readonly<Record<string, (record: R) => string | readonly string[]>>

/** Where a deleted record was, and the Accounts that it belonged to. */
type RemovedRecord = Position & { readonly owners: readonly string[] }
type Parts<R> = {
  byId: LayeredMap<Stored<R>>
  removed: LayeredMap<RemovedRecord>
  indexes: ReadonlyMap<string, OrderedIndex>
  next: number
  revision: number
}
/** A deleted record: when it was created, how many of the remaining records came before it, and whom it belonged to. */
export type Tombstone = { id: string; at: number; after: number; owners: readonly string[] }

/** Texts kept of the records of a collection, at most: so many records are read again and again. */
const MOST_TEXTS = 4096

let revisions = 0

export class Collection<R extends StoredRecord> {
  readonly #groups: Groups<R>
  readonly #parts: Parts<R>
  /** The records whose texts were kept last, in a ring. */
  readonly #texts: Stored<R>[] = []
  #nextText = 0

  constructor(groups: Groups<R>, parts?: Parts<R>) {
    this.#groups = groups
    this.#parts = parts ?? {
      byId: new LayeredMap(),
      removed: new LayeredMap(),
      indexes: new Map(Object.keys(groups).map(name => [name, new OrderedIndex()])),
      next: 0,
      revision: 0
    }
  }

  /** A copy in constant time; what one side changes the other does not see. */
  clone(groups: Groups<R>): Collection<R> {
    const { byId, removed, indexes, next, revision } = this.#parts
    return new Collection(groups, {
      byId: byId.clone(),
      removed: removed.clone(),
      indexes: new Map([...indexes].map(([name, index]) => [name, index.clone()])),
      next,
      revision
    })
  }

  get size(): number {
    return this.#parts.byId.size
  }

  /** Two collections of the same revision hold the same; any change gives a new one. */
  get revision(): number {
    return this.#parts.revision
  }

  get(id: string): R | undefined {
    return this.#parts.byId.get(id)?.record
  }

  /** A record in its place. */
  stored(id: string): Stored<R> | undefined {
    return this.#parts.byId.get(id)
  }

  /** Keeps the text of a record until it changes, or many others were kept after it. */
  keepText(stored: Stored<R>, text: RecordText): void {
    const oldest = this.#texts[this.#nextText]
    if (oldest !== undefined) oldest.text = null
    stored.text = text
    this.#texts[this.#nextText] = stored
    this.#nextText = (this.#nextText + 1) % MOST_TEXTS
  }

  /** Up to `count` of the ids, for a suggestion. */
  someIds(count: number): string[] {
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
    return this.#parts.byId.get(id)?.position ?? this.#parts.removed.get(id)
  }

  /** The Accounts that a record belongs to, or belonged to before it was deleted; none where there is no such id. */
  ownersAt(id: string): readonly string[] {
    const stored = this.#parts.byId.get(id)
    return stored ? this.ownersOf(stored.record) : (this.#parts.removed.get(id)?.owners ?? [])
  }

  /** The Accounts that a record belongs to. */
  ownersOf(record: R): readonly string[] {
    return [(this.#groups.account as Groups<R>[string])(record)].flat()
  }

  /** Whether a record belongs to an Account. */
  isOwnedBy(record: R, account: string): boolean {
    const owners = (this.#groups.account as Groups<R>[string])(record)
    return typeof owners === 'string' ? owners === account : owners.includes(account)
  }

  index(name: string): OrderedIndex {
    return this.#parts.indexes.get(name) as OrderedIndex
  }

  insert(record: R): R {
    return this.#put(record, this.#parts.next++)
  }

  /** Puts a record in the place of the one with its id; it keeps its number in the order of creation. */
  replace(record: R): R {
    const { record: before, position } = this.#storedAt(record.id)
    if (record.created === before.created && this.#isGroupedAs(before, record)) return this.#keep(record, position)
    this.#takeOut(record.id)
    return this.#put(record, position.nth)
  }

  /** Deletes a record; its id stays taken and stays a cursor. */
  remove(id: string): void {
    const { record, position } = this.#takeOut(id)
    this.#parts.removed.set(id, { ...position, owners: this.ownersOf(record) })
    this.#parts.revision = ++revisions
  }

  /** The deleted records in the order of their ids, for a file that the collection is read back from with `addTombstone`. */
  tombstones(): Tombstone[] {
    if (this.#parts.removed.size === 0) return []
    const numbers = Array.from(this.#parts.byId.entries(), ([, { position }]) => position.nth)
    return Array.from(this.#parts.removed.entries(), ([, { id, at, nth, owners }]) => ({ id, at, owners, after: numbers.filter(number => number < nth).length })).sort(
      (a, b) => (a.id < b.id ? -1 : 1)
    )
  }

  /** Takes the id of a deleted record and its place among the others: after the first `after` of them. */
  addTombstone({ id, at, after, owners }: Tombstone): void {
    this.#parts.removed.set(id, { id, at, nth: after - 0.5, owners })
    this.#parts.revision = ++revisions
  }

  /** All records in the order in which they came; for exports, never for a query. */
  inCreationOrder(): R[] {
    return Array.from(this.#parts.byId.entries(), ([, stored]) => stored)
      .sort((a, b) => a.position.nth - b.position.nth)
      .map(({ record }) => record)
  }

  #put(record: R, nth: number): R {
    const position = { at: Date.parse(record.created), nth, id: record.id }
    this.#eachGroup(record, (index, group) => index.add(group, position))
    return this.#keep(record, position)
  }

  #keep(record: R, position: Position): R {
    this.#parts.byId.set(record.id, new Stored(record, position))
    this.#parts.revision = ++revisions
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
    this.#eachGroup(stored.record, (index, group) => index.remove(group, stored.position))
    return stored
  }

  #eachGroup(record: R, act: (index: OrderedIndex, group: string) => void): void {
    for (const [name, index] of this.#parts.indexes) {
      const groups = (this.#groups[name] as Groups<R>[string])(record)
      if (typeof groups === 'string') act(index, groups)
      else for (const group of groups) act(index, group)
    }
  }
}
