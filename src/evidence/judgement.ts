/** One predicate for each rule and assumption, over what was sent, found and answered. */
import type { TSchema } from 'typebox'
import { FormObject, nodeIn, valueIn } from '../core/form.js'
import { partAt } from '../core/places.js'
import type { Facts, RefundFacts } from '../core/rules.js'
import {
  type AnyRecord,
  brokenRule,
  hasReached,
  hasRun,
  listShown,
  recordsShown,
  STAGE
} from '../engine/outcome.js'
import type { Account } from '../reference/accounts.js'
import { ASSUMPTION_IDS, type AssumptionId } from '../reference/assumptions.js'
import { type Kind, OPERATION_IDS, type OperationId, operationOf } from '../reference/operations.js'
import { ADDRESS_NAMES, type Metadata, schemaOf } from '../reference/parameters.js'
import { isOfCard, type PaymentMethod } from '../reference/payment-methods.js'
import { RULE_PLACES, RULES, type Rule, type RuleId } from '../reference/rules.js'
import { TABLES, type Tables } from '../reference/tables.js'
import type { Transaction } from '../reference/transactions.js'
import type { Entry, Judgement } from './entry.js'

type Predicate = (call: Entry) => boolean

const operation = (call: Entry) => operationOf(call.operation as OperationId)
const isKind = (call: Entry, kind: Kind) => operation(call).kind === kind
const sent = (call: Entry, ...path: readonly string[]) => valueIn(call.body, ...path) !== undefined
const asked = (call: Entry, ...path: readonly string[]) =>
  valueIn(call.query, ...path) !== undefined

const hasNested = (form: FormObject): boolean =>
  [...form.values()].some(part => part instanceof FormObject)
const isKeyed = (call: Entry) => call.caller.account !== null
const isDecoded = (call: Entry) => hasReached(call, STAGE.decoded)

const addressSent = (call: Entry): boolean => {
  const address = call.body.get('address')
  return address instanceof FormObject && ADDRESS_NAMES.some(name => address.has(name))
}

const metadataSent = ({ body }: Entry) => {
  const metadata = body.get('metadata')
  return metadata instanceof FormObject
    ? [...metadata].map(([key, value]) => ({ key, isEmpty: value === '' }))
    : []
}

const metadataBefore = ({ facts }: Entry) => (facts.found as AnyRecord).metadata as Metadata

function updated({
  operation,
  facts: { found },
  outcome
}: Entry): { path: readonly string[]; before: unknown; after: unknown }[] {
  const updatable = UPDATABLE.get(operation as OperationId) as readonly (readonly string[])[]
  return updatable.map(path => ({
    path,
    before: partAt(found as AnyRecord, path),
    after: partAt(outcome.shown as AnyRecord, path)
  }))
}

/** The parameters of each update without metadata; parts of objects by nested names. */
const UPDATABLE = new Map(
  OPERATION_IDS.filter(id => operationOf(id).kind === 'update').map(id => {
    const { properties = {} } = schemaOf((TABLES[id] as Tables).body as TSchema)
    const paths = Object.entries(properties).flatMap(([name, { properties: parts }]) =>
      parts ? Object.keys(parts).map(part => [name, part]) : [[name]]
    )
    return [id, paths.filter(([name]) => name !== 'metadata')]
  })
)

/** Whether a parameter was sent, alone or with its whole object, perhaps empty. */
const isSent = ({ body }: Entry, path: readonly string[]) =>
  nodeIn(body, path) !== undefined || isWholeEmptied(body, path)
const isWholeEmptied = (form: FormObject, [head]: readonly string[]) => {
  const whole = form.get(head as string)
  return whole === '' || (whole instanceof FormObject && whole.cleared)
}

const keptSomething: Predicate = call =>
  updated(call).some(
    ({ path, before, after }) => !isSent(call, path) && before !== null && before === after
  ) ||
  (!call.body.has('metadata') && Object.keys(metadataBefore(call)).length > 0)

const unsetSomething: Predicate = call =>
  updated(call).some(
    ({ path, before, after }) => before !== null && after === null && isSent(call, path)
  )

const hasRefunds = (record: AnyRecord) => (record.amount_refunded as number) > 0
const refundMade = ({ outcome: { shown }, facts: { money } }: Entry) => ({
  amount: (shown as { amount: number } & AnyRecord).amount,
  ...(money as RefundFacts)
})
const createdBy =
  (comparison: string): Predicate =>
  call =>
    call.facts.isCompared && asked(call, 'created', comparison)
const searched = (call: Entry) => asked(call, 'search_query')
const shows = (call: Entry, least: number) => recordsShown(call).length >= least

/** Whether or not its operation ran. */
const KEPT_ON_THE_WAY: Readonly<Partial<Record<RuleId, Predicate>>> = {
  'BASE-1': () => true,
  'AUTH-1': isKeyed,
  'AUTH-3': isKeyed,
  'FORM-1': call => isDecoded(call) && call.body.size > 0,
  'FORM-2': call => isDecoded(call) && (hasNested(call.body) || hasNested(call.query)),
  'FORM-3': call => isDecoded(call) && call.query.size > 0
}

/** Rules that are kept if the operation ran and this holds; others are kept whenever it ran. */
const KEPT: Readonly<Partial<Record<RuleId, Predicate>>> = {
  'AUTH-2': call => !call.caller.isKeySent,

  'ADDR-1': addressSent,
  'ADDR-2': call => sent(call, 'address', 'country'),
  'META-1': call => metadataSent(call).some(({ isEmpty }) => !isEmpty),
  'META-2': call =>
    metadataSent(call).some(
      ({ key, isEmpty }) => isEmpty && Object.hasOwn(metadataBefore(call), key)
    ),
  'META-3': call =>
    isWholeEmptied(call.body, ['metadata']) && Object.keys(metadataBefore(call)).length > 0,
  'UPD-1': keptSomething,
  'UPD-2': unsetSomething,

  'LIST-2': call => listShown(call)?.has_more === true,
  'LIST-3': call => asked(call, 'limit') && !call.facts.relied.has('A10'),
  'FILT-1': createdBy('gte'),
  'FILT-2': createdBy('gt'),
  'FILT-3': createdBy('lte'),
  'FILT-4': createdBy('lt'),
  'FILT-5': call => call.facts.filteredBy !== null,
  'FILT-6': call => call.facts.filteredBy !== null || call.facts.isCompared,
  'SRCH-1': call => searched(call) && shows(call, 1),
  'SRCH-2': call => searched(call) && shows(call, 1),
  'SRCH-3': call =>
    searched(call) &&
    recordsShown(call).length < call.facts.retrieved &&
    listShown(call)?.has_more === true,

  'ACC-1': call => isKind(call, 'create'),
  'USR-1': call => !isKind(call, 'list') || shows(call, 1),

  'TXN-3': call => valueIn(call.body, 'payment_type') === 'vip',
  'TXN-4': call => valueIn(call.body, 'payment_type') === 'apple_pay',
  'TXN-5': call => hasValue(call.body.get('bank_account')),
  'TXN-6': call => sent(call, 'currency'),
  'TXN-7': call => ['amount', 'tip_amount', 'donation_amount'].some(name => sent(call, name)),
  'TXN-8': call => recordsShown(call).some(hasRefunds),

  'REF-2': call => isOfCard((call.outcome.shown as AnyRecord).payment_method as PaymentMethod),
  'REF-3': call => sent(call, 'amount'),
  'REF-4': call => !sent(call, 'amount'),
  'REF-5': call => isPartial(refundMade(call)),
  'REF-8': call => !sent(call, 'reason'),
  'REF-9': call => call.body.has('metadata'),
  'REF-10': call =>
    call.facts.filteredBy !== null || (!asked(call, 'transaction') && shows(call, 2))
}

/** Something remains after the Refund, or it was not the first of its Transaction. */
const isPartial = ({
  amount,
  refunded,
  remaining
}: {
  amount: number
  refunded: number
  remaining: number
}) => remaining > amount || refunded > 0

export function hasValue(node: unknown): boolean {
  if (node instanceof FormObject) return [...node.values()].some(hasValue)
  return typeof node === 'string' && node !== ''
}

type Check = { rule: RuleId; place: number; isKept: Predicate }
const isKept = (rule: RuleId): Predicate => {
  const isKeptByRun = KEPT[rule]
  return (
    KEPT_ON_THE_WAY[rule] ??
    (isKeptByRun === undefined ? hasRun : call => hasRun(call) && isKeptByRun(call))
  )
}
const CHECKS = new Map<OperationId | null, readonly Check[]>(
  OPERATION_IDS.map(id => {
    const rules = operationOf(id).rules.filter(rule => (RULES[rule] as Rule).keepable !== false)
    return [
      id,
      rules.map(rule => ({ rule, place: RULE_PLACES.get(rule) as number, isKept: isKept(rule) }))
    ]
  })
).set(null, [])

const refundFacts = ({ facts }: Entry): Facts => facts.money as RefundFacts
const pageFacts = (call: Entry): Facts => ({
  retrieved: call.facts.retrieved,
  shown: recordsShown(call).length,
  has_more: listShown(call)?.has_more
})

export const FACTS: Readonly<Partial<Record<RuleId, (call: Entry) => Facts>>> = {
  'LIST-2': pageFacts,
  'SRCH-1': pageFacts,
  'SRCH-2': pageFacts,
  'SRCH-3': pageFacts,
  'LOC-3': ({ caller: { account } }) => ({ account }),
  'TXN-5': ({ body }) => ({
    payment_type: valueIn(body, 'payment_type'),
    used: valueIn(body, 'payment_type') === 'vip'
  }),
  'REF-1': refundFacts,
  'REF-3': refundFacts,
  'REF-4': refundFacts,
  'REF-5': refundFacts
}

const showsRecord: Predicate = call => shows(call, 1)
const searchedList: Predicate = call => hasRun(call) && asked(call, 'search_query')
const paid: Predicate = call => hasRun(call) && call.operation === 'createTransaction'
const has = ({ body }: Entry, name: string) => hasValue(body.get(name))
const shown = <R>(call: Entry) => call.outcome.shown as unknown as R

export const amountSent = ({ body }: Pick<Entry, 'body'>): string | undefined =>
  valueIn(body, 'amount') ??
  valueIn(body, 'amounts', 'transaction_amount') ??
  valueIn(body, 'amounts', 'payment_amount')

const metadataMerged: Predicate = call => {
  const metadata = call.body.get('metadata')
  return metadata instanceof FormObject && Object.keys(metadataBefore(call)).length > 0
}

const isDefaultOrLess = ({ query, settings }: Entry) =>
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
  A10: call =>
    hasRun(call) &&
    (!isDefaultOrLess(call) || call.settings['pagination.cursors'].some(name => asked(call, name))),
  A12: searchedList,
  A13: searchedList,
  A17: call => hasRun(call) && isKind(call, 'update') && metadataMerged(call),
  A20: ({ caller }) => caller.isKeySent,
  A21: call =>
    hasRun(call) &&
    (call.operation === 'createAccount'
      ? shown<Account>(call).reseller !== null
      : call.operation === 'createLocation' || call.operation === 'createUser'),
  A22: call =>
    paid(call) &&
    valueIn(call.body, 'currency') === undefined &&
    valueIn(call.body, 'amounts', 'currency') === undefined,
  A23: call => hasReached(call, STAGE.running),
  // without an amount it settles nothing, which is not the same as an amount of 0
  A24: call => paid(call) && (has(call, 'amounts') || amountSent(call) === undefined),
  A25: call => paid(call) && (has(call, 'card') || has(call, 'bank_account')),
  A26: call =>
    paid(call) && has(call, 'bank_account') && shown<Transaction>(call).payment_type !== 'vip',
  A27: call => paid(call) && valueIn(call.body, 'adjustment_number') !== undefined,
  A28: hasRun,
  A29: showsRecord,
  A31: call => hasRun(call) && shown<Account>(call).type !== (call.facts.found as AnyRecord).type
}

const WITHOUT_OPERATION = ['A07', 'A08', 'A39'] as const

type ReliedCheck = { id: AssumptionId; place: number; relies: Predicate | undefined }
const checksOf = (ids: readonly AssumptionId[]): readonly ReliedCheck[] =>
  ASSUMPTION_IDS.flatMap((id, place) =>
    ids.includes(id) ? [{ id, place, relies: RELIES[id] }] : []
  )
const RELIED_CHECKS = new Map<OperationId | null, readonly ReliedCheck[]>([
  [null, checksOf(WITHOUT_OPERATION)],
  ...OPERATION_IDS.map(id => [id, checksOf(operationOf(id).assumptions)] as const)
])

export function judgementOf(call: Entry): Judgement {
  if (call.judgement !== null) return call.judgement
  const kept: number[] = []
  const broken = brokenRule(call)
  for (const { rule, place, isKept } of CHECKS.get(call.operation) as readonly Check[])
    if (rule !== broken && isKept(call)) kept.push(place)
  const relied: number[] = []
  for (const { id, place, relies } of RELIED_CHECKS.get(call.operation) as readonly ReliedCheck[]) {
    if (call.facts.relied.has(id) || relies?.(call)) relied.push(place)
  }
  return { kept, broken, relied }
}
