/** Draws from the seed: payments of Tickets, and Refunds of some. */
import type { Faker } from '@faker-js/faker'
import { kindOf } from '../../core/ids.js'
import { isoOf } from '../../core/instants.js'
import type { Family } from '../../reference/operations.js'
import { PAYMENT_TYPES, type PaymentType } from '../../reference/payment-methods.js'
import type { Stored } from '../../store/collection.js'
import type { RecordOf, Records, Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import { completed } from '../completion.js'
import type { Report } from '../documents.js'
import { countsOf } from '../match/counts.js'
import type { GenerationContext, RecordFields } from '../records/fixture.js'
import { say } from '../sentences.js'
import { entriesOf, isList, present } from '../shape/checked.js'
import type { GenerateData } from '../shape/scenario.js'

const DAY = 86_400_000
/** Only these last Tickets get payments, so that bills are paid soon. */
const OPEN_AT_ONCE = 20
/** Customers to draw from: inventing one takes longer than the rest of a payment. */
const REGULARS = 50
const CARDS: readonly PaymentType[] = ['card', 'apple_pay', 'google_pay', 'emv']
const BRANDS = ['visa', 'mastercard', 'amex', 'discover'] as const
const BILLS = { min: 350, max: 12_000 }
const TIPS = [0, 0.15, 0.18, 0.2, 0.22] as const
const REASONS = [
  'Wrong order',
  'Cold food',
  'Long wait',
  'Charged twice',
  'Item not available',
  null
] as const

export type Generating = GenerationContext & { store: Store; faker: Faker }
export async function fakerOf(seed: number): Promise<Faker> {
  const { faker: shared } = await import('@faker-js/faker/locale/en')
  const faker = new (shared.constructor as typeof Faker)({ locale: shared.rawDefinitions })
  faker.seed(seed)
  return faker
}

/** Like `faker.number.int`, but four times as fast. */
export const drawWhole = ({ number }: Faker, min: number, max: number): number =>
  min === max ? min : Math.floor(number.float() * (max - min + 1) + min)
export const drawOne = <T>(faker: Faker, list: readonly T[]): T =>
  list[drawWhole(faker, 0, list.length - 1)] as T
const drawDigits = (faker: Faker) => String(drawWhole(faker, 0, 9999)).padStart(4, '0')

export type Weights<N extends string = string> = Readonly<Partial<Record<N, number>>>

export function weightedNames<N extends string>(weights: Weights<N>, { number }: Faker): () => N {
  let total = 0
  const names = entriesOf(weights).map(([name, weight]) => {
    total += Number(weight)
    return { name, sum: total }
  })
  return () => {
    const point = names.length > 1 ? number.float() * total : 0
    let low = 0
    let high = names.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (present(names[middle]).sum > point) high = middle
      else low = middle + 1
    }
    return present(names[low]).name
  }
}

type Drawn = RecordFields & { ticket?: string; transaction?: string }

export async function fill<F extends Family>(
  family: F,
  count: number,
  draw: (index: number) => Drawn,
  { store, ids, settings }: Generating
): Promise<RecordOf<F>[]> {
  const records: RecordOf<Family>[] = []
  for (let index = 0; index < count; index++) {
    const id = ids.draw(kindOf(family, 'merchant'), settings, store[family])
    const fields: Drawn = { id, ...draw(index) }
    const parent = parentOf(fields, store)
    records.push(store.put(family, completed(family, fields, { settings, parent })))
    await pause()
  }
  return records as RecordOf<F>[]
}

function parentOf({ ticket, transaction }: Drawn, store: Store): RecordOf<Family> | undefined {
  if (ticket !== undefined) return store.tickets.get(ticket)
  return transaction === undefined ? undefined : store.transactions.get(transaction)
}

export const perTicket = ({ payments_per_ticket = 1 }: GenerateData) =>
  countsOf(`${payments_per_ticket}`, 0, () => {})
export const isShared = (payments: number, { from, to }: { from: number; to: number }) =>
  from > 0 && to <= 100 && Math.floor(payments / from) * to >= payments

export async function generatePayments(
  instants: Float64Array,
  parents: Weights,
  data: GenerateData,
  generating: Generating,
  report: Report
): Promise<void> {
  const { faker } = generating
  const openAt = openTickets(Object.keys(parents), instants.at(-1), generating, report)
  if (openAt === null) return
  const drawPayment = paymentDraw(data, faker)
  const parent = weightedNames(parents, faker)
  const payments = paymentsOf(instants, () => present(openAt.get(parent())), data, faker)
  if (!Array.isArray(payments))
    return report(['payments_per_ticket'], say('too_few_tickets', payments.location))
  payments.sort((a, b) => a.instant - b.instant)
  const draw = (index: number): Drawn => {
    const { open, instant, ticket } = present(payments[index])
    const paid = ticket ?? drawOpened(open, instant, faker)
    return { created: isoOf(instant), ticket: paid, ...drawPayment() }
  }
  await refund(await fill('transactions', payments.length, draw, generating), data, generating)
}

function openTickets(
  locations: readonly string[],
  latest: number | undefined,
  { store }: Generating,
  report: Report
): Map<string, OpenTickets> | null {
  const open = new Map<string, OpenTickets>()
  for (const location of locations) {
    const tickets = store.tickets.group('location', location)
    const [first] = tickets
    if (first === undefined || first.at > (latest ?? first.at)) {
      report(['location'], say('no_early_ticket', location))
      return null
    }
    open.set(location, { location, tickets, opened: 0, unpaid: [] })
  }
  return open
}

function paymentsOf(
  instants: Float64Array,
  drawOpen: () => OpenTickets,
  data: GenerateData,
  faker: Faker
): Payment[] | OpenTickets {
  const payments: Payment[] = []
  const { from, to } = perTicket(data)
  const sizes = Array.from({ length: to - from + 1 }, (_, more) => from + more)
  for (let nth = 0; nth < instants.length; ) {
    const open = drawOpen()
    const earliest = present(instants[nth])
    if (data.payments_per_ticket === undefined) {
      // no payment is before the first Ticket of its Location
      const opened = present(open.tickets[0]).at
      payments.push({ open, instant: Math.max(earliest, opened) })
      nth++
      continue
    }
    const ticket = drawUnpaid(open, earliest, faker)
    if (ticket === undefined) return open
    const remaining = instants.length - nth
    const fits = (size: number) => size <= remaining && isShared(remaining - size, { from, to })
    const size = drawOne(faker, sizes.filter(fits))
    for (const instant of instants.subarray(nth, nth + size))
      payments.push({ open, instant: Math.max(instant, ticket.at), ticket: ticket.record.id })
    nth += size
  }
  return payments
}

type OpenTickets = {
  location: string
  tickets: Stored<Records['tickets']>[]
  opened: number
  /** Opened ones without payments, for payments_per_ticket. */
  unpaid: OpenTickets['tickets'][number][]
}
type Payment = { open: OpenTickets; instant: number; ticket?: string }

function drawOpened(open: OpenTickets, instant: number, faker: Faker): string {
  const { tickets } = open
  while ((tickets[open.opened]?.at ?? Number.POSITIVE_INFINITY) <= instant) open.opened++
  const place = drawWhole(faker, Math.max(0, open.opened - OPEN_AT_ONCE), open.opened - 1)
  return present(tickets[place]).record.id
}

function drawUnpaid(open: OpenTickets, instant: number, faker: Faker) {
  const { tickets, unpaid } = open
  while (open.opened < tickets.length) {
    const next = present(tickets[open.opened])
    if (next.at > instant && unpaid.length > 0) break
    unpaid.push(next)
    open.opened++
  }
  const place = drawWhole(faker, Math.max(0, unpaid.length - OPEN_AT_ONCE), unpaid.length - 1)
  return unpaid.splice(place, 1)[0]
}

function paymentDraw(
  { payment_types = PAYMENT_TYPES, amount: { min, max } = BILLS }: GenerateData,
  faker: Faker
): () => RecordFields {
  const regulars = Array.from({ length: REGULARS }, () => {
    const name = faker.person.firstName()
    return {
      name,
      email: faker.internet.exampleEmail({ firstName: name }),
      phone: `+1617555${drawDigits(faker)}`,
      bank_name: `${faker.location.city()} Savings`
    }
  })
  const drawType = isList(payment_types)
    ? () => drawOne(faker, payment_types)
    : weightedNames<PaymentType>(payment_types, faker)
  return () => {
    const payment_type = drawType()
    const bill = drawWhole(faker, min, max)
    const tip = Math.round(bill * drawOne(faker, TIPS))
    const last4 = drawDigits(faker)
    const { name, email, phone, bank_name } = drawOne(faker, regulars)
    const payment = { payment_type, amount: bill + tip, tip_amount: tip === 0 ? null : tip }
    if (payment_type === 'vip') {
      const payment_method = { bank_account: { bank_name, last4 } }
      return { ...payment, payment_method, customer: { name, phone } }
    }
    const isCard = CARDS.includes(payment_type)
    const payment_method = isCard ? { card: { brand: drawOne(faker, BRANDS), last4 } } : {}
    return {
      ...payment,
      payment_method,
      customer: payment_type === 'apple_pay' ? { name, email } : null
    }
  }
}

async function refund(
  paid: readonly Records['transactions'][],
  { refunded = 0, partly_refunded }: GenerateData,
  generating: Generating
): Promise<void> {
  const { faker } = generating
  const end = Date.parse(paid.at(-1)?.created ?? '')
  const whole = Math.round(paid.length * refunded)
  const count = whole + Math.round(paid.length * (partly_refunded ?? 0))
  const places = faker.helpers.arrayElements([...paid.keys()], count)
  const parts = new Set(places.slice(whole))
  places.sort((a, b) => a - b)
  const draw = (index: number): Drawn => {
    const place = present(places[index])
    const { id: transaction, amount: charged, created } = present(paid[place])
    const instant = Math.min(end, Date.parse(created) + drawWhole(faker, 60_000, 3 * DAY))
    const isWhole = partly_refunded === undefined ? faker.datatype.boolean() : !parts.has(place)
    const most = partly_refunded === undefined ? charged : Math.max(1, charged - 1)
    const amount = isWhole ? charged : drawWhole(faker, 1, most)
    return { created: isoOf(instant), transaction, amount, reason: drawOne(faker, REASONS) }
  }
  await fill('refunds', places.length, draw, generating)
}
