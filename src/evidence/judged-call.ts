/** A call as evidence sees it: what it sent, what was found, what it was answered, and what became of it. */
import type { FormObject } from '../core/form.js'
import type { RefundFacts } from '../core/refund-rules.js'
import type { SecretWords } from '../core/secret-words.js'
import type { Settings } from '../core/settings.js'
import type { Facts, Trace } from '../core/trace.js'
import type { AssumptionId } from '../reference/assumptions.js'
import { isChange, type OperationId, operationOf } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import type { RuleId } from '../reference/rules.js'
import type { EntryData } from '../scenario/script.js'

/**
 * What became of a call. `answered`: its operation gave the answer. `scripted`: a script entry gave it instead. `lost_before` and `lost_after`: the answer
 * was lost before or after the operation ran. `not_written`: the operation ran, but the data file could not be written.
 */
export type Outcome = 'refused' | 'answered' | 'scripted' | 'lost_before' | 'lost_after' | 'not_written'
/** Why a call was refused. */
export type Refusal = { code: string; rule: RuleId | null; assumption: AssumptionId | null; param: string | null; facts: Facts | null }
/** The script entry that was applied to a call. */
export type ScriptAction = { id: string; name: string | null; fault: string | null }
/** Until when an operation should not be called again, by the machine's and by the sandbox's clock: whichever passes first. */
export type Pause = { machine: number; sandbox: number }
/** What a call adds to what is counted; rules and assumptions by their places in the ledger. */
export type Judgement = { kept: readonly number[]; broken: RuleId | null; relied: readonly number[] }
/** A record as it is stored or shown. */
export type AnyRecord = Readonly<Record<string, unknown>> & { readonly id: string }

export type JudgedCall = {
  readonly id: string
  /** The sandbox's clock when the call came, in milliseconds. */
  readonly at: number
  /** The machine's. */
  readonly now: number
  readonly method: string
  /** Below the base address, without the query, redacted. */
  readonly path: string
  /** Null where the reference has no such operation. */
  readonly operation: OperationId | null
  /** The values of the path's parameters. */
  readonly params: Readonly<Record<string, string>>
  /** The id of the Account that the key acts as; null without a right key. */
  readonly account: string | null
  readonly userAgent: string | null
  /** The test that made the call, by its own words; null where it named none. */
  readonly test: string | null
  readonly hasAuthorization: boolean
  /** The parameters as they were sent, redacted once the call is recorded; empty until both forms were decoded. */
  readonly query: FormObject
  readonly body: FormObject
  readonly isDecoded: boolean
  /** Its key and parameters were found right, so that it came to the script. */
  readonly isValid: boolean
  /** A whole card number was sent as one. */
  readonly cardNumberSent: boolean
  /** A parameter was sent that the operation does not have. */
  readonly unknownParameter: boolean

  /** The record that the call is about, as it was before the operation: the one in the path, or the one that the body names. */
  readonly found: AnyRecord | null
  /** The record that a filter of a list names. */
  readonly filteredBy: AnyRecord | null
  /** How many records were retrieved for the page of a list. */
  readonly retrieved: number
  /** What a Refund was judged by, before it was made. */
  readonly money: RefundFacts | null
  /** What the operation returned: a record or a list; null where it did not run or returns nothing. */
  readonly shown: AnyRecord | List<AnyRecord> | null
  readonly trace: Trace

  readonly outcome: Outcome
  readonly status: number
  /** The body of the answer. */
  readonly text: string
  /** How many bytes the body has. */
  readonly length: number
  /** About how many bytes of memory the call holds. */
  readonly held: number
  /** Whether the client got the answer. */
  readonly isDelivered: boolean
  readonly refusal: Refusal | null
  readonly script: ScriptAction | null
  /** That entry as it was written. */
  readonly entry: EntryData | null
  /** The settings that it was judged by. */
  readonly settings: Settings
  /** What the Retry-After of the answer asks for. */
  readonly pause: Pause | null
  /** Milliseconds of the machine's time. */
  readonly ms: number

  /** The same for the same call by the same caller; nothing that was sent can be read from it. Known until the call is redacted. */
  signature: () => string
  /** Drops what may not be kept (A25). */
  redact: () => void
  /** The words to mask in its answer: the API keys of its sandbox and the control token. */
  readonly secretWords: SecretWords
}

/** Whether the operation gave the answer, wherever that went then: a 2xx of its own, or the documented 501. */
export const hasRun = ({ outcome }: Pick<JudgedCall, 'outcome'>): boolean => outcome === 'answered' || outcome === 'lost_after' || outcome === 'not_written'

/** Whether the call changed records. */
export const tookEffect = (call: Pick<JudgedCall, 'outcome' | 'operation'>): boolean =>
  call.operation !== null && hasRun(call) && isChange(operationOf(call.operation))

/** The rule that a refused call broke; null where an assumption refused it, or it was not refused. */
export const brokenRule = ({ outcome, refusal }: Pick<JudgedCall, 'outcome' | 'refusal'>): RuleId | null =>
  outcome === 'refused' ? (refusal?.rule ?? null) : null

/** The records that an answer shows. */
export function recordsShown({ shown }: Pick<JudgedCall, 'shown'>): readonly AnyRecord[] {
  if (shown === null) return []
  return isList(shown) ? shown.data : [shown]
}

/** The list that an answer is; null where it is none. */
export const listShown = ({ shown }: Pick<JudgedCall, 'shown'>): List<AnyRecord> | null => (shown !== null && isList(shown) ? shown : null)

const isList = (shown: AnyRecord | List<AnyRecord>): shown is List<AnyRecord> => (shown as { object?: unknown }).object === 'list'
