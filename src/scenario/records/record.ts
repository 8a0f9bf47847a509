/** Records as they are stored, from fixtures (A04), and as fixtures, without what is derived. */
import { isDeepStrictEqual } from 'node:util'
import { FORMATS } from '../../core/formats.js'
import { type Ids, kindOf } from '../../core/ids.js'
import { isoOf } from '../../core/instants.js'
import { settled } from '../../core/money.js'
import {
  nested,
  SETTING_KEYS,
  SETTINGS,
  type Settings,
  settingsInForce
} from '../../core/settings.js'
import type { AccountType } from '../../reference/accounts.js'
import { type Family, LINKED_FAMILIES } from '../../reference/operations.js'
import type { Format, Schema } from '../../reference/parameters.js'
import { each, isObject } from '../../reference/rules.js'
import { RESOURCES } from '../../reference/tables.js'
import { FAMILIES, type RecordOf, type Store } from '../../store/store.js'
import { lazily } from '../../work/json-pieces.js'
import { fieldIn } from '../match/fields.js'
import { instantIn, present } from '../shape/checked.js'

export type RecordFields = Readonly<Record<string, unknown>>
export type GenerationContext = {
  store: Store
  ids: Ids
  now: number
  settings: Settings
  /** Records may refer to others that are elsewhere. */
  isOpen?: boolean
}

export const OWNERS = {
  accounts: null,
  users: 'account',
  locations: 'account',
  tickets: 'location',
  transactions: 'ticket',
  refunds: 'transaction'
} as const satisfies Readonly<Record<Family, keyof typeof LINKED_FAMILIES | null>>

/** Without an id it gets one that is drawn; without a time it is created now. */
export function recordOf<F extends Family>(
  family: F,
  fields: RecordFields,
  { store, ids, now, settings }: GenerationContext
): RecordOf<F> {
  const { type, created, extra } = fields
  const id = fields.id ?? ids.draw(kindOf(family, type as AccountType), settings, store[family])
  const record = Object.assign(completed(RESOURCES[family], fields) as RecordOf<F>, {
    id,
    created: isoOf(created == null ? now : instantIn(String(created)))
  })
  const link = OWNERS[family]
  const owner = link ? store[LINKED_FAMILIES[link]].get(String(fields[link])) : undefined
  if (owner?.object === 'ticket') {
    const { amount_refunded = 0 } = store.transactions.get(record.id) ?? {}
    Object.assign(record, paid(fields, settings), { location: owner.location, amount_refunded })
    Object.assign(present(fieldIn<object>(record, 'payment_method')), { type: fields.payment_type })
  }
  if (owner?.object === 'transaction') {
    // a Refund has its Transaction's currency and payment method (A28)
    const { currency, payment_method } = owner
    Object.assign(record, { currency, payment_method })
  }
  return extra === undefined ? record : Object.assign(record, { extra })
}

function paid(fields: RecordFields, settings: Settings): object {
  const { amounts } = fields
  // kept as they were sent (A24): in that order, and without those that were not
  const sent = amounts ? Object.entries(amounts).filter(([, amount]) => amount !== null) : null
  return { ...settled(fields, settings), amounts: sent && Object.fromEntries(sent) }
}

function completed(schema: Schema, value: unknown): unknown {
  const { type, additionalProperties, properties, format, enum: words } = schema
  if (schema['x-derived']) return words?.[0]
  if (typeof additionalProperties === 'object') return Object.assign(Object.create(null), value)
  if (value == null && (properties === undefined || type?.includes('null'))) return null
  if (properties === undefined) return FORMATS[format as Format]?.stored?.(String(value)) ?? value
  const whole: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(properties))
    if (!part['x-derived'] || part.enum) whole[name] = completed(part, fieldIn(value, name))
  return whole
}

/** In order of creation, without what can be left out because it is null or empty. */
export const exported = (store: Store): Record<string, Iterable<object>> => ({
  api_keys: keysIn(store),
  ...each(FAMILIES, family =>
    lazily<object, object>(store[family].inCreationOrder(), record =>
      exportedRecord(family, record)
    )
  )
})

export const keysIn = ({ keys }: Store): { key: string; account: string }[] =>
  [...keys].map(([key, account]) => ({ key, account }))

export const exportedRecord = (family: Family, record: object): Record<string, unknown> =>
  exportedPart(RESOURCES[family], record)

function exportedPart(schema: Schema, record: object): Record<string, unknown> {
  const part: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(present(schema.properties))) {
    const value = fieldIn<unknown>(record, name)
    if (inner['x-derived'] || value === undefined) continue
    if (inner.properties && isObject(value)) part[name] = exportedPart(inner, value)
    else if (inner['x-needed'] || !isEmpty(value)) part[name] = value
  }
  const extra = fieldIn<unknown>(record, 'extra')
  return extra === undefined ? part : { ...part, extra }
}

const isEmpty = (value: unknown) =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0)

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
