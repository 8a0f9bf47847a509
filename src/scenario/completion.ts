/**
 * Completes records by the table of their family: what is left out is null, an address has its six
 * parts, metadata is an object (A04). All have one shape, in the order of the table.
 */
import { FORMATS } from '../core/formats.js'
import { settled } from '../core/money.js'
import type { Settings } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import type { Format, Schema } from '../reference/parameters.js'
import { RESOURCES } from '../reference/tables.js'
import { FAMILIES, type RecordOf, type Records } from '../store/store.js'

type Given = Readonly<Record<string, unknown>>
type Completer = (given: unknown) => unknown

function completerOf(schema: Schema): Completer {
  const {
    type,
    additionalProperties,
    properties,
    format,
    enum: words,
    'x-derived': isConstant
  } = schema
  if (isConstant) return () => words?.[0]
  if (typeof additionalProperties === 'object')
    return given => Object.assign(Object.create(null), given)
  const complete =
    properties === undefined ? FORMATS[format as Format]?.stored : partsCompleter(schema)
  if (complete === undefined) return given => given ?? null
  return given =>
    given == null && (properties === undefined || type?.includes('null'))
      ? null
      : complete((given ?? {}) as Given & string)
}

function partsCompleter({ properties = {} }: Schema): (given: Given) => Record<string, unknown> {
  const stored = Object.entries(properties).filter(
    ([, schema]) => !schema['x-derived'] || schema.enum
  )
  const parts = Object.fromEntries(stored.map(([name, schema]) => [name, completerOf(schema)]))
  // copies of one object have its shape
  const blank = Object.fromEntries(stored.map(([name]) => [name, null]))
  return given => {
    const whole: Record<string, unknown> = { ...blank }
    for (const name in parts) whole[name] = (parts[name] as Completer)(given[name])
    return whole
  }
}

const COMPLETERS = Object.fromEntries(
  FAMILIES.map(family => [family, partsCompleter(RESOURCES[family])])
)

/** As it is stored; `parent` is the record that it refers to. */
export function completed(
  family: Family,
  given: Given,
  { settings, parent }: { settings: Settings; parent: RecordOf<Family> | undefined }
): RecordOf<Family> {
  const record = (COMPLETERS[family] as Completer)(given) as Record<string, unknown>
  if (family === 'transactions') {
    const { payment_type: type, payment_method } = record
    const { location } = parent as Records['tickets']
    // kept as they were sent (A24): in that order, and without those that were not
    const amounts = given.amounts
      ? Object.fromEntries(Object.entries(given.amounts).filter(([, amount]) => amount !== null))
      : null
    Object.assign(record, settled(given, settings), {
      location,
      payment_method: { ...(payment_method as object), type },
      amounts,
      amount_refunded: 0
    })
  }
  if (family === 'refunds') {
    // a Refund carries its Transaction's currency and payment method (A28)
    const { currency, payment_method } = parent as Records['transactions']
    Object.assign(record, { currency, payment_method })
  }
  if (given.extra !== undefined) record.extra = given.extra
  return record as unknown as RecordOf<Family>
}
