/** Records that script entries and expectations name: whether they exist, or could be created. */
import type { Step } from '../../core/places.js'
import { didYouMean, type Said } from '../../core/sentences.js'
import type { Settings } from '../../core/settings.js'
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
import type { EntryData, MatchData, On } from '../shape/entry.js'
import { STATE_NAMES, STATE_WORDS, type StateData } from '../shape/expectation.js'
import type { RecordFields } from './record.js'

/** What documents are checked against; no store if it may lack records. */
export type Trial = {
  store: Store | null
  settings: Settings
  /** Ids of records that script entries add. */
  scripted: ReadonlySet<unknown>
  /** Of a shared file: entries may wait for those of a scenario. */
  isShared?: boolean
}
type Families = readonly Family[]
type NamedRecord = { steps: readonly Step[]; id: string; families: Families }

const LINKS: ReadonlyMap<string, Family> = new Map<string, Family>([
  ...Object.entries(LINKED_FAMILIES),
  ['account_id', 'accounts'],
  ['user_id', 'users']
])

export const hasRecord = (
  store: Store,
  id: string,
  families: readonly Family[] = FAMILIES
): boolean => families.some(family => store[family].get(id))

export const someIds = (store: Store, families: readonly Family[] = FAMILIES): string[] =>
  families.flatMap(family => store[family].someIds())

/** Suggests a similar id, or one of `words`. */
export function missingRecord(
  id: string,
  families: readonly Family[],
  store: Store,
  otherwise = '',
  words: readonly string[] = []
): Said {
  const names = families.map(family => RESOURCE_NAMES[family])
  const resource = families === FAMILIES ? 'record' : names.join(' or ')
  const advice = didYouMean(id, [...words, ...someIds(store, families)]) || otherwise
  return say('missing_record', resource, id, advice)
}

/** The ids under names of links; `families` are those of what is called `id`. */
function idsIn(part: unknown, steps: readonly Step[], families: Families): NamedRecord[] {
  if (typeof part === 'string')
    return isPattern(part) || part.includes('${') ? [] : [{ steps, id: part, families }]
  if (typeof part !== 'object' || part === null) return []
  const isList = Array.isArray(part)
  return Object.entries(part).flatMap(([name, inner]) => {
    const linked = isList || name === 'id' ? families : [LINKS.get(name) ?? []].flat()
    return linked.length === 0 ? [] : idsIn(inner, [...steps, isList ? Number(name) : name], linked)
  })
}

/** Ids that look drawn are accepted, but for those of Tickets, which no request creates. */
function checkId(
  { steps, id, families }: NamedRecord,
  { store, settings, scripted }: Trial,
  report: Report,
  advice: string,
  words: readonly string[] = []
): void {
  const isDrawn = new RegExp(`[A-Za-z0-9]{${settings['ids.length']}}$`).test(id)
  if (store === null || scripted.has(id) || hasRecord(store, id, families)) return
  if (isDrawn && !families.includes('tickets')) return
  report(steps, missingRecord(id, families, store, advice, words))
}

/** A test can send a wrong id on purpose, which causes a warning. */
export function checkMatch(
  { on, match = {} }: { on: On; match?: MatchData | undefined },
  trial: Trial,
  warn: Report,
  report: Report = warn
): void {
  const families = operationsOn(on, () => {}).map(operation => operationOf(operation).family)
  const owners = new Set(families.map(family => (family === 'users' ? 'accounts' : family)))
  for (const section of ['params', 'query', 'body', 'about'] as const)
    for (const named of idsIn(
      match[section],
      ['match', section],
      section === 'params' ? [...owners] : []
    ))
      if (named.families.includes('tickets')) checkId(named, trial, report, '; add it under data')
      else checkId(named, trial, warn, '; it matches only after a request has created it')
}

export function checkState(state: StateData, trial: Trial, report: Report): void {
  const reportName: Report = (steps, problem) => report(steps, { ...problem, isOfName: true })
  for (const [family, expected] of entriesOf(state))
    for (const [id, fields] of Object.entries(expected)) {
      const [steps, families] = [['state', family, id], [family]]
      if (!STATE_WORDS.includes(id) && !id.includes('${'))
        checkId({ steps, id, families }, trial, reportName, `; ${STATE_NAMES}`, STATE_WORDS)
      for (const named of idsIn(fields, steps, families))
        checkId(named, trial, report, '; add it under data')
    }
}

export const scriptedIds = (entries: readonly EntryData[]): Trial['scripted'] =>
  new Set(
    entries
      .flatMap(({ change }) =>
        Object.values((change?.data ?? {}) as Record<string, RecordFields[]>).flat()
      )
      .map(({ id }) => id)
  )

/** Any key acts as an Account; `isOwn`: of the scenario's settings. */
export function checkActor({ store, settings }: Trial, isOwn: boolean, report: Report): void {
  const { 'auth.accept_any_key': actor } = settings
  if (store === null || actor === null || store.accounts.get(actor)) return
  report(isOwn ? ['settings', 'auth', 'accept_any_key'] : [], say('missing_account', actor))
}
