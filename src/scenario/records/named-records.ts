/** Records that script entries and expectations name, and which of them are missing. */
import { kindOf } from '../../core/ids.js'
import { didYouMean } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import type { Settings } from '../../core/settings.js'
import { ACCOUNT_TYPES } from '../../reference/accounts.js'
import {
  type Family,
  LINKED_FAMILIES,
  operationOf,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import { FAMILIES, type Store } from '../../store/store.js'
import type { Report } from '../documents.js'
import { operationsOn } from '../match/matching.js'
import { isPattern } from '../match/patterns.js'
import { say } from '../sentences.js'
import { entriesOf } from '../shape/checked.js'
import type { ChangeData, EntryData, MatchData, On } from '../shape/entry.js'
import { STATE_NAMES, STATE_WORDS, type StateData } from '../shape/expectation.js'
import { suggestedIds } from './edits.js'
import type { RecordFields } from './fixture.js'

/** What scripts and expectations are checked against; no store if it may lack records. */
export type Trial = {
  store: Store | null
  settings: Settings
  /** Ids of records that script entries add. */
  scripted: ReadonlySet<unknown>
}
type NamedRecord = { steps: readonly Step[]; id: string; families: readonly Family[] }

const LINKS: ReadonlyMap<string, Family> = new Map<string, Family>([
  ...Object.entries(LINKED_FAMILIES),
  ['account_id', 'accounts'],
  ['user_id', 'users']
])

export function namedByMatch({ on, match = {} }: { on: On; match?: MatchData | undefined }) {
  const families = operationsOn(on, () => {}).map(operation => operationOf(operation).family)
  const owners = new Set(families.map(family => (family === 'users' ? 'accounts' : family)))
  return (['params', 'query', 'body', 'about'] as const).flatMap(section =>
    namedIn(match[section], ['match', section], section === 'params' ? [...owners] : [])
  )
}

export const namedByState = (state: StateData): NamedRecord[] =>
  entriesOf(state).flatMap(([family, expected]) =>
    Object.entries(expected).flatMap(([id, fields]) => {
      const steps = ['state', family, id]
      const named = STATE_WORDS.includes(id) ? [] : recordsIn(id, steps, [family])
      return [...named, ...(isObject(fields) ? namedIn(fields, steps, [family]) : [])]
    })
  )

export const namedByChange = ({ data, delete: ids }: ChangeData): NamedRecord[] => [
  ...recordsIn(ids, ['change', 'delete'], FAMILIES),
  ...listsIn({ data }).flatMap(([section, list]) =>
    list.flatMap((fields, nth) => namedIn(fields, ['change', 'data', section, nth]))
  )
]

type Lists = Readonly<Record<string, readonly RecordFields[]>>
const listsIn = ({ data = {} }: ChangeData) => Object.entries(data as Lists)

export const scriptedIds = (entries: readonly EntryData[]): Trial['scripted'] =>
  new Set(
    entries
      .flatMap(({ change = {} }) => listsIn(change))
      .flatMap(([, list]) => list.map(({ id }) => id))
  )

/** `ofId`: the families whose records `id` names. */
const namedIn = (
  names: object | undefined,
  steps: readonly Step[],
  ofId: readonly Family[] = []
): NamedRecord[] =>
  Object.entries(names ?? {}).flatMap(([name, wanted]) => {
    const families = name === 'id' ? ofId : [LINKS.get(name) ?? []].flat()
    return families.length === 0 ? [] : recordsIn(wanted, [...steps, name], families)
  })

function recordsIn(
  wanted: unknown,
  steps: readonly Step[],
  families: readonly Family[]
): NamedRecord[] {
  if (Array.isArray(wanted))
    return wanted.flatMap((item, index) => recordsIn(item, [...steps, index], families))
  if (isObject(wanted)) return namedIn(wanted, steps, families)
  const isId = typeof wanted === 'string' && !isPattern(wanted) && !wanted.includes('${')
  return isId ? [{ steps, id: wanted, families }] : []
}

/** `canBeMade`: a request can create it; `isDrawn`: its id looks drawn. */
type Missing = { canBeMade: boolean; isDrawn: boolean }

/** Reports those that do not exist, each by `reportOf`. */
export function checkNames(
  records: readonly NamedRecord[],
  { store, settings, scripted }: Trial,
  reportOf: (missing: Missing) => Report
): void {
  if (store === null) return
  for (const { steps, id, families } of records) {
    if (scripted.has(id) || families.some(family => store[family].get(id))) continue
    const canBeMade = !families.includes('tickets')
    const isDrawn = families.some(family => isDrawnId(id, family, settings))
    const isOfState = steps[0] === 'state'
    const isOfName = isOfState && steps.length === 3
    const isName = isOfName && !isDrawn
    const known = [...(isName ? STATE_WORDS : []), ...suggestedIds(store, families)]
    const otherwise =
      canBeMade && (isDrawn || !isOfState)
        ? 'it matches only after a request has created it'
        : 'add it under data'
    const advice = didYouMean(id, known) || `; ${isName ? STATE_NAMES : otherwise}`
    const resource = families.map(family => RESOURCE_NAMES[family]).join(' or ')
    const problem = say('missing_record', resource, id, advice)
    reportOf({ canBeMade, isDrawn })(steps, { ...problem, isOfName })
  }
}

const isDrawnId = (id: string, family: Family, settings: Settings) =>
  ACCOUNT_TYPES.some(type => {
    const prefix = settings[`ids.prefixes.${kindOf(family, type)}`]
    return id.startsWith(prefix) && id.length === prefix.length + settings['ids.length']
  })
