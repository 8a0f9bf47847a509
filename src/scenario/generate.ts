/** Generated records: filled in by faker from the seed, consistent with each other and with the records that are there already. */
import type { Faker } from '@faker-js/faker'
import { type Ids, kindOf } from '../core/ids.js'
import { instantOf, isoOf } from '../core/instants.js'
import type { Settings } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import { type Address, addressOf } from '../reference/parameters.js'
import { PAYMENT_TYPES, type PaymentType } from '../reference/payment-methods.js'
import { pageOf } from '../store/paging.js'
import { collectionOf, type RecordOf, type Records, type Store } from '../store/store.js'
import type { Report } from './documents.js'
import { type Progress, reportProgress } from './progress.js'
import { GENERATED_FAMILIES, type GenerateData } from './schemas.js'
import { say } from './sentences.js'

export { GENERATED_FAMILIES, type GenerateData } from './schemas.js'
export type Generating = { store: Store; ids: Ids; now: number; settings: Settings; faker: Faker; importer: Imported; progress?: Progress | undefined }
/** What is known of the records before: a record that was left out is not reported as missing. */
type Imported = { isMissing: (family: Family, id: string) => boolean; isComplete: (family: Family) => boolean }
const DAY = 86_400_000
/** A payment is of one of the Tickets opened last, so that bills are paid soon after they are opened. */
const OPEN_AT_ONCE = 20
/** How many customers pay again and again. */
const REGULARS = 50
const CARDS: readonly PaymentType[] = ['card', 'apple_pay', 'google_pay', 'emv']
const BRANDS = ['visa', 'mastercard', 'amex', 'discover'] as const
const SPOTS = ['Table', 'Bar', 'Patio', 'Booth', 'Counter'] as const
const TIPS = [0, 0.15, 0.18, 0.2, 0.22] as const
const REASONS = ['Wrong order', 'Cold food', 'Long wait', 'Charged twice', 'Item not available', null] as const

/** Faker, loaded when first needed. The whole process shares one: code that seeds it has to draw from it without awaiting anything in between. */
export async function loadFaker(): Promise<Faker> {
  const { faker } = await import('@faker-js/faker/locale/en')
  return faker
}

/** Checks what an entry says by itself: one family, and a range that is not reversed. */
export function checkGenerate(data: GenerateData, report: Report): boolean {
  const asked = GENERATED_FAMILIES.filter(family => data[family] !== undefined)
  if (asked.length !== 1) report([], say('not_exactly_one', GENERATED_FAMILIES, asked))
  const { created } = data
  const isReversed = created !== undefined && (instantOf(created.from) as number) > (instantOf(created.to) as number)
  if (isReversed) report(['created'], say('reversed', `from ${created.from}`, `to ${created.to}`))
  return asked.length === 1 && !isReversed
}

/** How many records generate entries make, the Refunds of their Transactions included. */
export const generatedBy = (entries: readonly GenerateData[]): number =>
  entries.reduce((sum, entry) => {
    const own = GENERATED_FAMILIES.reduce((count, family) => count + (entry[family] ?? 0), 0)
    return sum + own + Math.round((entry.transactions ?? 0) * (entry.refunded ?? 0))
  }, 0)

/** Puts the records of one checked generate entry into the store; returns false, with the problem reported, where there is nothing that they could belong to. */
export function generate(data: GenerateData, generating: Generating, report: Report): boolean {
  const family = GENERATED_FAMILIES.find(name => data[name] !== undefined) as (typeof GENERATED_FAMILIES)[number]
  const parent = parentOf(family, data, generating, report)
  if (parent === null) return false
  const instants = instantsOf(data, data[family] as number, generating)
  if (family === 'transactions') return generatePayments(instants, parent, data, generating, report)
  fill(family, instants, generating, (MAKERS[family] as Maker<typeof family>)(generating, parent))
  return true
}

/** A whole number of a range, drawn as `faker.number.int` draws it, which takes four times as long. */
const drawWhole = ({ number }: Faker, min: number, max: number): number => (min === max ? min : Math.floor(number.float() * (max - min + 1) + min))
/** A member of a list, drawn as `faker.helpers.arrayElement` draws it. */
const drawOne = <T>(faker: Faker, list: readonly T[]): T => list[drawWhole(faker, 0, list.length - 1)] as T
/** Four digits, the same text for all records that have the same. */
function drawDigits(faker: Faker): string {
  const number = drawWhole(faker, 0, 9999)
  DIGITS[number] ??= String(number).padStart(4, '0')
  return DIGITS[number]
}
const DIGITS: string[] = []

/** Creation instants in ascending order: drawn from the range, or all now. */
function instantsOf({ created }: GenerateData, count: number, { now, faker }: Generating): Float64Array {
  const instants = new Float64Array(count).fill(now)
  if (created === undefined) return instants
  const [min, max] = [instantOf(created.from) as number, instantOf(created.to) as number]
  return instants.map(() => drawWhole(faker, min, max)).sort()
}

/** The id of the record that generated ones belong to; null where there is none, reported unless one was left out. */
function parentOf(family: (typeof GENERATED_FAMILIES)[number], data: GenerateData, { store, importer }: Generating, report: Report): string | null {
  if (family === 'accounts') return ''
  const isPlaced = family === 'tickets' || family === 'transactions'
  const [field, parents, resource] = isPlaced ? (['location', 'locations', 'Location'] as const) : (['account', 'accounts', 'Account'] as const)
  const named = data[field]
  if (named !== undefined) {
    if (store[parents].get(named)) return named
    if (importer.isMissing(parents, named)) report([field], say('missing_record', resource, named, ''))
    return null
  }
  const first = isPlaced ? store.locations.inCreationOrder()[0] : store.accounts.inCreationOrder().find(({ type }) => type === 'merchant')
  if (!first && importer.isComplete(parents)) report([], say('missing_parent', isPlaced ? 'Location' : 'merchant Account', family))
  return first?.id ?? null
}

/** Makes the record of a family with an id that it draws in its turn, the index of the record and the instant of its creation. */
type Make<F extends Family> = (drawId: () => string, at: number, index: number) => RecordOf<F>
type Maker<F extends Family> = (generating: Generating, parent: string) => Make<F>

/** Puts a record into the store for each instant. */
function fill<F extends Exclude<Family, 'refunds'>>(family: F, instants: Float64Array, { store, ids, settings, progress }: Generating, make: Make<F>): void {
  const collection = collectionOf(store, family)
  for (const [index, at] of instants.entries()) {
    collection.insert(make(() => ids.draw(kindOf(family, 'merchant'), settings, collection), at, index))
    reportProgress(progress, family, index, instants.length)
  }
}

const MAKERS: { readonly [F in Exclude<(typeof GENERATED_FAMILIES)[number], 'transactions'>]: Maker<F> } = {
  accounts:
    ({ faker }) =>
    (drawId, at) => {
      const name = faker.company.name()
      const [id, email] = [drawId(), faker.internet.exampleEmail()]
      const address = addressIn(faker)
      return { id, object: 'account', created: isoOf(at), type: 'merchant', name, email, address, phone: null, reseller: null, metadata: {} }
    },
  users:
    ({ faker }, account) =>
    (drawId, at) => {
      const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()]
      const [id, email] = [drawId(), faker.internet.exampleEmail({ firstName, lastName })]
      return { id, object: 'user', created: isoOf(at), account, name: `${firstName} ${lastName}`, email }
    },
  locations:
    ({ faker }, account) =>
    (drawId, at) => {
      const id = drawId()
      const display_name = `${faker.food.adjective().replace(/^./, letter => letter.toUpperCase())} ${faker.food.ingredient()}`
      return { id, object: 'location', created: isoOf(at), account, display_name, address: addressIn(faker), phone: null, website: null, metadata: {} }
    },
  tickets: ({ faker, store }, location) => {
    const before = store.tickets.size
    return (drawId, at, index) => {
      const id = drawId()
      const reference = `${drawOne(faker, SPOTS)} ${drawWhole(faker, 1, 40)} #${String(before + index + 1).padStart(4, '0')}`
      return { id, object: 'ticket', created: isoOf(at), location, reference }
    }
  }
}

/** Puts payments of the Tickets at a Location into the store, and Refunds of some; returns false, with the problem reported, where none can be paid. */
function generatePayments(instants: Float64Array, location: string, data: GenerateData, generating: Generating, report: Report): boolean {
  const { faker, store, importer } = generating
  const tickets = pageOf(store.tickets, { index: 'location', group: location, limit: Number.POSITIVE_INFINITY, order: 'oldest_first' }).stored
  const [first] = tickets
  if (first === undefined || first.at > (instants.at(-1) ?? first.at)) {
    if (importer.isComplete('tickets')) report(['location'], say('no_early_ticket', location))
    return false
  }
  const types = data.payment_types ?? PAYMENT_TYPES
  const currency = generating.settings['transactions.default_currency']
  const regulars = regularsOf(faker)
  const paid: Records['transactions'][] = []
  let opened = 0
  const pay: Make<'transactions'> = (drawId, at) => {
    while ((tickets[opened]?.at ?? Number.POSITIVE_INFINITY) <= at) opened++
    const { record } = tickets[drawWhole(faker, Math.max(0, opened - OPEN_AT_ONCE), opened - 1)] as (typeof tickets)[number]
    const payment = paymentOf({ id: drawId(), ticket: record.id, location, currency }, at, types, regulars, faker)
    paid.push(payment)
    return payment
  }
  const notBefore = instants.map(at => Math.max(at, first.at))
  fill('transactions', notBefore, generating, pay)
  refund(paid, data, generating)
  return true
}

function addressIn({ location }: Faker): Address {
  return addressOf({ country: 'US', line1: location.streetAddress(), city: location.city(), postal_code: location.zipCode('#####') })
}

/** A customer who pays again and again. LoadContext one up takes longer than all else of a payment. */
type Regular = { name: string; email: string; phone: string; bank: string }

function regularsOf(faker: Faker): Regular[] {
  return Array.from({ length: REGULARS }, () => {
    const name = faker.person.firstName()
    const email = faker.internet.exampleEmail({ firstName: name })
    return { name, email, phone: `+1617555${drawDigits(faker)}`, bank: `${faker.location.city()} Savings` }
  })
}

type Payment = Pick<Records['transactions'], 'id' | 'ticket' | 'location' | 'currency'>

function paymentOf(payment: Payment, at: number, types: readonly PaymentType[], regulars: readonly Regular[], faker: Faker): Records['transactions'] {
  const { id, ticket, location, currency } = payment
  const payment_type = drawOne(faker, types)
  const bill = drawWhole(faker, 350, 12_000)
  const tip = Math.round(bill * drawOne(faker, TIPS))
  const last4 = drawDigits(faker)
  const regular = drawOne(faker, regulars)
  return {
    id,
    object: 'transaction',
    created: isoOf(at),
    ticket,
    location,
    payment_type,
    payment_method: {
      type: payment_type,
      card: CARDS.includes(payment_type) ? { brand: drawOne(faker, BRANDS), last4 } : null,
      bank_account: payment_type === 'vip' ? { bank_name: regular.bank, last4 } : null
    },
    currency,
    amount: bill + tip,
    tip_amount: tip === 0 ? null : tip,
    donation_amount: null,
    adjustment_number: null,
    amounts: null,
    customer: customerOf(payment_type, regular),
    amount_refunded: 0
  }
}

/** What a payment of the type needs of its customer (TXN-3, TXN-4). */
function customerOf(type: PaymentType, { name, email, phone }: Regular): Records['transactions']['customer'] {
  if (type === 'vip') return { name, email: null, phone }
  return type === 'apple_pay' ? { name, email, phone: null } : null
}

/** One Refund, whole or in part, for the share of the payments that was asked for; never later than the last of them. */
function refund(paid: readonly Records['transactions'][], { refunded = 0 }: GenerateData, { store, ids, settings, faker, progress }: Generating): void {
  const end = Date.parse(paid.at(-1)?.created ?? '')
  const chosen = faker.helpers.arrayElements([...paid.keys()], Math.round(paid.length * refunded)).sort((a, b) => a - b)
  for (const [index, place] of chosen.entries()) {
    const { id: transaction, created, amount, currency, payment_method } = paid[place] as Records['transactions']
    const at = Math.min(end, Date.parse(created) + drawWhole(faker, 60_000, 3 * DAY))
    const part = faker.datatype.boolean() ? amount : drawWhole(faker, 1, amount)
    const id = ids.draw('refund', settings, store.refunds)
    const reason = drawOne(faker, REASONS)
    store.putRefund({ id, object: 'refund', created: isoOf(at), transaction, amount: part, currency, reason, payment_method, metadata: {} })
    reportProgress(progress, 'refunds', index, chosen.length)
  }
}
