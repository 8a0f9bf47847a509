/** kill -9 at random moments under load: every answered change is in the data file, and nothing half-written. */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { drawing, type Emulator, isLong, seed, startProcess } from './support/emulator.js'

const ROUNDS = isLong ? 20 : 3
const SANDBOXES = ['a', 'b', 'c', 'd']
const CLIENTS = 3

type Payment = { amount: number; refunded: number; maybe: number }
/** What was answered in a sandbox, and what was asked without an answer. */
type Ledger = {
  payments: Map<string, Payment>
  refunds: Map<string, { transaction: string; amount: number }>
  users: Set<string>
  deleted: Set<string>
  /** Users whose deletion was asked for and not answered. */
  maybeDeleted: Set<string>
  /** Tickets made by a control call. */
  tickets: Set<string>
}
const newLedger = (): Ledger => ({
  payments: new Map(),
  refunds: new Map(),
  users: new Set(),
  deleted: new Set(),
  maybeDeleted: new Set(),
  tickets: new Set()
})

/** Makes changes in a sandbox, one after the other, until the connection is lost. */
async function drive({ call, control }: Emulator, sandbox: string, ledger: Ledger, draw: () => number): Promise<void> {
  const one = <T>(items: Iterable<T>): T | undefined => {
    const all = [...items]
    return all[Math.floor(draw() * all.length)]
  }
  for (;;) {
    const choice = draw()
    const id = one(ledger.payments.keys())
    const user = one(ledger.users)
    if (choice < 0.4 || id === undefined) {
      const amount = 100 + Math.floor(draw() * 5000)
      const { status, body } = await call(sandbox, 'POST /transactions', { ticket: 'tkt_60', payment_type: 'external', amount })
      if (status === 200) ledger.payments.set(body.id, { amount, refunded: 0, maybe: 0 })
    } else if (choice < 0.75) {
      const payment = ledger.payments.get(id) as Payment
      const amount = 1 + Math.floor(draw() * 100)
      payment.maybe += amount
      const { status, body } = await call(sandbox, 'POST /refunds', { transaction: id, amount, 'metadata[round]': 'x' })
      payment.maybe -= amount
      if (status !== 200) continue
      payment.refunded += amount
      ledger.refunds.set(body.id, { transaction: id, amount })
    } else if (choice < 0.85 || user === undefined) {
      const { status, body } = await call(sandbox, 'POST /accounts/mch_bistro/users', { name: 'Kim', email: 'kim@example.com' })
      if (status === 200) ledger.users.add(body.id)
    } else if (choice < 0.95) {
      ledger.users.delete(user)
      ledger.maybeDeleted.add(user)
      const { status } = await call(sandbox, `DELETE /accounts/mch_bistro/users/${user}`)
      if (status === 204) ledger.deleted.add(user)
      if (status === 204) ledger.maybeDeleted.delete(user)
    } else {
      const { status, body } = await control(sandbox, 'POST /records', { tickets: [{ location: 'loc_bistro', reference: 'T-new' }] })
      if (status === 200) ledger.tickets.add(body.tickets[0].id)
    }
  }
}

/** What is wrong with a sandbox, against its ledger. */
async function faultsOf({ call, control }: Emulator, sandbox: string, ledger: Ledger): Promise<string[]> {
  const { body: state } = await control(sandbox, 'GET /state')
  const by = <T extends { id: string }>(records: T[]) => new Map(records.map(record => [record.id, record]))
  const [transactions, refunds, users, tickets] = [by<any>(state.transactions), by<any>(state.refunds), by<any>(state.users), by<any>(state.tickets)]
  const faults: string[] = []
  for (const [id, { amount }] of ledger.payments) if (transactions.get(id)?.amount !== amount) faults.push(`payment ${id} of ${amount} is lost`)
  for (const [id, { amount }] of ledger.refunds) if (refunds.get(id)?.amount !== amount) faults.push(`refund ${id} of ${amount} is lost`)
  for (const id of ledger.users) if (!users.has(id)) faults.push(`user ${id} is lost`)
  for (const id of ledger.deleted) if (users.has(id)) faults.push(`user ${id} is back`)
  for (const id of ledger.tickets) if (!tickets.has(id)) faults.push(`ticket ${id} is lost`)
  const sums = new Map<string, number>()
  for (const { transaction, amount } of refunds.values()) sums.set(transaction, (sums.get(transaction) ?? 0) + amount)
  for (const [id, { refunded, maybe }] of ledger.payments) {
    const sum = sums.get(id) ?? 0
    if (sum < refunded || sum > refunded + maybe) faults.push(`of ${id} ${refunded} were refunded, and ${maybe} perhaps; the file says ${sum}`)
  }
  for (const id of [...ledger.payments.keys()].slice(-20)) {
    const { body } = await call(sandbox, `GET /transactions/${id}`)
    if (body.amount_refunded !== (sums.get(id) ?? 0) || body.amount_refunded > body.amount) faults.push(`${id} says that ${body.amount_refunded} were refunded`)
  }
  // what was on its way is settled from now on
  for (const [id, payment] of ledger.payments) Object.assign(payment, { refunded: sums.get(id) ?? 0, maybe: 0 })
  ledger.maybeDeleted.clear()
  return faults
}

t.test(`${ROUNDS} times killed under load: every answered change is there after the restart (ENDURANCE_SEED=${seed})`, { timeout: 600_000 }, async t => {
  const file = `${t.testdir()}/state.json`
  const draw = drawing(seed)
  const ledgers = new Map(SANDBOXES.map(name => [name, newLedger()]))

  for (let round = 1; round <= ROUNDS; round++) {
    const emulator = await startProcess(t, '--data', file)
    const faults = (await Promise.all([...ledgers].map(async ([name, ledger]) => (round === 1 ? [] : faultsOf(emulator, name, ledger))))).flat()
    t.strictSame(faults, [], `round ${round}`)
    const clients = [...ledgers].flatMap(([name, ledger]) =>
      Array.from({ length: CLIENTS }, (_, nth) => drive(emulator, name, ledger, drawing(seed * 1000 + round * 100 + nth)).catch(() => {}))
    )
    await wait(150 + draw() * 900)
    await emulator.end('SIGKILL')
    await Promise.all(clients)
    t.doesNotThrow(() => JSON.parse(readFileSync(file, 'utf8')), `the file is whole after round ${round}`)
  }
  const emulator = await startProcess(t, '--data', file)
  for (const [name, ledger] of ledgers)
    t.strictSame(await faultsOf(emulator, name, ledger), [], `${name}: ${ledger.payments.size} payments, ${ledger.refunds.size} refunds`)
  const clients = [...ledgers].map(([name, ledger]) => drive(emulator, name, ledger, drawing(seed)).catch(() => {}))
  await wait(300)
  t.equal(await emulator.end('SIGTERM'), 0, 'told to stop under load, it ends with status 0')
  await Promise.all(clients)
  const last = await startProcess(t, '--data', file)
  for (const [name, ledger] of ledgers) t.strictSame(await faultsOf(last, name, ledger), [], `${name} after an orderly stop`)
  t.equal(
    [...ledgers.values()].every(({ payments, refunds }) => payments.size > 0 && refunds.size > 0),
    true,
    'there was load'
  )
  await last.end('SIGTERM')
})
