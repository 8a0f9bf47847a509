/** Which records a running service has, as far as its answers have said so. Ids are those of the service. */
import { type Family, operationAt, RESOURCE_NAMES } from '../../reference/operations.js'
import { type NamedRecord, recordsNamedBy } from '../../scenario/named-records.js'
import type { Json, StepAnswer, StepCall } from '../../scenario/steps.js'
import { errorIn, fieldOf, isMade, membersOf, REFERENCES } from './compare.js'

/** Refusals of a call that names a record which does not exist, and the rules that they may name. */
export const MISSING_CODES: readonly unknown[] = ['resource_missing', 'reference_missing']
export const MISSING_RULES = ['TXN-1', 'REF-1', 'USR-1'] as const

/** What the answers of a service have said of its records so far. */
export class RecordsThere {
  readonly #has = new Map<string, boolean>()

  /** Learns from an answer. A call that was made shows that the service has the records that it names; a refusal because a record is missing, that it lacks that one, where only one can be meant. */
  note(call: StepCall, answer: StepAnswer): void {
    const named = namedIn({ ...call, query: '' })
    const lacked = this.#lackedOf(named, answer)
    const shown = isMade(answer) ? [...named.map(({ id }) => id), ...idsShownIn(answer.body)] : []
    for (const id of shown) this.#has.set(id, true)
    const gone = isMade(answer) && call.method === 'DELETE' ? named.slice(-1) : []
    for (const { id } of lacked.length === 1 ? lacked : gone) this.#has.set(id, false)
  }

  /** Whether the service has said that it does not have a record that a call names. */
  isWithout(call: StepCall): boolean {
    return namedIn(call).some(({ id }) => this.#has.get(id) === false)
  }

  /** The records, in words, at least one of which the service lacks by its refusal; null where it refuses for another reason, or has shown them all. */
  lackedBy(call: StepCall, answer: StepAnswer): string | null {
    const lacked = this.#lackedOf(namedIn(call), answer)
    return lacked.length === 0 ? null : lacked.map(({ families: [family], id }) => `${RESOURCE_NAMES[family as Family]} ${id}`).join(' or no ')
  }

  #lackedOf(named: readonly NamedRecord[], answer: StepAnswer): NamedRecord[] {
    return saysMissing(answer) ? named.filter(({ id }) => this.#has.get(id) !== true) : []
  }
}

/** Whether an answer refuses a call because a record does not exist. */
export function saysMissing({ status, body }: StepAnswer): boolean {
  const { code, rule = null } = errorIn(body)
  return MISSING_CODES.includes(code) || (status === 404 && (rule === null || (MISSING_RULES as readonly unknown[]).includes(rule)))
}

/** The records that a call names in its path, its filters and its body. */
export function namedIn({ method, path, query, form }: StepCall): NamedRecord[] {
  const at = operationAt(method, path)
  const namesIn = (text: string) => Object.fromEntries(new URLSearchParams(text))
  return at === null ? [] : recordsNamedBy({ params: at.params, query: namesIn(query), body: namesIn(form ?? '') }, [at.operation])
}

/** The ids of the records that a body shows or refers to: it is a record or a list, and a Transaction includes its Refunds. */
function idsShownIn(body: Json): string[] {
  const outer = [body, ...membersOf(body)]
  const records = [...outer, ...outer.flatMap(record => membersOf(fieldOf(record, 'refunds')))]
  return records.flatMap(record => ['id', ...REFERENCES].map(name => fieldOf(record, name as string))).filter(id => typeof id === 'string')
}
