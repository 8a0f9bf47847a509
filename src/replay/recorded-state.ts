/** The records that a recorded scenario begins with. */
import { valueIn } from '../core/form.js'
import { maskedThroughout, type SecretWords } from '../core/redaction.js'
import { type AnyRecord, hasReached, listIn, recordsIn, STAGE } from '../engine/outcome.js'
import type { Entry } from '../evidence/entry.js'
import {
  type Family,
  LINKED_FAMILIES,
  type OperationId,
  operationOf
} from '../reference/operations.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { ExpectationData } from '../scenario/expect/expectations.js'
import { textsOf } from '../scenario/play/references.js'
import { exportedRecord } from '../scenario/records/record.js'
import { FAMILIES } from '../store/store.js'
import { pause } from '../work/slices.js'

type Wanted = { expected: readonly ExpectationData[]; words: SecretWords; isPart: boolean }
type Member = { family: Family; record: AnyRecord }
/** By family and id. */
type Members = Map<string, Member>

export const keyOf = (account: string) => `sk_test_${account}`

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

/** The ids of records that requests created, or that the script changed. */
const idsMade = (calls: readonly Entry[]): ReadonlySet<string> =>
  new Set(
    calls.flatMap(call => {
      const isCreate = call.operation !== null && operationOf(call.operation).kind === 'create'
      return [...(isCreate ? recordsIn(call) : []), ...(call.script?.changed ?? [])].map(
        ({ id }) => id
      )
    })
  )

/** Records before the first request, and later ones that no request created. */
async function membersAround(
  calls: readonly Entry[],
  { inputs, store: present }: Sandbox,
  isPart: boolean
): Promise<Members> {
  const first = calls.reduce((least, { place }) => Math.min(least, place), inputs.place)
  const last = calls.reduce((most, { place }) => Math.max(most, place), first)
  const [{ store: before }, { store: after }] = await Promise.all([
    inputs.stateAt(first),
    isPart ? inputs.stateAt(last) : { store: present.clone() }
  ])
  const members: Members = new Map()
  const created = idsMade(calls)
  for (const store of [before, after])
    for (const family of FAMILIES)
      for (const record of store[family].inCreationOrder()) {
        const member = { family, record }
        const name = nameOf(family, record.id)
        const isAdded = !created.has(record.id) && linksOf(member).every(link => members.has(link))
        if (!members.has(name) && (store === before || isAdded)) members.set(name, member)
        await pause()
      }
  return members
}

/**
 * Records that requests found or showed, or expectations name, what they link to, and a key of each
 * Account. `isPart`: there are other requests in the journal.
 */
export async function recordsFor(
  calls: readonly Entry[],
  sandbox: Sandbox,
  { expected, words, isPart }: Wanted
): Promise<Record<string, object[]>> {
  const members = await membersAround(calls, sandbox, isPart)
  const ids = new Set([...expected.flatMap(data => textsOf(data, true)), ...calls.flatMap(idsOf)])
  const charges = new Set(calls.flatMap(chargesOf))
  const families = new Set<string>([
    ...expected.flatMap(data => ('state' in data ? Object.keys(data.state) : [])),
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
  const keys = [...new Set(calls.map(({ caller }) => caller.account))].flatMap(account =>
    account !== null && members.has(nameOf('accounts', account))
      ? { key: keyOf(account), account }
      : []
  )
  const data: Record<string, object[]> = keys.length > 0 ? { api_keys: keys } : {}
  for (const member of members.values()) {
    const { family, record } = member
    if (!touched.has(member)) continue
    data[family] ??= []
    data[family].push(maskedRecord(exportedRecord(family, record), words))
    await pause()
  }
  return data
}

const idsOf = ({ caller, params, query, settings, script, facts, outcome }: Entry): unknown[] => [
  ...recordsIn({ outcome }).map(({ id }) => id),
  caller.account,
  facts.record?.id,
  facts.filteredBy?.id,
  ...settings['pagination.cursors'].map(name => valueIn(query, name)),
  ...(hasReached({ outcome }, STAGE.running) ? Object.values(params) : []),
  ...textsOf(script?.action.entry.data.change)
]

const chargesOf = (call: Entry): unknown[] => [
  (call.facts.money ?? call.outcome.refusal?.facts)?.transaction,
  ...recordsIn(call).flatMap(({ object, id }) => (object === 'transaction' ? [id] : []))
]

function familiesCut(call: Entry): Family[] {
  const list = listIn(call)
  return list !== null && (list.has_more || call.facts.retrieved > list.data.length)
    ? [operationOf(call.operation as OperationId).family]
    : []
}
