/** Draws payments of Tickets from the seed, and Refunds of some. */
import type { Faker } from '@faker-js/faker'
import { isoOf } from '../../core/instants.js'
import type { Family } from '../../reference/operations.js'
import { CARD_TYPES, PAYMENT_TYPES, type PaymentType } from '../../reference/payment-methods.js'
import type { Stored } from '../../store/collection.js'
import type { RecordOf, Records } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import type { Report } from '../documents.js'
import { type Counts, countsOf } from '../match/counts.js'
import { type GenerationContext, type RecordFields, recordOf } from '../records/record.js'
import { say } from '../sentences.js'
import { entriesOf, isList, present } from '../shape/checked.js'
import type { GenerateData } from '../shape/scenario.js'

const DAY = 86_400_000
/** Only these last Tickets get payments, so that bills are paid soon. */
const OPEN_AT_ONCE = 20
/** Customers to draw from: inventing one takes longer than the rest of a payment. */
const REGULARS = 50
const CONTACTS: Partial<Record<PaymentType, 'phone' | 'email'>> = {
  vip: 'phone',
  apple_pay: 'email'
}
const BRANDS = ['visa', 'mastercard', 'amex', 'discover']
const BILLS = { min: 350, max: 12_000 }
const TIPS = [0, 0.15, 0.18, 0.2, 0.22]
const REASONS = [
  'Wrong order',
  'Cold food',
  'Long wait',
  'Charged twice',
  'Item not available',
  null
]

export type Generating = GenerationContext & { faker: Faker }
export type Weights<N extends string = string> = readonly (readonly [name: N, weight: number])[]
type Ticket = Stored<Records['tickets']>

/** Like `faker.number.int`, but four times as fast. */
export const drawWhole = ({ number }: Faker, min: number, max: number): number =>
  min === max ? min : Math.floor(number.float() * (max - min + 1) + min)
export const drawOne = <T>(faker: Faker, list: readonly T[]): T =>
  list[drawWhole(faker, 0, list.length - 1)] as T

/** Draws names as often as their weights say. */
export function byWeight<N extends string>(weights: Weights<N>, { number }: Faker): () => N {
  let total = 0
  const names = weights.map(([name, weight]) => {
    total += weight
    return { name, from: total - weight }
  })
  return () => {
    const point = names.length > 1 ? number.float() * total : 0
    return present(names.findLast(({ from }) => from <= point)).name
  }
}

/** Puts a record for each item. */
export async function fill<F extends Family, T>(
  family: F,
  items: Iterable<T>,
  draw: (item: T) => RecordFields,
  generating: Generating
): Promise<RecordOf<F>[]> {
  const records: RecordOf<Family>[] = []
  for (const item of items) {
    records.push(generating.store.put(family, recordOf(family, draw(item), generating)))
    await pause()
  }
  return records as RecordOf<F>[]
}

export const perTicket = ({ payments_per_ticket = 1 }: GenerateData): Counts =>
  countsOf(`${payments_per_ticket}`, false, () => {})
export const isShared = (payments: number, { from, to }: Counts) =>
  from > 0 && to <= 100 && Math.floor(payments / from) * to >= payments

export async function generatePayments(
  instants: Float64Array,
  locations: Weights,
  data: GenerateData,
  generating: Generating,
  report: Report
): Promise<void> {
  const { faker, store } = generating
  const isPaidOnce = data.payments_per_ticket !== undefined
  const ticketDraws = new Map<string, ReturnType<typeof ticketDraw>>()
  for (const [location] of locations) {
    const tickets = store.tickets.group('location', location)
    if (!tickets[0] || tickets[0].at > (instants.at(-1) ?? Number.POSITIVE_INFINITY))
      return report(['location'], say('no_early_ticket', location))
    ticketDraws.set(location, ticketDraw(tickets, isPaidOnce, faker))
  }
  const drawFields = paymentDraw(data, faker)
  const drawLocation = byWeight(locations, faker)
  const sizes = perTicket(data)
  const payments: { instant: number; fields: RecordFields }[] = []
  while (payments.length < instants.length) {
    const location = drawLocation()
    const rest = instants.subarray(payments.length)
    const ticket = present(ticketDraws.get(location))(present(rest[0]))
    if (ticket === undefined)
      return report(['payments_per_ticket'], say('too_few_tickets', location))
    for (const drawn of rest.subarray(0, drawSize(rest.length, sizes, faker))) {
      const instant = Math.max(drawn, ticket.at)
      const created = isoOf(instant)
      payments.push({ instant, fields: { created, ticket: ticket.record.id, ...drawFields() } })
    }
    await pause()
  }
  payments.sort((a, b) => a.instant - b.instant)
  const paid = await fill('transactions', payments, ({ fields }) => fields, generating)
  await refund(paid, data, generating)
}

/** Draws an open Ticket. The first may be later than the payment, which then waits for it. */
function ticketDraw(tickets: readonly Ticket[], isPaidOnce: boolean, faker: Faker) {
  const open: Ticket[] = []
  let opened = 0
  return (instant: number): Ticket | undefined => {
    for (; opened < tickets.length; opened++) {
      const next = present(tickets[opened])
      if (next.at > instant && open.length > 0) break
      open.push(next)
    }
    const place = drawWhole(faker, Math.max(0, open.length - OPEN_AT_ONCE), open.length - 1)
    return isPaidOnce ? open.splice(place, 1)[0] : open[place]
  }
}

/** None that would leave a number of payments that cannot be shared. */
function drawSize(payments: number, sizes: Counts, faker: Faker): number {
  const all = Array.from({ length: sizes.to }, (_, index) => index + 1)
  const isFitting = (size: number) =>
    size >= sizes.from && size <= payments && isShared(payments - size, sizes)
  return drawOne(faker, all.filter(isFitting))
}

function paymentDraw(
  { payment_types = PAYMENT_TYPES, amount: { min, max } = BILLS }: GenerateData,
  faker: Faker
): () => RecordFields {
  const drawDigits = () => String(drawWhole(faker, 0, 9999)).padStart(4, '0')
  const regulars = Array.from({ length: REGULARS }, () => {
    const name = faker.person.firstName()
    return {
      name,
      email: faker.internet.exampleEmail({ firstName: name }),
      phone: `+1617555${drawDigits()}`,
      bank_name: `${faker.location.city()} Savings`
    }
  })
  const types = isList(payment_types)
    ? payment_types.map(type => [type, 1] as const)
    : entriesOf(payment_types)
  const drawType = byWeight(types, faker)
  return () => {
    const payment_type = drawType()
    const bill = drawWhole(faker, min, max)
    const tip = Math.round(bill * drawOne(faker, TIPS))
    const last4 = drawDigits()
    const { bank_name, ...customer } = drawOne(faker, regulars)
    const contact = CONTACTS[payment_type]
    return {
      payment_type,
      amount: bill + tip,
      tip_amount: tip || null,
      payment_method: {
        card: CARD_TYPES.some(type => type === payment_type)
          ? { brand: drawOne(faker, BRANDS), last4 }
          : null,
        bank_account: payment_type === 'vip' ? { bank_name, last4 } : null
      },
      customer: contact ? { name: customer.name, [contact]: customer[contact] } : null
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
  const draw = (place: number): RecordFields => {
    const { id: transaction, amount: charged, created } = present(paid[place])
    const instant = Math.min(end, Date.parse(created) + drawWhole(faker, 60_000, 3 * DAY))
    const isWhole = partly_refunded === undefined ? faker.datatype.boolean() : !parts.has(place)
    const most = partly_refunded === undefined ? charged : Math.max(1, charged - 1)
    const amount = isWhole ? charged : drawWhole(faker, 1, most)
    return { created: isoOf(instant), transaction, amount, reason: drawOne(faker, REASONS) }
  }
  places.sort((a, b) => a - b)
  await fill('refunds', places, draw, generating)
}
