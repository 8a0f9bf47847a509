/** Why an answer of a running service differs where no setting makes the emulator answer so: a rule, an assumption, an unknown field, or other data. */
import type { Step } from '../../core/places.js'
import type { AssumptionId } from '../../reference/assumptions.js'
import { type Family, type Operation, operationOf } from '../../reference/operations.js'
import { RULES, type RuleId } from '../../reference/rules.js'
import type { Json, StepAnswer, StepCall } from '../../scenario/steps.js'
import { errorIn, type FieldDifference, isFailure } from './compare.js'
import type { JudgedAnswer } from './emulated.js'
import type { IdPairs } from './id-pairs.js'
import { MISSING_CODES, MISSING_RULES, namedIn, type RecordsThere, saysMissing } from './records-there.js'

export type Cause =
  | { by: 'rule'; rules: readonly RuleId[] }
  | { by: 'assumption'; assumption: AssumptionId }
  | { by: 'field'; family: Family; field: string; isTop: boolean }
  /** `lacked`, in words: the records, at least one of which the service says that it does not have. */
  | { by: 'data'; lacked?: string }
/** A call with both answers, and all that differs between them. */
export type Differing = {
  call: StepCall
  there: StepAnswer
  here: JudgedAnswer
  differences: readonly FieldDifference[]
  pairs: IdPairs
  recordsThere: RecordsThere
  /** Whether the emulator has a record of this id. */
  isKnown: (id: string) => boolean
}

const DATA: Cause = { by: 'data' }
/** Refusals because the emulator lacks a record or key, which the service may have. */
const UNKNOWN_HERE: readonly unknown[] = [...MISSING_CODES, 'cursor_unknown', 'api_key_unknown', 'api_key_missing']
const ID_FIELDS: readonly Step[] = ['first_id', 'last_id']
const LIST_FIELDS: readonly Step[] = ['has_more', ...ID_FIELDS, 'url', 'object']
const FILTER_RULES: Readonly<Record<string, RuleId>> = {
  'created[gte]': 'FILT-1',
  'created[gt]': 'FILT-2',
  'created[lte]': 'FILT-3',
  'created[lt]': 'FILT-4',
  location: 'FILT-5',
  transaction: 'REF-10'
}

/** The cause of one difference; a rule or an assumption only where the operation can rely on it. */
export function causeOf(difference: FieldDifference, differing: Differing): Cause {
  const { operation } = differing.here.judged
  if (operation === null) return DATA
  const about = operationOf(operation)
  const lacked = lackedThere(differing)
  if (lacked !== null) return { by: 'data', lacked }
  const cause = difference.kind === 'outcome' ? causeOfOutcome(differing, about) : causeOfField(difference, differing, about)
  if (cause.by === 'rule') return cause.rules.every(rule => about.rules.includes(rule)) ? cause : DATA
  return cause.by === 'assumption' && !about.assumptions.includes(cause.assumption) ? DATA : cause
}

/** What a service may lack, in words, where it refuses a call for a record that the emulator has. */
export function lackedThere({ call, there, here: { judged }, recordsThere }: Pick<Differing, 'call' | 'there' | 'here' | 'recordsThere'>): string | null {
  return MISSING_CODES.includes(judged.outcome.refusal?.code) ? null : recordsThere.lackedBy(call, there)
}

const byRule = (...rules: RuleId[]): Cause => ({ by: 'rule', rules })
const byAssumption = (assumption: AssumptionId): Cause => ({ by: 'assumption', assumption })

/** The cause where one of the two services did what the other refused. */
function causeOfOutcome({ call, there, here: { judged }, recordsThere }: Differing, about: Operation): Cause {
  if (isFailure(there)) return DATA
  if (judged.outcome.refusal !== null) {
    const { code, rule, assumption } = judged.outcome.refusal
    if (UNKNOWN_HERE.includes(code) && !(MISSING_CODES.includes(code) && recordsThere.isWithout(call))) return DATA
    return rule !== null ? byRule(rule) : byAssumption(assumption as AssumptionId)
  }
  // the service has shown every record that the call names
  if (saysMissing(there) && namedIn(call).length > 0) {
    const rules = MISSING_RULES.filter(rule => about.rules.includes(rule))
    return rules.length > 0 ? byRule(...rules) : DATA
  }
  const named = errorIn(there.body).rule
  if (typeof named === 'string' && named in RULES) return byRule(named as RuleId)
  // a key or a record that the service does not have
  if (there.status === 401 || there.status === 404) return DATA
  const own = about.rules.filter(rule => RULES[rule].violable && !GENERAL.some(general => rule.startsWith(general)))
  return own.length > 0 && about.kind !== 'read' ? byRule(...own) : DATA
}

/** Beginnings of rules that are about every call. */
const GENERAL = ['FORM', 'AUTH', 'BASE']

function causeOfField(difference: FieldDifference, differing: Differing, about: Operation): Cause {
  const { here, there } = differing
  const { steps, kind } = difference
  if (isFailure(there)) return DATA
  if (kind === 'status') {
    if (here.answer.status >= 400) return byAssumption('A08')
    return about.kind === 'delete' ? byRule('USR-4') : byAssumption(about.kind === 'create' ? 'A06' : 'A08')
  }
  if (here.answer.status >= 400) return byAssumption('A07')
  if (kind === 'prefix') return byAssumption('A02')
  if (kind === 'length') return byAssumption('A03')
  if (about.kind === 'list') return causeInList(difference, differing, about)
  return causeInRecord(difference, steps, differing, about)
}

/** The list that an answer is differs in its members, or in what is said of them. */
function causeInList(difference: FieldDifference, differing: Differing, about: Operation): Cause {
  const { differences } = differing
  const { steps, kind, here, there } = difference
  const [first, index, ...rest] = steps
  if (first === 'data' && rest.length > 0) return causeInRecord(difference, rest, differing, about)
  const areOthers = differences.some(other => other.steps[0] === 'data' && (other.kind === 'record' || other.kind === 'members') && other.steps.length <= 2)
  if (areOthers && (first === 'data' || LIST_FIELDS.includes(first as Step))) return causeOfMembers(differing, about)
  if (kind === 'unknown') return byAssumption('A09')
  if (kind === 'missing') return first === 'data' || first === 'has_more' ? byRule('LIST-1') : byAssumption('A09')
  if (first === 'data' || index !== undefined) return DATA
  // more records may follow at the service; what it has of them is known only where it shows the same ones
  if (first === 'has_more') return here === true && idsIn(differing.there.body).length > 0 ? byRule('LIST-2') : DATA
  // a page that a search filtered says what was retrieved for it
  return typeof there === 'string' && ID_FIELDS.includes(first as Step) && !differing.isKnown(differing.pairs.here(there)) ? DATA : byAssumption('A09')
}

/** A list holds other records: too many for its limit, the same in another order, or some that a filter keeps out here. */
function causeOfMembers({ call, there, here, pairs, isKnown }: Differing, about: Operation): Cause {
  const query = new URLSearchParams(call.query)
  const of = idsIn(there.body).map(id => pairs.here(id))
  const by = idsIn(here.answer.body)
  const limit = query.get('limit')
  if (limit !== null && of.length > Number(limit)) return byRule('LIST-3')
  if (of.length === 0 || !of.every(isKnown)) return DATA
  if (of.length === by.length && of.every(id => by.includes(id))) return about.family === 'refunds' ? byRule('REF-10') : byAssumption('A11')
  // a whole list shows what its filters let through
  const isWhole = (here.answer.body as { has_more?: unknown }).has_more === false && !query.has('starting_after') && !query.has('ending_before')
  if (!isWhole || of.every(id => by.includes(id))) return limit === null && !query.has('search_query') && hasMore(there.body) ? byAssumption('A10') : DATA
  if (query.has('search_query')) return byRule(about.family === 'tickets' ? 'SRCH-1' : 'SRCH-2')
  const filters = [...query.keys()].filter(name => Object.hasOwn(FILTER_RULES, name))
  return filters.length > 0 ? byRule(...filters.map(name => FILTER_RULES[name] as RuleId)) : DATA
}

const hasMore = (body: Json) => (body as { has_more?: unknown }).has_more === true

/** The ids of a list, which is an object where its members or its fields are compared. */
const idsIn = (body: Json): string[] => {
  const { data } = body as { data?: unknown }
  return Array.isArray(data) ? data.map(member => String((member as { id?: unknown } | null)?.id)) : []
}

/** The Refunds that a Transaction shows: a service may have made others. */
function causeInRefunds({ kind, there }: FieldDifference, below: readonly Step[], { differences }: Differing): Cause {
  if (below.length === 0) return byRule('TXN-8')
  const isOther = differences.some(({ steps }) => steps.includes('amount_refunded'))
  if (kind === 'members') return Number(there) > MOST_EMBEDDED || !isOther ? byRule('TXN-8') : DATA
  return isOther ? DATA : byAssumption('A29')
}

/** Refunds that a Transaction includes (TXN-8). */
const MOST_EMBEDDED = 10

/** A record differs in a field; `steps` lead to it from the record. */
function causeInRecord(difference: FieldDifference, steps: readonly Step[], differing: Differing, about: Operation): Cause {
  const { kind, here, there } = difference
  const { call } = differing
  const [top, ...below] = steps
  const embedded = about.family === 'transactions' && top === 'refunds'
  const family = embedded && below.length > 1 ? 'refunds' : about.family
  // the keys of metadata are data
  const isKey = top === 'metadata' && below.length > 0
  if (kind === 'unknown' && !isKey) {
    const field = steps.filter(step => typeof step === 'string').join('.')
    return { by: 'field', family, field, isTop: below.length === 0 }
  }
  if (embedded) return causeInRefunds(difference, below, differing)
  if (kind === 'missing' && !isKey) return byAssumption('A04')
  if (top === 'created') return byAssumption('A05')
  const isWritten = about.kind === 'create' || about.kind === 'update'
  if (!isWritten) return DATA
  const sent = new URLSearchParams(call.form ?? '')
  const names = [...sent.keys()].filter(name => name === top || name.startsWith(`${top}[`))
  if (top === 'address' && typeof here === 'string' && typeof there === 'string' && here.toLowerCase() === there.toLowerCase()) return byAssumption('A30')
  if (about.kind === 'update') return causeInUpdate(top as string, below, { sent, names })
  return causeInCreated(top as string, names.length > 0, about)
}

type SentNames = { sent: URLSearchParams; names: readonly string[] }

function causeInUpdate(top: string, below: readonly Step[], { sent, names }: SentNames): Cause {
  if (top === 'metadata') {
    if (sent.get('metadata') === '') return byRule('META-3')
    return sent.get(`metadata[${below[0]}]`) === '' ? byRule('META-2') : byAssumption('A17')
  }
  if (names.length === 0) return byRule('UPD-1')
  return names.some(name => sent.get(name) === '') ? byRule('UPD-2') : DATA
}

const OWNERS = ['account', 'location', 'reseller']

function causeInCreated(top: string, isSent: boolean, { family }: Operation): Cause {
  if (OWNERS.includes(top)) return byAssumption('A21')
  if (top === 'metadata') return byRule('META-1')
  if (family === 'refunds') {
    if (top === 'payment_method' || top === 'currency') return byAssumption('A28')
    if (isSent) return DATA
    if (top === 'amount') return byRule('REF-4')
    return top === 'reason' ? byRule('REF-8') : DATA
  }
  if (top === 'payment_method') return byAssumption('A25')
  if (top === 'currency') return isSent ? byRule('TXN-6') : byAssumption('A22')
  return top === 'amounts' || (top === 'amount' && !isSent) ? byAssumption('A24') : DATA
}
