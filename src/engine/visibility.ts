/** The records that the caller may see: with `auth.visibility` scoped its own (A19). */
import type { Settings } from '../core/settings.js'
import type { Account } from '../reference/accounts.js'
import type { Family } from '../reference/operations.js'
import type { Stored } from '../store/collection.js'
import { ALL, collectionOf, type RecordOf, type Store } from '../store/store.js'
import type { AnyRecord, Relied } from './outcome.js'
import { type Blame, REFUSALS } from './sentences.js'

export type Narrowing = { index: string; group: string; filteredBy?: AnyRecord | null }
/** `actor` is null for a request without a key, which sees everything. */
export type Caller = {
  readonly actor: Account | null
  readonly relied: Relied
  readonly settings: Settings
  readonly store: Store
}

/** A parameter that names a record, and what refuses a wrong id. */
export type BodyReference = { path: string; blame: Blame }

const NOTHING = ''

export const isLimited = ({ actor, settings }: Pick<Caller, 'actor' | 'settings'>): boolean =>
  actor !== null && settings['auth.visibility'] === 'scoped'

export function visible<F extends Family>(
  caller: Caller,
  family: F,
  id: string
): RecordOf<F> | undefined {
  const stored = collectionOf(caller.store, family).stored(id)
  if (stored === undefined || isOwn(caller, family, stored)) return stored?.record
  caller.relied.add('A19')
  return isLimited(caller) ? undefined : stored.record
}

/** Whether a record belongs to the caller's Account. Whoever owns an Account owns its Users. */
export function isOwn<F extends Family>(
  { actor, store }: Caller,
  family: F,
  stored: Stored<RecordOf<F>>
): boolean {
  if (actor === null) return true
  return family === 'users'
    ? store.accounts.isOwnedBy((stored.record as RecordOf<'users'>).account, actor.id)
    : stored.isOwnedBy(actor.id)
}

/** The record that the path names. Errors: `resource_missing` (404, A08). */
export function inPath<F extends Family>(
  caller: Caller,
  family: F,
  id: string,
  param: string
): RecordOf<F> {
  const record = visible(caller, family, id)
  if (record === undefined) throw REFUSALS.notInPath(param, family, id)
  return record
}

export function inBody<F extends Family>(
  caller: Caller,
  family: F,
  id: string,
  { path, blame }: BodyReference
): RecordOf<F> {
  const record = visible(caller, family, id)
  if (record !== undefined) return record
  const isHidden = collectionOf(caller.store, family).get(id) !== undefined
  throw REFUSALS.unknownReference(path, family, id, isHidden ? { assumption: 'A19' } : blame)
}

/** Narrows a list to a record, or to nothing if that is missing or hidden (FILT-5, REF-10, A16). */
export function narrowedTo(
  caller: Caller,
  family: 'locations' | 'transactions',
  record: AnyRecord | undefined
): Narrowing {
  if (record === undefined) caller.relied.add('A16')
  return {
    index: family === 'locations' ? 'location' : 'transaction',
    group: record?.id ?? NOTHING,
    filteredBy: record ?? null
  }
}

export const everything = (caller: Caller): Narrowing =>
  caller.actor !== null && isLimited(caller)
    ? { index: 'account', group: caller.actor.id }
    : { index: ALL, group: ALL }
