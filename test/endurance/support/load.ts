/** Clients that change sandboxes until their process is gone or they are stopped. */
import { setTimeout as sleep } from 'node:timers/promises'
import { smallFixture } from '../../support/emulator.js'
import type { Json } from '../../support/json.js'
import { type Client, clientOf } from './emulator.js'
import { type Change, Ledger, readSandbox } from './ledger.js'
import { type Random, random } from './options.js'
import type { Watch } from './watch.js'

const CLOCK = '2026-03-01T18:05:00.000Z'
const BUSY = { id: 'txn_busy', ticket: 'tkt_a', payment_type: 'external', amount: 3000 }
/** The initial state of every sandbox, with a Transaction that many clients refund at once. */
export const SCENARIO = {
  name: 'load',
  clock: CLOCK,
  data: {
    ...smallFixture({ transactions: [BUSY, { ...BUSY, id: 'txn_large', amount: 1_000_000_000 }] }),
    api_keys: [{ key: 'sk_test_merchant', account: 'mch_a' }]
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

/** Every value names sandbox, client and round: 3x0-7-12 is the twelfth of client 0 of sandbox 3. */
const MARK = /\b(\d+)x\d+-\d+-\d+/g

export const foreignMarks = (text: string, nth: number | null): string[] =>
  [...text.matchAll(MARK)].filter(([, of]) => Number(of) !== nth).map(([mark]) => mark)

export type Round = {
  port: number
  round: number
  watch: Watch
  places: readonly Place[]
  pauseMs: number
}

export async function changeAll({ port, round, watch, places, pauseMs }: Round): Promise<void> {
  const workers = places.flatMap(place =>
    Array.from({ length: place.clients }, async (_, index) => {
      const client = watch.client(port, place.name, place.nth)
      const choices = random(`${place.name} ${index} ${round}`)
      const worker = { place, client, random: choices, start: `${place.nth}x${index}-${round}` }
      let count = 0
      await watch.repeat(async () => {
        watch.wrong(...(await change(worker, `${worker.start}-${++count}`)))
        watch.count('changes')
        await sleep(choices.below(2 * pauseMs))
      })
      client.close()
    })
  )
  await Promise.all(workers)
}

export async function auditAll(port: number, places: readonly Place[]) {
  const problems: string[] = []
  let facts = 0
  for (const { name, ledger } of places) {
    const client = clientOf(port, name)
    // a sandbox without a response may not exist yet; this request creates it
    await client.call('GET /next/tickets')
    const found = await readSandbox(client, CLOCK)
    facts += found.facts.size
    problems.push(...ledger.audit(found).map(problem => `${name ?? 'base'}: ${problem}`))
    client.close()
  }
  return { problems, facts }
}

/** The ways to the initial state: a reset, and the start scenario by name, in JSON and in YAML. */
const BEGINNINGS: readonly [on: string, body?: string, type?: string][] = [
  ['POST /_control/reset'],
  ['POST /_control/load', '{"scenario":"load"}'],
  ['POST /_control/load', JSON.stringify({ scenario: SCENARIO })],
  ['POST /_control/load', JSON.stringify(SCENARIO, null, 2), 'application/yaml']
]
const READS = [
  'GET /next/refunds?transaction=txn_busy',
  'GET /next/transactions?limit=20',
  'GET /next/accounts/mch_a/users',
  'GET /_control/requests?limit=20',
  'GET /_control/findings',
  'GET /_control/coverage'
]

type Worker = { place: Place; client: Client; random: Random; start: string }
type Ids = (answer: Json) => Record<string, string>

async function change(worker: Worker, mark: string): Promise<string[]> {
  const { place, client, random, start } = worker
  const { ledger, name } = place
  /** Sends a request that changes something; the change is open until its response. */
  const make = async (
    change: Change,
    on: string,
    body = '',
    idsIn: Ids = () => ({}),
    type = ''
  ) => {
    ledger.unanswered.add(change)
    const { status, body: answer, text } = await client.call(on, body, type || undefined)
    if (status < 300) return ledger.answered(change, idsIn(answer))
    ledger.unanswered.delete(change)
    return REFUSALS.includes(answer.error?.code) ? [] : [`${on} ${body}: ${status} ${text}`]
  }
  const created = (name: string, value: unknown, on: string, body: string) =>
    make({ sets: { [name]: value } }, on, body, ({ id }) => ({ [name]: id }))
  const audit = async () => ledger.audit(await readSandbox(client, CLOCK))
  const addUser = () => {
    const email = `${mark}@example.com`
    const on = 'POST /next/accounts/mch_a/users'
    return created(`user ${mark}`, email, on, `name=${mark}&email=${email}`)
  }
  const amount = 1 + random.below(1000)
  const acts: Record<string, () => Promise<string[]>> = {
    pay: () => {
      const body = `ticket=tkt_a&payment_type=external&amount=${amount}&customer[name]=${mark}`
      return created(`transaction ${mark}`, amount, 'POST /next/transactions', body)
    },
    refund: () => {
      const paid = random.chance(0.5) && ledger.idOf(random.of(ledger.names('transaction ')) ?? '')
      const transaction = paid || random.of(['txn_busy', 'txn_large'])
      const sum = transaction === 'txn_large' ? amount : 1 + (amount % 50)
      const body = `transaction=${transaction}&amount=${sum}&reason=${mark}`
      return created(`refund ${mark}`, [transaction, sum], 'POST /next/refunds', body)
    },
    addUser,
    /** One of the client's own, since other clients may be deleting theirs. */
    deleteUser: () => {
      const user = random.of(ledger.names(`user ${start}-`))
      const id = ledger.idOf(user ?? '')
      return id ? make({ removes: [user] }, `DELETE /next/accounts/mch_a/users/${id}`) : addUser()
    },
    addTickets: () => {
      const tickets = ['a', 'b', 'c'].map(letter => ({
        location: 'loc_a',
        reference: `${mark}-${letter}`
      }))
      const named = (of: Json[], field: string) =>
        Object.fromEntries(of.map(one => [`ticket ${one.reference}`, one[field]]))
      return make(
        { sets: named(tickets, 'location') },
        'POST /_control/records',
        JSON.stringify({ tickets }),
        ({ tickets }) => named(tickets, 'id')
      )
    },
    advance: () => make({ advances: 1 }, 'POST /_control/clock/advance', '{"by":"1s"}'),
    read: async () => {
      const on = random.of(READS)
      const { status, text } = await client.call(on)
      return status === 200 ? [] : [`${on}: ${status} ${text}`]
    },
    begin: () => {
      const [on, body, type] = random.of(BEGINNINGS)
      return make({ clears: true }, on, body, undefined, type)
    },
    /** The next request creates it again. */
    delete: async () => [
      ...(await make({ clears: true }, `DELETE /_control/sandboxes/${name}`)),
      ...((await client.call('GET /next/tickets')).status === 200 ? [] : ['it is not made again']),
      ...(await audit())
    ],
    audit
  }
  const usual = 'pay pay pay refund refund refund refund addUser deleteUser addTickets advance read'
  // a single client may take its sandbox back
  const alone = place.clients === 1 && random.chance(0.05)
  const kinds = alone ? ['begin', 'audit', ...(name ? ['delete'] : [])] : usual.split(' ')
  return (acts[random.of(kinds)] as () => Promise<string[]>)()
}

const REFUSALS: readonly unknown[] = ['refund_exceeds_remaining', 'charge_already_refunded']
