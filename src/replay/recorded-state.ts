/** The records that a recorded scenario begins with. */
import { valueIn } from '../core/form.js'
import { partAt } from '../core/places.js'
import { maskedThroughout, type SecretWords } from '../core/redaction.js'
import {
  type AnyRecord,
  hasReached,
  listIn,
  recordsChanged,
  recordsIn,
  STAGE,
  tookEffect
} from '../engine/outcome.js'
import type { Entry } from '../evidence/entry.js'
import {
  type Family,
  LINKED_FAMILIES,
  type OperationId,
  operationOf
} from '../reference/operations.js'
import type { ExpectationData } from '../scenario/expect/expectations.js'
import { textsOf } from '../scenario/play/references.js'
import { FAMILIES, type Store } from '../store/store.js'
import { pause } from '../work/slices.js'

export type Member = { family: Family; record: AnyRecord }
/** By family and id. */
type Members = Map<string, Member>

const ID_FIELDS: readonly string[] = ['id', ...Object.keys(LINKED_FAMILIES)]

/** Masks card numbers and keys in texts; ids and amounts stay. */
export const maskedRecord = (record: object, words: SecretWords): Record<string, unknown> => ({
  ...maskedThroughout(record, words),
  ...Object.fromEntries(
    Object.entries(record).filter(
      ([name, value]) => typeof value === 'number' || name === 'amounts' || ID_FIELDS.includes(name)
    )
  )
})

const nameOf = (family: Family, id: unknown) => `${family} ${id}`
const linksOf = ({ record }: Member): string[] =>
  Object.entries(LINKED_FAMILIES).flatMap(([link, family]) =>
    record[link] == null ? [] : [nameOf(family, record[link])]
  )

async function membersIn(store: Store): Promise<Members> {
  const members: Members = new Map()
  for (const family of FAMILIES)
    for (const record of store[family].inCreationOrder()) {
      members.set(nameOf(family, record.id), { family, record })
      await pause()
    }
  return members
}

/** The names of records that requests created, or that the script changed. */
function namesMade(calls: readonly Entry[]): ReadonlySet<string> {
  const records = calls.flatMap(call => [
    ...(isCreate(call) && tookEffect(call) ? recordsChanged(call) : []),
    ...(call.script?.changed ?? [])
  ])
  return new Set(records.map(({ family, id }) => nameOf(family, id)))
}

const isCreate = ({ operation }: Entry) =>
  operation !== null && operationOf(operation).kind === 'create'

/** Records before the first request, and later ones that no request created. */
export async function membersFor(
  calls: readonly Entry[],
  before: Store,
  after: Store
): Promise<Members> {
  const members = await membersIn(before)
  const created = namesMade(calls)
  for (const [name, member] of await membersIn(after)) {
    const isLinked = linksOf(member).every(link => members.has(link))
    if (isLinked && !members.has(name) && !created.has(name)) members.set(name, member)
    await pause()
  }
  return members
}

/** Records that requests found or showed, or expectations name, and what they link to. */
export async function touchedBy(
  calls: readonly Entry[],
  members: Members,
  expected: readonly ExpectationData[]
): Promise<Member[]> {
  const ids = new Set([...expected.flatMap(data => textsOf(data, true)), ...calls.flatMap(idsOf)])
  const charges = new Set(calls.flatMap(chargesOf))
  const families = new Set<string>([
    ...expected.flatMap(familiesCounted),
    ...calls.flatMap(familiesCut)
  ])
  const touched = new Set<Member>()
  const touch = (member: Member | undefined) => {
    if (member === undefined || touched.has(member)) return
    touched.add(member)
    for (const link of linksOf(member)) touch(members.get(link))
  }
  for (const member of members.values()) {
    const { family, record } = member
    const isOfCharge = family === 'refunds' && charges.has(record.transaction)
    if (families.has(family) || ids.has(record.id) || isOfCharge) touch(member)
    await pause()
  }
  return [...members.values()].filter(member => touched.has(member))
}

function idsOf({ caller, params, query, settings, script, facts, outcome }: Entry): unknown[] {
  const { data = {}, delete: removed = [] } = script?.action.entry.data.change ?? {}
  return [
    ...recordsIn({ outcome }).map(({ id }) => id),
    caller.account,
    facts.record?.id,
    facts.filteredBy?.id,
    ...settings['pagination.cursors'].map(name => valueIn(query, name)),
    ...(hasReached({ outcome }, STAGE.running) ? Object.values(params) : []),
    ...removed,
    ...Object.values(data)
      .flat()
      .flatMap(record => ID_FIELDS.map(name => partAt(record, [name])))
  ]
}

const chargesOf = (call: Entry): unknown[] => [
  (call.facts.money ?? call.outcome.refusal?.facts)?.transaction,
  ...recordsIn(call).flatMap(({ object, id }) => (object === 'transaction' ? [id] : []))
]

/** Those in an expectation of the state. */
const familiesCounted = (data: ExpectationData): string[] =>
  'state' in data ? Object.keys(data.state) : []

function familiesCut(call: Entry): Family[] {
  const list = listIn(call)
  return list !== null && (list.has_more || call.facts.retrieved > list.data.length)
    ? [operationOf(call.operation as OperationId).family]
    : []
}
