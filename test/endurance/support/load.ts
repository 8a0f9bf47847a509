/**
 * Clients that change sandboxes until their process is gone or they are stopped: payments, refunds,
 * users, and control changes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { smallFixture } from '../../support/emulator.js'
import type { Json } from '../../support/json.js'
import { type Answer, type Client, clientOf } from './emulator.js'
import { type Change, Ledger, readSandbox, type SandboxState } from './ledger.js'
import { type Random, random } from './options.js'

const KEY = 'sk_test_merchant'
const CLOCK = '2026-03-01T18:05:00.000Z'
const BUSY = { id: 'txn_busy', ticket: 'tkt_a', payment_type: 'external', amount: 3000 }
/** The initial state of every sandbox, with a Transaction that many clients refund at once. */
export const SCENARIO = {
  name: 'load',
  clock: CLOCK,
  data: {
    ...smallFixture({ transactions: [BUSY, { ...BUSY, id: 'txn_large', amount: 1_000_000_000 }] }),
    api_keys: [{ key: KEY, account: 'mch_a' }]
  }
}

export type Place = { nth: number; name: string | null; clients: number; ledger: Ledger }
/** Sandboxes to change, each with a number of clients. The base sandbox is the first. */
export const placesOf = (clients: readonly number[]): Place[] =>
  clients.map((count, index) => ({
    nth: index,
    name: index === 0 ? null : `sandbox-${index}`,
    clients: count,
    ledger: new Ledger()
  }))

/**
 * Every value names sandbox, client and round: 3x0-7-12 is the twelfth of client 0 of sandbox 3 in
 * round 7.
 */
const MARK = /\b(\d+)x\d+-\d+-\d+/g

/** Marks in a text that belong to a sandbox with another number. */
export const foreignMarks = (text: string, nth: number | null): string[] =>
  [...text.matchAll(MARK)].filter(([, of]) => Number(of) !== nth).map(([mark]) => mark)

type Manner = {
  pauseMs: number
  isOver: () => boolean
  mayBreak: () => boolean
  connect: (port: number, place: Place) => Client
}

/**
 * Changes the sandboxes until the process stops. Returns the number of responses and their
 * problems.
 */
export async function changeAll(
  port: number,
  places: readonly Place[],
  round: number,
  { pauseMs, isOver, mayBreak, connect }: Manner
) {
  const problems: string[] = []
  let answered = 0
  const clients = places.flatMap(place =>
    Array.from({ length: place.clients }, (_, index) => ({ place, index }))
  )
  await Promise.all(
    clients.map(async ({ place, index }) => {
      const client = connect(port, place)
      const choices = random(`${place.name} ${index} ${round}`)
      const worker = new Worker(place, {
        client,
        random: choices,
        mark: `${place.nth}x${index}-${round}`,
        isFirst: index === 0
      })
      try {
        while (!isOver()) {
          problems.push(...(await worker.change()))
          answered++
          await sleep(choices.below(2 * pauseMs))
        }
      } catch (error) {
        const isBroken =
          (error as NodeJS.ErrnoException).code !== undefined ||
          /whole/.test((error as Error).message)
        if (!isBroken || !mayBreak()) problems.push(String((error as Error).stack))
      }
      client.close()
    })
  )
  return { answered, problems: problems.slice(0, 20) }
}

export async function auditAll(
  port: number,
  places: readonly Place[]
): Promise<{ problems: string[]; facts: number }> {
  const problems: string[] = []
  let facts = 0
  for (const { name, ledger } of places) {
    const client = clientOf(port, name, KEY)
    // a sandbox without a response may not exist yet; this request creates it
    await client.call('GET /next/tickets')
    const found = await stateIn(client)
    facts += found.facts.size
    problems.push(...ledger.audit(found).map(problem => `${name ?? 'base'}: ${problem}`))
    client.close()
  }
  return { problems: problems.slice(0, 20), facts }
}

const stateIn = (client: Client): Promise<SandboxState> =>
  readSandbox(client, { clock: CLOCK, keys: 1 })

/** The ways to the initial state: a reset, and the start scenario by name, in JSON and in YAML. */
const BEGINNINGS: readonly (readonly [on: string, body?: string, type?: string])[] = [
  ['POST /_control/reset'],
  ['POST /_control/load', '{"scenario":"load"}'],
  ['POST /_control/load', JSON.stringify({ scenario: SCENARIO })],
  // JSON is YAML too
  ['POST /_control/load', JSON.stringify(SCENARIO, null, 2), 'application/yaml']
]
const SNAPSHOTS = ['noon', 'evening', 'night']

const READS = [
  'GET /next/refunds?transaction=txn_busy',
  'GET /next/transactions?limit=20',
  'GET /next/accounts/mch_a/users',
  'GET /_control/requests?limit=20',
  'GET /_control/findings',
  'GET /_control/coverage'
]

type Own = { client: Client; random: Random; mark: string; isFirst: boolean }

class Worker {
  readonly #place: Place
  readonly #own: Own
  #count = 0

  constructor(place: Place, own: Own) {
    this.#place = place
    this.#own = own
  }

  async change(): Promise<string[]> {
    const { random, isFirst } = this.#own
    const { clients, name } = this.#place
    const isAlone = clients === 1
    const snapshots = isAlone ? 1 : 0
    const mark = `${this.#own.mark}-${++this.#count}`
    const slot = `s${this.#own.mark.split('-')[0]}`
    const setting = 50 + random.below(50)
    const kinds: [weight: number, () => Promise<string[]>][] = [
      [6, () => this.#pay(mark)],
      [8, () => this.#refund(mark)],
      [3, () => this.#addUser(mark)],
      [2, () => this.#deleteUser(mark)],
      [
        2,
        () =>
          this.#make({ sets: { [`metadata ${slot}`]: mark } }, [
            'POST /next/locations/loc_a',
            `metadata[${slot}]=${mark}`
          ])
      ],
      [1, () => this.#addTickets(mark)],
      [1, () => this.#make({ advances: 1 }, ['POST /_control/clock/advance', '{"by":"1s"}'])],
      [0.5, () => this.#make({ addsKey: true }, ['POST /_control/keys', '{"account":"mch_a"}'])],
      [
        isFirst ? 0.5 : 0,
        () =>
          this.#make({ sets: { setting } }, [
            'PATCH /_control/settings',
            `{"pagination.max_limit":${setting}}`
          ])
      ],
      [isFirst ? 0.3 : 0, () => this.#script(mark)],
      // the initial state, after which ids repeat
      [isAlone ? 0.2 : 0, () => this.#make({ clears: true }, ['POST /_control/reset'])],
      [0.2 * snapshots, () => this.#make({ clears: true }, random.of(BEGINNINGS))],
      [0.6 * snapshots, () => this.#keep()],
      [0.5 * snapshots, () => this.#goBack()],
      [0.2 * snapshots, () => this.#dropOne()],
      [name === null ? 0 : 0.1 * snapshots, () => this.#delete(name as string)],
      [0.3 * snapshots, () => this.#audit()],
      [2, () => this.#read()]
    ]
    let left = random.below(1e6) / (1e6 / kinds.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, act] of kinds) {
      left -= weight
      if (left < 0) return act()
    }
    return this.#read()
  }

  /** Sends a request that changes something; the change is open until its response. */
  async #make(
    change: Change,
    [on, body = '', type]: readonly [on: string, body?: string, type?: string],
    idsIn: (answer: Json) => Record<string, string> = () => ({}),
    refusals: string[] = []
  ): Promise<string[]> {
    const { ledger } = this.#place
    ledger.unanswered.add(change)
    const answer = await this.#own.client.call(on, body, type)
    if (answer.status < 300) return ledger.answered(change, idsIn(answer.body))
    if (!refusals.includes(answer.body.error?.code)) return [unexpected(on, body, answer)]
    ledger.unanswered.delete(change)
    return []
  }

  #pay(mark: string): Promise<string[]> {
    const name = `transaction ${mark}`
    const amount = 1 + this.#own.random.below(10_000)
    const body = `ticket=tkt_a&payment_type=external&amount=${amount}&customer[name]=${mark}`
    return this.#make(
      { sets: { [name]: amount } },
      ['POST /next/transactions', body],
      ({ id }) => ({ [name]: id })
    )
  }

  #refund(mark: string): Promise<string[]> {
    const { random } = this.#own
    const { ledger } = this.#place
    const paid = random.chance(0.5)
      ? ledger.idOf(random.of(ledger.names('transaction ')) ?? '')
      : undefined
    const transaction = paid ?? random.of(['txn_busy', 'txn_large'])
    const amount = 1 + random.below(transaction === 'txn_large' ? 1000 : 50)
    const name = `refund ${mark}`
    const refusals = ['refund_exceeds_remaining', 'charge_already_refunded']
    const body = `transaction=${transaction}&amount=${amount}&reason=${mark}`
    return this.#make(
      { sets: { [name]: [transaction, amount] } },
      ['POST /next/refunds', body],
      ({ id }) => ({ [name]: id }),
      refusals
    )
  }

  #addUser(mark: string): Promise<string[]> {
    const name = `user ${mark}`
    const email = `${mark}@example.com`
    return this.#make(
      { sets: { [name]: email } },
      ['POST /next/accounts/mch_a/users', `name=${mark}&email=${email}`],
      ({ id }) => ({ [name]: id })
    )
  }

  /** Deletes one of the client's own Users, since other clients may be deleting theirs. */
  #deleteUser(mark: string): Promise<string[]> {
    const { ledger } = this.#place
    const name = this.#own.random.of(ledger.names(`user ${this.#own.mark}-`))
    const id = name === undefined ? undefined : ledger.idOf(name)
    if (name === undefined || id === undefined) return this.#addUser(mark)
    return this.#make({ removes: [name] }, [`DELETE /next/accounts/mch_a/users/${id}`])
  }

  #addTickets(mark: string): Promise<string[]> {
    const references = ['a', 'b', 'c'].map(letter => `${mark}-${letter}`)
    const sets = Object.fromEntries(references.map(reference => [`ticket ${reference}`, 'loc_a']))
    const body = JSON.stringify({
      tickets: references.map(reference => ({ location: 'loc_a', reference }))
    })
    return this.#make({ sets }, ['POST /_control/records', body], ({ tickets }) =>
      Object.fromEntries(
        tickets.map(({ id, reference }: { id: string; reference: string }) => [
          `ticket ${reference}`,
          id
        ])
      )
    )
  }

  #script(mark: string): Promise<string[]> {
    const name = `entry ${mark}`
    const entry = { name: mark, on: 'GET /accounts', calls: '1000000+', delay: '1s' }
    return this.#make(
      { sets: { [name]: entry.on } },
      ['POST /_control/script', JSON.stringify(entry)],
      ({ id }) => ({ [name]: id })
    )
  }

  #keep(): Promise<string[]> {
    const snapshot = this.#own.random.of(SNAPSHOTS)
    return this.#make({ keeps: snapshot }, [`PUT /_control/snapshots/${snapshot}`])
  }

  async #goBack(): Promise<string[]> {
    const snapshot = this.#own.random.of(this.#place.ledger.snapshots)
    if (snapshot === undefined) return this.#keep()
    const problems = await this.#make({ restores: snapshot }, [
      `POST /_control/snapshots/${snapshot}/restore`
    ])
    return [...problems, ...(await this.#audit())]
  }

  async #dropOne(): Promise<string[]> {
    const snapshot = this.#own.random.of(this.#place.ledger.snapshots)
    if (snapshot === undefined) return this.#read()
    return this.#make({ drops: [snapshot] }, [`DELETE /_control/snapshots/${snapshot}`])
  }

  /** Deletes the sandbox with its snapshots; the next request creates it again. */
  async #delete(name: string): Promise<string[]> {
    const problems = await this.#make({ clears: true, drops: this.#place.ledger.snapshots }, [
      `DELETE /_control/sandboxes/${name}`
    ])
    return [...problems, ...(await this.#read('GET /next/tickets')), ...(await this.#audit())]
  }

  async #audit(): Promise<string[]> {
    return this.#place.ledger.audit(await stateIn(this.#own.client))
  }

  async #read(on = this.#own.random.of(READS)): Promise<string[]> {
    const answer = await this.#own.client.call(on)
    return answer.status === 200 ? [] : [unexpected(on, '', answer)]
  }
}

const unexpected = (on: string, body: string, { status, text }: Answer) =>
  `${on} ${body} was answered ${status}: ${text.slice(0, 300)}`
