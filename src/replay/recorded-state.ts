/** The records that the calls of a journal were made with: those before the first call, and those that the calls touched. */
import { FormList, type FormNode } from '../core/form.js'
import { type AnyRecord, type Exchange, listShown, recordsShown, tookEffect } from '../engine/exchange.js'
import { type Family, LINKED_FAMILIES, operationOf } from '../reference/operations.js'
import { FAMILIES, type Store } from '../store/store.js'

/** A record and its family. */
export type Member = { family: Family; record: AnyRecord }

/** The fields of a record that hold ids. */
export const ID_FIELDS: readonly string[] = ['id', ...Object.keys(LINKED_FAMILIES)]

/**
 * The records of a store before some calls, the latest in the store, were made: what they made is taken away, what they changed or deleted is as it was found. What
 * control calls made, and calls that no journal holds, is among the records.
 */
export function recordsBefore(store: Store, calls: readonly Exchange[]): Member[] {
  const families = new Map(FAMILIES.map(family => [family, new Map<string, AnyRecord>(store[family].inCreationOrder().map(record => [record.id, record]))]))
  for (const call of calls.toReversed()) {
    if (!tookEffect(call)) continue
    const { family, kind } = operationOf(call.operation as NonNullable<Exchange['operation']>)
    const records = families.get(family) as Map<string, AnyRecord>
    const found = call.found as AnyRecord
    if (kind === 'create') records.delete((call.outcome.shown as AnyRecord).id)
    else if (kind === 'delete' || records.has(found.id)) records.set(found.id, found)
  }
  return [...families].flatMap(([family, records]) => [...records.values()].map(record => ({ family, record })))
}

/** Members by family and id. */
const nameOf = (family: Family, id: unknown) => `${family} ${id}`

/** The members whose links all lead to others of them. */
export function withoutOrphans(members: readonly Member[]): Member[] {
  const there = new Set(members.map(({ family, record }) => nameOf(family, record.id)))
  // an Account's reseller may come after it; all other links lead to a family before
  const kept = members.filter(({ family, record }) => {
    const isLinked = linksOf(record).every(link => there.has(link))
    if (!isLinked) there.delete(nameOf(family, record.id))
    return isLinked
  })
  return kept.length === members.length ? kept : withoutOrphans(kept)
}

const linksOf = (record: AnyRecord): string[] =>
  Object.entries(LINKED_FAMILIES).flatMap(([link, family]) => (record[link] == null ? [] : [nameOf(family, record[link])]))

/**
 * The members that calls touched: those that they name and show, the Account of their key, the Refunds of the Transactions among them, and whatever these
 * refer to; of a list that did not show all that it could, the whole family.
 */
export function touchedBy(calls: readonly Exchange[], members: readonly Member[]): Member[] {
  const named = new Set<unknown>()
  const families = new Set<Family>()
  for (const call of calls) {
    for (const { id } of recordsShown(call)) named.add(id)
    for (const id of [call.account, ...Object.values(call.params), ...textsIn(call.query), ...textsIn(call.body)]) named.add(id)
    const list = listShown(call)
    const isPart = list !== null && (list.has_more || call.retrieved > list.data.length)
    if (isPart) families.add(operationOf(call.operation as NonNullable<Exchange['operation']>).family)
  }
  const byName = new Map(members.map(member => [nameOf(member.family, member.record.id), member]))
  const touched = new Set<string>()
  const touch = (name: string) => {
    const member = byName.get(name)
    if (member === undefined || touched.has(name)) return
    touched.add(name)
    for (const link of linksOf(member.record)) touch(link)
  }
  for (const { family, record } of members) {
    if (families.has(family) || named.has(record.id) || (family === 'refunds' && named.has(record.transaction))) touch(nameOf(family, record.id))
  }
  return members.filter(({ family, record }) => touched.has(nameOf(family, record.id)))
}

/** Every text in a form. */
function textsIn(node: FormNode): readonly string[] {
  if (typeof node === 'string') return [node]
  return node instanceof FormList ? node.items : node.parts.nodes().flatMap(textsIn)
}
