/** How resources are written as JSON: by their closed schemas, which let nothing unknown out (A04, A09). */
import type { Family } from '../reference/operations.js'
import type { List, Schema } from '../reference/parameters.js'
import { RESOURCES } from '../reference/tables.js'

type Write = (value: never) => string

/** Text that is written in JSON as it is. */
const IS_PLAIN = /^[\w .:@+-]*$/

/** Writes a value by its schema: an object by the properties of the schema, in their order. */
function writerOf({ properties }: Schema): Write {
  if (properties === undefined) return (value: unknown) => (typeof value === 'string' && IS_PLAIN.test(value) ? `"${value}"` : JSON.stringify(value))
  const parts = Object.entries(properties).map(([name, part], place) => ({
    name,
    before: `${place === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    write: writerOf(part) as (value: unknown) => string
  }))
  return (value: Readonly<Record<string, unknown>> | null) => {
    if (value === null) return 'null'
    let text = ''
    for (const { name, before, write } of parts) text += before + write(value[name])
    return `${text}}`
  }
}

/** What is written after the fields of the schema: the fields that a fixture gave under `extra`. */
function endOf({ extra }: { extra?: Readonly<Record<string, unknown>> | undefined }): string {
  const text = extra === undefined ? '{}' : JSON.stringify(extra)
  return text === '{}' ? '}' : `,${text.slice(1)}`
}

/** Writes a record of a family; what is listed in it, as the Refunds of a Transaction, is written apart. */
function recordWriter({ properties = {} }: Schema): (record: object) => string {
  const isList = ({ properties: parts }: Schema) => parts?.object?.enum?.[0] === 'list'
  const write = writerOf({ properties: Object.fromEntries(Object.entries(properties).filter(([, part]) => !isList(part))) })
  return record => write(record as never).slice(0, -1)
}

const WRITERS = Object.fromEntries(Object.entries(RESOURCES).map(([family, schema]) => [family, recordWriter(schema)])) as Record<Family, (record: object) => string>

type Written = { readonly id: string; readonly extra?: Readonly<Record<string, unknown>> }
/** A list without its members. */
type ListFrame = Omit<List<unknown>, 'data' | 'object'>

/** The JSON of a record without lists in it. */
export const recordText = (family: Exclude<Family, 'transactions'>, record: Written): string => `${WRITERS[family](record)}${endOf(record)}`

const LIST_START = '{"object":"list","url":"'

/** The JSON of a Transaction in two pieces, with the address that the url of its Refunds lies under between them (TXN-8, A29). */
export function transactionText(record: Written, refunds: ListFrame, members: readonly string[]): readonly [string, string] {
  const [before, after] = listFrame(refunds)
  const head = `${WRITERS.transactions(record)},"refunds":${LIST_START}`
  return [head, `${before.slice(LIST_START.length)}${members.join(',')}${after}${endOf(record)}`]
}

/** What is written before and after the members of a list (LIST-1, A09). */
export function listFrame({ url, has_more, first_id, last_id }: ListFrame): readonly [string, string] {
  const ends = `"first_id":${JSON.stringify(first_id)},"last_id":${JSON.stringify(last_id)}`
  return [`${LIST_START}${JSON.stringify(url).slice(1)},"data":[`, `],"has_more":${has_more},${ends}}`]
}
