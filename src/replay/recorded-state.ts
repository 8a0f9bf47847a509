/** The records that the requests of a journal were made with: the state before the first of them, what control requests added since, and those that matter. */
import { valueIn } from '../core/form.js'
import { type AnyRecord, type Exchange, hasReached, listShown, recordsShown, STAGE, tookEffect } from '../engine/exchange.js'
import { type Family, LINKED_FAMILIES, type OperationId, operationOf } from '../reference/operations.js'
import { FAMILIES, type Store } from '../store/store.js'

/** A record and its family. */
export type Member = { family: Family; record: AnyRecord }

/** The fields of a record that hold ids. */
export const ID_FIELDS: readonly string[] = ['id', ...Object.keys(LINKED_FAMILIES)]

/** Members by family and id. */
const nameOf = (family: Family, id: unknown) => `${family} ${id}`
const linksOf = (record: AnyRecord): string[] =>
  Object.entries(LINKED_FAMILIES).flatMap(([link, family]) => (record[link] == null ? [] : [nameOf(family, record[link])]))

const membersIn = (store: Store): Member[] =>
  FAMILIES.flatMap(family => [...store[family].inCreationOrder()].map((record): Member => ({ family, record: record as AnyRecord })))

/**
 * The records to begin with, so that requests can be made again: those before the first request, and those that came later and that no request made, as
 * they came. Where these belong to a record that a request made, that one is there too: requests name it by its id then.
 */
export function membersFor(requests: readonly Exchange[], before: Store, after: Store): { members: Member[]; copied: ReadonlySet<string> } {
  const made = new Map<string, Member>()
  const found = new Map<string, AnyRecord>()
  for (const exchange of requests) {
    if (!tookEffect(exchange)) continue
    const { family, kind } = operationOf(exchange.operation as OperationId)
    const { shown } = exchange.outcome
    if (kind === 'create') made.set(nameOf(family, (shown as AnyRecord).id), { family, record: shown as AnyRecord })
    else {
      const name = nameOf(family, (exchange.found as AnyRecord).id)
      if (!found.has(name)) found.set(name, exchange.found as AnyRecord)
    }
  }
  const there = new Map(membersIn(before).map(member => [nameOf(member.family, member.record.id), member]))
  const later = new Map(
    membersIn(after).map(({ family, record }) => [nameOf(family, record.id), { family, record: found.get(nameOf(family, record.id)) ?? record }])
  )
  const copied = new Set<string>()
  const add = (name: string, { family, record }: Member) => {
    if (there.has(name)) return
    there.set(name, { family, record })
    for (const link of linksOf(record)) {
      const linked = made.get(link)
      if (linked === undefined || there.has(link)) continue
      copied.add(linked.record.id)
      add(link, linked)
    }
  }
  for (const [name, member] of later) if (!made.has(name)) add(name, member)
  return { members: FAMILIES.flatMap(family => [...there.values()].filter(member => member.family === family)), copied }
}

/**
 * The members that matter to requests: the Account of the key, the records that were found and shown, the Refunds of a charge that was judged, and whatever
 * these belong to; of a list that did not show all that it could, the whole family.
 */
export function touchedBy(requests: readonly Exchange[], members: readonly Member[]): Member[] {
  const named = new Set<unknown>()
  const charges = new Set<unknown>()
  const families = new Set<Family>()
  for (const exchange of requests) {
    const { account, found, filteredBy, params, query, money } = exchange
    for (const record of recordsShown(exchange)) {
      named.add(record.id)
      if (record.object === 'transaction') charges.add(record.id)
    }
    for (const id of [account, found?.id, filteredBy?.id, valueIn(query, 'starting_after'), valueIn(query, 'ending_before')]) named.add(id)
    if (hasReached(exchange, STAGE.running)) for (const id of Object.values(params)) named.add(id)
    if (money !== null) charges.add(money.transaction)
    const list = listShown(exchange)
    if (list !== null && (list.has_more || exchange.retrieved > list.data.length)) families.add(operationOf(exchange.operation as OperationId).family)
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
    if (families.has(family) || named.has(record.id) || (family === 'refunds' && charges.has(record.transaction))) touch(nameOf(family, record.id))
  }
  return members.filter(({ family, record }) => touched.has(nameOf(family, record.id)))
}
