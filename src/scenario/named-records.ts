/** The records that a `match` or an expected `state` names, to report those that do not exist. */
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import {
  type Family,
  LINKED_FAMILIES,
  type OperationId,
  operationOf
} from '../reference/operations.js'
import type { StateData } from './final-state.js'
import type { MatchData } from './matching.js'
import { STATE_WORDS } from './schemas.js'

/** The id may be in any of `families`. */
export type NamedRecord = { steps: readonly Step[]; id: string; families: readonly Family[] }

const NAMES: ReadonlyMap<string, Family> = new Map<string, Family>([
  ...Object.entries(LINKED_FAMILIES),
  ['account_id', 'accounts'],
  ['user_id', 'users']
])

/**
 * In the path, a filter, the body, or as what the request is about. Patterns and conditions name
 * none.
 */
export function recordsNamedBy(
  match: MatchData | undefined,
  operations: Iterable<OperationId>
): NamedRecord[] {
  const owners = [
    ...new Set(Array.from(operations, operation => operationOf(operation).family))
  ].map(family => (family === 'users' ? 'accounts' : family))
  return (['params', 'query', 'body', 'about'] as const).flatMap(section =>
    namedIn(match?.[section], ['match', section], section === 'params' ? [...new Set(owners)] : [])
  )
}

/** Records that there have to be, and fields that link to one. */
export function recordsNamedByState(state: StateData): NamedRecord[] {
  return (Object.entries(state) as [Family, object][]).flatMap(([family, expected]) =>
    Object.entries(expected).flatMap(([id, fields]: [string, object | null]) => {
      if (fields === null) return []
      const steps = ['state', family, id]
      const linked = namedIn(fields, steps, [family])
      return STATE_WORDS.includes(id) || id.includes('${')
        ? linked
        : [{ steps, id, families: [family] }, ...linked]
    })
  )
}

/**
 * Under names that link to a record, fields of it included, and under `id`, which is of one of some
 * families.
 */
const namedIn = (
  names: object | undefined,
  steps: readonly Step[],
  ofId: readonly Family[]
): NamedRecord[] =>
  Object.entries(names ?? {}).flatMap(([name, wanted]) => {
    const families = name === 'id' ? ofId : [NAMES.get(name) ?? []].flat()
    if (families.length === 0) return []
    return isObject(wanted)
      ? namedIn(wanted, [...steps, name], families)
      : idsIn(wanted, [...steps, name]).map(found => ({ ...found, families }))
  })

function idsIn(wanted: unknown, steps: readonly Step[]): { steps: readonly Step[]; id: string }[] {
  if (Array.isArray(wanted)) return wanted.flatMap((one, index) => idsIn(one, [...steps, index]))
  return typeof wanted === 'string' && !/^\/.*\/i?$/s.test(wanted) && !wanted.includes('${')
    ? [{ steps, id: wanted }]
    : []
}
