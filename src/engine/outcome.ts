/** The outcome of a request. */
import type { Facts as JudgedFacts, RefundFacts } from '../core/rules.js'
import type { Template } from '../core/templates.js'
import { ASSUMPTION_PLACES, type AssumptionId } from '../reference/assumptions.js'
import { isChange, type OperationId, operationOf } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import type { RuleId } from '../reference/rules.js'
import type { RecordName } from '../scenario/records/edits.js'
import type { Action, Fault } from '../scenario/script.js'

export const STAGE = {
  arrived: 0,
  routed: 1,
  identified: 2,
  decoded: 3,
  admitted: 4,
  running: 5
} as const
export type Stage = (typeof STAGE)[keyof typeof STAGE]

export type AnyRecord = Readonly<Record<string, unknown>> & { readonly id: string }
export type Shown = AnyRecord | List<AnyRecord> | null
export type Refusal = {
  code: string
  rule: RuleId | null
  assumption: AssumptionId | null
  param: string | null
  facts: JudgedFacts | null
}
/** The end of Retry-After, by either clock. */
export type Pause = { machine: number; sandbox: number }

/** `answered`: a 2xx or the documented 501; `scripted`: a script entry gave or changed it. */
export type OutcomeName =
  | 'answered'
  | 'lost_before'
  | 'lost_after'
  | 'scripted'
  | 'refused'
  | 'not_written'
export type Outcome = {
  readonly name: OutcomeName
  readonly reached: Stage
  readonly status: number
  /** Of a refused request, and of one whose change was not written. */
  readonly refusal: Refusal | null
  readonly pause: Pause | null
  readonly result: Shown
  /** The bytes of the records; null where the request changed the record. */
  readonly members: readonly Buffer[] | null
  readonly list: Template
  /** The body, unless it follows from `result`. */
  readonly text: string
  readonly length: number
  readonly fault: Fault | null
  readonly isDelivered: boolean
}

const WORD = 32

/** The assumptions that a response relies on, as bits by their places in the ledger. */
export class Relied {
  #low = 0
  #high = 0

  add(assumption: AssumptionId): void {
    const place = ASSUMPTION_PLACES[assumption]
    if (place < WORD) this.#low |= 1 << place
    else this.#high |= 1 << (place - WORD)
  }

  has(place: number): boolean {
    return (((place < WORD ? this.#low : this.#high) >>> (place % WORD)) & 1) === 1
  }
}

export type ResponseHeaders = Record<string, string | string[]>

/** Invalid JSON of the same length. */
export const malformed = (body: string): string => (body === '' ? '' : `${body.slice(0, -1)}{`)

export type Facts = {
  /** The record named by the path or body, as it was before the operation. */
  readonly record: AnyRecord | null
  readonly filteredBy: AnyRecord | null
  /** Whether a record was compared with a filter by `created`. */
  readonly isCompared: boolean
  readonly retrieved: number
  readonly money: RefundFacts | null
  readonly relied: Relied
}
/** One shape for all, for speed. */
export const factsOf = (
  relied: Relied,
  record: AnyRecord | null,
  { filteredBy = null, isCompared = false, retrieved = 0, money = null }: Partial<Facts> = {}
): Facts => ({ record, filteredBy, isCompared, retrieved, money, relied })

/** What the script did to a request, what that changed, and why it could not. */
export type Scripted = {
  readonly action: Action
  readonly changed: readonly RecordName[]
  readonly problem: string | null
  /** It read earlier records. */
  readonly isPast: boolean
}

/** The part of an entry that says how a request ended. */
export type Ended = {
  readonly operation: OperationId | null
  readonly outcome: Outcome
  readonly facts: Facts
  readonly script: Scripted | null
}
type Closed = Pick<Ended, 'outcome'>

/** Whether a client gets all of a response, even a malformed one. */
export const isWhole = ({ fault, length }: Outcome): boolean =>
  fault === null || (fault === 'malformed_body' && length > 0)

export const hasReached = ({ outcome }: Closed, wanted: Stage): boolean => outcome.reached >= wanted

/** Whether the operation responded with a 2xx or the documented 501, even if that was lost. */
export const hasRun = ({ outcome: { name } }: Closed): boolean =>
  name === 'answered' || name === 'lost_after' || name === 'not_written'

/** Whether the operation finished; a script entry may have changed its response. */
export const hasPerformed = (call: Closed): boolean =>
  hasRun(call) || (call.outcome.name === 'scripted' && call.outcome.reached === STAGE.running)

/** An update that changes nothing returns the same record. */
export const tookEffect = (call: Pick<Ended, 'operation' | 'outcome' | 'facts'>): boolean =>
  call.operation !== null &&
  hasPerformed(call) &&
  isChange(operationOf(call.operation)) &&
  call.outcome.result !== call.facts.record

/** Null if an assumption refused the request, or nothing did. */
export const violatedRule = ({ outcome: { name, refusal } }: Closed): RuleId | null =>
  name === 'refused' ? (refusal?.rule ?? null) : null

export const listIn = ({ outcome: { result } }: Closed): List<AnyRecord> | null =>
  isList(result) ? result : null
const isList = (result: Shown): result is List<AnyRecord> =>
  result !== null && 'object' in result && result.object === 'list'

export function recordsIn({ outcome: { result } }: Closed): readonly AnyRecord[] {
  if (result === null) return []
  return isList(result) ? result.data : [result]
}

export type ScriptAction = {
  id: string
  name: string | null
  fault: Fault | null
  applied?: boolean
  problem?: string
}
export function scriptAction({
  script,
  outcome
}: Pick<Ended, 'script' | 'outcome'>): ScriptAction | null {
  if (script === null) return null
  const { action, problem } = script
  return {
    id: action.id,
    name: action.entry.data.name ?? null,
    fault: action.entry.data.fault ?? outcome.fault,
    ...(!action.isApplied && { applied: false }),
    ...(problem !== null && { problem })
  }
}

/** A new Refund changes its Transaction too. */
export function recordsChanged(call: Ended): RecordName[] {
  const { operation, script, facts } = call
  const byScript = script?.changed ?? []
  if (operation === null || !tookEffect(call)) return [...byScript]
  const { family, kind } = operationOf(operation)
  const records = kind === 'delete' && facts.record ? [facts.record] : recordsIn(call)
  const changed = new Map(records.map(({ id }) => [id, { family, id }]))
  for (const { transaction } of family === 'refunds' ? records : [])
    changed.set(String(transaction), { family: 'transactions', id: String(transaction) })
  for (const record of byScript) changed.set(record.id, record)
  return [...changed.values()]
}
