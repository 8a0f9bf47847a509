/** What differs between the records of two sandboxes. */
import type { Family, State } from '../control/client.js'
import { type AnyRecord, FAMILIES, linkedFamily, recordsOf } from '../views/data/records.js'

type Kind = 'same' | 'changed' | 'first' | 'second'
export type Compared = {
  family: Family
  id: string
  kind: Kind
  first: AnyRecord | undefined
  second: AnyRecord | undefined
}

const isOwn = (field: string) => field === 'id' || field === 'created' || linkedFamily(field)

/**
 * Compares records by their ids. Unless `isExact`, those of which neither sandbox has the other's id
 * are compared by what they say: ids and creation times are left out.
 */
export function comparison(one: State, other: State, isExact = false): Compared[] {
  const textOf = (record: AnyRecord) =>
    JSON.stringify(record, (field, value) => (!isExact && isOwn(field) ? undefined : value))
  return FAMILIES.flatMap(family => {
    const seconds = new Map(recordsOf(other, family).map(record => [record.id, record]))
    const take = (record: AnyRecord | undefined) => {
      if (record) seconds.delete(record.id)
      return record
    }
    const pairs = recordsOf(one, family).map(first => [first, take(seconds.get(first.id))] as const)
    const byText = new Map([...seconds.values()].map(record => [textOf(record), record]))
    const alike = (first: AnyRecord) => {
      const found = isExact ? undefined : byText.get(textOf(first))
      return found && seconds.has(found.id) ? found : undefined
    }
    const firsts = pairs.map(([first, second = take(alike(first))]): Compared => {
      const rest = { family, id: first.id, first, second }
      if (second === undefined) return { ...rest, kind: 'first' }
      return { ...rest, kind: textOf(first) === textOf(second) ? 'same' : 'changed' }
    })
    const lone = [...seconds.values()].map(
      (second): Compared => ({ family, id: second.id, kind: 'second', first: undefined, second })
    )
    return [...firsts, ...lone]
  })
}

export const idsAndTimes = (compared: readonly Compared[]): string[] => [
  ...new Set(
    compared.flatMap(({ first, second }) => Object.keys({ ...first, ...second }).filter(isOwn))
  )
]
