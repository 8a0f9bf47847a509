/** Why an answer of a running service differs where no setting makes the emulator answer so: a rule, an assumption, an unknown field, or other data. */
import type { Step } from '../../core/places.js'
import type { GivenSettings } from '../../core/settings.js'
import type { Exchange } from '../../engine/exchange.js'
import type { AssumptionId } from '../../reference/assumptions.js'
import { type Family, type Kind, type Operation, operationOf } from '../../reference/operations.js'
import { RULES, type RuleId } from '../../reference/rules.js'
import type { StepAnswer, StepCall } from '../../scenario/steps.js'
import { errorIn, type FieldDifference, fieldOf, isFailure, membersOf } from './compare.js'
import type { IdPairs } from './id-pairs.js'
import { MISSING_CODES, MISSING_RULES, namedIn, type RecordsThere, saysMissing } from './records-there.js'

export type Cause =
  | { by: 'rule'; rules: readonly RuleId[] }
  | { by: 'setting'; assumption: AssumptionId; settings: GivenSettings }
  | { by: 'assumption'; assumption: AssumptionId }
  | { by: 'field'; family: Family; field: string; isTop: boolean }
  /** `lacked`, in words: the records, at least one of which the service says that it does not have. */
  | { by: 'data'; lacked?: string }
  | { by: 'script' }
/** A call with the answers of the service and of the emulator, and all that differs between them. */
export type Compared = {
  call: StepCall
  there: StepAnswer
  here: StepAnswer
  judged: Exchange
  differences: readonly FieldDifference[]
  pairs: IdPairs
  recordsThere: RecordsThere
  /** Accounts that the service may have acted as. */
  accounts: readonly string[]
}
/** What a difference is about: rules, any of which may be broken, an assumption, a field, or null for other data. */
type Found = readonly RuleId[] | AssumptionId | Cause | null

const DATA: Cause = { by: 'data' }
/** Refusals because the emulator lacks a record or key, which the service may have. */
const UNKNOWN_HERE: readonly unknown[] = [...MISSING_CODES, 'cursor_unknown', 'api_key_unknown', 'api_key_missing']
const ID_FIELDS: readonly unknown[] = ['first_id', 'last_id']
const LIST_FIELDS: readonly unknown[] = ['data', 'has_more', ...ID_FIELDS, 'url', 'object']
const FILTER_RULES: Readonly<Record<string, RuleId>> = {
  'created[gte]': 'FILT-1',
  'created[gt]': 'FILT-2',
  'created[lte]': 'FILT-3',
  'created[lt]': 'FILT-4',
  location: 'FILT-5',
  transaction: 'REF-10'
}
/** Beginnings of rules that are about every call. */
const GENERAL = /^(?:FORM|AUTH|BASE)/
/** Refunds that a Transaction includes (TXN-8). */
const MOST_EMBEDDED = 10
/** What the status of an answer shows that was made. */
const STATUSES: Readonly<Partial<Record<Kind, Found>>> = { delete: ['USR-4'], create: 'A06' }
/** What the fields of a new record show: of any family or of one, whether or not they were sent. */
const CREATED: ReadonlyMap<string, Found> = new Map<string, Found>([
  ...['account', 'location', 'reseller'].map(owner => [owner, 'A21'] as const),
  ['metadata', ['META-1']],
  ...['payment_method', 'currency'].map(copied => [`refunds ${copied}`, 'A28'] as const),
  ['refunds amount false', ['REF-4']],
  ['refunds reason false', ['REF-8']],
  ['transactions payment_method', 'A25'],
  ['transactions currency true', ['TXN-6']],
  ['transactions currency false', 'A22'],
  ...['amounts', 'amount false'].map(amount => [`transactions ${amount}`, 'A24'] as const)
])

/** The cause of one difference; a rule or an assumption only where the operation can rely on it. */
export function causeOf(difference: FieldDifference, compared: Compared): Cause {
  const { operation } = compared.judged
  if (operation === null) return DATA
  const lacked = lackedThere(compared)
  if (lacked !== null) return { by: 'data', lacked }
  const about = operationOf(operation)
  const found = difference.kind === 'outcome' ? causeOfOutcome(compared, about) : causeOfField(difference, compared, about)
  if (typeof found === 'string') return about.assumptions.includes(found) ? { by: 'assumption', assumption: found } : DATA
  if (found === null || 'by' in found) return found ?? DATA
  return found.length > 0 && found.every(rule => about.rules.includes(rule)) ? { by: 'rule', rules: found } : DATA
}

/** What a service may lack, in words, where it refuses a call for a record that the emulator has. */
export const lackedThere = ({ call, there, judged, recordsThere }: Compared): string | null =>
  MISSING_CODES.includes(judged.outcome.refusal?.code) ? null : recordsThere.lackedBy(call, there)

/** The cause where one of the two services did what the other refused. */
function causeOfOutcome({ call, there, judged: { outcome }, recordsThere }: Compared, about: Operation): Found {
  if (isFailure(there)) return null
  if (outcome.refusal !== null) {
    const { code, rule, assumption } = outcome.refusal
    if (UNKNOWN_HERE.includes(code) && !(MISSING_CODES.includes(code) && recordsThere.isWithout(call))) return null
    return rule === null ? assumption : [rule]
  }
  // the service has shown every record that the call names
  if (saysMissing(there) && namedIn(call).length > 0) return MISSING_RULES.filter(rule => about.rules.includes(rule))
  const named = errorIn(there.body).rule
  if (typeof named === 'string' && named in RULES) return [named as RuleId]
  // a key or a record that the service does not have
  if (there.status === 401 || there.status === 404 || about.kind === 'read') return null
  return about.rules.filter(rule => RULES[rule].violable && !GENERAL.test(rule))
}

function causeOfField(difference: FieldDifference, compared: Compared, about: Operation): Found {
  const { here, there } = compared
  const { steps, kind } = difference
  if (isFailure(there)) return null
  if (here.status >= 400) return kind === 'status' ? 'A08' : 'A07'
  if (kind === 'status') return STATUSES[about.kind] ?? 'A08'
  if (kind === 'prefix') return 'A02'
  if (kind === 'length') return 'A03'
  return about.kind === 'list' ? causeInList(difference, compared, about) : causeInRecord(difference, steps, compared, about)
}

/** The list that an answer is differs in its members, or in what is said of them. */
function causeInList(difference: FieldDifference, compared: Compared, about: Operation): Found {
  const { steps, kind, here, there } = difference
  const [first, index, ...rest] = steps
  if (first === 'data' && rest.length > 0) return causeInRecord(difference, rest, compared, about)
  const areOthers = compared.differences.some(
    other => other.steps[0] === 'data' && other.steps.length <= 2 && (other.kind === 'record' || other.kind === 'members')
  )
  if (areOthers && LIST_FIELDS.includes(first)) return causeOfMembers(compared, about)
  if (kind === 'missing' && (first === 'data' || first === 'has_more')) return ['LIST-1']
  if (kind === 'unknown' || kind === 'missing') return 'A09'
  if (first === 'data' || index !== undefined) return null
  // more records may follow at the service; what it has of them is known only where it shows the same ones
  if (first === 'has_more') return here === true && membersOf(compared.there.body).length > 0 ? ['LIST-2'] : null
  // a page that a search filtered says what was retrieved for it
  const { pairs } = compared
  return typeof there === 'string' && ID_FIELDS.includes(first) && !pairs.known.isKnown(pairs.here(there)) ? null : 'A09'
}

/** A list holds other records: too many for its limit, the same in another order, or some that a filter keeps out here. */
function causeOfMembers({ call, there, here, pairs }: Compared, about: Operation): Found {
  const query = new URLSearchParams(call.query)
  const [of, by] = [there, here].map(({ body }) => membersOf(body).map(member => String(fieldOf(member, 'id')))) as [string[], string[]]
  const shown = of.map(pairs.here)
  const limit = query.get('limit')
  if (limit !== null && of.length > Number(limit)) return ['LIST-3']
  if (of.length === 0 || !shown.every(pairs.known.isKnown)) return null
  const areSame = shown.every(id => by.includes(id))
  if (areSame && of.length === by.length) return about.family === 'refunds' ? ['REF-10'] : 'A11'
  // a whole list shows what its filters let through
  const isWhole = fieldOf(here.body, 'has_more') === false && !query.has('starting_after') && !query.has('ending_before')
  if (!isWhole || areSame) return limit === null && !query.has('search_query') && fieldOf(there.body, 'has_more') === true ? 'A10' : null
  if (query.has('search_query')) return [about.family === 'tickets' ? 'SRCH-1' : 'SRCH-2']
  return [...query.keys()].filter(name => Object.hasOwn(FILTER_RULES, name)).map(name => FILTER_RULES[name] as RuleId)
}

/** A record differs in a field; `steps` lead to it from the record. */
function causeInRecord({ kind, here, there }: FieldDifference, steps: readonly Step[], { call, differences }: Compared, about: Operation): Found {
  const [top, ...below] = steps as [string, ...Step[]]
  const isEmbedded = about.family === 'transactions' && top === 'refunds'
  // the keys of metadata are data
  const isKey = top === 'metadata' && below.length > 0
  if (kind === 'unknown' && !isKey) {
    const family = isEmbedded && below.length > 1 ? 'refunds' : about.family
    return { by: 'field', family, field: steps.filter(step => typeof step === 'string').join('.'), isTop: below.length === 0 }
  }
  if (isEmbedded) {
    // a service may have made other Refunds
    const isOther = differences.some(({ steps }) => steps.includes('amount_refunded'))
    if (below.length > 0 && kind !== 'members') return isOther ? null : 'A29'
    return below.length === 0 || Number(there) > MOST_EMBEDDED || !isOther ? ['TXN-8'] : null
  }
  if (kind === 'missing' && !isKey) return 'A04'
  if (top === 'created') return 'A05'
  if (about.kind !== 'create' && about.kind !== 'update') return null
  if (top === 'address' && typeof here === 'string' && typeof there === 'string' && here.toLowerCase() === there.toLowerCase()) return 'A30'
  const sent = new URLSearchParams(call.form ?? '')
  const names = [...sent.keys()].filter(name => name === top || name.startsWith(`${top}[`))
  if (about.kind === 'update') return causeInUpdate(top, below, sent, names)
  const ways = [top, `${about.family} ${top}`, `${about.family} ${top} ${names.length > 0}`]
  return ways.map(way => CREATED.get(way)).find(found => found !== undefined) ?? null
}

function causeInUpdate(top: string, below: readonly Step[], sent: URLSearchParams, names: readonly string[]): Found {
  if (top === 'metadata') {
    if (sent.get('metadata') === '') return ['META-3']
    return sent.get(`metadata[${below[0]}]`) === '' ? ['META-2'] : 'A17'
  }
  if (names.length === 0) return ['UPD-1']
  return names.some(name => sent.get(name) === '') ? ['UPD-2'] : null
}
