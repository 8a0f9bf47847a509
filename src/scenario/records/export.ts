/** The state as a fixture to be edited and loaded again, without what is derived. */
import { isDeepStrictEqual } from 'node:util'
import { isoOf } from '../../core/instants.js'
import {
  nested,
  SETTING_KEYS,
  SETTINGS,
  type Settings,
  settingsInForce
} from '../../core/settings.js'
import type { Family } from '../../reference/operations.js'
import type { Schema } from '../../reference/parameters.js'
import { each, isObject } from '../../reference/rules.js'
import { RESOURCES } from '../../reference/tables.js'
import { FAMILIES, type Store } from '../../store/store.js'
import { lazily } from '../../work/json-pieces.js'
import { present } from '../shape/checked.js'

/** In order of creation, without what can be left out because it is null or empty. */
export function exported(store: Store): Record<string, Iterable<object>> {
  const families = each(FAMILIES, family =>
    lazily<object, object>(store[family].inCreationOrder(), record =>
      exportedRecord(family, record)
    )
  )
  const deleted = store.users
    .tombstones()
    .map(({ id, owners: [account], at, after }) => ({ id, account, created: isoOf(at), after }))
  return {
    api_keys: keysIn(store),
    ...families,
    ...(deleted.length > 0 && { deleted_users: deleted })
  }
}

/** Seed and settings that differ from the default, as in a scenario. */
export function setupOf(settings: Settings): Record<string, unknown> {
  const defaults = settingsInForce({}).values
  const keys = SETTING_KEYS.filter(
    key => SETTINGS[key].scope === 'sandbox' && !isDeepStrictEqual(settings[key], defaults[key])
  )
  const { seed, ...others } = Object.fromEntries(keys.map(key => [key, settings[key]]))
  return {
    ...(seed !== undefined && { seed }),
    ...(Object.keys(others).length > 0 && { settings: nested(others) })
  }
}

export const keysIn = ({ keys }: Store): { key: string; account: string }[] =>
  [...keys].map(([key, account]) => ({ key, account }))

export const exportedRecord = (family: Family, record: object): Record<string, unknown> =>
  exportedPart(RESOURCES[family], record)

function exportedPart(schema: Schema, record: object): Record<string, unknown> {
  const values = record as Record<string, unknown>
  const part: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(present(schema.properties))) {
    const value = values[name]
    if (inner['x-derived'] || value === undefined) continue
    if (inner.properties && isObject(value)) part[name] = exportedPart(inner, value)
    else if (inner['x-needed'] || !isEmpty(value)) part[name] = value
  }
  if (values.extra !== undefined) part.extra = values.extra
  return part
}

const isEmpty = (value: unknown) =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0)
