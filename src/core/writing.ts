/** How resources are written as JSON (A04, A09). Records hold what their resource tables name, in that order, and nothing else but `extra`, so they are written as they are. */
import type { List } from '../reference/parameters.js'

/** What a fixture gave beyond the table follows the rest in an answer. */
type Written = { readonly id: string; readonly extra?: Readonly<Record<string, unknown>> }
/** A list without its members. */
type ListFrame = Omit<List<unknown>, 'data' | 'object'>

/** The JSON of a record's own fields, without the brace that ends it, and of those beyond the table, with it. */
function fieldsOf(record: Written): readonly [own: string, rest: string] {
  if (record.extra === undefined) return [JSON.stringify(record).slice(0, -1), '}']
  const { extra, ...own } = record
  const text = JSON.stringify(extra)
  return [JSON.stringify(own).slice(0, -1), text === '{}' ? '}' : `,${text.slice(1)}`]
}

/** The JSON of a record. */
export function recordText(record: Written): string {
  const [own, rest] = fieldsOf(record)
  return own + rest
}

const LIST_START = '{"object":"list","url":"'

/** The JSON of a Transaction in two pieces, with the address that the url of its Refunds lies under between them (TXN-8, A29). */
export function transactionText(record: Written, refunds: ListFrame, members: readonly string[]): readonly [string, string] {
  const [own, rest] = fieldsOf(record)
  const [before, after] = listFrame(refunds)
  return [`${own},"refunds":${LIST_START}`, before.slice(LIST_START.length) + members.join(',') + after + rest]
}

/** What is written before and after the members of a list (LIST-1, A09). */
export function listFrame({ url, has_more, first_id, last_id }: ListFrame): readonly [string, string] {
  const ends = `"first_id":${JSON.stringify(first_id)},"last_id":${JSON.stringify(last_id)}`
  return [`${LIST_START}${JSON.stringify(url).slice(1)},"data":[`, `],"has_more":${has_more},${ends}}`]
}
