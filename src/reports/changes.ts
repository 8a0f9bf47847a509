/** The records that a request changed, for people: each field before and after, money as money. */
import { isMoney, moneyText } from '../core/money.js'
import { isObject } from '../core/quick-check.js'
import type { AnyRecord } from '../engine/exchange.js'
import type { RecordChange } from '../replay/past.js'
import { SAYS } from './sentences.js'

/** What every record of a family has, or its line names already. */
const KNOWN: readonly string[] = ['id', 'object']

/** A line for each record that is different, and one for each of its fields that are. */
export const changeLines = (changes: readonly RecordChange<AnyRecord>[]): string[] =>
  changes.flatMap(({ family, id, before, after }) => {
    if (after === null) return [SAYS.deleted(family, id)]
    const [was, is] = [new Map(before && fieldsIn(before)), new Map(fieldsIn(after))]
    const names = [...new Set([...was.keys(), ...is.keys()])].filter(
      name => was.get(name) !== is.get(name)
    )
    if (before === null)
      return [
        SAYS.created(family, id),
        ...names.map(name => `  ${SAYS.field(name, is.get(name) as string)}`)
      ]
    return names.length === 0
      ? []
      : [
          SAYS.changed(family, id),
          ...names.map(name => `  ${SAYS.field_changed(name, was.get(name), is.get(name))}`)
        ]
  })

/** The fields of a record that have a value, each with its text, by their paths. */
function* fieldsIn(
  record: AnyRecord,
  values: object = record,
  under = ''
): Generator<[path: string, text: string]> {
  for (const [name, value] of Object.entries(values)) {
    const path = `${under}${name}`
    if (value === null || KNOWN.includes(path)) continue
    if (isObject(value)) yield* fieldsIn(record, value, `${path}.`)
    else
      yield [
        path,
        isMoney(path) && typeof value === 'number'
          ? moneyText(value, record.currency as string)
          : JSON.stringify(value)
      ]
  }
}
