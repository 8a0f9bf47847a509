/** The requests of every sandbox, newest first. */
import { pairsOf } from '../../../../core/form-encoding.js'
import type { IconName } from '../../components/icon.js'
import type { JournalCall, JournalEvent } from '../../control/client.js'
import { countOf } from '../count.js'

/** `period` counts how often its journal was cleared before: ids start again then. */
export type Row = { key: string; sandbox: string; period: number; call: JournalCall }
export type CallList = { rows: readonly Row[]; periods: ReadonlyMap<string, number> }

export const MAX_REQUESTS = 10_000
export const NO_REQUESTS: CallList = { rows: [], periods: new Map() }

export const keyOf = (sandbox: string, period: number, id: string): string =>
  `${sandbox}/${period}/${id}`
export const periodOf = ({ periods }: CallList, sandbox: string): number =>
  periods.get(sandbox) ?? 0

export function withEvents(list: CallList, events: readonly JournalEvent[]): CallList {
  const periods = new Map(list.periods)
  const known = new Set(list.rows.map(({ key }) => key))
  const added: Row[] = []
  for (const { sandbox, call } of events) {
    const period = periods.get(sandbox) ?? 0
    if (call === null) {
      periods.set(sandbox, period + 1)
      continue
    }
    const key = keyOf(sandbox, period, call.id)
    if (known.has(key)) continue
    known.add(key)
    added.push({ key, sandbox, period, call })
  }
  return { rows: [...added.reverse(), ...list.rows].slice(0, MAX_REQUESTS), periods }
}

/**
 * The list with what the journals hold now, oldest first; `isWhole` unless they hold more. A journal
 * without the last request of the list was cleared.
 */
export function withJournals(
  list: CallList,
  calls: readonly Pick<Row, 'sandbox' | 'call'>[],
  isWhole: boolean
): CallList {
  const rows = list.rows.filter(({ sandbox, period }) => period === periodOf(list, sandbox))
  const last = new Map(rows.reverse().map(({ sandbox, call }) => [sandbox, call]))
  const goesOn = ([sandbox, before]: [string, JournalCall]) => {
    const journal = calls.filter(item => item.sandbox === sandbox).map(({ call }) => call)
    if (journal.length === 0) return !isWhole
    // it still holds the request, or only later ones
    return (
      journal.some(({ id, at }) => id === before.id && at === before.at) ||
      journal.every(call => numberOf(call) > numberOf(before))
    )
  }
  const cleared = [...last]
    .filter(entry => !goesOn(entry))
    .map(([sandbox]) => ({ sandbox, call: null }))
  return withEvents(list, [...cleared, ...calls])
}

const numberOf = ({ id }: JournalCall): number => Number(id.replace(/\D+/, ''))

export const sentIn = (parameters: JournalCall['query']): string[] =>
  pairsOf(parameters).map(([name, value]) => `${name}=${value}`)

export const pathShown = ({ path, query }: JournalCall): string =>
  [path, sentIn(query).join('&')].filter(Boolean).join('?')

export const msShown = ({ ms }: JournalCall): string => String(ms < 100 ? ms : Math.round(ms))

export function markOf({
  outcome,
  answered,
  status,
  refusal,
  script
}: Pick<JournalCall, 'outcome' | 'answered' | 'status' | 'refusal'> & { script: object | null }): {
  icon: IconName
  kind: string
} {
  if (!answered || outcome === 'not_written') return { icon: 'lost', kind: 'bad' }
  if (outcome === 'scripted') return { icon: 'scripted', kind: 'scripted' }
  if (refusal !== null || status >= 400)
    return { icon: 'refused', kind: status >= 500 ? 'bad' : 'warn' }
  return { icon: 'done', kind: script === null ? 'good' : 'scripted' }
}

const OUTCOMES: Readonly<Record<JournalCall['outcome'], string>> = {
  refused: 'Refused',
  answered: 'OK',
  scripted: 'Scripted',
  lost_before: 'No response',
  lost_after: 'No response',
  not_written: 'Could not be saved'
}

export function outcomeShown(
  { outcome, took_effect, answered }: Pick<JournalCall, 'outcome' | 'took_effect' | 'answered'>,
  changed?: number
): string {
  const some = changed === undefined ? 'took effect' : `${countOf(changed, 'record')} changed`
  const what = answered || outcome === 'not_written' ? OUTCOMES[outcome] : 'No response'
  return `${what} · ${took_effect ? some : 'nothing changed'}`
}

export function breakingShown({
  script,
  answer: body,
  answered
}: Pick<JournalCall, 'script' | 'answer' | 'answered'>): string | null {
  const fault = script?.fault
  const entry = `the script entry ${script?.name ?? script?.id}`
  // JSON is a whole response in place of the malformed one
  if (fault === 'malformed_body' && answered && typeof body === 'string')
    return `${entry} made the body malformed. This was sent.`
  if (!fault || answered || body === null) return null
  return fault === 'truncated_body'
    ? `${entry} truncated the body. Only the first half was sent.`
    : `${entry} lost the response (${fault}). None of it was sent.`
}
