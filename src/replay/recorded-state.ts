/** The records that a recorded scenario begins with. */
import { valueIn } from '../core/form.js'
import { partAt } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { maskedThroughout, withoutSecrets } from '../core/redaction.js'
import type { SecretWords } from '../core/secret-words.js'
import {
  type AnyRecord,
  hasReached,
  listIn,
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
import { STATE_WORDS } from '../scenario/shape/expectation.js'
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

/** Changed records are as before their first change. */
function changedBy(requests: readonly Entry[]): { created: Members; changed: Members } {
  const created: Members = new Map()
  const changed: Members = new Map()
  for (const call of requests.filter(tookEffect)) {
    const { family, kind } = operationOf(call.operation as OperationId)
    const isCreating = kind === 'create'
    const record = (isCreating ? call.outcome.result : call.facts.record) as AnyRecord
    const members = isCreating ? created : changed
    const name = nameOf(family, record.id)
    if (!members.has(name)) members.set(name, { family, record })
  }
  return { created, changed }
}

/** Records before the first request, and later ones that no request created. */
export async function membersFor(
  requests: readonly Entry[],
  before: Store,
  after: Store
): Promise<{ members: Members; copied: ReadonlySet<string> }> {
  const { created, changed } = changedBy(requests)
  const all = await membersIn(before)
  const copied = new Set<string>()
  const add = (name: string, member: Member) => {
    if (all.has(name)) return
    all.set(name, member)
    for (const link of linksOf(member)) {
      const linked = created.get(link)
      if (linked === undefined) continue
      copied.add(linked.record.id)
      add(link, linked)
    }
  }
  const byScript = new Set(
    requests
      .flatMap(({ script }) => script?.changed ?? [])
      .map(({ family, id }) => nameOf(family, id))
  )
  for (const [name, member] of await membersIn(after)) {
    if (!created.has(name) && !byScript.has(name)) add(name, changed.get(name) ?? member)
    await pause()
  }
  const placeOf = ({ family }: Member) => FAMILIES.indexOf(family)
  const sorted = [...all].sort(([, a], [, b]) => placeOf(a) - placeOf(b))
  return { members: new Map(sorted), copied }
}

/** Records that requests found or showed, or that expectations name. */
export async function touchedBy(
  requests: readonly Entry[],
  members: Members,
  expected: readonly ExpectationData[]
): Promise<Member[]> {
  const ids = new Set<unknown>(expected.flatMap(data => textsOf(data, true)))
  for (const call of requests) for (const id of idsOf(call)) ids.add(id)
  const charges = new Set(requests.flatMap(chargesOf))
  const families = new Set([...expected.flatMap(familiesCounted), ...requests.flatMap(familiesCut)])
  const touched = new Set<Member>()
  const touch = (member: Member | undefined) => {
    if (member === undefined || touched.has(member)) return
    touched.add(member)
    for (const link of linksOf(member)) touch(members.get(link))
  }
  for (const member of members.values()) {
    const { family, record } = member
    if (
      families.has(family) ||
      ids.has(record.id) ||
      ids.has(withoutSecrets(record.id)) ||
      (family === 'refunds' && charges.has(record.transaction))
    )
      touch(member)
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

const familiesCounted = (data: ExpectationData): Family[] =>
  FAMILIES.filter(family => {
    const expected = partAt(data, ['state', family])
    return isObject(expected) && STATE_WORDS.some(word => word in expected)
  })

function familiesCut(call: Entry): Family[] {
  const list = listIn(call)
  return list !== null && (list.has_more || call.facts.retrieved > list.data.length)
    ? [operationOf(call.operation as OperationId).family]
    : []
}
