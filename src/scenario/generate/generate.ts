/** Generates records with faker from the seed, consistent with each other and with those there. */
import type { Faker } from '@faker-js/faker'
import { isoOf } from '../../core/instants.js'
import { didYouMean } from '../../core/nearest.js'
import { isObject } from '../../core/schema-words.js'
import type { Store } from '../../store/store.js'
import { type Report, within } from '../documents.js'
import type { GenerationContext, RecordFields } from '../records/fixture.js'
import { say } from '../sentences.js'
import { instantIn, present } from '../shape/checked.js'
import { GENERATED_FAMILIES, type GenerateData } from '../shape/scenario.js'
import type { Parts } from '../shape/sources.js'
import {
  drawOne,
  drawWhole,
  fakerOf,
  fill,
  type Generating,
  generatePayments,
  isShared,
  perTicket,
  type Weights,
  weightedNames
} from './payments.js'

type GeneratedFamily = (typeof GENERATED_FAMILIES)[number]
const SPOTS = ['Table', 'Bar', 'Patio', 'Booth', 'Counter'] as const

/** Only if there are no problems: generated records may belong to invalid ones. */
export async function generateAll(
  { data: { generate = [] }, problems, report, isOpen }: Parts,
  store: Store,
  generation: GenerationContext
): Promise<void> {
  const known = isOpen || problems.length > 0 ? null : store
  const entries = generate.map((data, index) => ({
    data,
    note: within(report, 'generate', index)
  }))
  for (const { data, note } of entries) checkGenerate(data, known, note)
  if (entries.length === 0 || problems.length > 0 || isOpen) return
  const faker = await fakerOf(generation.settings.seed)
  for (const { data, note } of entries) {
    await generateRecords(data, { ...generation, store, faker }, note)
    if (problems.length > 0) return
  }
}

function checkGenerate(data: GenerateData, store: Store | null, note: Report): void {
  const { transactions: payments = 0 } = data
  const families = GENERATED_FAMILIES.filter(family => data[family] !== undefined)
  for (const family of families) {
    const [field, parents, resource] = parentsFor(family)
    const parentIds = data[field] ?? []
    const isOfName = isObject(parentIds)
    for (const id of isOfName ? Object.keys(parentIds) : [parentIds].flat())
      if (store !== null && !store[parents].get(id))
        note(isOfName ? [field, id] : [field], {
          ...say('missing_record', resource, id, didYouMean(id, store[parents].someIds())),
          isOfName
        })
  }
  if (families.length !== 1) note([], say('not_exactly_one', GENERATED_FAMILIES, families))
  for (const name of ['refunded', 'partly_refunded', 'payments_per_ticket'] as const)
    if (data[name] !== undefined && data.transactions === undefined)
      note([name], say('needs', name, 'transactions'))
  if (!isShared(payments, perTicket(data)))
    note(['payments_per_ticket'], say('not_shared', payments, `${data.payments_per_ticket}`))
}

export const generatedBy = (entries: readonly GenerateData[]): number =>
  entries.reduce((sum, entry) => {
    const direct = GENERATED_FAMILIES.reduce((count, family) => count + (entry[family] ?? 0), 0)
    const { transactions = 0, refunded = 0, partly_refunded = 0 } = entry
    return (
      sum +
      direct +
      Math.round(transactions * refunded) +
      Math.round(transactions * partly_refunded)
    )
  }, 0)

async function generateRecords(
  data: GenerateData,
  generating: Generating,
  report: Report
): Promise<void> {
  const family = present(GENERATED_FAMILIES.find(name => data[name] !== undefined))
  const parents = parentsOf(family, data, generating, report)
  if (parents === null) return
  const instants = instantsOf(data, present(data[family]), generating)
  if (family === 'transactions')
    return generatePayments(instants, parents, data, generating, report)
  const { faker, store } = generating
  const parent = weightedNames(parents, faker)
  const draw = (index: number): RecordFields => ({
    created: isoOf(present(instants[index])),
    ...DRAWS[family](faker, parent, store[family].size + 1)
  })
  await fill(family, instants.length, draw, generating)
}

function instantsOf(
  { created }: GenerateData,
  count: number,
  { now, faker }: Generating
): Float64Array {
  const instants = new Float64Array(count).fill(now)
  if (created === undefined) return instants
  const min = instantIn(created.from)
  const max = instantIn(created.to)
  return instants.map(() => drawWhole(faker, min, max)).sort()
}

const parentsFor = (family: GeneratedFamily) =>
  family === 'tickets' || family === 'transactions'
    ? (['location', 'locations', 'Location'] as const)
    : (['account', 'accounts', 'Account'] as const)

/** Ids to belong to, with weights; null, with the problem reported, if there are none. */
function parentsOf(
  family: GeneratedFamily,
  data: GenerateData,
  { store }: Generating,
  report: Report
): Weights | null {
  if (family === 'accounts') return { '': 1 }
  const [field] = parentsFor(family)
  const parents = data[field]
  if (parents !== undefined) return typeof parents === 'string' ? { [parents]: 1 } : parents
  const first =
    field === 'location'
      ? store.locations.inCreationOrder()[0]
      : store.accounts.inCreationOrder().find(({ type }) => type === 'merchant')
  const what = field === 'location' ? 'Location' : 'merchant Account'
  if (!first) report([], say('missing_parent', what, family))
  return first ? { [first.id]: 1 } : null
}

const DRAWS: Readonly<
  Record<
    Exclude<GeneratedFamily, 'transactions'>,
    (faker: Faker, parent: () => string, nth: number) => RecordFields
  >
> = {
  accounts: faker => ({
    type: 'merchant',
    name: faker.company.name(),
    email: faker.internet.exampleEmail(),
    address: drawAddress(faker)
  }),
  users: (faker, account) => {
    const firstName = faker.person.firstName()
    const lastName = faker.person.lastName()
    return {
      account: account(),
      name: `${firstName} ${lastName}`,
      email: faker.internet.exampleEmail({ firstName, lastName })
    }
  },
  locations: (faker, account) => ({
    display_name: `${faker.food.adjective().replace(/^./, letter => letter.toUpperCase())} ${faker.food.ingredient()}`,
    account: account(),
    address: drawAddress(faker)
  }),
  tickets: (faker, location, nth) => ({
    reference: `${drawOne(faker, SPOTS)} ${drawWhole(faker, 1, 40)} #${String(nth).padStart(4, '0')}`,
    location: location()
  })
}

function drawAddress({ location }: Faker): RecordFields {
  return {
    country: 'US',
    line1: location.streetAddress(),
    city: location.city(),
    postal_code: location.zipCode('#####')
  }
}
