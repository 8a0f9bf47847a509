/** Records that script entries and expectations name, and which of them are missing. */
import { kindOf } from '../../core/ids.js'
import { didYouMean } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
import { isObject } from '../../core/schema-words.js'
import { ACCOUNT_TYPES } from '../../reference/accounts.js'
import {
  type Family,
  LINKED_FAMILIES,
  operationOf,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import { FAMILIES, type Store } from '../../store/store.js'
import { operationsOn } from '../match/matching.js'
import { isPattern } from '../match/patterns.js'
import { say } from '../sentences.js'
import { entriesOf } from '../shape/checked.js'
import type { ChangeData, EntryData, MatchData, On } from '../shape/entry.js'
import { STATE_NAMES, STATE_WORDS, type StateData } from '../shape/expectation.js'
import { suggestedIds } from './edits.js'
import type { GenerationContext, RecordFields } from './fixture.js'

/** A first state that scripts and expectations are checked against. */
export type Trial = {
  store: Store
  generation: GenerationContext
  /** The store has all records: none had a problem, and none is elsewhere. */
  isKnown: boolean
  /** Ids of records that script entries add. */
  scripted: ReadonlySet<unknown>
}

export type NamedRecord = { steps: readonly Step[]; id: string; families: readonly Family[] }

const NAMES: ReadonlyMap<string, Family> = new Map<string, Family>([
  ...Object.entries(LINKED_FAMILIES),
  ['account_id', 'accounts'],
  ['user_id', 'users']
])

export function recordsNamedBy({
  on,
  match
}: {
  on: On
  match?: MatchData | undefined
}): NamedRecord[] {
  const families = operationsOn(on, () => {}).map(operation => operationOf(operation).family)
  const owners = [...new Set(families)].map(family => (family === 'users' ? 'accounts' : family))
  return (['params', 'query', 'body', 'about'] as const).flatMap(section =>
    namedIn(match?.[section], ['match', section], section === 'params' ? [...new Set(owners)] : [])
  )
}

export function recordsNamedByState(state: StateData): NamedRecord[] {
  return entriesOf(state).flatMap(([family, expected]) =>
    Object.entries(expected).flatMap(([id, fields]) => {
      const steps = ['state', family, id]
      const linked = isObject(fields) ? namedIn(fields, steps, [family]) : []
      return STATE_WORDS.includes(id) || id.includes('${')
        ? linked
        : [{ steps, id, families: [family] }, ...linked]
    })
  )
}

type Lists = Readonly<Record<string, readonly RecordFields[]>>
const listsIn = ({ data = {} }: ChangeData) => Object.entries(data as Lists)

export const recordsNamedByChange = (change: ChangeData): NamedRecord[] => [
  ...(change.delete ?? []).map((id, nth) => ({
    steps: ['change', 'delete', nth],
    id,
    families: FAMILIES
  })),
  ...listsIn(change).flatMap(([section, list]) =>
    list.flatMap((fields, nth) =>
      Object.entries(fields).flatMap(([name, id]): NamedRecord[] => {
        const family = NAMES.get(name)
        const steps = ['change', 'data', section, nth, name]
        return family && typeof id === 'string' ? [{ steps, id, families: [family] }] : []
      })
    )
  )
]

export const scriptedIds = (entries: readonly EntryData[]): Trial['scripted'] =>
  new Set(
    entries.flatMap(({ change = {} }) =>
      listsIn(change).flatMap(([, list]) => list.map(({ id }) => id))
    )
  )

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
      : idsIn(wanted, [...steps, name]).map(place => ({ ...place, families }))
  })

function idsIn(wanted: unknown, steps: readonly Step[]): { steps: readonly Step[]; id: string }[] {
  if (Array.isArray(wanted)) return wanted.flatMap((item, index) => idsIn(item, [...steps, index]))
  return typeof wanted === 'string' && !isPattern(wanted) && !wanted.includes('${')
    ? [{ steps, id: wanted }]
    : []
}

/** `canBeMade`: a request can create it; `isDrawn`: its id looks drawn. */
export function missingOf(records: readonly NamedRecord[], trial: Trial) {
  const { store, generation, isKnown, scripted } = trial
  const { settings } = generation
  const missing = records.filter(
    ({ id, families }) =>
      isKnown && !scripted.has(id) && families.every(family => !store[family].get(id))
  )
  return missing.map(({ steps, id, families }) => {
    const canBeMade = !families.includes('tickets')
    const prefixes = families.flatMap(family =>
      ACCOUNT_TYPES.map(type => settings[`ids.prefixes.${kindOf(family, type)}`])
    )
    const isDrawn = prefixes.some(
      prefix => id.startsWith(prefix) && id.length === prefix.length + settings['ids.length']
    )
    const isOfState = steps[0] === 'state'
    const isOfName = isOfState && steps.length === 3
    const isName = isOfName && !isDrawn
    const known = suggestedIds(store, families)
    const otherwise =
      canBeMade && (isDrawn || !isOfState)
        ? 'it matches only after a request has created it'
        : 'add it under data'
    const advice = didYouMean(id, isName ? [...STATE_WORDS, ...known] : known)
    const problem = say(
      'missing_record',
      families.map(family => RESOURCE_NAMES[family]).join(' or '),
      id,
      advice || `; ${isName ? STATE_NAMES : otherwise}`
    )
    return { steps, problem: { ...problem, isOfName }, canBeMade, isDrawn }
  })
}
