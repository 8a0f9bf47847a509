/** The records of one family: by id, and in list order under each index that a filter narrows on. Records are frozen and replaced, never mutated. */
import sorted from 'sorted-btree'
import { OrderedIndex, type Position } from './ordered-index.js'

export type StoredRecord = { readonly id: string; readonly created: string }
type Entry<R> = { readonly record: R; readonly position: Position }
/** For each index, the groups that a record is in. */
export type Groups<R> = Readonly<Record<string, (record: R) => readonly string[]>>

const Tree = sorted.default
type Tree<R> = InstanceType<typeof Tree<string, Entry<R>>>
const byText = (a: string, b: string) => {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Freezes a record with all that it holds. */
function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) frozen(part)
  }
  return Object.freeze(value)
}

/** Where a deleted record was, and the Accounts that it belonged to. */
type RemovedRecord = Position & { readonly owners: readonly string[] }
type Parts<R> = {
  byId: Tree<R>
  removed: InstanceType<typeof Tree<string, RemovedRecord>>
  indexes: ReadonlyMap<string, OrderedIndex>
  next: number
  revision: number
}
/** A deleted record: when it was created, how many of the remaining records came before it, and whom it belonged to. */
export type Tombstone = { id: string; at: number; after: number; owners: readonly string[] }

let revisions = 0

export class Collection<R extends StoredRecord> {
  readonly #groups: Groups<R>
  readonly #parts: Parts<R>

  constructor(groups: Groups<R>, parts?: Parts<R>) {
    this.#groups = groups
    this.#parts = parts ?? {
      byId: new Tree<string, Entry<R>>(undefined, byText),
      removed: new Tree<string, RemovedRecord>(undefined, byText),
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

  /** Up to `count` of the ids, for a suggestion. */
  someIds(count: number): string[] {
    const ids: string[] = []
    for (const id of this.#parts.byId.keys()) if (ids.push(id) === count) break
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
    const entry = this.#parts.byId.get(id)
    return entry ? this.#ownersOf(entry.record) : (this.#parts.removed.get(id)?.owners ?? [])
  }

  #ownersOf(record: R): readonly string[] {
    return this.#groups.account?.(record) ?? []
  }

  index(name: string): OrderedIndex {
    return this.#parts.indexes.get(name) as OrderedIndex
  }

  insert(record: R): R {
    return this.#put(frozen(record), this.#parts.next++)
  }

  /** Puts a record in the place of the one with its id; it keeps its number in the order of creation. */
  replace(record: R): R {
    const { record: before, position } = this.#entryOf(record.id)
    if (record.created === before.created && this.#isGroupedAs(before, record)) return this.#keep(frozen(record), position)
    this.#takeOut(record.id)
    return this.#put(frozen(record), position.nth)
  }

  /** Deletes a record; its id stays taken and stays a cursor. */
  remove(id: string): void {
    const { record, position } = this.#takeOut(id)
    this.#parts.removed.set(id, { ...position, owners: this.#ownersOf(record) })
    this.#parts.revision = ++revisions
  }

  /** The deleted records, for a file that the collection is read back from with `addTombstone`. */
  tombstones(): Tombstone[] {
    if (this.#parts.removed.size === 0) return []
    const numbers = this.#parts.byId.valuesArray().map(({ position }) => position.nth)
    return this.#parts.removed.valuesArray().map(({ id, at, nth, owners }) => ({ id, at, owners, after: numbers.filter(number => number < nth).length }))
  }

  /** Takes the id of a deleted record and its place among the others: after the first `after` of them. */
  addTombstone({ id, at, after, owners }: Tombstone): void {
    this.#parts.removed.set(id, { id, at, nth: after - 0.5, owners })
    this.#parts.revision = ++revisions
  }

  /** All records in the order in which they came; for exports, never for a query. */
  inCreationOrder(): R[] {
    return this.#parts.byId
      .valuesArray()
      .sort((a, b) => a.position.nth - b.position.nth)
      .map(({ record }) => record)
  }

  #put(record: R, nth: number): R {
    const position = { at: Date.parse(record.created), nth, id: record.id }
    this.#eachGroup(record, (index, group) => index.add(group, position))
    return this.#keep(record, position)
  }

  #keep(record: R, position: Position): R {
    this.#parts.byId.set(record.id, { record, position })
    this.#parts.revision = ++revisions
    return record
  }

  #entryOf(id: string): Entry<R> {
    const entry = this.#parts.byId.get(id)
    if (!entry) throw new Error(`there is no record ${id}`)
    return entry
  }

  /** Whether two records are in the same groups of every index. */
  #isGroupedAs(one: R, other: R): boolean {
    return Object.values(this.#groups).every(groupsOf => {
      const [groups, others] = [groupsOf(one), groupsOf(other)]
      return groups.length === others.length && groups.every((group, index) => group === others[index])
    })
  }

  #takeOut(id: string): Entry<R> {
    const entry = this.#entryOf(id)
    this.#parts.byId.delete(id)
    this.#eachGroup(entry.record, (index, group) => index.remove(group, entry.position))
    return entry
  }

  #eachGroup(record: R, act: (index: OrderedIndex, group: string) => void): void {
    for (const [name, groupsOf] of Object.entries(this.#groups)) {
      for (const group of groupsOf(record)) act(this.index(name), group)
    }
  }
}
