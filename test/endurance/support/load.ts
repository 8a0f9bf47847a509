/** Clients that change sandboxes without a pause until their process is gone: payments, refunds, users, and changes of the control API. */
import { smallFixture } from '../../support/emulator.js'
import type { Json } from '../../support/json.js'
import { type Answer, type Client, clientOf } from './emulator.js'
import { type Change, Ledger, readSandbox, type SandboxState } from './ledger.js'
import { type Random, random } from './options.js'

const KEY = 'sk_test_merchant'
const CLOCK = '2026-03-01T18:05:00.000Z'
const BUSY = { id: 'txn_busy', ticket: 'tkt_a', payment_type: 'external', amount: 3000 }
/** The first state of every sandbox, with a Transaction that many clients refund at once. */
export const SCENARIO = {
  name: 'load',
  clock: CLOCK,
  data: { ...smallFixture({ transactions: [BUSY, { ...BUSY, id: 'txn_large', amount: 1_000_000_000 }] }), api_keys: [{ key: KEY, account: 'mch_a' }] }
}

export type Place = { name: string | null; clients: number; ledger: Ledger }
/** Sandboxes to change, each with a number of clients. The one at the base address is the first. */
export const placesOf = (clients: readonly number[]): Place[] =>
  clients.map((count, index) => ({ name: index === 0 ? null : `sandbox-${index}`, clients: count, ledger: new Ledger() }))

/** Changes the sandboxes until the process stops answering. `begun` settles with the first answer, `ended` with the number of answers and their problems. */
export function changeAll(port: number, places: readonly Place[], round: number) {
  const problems: string[] = []
  let answered = 0
  let begin = () => {}
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const workers = places.flatMap(place =>
    Array.from({ length: place.clients }, async (_, index) => {
      const client = clientOf(port, place.name, KEY)
      const worker = new Worker(place, { client, random: random(`${place.name} ${index} ${round}`), mark: `${index}-${round}`, isFirst: index === 0 })
      try {
        for (;;) {
          problems.push(...(await worker.change()))
          answered++
          begin()
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === undefined && !/whole/.test((error as Error).message)) problems.push(String((error as Error).stack))
      }
      client.close()
    })
  )
  const ended = Promise.all(workers).then(() => ({ answered, problems: problems.slice(0, 20) }))
  return { begun, ended }
}

/** Compares every sandbox with its ledger. */
export async function auditAll(port: number, places: readonly Place[]): Promise<{ problems: string[]; facts: number }> {
  const problems: string[] = []
  let facts = 0
  for (const { name, ledger } of places) {
    const client = clientOf(port, name, KEY)
    // a sandbox without an answered call may not exist yet; this call makes it
    await client.call('GET /next/tickets')
    const found: SandboxState = await readSandbox(client, { clock: CLOCK, keys: 1 })
    facts += found.facts.size
    problems.push(...ledger.audit(found).map(problem => `${name ?? 'base'}: ${problem}`))
    client.close()
  }
  return { problems: problems.slice(0, 20), facts }
}

type Own = { client: Client; random: Random; mark: string; isFirst: boolean }

class Worker {
  readonly #place: Place
  readonly #own: Own
  #count = 0

  constructor(place: Place, own: Own) {
    this.#place = place
    this.#own = own
  }

  /** Makes one call and records its answer. Returns the problems of the answer. */
  async change(): Promise<string[]> {
    const { random, isFirst } = this.#own
    const { clients } = this.#place
    const mark = `${this.#own.mark}-${++this.#count}`
    const kinds: [weight: number, () => Promise<string[]>][] = [
      [6, () => this.#pay(mark)],
      [8, () => this.#refund(mark)],
      [3, () => this.#addUser(mark)],
      [2, () => this.#deleteUser(mark)],
      [2, () => this.#describe(mark)],
      [1, () => this.#addTickets(mark)],
      [1, () => this.#make({ advances: 1 }, 'POST /_control/clock/advance', '{"by":"1s"}')],
      [0.5, () => this.#make({ addsKey: true }, 'POST /_control/keys', '{"account":"mch_a"}')],
      [isFirst ? 0.5 : 0, () => this.#set()],
      [isFirst ? 0.3 : 0, () => this.#script(mark)],
      [clients === 1 ? 0.2 : 0, () => this.#begin()],
      [2, () => this.#read()]
    ]
    let left = random.below(1e6) / (1e6 / kinds.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, act] of kinds) {
      left -= weight
      if (left < 0) return act()
    }
    return this.#read()
  }

  /** Makes a call that changes something; the change is open until the call is answered. */
  async #make(change: Change, on: string, body = '', idsIn: (answer: Json) => Record<string, string> = () => ({}), refusals: string[] = []): Promise<string[]> {
    const { ledger } = this.#place
    ledger.unanswered.add(change)
    const answer = await this.#own.client.call(on, body)
    if (answer.status >= 300 && refusals.includes(answer.body.error?.code)) {
      ledger.unanswered.delete(change)
      return []
    }
    if (answer.status >= 300) return [unexpected(on, body, answer)]
    return ledger.answered(change, idsIn(answer.body))
  }

  #pay(mark: string): Promise<string[]> {
    const name = `transaction ${mark}`
    const amount = 1 + this.#own.random.below(10_000)
    const body = `ticket=tkt_a&payment_type=external&amount=${amount}&customer[name]=${mark}`
    return this.#make({ sets: { [name]: amount } }, 'POST /next/transactions', body, ({ id }) => ({ [name]: id }))
  }

  #refund(mark: string): Promise<string[]> {
    const { random } = this.#own
    const { ledger } = this.#place
    const paid = random.chance(0.5) ? ledger.idOf(random.of(ledger.names('transaction ')) ?? '') : undefined
    const transaction = paid ?? random.of(['txn_busy', 'txn_large'])
    const amount = 1 + random.below(transaction === 'txn_large' ? 1000 : 50)
    const name = `refund ${mark}`
    const refusals = ['refund_exceeds_remaining', 'charge_already_refunded']
    const body = `transaction=${transaction}&amount=${amount}&reason=${mark}`
    return this.#make({ sets: { [name]: [transaction, amount] } }, 'POST /next/refunds', body, ({ id }) => ({ [name]: id }), refusals)
  }

  #addUser(mark: string): Promise<string[]> {
    const name = `user ${mark}`
    const email = `${mark}@example.com`
    return this.#make({ sets: { [name]: email } }, 'POST /next/accounts/mch_a/users', `name=${mark}&email=${email}`, ({ id }) => ({ [name]: id }))
  }

  /** Deletes one of the client's own Users, since other clients may be deleting theirs. */
  #deleteUser(mark: string): Promise<string[]> {
    const { ledger } = this.#place
    const name = this.#own.random.of(ledger.names(`user ${this.#own.mark}-`))
    const id = name === undefined ? undefined : ledger.idOf(name)
    if (name === undefined || id === undefined) return this.#addUser(mark)
    return this.#make({ removes: [name] }, `DELETE /next/accounts/mch_a/users/${id}`)
  }

  #describe(mark: string): Promise<string[]> {
    const slot = `s${this.#own.mark.split('-')[0]}`
    return this.#make({ sets: { [`metadata ${slot}`]: mark } }, 'POST /next/locations/loc_a', `metadata[${slot}]=${mark}`)
  }

  #addTickets(mark: string): Promise<string[]> {
    const references = ['a', 'b', 'c'].map(letter => `${mark}-${letter}`)
    const sets = Object.fromEntries(references.map(reference => [`ticket ${reference}`, 'loc_a']))
    const body = JSON.stringify({ tickets: references.map(reference => ({ location: 'loc_a', reference })) })
    return this.#make({ sets }, 'POST /_control/records', body, ({ tickets }) =>
      Object.fromEntries(tickets.map(({ id, reference }: { id: string; reference: string }) => [`ticket ${reference}`, id]))
    )
  }

  #set(): Promise<string[]> {
    const value = 50 + this.#own.random.below(50)
    return this.#make({ sets: { setting: value } }, 'PATCH /_control/settings', JSON.stringify({ pagination: { max_limit: value } }))
  }

  #script(mark: string): Promise<string[]> {
    const name = `entry ${mark}`
    const entry = { name: mark, on: 'GET /accounts', calls: '1000000+', delay: '1s' }
    return this.#make({ sets: { [name]: entry.on } }, 'POST /_control/script', JSON.stringify(entry), ({ id }) => ({ [name]: id }))
  }

  /** Resets the sandbox, after which ids are drawn again. */
  #begin(): Promise<string[]> {
    return this.#make({ clears: true }, 'POST /_control/reset')
  }

  async #read(): Promise<string[]> {
    const on = this.#own.random.of(['GET /next/refunds?transaction=txn_busy', 'GET /next/transactions?limit=20', 'GET /next/accounts/mch_a/users'])
    const answer = await this.#own.client.call(on)
    return answer.status === 200 ? [] : [unexpected(on, '', answer)]
  }
}

const unexpected = (on: string, body: string, { status, text }: Answer) => `${on} ${body} was answered ${status}: ${text.slice(0, 300)}`
