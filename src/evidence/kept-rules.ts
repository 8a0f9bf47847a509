/**
 * When a call has kept a rule: one predicate for each rule over what the call sent, what was found and what it was answered.
 * A rule is kept when the situation that it is about arose in the call, and what the rule says held; a call that did not run keeps only rules of the way in.
 */
import type { TSchema } from 'typebox'
import { FormObject, nodeIn, valueIn } from '../core/form.js'
import type { Facts, RefundFacts } from '../core/rules.js'
import { type AnyRecord, type Exchange, hasReached, hasRun, listShown, recordsShown, STAGE } from '../engine/exchange.js'
import { type Kind, OPERATION_IDS, type OperationId, operationOf } from '../reference/operations.js'
import { ADDRESS_NAMES, type Metadata, schemaOf } from '../reference/parameters.js'
import type { PaymentMethod } from '../reference/payment-methods.js'
import { RULE_PLACES, type RuleId } from '../reference/rules.js'
import { TABLES, type Tables } from '../reference/tables.js'

type Predicate = (call: Exchange) => boolean
/** TKT-1 is a rule of no operation: reading a Ticket shows nothing about writing one. */
type KeepableRule = Exclude<RuleId, 'TKT-1'>

/** The operation of a call; calls without one are asked about no rule. */
const operation = (call: Exchange) => operationOf(call.operation as OperationId)
const isKind = (call: Exchange, kind: Kind) => operation(call).kind === kind
const sent = (call: Exchange, ...path: readonly string[]) => valueIn(call.body, ...path) !== undefined
const asked = (call: Exchange, ...path: readonly string[]) => valueIn(call.query, ...path) !== undefined

const hasNested = (form: FormObject): boolean => [...form.values()].some(part => part instanceof FormObject)
const isKeyed = (call: Exchange) => call.account !== null && operation(call).key
const ran: Predicate = call => hasRun(call)
const isDecoded = (call: Exchange) => hasReached(call, STAGE.decoded)

const addressSent = (call: Exchange): boolean => {
  const address = call.body.get('address')
  return address instanceof FormObject && ADDRESS_NAMES.some(name => address.has(name))
}

/** The metadata that was sent, and what of it was empty. */
function metadataSent({ body }: Exchange): { cleared: boolean; set: boolean; emptied: readonly string[] } {
  const metadata = body.get('metadata')
  if (!(metadata instanceof FormObject)) return { cleared: metadata === '', set: false, emptied: [] }
  const entries = [...metadata]
  return { cleared: metadata.cleared, set: entries.some(([, value]) => value !== ''), emptied: entries.flatMap(([key, value]) => (value === '' ? [key] : [])) }
}

/** The metadata that an update found. */
const metadataBefore = ({ found }: Exchange) => (found as AnyRecord).metadata as Metadata

/** The parameters of an update by name, those of the address by theirs, with the values before and after; metadata apart. */
function updated({ operation, found, outcome }: Exchange): { path: readonly string[]; before: unknown; after: unknown }[] {
  const updatable = UPDATABLE.get(operation as OperationId) as readonly (readonly string[])[]
  return updatable.map(path => ({ path, before: valueAt(found as AnyRecord, path), after: valueAt(outcome.shown as AnyRecord, path) }))
}

const valueAt = (record: AnyRecord, path: readonly string[]) => path.reduce<unknown>((part, name) => (part as Facts)[name], record)

/** The parameters of each update but metadata, with the parts of objects by their nested names. */
const UPDATABLE = new Map(
  OPERATION_IDS.filter(id => operationOf(id).kind === 'update').map(id => {
    const { properties = {} } = schemaOf((TABLES[id] as Tables).body as TSchema)
    const paths = Object.entries(properties).flatMap(([name, { properties: parts }]) => (parts ? Object.keys(parts).map(part => [name, part]) : [[name]]))
    return [id, paths.filter(([name]) => name !== 'metadata')]
  })
)

/** Whether a parameter of an update was sent, by itself or with its whole object, with a value or empty. */
const isSent = ({ body }: Exchange, path: readonly string[]) => nodeIn(body, path) !== undefined || isWholeEmptied(body, path)
const isWholeEmptied = (form: FormObject, [head]: readonly string[]) => {
  const whole = form.get(head as string)
  return whole === '' || (whole instanceof FormObject && whole.cleared)
}

const keptSomething: Predicate = call =>
  updated(call).some(({ path, before, after }) => !isSent(call, path) && before !== null && before === after) ||
  (!call.body.has('metadata') && Object.keys(metadataBefore(call)).length > 0)

const unsetSomething: Predicate = call => updated(call).some(({ path, before, after }) => before !== null && after === null && isSent(call, path))

const hasRefunds = (record: AnyRecord) => (record.amount_refunded as number) > 0
const refundMade = ({ outcome: { shown }, money }: Exchange) => ({
  amount: (shown as { amount: number } & AnyRecord).amount,
  ...(money as NonNullable<typeof money>)
})
const createdBy =
  (comparison: string): Predicate =>
  call =>
    hasRun(call) && asked(call, 'created', comparison)
const searched = (call: Exchange) => hasRun(call) && asked(call, 'search_query')
const shows = (call: Exchange, least: number) => recordsShown(call).length >= least

/** When a call has kept each rule; only the rules of its operation are asked about. */
const KEPT: Readonly<Record<KeepableRule, Predicate>> = {
  'BASE-1': () => true,
  'AUTH-1': isKeyed,
  'AUTH-2': call => hasRun(call) && !call.hasAuthorization,
  'AUTH-3': isKeyed,
  'FORM-1': call => isDecoded(call) && call.method === 'POST' && call.body.size > 0,
  'FORM-2': call => isDecoded(call) && (hasNested(call.body) || hasNested(call.query)),
  'FORM-3': call => isDecoded(call) && isKind(call, 'list') && call.query.size > 0,

  'ADDR-1': call => hasRun(call) && addressSent(call),
  'ADDR-2': call => hasRun(call) && sent(call, 'address', 'country'),
  'META-1': call => hasRun(call) && metadataSent(call).set,
  'META-2': call => hasRun(call) && metadataSent(call).emptied.some(key => Object.hasOwn(metadataBefore(call), key)),
  'META-3': call => hasRun(call) && metadataSent(call).cleared && Object.keys(metadataBefore(call)).length > 0,
  'UPD-1': call => hasRun(call) && keptSomething(call),
  'UPD-2': call => hasRun(call) && unsetSomething(call),

  'LIST-1': ran,
  'LIST-2': call => hasRun(call) && listShown(call)?.has_more === true,
  'LIST-3': call => hasRun(call) && asked(call, 'limit'),
  'FILT-1': createdBy('gte'),
  'FILT-2': createdBy('gt'),
  'FILT-3': createdBy('lte'),
  'FILT-4': createdBy('lt'),
  'FILT-5': call => hasRun(call) && call.filteredBy !== null,
  'FILT-6': call => hasRun(call) && (asked(call, 'location') || hasValue(call.query.get('created'))),
  'SRCH-1': call => searched(call) && shows(call, 1),
  'SRCH-2': call => searched(call) && shows(call, 1),
  'SRCH-3': call => searched(call) && recordsShown(call).length < call.retrieved && listShown(call)?.has_more === true,

  'LOC-1': ran,
  'LOC-2': ran,
  'LOC-3': ran,
  'LOC-4': ran,
  'ACC-1': call => hasRun(call) && isKind(call, 'create'),
  'ACC-2': ran,
  'ACC-3': ran,
  'ACC-4': ran,
  'ACC-5': ran,
  'USR-1': call => hasRun(call) && (!isKind(call, 'list') || shows(call, 1)),
  'USR-2': ran,
  'USR-3': ran,
  'USR-4': ran,

  'TXN-1': ran,
  'TXN-2': ran,
  'TXN-3': call => hasRun(call) && valueIn(call.body, 'payment_type') === 'vip',
  'TXN-4': call => hasRun(call) && valueIn(call.body, 'payment_type') === 'apple_pay',
  'TXN-5': call => hasRun(call) && hasValue(call.body.get('bank_account')),
  'TXN-6': call => hasRun(call) && sent(call, 'currency'),
  'TXN-7': call => hasRun(call) && ['amount', 'tip_amount', 'donation_amount'].some(name => sent(call, name)),
  'TXN-8': call => hasRun(call) && recordsShown(call).some(hasRefunds),

  'REF-1': ran,
  'REF-2': call => hasRun(call) && ((call.outcome.shown as AnyRecord).payment_method as PaymentMethod).card !== null,
  'REF-3': call => hasRun(call) && sent(call, 'amount'),
  'REF-4': call => hasRun(call) && !sent(call, 'amount'),
  'REF-5': call => hasRun(call) && isPartial(refundMade(call)),
  'REF-6': ran,
  'REF-7': call => hasRun(call) && sent(call, 'amount'),
  'REF-8': call => hasRun(call) && !sent(call, 'reason'),
  'REF-9': call => hasRun(call) && call.body.has('metadata'),
  'REF-10': call => hasRun(call) && (call.filteredBy !== null || (!asked(call, 'transaction') && shows(call, 2)))
}

/** Something remains after the Refund, or it was not the first of its Transaction. */
const isPartial = ({ amount, refunded, remaining }: { amount: number; refunded: number; remaining: number }) => remaining > amount || refunded > 0

/** A part of a form holds a value somewhere. */
export function hasValue(node: unknown): boolean {
  if (node instanceof FormObject) return [...node.values()].some(hasValue)
  return typeof node === 'string' && node !== ''
}

type Check = { place: number; isKept: Predicate }
/** What the calls of each operation are asked, in the order in which it is decided. */
const CHECKS = new Map<OperationId | null, readonly Check[]>(
  OPERATION_IDS.map(id => {
    const rules = operationOf(id).rules as readonly KeepableRule[]
    return [id, rules.map(rule => ({ place: RULE_PLACES.get(rule) as number, isKept: KEPT[rule] }))]
  })
).set(null, [])

/** The rules that a call kept, by their places in the ledger, in the order in which they were decided. */
export function keptRules(call: Exchange): number[] {
  const kept: number[] = []
  for (const { place, isKept } of CHECKS.get(call.operation) as readonly Check[]) if (isKept(call)) kept.push(place)
  return kept
}

const refundFacts = ({ money }: Exchange): Facts => money as RefundFacts
const pageFacts = (call: Exchange): Facts => ({ retrieved: call.retrieved, shown: recordsShown(call).length, has_more: listShown(call)?.has_more })

/** The figures that a kept rule saw, for those that go by figures. */
export const FACTS: Readonly<Partial<Record<RuleId, (call: Exchange) => Facts>>> = {
  'LIST-2': pageFacts,
  'SRCH-1': pageFacts,
  'SRCH-2': pageFacts,
  'SRCH-3': pageFacts,
  'LOC-3': ({ account }) => ({ account }),
  'TXN-5': ({ body }) => ({ payment_type: valueIn(body, 'payment_type'), used: valueIn(body, 'payment_type') === 'vip' }),
  'REF-1': refundFacts,
  'REF-3': refundFacts,
  'REF-4': refundFacts,
  'REF-5': refundFacts,
  'REF-6': refundFacts,
  'REF-7': refundFacts
}
