/** What differs between the records of two sandboxes. */
import type { Family, State } from '../../control/client.js'
import { type AnyRecord, FAMILIES, recordsOf } from '../data/records.js'

/** Where a record is, and whether it is the same in both. */
type Kind = 'same' | 'changed' | 'first' | 'second'
export type Compared = {
  family: Family
  id: string
  kind: Kind
  first: AnyRecord | undefined
  second: AnyRecord | undefined
}

export const comparison = (one: State, other: State): Compared[] =>
  FAMILIES.flatMap(family => {
    const [firsts, seconds] = [byId(one, family), byId(other, family)]
    return [...new Map([...firsts, ...seconds]).keys()].map(id => {
      const [first, second] = [firsts.get(id), seconds.get(id)]
      return { family, id, first, second, kind: kindOf(first, second) }
    })
  })

const byId = (state: State, family: Family) =>
  new Map(recordsOf(state, family).map(record => [record.id, record]))

function kindOf(first: AnyRecord | undefined, second: AnyRecord | undefined): Kind {
  if (!first || !second) return first ? 'first' : 'second'
  return JSON.stringify(first) === JSON.stringify(second) ? 'same' : 'changed'
}
