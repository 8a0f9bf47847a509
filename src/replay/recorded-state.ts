/** The records to begin with, and which of them matter. */
import { valueIn } from '../core/form.js'
import { maskedThroughout, withoutSecrets } from '../core/redaction.js'
import type { SecretWords } from '../core/secret-words.js'
import {
  type AnyRecord,
  hasReached,
  listShown,
  recordsShown,
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
import { type Json, STATE_WORDS } from '../scenario/schemas.js'
import type { Action } from '../scenario/script.js'
import { FAMILIES, type Store } from '../store/store.js'
import { pause } from '../work/slices.js'

export type Member = { family: Family; record: AnyRecord }

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
async function named(members: Iterable<Member>): Promise<Map<string, Member>> {
  const byName = new Map<string, Member>()
  for (const member of members) {
    byName.set(nameOf(member.family, member.record.id), member)
    await pause()
  }
  return byName
}
const linksOf = ({ record }: Member): string[] =>
  Object.entries(LINKED_FAMILIES).flatMap(([link, family]) =>
    record[link] == null ? [] : [nameOf(family, record[link])]
  )

function* membersIn(store: Store): Generator<Member> {
  for (const family of FAMILIES)
    for (const record of store[family].inCreationOrder())
      yield { family, record: record as AnyRecord }
}

/** Those before the first request, and later ones that no request made. */
export async function membersFor(
  requests: readonly Entry[],
  before: Store,
  after: Store
): Promise<{ members: Member[]; copied: ReadonlySet<string> }> {
  const [made, changed]: [Member[], Member[]] = [[], []]
  for (const call of requests.filter(tookEffect)) {
    const { family, kind } = operationOf(call.operation as OperationId)
    const isMade = kind === 'create'
    const list = isMade ? made : changed
    list.push({ family, record: (isMade ? call.outcome.shown : call.facts.found) as AnyRecord })
  }
  const [byRequest, there, copied] = [
    await named(made),
    await named(membersIn(before)),
    new Set<string>()
  ]
  const add = (name: string, member: Member) => {
    if (there.has(name)) return
    there.set(name, member)
    for (const link of linksOf(member)) {
      const linked = byRequest.get(link)
      if (linked === undefined) continue
      copied.add(linked.record.id)
      add(link, linked)
    }
  }
  const byScript = new Set(
    requests.flatMap(({ script }) =>
      (script?.changed ?? []).map(({ family, id }) => nameOf(family, id))
    )
  )
  // as they were before the first change
  const original = await named(changed.reverse())
  for (const [name, member] of await named(membersIn(after))) {
    if (!byRequest.has(name) && !byScript.has(name)) add(name, original.get(name) ?? member)
    await pause()
  }
  const members = FAMILIES.flatMap(family =>
    [...there.values()].filter(member => member.family === family)
  )
  return { members, copied }
}

function namedBy(action: Action | undefined): unknown[] {
  const { data = {}, delete: removed = [] } = action?.entry.data.change ?? {}
  const records = (Object.values(data) as AnyRecord[][]).flat()
  return [...removed, ...records.flatMap(record => ID_FIELDS.map(name => record[name]))]
}

/** What requests found and showed, with Refunds of a judged charge, and expectations name. */
export async function touchedBy(
  requests: readonly Entry[],
  members: readonly Member[],
  expected: readonly ExpectationData[]
): Promise<Member[]> {
  const texts = expected.flatMap(data => textsOf(data as Json, true))
  const [ids, charges] = [new Set<unknown>(texts), new Set<unknown>()]
  const states = expected.flatMap(data => ('state' in data ? Object.entries(data.state) : []))
  const families = new Set(
    states.flatMap(([family, of]) =>
      STATE_WORDS.some(word => word in of) ? [family as Family] : []
    )
  )
  for (const call of requests) {
    const { caller, params, query, settings, script } = call
    const { found, filteredBy, money, retrieved } = call.facts
    const shown = recordsShown(call)
    const own = hasReached(call, STAGE.running) ? Object.values(params) : []
    const asked = [
      caller.account,
      found?.id,
      filteredBy?.id,
      ...settings['pagination.cursors'].map(name => valueIn(query, name))
    ]
    for (const id of [...shown.map(({ id }) => id), ...asked, ...own, ...namedBy(script?.action)])
      ids.add(id)
    for (const { id } of shown.filter(({ object }) => object === 'transaction')) charges.add(id)
    charges.add((money ?? call.outcome.refusal?.facts)?.transaction)
    const list = listShown(call)
    if (list !== null && (list.has_more || retrieved > list.data.length))
      families.add(operationOf(call.operation as OperationId).family)
  }
  const byName = await named(members)
  const touched = new Set<Member>()
  const touch = (member: Member | undefined) => {
    if (member === undefined || touched.has(member)) return
    touched.add(member)
    for (const link of linksOf(member)) touch(byName.get(link))
  }
  for (const member of members) {
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
  return members.filter(member => touched.has(member))
}
