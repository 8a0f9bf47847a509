/**
 * Records that faker fills in from the seed, consistent with each other and with those that are
 * there.
 */
import type { Faker } from '@faker-js/faker'
import { type Ids, kindOf } from '../core/ids.js'
import { instantOf, isoOf } from '../core/instants.js'
import { didYouMean } from '../core/nearest.js'
import { isObject } from '../core/quick-check.js'
import type { Settings } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import { PAYMENT_TYPES, type PaymentType } from '../reference/payment-methods.js'
import { pageOf } from '../store/paging.js'
import { collectionOf, type RecordOf, type Records, type Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import { completed } from './completion.js'
import type { Report } from './documents.js'
import { countsOf } from './match/counts.js'
import { type Progress, reportProgress } from './progress.js'
import { GENERATED_FAMILIES, type GenerateData } from './schemas.js'
import { say } from './sentences.js'
import { type Weights, weightedNames } from './weights.js'

export { GENERATED_FAMILIES, type GenerateData } from './schemas.js'
export type Generating = {
  store: Store
  ids: Ids
  now: number
  settings: Settings
  faker: Faker
  progress?: Progress | undefined
}
const DAY = 86_400_000
/** Payments are of the Tickets opened last, so that bills are paid soon. */
const OPEN_AT_ONCE = 20
/** Customers who pay again and again: making one up takes longer than all else of a payment. */
const REGULARS = 50
const CARDS: readonly PaymentType[] = ['card', 'apple_pay', 'google_pay', 'emv']
const BRANDS = ['visa', 'mastercard', 'amex', 'discover'] as const
const SPOTS = ['Table', 'Bar', 'Patio', 'Booth', 'Counter'] as const
/** Bills before the tip, by default. */
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

/** One that draws from a seed; its data is loaded when first needed. */
export async function fakerOf(seed: number): Promise<Faker> {
  const { faker: shared } = await import('@faker-js/faker/locale/en')
  const faker = new (shared.constructor as typeof Faker)({ locale: shared.rawDefinitions })
  faker.seed(seed)
  return faker
}

/**
 * One family, ranges that are not reversed, weights above 0, parents that exist, where the store is
 * known.
 */
export function checkGenerate(data: GenerateData, store: Store | null, note: Report): void {
  const { created, amount, transactions, refunded = 0, partly_refunded = 0 } = data
  const asked = GENERATED_FAMILIES.filter(family => data[family] !== undefined)
  for (const family of asked) {
    const [field, parents, resource] = parentsFor(family)
    const given = data[field] ?? []
    const isOfName = isObject(given)
    for (const id of isOfName ? Object.keys(given) : [given].flat())
      if (store !== null && !store[parents].get(id))
        note(isOfName ? [field, id] : [field], {
          ...say('missing_record', resource, id, didYouMean(id, store[parents].someIds())),
          isOfName
        })
  }
  if (asked.length !== 1) note([], say('not_exactly_one', GENERATED_FAMILIES, asked))
  if (created !== undefined && instantIn(created.from) > instantIn(created.to))
    note(['created'], say('reversed', `from ${created.from}`, `to ${created.to}`))
  if (amount !== undefined && amount.min > amount.max)
    note(['amount'], say('reversed', `min ${amount.min}`, `max ${amount.max}`))
  for (const name of ['location', 'payment_types'] as const)
    if (isObject(data[name]) && Object.values(data[name]).every(weight => weight === 0))
      note([name], say('no_weight'))
  for (const name of OF_PAYMENTS)
    if (data[name] !== undefined && transactions === undefined)
      note([name], say('needs', name, 'transactions'))
  if (refunded + partly_refunded > 1) note(['partly_refunded'], say('shares_above_one'))
  if (!isShared(transactions ?? 0, perTicket(data)))
    note(
      ['payments_per_ticket'],
      say('not_shared', transactions ?? 0, `${data.payments_per_ticket}`)
    )
}

const OF_PAYMENTS = ['refunded', 'partly_refunded', 'payments_per_ticket'] as const
const perTicket = ({ payments_per_ticket = 1 }: GenerateData) =>
  countsOf(`${payments_per_ticket}`, 0, () => {})
const isShared = (payments: number, { from, to }: { from: number; to: number }) =>
  from > 0 && to <= 100 && Math.floor(payments / from) * to >= payments

const instantIn = (text: string) => instantOf(text) as number

/** Refunds of their Transactions included. */
export const generatedBy = (entries: readonly GenerateData[]): number =>
  entries.reduce((sum, entry) => {
    const own = GENERATED_FAMILIES.reduce((count, family) => count + (entry[family] ?? 0), 0)
    const { transactions = 0, refunded = 0, partly_refunded = 0 } = entry
    return (
      sum + own + Math.round(transactions * refunded) + Math.round(transactions * partly_refunded)
    )
  }, 0)

/** Puts the records of a checked entry into the store, or reports that they belong to nothing. */
export async function generate(
  data: GenerateData,
  generating: Generating,
  report: Report
): Promise<void> {
  const family = GENERATED_FAMILIES.find(
    name => data[name] !== undefined
  ) as (typeof GENERATED_FAMILIES)[number]
  const parents = parentsOf(family, data, generating, report)
  if (parents === null) return
  const instants = instantsOf(data, data[family] as number, generating)
  if (family === 'transactions')
    return generatePayments(instants, parents, data, generating, report)
  const parent = weightedNames(parents, generating.faker)
  await fill(family, instants, generating, DRAWS[family](generating, parent))
}

/** As `faker.number.int` draws it, which takes four times as long. */
const drawWhole = ({ number }: Faker, min: number, max: number): number =>
  min === max ? min : Math.floor(number.float() * (max - min + 1) + min)
/** As `faker.helpers.arrayElement` draws it. */
const drawOne = <T>(faker: Faker, list: readonly T[]): T =>
  list[drawWhole(faker, 0, list.length - 1)] as T
/** The same text for all records that have the same. */
function drawDigits(faker: Faker): string {
  const number = drawWhole(faker, 0, 9999)
  DIGITS[number] ??= String(number).padStart(4, '0')
  return DIGITS[number]
}
const DIGITS: string[] = []

/** Ascending: drawn from the range, or all now. */
function instantsOf(
  { created }: GenerateData,
  count: number,
  { now, faker }: Generating
): Float64Array {
  const instants = new Float64Array(count).fill(now)
  if (created === undefined) return instants
  const [min, max] = [instantIn(created.from), instantIn(created.to)]
  return instants.map(() => drawWhole(faker, min, max)).sort()
}

/** By which field records of a family belong to others. */
const parentsFor = (family: (typeof GENERATED_FAMILIES)[number]) =>
  family === 'tickets' || family === 'transactions'
    ? (['location', 'locations', 'Location'] as const)
    : (['account', 'accounts', 'Account'] as const)

/** Ids that generated records can belong to, with weights; null, reported, where there is none. */
function parentsOf(
  family: (typeof GENERATED_FAMILIES)[number],
  data: GenerateData,
  { store }: Generating,
  report: Report
): Weights | null {
  if (family === 'accounts') return { '': 1 }
  const [field] = parentsFor(family)
  const given = data[field]
  if (given !== undefined) return typeof given === 'string' ? { [given]: 1 } : given
  const first =
    field === 'location'
      ? store.locations.inCreationOrder()[0]
      : store.accounts.inCreationOrder().find(({ type }) => type === 'merchant')
  if (!first)
    report(
      [],
      say('missing_parent', field === 'location' ? 'Location' : 'merchant Account', family)
    )
  return first ? { [first.id]: 1 } : null
}

/** What is given of a record, which is completed as in a fixture. */
type Draw = (index: number, at: number) => Given
type Given = Readonly<Record<string, unknown>>

/** Puts in a record for each instant. */
async function fill<F extends Exclude<Family, 'refunds'>>(
  family: F,
  instants: Float64Array,
  generating: Generating,
  draw: Draw
): Promise<Records[F][]> {
  const { store, ids, settings, progress } = generating
  const collection = collectionOf(store, family)
  const made: Records[F][] = []
  for (const [index, at] of instants.entries()) {
    const id = ids.draw(kindOf(family, 'merchant'), settings, collection)
    const given = draw(index, at)
    const parent = store.tickets.get(given.ticket as string)
    const record = completed(
      family,
      { id, created: isoOf(at), ...given },
      { settings, parent }
    ) as RecordOf<F>
    collection.insert(record)
    made.push(record as Records[F])
    reportProgress(progress, family, index, instants.length)
    await pause()
  }
  return made
}

const DRAWS: Readonly<
  Record<
    Exclude<(typeof GENERATED_FAMILIES)[number], 'transactions'>,
    (generating: Generating, parent: () => string) => Draw
  >
> = {
  accounts:
    ({ faker }) =>
    () => ({
      type: 'merchant',
      name: faker.company.name(),
      email: faker.internet.exampleEmail(),
      address: drawAddress(faker)
    }),
  users:
    ({ faker }, account) =>
    () => {
      const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()]
      return {
        account: account(),
        name: `${firstName} ${lastName}`,
        email: faker.internet.exampleEmail({ firstName, lastName })
      }
    },
  locations:
    ({ faker }, account) =>
    () => {
      const display_name = `${faker.food.adjective().replace(/^./, letter => letter.toUpperCase())} ${faker.food.ingredient()}`
      return { account: account(), display_name, address: drawAddress(faker) }
    },
  tickets: ({ faker, store }, location) => {
    const before = store.tickets.size
    return index => {
      const reference = `${drawOne(faker, SPOTS)} ${drawWhole(faker, 1, 40)} #${String(before + index + 1).padStart(4, '0')}`
      return { location: location(), reference }
    }
  }
}

/** Payments of Tickets, and Refunds of some, unless none can be paid, which is reported. */
async function generatePayments(
  instants: Float64Array,
  parents: Weights,
  data: GenerateData,
  generating: Generating,
  report: Report
): Promise<void> {
  const { faker, store } = generating
  const latest = instants.at(-1)
  const open = new Map<string, OpenTickets>()
  for (const location of Object.keys(parents)) {
    const tickets = pageOf(store.tickets, {
      index: 'location',
      group: location,
      limit: Number.POSITIVE_INFINITY,
      order: 'oldest_first'
    }).stored
    const [first] = tickets
    if (first === undefined || first.at > (latest ?? first.at)) {
      report(['location'], say('no_early_ticket', location))
      return
    }
    open.set(location, { tickets, opened: 0, unpaid: [] })
  }
  const draws = paymentDraws(data, faker)
  const parent = weightedNames(parents, faker)
  const payments: Payment[] = []
  for (let nth = 0; nth < instants.length; ) {
    const location = parent()
    const own = open.get(location) as OpenTickets
    const instant = instants[nth] as number
    if (data.payments_per_ticket === undefined) {
      // no payment is before the first Ticket of its Location
      payments.push({ own, at: Math.max(instant, own.tickets[0]?.at as number) })
      nth++
      continue
    }
    const ticket = drawUnpaid(own, instant, faker)
    if (ticket === undefined) {
      report(['payments_per_ticket'], say('too_few_tickets', location))
      return
    }
    const { from, to } = perTicket(data)
    const sizes = Array.from({ length: to - from + 1 }, (_, more) => from + more)
    const left = instants.length - nth
    const size = drawOne(
      faker,
      sizes.filter(size => size <= left && isShared(left - size, { from, to }))
    )
    for (const at of instants.subarray(nth, nth + size))
      payments.push({ own, at: Math.max(at, ticket.at), ticket: ticket.record.id })
    nth += size
  }
  payments.sort((one, other) => one.at - other.at)
  const draw: Draw = (index, at) => {
    const { own, ticket } = payments[index] as Payment
    if (ticket !== undefined) return { ticket, ...drawPayment(draws, faker) }
    const { tickets } = own
    while ((tickets[own.opened]?.at ?? Number.POSITIVE_INFINITY) <= at) own.opened++
    const { record } = tickets[
      drawWhole(faker, Math.max(0, own.opened - OPEN_AT_ONCE), own.opened - 1)
    ] as (typeof tickets)[number]
    return { ticket: record.id, ...drawPayment(draws, faker) }
  }
  const times = Float64Array.from(payments, ({ at }) => at)
  await refund(await fill('transactions', times, generating, draw), data, generating)
}

/** Tickets of a Location, the oldest first, and how many are opened by now. */
type OpenTickets = {
  tickets: ReturnType<typeof pageOf<Records['tickets']>>['stored']
  opened: number
  /** Of the opened ones, those without a payment, where each gets so many. */
  unpaid: OpenTickets['tickets'][number][]
}
type Payment = { own: OpenTickets; at: number; ticket?: string }

/** A Ticket without a payment that is opened by then, or the next one; undefined if none is left. */
function drawUnpaid(own: OpenTickets, at: number, faker: Faker) {
  const { tickets, unpaid } = own
  while (own.opened < tickets.length) {
    const next = tickets[own.opened] as (typeof tickets)[number]
    if (next.at > at && unpaid.length > 0) break
    unpaid.push(next)
    own.opened++
  }
  const place = drawWhole(faker, Math.max(0, unpaid.length - OPEN_AT_ONCE), unpaid.length - 1)
  return unpaid.splice(place, 1)[0]
}

function drawAddress({ location }: Faker): Given {
  return {
    country: 'US',
    line1: location.streetAddress(),
    city: location.city(),
    postal_code: location.zipCode('#####')
  }
}

type Regular = { name: string; email: string; phone: string; bank_name: string }

const regularsOf = (faker: Faker): Regular[] =>
  Array.from({ length: REGULARS }, () => {
    const name = faker.person.firstName()
    const email = faker.internet.exampleEmail({ firstName: name })
    return {
      name,
      email,
      phone: `+1617555${drawDigits(faker)}`,
      bank_name: `${faker.location.city()} Savings`
    }
  })

type PaymentDraws = { type: () => PaymentType; bill: () => number; regulars: readonly Regular[] }

function paymentDraws(
  { payment_types = PAYMENT_TYPES, amount: { min, max } = BILLS }: GenerateData,
  faker: Faker
): PaymentDraws {
  const regulars = regularsOf(faker)
  const type = isObject(payment_types)
    ? weightedNames(payment_types as Weights<PaymentType>, faker)
    : () => drawOne(faker, payment_types as readonly PaymentType[])
  return { type, bill: () => drawWhole(faker, min, max), regulars }
}

function drawPayment({ type, bill: drawnBill, regulars }: PaymentDraws, faker: Faker): Given {
  const payment_type = type()
  const bill = drawnBill()
  const tip = Math.round(bill * drawOne(faker, TIPS))
  const last4 = drawDigits(faker)
  const { name, email, phone, bank_name } = drawOne(faker, regulars)
  const payment = { payment_type, amount: bill + tip, tip_amount: tip === 0 ? null : tip }
  if (payment_type === 'vip')
    return {
      ...payment,
      payment_method: { bank_account: { bank_name, last4 } },
      customer: { name, phone }
    }
  const payment_method = CARDS.includes(payment_type)
    ? { card: { brand: drawOne(faker, BRANDS), last4 } }
    : {}
  return {
    ...payment,
    payment_method,
    customer: payment_type === 'apple_pay' ? { name, email } : null
  }
}

/**
 * A Refund, whole or in part, of the share that was asked for; none later than the last payment.
 */
async function refund(
  paid: readonly Records['transactions'][],
  { refunded = 0, partly_refunded }: GenerateData,
  { store, ids, settings, faker, progress }: Generating
): Promise<void> {
  const end = Date.parse(paid.at(-1)?.created ?? '')
  const whole = Math.round(paid.length * refunded)
  const count = whole + Math.round(paid.length * (partly_refunded ?? 0))
  const drawn = faker.helpers.arrayElements([...paid.keys()], count)
  const parts = new Set(drawn.slice(whole))
  const chosen = drawn.sort((a, b) => a - b)
  for (const [index, place] of chosen.entries()) {
    const parent = paid[place] as Records['transactions']
    const created = isoOf(
      Math.min(end, Date.parse(parent.created) + drawWhole(faker, 60_000, 3 * DAY))
    )
    const isWhole = partly_refunded === undefined ? faker.datatype.boolean() : !parts.has(place)
    const most = partly_refunded === undefined ? parent.amount : Math.max(1, parent.amount - 1)
    const amount = isWhole ? parent.amount : drawWhole(faker, 1, most)
    const given = {
      id: ids.draw('refund', settings, store.refunds),
      created,
      transaction: parent.id,
      amount,
      reason: drawOne(faker, REASONS)
    }
    store.putRefund(completed('refunds', given, { settings, parent }) as Records['refunds'])
    reportProgress(progress, 'refunds', index, chosen.length)
    await pause()
  }
}
