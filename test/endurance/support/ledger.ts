/** What clients of one world were answered, and what they asked for and heard nothing of: held against the world after its process was ended. */
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../support/json.js'
import type { Client } from './emulator.js'

/** What is known of a world, each fact under a name of its own; ids stand apart, since who heard no answer does not know them. */
export type Fact = { id?: string; value: unknown }
export type Facts = Map<string, Fact>

/** A change that was asked for: what it adds or sets and what it takes away, all of it or nothing. `clears` begins the world anew. */
export type Change = { sets?: Record<string, unknown>; removes?: string[]; advances?: number; addsKey?: boolean; clears?: boolean }

export class Ledger {
  #facts: Facts = new Map()
  #ids = new Set<string>()
  #seconds = 0
  #keys = 0
  readonly unanswered = new Set<Change>()

  names(start: string): string[] {
    return [...this.#facts.keys()].filter(name => name.startsWith(start))
  }

  idOf(name: string): string | undefined {
    return this.#facts.get(name)?.id
  }

  /** A change was answered; `ids` are those of what it set. Answers what is wrong with them. */
  answered(change: Change, ids: Record<string, string> = {}): string[] {
    const { sets = {}, removes = [], advances = 0, addsKey = false, clears = false } = change
    this.unanswered.delete(change)
    if (clears) this.#clear()
    const twice = Object.values(ids).filter(id => this.#ids.has(id))
    for (const id of Object.values(ids)) this.#ids.add(id)
    for (const [name, value] of Object.entries(sets)) this.#facts.set(name, { value, ...(ids[name] !== undefined && { id: ids[name] }) })
    for (const name of removes) this.#facts.delete(name)
    this.#seconds += advances
    this.#keys += addsKey ? 1 : 0
    return twice.map(id => `the id ${id} was given out twice`)
  }

  /** Holds the ledger against a world, and goes on from what is found there. Answers what does not fit. */
  audit(found: World): string[] {
    const open = [...this.unanswered]
    this.unanswered.clear()
    const clearing = open.find(({ clears }) => clears)
    if (clearing && found.facts.size === 0 && found.seconds === 0 && found.keys === 0) this.#clear()
    const problems = [...this.#lost(found, open), ...this.#foreign(found, open), ...found.problems]
    this.#facts = found.facts
    this.#ids = new Set([...this.#ids, ...[...found.facts.values()].flatMap(({ id }) => id ?? [])])
    this.#seconds = found.seconds
    this.#keys = found.keys
    return problems
  }

  /** Facts that were answered and are not there, or otherwise. */
  #lost({ facts, seconds, keys }: World, open: Change[]): string[] {
    const mayGo = new Set(open.flatMap(({ removes = [] }) => removes))
    const mayChange = new Set(open.flatMap(({ sets = {} }) => Object.keys(sets)))
    const lost = [...this.#facts].flatMap(([name, fact]) => {
      const there = facts.get(name)
      if (isDeepStrictEqual(there, fact) || (there === undefined ? mayGo : mayChange).has(name)) return []
      return [`${name} was answered as ${JSON.stringify(fact)} and is ${JSON.stringify(there) ?? 'lost'}`]
    })
    const advances = open.reduce((sum, { advances = 0 }) => sum + advances, 0)
    if (seconds < this.#seconds || seconds > this.#seconds + advances) lost.push(`the clock is ${seconds} s on; ${this.#seconds} were answered`)
    const addedKeys = open.filter(({ addsKey }) => addsKey).length
    if (keys < this.#keys || keys > this.#keys + addedKeys) lost.push(`there are ${keys} new keys; ${this.#keys} were answered`)
    return lost
  }

  /** Facts that are there though nobody asked for them, and changes of which only a part is there. */
  #foreign({ facts }: World, open: Change[]): string[] {
    const asked = new Map(open.flatMap(({ sets = {} }) => Object.entries(sets)))
    const foreign = [...facts].flatMap(([name, { value }]) => {
      const known = this.#facts.get(name)
      if ((known && isDeepStrictEqual(known.value, value)) || (asked.has(name) && isDeepStrictEqual(asked.get(name), value))) return []
      return [`${name} is ${JSON.stringify(value)}, which nobody asked for`]
    })
    const halves = open.flatMap(({ sets = {} }) => {
      const there = Object.keys(sets).filter(name => isDeepStrictEqual(facts.get(name)?.value, sets[name]))
      return there.length === 0 || there.length === Object.keys(sets).length ? [] : [`of ${Object.keys(sets)} only ${there} is there`]
    })
    return [...foreign, ...halves]
  }

  #clear(): void {
    this.#facts = new Map()
    this.#ids = new Set()
    this.#seconds = 0
    this.#keys = 0
  }
}

/** What a world holds beyond its first state, and what in it contradicts itself. */
export type World = { facts: Facts; seconds: number; keys: number; problems: string[] }

type Records = Record<string, { [field: string]: Json }[]>

/** Reads a world by its control API, and every Transaction by its list. */
export async function worldOf({ call }: Client, first: { clock: string; keys: number }): Promise<World> {
  const facts: Facts = new Map()
  const problems: string[] = []
  const state = (await call('GET /_control/state')).body as Records
  const { transactions = [], refunds = [], users = [], tickets = [], locations = [], api_keys = [] } = state
  const put = (name: string, { id }: { [field: string]: Json }, value: unknown) => {
    if (facts.has(name)) problems.push(`${name} is there twice`)
    facts.set(name, { id, value })
  }
  for (const record of transactions) if (record.customer?.name) put(`transaction ${record.customer.name}`, record, record.amount)
  for (const record of refunds) if (record.reason) put(`refund ${record.reason}`, record, [record.transaction, record.amount])
  for (const record of users) if (/^\d/.test(record.name)) put(`user ${record.name}`, record, record.email)
  for (const record of tickets) if (/^\d/.test(record.reference)) put(`ticket ${record.reference}`, record, record.location)
  for (const [name, value] of Object.entries(locations[0]?.metadata ?? {})) facts.set(`metadata ${name}`, { value })
  for (const { id, entry } of (await call('GET /_control/script')).body.data) facts.set(`entry ${entry.name}`, { id, value: entry.on })
  const limit = (await call('GET /_control/settings')).body.settings['pagination.max_limit']
  if (limit.source === 'control') facts.set('setting', { value: limit.value })
  const { now } = (await call('GET /_control/clock')).body

  const sums = new Map<string, number>()
  for (const { transaction, amount } of refunds) sums.set(transaction, (sums.get(transaction) ?? 0) + amount)
  let seen = 0
  for (let after = ''; ; ) {
    const { data, has_more, last_id } = (await call(`GET /next/transactions?limit=50${after}`)).body
    for (const { id, amount, amount_refunded } of data) {
      if (amount_refunded !== (sums.get(id) ?? 0)) problems.push(`${id} says that ${amount_refunded} was refunded; its Refunds come to ${sums.get(id) ?? 0}`)
      if (!(amount_refunded >= 0 && amount_refunded <= amount)) problems.push(`${amount_refunded} of ${amount} were refunded of ${id}`)
    }
    seen += data.length
    if (!has_more) break
    after = `&starting_after=${last_id}`
  }
  if (seen !== transactions.length) problems.push(`${transactions.length} Transactions are there, ${seen} in the list`)
  return { facts, problems, seconds: (Date.parse(now) - Date.parse(first.clock)) / 1000, keys: api_keys.length - first.keys }
}
