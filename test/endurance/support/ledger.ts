/**
 * The changes that clients of a sandbox requested, confirmed or not, to compare with the sandbox
 * after its process has ended.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../support/json.js'
import type { Client } from './emulator.js'

/** Facts of a sandbox. Ids are apart: a client without a response does not know them. */
type Facts = Map<string, { id?: string; value: unknown }>
/** A sandbox's facts beyond its initial state, and contradictions in it. */
export type SandboxState = { facts: Facts; seconds: number; problems: string[] }
/** A change that happens completely or not at all. */
export type Change = {
  sets?: Record<string, unknown>
  removes?: string[]
  advances?: number
  clears?: boolean
}

export class Ledger {
  #facts: Facts = new Map()
  #ids = new Set<string>()
  #seconds = 0
  readonly unanswered = new Set<Change>()

  get size(): number {
    return this.#facts.size
  }

  names(start: string): string[] {
    return [...this.#facts.keys()].filter(name => name.startsWith(start))
  }

  idOf(name: string): string | undefined {
    return this.#facts.get(name)?.id
  }

  answered(change: Change, ids: Record<string, string> = {}): string[] {
    const { sets = {}, removes = [], advances = 0, clears } = change
    this.unanswered.delete(change)
    if (clears) this.#clear()
    const twice = Object.values(ids).filter(id => this.#ids.has(id))
    for (const id of Object.values(ids)) this.#ids.add(id)
    for (const [name, value] of Object.entries(sets))
      this.#facts.set(name, { value, ...(ids[name] !== undefined && { id: ids[name] }) })
    for (const name of removes) this.#facts.delete(name)
    this.#seconds += advances
    return twice.map(id => `the id ${id} was given out twice`)
  }

  /** Compares the ledger with a sandbox and continues from it. Returns the differences. */
  audit(found: SandboxState): string[] {
    const open = [...this.unanswered]
    this.unanswered.clear()
    if (open.some(({ clears }) => clears) && found.facts.size + found.seconds === 0) this.#clear()
    const problems = [...this.#lost(found, open), ...this.#foreign(found, open), ...found.problems]
    this.#facts = found.facts
    this.#seconds = found.seconds
    for (const { id } of found.facts.values()) if (id) this.#ids.add(id)
    return problems
  }

  #clear(): void {
    this.#facts = new Map()
    this.#ids = new Set()
    this.#seconds = 0
  }

  #lost({ facts, seconds }: SandboxState, open: Change[]): string[] {
    const mayGo = new Set(open.flatMap(({ removes = [] }) => removes))
    const lost = [...this.#facts].flatMap(([name, fact]) => {
      const there = facts.get(name)
      if (isDeepStrictEqual(there, fact) || (!there && mayGo.has(name))) return []
      return [`${name}: ${JSON.stringify(fact)} was answered, and is ${JSON.stringify(there)}`]
    })
    const advances = open.reduce((sum, { advances = 0 }) => sum + advances, 0)
    if (seconds < this.#seconds || seconds > this.#seconds + advances)
      lost.push(`the clock is ${seconds} s on; ${this.#seconds} were answered`)
    return lost
  }

  /** Facts that nobody requested, and changes with only a partial effect. */
  #foreign({ facts }: SandboxState, open: Change[]): string[] {
    const requested = new Map(open.flatMap(({ sets = {} }) => Object.entries(sets)))
    const foreign = [...facts].flatMap(([name, { value }]) =>
      [this.#facts.get(name)?.value, requested.get(name)].some(known =>
        isDeepStrictEqual(known, value)
      )
        ? []
        : [`${name} is ${JSON.stringify(value)}, which nobody requested`]
    )
    const halves = open.flatMap(({ sets = {} }) => {
      const there = Object.keys(sets).filter(name => facts.has(name))
      return [0, Object.keys(sets).length].includes(there.length)
        ? []
        : [`of ${Object.keys(sets)} only ${there} is there`]
    })
    return [...foreign, ...halves]
  }
}

export async function readSandbox({ call }: Client, clock: string): Promise<SandboxState> {
  const facts: Facts = new Map()
  const problems: string[] = []
  const { transactions, refunds, users, tickets } = (await call('GET /_control/state')).body
  const put = (name: string, { id }: Json, value: unknown) => {
    if (facts.has(name)) problems.push(`${name} is there twice`)
    facts.set(name, { id, value })
  }
  for (const one of transactions)
    if (one.customer?.name) put(`transaction ${one.customer.name}`, one, one.amount)
  for (const one of refunds)
    if (one.reason) put(`refund ${one.reason}`, one, [one.transaction, one.amount])
  for (const one of users) if (/^\d/.test(one.name)) put(`user ${one.name}`, one, one.email)
  for (const one of tickets)
    if (/^\d/.test(one.reference)) put(`ticket ${one.reference}`, one, one.location)
  const { now } = (await call('GET /_control/clock')).body

  const sums = new Map<string, number>()
  for (const { transaction, amount } of refunds)
    sums.set(transaction, (sums.get(transaction) ?? 0) + amount)
  let seen = 0
  for (let after = ''; ; ) {
    const { data, has_more, last_id } = (await call(`GET /next/transactions?limit=50${after}`)).body
    for (const { id, amount, amount_refunded } of data)
      if (amount_refunded !== (sums.get(id) ?? 0) || amount_refunded > amount)
        problems.push(`${id}: ${amount_refunded} of ${amount}; its Refunds are ${sums.get(id)}`)
    seen += data.length
    if (!has_more) break
    after = `&starting_after=${last_id}`
  }
  if (seen !== transactions.length)
    problems.push(`${transactions.length} Transactions are there, ${seen} in the list`)
  return { facts, problems, seconds: (Date.parse(now) - Date.parse(clock)) / 1000 }
}
