/** How resources are written: through closed schemas that let nothing unknown out (A04, A09). */
import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import type { OperationId } from '../reference/operations.js'
import { type List, type Schema, schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'

type Write = (value: never) => string

/** Writes a resource by its closed schema, then the fields that a fixture gave under `extra`; a list member by member. */
export function writerOf(schema: Schema): Write {
  const { object, data, ...properties } = schema.properties as Record<string, Schema>
  if (object?.enum?.[0] === 'list') return listWriter(writerOf(data?.items as Schema))

  const lists = Object.entries(properties).filter(([, part]) => part.properties?.object?.enum?.[0] === 'list')
  const closed = fastJson({
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties as object).filter(([name]) => lists.every(([list]) => list !== name))),
    required: schema.required?.filter(name => lists.every(([list]) => list !== name))
  } as object)
  const writers = lists.map(([name, list]) => ({ name, write: writerOf(list) }))
  return (record: Record<string, unknown>) => {
    let text = closed(record).slice(0, -1)
    for (const { name, write } of writers) text += `,${JSON.stringify(name)}:${write(record[name] as never)}`
    const extra = record.extra === undefined ? '{}' : JSON.stringify(record.extra)
    return extra === '{}' ? `${text}}` : `${text},${extra.slice(1)}`
  }
}

function listWriter(write: Write): Write {
  return ({ url, data, has_more, first_id, last_id }: List<unknown>) => {
    const members = data.map(record => write(record as never)).join(',')
    const ends = `"first_id":${JSON.stringify(first_id)},"last_id":${JSON.stringify(last_id)}`
    return `{"object":"list","url":${JSON.stringify(url)},"data":[${members}],"has_more":${has_more},${ends}}`
  }
}

const WRITERS = new Map<OperationId, Write>()

/** Writes the answer of an operation that has one, as the operation itself does. */
export function answerWriter(operation: OperationId): Write {
  let write = WRITERS.get(operation)
  if (!write) {
    write = writerOf(schemaOf((TABLES[operation] as Tables).answer as TSchema))
    WRITERS.set(operation, write)
  }
  return write
}
