/** Completes records by the table of their family: missing fields are null (A04). */
import { FORMATS } from '../core/formats.js'
import { settled } from '../core/money.js'
import type { Settings } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import type { Format, Schema } from '../reference/parameters.js'
import { each } from '../reference/rules.js'
import { RESOURCES } from '../reference/tables.js'
import { FAMILIES, type RecordOf } from '../store/store.js'

type Fields = Readonly<Record<string, unknown>>
type Completer = (value: unknown) => unknown

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
    return value => Object.assign(Object.create(null), value)
  const complete =
    properties === undefined ? FORMATS[format as Format]?.stored : partsCompleter(schema)
  if (complete === undefined) return value => value ?? null
  return value =>
    value == null && (properties === undefined || type?.includes('null'))
      ? null
      : complete((value ?? {}) as Fields & string)
}

function partsCompleter({ properties = {} }: Schema): (fields: Fields) => Record<string, unknown> {
  const stored = Object.entries(properties).filter(
    ([, schema]) => !schema['x-derived'] || schema.enum
  )
  const completers = stored.map(([name, schema]) => [name, completerOf(schema)] as const)
  // copies of one object have its shape
  const blank = Object.fromEntries(stored.map(([name]) => [name, null]))
  return fields => {
    const whole: Record<string, unknown> = { ...blank }
    for (const [name, complete] of completers) whole[name] = complete(fields[name])
    return whole
  }
}

const COMPLETERS = each(FAMILIES, family => partsCompleter(RESOURCES[family]))

export function completed<F extends Family>(
  family: F,
  fields: Fields,
  { settings, parent }: { settings: Settings; parent: RecordOf<Family> | undefined }
): RecordOf<F> {
  const record = COMPLETERS[family](fields)
  if (parent?.object === 'ticket') {
    const { payment_type: type, payment_method } = record
    const { location } = parent
    // kept as they were sent (A24): in that order, and without those that were not
    const amounts = fields.amounts
      ? Object.fromEntries(Object.entries(fields.amounts).filter(([, amount]) => amount !== null))
      : null
    Object.assign(record, settled(fields, settings), {
      location,
      payment_method: Object.assign({}, payment_method, { type }),
      amounts,
      amount_refunded: 0
    })
  }
  if (parent?.object === 'transaction') {
    // a Refund carries its Transaction's currency and payment method (A28)
    const { currency, payment_method } = parent
    Object.assign(record, { currency, payment_method })
  }
  if (fields.extra !== undefined) record.extra = fields.extra
  return record as RecordOf<F>
}
