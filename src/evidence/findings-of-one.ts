/** What a request shows by itself. */
import { holdsCardNumber } from '../core/card-numbers.js'
import { FormList, type FormNode, valueIn } from '../core/form.js'
import { readable } from '../core/redaction.js'
import { keysToMask } from '../engine/keys.js'
import { type AnyRecord, hasPerformed } from '../engine/outcome.js'
import type { Reading } from '../engine/reading.js'
import { isUnset } from '../engine/sentences.js'
import type { Entry } from './entry.js'
import type { FindingId } from './findings.js'
import { amountSent, hasValue } from './judgement.js'
import { isLosable } from './lost.js'

export function findingsIn(call: Entry, reading: Reading): FindingId[] {
  const { operation, body, query, script, caller } = call
  const findings: FindingId[] = []
  if (script?.problem) findings.push('change-not-made')
  if (reading.isUnknown) findings.push('unknown-parameter')
  if (anyText(body, isUnset) || anyText(query, isUnset)) findings.push('unset-value')
  if (isCardNumberSent(reading)) findings.push('card-number-sent')
  if (isKeyLeaked(reading)) findings.push('key-leaked')
  if (isForeign(call, reading)) findings.push('foreign-record')
  if (operation === 'createTransaction') {
    const isVip = valueIn(body, 'payment_type') === 'vip'
    if (caller.isKeySent) findings.push('key-sent-needlessly')
    if (hasPerformed(call) && amountSent(call) === undefined) findings.push('zero-payment')
    if (hasPerformed(call) && hasValue(body.get('bank_account')) && !isVip)
      findings.push('unused-parameter')
  }
  if (body.get('amount') === '' && isLosable(operation)) findings.push('empty-amount')
  const isNarrowed = valueIn(query, 'location') !== undefined || hasValue(query.get('created'))
  if (!isNarrowed && isSearch(call) && hasPerformed(call)) findings.push('search-without-narrowing')
  return findings
}

export const isSearch = ({ operation, query }: Entry) =>
  (operation === 'listTickets' || operation === 'listTransactions') &&
  valueIn(query, 'search_query') !== undefined

type Owned = AnyRecord & { account?: string; location?: string; transaction: string }
/** Whether the record is of a merchant that is neither the key's Account nor below it. */
function isForeign(call: Entry, { actor, world }: Reading) {
  const { record } = call.facts
  if (actor === null || record === null || !hasPerformed(call)) return false
  const { accounts, locations, transactions } = world.state.store
  const { object, id, account, location, transaction } = record as Owned
  const place = location ?? transactions.get(transaction)?.location
  // the Location may have been deleted since
  const owner = object === 'account' ? id : (account ?? locations.get(String(place))?.account)
  return owner !== undefined && owner !== actor.id && accounts.get(owner)?.reseller !== actor.id
}

function isKeyLeaked({ body, query, userAgent, world }: Reading) {
  const words = keysToMask(world)
  const isKey = (text: string) => words.maskedIn(text) !== text
  return (
    isKey([valueIn(query, 'search_query'), userAgent].join('\n')) ||
    anyText(body.get('metadata') ?? '', isKey, true)
  )
}

/** A whole card number as one, valid or not, or one of a known issuer anywhere. */
function isCardNumberSent({ body, url, headers }: Reading) {
  const number = valueIn(body, 'card', 'number')?.replace(/\D/g, '')
  for (const name in headers) if (holdsCardNumber(String(headers[name]))) return true
  return (
    (number !== undefined && number.length >= MIN_CARD_DIGITS) ||
    anyText(body, holdsCardNumber, true) ||
    holdsCardNumber(readable(url))
  )
}
const MIN_CARD_DIGITS = 12

function anyText(node: FormNode, is: (text: string) => boolean, isNamed = false) {
  if (typeof node === 'string') return is(node)
  if (node instanceof FormList) return node.items.some(is)
  for (const [name, part] of node)
    if ((isNamed && is(name)) || anyText(part, is, isNamed)) return true
  return false
}
