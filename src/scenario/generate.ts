/** Generated records: filled in by faker from the seed, consistent with each other and with the records that are there already. */
import type { Faker } from '@faker-js/faker'
import { type Ids, kindOf } from '../core/ids.js'
import { instantOf, isoOf } from '../core/instants.js'
import type { Settings } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import { PAYMENT_TYPES, type PaymentType } from '../reference/payment-methods.js'
import { EARLIEST, LATEST } from '../store/ordered-index.js'
import type { Store } from '../store/store.js'
import type { Report } from './documents.js'

/** What a scenario asks for: so many records of one family, and where and when they are. */
export type GenerateData = {
  accounts?: number
  users?: number
  locations?: number
  tickets?: number
  transactions?: number
  /** The Account of generated Users and Locations; the first merchant when left out. */
  account?: string
  /** The Location of generated Tickets and Transactions; the first when left out. */
  location?: string
  created?: { from: string; to: string }
  payment_types?: PaymentType[]
  /** The share of generated Transactions that get one Refund. */
  refunded?: number
}
export type Generating = { store: Store; ids: Ids; now: number; settings: Settings; faker: Faker; importer: Imported }
/** What is known of the records before: a record that was left out is not reported as missing. */
type Imported = { isMissing: (family: Family, id: string) => boolean; isComplete: (family: Family) => boolean }
type Given = Record<string, unknown>
/** Generated records, as a fixture document holds them. */
export type Generated = Partial<Record<Family, Given[]>>
export const GENERATED_FAMILIES = ['accounts', 'users', 'locations', 'tickets', 'transactions'] as const
const DAY = 86_400_000
/** A payment is of one of the Tickets opened last, so that bills are paid soon after they are opened. */
const OPEN_AT_ONCE = 20
const BRANDS = ['visa', 'mastercard', 'amex', 'discover'] as const
const SPOTS = ['Table', 'Bar', 'Patio', 'Booth', 'Counter'] as const
const TIPS = [0, 0.15, 0.18, 0.2, 0.22] as const
const REASONS = ['Wrong order', 'Cold food', 'Long wait', 'Charged twice', 'Item not available', null] as const

/** Faker, loaded when first needed. It is one for the whole process: whoever seeds it draws at once, without waiting in between. */
export async function loadFaker(): Promise<Faker> {
  const { faker } = await import('@faker-js/faker/locale/en')
  return faker
}

/** Checks what an entry says by itself: one family, and a range that is not reversed. */
export function checkGenerate(data: GenerateData, report: Report): boolean {
  const asked = GENERATED_FAMILIES.filter(family => data[family] !== undefined)
  if (asked.length !== 1)
    report([], `one of ${GENERATED_FAMILIES.join(', ')} with a count was expected${asked.length > 1 ? `, not ${asked.join(' and ')}` : ''}`)
  const { created } = data
  const isReversed = created !== undefined && (instantOf(created.from) as number) > (instantOf(created.to) as number)
  if (isReversed) report(['created'], `from ${created.from} is later than to ${created.to}`)
  return asked.length === 1 && !isReversed
}

/** The records of one checked generate entry; null with the problem reported where there is nothing that they could belong to. */
export function generated(data: GenerateData, generating: Generating, report: Report): Generated | null {
  const family = GENERATED_FAMILIES.find(name => data[name] !== undefined) as (typeof GENERATED_FAMILIES)[number]
  const parent = parentOf(family, data, generating, report)
  if (parent === null) return null
  return MAKERS[family](instantsOf(data, data[family] as number, generating), parent, data, generating, report)
}

/** Creation instants in ascending order: drawn from the range, or all now. */
function instantsOf({ created }: GenerateData, count: number, { now, faker }: Generating): number[] {
  if (created === undefined) return new Array(count).fill(now)
  const [min, max] = [instantOf(created.from) as number, instantOf(created.to) as number]
  return Array.from({ length: count }, () => faker.number.int({ min, max })).sort((a, b) => a - b)
}

/** The id of the record that generated ones belong to; null where there is none, reported unless one was left out. */
function parentOf(family: (typeof GENERATED_FAMILIES)[number], data: GenerateData, { store, importer }: Generating, report: Report): string | null {
  if (family === 'accounts') return ''
  const isPlaced = family === 'tickets' || family === 'transactions'
  const [field, parents, resource] = isPlaced ? (['location', 'locations', 'Location'] as const) : (['account', 'accounts', 'Account'] as const)
  const named = data[field]
  if (named !== undefined) {
    if (store[parents].get(named)) return named
    if (importer.isMissing(parents, named)) report([field], `no ${resource} has the id ${named}`)
    return null
  }
  const first = isPlaced ? store.locations.inCreationOrder()[0] : store.accounts.inCreationOrder().find(({ type }) => type === 'merchant')
  if (!first && importer.isComplete(parents)) report([], `there is no ${isPlaced ? 'Location' : 'merchant Account'} for the generated ${family}`)
  return first?.id ?? null
}

type Maker = (instants: readonly number[], parent: string, data: GenerateData, generating: Generating, report: Report) => Generated | null

/** A drawn id that neither a record nor an earlier generated one has. */
function drawing({ ids, settings, store }: Generating, family: Family): () => string {
  return () => ids.draw(kindOf(family, 'merchant'), settings, id => store[family].isTaken(id))
}

const MAKERS: Record<(typeof GENERATED_FAMILIES)[number], Maker> = {
  accounts: (instants, _parent, _data, generating) => {
    const { faker } = generating
    const draw = drawing(generating, 'accounts')
    return {
      accounts: instants.map(at => {
        const name = faker.company.name()
        return { id: draw(), type: 'merchant', name, email: faker.internet.exampleEmail(), address: { country: 'US', ...placeIn(faker) }, created: isoOf(at) }
      })
    }
  },

  users: (instants, account, _data, generating) => {
    const { faker } = generating
    const draw = drawing(generating, 'users')
    return {
      users: instants.map(at => {
        const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()]
        return { id: draw(), account, name: `${firstName} ${lastName}`, email: faker.internet.exampleEmail({ firstName, lastName }), created: isoOf(at) }
      })
    }
  },

  locations: (instants, account, _data, generating) => {
    const { faker } = generating
    const draw = drawing(generating, 'locations')
    return {
      locations: instants.map(at => ({
        id: draw(),
        account,
        display_name: `${faker.food.adjective().replace(/^./, letter => letter.toUpperCase())} ${faker.food.ingredient()}`,
        address: { country: 'US', ...placeIn(faker) },
        created: isoOf(at)
      }))
    }
  },

  tickets: (instants, location, _data, generating) => {
    const { faker, store } = generating
    const draw = drawing(generating, 'tickets')
    const before = store.tickets.size
    return {
      tickets: instants.map((at, index) => ({
        id: draw(),
        location,
        reference: `${faker.helpers.arrayElement(SPOTS)} ${faker.number.int({ min: 1, max: 40 })} #${String(before + index + 1).padStart(4, '0')}`,
        created: isoOf(at)
      }))
    }
  },

  transactions: (instants, location, data, generating, report) => {
    const { faker, store, importer } = generating
    const tickets = store.tickets.index('location').range(location, { after: EARLIEST, before: LATEST, descending: false, count: Number.POSITIVE_INFINITY })
    const [first] = tickets
    if (first === undefined || first.at > (instants.at(-1) ?? first.at)) {
      if (importer.isComplete('tickets'))
        report(['location'], `there is no Ticket at ${location} early enough to be paid; generate tickets before transactions`)
      return null
    }
    const paidAt = instants.map(at => Math.max(at, first.at))
    const draw = drawing(generating, 'transactions')
    let opened = 0
    const transactions = paidAt.map(at => {
      while ((tickets[opened]?.at ?? LATEST.at) <= at) opened++
      const { record } = tickets[faker.number.int({ min: Math.max(0, opened - OPEN_AT_ONCE), max: opened - 1 })] as (typeof tickets)[number]
      return payment(draw(), record.id, at, data.payment_types ?? PAYMENT_TYPES, faker)
    })
    return { transactions, refunds: refundsOf(transactions, paidAt, data, generating) }
  }
}

const placeIn = (faker: Faker) => ({ line1: faker.location.streetAddress(), city: faker.location.city(), postal_code: faker.location.zipCode('#####') })

function payment(id: string, ticket: string, at: number, types: readonly PaymentType[], faker: Faker): Given & { id: string; amount: number } {
  const payment_type = faker.helpers.arrayElement(types)
  const bill = faker.number.int({ min: 350, max: 12_000 })
  const tip = Math.round(bill * faker.helpers.arrayElement(TIPS))
  const last4 = faker.string.numeric(4)
  const firstName = faker.person.firstName()
  return {
    id,
    ticket,
    payment_type,
    amount: bill + tip,
    tip_amount: tip === 0 ? null : tip,
    payment_method: {
      card: ['card', 'apple_pay', 'google_pay', 'emv'].includes(payment_type) ? { brand: faker.helpers.arrayElement(BRANDS), last4 } : null,
      bank_account: payment_type === 'vip' ? { bank_name: `${faker.location.city()} Savings`, last4 } : null
    },
    customer: customerOf(payment_type, firstName, faker),
    created: isoOf(at)
  }
}

/** What a payment of the type needs of its customer (TXN-3, TXN-4). */
function customerOf(type: PaymentType, name: string, faker: Faker): Given | null {
  if (type === 'vip') return { name, phone: `+1617555${faker.string.numeric(4)}` }
  return type === 'apple_pay' ? { name, email: faker.internet.exampleEmail({ firstName: name }) } : null
}

/** One Refund, whole or in part, for the share of the payments that was asked for; never later than the range ends. */
function refundsOf(
  transactions: readonly { id: string; amount: number }[],
  instants: readonly number[],
  { refunded = 0 }: GenerateData,
  generating: Generating
): Given[] {
  const { faker } = generating
  const draw = drawing(generating, 'refunds')
  const end = instants.at(-1) ?? 0
  const chosen = faker.helpers.arrayElements([...transactions.keys()], Math.round(transactions.length * refunded)).sort((a, b) => a - b)
  return chosen.map(index => {
    const { id, amount } = transactions[index] as { id: string; amount: number }
    const at = Math.min(end, (instants[index] as number) + faker.number.int({ min: 60_000, max: 3 * DAY }))
    const part = faker.datatype.boolean() ? amount : faker.number.int({ min: 1, max: amount })
    return { id: draw(), transaction: id, amount: part, reason: faker.helpers.arrayElement(REASONS), created: isoOf(at) }
  })
}
