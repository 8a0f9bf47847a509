/** The requests that the console has seen, of every sandbox, newest first. */
import { pairsOf } from '../../../../core/form-encoding.js'
import type { JournalCall, JournalEvent } from '../../control/client.js'
import { queryIn } from './query.js'

/** `period` counts how often the journal of its sandbox was seen to be cleared before: ids begin anew then. */
export type Row = { key: string; sandbox: string; period: number; call: JournalCall }
export type CallList = { rows: readonly Row[]; periods: ReadonlyMap<string, number> }

export const MAX_REQUESTS = 10_000
export const NO_REQUESTS: CallList = { rows: [], periods: new Map() }

export const keyOf = (sandbox: string, period: number, id: string): string => `${sandbox}/${period}/${id}`
export const periodOf = ({ periods }: CallList, sandbox: string): number => periods.get(sandbox) ?? 0

/** The list after events, in their order. Calls that it has already stay once. */
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

/** What was read of the journals, oldest first; `isWhole` unless they hold earlier calls too. */
export type Journals = { calls: readonly { sandbox: string; call: JournalCall }[]; isWhole: boolean }

/** The list with what the journals hold now. One without the last call that the list has of it was cleared since. */
export function withJournals(list: CallList, { calls, isWhole }: Journals): CallList {
  const held = new Map<string, JournalCall[]>()
  for (const { sandbox, call } of calls) held.set(sandbox, [...(held.get(sandbox) ?? []), call])
  const last = new Map<string, JournalCall>()
  for (const { sandbox, period, call } of list.rows) if (period === periodOf(list, sandbox) && !last.has(sandbox)) last.set(sandbox, call)
  const goesOn = (sandbox: string, call: JournalCall) => {
    const calls = held.get(sandbox)
    return calls === undefined ? !isWhole : isAfter(calls, call)
  }
  const cleared = [...last].filter(([sandbox, call]) => !goesOn(sandbox, call)).map(([sandbox]) => ({ sandbox, call: null }))
  return withEvents(list, [...cleared, ...calls])
}

/** Whether a journal can have held a call: it has it still, or only later ones. */
const isAfter = (calls: readonly JournalCall[], last: JournalCall): boolean =>
  calls.some(({ id, at }) => id === last.id && at === last.at) || calls.every(call => numberOf(call) > numberOf(last))

const numberOf = ({ id }: JournalCall): number => Number(id.replace(/\D+/, ''))

/** `text` is what is searched for; `sandbox` is undefined for all; `keys` are the requests that kept or broke a rule, undefined for all. */
export type Filter = { text: string; sandbox: string | undefined; keys: ReadonlySet<string> | undefined }

const KINDS: Readonly<Record<string, (call: JournalCall) => boolean>> = {
  refused: ({ outcome }) => outcome === 'refused',
  lost: ({ took_effect, answered }) => took_effect && !answered,
  scripted: ({ script }) => script !== null
}

const YES = /^(y|yes|true|1)$/i
const isIn = (text: string | null | undefined, part: string) => (text ?? '').toLowerCase().includes(part.toLowerCase())

/** Whether a request is what a term says, by its name. Rules and sandboxes are judged elsewhere. */
const HOLDS: Readonly<Record<string, (call: JournalCall, value: string) => boolean>> = {
  status: ({ status }, value) => (/^\dxx$/i.test(value) ? String(status)[0] === value[0] : String(status) === value),
  is: (call, value) => KINDS[value]?.(call) ?? false,
  took: ({ took_effect }, value) => took_effect === YES.test(value),
  on: ({ on }, value) => on === value,
  method: ({ method }, value) => method === value.toUpperCase(),
  code: ({ refusal }, value) => isIn(refusal?.code, value),
  test: ({ test }, value) => isIn(test, value),
  trace: ({ trace }, value) => trace === value,
  script: ({ script }, value) => script !== null && (script.id === value || isIn(script.name, value)),
  account: ({ account }, value) => account === value,
  slower: ({ ms }, value) => ms >= Number(value)
}

const texts = new WeakMap<JournalCall, string>()

function textOf(call: JournalCall): string {
  let text = texts.get(call)
  if (text === undefined) {
    const { id, at, on, method, path, query, body, answer, user_agent, test, trace, outcome, refusal, script, account, status } = call
    text = [
      id,
      at,
      on,
      method,
      path,
      ...sentIn(query),
      ...sentIn(body),
      JSON.stringify([answer, refusal, script]),
      user_agent,
      test,
      trace,
      outcome,
      account,
      status
    ]
      .join(' ')
      .toLowerCase()
    texts.set(call, text)
  }
  return text
}

export function filtered(rows: readonly Row[], { text, sandbox, keys }: Filter): readonly Row[] {
  const { words, terms } = queryIn(text)
  return rows.filter(
    ({ key, sandbox: its, call }) =>
      (sandbox === undefined || its === sandbox) &&
      (keys === undefined || keys.has(key)) &&
      terms.every(({ name, value }) => HOLDS[name]?.(call, value) ?? true) &&
      words.every(word => textOf(call).includes(word))
  )
}

export const sentIn = (parameters: JournalCall['query']): string[] => pairsOf(parameters).map(([name, value]) => `${name}=${value}`)

/** The path with its query, as it is read. */
export function pathShown({ path, query }: Pick<JournalCall, 'path' | 'query'>): string {
  const sent = sentIn(query)
  return sent.length === 0 ? path : `${path}?${sent.join('&')}`
}

/** Tenths of a millisecond where they matter. */
export const msShown = ({ ms }: Pick<JournalCall, 'ms'>): string => String(ms < 100 ? ms : Math.round(ms))

/** What became of a request: an icon, and the class of its colour. */
export function markOf({ outcome, answered, status, refusal, script }: JournalCall): {
  icon: 'done' | 'refused' | 'lost' | 'scripted'
  kind: 'good' | 'warn' | 'bad' | 'scripted'
} {
  if (!answered || outcome === 'not_written') return { icon: 'lost', kind: 'bad' }
  if (outcome === 'scripted') return { icon: 'scripted', kind: 'scripted' }
  if (refusal !== null || status >= 400) return { icon: 'refused', kind: status >= 500 ? 'bad' : 'warn' }
  return { icon: 'done', kind: script === null ? 'good' : 'scripted' }
}

const OUTCOMES: Readonly<Record<JournalCall['outcome'], string>> = {
  refused: 'Refused',
  answered: 'Done',
  scripted: 'Answered by the script',
  lost_before: 'Lost before the operation ran',
  lost_after: 'Lost after the operation ran',
  not_written: 'Ran, but the data file could not be written'
}

export function outcomeShown({ outcome, took_effect, answered }: Pick<JournalCall, 'outcome' | 'took_effect' | 'answered'>): string {
  const effect = took_effect ? 'it took effect' : 'it changed nothing'
  return `${OUTCOMES[outcome]}; ${effect}${answered ? '' : '; the client got no response'}.`
}

/** What the script did to the body of a response on its way, and what went out where that is a part; null where it went out as it was, or none of it was written. */
export function breakingShown({ script, answer, answered }: Pick<JournalCall, 'script' | 'answer' | 'answered'>): { text: string; sent?: string } | null {
  const fault = script?.fault
  const entry = `the script entry ${script?.name ?? script?.id}`
  // a response of the emulator in place of the one that was to be malformed is whole, and JSON
  if (fault === 'malformed_body' && answered && typeof answer === 'string') return { text: `${entry} made the body malformed. This is what went out.` }
  if (!fault || answered || answer === null) return null
  if (fault !== 'truncated_body') return { text: `${entry} lost the response (${fault}). Nothing of this went out.` }
  const whole = new TextEncoder().encode(typeof answer === 'string' ? answer : JSON.stringify(answer))
  return { text: `${entry} truncated the body. This is what went out.`, sent: new TextDecoder().decode(whole.subarray(0, whole.length / 2)) }
}
