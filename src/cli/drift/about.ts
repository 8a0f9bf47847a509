/** What a wrong answer of a running service is about: the rule or the assumption by which the emulator answers otherwise. */
import type { Step } from '../../core/places.js'
import type { Exchange } from '../../engine/exchange.js'
import type { AssumptionId } from '../../reference/assumptions.js'
import { type Kind, type Operation, operationOf } from '../../reference/operations.js'
import { RULES, type RuleId } from '../../reference/rules.js'
import type { StepAnswer, StepCall } from '../../scenario/steps.js'
import { errorIn, type FieldDifference, fieldOf, membersOf } from './compare.js'
import type { IdPairs } from './id-pairs.js'

/** A call with the answers of the service and of the emulator. */
export type Compared = {
  call: StepCall
  there: StepAnswer
  here: StepAnswer
  judged: Exchange
  /** All that differs but for what the emulator cannot know, which is `unseen`. */
  differences: readonly FieldDifference[]
  unseen: readonly FieldDifference[]
  pairs: IdPairs
}
export type About = RuleId | AssumptionId | null

/** What the fields of a record show: of any family or of one, in any answer or in one to a create, where they were sent or not. */
const FIELDS: Readonly<Record<string, About>> = {
  created: 'A05',
  amount_refunded: 'A29',
  refunds: 'TXN-8',
  'create account': 'A21',
  'create location': 'A21',
  'create reseller': 'A21',
  'create metadata': 'META-1',
  'create refunds payment_method': 'A28',
  'create refunds currency': 'A28',
  'create refunds amount unsent': 'REF-4',
  'create refunds reason unsent': 'REF-8',
  'create transactions payment_method': 'A25',
  'create transactions currency': 'TXN-6',
  'create transactions currency unsent': 'A22',
  'create transactions amounts': 'A24',
  'create transactions amount unsent': 'A24'
}
/** What the status of an answer shows that was made. */
const STATUSES: Readonly<Partial<Record<Kind, About>>> = { delete: 'USR-4', create: 'A06' }
const LIST_FIELDS: readonly unknown[] = ['url', 'object', 'first_id', 'last_id']

/** What a difference is about; null where that is neither a rule nor an assumption that the operation can rely on. */
export function aboutOf(difference: FieldDifference, compared: Compared): About {
  const { operation } = compared.judged
  if (operation === null || difference.kind === 'form') return null
  const found = foundIn(difference, compared, operationOf(operation))
  const known: readonly unknown[] = [...operationOf(operation).rules, ...operationOf(operation).assumptions]
  return known.includes(found) ? found : null
}

function foundIn({ kind, steps }: FieldDifference, compared: Compared, about: Operation): About {
  const { here, there, judged } = compared
  if (kind === 'outcome') return judged.outcome.refusal === null ? ruleIn(there) : (judged.outcome.refusal.rule ?? judged.outcome.refusal.assumption)
  if (here.status >= 400) return kind === 'status' ? 'A08' : 'A07'
  if (kind === 'status') return STATUSES[about.kind] ?? 'A08'
  if (kind === 'prefix') return 'A02'
  if (kind === 'length') return 'A03'
  if (about.kind !== 'list') return inRecord(kind, steps, compared, about)
  const [first, , ...rest] = steps
  if (first === 'has_more') return kind === 'missing' ? 'LIST-1' : 'LIST-2'
  if (first !== 'data') return kind === 'unknown' || LIST_FIELDS.includes(first) ? 'A09' : null
  return rest.length === 0 ? inMembers(compared, about) : inRecord(kind, rest, compared, about)
}

function ruleIn({ body }: StepAnswer): About {
  const { rule } = errorIn(body)
  return typeof rule === 'string' && rule in RULES ? (rule as RuleId) : null
}

/** A list holds other records: too many for its limit, or the same in another order. */
function inMembers({ call, there, here, pairs }: Compared, { family }: Operation): About {
  const limit = new URLSearchParams(call.query).get('limit')
  const [shown, own] = [there, here].map(({ body }) => membersOf(body).map(member => String(fieldOf(member, 'id')))) as [string[], string[]]
  if (limit !== null && shown.length > Number(limit)) return 'LIST-3'
  const isReordered = shown.length > 0 && shown.length === own.length && shown.every(id => own.includes(pairs.here(id)))
  if (!isReordered) return null
  return family === 'refunds' ? 'REF-10' : 'A11'
}

/** A record differs in a field; `steps` lead to it from the record. */
function inRecord(kind: FieldDifference['kind'], steps: readonly Step[], { call }: Compared, { family, kind: does }: Operation): About {
  const [top, below] = steps as [string, Step?]
  if (family === 'transactions' && top === 'refunds') return 'TXN-8'
  if ((kind === 'unknown' || kind === 'missing') && !(top === 'metadata' && below !== undefined)) return 'A04'
  const sent = new URLSearchParams(call.form ?? '')
  const names = [...sent.keys()].filter(name => name === top || name.startsWith(`${top}[`))
  if (does === 'update') {
    if (top === 'metadata') return sent.get('metadata') === '' ? 'META-3' : sent.get(`metadata[${below}]`) === '' ? 'META-2' : 'A17'
    if (names.length === 0) return 'UPD-1'
    return names.some(name => sent.get(name) === '') ? 'UPD-2' : null
  }
  const own = [`${does} ${family} ${top}${names.length === 0 ? ' unsent' : ''}`, `${does} ${family} ${top}`, `${does} ${top}`, top]
  return FIELDS[own.find(name => Object.hasOwn(FIELDS, name)) ?? ''] ?? null
}
