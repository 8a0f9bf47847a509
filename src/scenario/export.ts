/** The state as a fixture document: what is derived is left out, so that it can be saved, edited and loaded again. */
import type { Schema } from '../reference/parameters.js'
import { FAMILIES, type Store } from '../store/store.js'
import { RESOURCES } from './schemas.js'

/** Every record in the order of creation, under the names that a fixture uses; what is null or empty is left out where a fixture may leave it out. */
export function exported(store: Store): Record<string, unknown[]> {
  const document: Record<string, unknown[]> = { api_keys: [...store.keys].map(([key, account]) => ({ key, account })) }
  for (const family of FAMILIES) {
    document[family] = store[family].inCreationOrder().map(record => exportedPart(RESOURCES[family], record))
  }
  return document
}

function exportedPart(schema: Schema, record: object): Record<string, unknown> {
  const values = record as Record<string, unknown>
  const part: Record<string, unknown> = {}
  for (const [name, { properties, 'x-derived': derived, 'x-needed': needed, ...rest }] of Object.entries(schema.properties as Record<string, Schema>)) {
    const value = values[name]
    if (derived || value === undefined) continue
    if (properties && value !== null) part[name] = exportedPart({ properties, ...rest }, value as object)
    else if (needed || !isEmpty(value)) part[name] = value
  }
  if (values.extra !== undefined) part.extra = values.extra
  return part
}

const isEmpty = (value: unknown) => value === null || (typeof value === 'object' && Object.keys(value as object).length === 0)
