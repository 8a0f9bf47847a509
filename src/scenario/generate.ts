/** Generated records: filled in by faker from the seed, consistent with each other and with the records that are there already. */
import type { Faker } from '@faker-js/faker'
import { type Ids, kindOf } from '../core/ids.js'
import { instantOf, isoOf } from '../core/instants.js'
import type { Settings } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import { PAYMENT_TYPES, type PaymentType } from '../reference/payment-methods.js'
import { pageOf } from '../store/paging.js'
import { collectionOf, type RecordOf, type Records, type Store } from '../store/store.js'
import { completed } from './completion.js'
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
/** Customers who pay again and again: making one up takes longer than all else of a payment. */
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
  fill(family, instants, generating, DRAWS[family](generating, parent))
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

/** Draws what is given of a record, which is completed as that of a fixture is. */
type Draw = (index: number, at: number) => Given
type Given = Readonly<Record<string, unknown>>

/** Puts a record into the store for each instant, and returns them. */
function fill<F extends Exclude<Family, 'refunds'>>(family: F, instants: Float64Array, generating: Generating, draw: Draw): Records[F][] {
  const { store, ids, settings, progress } = generating
  const collection = collectionOf(store, family)
  const made: Records[F][] = []
  for (const [index, at] of instants.entries()) {
    const id = ids.draw(kindOf(family, 'merchant'), settings, collection)
    const given = draw(index, at)
    const parent = store.tickets.get(given.ticket as string)
    const record = completed(family, { id, created: isoOf(at), ...given }, { settings, parent }) as RecordOf<F>
    collection.insert(record)
    made.push(record as Records[F])
    reportProgress(progress, family, index, instants.length)
  }
  return made
}

const DRAWS: Readonly<Record<Exclude<(typeof GENERATED_FAMILIES)[number], 'transactions'>, (generating: Generating, parent: string) => Draw>> = {
  accounts:
    ({ faker }) =>
    () => ({ type: 'merchant', name: faker.company.name(), email: faker.internet.exampleEmail(), address: drawAddress(faker) }),
  users:
    ({ faker }, account) =>
    () => {
      const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()]
      return { account, name: `${firstName} ${lastName}`, email: faker.internet.exampleEmail({ firstName, lastName }) }
    },
  locations:
    ({ faker }, account) =>
    () => {
      const display_name = `${faker.food.adjective().replace(/^./, letter => letter.toUpperCase())} ${faker.food.ingredient()}`
      return { account, display_name, address: drawAddress(faker) }
    },
  tickets: ({ faker, store }, location) => {
    const before = store.tickets.size
    return index => {
      const reference = `${drawOne(faker, SPOTS)} ${drawWhole(faker, 1, 40)} #${String(before + index + 1).padStart(4, '0')}`
      return { location, reference }
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
  const regulars = regularsOf(faker)
  let opened = 0
  const draw: Draw = (_, at) => {
    while ((tickets[opened]?.at ?? Number.POSITIVE_INFINITY) <= at) opened++
    const { record } = tickets[drawWhole(faker, Math.max(0, opened - OPEN_AT_ONCE), opened - 1)] as (typeof tickets)[number]
    return { ticket: record.id, ...drawPayment(types, regulars, faker) }
  }
  const notBefore = instants.map(at => Math.max(at, first.at))
  refund(fill('transactions', notBefore, generating, draw), data, generating)
  return true
}

function drawAddress({ location }: Faker): Given {
  return { country: 'US', line1: location.streetAddress(), city: location.city(), postal_code: location.zipCode('#####') }
}

type Regular = { name: string; email: string; phone: string; bank_name: string }

const regularsOf = (faker: Faker): Regular[] =>
  Array.from({ length: REGULARS }, () => {
    const name = faker.person.firstName()
    const email = faker.internet.exampleEmail({ firstName: name })
    return { name, email, phone: `+1617555${drawDigits(faker)}`, bank_name: `${faker.location.city()} Savings` }
  })

/** A payment with what its type needs of the customer (TXN-3, TXN-4). */
function drawPayment(types: readonly PaymentType[], regulars: readonly Regular[], faker: Faker): Given {
  const payment_type = drawOne(faker, types)
  const bill = drawWhole(faker, 350, 12_000)
  const tip = Math.round(bill * drawOne(faker, TIPS))
  const last4 = drawDigits(faker)
  const { name, email, phone, bank_name } = drawOne(faker, regulars)
  const payment = { payment_type, amount: bill + tip, tip_amount: tip === 0 ? null : tip }
  if (payment_type === 'vip') return { ...payment, payment_method: { bank_account: { bank_name, last4 } }, customer: { name, phone } }
  const payment_method = CARDS.includes(payment_type) ? { card: { brand: drawOne(faker, BRANDS), last4 } } : {}
  return { ...payment, payment_method, customer: payment_type === 'apple_pay' ? { name, email } : null }
}

/** One Refund, whole or in part, for the share of the payments that was asked for; never later than the last of them. */
function refund(paid: readonly Records['transactions'][], { refunded = 0 }: GenerateData, { store, ids, settings, faker, progress }: Generating): void {
  const end = Date.parse(paid.at(-1)?.created ?? '')
  const chosen = faker.helpers.arrayElements([...paid.keys()], Math.round(paid.length * refunded)).sort((a, b) => a - b)
  for (const [index, place] of chosen.entries()) {
    const parent = paid[place] as Records['transactions']
    const created = isoOf(Math.min(end, Date.parse(parent.created) + drawWhole(faker, 60_000, 3 * DAY)))
    const amount = faker.datatype.boolean() ? parent.amount : drawWhole(faker, 1, parent.amount)
    const given = { id: ids.draw('refund', settings, store.refunds), created, transaction: parent.id, amount, reason: drawOne(faker, REASONS) }
    store.putRefund(completed('refunds', given, { settings, parent }) as Records['refunds'])
    reportProgress(progress, 'refunds', index, chosen.length)
  }
}
