/** Findings: mistakes that the client under test makes, told with the calls that show them. */
import { type Entry, type Kept, keptIn, paramsOf } from './journal.js'
import { Memory } from './memory.js'

export const FINDINGS = {
  'stopped-at-empty-page': {
    severity: 'error',
    about: 'A search page came back empty with has_more true, and the client never asked for the next.',
    advice: 'search_query filters after retrieval: go on with starting_after=last_id until has_more is false.'
  },
  'search-without-narrowing': {
    severity: 'warning',
    about: 'search_query was sent with neither location nor created.',
    advice: 'location and created narrow before retrieval; without them the client pages through everything.'
  },
  'unknown-parameter': {
    severity: 'error',
    about: 'A parameter was sent that the call does not have.',
    advice: 'Take it out, or write it as the reference does; the refusal names the nearest one.'
  },
  'unused-parameter': {
    severity: 'info',
    about: 'bank_account was sent with another payment_type than vip.',
    advice: 'It is used only with vip; leave it out.'
  },
  'key-sent-needlessly': {
    severity: 'warning',
    about: 'POST /transactions was sent with an API key.',
    advice: 'This call takes no key; without it the call can be made where no key should be.'
  },
  'card-number-sent': {
    severity: 'warning',
    about: 'A whole card number was sent.',
    advice: 'Send card[token] instead, and the number need not pass through your systems.'
  },
  'double-refund-risk': {
    severity: 'error',
    about: 'The same Refund was posted again after its answer was lost.',
    advice: 'Look first: GET /refunds?transaction=ID tells whether it was made.'
  },
  'refused-and-repeated': {
    severity: 'warning',
    about: 'A refused call was made again, unchanged.',
    advice: 'The answer will be the same; mend the call, or show the refusal to the user.'
  }
} as const
export type FindingId = keyof typeof FINDINGS
export type Severity = (typeof FINDINGS)[FindingId]['severity']
export type Finding = { finding: FindingId; severity: Severity; about: string; advice: string; times: number; requests: string[] }
/** What findings look at in a call, beside its entry. */
export type Clues = {
  /** The same for the same call by the same caller; nothing that was sent can be read from it. */
  signature: () => string
  cardNumberSent: boolean
  /** The body of the answer. */
  answer: string
}

/** Requests named for one finding. */
const MOST_REQUESTS = 20
/** Calls remembered to recognise their like. */
const MOST_REMEMBERED = 1000

type LostRefund = { id: string; signature: string; transaction: Kept[string] | undefined }

/** What was found so far, with the first calls that show it. */
export class Found {
  readonly #found = new Map<FindingId, { times: number; requests: string[] }>()

  tell(finding: FindingId, requests: readonly string[]): void {
    const seen = this.#found.get(finding) ?? { times: 0, requests: [] }
    seen.times++
    for (const id of requests) if (!seen.requests.includes(id) && seen.requests.length < MOST_REQUESTS) seen.requests.push(id)
    this.#found.set(finding, seen)
  }

  /** In the order of the table; `stopped` are the empty pages that nobody went on from until now. */
  list(stopped: readonly string[]): Finding[] {
    return (Object.keys(FINDINGS) as FindingId[]).flatMap(finding => {
      const { times, requests } = this.#found.get(finding) ?? { times: 0, requests: [] }
      const more = finding === 'stopped-at-empty-page' ? stopped : []
      const all = times + more.length
      return all === 0 ? [] : [{ finding, ...FINDINGS[finding], times: all, requests: [...new Set([...requests, ...more])].slice(0, MOST_REQUESTS) }]
    })
  }

  clear(): void {
    this.#found.clear()
  }
}

/** Looks for findings in the calls of one world. */
export class Findings {
  readonly #found = new Found()
  readonly #alsoTell: Found['tell']
  /** Empty search pages that nobody went on from yet, by what the call for the next page looks like. */
  readonly #emptyPages = new Memory<string>(MOST_REMEMBERED)
  /** Refunds that were made and whose answer was lost, until the client looks. */
  readonly #lostRefunds = new Memory<LostRefund>(MOST_REMEMBERED)
  readonly #refused = new Memory<string>(MOST_REMEMBERED)

  /** Whatever is found is told to `alsoTell` too. */
  constructor(alsoTell: Found['tell'] = () => {}) {
    this.#alsoTell = alsoTell
  }

  /** The empty pages that nobody went on from yet. */
  get stopped(): string[] {
    return this.#emptyPages.values()
  }

  /** Looks at one call; what is found does not depend on what the journal still holds. */
  look(entry: Entry, { signature, cardNumberSent, answer }: Clues): void {
    const { id, operation, refusal } = entry
    const { assumptions } = entry.course
    if (operation === 'listTickets' || operation === 'listTransactions') this.#lookAtSearch(entry, answer)
    if (assumptions.includes('A14')) this.#tell('unknown-parameter', id)
    if (assumptions.includes('A26')) this.#tell('unused-parameter', id)
    if (assumptions.includes('A20')) this.#tell('key-sent-needlessly', id)
    if (cardNumberSent) this.#tell('card-number-sent', id)
    if (operation === 'createRefund') this.#lookAtRefund(entry, signature)
    if (operation === 'listRefunds' || operation === 'readTransaction') this.#lookAtLookUp(entry)
    if (refusal !== null && !PASSING.includes(refusal.code)) this.#lookAtRefusal(entry, signature())
  }

  /** Forgets everything; nobody goes on from the empty pages any more. */
  clear(): void {
    for (const id of this.stopped) this.#alsoTell('stopped-at-empty-page', [id])
    for (const memory of [this.#found, this.#emptyPages, this.#lostRefunds, this.#refused]) memory.clear()
  }

  list(): Finding[] {
    return this.#found.list(this.stopped)
  }

  #lookAtSearch(entry: Entry, answer: string): void {
    if (!entry.query.includes('"search_query"')) return
    const query = keptIn(entry.query)
    if (!isGiven(query.search_query)) return
    this.#lookAtPaging(entry, { query, answer })
    if (entry.status < 300 && !isGiven(query.location) && !isGiven(query.created)) this.#tell('search-without-narrowing', entry.id)
  }

  #lookAtPaging({ id, operation, account, status, answered }: Entry, { query, answer }: { query: Kept; answer: string }): void {
    const { starting_after, ending_before, limit: _limit, ...search } = query
    const pageKey = (after: Kept[string] | undefined, before: Kept[string] | undefined) =>
      JSON.stringify([operation, account, search, after ?? null, before ?? null])
    this.#emptyPages.delete(pageKey(starting_after, ending_before))
    if (status >= 300 || !answered || !answer.includes('"data":[]')) return
    const { data, has_more, first_id, last_id } = listIn(answer)
    if (data?.length !== 0 || has_more !== true) return
    this.#emptyPages.set(isGiven(ending_before) ? pageKey(undefined, first_id) : pageKey(last_id, undefined), id)
  }

  #lookAtRefund({ id, body, tookEffect, answered }: Entry, signature: Clues['signature']): void {
    if (!tookEffect || (answered && this.#lostRefunds.isEmpty)) return
    const own = signature()
    const lost = this.#lostRefunds.get(own)
    if (lost !== undefined) this.#tell('double-refund-risk', lost.id, id)
    if (answered) this.#lostRefunds.delete(own)
    else this.#lostRefunds.set(own, { id, signature: own, transaction: keptIn(body).transaction })
  }

  /** Who looks at the Refunds of a Transaction knows whether one was made. */
  #lookAtLookUp(entry: Entry): void {
    const { operation, query, status, answered } = entry
    if (this.#lostRefunds.isEmpty || status >= 300 || !answered) return
    const seen = operation === 'readTransaction' ? paramsOf(entry).id : keptIn(query).transaction
    for (const { signature, transaction } of this.#lostRefunds.values()) {
      if (!isGiven(seen) || transaction === seen) this.#lostRefunds.delete(signature)
    }
  }

  #lookAtRefusal({ id }: Entry, signature: string): void {
    const before = this.#refused.get(signature)
    if (before !== undefined) this.#tell('refused-and-repeated', before, id)
    this.#refused.set(signature, id)
  }

  #tell(finding: FindingId, ...requests: string[]): void {
    this.#found.tell(finding, requests)
    this.#alsoTell(finding, requests)
  }
}

/** Refusals that speak of the emulator's own state, not of the call. */
const PASSING: readonly string[] = ['internal_error', 'not_ready']

/** A parameter was given; an empty value in a query is as if absent (A16). */
function isGiven(value: Kept[string] | undefined): boolean {
  return typeof value === 'object' ? Object.values(value).some(part => isGiven(part)) : value !== undefined && value !== ''
}

type Page = { data?: unknown[]; has_more?: boolean; first_id?: string; last_id?: string }
/** An answer as a list; nothing where a script answered with something else. */
function listIn(answer: string): Page {
  try {
    return JSON.parse(answer)
  } catch {
    return {}
  }
}
