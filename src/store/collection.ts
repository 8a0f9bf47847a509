/**
 * The records of one family by id, and by indexes that filters use. Records are replaced, never
 * mutated.
 */
import type { Template } from '../core/templates.js'
import { EARLIEST, LATEST, OrderedIndex, type Position } from './ordered-index.js'

export type StoredRecord = { readonly id: string; readonly created: string }
type Names = string | readonly string[]
/** The JSON of a record in UTF-8, and the shape of the list in it, if it has one. */
export type RecordBytes = { readonly whole: Buffer; readonly shape: Shape | null }
/** How lists are written: the base of their addresses, and their template. */
export type Shape = { readonly base: string; readonly list: Template }

/** The place of a record in lists, and its Accounts; the record is null after it was deleted. */
export class Stored<R> implements Position {
  bytes: RecordBytes | null = null

  constructor(
    readonly record: R,
    readonly at: number,
    readonly nth: number,
    readonly owners: Names
  ) {}

  isOwnedBy(account: string): boolean {
    return typeof this.owners === 'string' ? this.owners === account : this.owners.includes(account)
  }
}

/** The groups of a record in each index; those of `account` are its owners. */
export type Groups<R> = Readonly<Record<string, (record: R) => Names>> & {
  readonly all: () => 'all'
  readonly account: (record: R) => Names
}

const MAX_COMPARED = 1000
const MAX_WITH_BYTES = 4096

let revisions = 0

const hasRecord = <R>(place: Stored<R | null>): place is Stored<R> => place.record !== null

export class Collection<R extends StoredRecord> {
  /** By every id that was ever used, in the order of creation. */
  #places = new Map<string, Stored<R | null>>()
  #indexes: ReadonlyMap<string, OrderedIndex<Stored<R>>>
  /** Whether another collection shares the map and indexes: they are copied before a change. */
  #isShared = false
  #inserted = 0
  #removed = 0
  #revision = 0
  /** The records whose bytes were kept last, as a ring. */
  readonly #withBytes: Stored<R>[] = []
  #nextWithBytes = 0

  /** A copy of `source` shares everything with it until one side changes. */
  constructor(
    private readonly groups: Groups<R>,
    source?: Collection<R>
  ) {
    if (source === undefined) {
      this.#indexes = new Map(Object.keys(groups).map(name => [name, new OrderedIndex()]))
      return
    }
    this.#indexes = source.#indexes
    this.#isShared = source.#isShared = true
    this.#places = source.#places
    this.#inserted = source.#inserted
    this.#removed = source.#removed
    this.#revision = source.#revision
  }

  #beginChange(): void {
    this.#revision = ++revisions
    if (!this.#isShared) return
    this.#isShared = false
    this.#places = new Map(this.#places)
    this.#indexes = new Map(Array.from(this.#indexes, ([name, index]) => [name, index.copy()]))
  }

  /** The number that the next record gets in the order of creation. */
  get next(): number {
    return this.#inserted
  }

  get size(): number {
    return this.#inserted - this.#removed
  }

  /** Collections of the same revision have the same records. */
  get revision(): number {
    return this.#revision
  }

  get(id: string): R | undefined {
    return this.#places.get(id)?.record ?? undefined
  }

  stored(id: string): Stored<R> | undefined {
    const place = this.#places.get(id)
    return place !== undefined && hasRecord(place) ? place : undefined
  }

  /** Keeps them until the record changes, or many others were kept since. */
  keepBytes(stored: Stored<R>, bytes: RecordBytes): void {
    const oldest = this.#withBytes[this.#nextWithBytes]
    if (oldest !== undefined) oldest.bytes = null
    stored.bytes = bytes
    this.#withBytes[this.#nextWithBytes] = stored
    this.#nextWithBytes = (this.#nextWithBytes + 1) % MAX_WITH_BYTES
  }

  /** Up to `count` ids, to suggest one that is similar to a wrong one. */
  someIds(count = MAX_COMPARED): string[] {
    return this.group('all', 'all', count).map(({ record }) => record.id)
  }

  /** Up to `count` records of a group, the oldest first. */
  group(index: string, name: string, count = Infinity): Stored<R>[] {
    const range = { after: EARLIEST, before: LATEST, descending: false, count }
    return this.index(index).range(name, range)
  }

  places(): (readonly [id: string, place: Stored<R | null>])[] {
    return [...this.#places]
  }

  /** Whether an id is or was in use; none is generated again. */
  has(id: string): boolean {
    return this.#places.has(id)
  }

  /** The position that a cursor names, of a record that may be deleted. */
  position(id: string): Position | undefined {
    return this.#places.get(id)
  }

  isOwnedBy(id: string, account: string): boolean {
    return this.#places.get(id)?.isOwnedBy(account) === true
  }

  index(name: string): OrderedIndex<Stored<R>> {
    return this.#indexes.get(name) as OrderedIndex<Stored<R>>
  }

  insert(record: R): R {
    this.#beginChange()
    // an id that was deleted comes last
    this.#places.delete(record.id)
    return this.#put(record)
  }

  /** Replaces the record with this id, which keeps its number in the order of creation. */
  replace(record: R): R {
    const before = this.#storedAt(record.id)
    return record === before.record ? record : this.#put(record, before)
  }

  /** Finds the owners of an Account's records again. */
  regroup(account: string): void {
    for (const before of this.group('account', account)) this.#put(before.record, before)
  }

  /** Deletes a record; its id stays used, and valid as a cursor. */
  remove(id: string): void {
    const stored = this.#storedAt(id)
    this.#beginChange()
    this.#inGroups('remove', stored)
    this.#removed++
    this.#places.set(id, new Stored(null, stored.at, stored.nth, stored.owners))
  }

  /** Adds a deleted record, as created after the present ones. */
  addDeleted(id: string, at: number, owners: Names): void {
    this.#beginChange()
    this.#removed++
    this.#places.set(id, new Stored(null, at, this.#inserted++, owners))
  }

  /** Reads everything: for exports, not for queries. */
  inCreationOrder(): readonly R[] {
    return this.places().flatMap(([, { record }]) => record ?? [])
  }

  #put(record: R, before?: Stored<R>): R {
    this.#beginChange()
    const nth = before?.nth ?? this.#inserted++
    const stored = new Stored(record, Date.parse(record.created), nth, this.groups.account(record))
    const isSame = (name: string) =>
      before && String(this.#groupsOf(name, stored)) === String(this.#groupsOf(name, before))
    const isInPlace = before?.at === stored.at && Object.keys(this.groups).every(isSame)
    if (before && !isInPlace) this.#inGroups('remove', before)
    this.#inGroups(isInPlace ? 'replace' : 'add', stored)
    this.#places.set(record.id, stored)
    return record
  }

  #storedAt(id: string): Stored<R> {
    const stored = this.stored(id)
    if (!stored) throw new Error(`there is no record ${id}`)
    return stored
  }

  /** Owners as they are in the index: those of the record may have changed since. */
  #groupsOf(name: string, { record, owners }: Stored<R>): Names {
    return name === 'account' ? owners : (this.groups[name] as (record: R) => Names)(record)
  }

  #inGroups(how: 'add' | 'replace' | 'remove', stored: Stored<R>): void {
    for (const [name, index] of this.#indexes) {
      const groups = this.#groupsOf(name, stored)
      if (typeof groups === 'string') index.change(how, groups, stored)
      else for (const group of groups) index.change(how, group, stored)
    }
  }
}
