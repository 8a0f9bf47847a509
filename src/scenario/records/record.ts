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
  const record = Object.assign(COMPLETERS[family](fields) as RecordOf<F>, {
    id,
    created: created == null ? isoOf(now) : storedInstant(String(created))
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

type Completer = (value: unknown) => unknown

function completerOf(schema: Schema): Completer {
  const { type, additionalProperties, properties, format, enum: words } = schema
  if (schema['x-derived']) return () => words?.[0]
  if (typeof additionalProperties === 'object')
    return value => Object.assign(Object.create(null), value)
  if (properties === undefined) {
    const stored = FORMATS[format as Format]?.stored ?? (() => null)
    return value => (value == null ? null : (stored(String(value)) ?? value))
  }
  const parts = Object.entries(properties)
    .filter(([, part]) => !part['x-derived'] || part.enum)
    .map(([name, part]) => [name, completerOf(part)] as const)
  return value => {
    if (value == null && type?.includes('null')) return null
    const whole: Record<string, unknown> = {}
    for (const [name, complete] of parts) whole[name] = complete(fieldIn(value, name))
    return whole
  }
}

const COMPLETERS = each(FAMILIES, family => completerOf(RESOURCES[family]))
const IS_STORED_INSTANT = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** Keeps the text if it already has the form of stored instants (A05). */
const storedInstant = (text: string): string =>
  IS_STORED_INSTANT.test(text) ? text : isoOf(instantIn(text))

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
