/**
 * The changes that clients of a sandbox requested, confirmed or not, to compare with the sandbox
 * after its process has ended.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../support/json.js'
import type { Client } from './emulator.js'

/** Facts of a sandbox. Ids are apart: a client without a response does not know them. */
type Facts = Map<string, { id?: string; value: unknown }>
/** What a ledger knows of a sandbox at a moment. */
type Moment = { facts: Facts; ids: Set<string>; seconds: number; keys: number }
const copyOf = ({ facts, ids, ...more }: Moment): Moment => ({
  facts: new Map(facts),
  ids: new Set(ids),
  ...more
})
/** A sandbox at the start and after a reset. */
const FIRST: Moment = { facts: new Map(), ids: new Set(), seconds: 0, keys: 0 }

/** A change that happens completely or not at all. */
export type Change = {
  sets?: Record<string, unknown>
  removes?: string[]
  advances?: number
  addsKey?: boolean
  clears?: boolean
  restores?: string
  keeps?: string
  drops?: readonly string[]
}

export class Ledger {
  #now = copyOf(FIRST)
  /** What each snapshot may contain: several moments if a request that saved it got no response. */
  readonly #kept = new Map<string, readonly Moment[]>()
  /** The snapshot restored since the last audit, which finds out its content. */
  #restored: string | undefined
  readonly unanswered = new Set<Change>()

  get size(): number {
    return this.#now.facts.size
  }

  get snapshots(): string[] {
    return [...this.#kept.keys()]
  }

  names(start: string): string[] {
    return [...this.#now.facts.keys()].filter(name => name.startsWith(start))
  }

  idOf(name: string): string | undefined {
    return this.#now.facts.get(name)?.id
  }

  /** Confirms a change. Returns the problems of its ids. */
  answered(change: Change, ids: Record<string, string> = {}): string[] {
    const {
      sets = {},
      removes = [],
      advances = 0,
      addsKey = false,
      restores,
      keeps,
      drops = []
    } = change
    this.unanswered.delete(change)
    const [outcome] = this.#outcomes(change)
    if (outcome) this.#now = copyOf(outcome)
    this.#restored = restores
    if (keeps !== undefined) this.#kept.set(keeps, [copyOf(this.#now)])
    for (const snapshot of drops) this.#kept.delete(snapshot)
    const twice = Object.values(ids).filter(id => this.#now.ids.has(id))
    for (const id of Object.values(ids)) this.#now.ids.add(id)
    for (const [name, value] of Object.entries(sets))
      this.#now.facts.set(name, { value, ...(ids[name] !== undefined && { id: ids[name] }) })
    for (const name of removes) this.#now.facts.delete(name)
    this.#now.seconds += advances
    this.#now.keys += addsKey ? 1 : 0
    return twice.map(id => `the id ${id} was given out twice`)
  }

  /** Compares the ledger with a sandbox and continues from it. Returns the differences. */
  audit(found: SandboxState): string[] {
    const open = [...this.unanswered]
    this.unanswered.clear()
    const candidates = [{ restores: this.#restored }, ...open].flatMap(change =>
      this.#outcomes(change)
    )
    const moment = candidates.find(moment => isAt(moment, found))
    if (this.#restored !== undefined) this.#settle(this.#restored, found)
    // a snapshot being saved has what the ledger knew, not what is found
    const problems = this.#wrongSnapshots(found, open)
    if (moment) this.#now = copyOf(moment)
    this.#restored = undefined
    problems.push(...this.#lost(found, open), ...this.#foreign(found, open), ...found.problems)
    const { facts, seconds, keys } = found
    this.#now = {
      facts,
      seconds,
      keys,
      ids: new Set([...this.#now.ids, ...[...facts.values()].flatMap(({ id }) => id ?? [])])
    }
    return problems
  }

  /** Confirmed facts that are missing or different. */
  #lost({ facts, seconds, keys }: SandboxState, open: Change[]): string[] {
    const mayGo = new Set(open.flatMap(({ removes = [] }) => removes))
    const mayChange = new Set(open.flatMap(({ sets = {} }) => Object.keys(sets)))
    const lost = [...this.#now.facts].flatMap(([name, fact]) => {
      const there = facts.get(name)
      if (isDeepStrictEqual(there, fact) || (there === undefined ? mayGo : mayChange).has(name))
        return []
      return [
        `${name} was answered as ${JSON.stringify(fact)} and is ${JSON.stringify(there) ?? 'lost'}`
      ]
    })
    const advances = open.reduce((sum, { advances = 0 }) => sum + advances, 0)
    if (seconds < this.#now.seconds || seconds > this.#now.seconds + advances)
      lost.push(`the clock is ${seconds} s on; ${this.#now.seconds} were answered`)
    const addedKeys = open.filter(({ addsKey }) => addsKey).length
    if (keys < this.#now.keys || keys > this.#now.keys + addedKeys)
      lost.push(`there are ${keys} new keys; ${this.#now.keys} were answered`)
    return lost
  }

  /** Facts that nobody requested, and changes with only a partial effect. */
  #foreign({ facts }: SandboxState, open: Change[]): string[] {
    const asked = new Map(open.flatMap(({ sets = {} }) => Object.entries(sets)))
    const foreign = [...facts].flatMap(([name, { value }]) => {
      const known = this.#now.facts.get(name)
      if (
        (known && isDeepStrictEqual(known.value, value)) ||
        (asked.has(name) && isDeepStrictEqual(asked.get(name), value))
      )
        return []
      return [`${name} is ${JSON.stringify(value)}, which nobody asked for`]
    })
    const halves = open.flatMap(({ sets = {} }) => {
      const there = Object.keys(sets).filter(name =>
        isDeepStrictEqual(facts.get(name)?.value, sets[name])
      )
      return there.length === 0 || there.length === Object.keys(sets).length
        ? []
        : [`of ${Object.keys(sets)} only ${there} is there`]
    })
    return [...foreign, ...halves]
  }

  /** All states that a change may lead to; none for partial changes. */
  #outcomes({ clears, restores }: Change): Moment[] {
    if (clears) return [FIRST]
    const setting = this.#now.facts.get('setting')
    return (restores === undefined ? [] : (this.#kept.get(restores) ?? [])).map(moment => {
      const facts = new Map([...moment.facts].filter(([name]) => name !== 'setting'))
      if (setting) facts.set('setting', setting)
      return { ...moment, facts }
    })
  }

  /** Narrows a restored snapshot's possible content to what is found. */
  #settle(snapshot: string, found: SandboxState): void {
    const nth = this.#outcomes({ restores: snapshot }).findIndex(moment => isAt(moment, found))
    const held = this.#kept.get(snapshot)?.[nth]
    if (held) this.#kept.set(snapshot, [held])
  }

  /** Snapshots that are missing or unexpected. */
  #wrongSnapshots({ snapshots }: SandboxState, open: Change[]): string[] {
    const taken = open.flatMap(({ keeps }) => keeps ?? [])
    for (const name of taken)
      if (snapshots.includes(name))
        this.#kept.set(name, [...(this.#kept.get(name) ?? []), copyOf(this.#now)])
    const mayGo = open.flatMap(({ drops = [] }) => drops)
    const missing = this.snapshots.filter(name => !snapshots.includes(name))
    for (const name of missing) this.#kept.delete(name)
    const lost = missing
      .filter(name => !mayGo.includes(name))
      .map(name => `the snapshot ${name} is lost`)
    const foreign = snapshots
      .filter(name => !this.#kept.has(name))
      .map(name => `nobody took the snapshot ${name}`)
    return [...lost, ...foreign]
  }
}

const isAt = ({ facts, seconds, keys }: Moment, found: SandboxState): boolean =>
  seconds === found.seconds && keys === found.keys && isDeepStrictEqual(facts, found.facts)

/** A sandbox's facts beyond its initial state, and contradictions in it. */
export type SandboxState = {
  facts: Facts
  seconds: number
  keys: number
  snapshots: readonly string[]
  problems: string[]
}

type Records = Record<string, { [field: string]: Json }[]>

/** Reads a sandbox through its control API, and every Transaction through the list. */
export async function readSandbox(
  { call }: Client,
  first: { clock: string; keys: number }
): Promise<SandboxState> {
  const facts: Facts = new Map()
  const problems: string[] = []
  const state = (await call('GET /_control/state')).body as Records
  const {
    transactions = [],
    refunds = [],
    users = [],
    tickets = [],
    locations = [],
    api_keys = []
  } = state
  const put = (name: string, { id }: { [field: string]: Json }, value: unknown) => {
    if (facts.has(name)) problems.push(`${name} is there twice`)
    facts.set(name, { id, value })
  }
  for (const record of transactions)
    if (record.customer?.name) put(`transaction ${record.customer.name}`, record, record.amount)
  for (const record of refunds)
    if (record.reason) put(`refund ${record.reason}`, record, [record.transaction, record.amount])
  for (const record of users)
    if (/^\d/.test(record.name)) put(`user ${record.name}`, record, record.email)
  for (const record of tickets)
    if (/^\d/.test(record.reference)) put(`ticket ${record.reference}`, record, record.location)
  for (const [name, value] of Object.entries(locations[0]?.metadata ?? {}))
    facts.set(`metadata ${name}`, { value })
  for (const { id, entry } of (await call('GET /_control/script')).body.data)
    facts.set(`entry ${entry.name}`, { id, value: entry.on })
  const limit = (await call('GET /_control/settings')).body.settings['pagination.max_limit']
  if (limit.source === 'control') facts.set('setting', { value: limit.value })
  const { now } = (await call('GET /_control/clock')).body
  const snapshots = (await call('GET /_control/snapshots')).body.data.map(
    ({ name }: { name: string }) => name
  )

  const sums = new Map<string, number>()
  for (const { transaction, amount } of refunds)
    sums.set(transaction, (sums.get(transaction) ?? 0) + amount)
  let seen = 0
  for (let after = ''; ; ) {
    const { data, has_more, last_id } = (await call(`GET /next/transactions?limit=50${after}`)).body
    for (const { id, amount, amount_refunded } of data) {
      if (amount_refunded !== (sums.get(id) ?? 0))
        problems.push(
          `${id} says that ${amount_refunded} was refunded; its Refunds come to ${sums.get(id) ?? 0}`
        )
      if (!(amount_refunded >= 0 && amount_refunded <= amount))
        problems.push(`${amount_refunded} of ${amount} were refunded of ${id}`)
    }
    seen += data.length
    if (!has_more) break
    after = `&starting_after=${last_id}`
  }
  if (seen !== transactions.length)
    problems.push(`${transactions.length} Transactions are there, ${seen} in the list`)
  return {
    facts,
    problems,
    snapshots,
    seconds: (Date.parse(now) - Date.parse(first.clock)) / 1000,
    keys: api_keys.length - first.keys
  }
}
