/** One predicate for each rule and assumption, over the request, the records and response. */
import type { TSchema } from 'typebox'
import { FormObject, nodeIn, valueIn } from '../core/form.js'
import { partAt } from '../core/places.js'
import type { Facts, RefundFacts } from '../core/rules.js'
import {
  type AnyRecord,
  hasReached,
  hasRun,
  listIn,
  recordsIn,
  STAGE,
  violatedRule
} from '../engine/outcome.js'
import type { Reading } from '../engine/reading.js'
import type { Response } from '../engine/response.js'
import { ASSUMPTION_IDS, ASSUMPTION_PLACES, type AssumptionId } from '../reference/assumptions.js'
import { type Kind, OPERATION_IDS, type OperationId, operationOf } from '../reference/operations.js'
import { ADDRESS_NAMES, type Metadata, schemaOf } from '../reference/parameters.js'
import { isOfCard, type PaymentMethod } from '../reference/payment-methods.js'
import { RULES, type Rule, type RuleId } from '../reference/rules.js'
import { TABLES, type Tables } from '../reference/tables.js'

/** In the order of checks. */
export type Judgement = {
  readonly passed: readonly RuleId[]
  readonly violated: RuleId | null
  readonly relied: readonly AssumptionId[]
}
export type Caller = Pick<Reading, 'base' | 'userAgent' | 'test' | 'actor'> & {
  readonly account: string | null
  readonly isKeySent: boolean
  readonly trace: string | null
}
/** The part of an entry that it is judged by. */
export type Judged = Pick<Reading, 'operation' | 'query' | 'body' | 'settings'> &
  Pick<Response, 'outcome' | 'facts'> & { readonly caller: Caller }

type Predicate = (call: Judged) => boolean
const A10 = ASSUMPTION_PLACES.A10

const isKind = ({ operation }: Judged, kind: Kind) =>
  operation !== null && operationOf(operation).kind === kind
const sent = (call: Judged, ...path: readonly string[]) => valueIn(call.body, ...path) !== undefined
const asked = (call: Judged, ...path: readonly string[]) =>
  valueIn(call.query, ...path) !== undefined

const typeSent = ({ body }: Judged) => valueIn(body, 'payment_type')
const hasNested = (form: FormObject) => [...form.values()].some(part => part instanceof FormObject)
const isKeyed = (call: Judged) => call.caller.account !== null
const isDecoded = (call: Judged) => hasReached(call, STAGE.decoded)

const addressSent: Predicate = ({ body }) =>
  ADDRESS_NAMES.some(name => nodeIn(body, ['address', name]) !== undefined)

const metadataSent = ({ body }: Judged) => {
  const metadata = body.get('metadata')
  return metadata instanceof FormObject ? [...metadata] : []
}

const recordOf = ({ outcome }: Judged) => outcome.result as AnyRecord
const metadataBefore = ({ facts }: Judged) => facts.record?.metadata as Metadata
const hasMetadata: Predicate = call => Object.keys(metadataBefore(call)).length > 0

/** By whether a parameter was sent, and its values before and after. */
function anyUpdated(
  { operation, facts, outcome, body }: Judged,
  is: (isSent: boolean, before: unknown, after: unknown) => boolean
): boolean {
  const updatable = UPDATABLE.get(operation) as string[][]
  return updatable.some(path => {
    // alone or with its whole object, perhaps empty
    const isSent = nodeIn(body, path) !== undefined || isWholeEmptied(body, path)
    return is(isSent, partAt(facts.record, path), partAt(outcome.result, path))
  })
}

/** The parameters of each update without metadata; parts of objects by nested names. */
const UPDATABLE = new Map<OperationId | null, string[][]>(
  OPERATION_IDS.filter(id => operationOf(id).kind === 'update').map(id => {
    const { properties = {} } = schemaOf((TABLES[id] as Tables).body as TSchema)
    const paths = Object.entries(properties).flatMap(([name, { properties: parts }]) =>
      parts ? Object.keys(parts).map(part => [name, part]) : [[name]]
    )
    return [id, paths.filter(([name]) => name !== 'metadata')]
  })
)

const isWholeEmptied = (form: FormObject, [head = '']: readonly string[]) => {
  const whole = form.get(head)
  return whole === '' || (whole instanceof FormObject && whole.cleared)
}

const keptSomething: Predicate = call =>
  anyUpdated(call, (isSent, before, after) => !isSent && before !== null && before === after) ||
  (!call.body.has('metadata') && hasMetadata(call))

const unsetSomething: Predicate = call =>
  anyUpdated(call, (isSent, before, after) => isSent && before !== null && after === null)

const createdBy =
  (comparison: string): Predicate =>
  call =>
    call.facts.isCompared && asked(call, 'created', comparison)
const searched = (call: Judged) => asked(call, 'search_query')
const matched = (call: Judged) => searched(call) && shows(call, 1)
const shows = (call: Judged, least: number) => recordsIn(call).length >= least

/** Whether or not its operation ran. */
const WAY_IN: Readonly<Partial<Record<RuleId, Predicate>>> = {
  'BASE-1': () => true,
  'AUTH-1': isKeyed,
  'AUTH-3': isKeyed,
  'FORM-1': call => isDecoded(call) && call.body.size > 0,
  'FORM-2': call => isDecoded(call) && (hasNested(call.body) || hasNested(call.query)),
  'FORM-3': call => isDecoded(call) && call.query.size > 0
}

/** If the operation ran too; others are passed whenever it ran. */
const PASSED: Readonly<Partial<Record<RuleId, Predicate>>> = {
  'AUTH-2': call => !call.caller.isKeySent,

  'ADDR-1': addressSent,
  'ADDR-2': call => sent(call, 'address', 'country'),
  'META-1': call => metadataSent(call).some(([, value]) => value !== ''),
  'META-2': call =>
    metadataSent(call).some(
      ([key, value]) => value === '' && Object.hasOwn(metadataBefore(call), key)
    ),
  'META-3': call => isWholeEmptied(call.body, ['metadata']) && hasMetadata(call),
  'UPD-1': keptSomething,
  'UPD-2': unsetSomething,

  'LIST-2': call => listIn(call)?.has_more === true,
  'LIST-3': call => asked(call, 'limit') && !call.facts.relied.has(A10),
  'FILT-1': createdBy('gte'),
  'FILT-2': createdBy('gt'),
  'FILT-3': createdBy('lte'),
  'FILT-4': createdBy('lt'),
  'FILT-5': call => call.facts.filteredBy !== null,
  'FILT-6': call => call.facts.filteredBy !== null || call.facts.isCompared,
  'SRCH-1': matched,
  'SRCH-2': matched,
  'SRCH-3': call =>
    searched(call) &&
    recordsIn(call).length < call.facts.retrieved &&
    listIn(call)?.has_more === true,

  'ACC-1': call => isKind(call, 'create'),
  'USR-1': call => !isKind(call, 'list') || shows(call, 1),

  'TXN-3': call => typeSent(call) === 'vip',
  'TXN-4': call => typeSent(call) === 'apple_pay',
  'TXN-5': call => has(call, 'bank_account'),
  'TXN-6': call => sent(call, 'currency'),
  'TXN-7': call => ['amount', 'tip_amount', 'donation_amount'].some(name => sent(call, name)),
  'TXN-8': call => recordsIn(call).some(record => Number(record.amount_refunded) > 0),

  'REF-2': call => isOfCard(recordOf(call).payment_method as PaymentMethod),
  'REF-3': call => sent(call, 'amount'),
  'REF-4': call => !sent(call, 'amount'),
  'REF-5': isPartial,
  'REF-8': call => !sent(call, 'reason'),
  'REF-9': call => call.body.has('metadata'),
  'REF-10': call =>
    call.facts.filteredBy !== null || (!asked(call, 'transaction') && shows(call, 2))
}

/** Something remains after the Refund, or it was not the first of its Transaction. */
function isPartial(call: Judged) {
  const { refunded = 0, remaining = 0 }: Partial<RefundFacts> = call.facts.money ?? {}
  return remaining > Number(recordOf(call).amount) || refunded > 0
}

export function hasValue(node: unknown): boolean {
  if (node instanceof FormObject) return [...node.values()].some(hasValue)
  return typeof node === 'string' && node !== ''
}

const refundFacts = ({ facts }: Judged): Facts => facts.money as RefundFacts
const pageFacts = (call: Judged): Facts => ({
  retrieved: call.facts.retrieved,
  shown: recordsIn(call).length,
  has_more: listIn(call)?.has_more
})

export const FACTS: Readonly<Partial<Record<RuleId, (call: Judged) => Facts>>> = {
  'LIST-2': pageFacts,
  'SRCH-1': pageFacts,
  'SRCH-2': pageFacts,
  'SRCH-3': pageFacts,
  'LOC-3': ({ caller: { account } }) => ({ account }),
  'TXN-5': call => ({ payment_type: typeSent(call), used: typeSent(call) === 'vip' }),
  'REF-1': refundFacts,
  'REF-3': refundFacts,
  'REF-4': refundFacts,
  'REF-5': refundFacts
}

const showsRecord: Predicate = call => shows(call, 1)
const ifRun =
  (holds: Predicate): Predicate =>
  call =>
    hasRun(call) && holds(call)
const ifPaid = (holds: Predicate): Predicate =>
  ifRun(call => call.operation === 'createTransaction' && holds(call))
const has = ({ body }: Judged, name: string) => hasValue(body.get(name))

export const amountSent = ({ body }: Pick<Judged, 'body'>): string | undefined =>
  valueIn(body, 'amount') ??
  valueIn(body, 'amounts', 'transaction_amount') ??
  valueIn(body, 'amounts', 'payment_amount')

const metadataMerged: Predicate = call =>
  call.body.get('metadata') instanceof FormObject && hasMetadata(call)

const isDefaultOrLess = ({ query, settings }: Judged) =>
  Number(valueIn(query, 'limit') ?? Number.NaN) <= settings['pagination.default_limit']

/** When a response relies on each assumption that is not noted on the way. */
const RELIES: Readonly<Partial<Record<AssumptionId, Predicate>>> = {
  A02: hasRun,
  A03: hasRun,
  A04: showsRecord,
  A05: showsRecord,
  A06: hasRun,
  A07: ({ outcome }) => outcome.refusal !== null,
  A08: call => call.outcome.refusal !== null && !hasRun(call),
  A09: hasRun,
  A10: ifRun(
    call =>
      !isDefaultOrLess(call) || call.settings['pagination.cursors'].some(name => asked(call, name))
  ),
  A12: ifRun(searched),
  A13: ifRun(searched),
  A17: ifRun(call => isKind(call, 'update') && metadataMerged(call)),
  A20: ({ caller }) => caller.isKeySent,
  A21: ifRun(call =>
    call.operation === 'createAccount'
      ? recordOf(call).reseller !== null
      : call.operation === 'createLocation' || call.operation === 'createUser'
  ),
  A22: ifPaid(call => !sent(call, 'currency') && !sent(call, 'amounts', 'currency')),
  A23: call => hasReached(call, STAGE.running),
  // without an amount it settles nothing, which is not the same as an amount of 0
  A24: ifPaid(call => has(call, 'amounts') || amountSent(call) === undefined),
  A25: ifPaid(call => has(call, 'card') || has(call, 'bank_account')),
  A26: ifPaid(call => has(call, 'bank_account') && recordOf(call).payment_type !== 'vip'),
  A27: ifPaid(call => sent(call, 'adjustment_number')),
  A28: hasRun,
  A29: showsRecord,
  A31: ifRun(call => recordOf(call).type !== call.facts.record?.type)
}

type Checks = {
  rules: readonly (readonly [RuleId, Predicate])[]
  assumptions: readonly { id: AssumptionId; place: number; relies: Predicate | undefined }[]
}
const checksOf = (rules: readonly RuleId[], assumptions: readonly AssumptionId[]): Checks => ({
  rules: rules
    .filter(rule => (RULES[rule] as Rule).passable !== false)
    .map(rule => [rule, WAY_IN[rule] ?? ifRun(PASSED[rule] ?? (() => true))]),
  assumptions: ASSUMPTION_IDS.filter(id => assumptions.includes(id)).map(id => ({
    id,
    place: ASSUMPTION_PLACES[id],
    relies: RELIES[id]
  }))
})
const CHECKS = new Map<OperationId | null, Checks>(
  OPERATION_IDS.map(id => {
    const { rules, assumptions } = operationOf(id)
    return [id, checksOf(rules, assumptions)]
  })
).set(null, checksOf([], ['A07', 'A08', 'A39']))

export function judgementOf(call: Judged): Judgement {
  const { rules, assumptions } = CHECKS.get(call.operation) as Checks
  const violated = violatedRule(call)
  const passed: RuleId[] = []
  const relied: AssumptionId[] = []
  for (const [rule, isPassed] of rules) if (rule !== violated && isPassed(call)) passed.push(rule)
  for (const { id, place, relies } of assumptions)
    if (call.facts.relied.has(place) || relies?.(call)) relied.push(id)
  return { passed, violated, relied }
}
