/**
 * When an answer relies on an assumption: with a different assumption, the answer would be different. Those that are used while a call is decoded or looked up
 * are noted in its trace there; one predicate for each of the others says when the answer relies on it.
 */
import { FormObject, valueIn } from '../core/form.js'
import { type AnyRecord, type Exchange, hasRun, recordsShown } from '../engine/exchange.js'
import type { Account } from '../reference/accounts.js'
import { ASSUMPTION_IDS, type AssumptionId } from '../reference/assumptions.js'
import { OPERATION_IDS, OPERATIONS, type OperationId, operationOf } from '../reference/operations.js'
import type { Metadata } from '../reference/parameters.js'
import type { Transaction } from '../reference/transactions.js'
import { hasValue } from './kept-rules.js'

type Predicate = (call: Exchange) => boolean

/** The operation of a call; calls without one are asked about `WITHOUT_OPERATION` alone. */
const idOf = (call: Exchange) => call.operation as OperationId
const isOf = (call: Exchange, ...wanted: readonly OperationId[]) => wanted.includes(idOf(call))
const kindOf = (call: Exchange) => operationOf(idOf(call)).kind
const created: Predicate = call => hasRun(call) && kindOf(call) === 'create'
const showsRecord: Predicate = call => hasRun(call) && recordsShown(call).length > 0
const showsTransaction: Predicate = call => showsRecord(call) && operationOf(idOf(call)).family === 'transactions'
const listed: Predicate = call => hasRun(call) && kindOf(call) === 'list'
const searched: Predicate = call => listed(call) && valueIn(call.query, 'search_query') !== undefined
const paid: Predicate = call => hasRun(call) && isOf(call, 'createTransaction')
const refunded: Predicate = call => hasRun(call) && isOf(call, 'createRefund')
const has = ({ body }: Exchange, name: string) => hasValue(body.get(name))
const asked = ({ query }: Exchange, name: string) => valueIn(query, name) !== undefined
const shown = <R>(call: Exchange) => call.outcome.shown as unknown as R

const AMOUNTS = ['transaction_amount', 'payment_amount']

/** Whether a payment settled nothing because no amount was sent, which is not the same as an amount of 0 (A24). */
export const isWithoutAmount: Predicate = call =>
  paid(call) && valueIn(call.body, 'amount') === undefined && AMOUNTS.every(name => valueIn(call.body, 'amounts', name) === undefined)

const metadataMerged: Predicate = call => {
  const metadata = call.body.get('metadata')
  const before = (call.found as AnyRecord).metadata as Metadata
  return metadata instanceof FormObject && !metadata.cleared && Object.keys(before).length > 0
}

/** When an answer relies on each assumption that its trace does not note. */
const RELIES: Readonly<Partial<Record<AssumptionId, Predicate>>> = {
  A02: created,
  A03: created,
  A04: showsRecord,
  A05: showsRecord,
  A06: created,
  A07: ({ outcome }) => outcome.refusal !== null,
  A08: call => call.outcome.refusal !== null && !hasRun(call),
  A09: listed,
  A10: call => listed(call) && (!asked(call, 'limit') || asked(call, 'starting_after') || asked(call, 'ending_before')),
  A11: call => listed(call) && recordsShown(call).length >= 2,
  A12: searched,
  A13: searched,
  A17: call => hasRun(call) && kindOf(call) === 'update' && metadataMerged(call),
  A20: ({ hasAuthorization }) => hasAuthorization,
  A21: call => hasRun(call) && (isOf(call, 'createLocation', 'createUser') || (isOf(call, 'createAccount') && shown<Account>(call).reseller !== null)),
  A22: call => paid(call) && valueIn(call.body, 'currency') === undefined && valueIn(call.body, 'amounts', 'currency') === undefined,
  A23: ({ money }) => money !== null,
  A24: call => paid(call) && (has(call, 'amounts') || isWithoutAmount(call)),
  A25: call => paid(call) && (has(call, 'card') || has(call, 'bank_account')),
  A26: call => paid(call) && has(call, 'bank_account') && shown<Transaction>(call).payment_type !== 'vip',
  A27: call => paid(call) && valueIn(call.body, 'adjustment_number') !== undefined,
  A28: refunded,
  A29: showsTransaction,
  A31: call => hasRun(call) && isOf(call, 'updateAccount') && shown<Account>(call).type !== (call.found as AnyRecord).type
}

/** What a call without an operation can rely on. */
const WITHOUT_OPERATION = ['A07', 'A08', 'A39'] as const

type Check = { place: number; relies: Predicate }
const checksOf = (ids: readonly AssumptionId[]): readonly Check[] =>
  ASSUMPTION_IDS.flatMap((id, place) => (ids.includes(id) ? [{ place, relies: RELIES[id] ?? (() => false) }] : []))
const CHECKS = new Map<OperationId | null, readonly Check[]>([
  [null, checksOf(WITHOUT_OPERATION)],
  ...OPERATION_IDS.map(id => [id, checksOf(OPERATIONS[id].assumptions)] as const)
])

/** The assumptions that the answer of a call relies on, by their places in the ledger, in its order. */
export function reliedAssumptions(call: Exchange): number[] {
  const relied: number[] = []
  for (const { place, relies } of CHECKS.get(call.operation) as readonly Check[]) if (call.has(place) || relies(call)) relied.push(place)
  return relied
}
