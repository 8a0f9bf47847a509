/** Likely mistakes of the client: what each is, and how often it was found. */
import { keysOf } from '../reference/rules.js'

const error = (about: string, advice: string) => ({ severity: 'error' as const, about, advice })
const warning = (about: string, advice: string) => ({ severity: 'warning' as const, about, advice })
export const FINDINGS = {
  'stopped-at-empty-page': error(
    'A search page came back empty with has_more true, and the client never requested the next page.',
    'search_query filters after retrieval: continue after last_id until has_more is false.'
  ),
  'double-refund-risk': error(
    'The same Refund was posted again after its response was lost.',
    'Check first: GET /refunds?transaction=ID shows whether it exists.'
  ),
  'double-payment-risk': error(
    'The same Transaction was posted again after its response was lost.',
    'Check first: GET /transactions?location=ID shows whether it exists.'
  ),
  'key-leaked': error(
    'An API key was sent in metadata, a search or the User-Agent.',
    'Send it only in Authorization, and replace it: it may have been stored or logged.'
  ),
  'change-not-made': error(
    'A script entry could not make its change, so it changed nothing.',
    'script.problem of the request says why: correct the entry, or the earlier changes.'
  ),
  'search-without-narrowing': warning(
    'search_query was sent with neither location nor created.',
    'Send location or created: without them the client pages through everything.'
  ),
  'unknown-parameter': warning(
    'A request had a parameter that its operation does not take.',
    'Remove it, or write it as the reference does; the refusal suggests the nearest name.'
  ),
  'unset-value': warning(
    'A value was the text that a language prints for a missing value or an object, such as null.',
    'Give the variable a value, or leave the parameter out.'
  ),
  'unused-parameter': warning(
    'bank_account was sent with a payment_type other than vip.',
    'It is used only with vip; leave it out.'
  ),
  'key-sent-needlessly': warning(
    'POST /transactions was sent with an API key.',
    'Leave it out, so that payments work in clients that must not have a key.'
  ),
  'card-number-sent': warning(
    'A full card number was sent.',
    'Send card[token] instead, so that the number does not pass through your systems.'
  ),
  'foreign-record': warning(
    "A key read or changed a record of another merchant's Account.",
    'Use the key of its own Account; auth.visibility: scoped hides records of other Accounts.'
  ),
  'empty-amount': warning(
    'amount was sent empty with a Refund or payment.',
    'Send the amount, or leave it out: if empty, a Refund is refused, and a payment is of 0.'
  ),
  'zero-payment': warning(
    'A Transaction was created without any amount, so it settled nothing.',
    'Send amount, in the smallest sub-unit of the currency.'
  ),
  'retry-after-ignored': warning(
    'A request was sent again before the time in Retry-After.',
    'Wait as long as Retry-After says before you retry.'
  ),
  'repeated-though-made': warning(
    'A payment or Refund was posted again after a GET had shown it.',
    'Post it again only to make a second one.'
  ),
  'stopped-before-the-end': warning(
    'The client stopped paging through a list while has_more was true.',
    'Continue after last_id until has_more is false.'
  ),
  'refused-and-repeated': warning(
    'A refused request was sent again, unchanged.',
    'The response will be the same: correct the request, or show the refusal to the user.'
  )
}
export type FindingId = keyof typeof FINDINGS
export const FINDING_IDS = keysOf(FINDINGS)
/** Findings of a request and the one that repeats it. */
export const REPEATS: ReadonlySet<FindingId> = new Set([
  'double-refund-risk',
  'double-payment-risk',
  'repeated-though-made',
  'refused-and-repeated'
])
export type Finding = { times: number; requests: string[] } & (typeof FINDINGS)[FindingId] & {
    finding: FindingId
  }
/** `times` is -1 to retract an earlier finding. */
export type Raised = { finding: FindingId; requests: readonly string[]; times: 1 | -1 }
