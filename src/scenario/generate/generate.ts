/** Generates records with faker from the seed, consistent with each other and with those there. */
import type { Faker } from '@faker-js/faker'
import { isoOf } from '../../core/instants.js'
import { didYouMean } from '../../core/nearest.js'
import { isObject } from '../../core/quick-check.js'
import { LINKED_FAMILIES, RESOURCE_NAMES } from '../../reference/operations.js'
import type { Store } from '../../store/store.js'
import { type Report, within } from '../documents.js'
import type { GenerationContext, RecordFields } from '../records/fixture.js'
import { say } from '../sentences.js'
import { entriesOf, instantIn, present } from '../shape/checked.js'
import { GENERATED_FAMILIES, type GenerateData } from '../shape/scenario.js'
import type { Parts } from '../shape/sources.js'
import {
  byWeight,
  drawOne,
  drawWhole,
  fakerOf,
  fill,
  type Generating,
  type Weights
} from './draws.js'
import { generatePayments, isShared, perTicket } from './payments.js'

type GeneratedFamily = (typeof GENERATED_FAMILIES)[number]
const SPOTS = ['Table', 'Bar', 'Patio', 'Booth', 'Counter'] as const

/** Only if there are no problems: generated records may belong to invalid ones. */
export async function generateAll(
  { data: { generate = [] }, problems, report, isOpen }: Parts,
  store: Store,
  generation: GenerationContext
): Promise<void> {
  const known = isOpen || problems.length > 0 ? null : store
  for (const [index, data] of generate.entries())
    checkGenerate(data, known, within(report, 'generate', index))
  if (generate.length === 0 || isOpen) return
  const generating = { ...generation, store, faker: await fakerOf(generation.settings.seed) }
  for (const [index, data] of generate.entries())
    if (problems.length === 0)
      await generateRecords(data, generating, within(report, 'generate', index))
}

const familiesIn = (data: GenerateData) =>
  GENERATED_FAMILIES.filter(family => data[family] !== undefined)
const parentOf = (family: GeneratedFamily) =>
  family === 'tickets' || family === 'transactions' ? 'location' : 'account'
function parentsIn(data: GenerateData, family: GeneratedFamily): Weights {
  const parents = data[parentOf(family)] ?? {}
  return isObject(parents) ? entriesOf(parents) : [[parents, 1]]
}

function checkGenerate(data: GenerateData, store: Store | null, note: Report): void {
  const { transactions: payments = 0 } = data
  const families = familiesIn(data)
  if (store !== null) for (const family of families) checkParents(data, family, store, note)
  if (families.length !== 1) note([], say('not_exactly_one', GENERATED_FAMILIES, families))
  for (const name of ['refunded', 'partly_refunded', 'payments_per_ticket'] as const)
    if (data[name] !== undefined && data.transactions === undefined)
      note([name], say('needs', name, 'transactions'))
  if (!isShared(payments, perTicket(data)))
    note(['payments_per_ticket'], say('not_shared', payments, `${data.payments_per_ticket}`))
}

function checkParents(data: GenerateData, family: GeneratedFamily, store: Store, note: Report) {
  const field = parentOf(family)
  const isOfName = isObject(data[field])
  const { [LINKED_FAMILIES[field]]: parents } = store
  for (const [id] of parentsIn(data, family)) {
    if (parents.get(id)) continue
    const resource = RESOURCE_NAMES[LINKED_FAMILIES[field]]
    const problem = say('missing_record', resource, id, didYouMean(id, parents.someIds()))
    note(isOfName ? [field, id] : [field], { ...problem, isOfName })
  }
}

export const generatedBy = (entries: readonly GenerateData[]): number =>
  entries
    .flatMap(data => {
      const { transactions = 0, refunded = 0, partly_refunded = 0 } = data
      const refunds = [refunded, partly_refunded].map(share => Math.round(transactions * share))
      return [...GENERATED_FAMILIES.map(family => data[family] ?? 0), ...refunds]
    })
    .reduce((sum, count) => sum + count, 0)

async function generateRecords(
  data: GenerateData,
  generating: Generating,
  report: Report
): Promise<void> {
  const { faker, store, now } = generating
  const family = present(familiesIn(data)[0])
  const parents = parentsOf(family, data, store)
  if (parents.length === 0) {
    const what = parentOf(family) === 'location' ? 'Location' : 'merchant Account'
    return report([], say('missing_parent', what, family))
  }
  const { from, to } = data.created ?? {}
  const [min, max] = from && to ? [instantIn(from), instantIn(to)] : [now, now]
  const instants = new Float64Array(data[family] ?? 0).map(() => drawWhole(faker, min, max)).sort()
  if (family === 'transactions')
    return generatePayments(instants, parents, data, generating, report)
  const drawParent = byWeight(parents, faker)
  const draw = (instant: number): RecordFields => ({
    created: isoOf(instant),
    ...DRAWS[family](faker, drawParent, store[family].size + 1)
  })
  await fill(family, instants, draw, generating)
}

/** Those that the entry names, else the first Location or merchant. */
function parentsOf(family: GeneratedFamily, data: GenerateData, store: Store): Weights {
  if (family === 'accounts') return [['', 1]]
  const parents = parentsIn(data, family)
  if (parents.length > 0) return parents
  const [first] =
    parentOf(family) === 'location'
      ? store.locations.inCreationOrder()
      : store.accounts.inCreationOrder().filter(({ type }) => type === 'merchant')
  return first ? [[first.id, 1]] : []
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

const drawAddress = ({ location }: Faker): RecordFields => ({
  country: 'US',
  line1: location.streetAddress(),
  city: location.city(),
  postal_code: location.zipCode('#####')
})
