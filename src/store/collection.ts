/**
 * The records of one family: by id, and in list order under each index that a filter narrows on.
 * Records are replaced, never mutated.
 */
import type { Template } from '../core/templates.js'
import { LayeredMap } from './layered-map.js'
import { EARLIEST, LATEST, OrderedIndex, type Position } from './ordered-index.js'

export type StoredRecord = { readonly id: string; readonly created: string }
/** One text or several, mostly one. */
type Names = string | readonly string[]
/** The JSON of a record in UTF-8, and the shape of the list in it; null where there is none. */
export type RecordBytes = { readonly whole: Buffer; readonly shape: Shape | null }
/** How lists are shown: what their addresses begin with, and their template. */
export type Shape = { readonly base: string; readonly list: Template }

/** A place in lists with the record that is there; null where that was deleted. */
export class Stored<R> implements Position {
  record: R
  readonly at: number
  readonly nth: number
  /** The Accounts that it belongs to. */
  readonly owners: Names
  /** The JSON of the record in bytes, as long as that is kept. */
  bytes: RecordBytes | null = null

  constructor(record: R, { at, nth, owners }: Place) {
    this.record = record
    this.at = at
    this.nth = nth
    this.owners = owners
  }

  isOwnedBy(account: string): boolean {
    return typeof this.owners === 'string' ? this.owners === account : this.owners.includes(account)
  }
}
type Place = Position & { readonly owners: Names }

/**
 * For each index, the group or groups that a record is in; `all` has one group of that name,
 * `account` are the Accounts that a record belongs to.
 */
export type Groups<R> = Readonly<Record<string, (record: R) => Names>> & {
  readonly all: () => 'all'
  readonly account: (record: R) => Names
}
/**
 * A deleted record: when it was created, how many of the remaining records came before it, and whom
 * it belonged to.
 */
export type Tombstone = { id: string; at: number; after: number; owners: readonly string[] }
/** The record that made a revision. */
type Change = { readonly revision: number; readonly id: string }

/** Ids that a wrong one is compared with, at most. */
const MAX_COMPARED = 1000
/** Records of a collection whose bytes are kept, at most. */
const MAX_WRITTEN = 4096
/** Changes that are listed, at least; at most twice as many. */
const MIN_CHANGES = 1024

let revisions = 0

export class Collection<R extends StoredRecord> {
  readonly #groups: Groups<R>
  /** The indexes, each with the groups in it that a record is in. */
  readonly #indexes: readonly (readonly [
    name: string,
    groupsOf: (record: R) => Names,
    index: OrderedIndex<Stored<R>>
  ])[]
  /** Every id that was ever given out. */
  #places = new LayeredMap<Stored<R | null>>()
  /** How many records came, and how many of them were deleted. */
  #inserted = 0
  #removed = 0
  #revision = 0
  /** The newest changes, and those before them, which copies share. */
  #changes: Change[] = []
  #older: readonly Change[] = []
  /** The records whose bytes were kept last, in a ring. */
  readonly #written: Stored<R>[] = []
  #nextWritten = 0
  /** What `inCreationOrder` gave last, as long as nothing changed. */
  #inOrder: readonly R[] | null = null

  constructor(groups: Groups<R>, from?: Collection<R>) {
    this.#groups = groups
    this.#indexes = Object.entries(groups).map(([name, groupsOf]) => [
      name,
      groupsOf,
      from?.index(name).clone() ?? new OrderedIndex()
    ])
  }

  /** A copy in constant time; what one side changes the other does not see. */
  clone(groups: Groups<R>): Collection<R> {
    if (this.#changes.length > 0)
      this.#older = [...this.#older, ...this.#changes.splice(0)].slice(-MIN_CHANGES)
    const copy = new Collection(groups, this)
    copy.#places = this.#places.clone()
    copy.#inserted = this.#inserted
    copy.#removed = this.#removed
    copy.#revision = this.#revision
    copy.#older = this.#older
    return copy
  }

  /** The number that the next record gets in the order of creation. */
  get next(): number {
    return this.#inserted
  }

  get size(): number {
    return this.#inserted - this.#removed
  }

  get hasDeleted(): boolean {
    return this.#removed > 0
  }

  /** Two collections of the same revision hold the same; any change gives a new one. */
  get revision(): number {
    return this.#revision
  }

  /**
   * The ids of the records that were put, replaced or deleted since a revision; null where that is
   * not known: it was too long ago, or another state's.
   */
  changedSince(revision: number): Set<string> | null {
    if (revision === this.#revision) return new Set()
    const changes = [...this.#older, ...this.#changes]
    const first = 1 + changes.findIndex(change => change.revision === revision)
    return first === 0 ? null : new Set(changes.slice(first).map(({ id }) => id))
  }

  #noteChange(id: string): void {
    this.#revision = ++revisions
    this.#inOrder = null
    if (this.#changes.length === MIN_CHANGES) this.#older = this.#changes.splice(0)
    this.#changes.push({ revision: revisions, id })
  }

  get(id: string): R | undefined {
    return this.#places.get(id)?.record ?? undefined
  }

  stored(id: string): Stored<R> | undefined {
    const place = this.#places.get(id)
    return place !== undefined && isPresent(place) ? place : undefined
  }

  /** Keeps the bytes of a record until it changes, or many others were kept after it. */
  keepBytes(stored: Stored<R>, bytes: RecordBytes): void {
    const oldest = this.#written[this.#nextWritten]
    if (oldest !== undefined) oldest.bytes = null
    stored.bytes = bytes
    this.#written[this.#nextWritten] = stored
    this.#nextWritten = (this.#nextWritten + 1) % MAX_WRITTEN
  }

  /**
   * Up to `count` of the ids: as many as are compared with a wrong one, to suggest one that is
   * similar.
   */
  someIds(count = MAX_COMPARED): string[] {
    return this.index('all')
      .range('all', { after: EARLIEST, before: LATEST, descending: false, count })
      .map(({ record }) => record.id)
  }

  *ids(): Generator<string> {
    for (const [id] of this.#places.entries()) yield id
  }

  /** The places of all ids that were given out, in the order of creation. */
  places(): (readonly [id: string, place: Stored<R | null>])[] {
    return [...this.#places.entries()].sort(([, a], [, b]) => a.nth - b.nth)
  }

  /**
   * The id belongs to a record, or belonged to one that was deleted: it is never given out again.
   */
  has(id: string): boolean {
    return this.#places.get(id) !== undefined
  }

  /** The position of a record, or of one that was deleted: what a cursor names. */
  position(id: string): Position | undefined {
    return this.#places.get(id)
  }

  isOwnedBy(id: string, account: string): boolean {
    return this.#places.get(id)?.isOwnedBy(account) === true
  }

  index(name: string): OrderedIndex<Stored<R>> {
    return this.#indexes.find(([other]) => other === name)?.[2] as OrderedIndex<Stored<R>>
  }

  /**
   * Inserts a record, after the others of its instant; or at another place among them, by a number
   * that comes before theirs.
   */
  insert(record: R, nth = this.#inserted): R {
    // who knows the changes by their ids alone would take the record for the deleted one, which had
    // another place
    if (this.#places.get(record.id) !== undefined) [this.#older, this.#changes] = [[], []]
    this.#inserted++
    return this.#put('add', record, nth)
  }

  /**
   * Puts a record in the place of the one with its id; it keeps its number in the order of
   * creation. The record that is there already changes nothing.
   */
  replace(record: R): R {
    const before = this.#storedAt(record.id)
    if (record === before.record) return record
    const isSame = (groupsOf: (record: R) => Names) =>
      String(groupsOf(record)) === String(groupsOf(before.record))
    if (record.created === before.record.created && Object.values(this.#groups).every(isSame))
      return this.amend(record)
    this.#inGroups('remove', before)
    return this.#put('add', record, before.nth)
  }

  /**
   * Puts a record in the place of the one with its id that differs in nothing that an index or the
   * order goes by.
   */
  amend(record: R): R {
    const own = this.#places.own(record.id)
    if (own === undefined) return this.#put('replace', record, this.#storedAt(record.id).nth)
    own.record = record
    own.bytes = null
    this.#noteChange(record.id)
    return record
  }

  /** Deletes a record; its id stays taken and stays a cursor. */
  remove(id: string): void {
    const stored = this.#storedAt(id)
    this.#inGroups('remove', stored)
    this.#bury(id, stored)
  }

  /**
   * Takes the id of a deleted record and its place among the others: after the first `after` of
   * them.
   */
  addTombstone({ id, at, after, owners }: Tombstone): void {
    if (this.has(id)) return
    this.#inserted++
    this.#bury(id, { at, nth: after - 0.5, owners })
  }

  #bury(id: string, place: Place): void {
    this.#removed++
    this.#places.set(id, new Stored(null, place))
    this.#noteChange(id)
  }

  /** All records in the order in which they came; for exports, never for a query. */
  inCreationOrder(): readonly R[] {
    this.#inOrder ??= this.places().flatMap(([, { record }]) => record ?? [])
    return this.#inOrder
  }

  /** Puts a record in a place of its own; `nth` is its number in the order of creation. */
  #put(how: 'add' | 'replace', record: R, nth: number): R {
    const stored = new Stored(record, {
      at: Date.parse(record.created),
      nth,
      owners: this.#groups.account(record)
    })
    this.#inGroups(how, stored)
    this.#places.set(record.id, stored)
    this.#noteChange(record.id)
    return record
  }

  #storedAt(id: string): Stored<R> {
    const stored = this.stored(id)
    if (!stored) throw new Error(`there is no record ${id}`)
    return stored
  }

  /** Adds a record to the groups that it is in of every index, replaces it there or removes it. */
  #inGroups(how: 'add' | 'replace' | 'remove', stored: Stored<R>): void {
    for (const [name, groupsOf, index] of this.#indexes) {
      const groups = name === 'account' ? stored.owners : groupsOf(stored.record)
      if (typeof groups === 'string') index.change(how, groups, stored)
      else for (const group of groups) index.change(how, group, stored)
    }
  }
}

const isPresent = <R>(place: Stored<R | null>): place is Stored<R> => place.record !== null
