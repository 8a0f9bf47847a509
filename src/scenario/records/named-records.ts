/** Records that script entries and expectations name, and which of them are missing. */
import type { Step } from '../../core/places.js'
import { didYouMean } from '../../core/sentences.js'
import type { Settings } from '../../core/settings.js'
import { type Family, LINKED_FAMILIES, operationOf } from '../../reference/operations.js'
import { isObject } from '../../reference/rules.js'
import { FAMILIES, Store } from '../../store/store.js'
import type { Report } from '../documents.js'
import { operationsOn } from '../match/matching.js'
import { isPattern } from '../match/patterns.js'
import type { Known } from '../play/check.js'
import { say } from '../sentences.js'
import { entriesOf } from '../shape/checked.js'
import type { ChangeData, EntryData, MatchData, On } from '../shape/entry.js'
import { STATE_NAMES, STATE_WORDS, type StateData } from '../shape/expectation.js'
import { bindingsOf } from '../steps.js'
import { missingRecord, type RecordFields, someIds } from './fixture.js'

/** What documents are checked against; no store if it may lack records. */
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

/** `ofId`: the families of `id`. */
const namedIn = (
  names: object | undefined,
  steps: readonly Step[],
  ofId: readonly Family[] = []
): NamedRecord[] =>
  Object.entries(names ?? {}).flatMap(([name, wanted]) => {
    const families = name === 'id' ? ofId : [LINKS.get(name) ?? []].flat()
    return families.length === 0 ? [] : idsIn(wanted, [...steps, name], families)
  })

function idsIn(
  wanted: unknown,
  steps: readonly Step[],
  families: readonly Family[]
): NamedRecord[] {
  if (Array.isArray(wanted))
    return wanted.flatMap((item, index) => idsIn(item, [...steps, index], families))
  if (isObject(wanted)) return namedIn(wanted, steps, families)
  if (typeof wanted !== 'string' || isPattern(wanted)) return []
  // a change knows no responses
  const isKnownLater = wanted.includes('${') && steps[0] !== 'change'
  return isKnownLater ? [] : [{ steps, id: wanted, families }]
}

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
      const isId = !STATE_WORDS.includes(id) && !id.includes('${')
      const named = isId ? [{ steps, id, families: [family] }] : []
      return isObject(fields) ? [...named, ...namedIn(fields, steps, [family])] : named
    })
  )

const recordsIn = ({ data = {} }: ChangeData) =>
  Object.entries(data as Readonly<Record<string, readonly RecordFields[]>>).flatMap(
    ([section, list]) => list.map((fields, nth) => ({ fields, steps: [section, nth] }))
  )

export const namedByChange = (change: ChangeData): NamedRecord[] => [
  ...idsIn(change.delete, ['change', 'delete'], FAMILIES),
  ...recordsIn(change).flatMap(({ fields, steps }) => namedIn(fields, ['change', 'data', ...steps]))
]

export const scriptedIds = (entries: readonly EntryData[]): Trial['scripted'] =>
  new Set(entries.flatMap(({ change = {} }) => recordsIn(change)).map(({ fields: { id } }) => id))

/** Any key acts as an Account; `isOwn`: of the scenario's settings. */
export function checkActor({ store, settings }: Trial, isOwn: boolean, report: Report): void {
  const { 'auth.accept_any_key': actor } = settings
  if (store === null || actor === null || store.accounts.get(actor)) return
  report(isOwn ? ['settings', 'auth', 'accept_any_key'] : [], say('missing_account', actor))
}

/** What steps may refer to: any name if records may be missing. */
export function knownNames(
  { store, settings }: Trial,
  keys: ReadonlyMap<string, unknown> | undefined
): Known {
  const known = store ?? new Store()
  const { variable } = bindingsOf(known)
  const isAnyKey = store === null || settings['auth.accept_any_key'] !== null
  return {
    variable: name => (store === null ? name : variable(name)),
    ids: () => someIds(known),
    otherKey: key =>
      isAnyKey || keys?.has(key) || known.keys.has(key)
        ? null
        : didYouMean(key, [...known.keys.keys()])
  }
}

/** `canBeMade`: by a request; `isDrawn`: its id looks drawn. */
type Missing = { canBeMade: boolean; isDrawn: boolean }

/** Reports those that do not exist. */
export function checkNames(
  records: readonly NamedRecord[],
  { store, settings, scripted }: Trial,
  reportOf: (missing: Missing) => Report
): void {
  if (store === null) return
  const drawn = new RegExp(`[A-Za-z0-9]{${settings['ids.length']}}$`)
  for (const { steps, id, families } of records) {
    if (scripted.has(id) || families.some(family => store[family].get(id))) continue
    const missing = { canBeMade: !families.includes('tickets'), isDrawn: drawn.test(id) }
    const isOfState = steps[0] === 'state'
    const isOfName = isOfState && steps.length === 3
    const problem =
      isOfName && !missing.isDrawn
        ? missingRecord(id, families, store, `; ${STATE_NAMES}`, STATE_WORDS)
        : missingRecord(id, families, store, adviceOn(missing, isOfState))
    reportOf(missing)(steps, { ...problem, isOfName })
  }
}

const adviceOn = ({ canBeMade, isDrawn }: Missing, isOfState: boolean) =>
  canBeMade && (isDrawn || !isOfState)
    ? '; it matches only after a request has created it'
    : '; add it under data'
