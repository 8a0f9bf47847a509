/** The records to begin with, and which of them matter. */
import { valueIn } from '../core/form.js'
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
import type { Json } from '../scenario/shape/parts.js'
import { FAMILIES, type Store } from '../store/store.js'
import { pause } from '../work/slices.js'

export type Member = { family: Family; record: AnyRecord }
/** By family and id. */
type Members = Map<string, Member>

const ID_FIELDS: readonly string[] = ['id', ...Object.keys(LINKED_FAMILIES)]

/** A record as in a fixture, with card numbers and keys in texts masked; ids and sums stay. */
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
      members.set(nameOf(family, record.id), { family, record: record as AnyRecord })
      await pause()
    }
  return members
}

/** What requests made, and what else they changed, as it was before its first change. */
function changedBy(requests: readonly Entry[]): { made: Members; changed: Members } {
  const [made, changed]: [Members, Members] = [new Map(), new Map()]
  for (const call of requests.filter(tookEffect)) {
    const { family, kind } = operationOf(call.operation as OperationId)
    const isMade = kind === 'create'
    const record = (isMade ? call.outcome.result : call.facts.record) as AnyRecord
    const [members, name] = [isMade ? made : changed, nameOf(family, record.id)]
    if (!members.has(name)) members.set(name, { family, record })
  }
  return { made, changed }
}

/** Those before the first request, and later ones that no request made, with what they refer to. */
export async function membersFor(
  requests: readonly Entry[],
  before: Store,
  after: Store
): Promise<{ members: Members; copied: ReadonlySet<string> }> {
  const { made, changed } = changedBy(requests)
  const [all, copied] = [await membersIn(before), new Set<string>()]
  const add = (name: string, member: Member) => {
    if (all.has(name)) return
    all.set(name, member)
    for (const link of linksOf(member)) {
      const linked = made.get(link)
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
    if (!made.has(name) && !byScript.has(name)) add(name, changed.get(name) ?? member)
    await pause()
  }
  const placeOf = ({ family }: Member) => FAMILIES.indexOf(family)
  const sorted = [...all].sort(([, one], [, other]) => placeOf(one) - placeOf(other))
  return { members: new Map(sorted), copied }
}

/** What requests found and showed, with Refunds of a judged charge, and expectations name. */
export async function touchedBy(
  requests: readonly Entry[],
  members: Members,
  expected: readonly ExpectationData[]
): Promise<Member[]> {
  const ids = new Set(expected.flatMap(data => textsOf(data as Json, true)) as unknown[])
  for (const call of requests) for (const id of idsOf(call)) ids.add(id)
  const charges = new Set(requests.flatMap(chargesOf))
  const families = new Set([...expected.flatMap(familiesJudged), ...requests.flatMap(familiesCut)])
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
    ...(Object.values(data) as AnyRecord[][])
      .flat()
      .flatMap(record => ID_FIELDS.map(name => record[name]))
  ]
}

const chargesOf = (call: Entry): unknown[] => [
  (call.facts.money ?? call.outcome.refusal?.facts)?.transaction,
  ...recordsIn(call).flatMap(({ object, id }) => (object === 'transaction' ? [id] : []))
]

const familiesJudged = (data: ExpectationData): Family[] =>
  Object.entries('state' in data ? data.state : {}).flatMap(([family, of]) =>
    STATE_WORDS.some(word => word in of) ? [family as Family] : []
  )

/** The family of a list that left records out. */
function familiesCut(call: Entry): Family[] {
  const list = listIn(call)
  return list !== null && (list.has_more || call.facts.retrieved > list.data.length)
    ? [operationOf(call.operation as OperationId).family]
    : []
}
