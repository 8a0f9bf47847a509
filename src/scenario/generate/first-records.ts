/** The records of a first state: those of fixtures, then generated ones, from the seed. */
import type { Faker } from '@faker-js/faker'
import { isoOf } from '../../core/instants.js'
import { LINKED_FAMILIES } from '../../reference/operations.js'
import type { Store } from '../../store/store.js'
import { inSlices } from '../../work/slices.js'
import { checkCount, type DocumentLimits, type Report, tooLarge, within } from '../documents.js'
import { editing } from '../records/edits.js'
import { recordsIn } from '../records/fixture.js'
import { missingRecord } from '../records/named-records.js'
import type { GenerationContext, RecordFields } from '../records/record.js'
import { say } from '../sentences.js'
import { entriesOf, instantIn, present } from '../shape/checked.js'
import { GENERATED_FAMILIES, type GenerateData } from '../shape/scenario.js'
import type { Used } from '../shape/sources.js'
import {
  byWeight,
  drawOne,
  drawWhole,
  fill,
  type Generating,
  generatePayments,
  isShared,
  perTicket,
  type Weights
} from './payments.js'

type GeneratedFamily = (typeof GENERATED_FAMILIES)[number]
const SPOTS = ['Table', 'Bar', 'Patio', 'Booth', 'Counter']
const LINKS = {
  accounts: 'account',
  users: 'account',
  locations: 'account',
  tickets: 'location',
  transactions: 'location'
} as const

/** Errors: `document_too_large`. */
export async function firstRecords(
  used: Used,
  generation: GenerationContext,
  limits: DocumentLimits
): Promise<void> {
  const { fixtures, problems, warnings, data } = used
  checkSize(used, limits)
  await inSlices(editing({ fixtures, removed: [] }, generation, problems, warnings))
  if (data.generate) await generateAll(used, generation)
}

async function generateAll(
  { data: { generate = [] }, problems, report }: Used,
  generation: GenerationContext
): Promise<void> {
  // generated records may belong to invalid ones
  const isKnown = problems.length === 0
  const generating = { ...generation, faker: await fakerOf(generation.settings.seed) }
  for (const [index, entry] of generate.entries()) {
    const note = within(report, 'generate', index)
    const family = checkedFamily(entry, note)
    if (!isKnown || family === undefined) continue
    const parents = parentsIn(entry, family, generation.store, note)
    if (problems.length === 0) await generateRecords(family, entry, parents, generating, note)
  }
}

/** Errors: `document_too_large`. */
function checkSize({ data, fixtures }: Used, limits: DocumentLimits): void {
  for (const [name, list] of Object.entries(data)) {
    if (!Array.isArray(list)) continue
    let count = list.length
    for (const { sequence = [], at_once = [] } of list) count += sequence.length + at_once.length
    if (count > limits['limits.entries'])
      throw tooLarge(
        'limits.entries',
        limits,
        `The document has ${count} items under ${name}${data.use ? ', those of use included' : ''}`
      )
  }
  const count = recordsIn(fixtures) + generatedBy(data.generate ?? []) + (data.steps?.length ?? 0)
  checkCount('The document adds', count, limits)
}

async function fakerOf(seed: number): Promise<Faker> {
  const { faker: shared } = await import('@faker-js/faker/locale/en')
  const faker = new (shared.constructor as typeof Faker)({ locale: shared.rawDefinitions })
  faker.seed(seed)
  return faker
}

const generatedBy = (entries: readonly GenerateData[]): number =>
  entries
    .flatMap(data => {
      const { transactions = 0, refunded = 0, partly_refunded = 0 } = data
      const refunds = [refunded, partly_refunded].map(share => Math.round(transactions * share))
      return [...GENERATED_FAMILIES.map(family => data[family] ?? 0), ...refunds]
    })
    .reduce((sum, count) => sum + count, 0)

function checkedFamily(data: GenerateData, note: Report): GeneratedFamily | undefined {
  const { transactions: payments = 0, payments_per_ticket: size } = data
  const families = GENERATED_FAMILIES.filter(family => data[family] !== undefined)
  if (!isShared(payments, perTicket(data)))
    note(['payments_per_ticket'], say('not_shared', payments, `${size}`))
  return families[0]
}

/** Those that the entry names, which must exist, else the first Location or merchant. */
function parentsIn(
  data: GenerateData,
  family: GeneratedFamily,
  store: Store,
  report: Report
): Weights {
  const link = LINKS[family]
  const named = data[link]
  if (named === undefined) {
    const [first] =
      link === 'location'
        ? store.locations.inCreationOrder()
        : store.accounts.inCreationOrder().filter(({ type }) => type === 'merchant')
    return first ? [[first.id, 1]] : []
  }
  const isOfName = typeof named === 'object'
  const parents: Weights = isOfName ? entriesOf(named) : [[named, 1]]
  const parentFamily = LINKED_FAMILIES[link]
  for (const [id] of parents)
    if (!store[parentFamily].get(id)) {
      const problem = missingRecord(id, [parentFamily], store)
      report(isOfName ? [link, id] : [link], { ...problem, isOfName })
    }
  return parents
}

async function generateRecords(
  family: GeneratedFamily,
  data: GenerateData,
  parents: Weights,
  generating: Generating,
  report: Report
): Promise<void> {
  const { faker, store, now } = generating
  if (parents.length === 0 && family !== 'accounts') {
    const what = LINKS[family] === 'location' ? 'Location' : 'merchant Account'
    return report([], say('missing_parent', what, family))
  }
  const { from, to } = data.created ?? {}
  const [min, max] = from && to ? [instantIn(from), instantIn(to)] : [now, now]
  const instants = new Float64Array(present(data[family]))
    .map(() => drawWhole(faker, min, max))
    .sort()
  if (family === 'transactions')
    return generatePayments(instants, parents, data, generating, report)
  const drawParent = byWeight(parents, faker)
  const draw = (instant: number): RecordFields => ({
    created: isoOf(instant),
    ...DRAWS[family](faker, drawParent, store[family].size + 1)
  })
  await fill(family, instants, draw, generating)
}

type Draw = (faker: Faker, parent: () => string, nth: number) => RecordFields
const DRAWS: Readonly<Record<Exclude<GeneratedFamily, 'transactions'>, Draw>> = {
  accounts: ({ company, internet, location }) => ({
    type: 'merchant',
    name: company.name(),
    email: internet.exampleEmail(),
    address: drawAddress(location)
  }),
  users: ({ person, internet }, account) => ({
    account: account(),
    name: person.fullName(),
    email: internet.exampleEmail()
  }),
  locations: ({ company, location }, account) => ({
    display_name: company.name(),
    account: account(),
    address: drawAddress(location)
  }),
  tickets: (faker, location, nth) => ({
    reference: `${drawOne(faker, SPOTS)} ${drawWhole(faker, 1, 40)} #${String(nth).padStart(4, '0')}`,
    location: location()
  })
}

const drawAddress = (location: Faker['location']): RecordFields => ({
  country: 'US',
  line1: location.streetAddress(),
  city: location.city(),
  postal_code: location.zipCode('#####')
})
