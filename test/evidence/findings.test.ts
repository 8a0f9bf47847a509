import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { ApiError } from '../../src/core/errors.js'
import { Ids } from '../../src/core/ids.js'
import { durationOf } from '../../src/core/instants.js'
import { settingsInForce } from '../../src/core/settings.js'
import { Changers } from '../../src/evidence/evidence.js'
import { FINDINGS, type FindingId } from '../../src/evidence/findings.js'
import { Findings } from '../../src/evidence/mistakes.js'
import { Totals } from '../../src/evidence/totals.js'
import { MERCHANT, NOW, RESELLER, smallFixture, startTestEmulator } from '../support/emulator.js'
import { form, type Given, judgedRequest } from '../support/judged-request.js'
import type { Call } from '../support/requests.js'
import { startWorld } from '../support/world.js'

/** A request, or how far the sandbox's clock is advanced. */
type Step = [on: string, options: Call] | string
type Found = [finding: FindingId, times: number, requests: string[]]
type Case = { title: string; script: object[]; settings: object; steps: Step[]; finds: Found[] }

/** Four Tickets and two charges of 1000. */
const RECORDS = {
  accounts: [
    {
      id: 'mch_z',
      type: 'merchant',
      name: 'Z',
      email: 'z@example.com',
      address: { country: 'US' },
      reseller: 'rsl_r'
    }
  ],
  locations: [
    { id: 'loc_b', account: 'mch_a', display_name: 'B', address: { country: 'US' } },
    { id: 'loc_z', account: 'mch_z', display_name: 'Z', address: { country: 'US' } }
  ],
  tickets: [
    { id: 'tkt_z', location: 'loc_z', reference: 'z', created: '2026-01-01T00:00:00Z' }
  ].concat(
    ['last', 'b', 'c', 'd'].map((reference, nth) => ({
      id: `tkt_${reference}`,
      location: 'loc_a',
      reference,
      created: `2026-02-0${nth + 1}T00:00:00Z`
    }))
  ),
  transactions: ['1111', '2222', 'z'].map((last4, index) => ({
    id: `txn_${last4}`,
    ticket: last4 === 'z' ? 'tkt_z' : 'tkt_b',
    payment_type: 'card',
    amount: 1000,
    ...(last4 !== 'z' && { payment_method: { card: { last4 } } }),
    created: `2026-0${last4 === 'z' ? 1 : 2}-0${index + 1}T00:00:00Z`
  }))
}

const found = (totals: Pick<Totals, 'findings'>) =>
  totals.findings().map(({ finding, times, requests }) => [finding, times, requests])
const lost = (on: string, more: object = {}) => ({
  on,
  calls: '1',
  fault: 'connection_reset',
  when: 'after',
  ...more
})
const pause = (value: string) => ({
  on: 'GET /accounts',
  calls: '1',
  respond: {
    status: 429,
    headers: { 'Retry-After': value },
    error: { code: 'slow_down', message: 'Slow down.' }
  }
})

const SHORT: readonly [word: string, request: string][] = [
  ['PAY ', 'POST /transactions ticket=tkt_a&payment_type=card&'],
  ['REFUND ', 'POST /refunds transaction=txn_1111&'],
  ['SEARCH ', 'GET /tickets location=loc_a&limit=1&search_query=']
]

/**
 * A request as `@key [Header: value] METHOD /path parameters`: a query or a POST body; after `?`
 * and `<` the other one.
 */
function stepOf(line: string): Step {
  const [, key, name, value, on = '', other, sent] =
    /^(?:@(\S+) )?(?:\[([^:]+): ([^\]]+)\] )?(\w+ \S+)(?: ([?<])?(.+))?$/.exec(line) ?? []
  const isBody = on.startsWith('POST') ? other !== '?' : other === '<'
  const options = {
    ...(sent && { [isBody ? 'body' : 'query']: sent }),
    ...(name && { headers: { [name.toLowerCase()]: value as string } })
  }
  return [on, { ...options, ...(key ? { key } : on === 'POST /transactions' && { key: null }) }]
}

/** Cases as text: a title, then scripts, requests, `+` time and `=>` findings. */
const casesIn = (text: string): Case[] =>
  SHORT.reduce((text, [word, request]) => text.replaceAll(word, request), text)
    .trim()
    .split(/\n+(?! )/)
    .map(block => {
      const [title = '', ...lines] = block.split(/\n */)
      const read: Case = { title, script: [], settings: {}, steps: [], finds: [] }
      for (const line of lines.flatMap(line => line.split(' | '))) {
        const [, word = '', rest = ''] = /^(\S+) ?(.*)$/.exec(line) ?? []
        const [, finding, times, requests = ''] = /^(\S+) (\d+): (.*)$/.exec(rest) ?? []
        const [, on = '', more = '{}'] = /^(\S+ \S+) ?(.*)$/.exec(rest) ?? []
        if (word === 'script') read.script.push(JSON.parse(rest))
        else if (word === 'lost') read.script.push(lost(on, JSON.parse(more || '{}')))
        else if (word === 'pause') read.script.push(pause(rest))
        else if (word === 'settings') read.settings = JSON.parse(rest)
        else if (word === '=>')
          read.finds.push([finding as FindingId, Number(times), requests.split(' ')])
        else read.steps.push(word.startsWith('+') ? word.slice(1) : stepOf(line))
      }
      return read
    })

const PLAIN = casesIn(String.raw`
SRCH-3: a client that stops at an empty page
  SEARCH last | => stopped-at-empty-page 1: req_1
SRCH-3: a client that goes on and stops at the next empty page
  SEARCH last | SEARCH last&starting_after=tkt_a | => stopped-at-empty-page 1: req_2
SRCH-3: not a client that pages on to the match, with another limit too
  SEARCH last | GET /tickets location=loc_a&limit=2&search_query=last&starting_after=tkt_a
  GET /tickets location=loc_a&limit=2&search_query=last&starting_after=tkt_c
SRCH-3: not a client that begins the search again with a larger limit
  SEARCH last | GET /tickets location=loc_a&limit=5&search_query=last
SRCH-3: a client that begins again with the same limit, or another search, or as another caller
  SEARCH last | SEARCH last | GET /tickets location=loc_a&limit=5&search_query=other
  [Test-Name: another] GET /tickets location=loc_a&limit=5&search_query=last | => stopped-at-empty-page 1: req_2
SRCH-3: a client that begins again with a smaller limit, or with the same one when there is a newer Transaction
  GET /transactions created[gte]=2026-01-01&limit=2&search_query=none | GET /transactions created[gte]=2026-01-01&limit=1&search_query=none | PAY amount=1
  GET /transactions created[gte]=2026-01-01&limit=1&search_query=none | => stopped-at-empty-page 3: req_1 req_2 req_4
SRCH-3: a client that is refused a larger limit, or has one elsewhere, does not begin again
  SEARCH last | GET /tickets location=loc_a&limit=5000&search_query=last | GET /tickets location=loc_a&limit=5&search_query=last&starting_after=tkt_c
  GET /tickets location=loc_a&limit=5&search_query=last&ending_before=tkt_c | => stopped-at-empty-page 1: req_1
SRCH-3: not a client that asks for the next page and is refused it
  SEARCH last | GET /tickets location=loc_a&limit=5000&search_query=last&starting_after=tkt_a
SRCH-3: another search is not the next page
  SEARCH last | SEARCH other&starting_after=tkt_a | => stopped-at-empty-page 2: req_1 req_2
SRCH-3: pages go backward too
  SEARCH T-1&ending_before=tkt_last | SEARCH T-1&ending_before=tkt_b | => stopped-at-empty-page 1: req_2
SRCH-3: not a client that pages backward to the end
  SEARCH T-1&ending_before=tkt_c | SEARCH T-1&ending_before=tkt_d
SRCH-3: not an empty page that is the last
  GET /tickets location=loc_a&search_query=none
SRCH-3: not a page whose Transaction has no Refunds
  GET /transactions location=loc_a&limit=1&search_query=2222
SRCH-3: an empty page that a script answers with
  script {"on":"GET /tickets","respond":{"body":{"data":[],"has_more":true,"last_id":"tkt_x"}}} | GET /tickets location=loc_a&search_query=a
  => stopped-at-empty-page 1: req_1
SRCH-3: not what a script answers that is no list, nor an error that it answers
  script {"on":"GET /tickets","calls":1,"respond":{"body":"a \"data\":[] of sorts"}} | script {"on":"GET /tickets","calls":1,"respond":{"body":"null"}}
  script {"on":"GET /tickets","respond":{"error":{"code":"no","message":"No."}}} | GET /tickets location=loc_a&search_query=a
  GET /tickets location=loc_a&search_query=a | GET /tickets location=loc_a&search_query=a
SRCH-3: not an empty page that never arrived
  script {"on":"GET /tickets","fault":"connection_reset","when":"after"} | SEARCH last
FILT-6: a search without location and created
  GET /tickets search_query=T-1 | GET /tickets search_query=T-1&location= | GET /transactions search_query=1
  => search-without-narrowing 3: req_1 req_2 req_3
FILT-6: not a search by location or created, no search, a refused one, and one that was lost before it ran
  script {"on":"GET /transactions","fault":"connection_reset"} | GET /tickets search_query=T-1&location=loc_a
  GET /tickets search_query=T-1&created[gte]=2026-01-01 | GET /tickets | GET /tickets search_query= | GET /tickets search_query=T&limit=x
  GET /transactions search_query=1
A14: a parameter that the call does not have, in a body, a list and the query of any other call
  GET /tickets serch_query=T-1 | GET /tickets/tkt_a expand=location | PAY amount=1&note=x | POST /locations/loc_a ?a=b
  => unknown-parameter 4: req_1 req_2 req_3 req_4
A14: also where it is ignored, and once a call
  settings {"parameters.unknown":"ignore"} | GET /tickets serch_query=T-1&expand=x | GET /refunds search_query=T | => unknown-parameter 2: req_1 req_2
A37: not a body on a GET or DELETE, nor A15: what an update cannot change
  GET /locations/loc_a < a=b | GET /tickets < limit=5 | DELETE /accounts/mch_a/users/usr_a < a=b | POST /locations/loc_a account=mch_a
  => unknown-parameter 1: req_4
A40: a value that a client printed though it had none, wherever it stands and whatever became of it
  POST /locations display_name=undefined&address[country]=US&metadata[a]=[object Object]
  GET /tickets location=null
  POST /locations display_name=undefined behaviour&address[country]=US&metadata[null]=a
  => unset-value 2: req_1 req_2
A26: bank_account with another payment type than vip
  PAY amount=1&bank_account[bank_name]=B | => unused-parameter 1: req_1
A26: not bank_account with vip, an empty one, or a refused payment
  POST /transactions ticket=tkt_a&payment_type=vip&amount=1&customer[phone]=1&bank_account[bank_name]=B | PAY amount=1&bank_account=
  PAY amount=x&bank_account[bank_name]=B
A20: a key sent to POST /transactions, a wrong one too
  @sk_merchant PAY amount=1 | @sk_wrong_key PAY amount=1 | => key-sent-needlessly 2: req_1 req_2
A25: a whole card number, refused or not
  PAY amount=1&card[number]=4242 4242 4242 4242 | PAY card[number]=4242424242424242&amount=x | => card-number-sent 2: req_1 req_2
A25: a card number of twelve digits that passes no check; not one of eleven
  PAY amount=1&card[number]=999999999999 | PAY amount=1&card[number]=9999-9999-999 | => card-number-sent 1: req_1
A25: a whole card number anywhere: in a reason, metadata, a payload, a query, a path
  REFUND amount=1&reason=card 4242-4242-4242-4242 | REFUND amount=1&metadata[a]=4242424242424242 | PAY amount=1&payload=x4242 4242 4242 4242
  GET /tickets search_query=4242424242424242&location=loc_a | GET /tickets/4242424242424242 | => card-number-sent 5: req_1 req_2 req_3 req_4 req_5
A25: not a number of no issuer, a time in milliseconds, or a number that fails its check
  REFUND amount=1&reason=1772388240000 9999999999999995 4242424242424241
foreign-record: the key of a merchant reads, changes or refunds what belongs to another one
  GET /locations/loc_z | GET /tickets/tkt_z | GET /transactions/txn_z | GET /accounts/mch_z | GET /accounts/mch_z/users | POST /locations/loc_z phone=1
  POST /refunds transaction=txn_z&amount=1 | => foreign-record 7: req_1 req_2 req_3 req_4 req_5 req_6 req_7
foreign-record: not its own, lists, a reseller that reads what it created, a payment without a key, or what it is not shown
  GET /locations/loc_a | GET /locations | GET /transactions | @sk_reseller GET /accounts/mch_z | @sk_reseller GET /locations/loc_z
  POST /transactions ticket=tkt_z&payment_type=card&amount=1 | GET /locations/none | POST /refunds transaction=txn_z&amount=9000
foreign-record: not a record whose Location is gone
  script {"on":"GET /tickets/{id}","when":"after","change":{"delete":["txn_z","tkt_z","loc_z"]}} | GET /tickets/tkt_z
empty-amount: a Refund or payment whose amount is empty, refused or not; not what is neither
  REFUND amount= | PAY amount=&amounts[payment_amount]=5 | REFUND amount=1&reason= | POST /locations/loc_a amount= | => unknown-parameter 1: req_4
  => empty-amount 2: req_1 req_2
A25: not a token, the last four digits, or no card
  PAY amount=1&card[token]=tok_1 | PAY amount=1&card[number]=4242 | PAY amount=1&card= | PAY amount=1
A24: a payment without an amount, a tip alone too
  PAY  | PAY tip_amount=5 | PAY amount= | PAY amounts[tip_amount]=5 | => empty-amount 1: req_3 | => zero-payment 4: req_1 req_2 req_3 req_4
A24: not an amount of 0, amounts instead of one, a refused payment, or one that was lost before it was made
  script {"on":"POST /transactions","match":{"body":{"payment_type":"external"}},"fault":"connection_reset"} | PAY amount=0 | PAY amounts[payment_amount]=0
  PAY amounts[transaction_amount]=5 | PAY tip_amount=x | POST /transactions ticket=tkt_a&payment_type=external
a refused call made again, unchanged, its parameters in any order
  GET /tickets limit=0 | GET /tickets limit=0 | DELETE /locations/loc_a | DELETE /locations/loc_a | REFUND amount=9000
  POST /refunds amount=9000&transaction=txn_1111 | GET /tickets search_query=a&limit=x&created[gte]=2026-01-01&list[]=1
  GET /tickets list[]=1&created[gte]=2026-01-01&limit=x&search_query=a | POST /locations/none phone=1 | POST /locations/none phone=1
  => unknown-parameter 2: req_7 req_8 | => refused-and-repeated 5: req_1 req_2 req_3 req_4 req_5 req_6 req_7 req_8 req_9 req_10
not a refused call that was changed, that succeeded, that another caller made, whose body was not read, that was lost, or that a script answered with another status
  script {"on":"GET /locations","respond":{"status":403}} | lost DELETE * | DELETE /accounts/mch_a/users/none | DELETE /accounts/mch_a/users/none | REFUND amount=9000 | REFUND amount=900
  @sk_wrong_key GET /tickets | @sk_other_key GET /tickets | [Test-Name: one] GET /tickets limit=0 | [Test-Name: another] GET /tickets limit=0
  [user-agent: another] GET /tickets limit=0 | GET /tickets/tkt_none | GET /tickets/tkt_none | GET /tickets | GET /tickets
  [content-type: application/json] POST /refunds {"transaction":"txn_1111"} | [content-type: application/json] POST /refunds {"transaction":"txn_2222"}
  GET /nothing a=1 | GET /nothing a=2 | GET /locations | GET /locations
a payment that a script refuses, made again and again with nothing changed: it is refused, or made
  script {"on":"POST /transactions","calls":"1-2","respond":{"status":402}} | PAY amount=1&card[last4]=1111 | GET /tickets | PAY amount=1&card[last4]=1111
  PAY amount=1&card[last4]=1111 | PAY amount=1&card[last4]=1111 | => refused-and-repeated 2: req_1 req_3 req_4
whatever operation a script declines, with 409 and 422 too, by a patch too, once a request
  script {"on":"GET /locations","calls":1,"respond":{"status":409}} | script {"on":"POST /refunds","respond":{"status":422,"patch":{"id":"x"}}}
  GET /locations | GET /locations | GET /locations | REFUND amount=1 | REFUND amount=1 | REFUND amount=1
  => refused-and-repeated 3: req_1 req_2 req_4 req_5 req_6
not with another card, after a change, after a Retry-After, or where its refusal was lost
  script {"on":"POST /transactions","calls":"1-3","respond":{"status":402}} | script {"on":"GET /accounts","calls":1,"respond":{"status":409,"retry_after":"5s"}}
  script {"on":"GET /refunds","calls":1,"respond":{"status":409},"fault":"connection_reset"} | PAY amount=1&card[last4]=1111 | PAY amount=1&card[last4]=2222
  POST /locations/loc_a phone=1 | PAY amount=1&card[last4]=1111 | GET /accounts | +5s | GET /accounts | GET /refunds | GET /refunds | REFUND amount=1000 | REFUND amount=1000
a list that is paged through and left: by a search, backward, and of another Location
  GET /tickets limit=1&starting_after=tkt_d | GET /tickets limit=1&ending_before=tkt_last | SEARCH last&starting_after=tkt_d
  GET /tickets limit=1&location=loc_z | GET /locations limit=1&starting_after=loc_z | GET /transactions limit=1&starting_after=txn_2222
  script {"on":"GET /refunds","respond":{"patch":{"has_more":true}}} | GET /refunds | @sk_merchant PAY amount=1
  => stopped-at-empty-page 1: req_3 | => key-sent-needlessly 1: req_8 | => stopped-before-the-end 4: req_1 req_2 req_5 req_6
not a first page, one that is paged to the end or begun again with a larger limit, by the last record that a search showed, nor what was lost
  lost GET /refunds | GET /tickets limit=1 | GET /tickets limit=3&starting_after=tkt_d | GET /tickets starting_after=tkt_last
  GET /transactions limit=1&starting_after=txn_2222 | GET /transactions limit=3 | GET /tickets location=loc_a&search_query=d&limit=2&starting_after=tkt_a
  GET /tickets location=loc_a&search_query=d&starting_after=tkt_d
a key of the sandbox, in a metadata name, a value, a search or the User-Agent, by any caller, refused or not
  REFUND amount=1&metadata[sk_merchant]=a | REFUND amount=9000&metadata[a]=x sk_reseller x | GET /tickets location=loc_a&search_query=sk_merchant
  [user-agent: till/1 c2tfbWVyY2hhbnQ6] GET /tickets | => key-leaked 4: req_1 req_2 req_3 req_4
not a word that only begins like one, one of no Account, or the header that it belongs in
  REFUND amount=1&metadata[sk_merchants]=sk_merchant_1 | REFUND amount=1&metadata[key]=sk_none | [user-agent: sk] GET /tickets location=loc_a&search_query=sk
a card number in a metadata name, a header, the User-Agent, and a request that was refused on its way in
  REFUND amount=1&metadata[4242 4242 4242 4242]=a | [x-card: 4242424242424242] GET /tickets | [user-agent: 4242-4242-4242-4242] GET /tickets
  @sk_wrong GET /tickets search_query=4242424242424242 | => card-number-sent 4: req_1 req_2 req_3 req_4
not a trace, a version or an id in a header
  [traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01] GET /tickets | [user-agent: Chrome/120.0.6099.109] GET /tickets
  [x-request-id: 1772388240000] GET /tickets
`)

const REFUND = 'transaction=txn_1111&amount=10'
const [FIRST_PAYMENT, FIRST_REFUND] = (['transaction', 'refund'] as const).map(kind =>
  new Ids().draw(kind, settingsInForce({}).values, new Set())
)
/** Lists that show a payment of 10 with card 4242 at tkt_a, and lists that do not. */
const LOOKS = [
  `
  GET /transactions location=loc_a | GET /transactions | GET /transactions limit=1 | GET /transactions search_query=4242&location=loc_a
  GET /transactions created[lte]=${NOW} | GET /transactions created[gte]=${NOW} | GET /transactions created[gte]=2026-03-01&created[lt]=2026-03-02
  GET /transactions ending_before=txn_2222`,
  `
  GET /transactions location=loc_b | GET /transactions search_query=1111&location=loc_a | GET /transactions created[lt]=2026-03-01
  GET /transactions created[lte]=2026-03-01 | GET /transactions created[gt]=2026-03-02 | GET /transactions created[gte]=2026-03-02
  GET /transactions created[lt]=${NOW} | GET /transactions created[gt]=${NOW} | GET /transactions starting_after=txn_2222
  GET /transactions ending_before=txn_1111&limit=1 | GET /tickets | GET /refunds
  GET /transactions limit=0`
].flatMap((lists, nth) =>
  lists
    .trim()
    .split(/\n *| \| /)
    .map(look => ({ look, isSeen: nth === 0 }))
)
const PAYMENT = 'PAY amount=10'
const looked = (title: string, when: string, look: string, isSeen: boolean, more = '') => `
${title}
  lost POST /transactions {"when":"${when}"}${more} | ${PAYMENT}&card[last4]=4242
  ${look}
  ${PAYMENT}&card[last4]=4242${isSeen && when === 'before' ? '' : `\n  => ${isSeen ? 'repeated-though-made' : 'double-payment-risk'} 1: req_1 req_3`}${when === 'after' && look.includes('1111&limit') ? ' | => stopped-before-the-end 1: req_2' : ''}`
const LOST = [
  ...['before', 'after'].flatMap(when =>
    casesIn(`
the same Refund again after its answer was lost ${when} it was made; only another Refund, another Transaction's list and a refused look came between
  lost POST /refunds {"when":"${when}"} | POST /refunds ${REFUND} | GET /refunds transaction=txn_2222 | GET /refunds transaction=txn_1111&limit=x
  GET /transactions/txn_2222 | GET /transactions limit=1 | POST /refunds ${REFUND} | POST /refunds ${REFUND} | => double-refund-risk 1: req_1 req_6
the same payment again after its answer was lost ${when} it was made, another one, and once more
  lost POST /transactions {"when":"${when}"} | ${PAYMENT} | PAY amount=11 | ${PAYMENT} | ${PAYMENT} | => double-payment-risk 1: req_1 req_3
${[
  'GET /refunds transaction=txn_1111',
  'GET /refunds',
  'GET /transactions/txn_1111',
  'GET /transactions'
]
  .map(
    look => `not a Refund lost ${when} it was made of a client that looks first with ${look}
  lost POST /refunds {"when":"${when}"} | POST /refunds ${REFUND}
  ${look}
  POST /refunds ${REFUND}${when === 'before' ? '' : '\n  => repeated-though-made 1: req_1 req_3'}`
  )
  .join('\n')}
${LOOKS.map(({ look, isSeen }) => looked(`a payment lost ${when} it was made, and ${look}`, when, look, isSeen)).join('')}
${looked(`a payment lost ${when}, and a page of the oldest first that ends before it`, when, 'GET /transactions limit=1', false, '\n  settings {"pagination.order":"oldest_first"}')}
`)
  ),
  ...casesIn(`
${looked('by another Account that sees only its own', 'before', `@${RESELLER} GET /transactions`, false, '\n  settings {"auth.visibility":"scoped"}')}
${looked('by another Account that sees everything', 'before', `@${RESELLER} GET /transactions`, true)}
${looked('by its own Account that sees only its own', 'before', 'GET /transactions', true, '\n  settings {"auth.visibility":"scoped"}')}
a Refund lost before it was made, after its reseller, who sees only its own records, looked
  settings {"auth.visibility":"scoped"} | lost POST /refunds {"when":"before"} | @${RESELLER} POST /refunds transaction=txn_z&amount=10
  @${RESELLER} GET /refunds transaction=txn_z | @${RESELLER} POST /refunds transaction=txn_z&amount=10
a payment lost before it was made, and a page that ends before a later one
  lost POST /transactions {"when":"before"} | PAY amount=10 | PAY amount=11 | GET /transactions ending_before=${FIRST_PAYMENT} | PAY amount=10
  => double-payment-risk 1: req_1 req_4
not a payment lost before it was made, after a page that starts after a later one
  lost POST /transactions {"when":"before"} | PAY amount=10 | PAY amount=11 | GET /transactions starting_after=${FIRST_PAYMENT} | PAY amount=10
a payment that was lost is repeated until it is answered; one that is refused meanwhile is neither answered nor lost
  lost POST /transactions {"when":"before"} | PAY amount=10 | POST /transactions ticket=tkt_a&payment_type=vip&amount=10
  POST /transactions ticket=tkt_a&payment_type=vip&amount=11 | PAY amount=11 | PAY amount=10 | => double-payment-risk 2: req_1 req_2 req_5
a Refund that the client sees with GET /refunds/${FIRST_REFUND}, made again once
  lost POST /refunds | REFUND amount=10 | GET /refunds/${FIRST_REFUND} | REFUND amount=10 | REFUND amount=10 | => repeated-though-made 1: req_1 req_3
a Refund that the client sees with POST /refunds/${FIRST_REFUND}, another one, and the rest
  lost POST /refunds | REFUND amount=10 | POST /refunds/${FIRST_REFUND} metadata[a]=b | REFUND amount=11 | REFUND metadata[a]=b
  => repeated-though-made 1: req_1 req_4
a payment that two lose: one look shows the first, the other one was not made
  lost POST /transactions | lost POST /transactions {"calls":2,"when":"before"} | PAY amount=10 | PAY amount=10 | GET /transactions | PAY amount=10
  => double-payment-risk 1: req_1 req_2 | => repeated-though-made 1: req_1 req_4
a 5xx of a script after it was made is a lost answer
  script {"on":"POST /refunds","calls":1,"respond":{"status":500,"patch":{"id":"x"}}} | REFUND amount=10 | REFUND  | => double-refund-risk 1: req_1 req_2
not one before it was made, nor another status
  script {"on":"POST /refunds","calls":1,"respond":{"status":503}} | script {"on":"POST /transactions","calls":1,"respond":{"status":404,"patch":{"id":"x"}}}
  REFUND amount=10 | REFUND amount=10 | PAY amount=10 | PAY amount=10
not an equal split by two cards; the first card again is
  lost POST /transactions | PAY amount=10&card[last4]=1111 | PAY amount=10&card[number]=4242424242422222 | PAY amount=10&card[last4]=1111
  => double-payment-risk 1: req_1 req_3 | => card-number-sent 1: req_2
not after a list that a script shows without the record
  lost POST /transactions | script {"on":"GET /transactions","calls":1,"respond":{"body":{"data":[],"has_more":false}}} | PAY amount=10 | GET /transactions | PAY amount=10
a script shows the record
  lost POST /transactions | script {"on":"GET /transactions","calls":1,"respond":{"body":{"data":[null,{"id":"${FIRST_PAYMENT}"}]}}}
  PAY amount=10 | GET /transactions | PAY amount=10 | => repeated-though-made 1: req_1 req_3
a Refund whose answer is lost again is found again
  lost POST /refunds {"calls":"1-2"} | REFUND amount=10 | REFUND amount=10 | REFUND amount=10 | => double-refund-risk 2: req_1 req_2 req_3
a body that is broken on the way is a lost answer
  lost POST /transactions {"fault":"malformed_body"} | PAY amount=10 | PAY amount=10 | => double-payment-risk 1: req_1 req_2
not a look whose answer is lost itself
  lost POST /refunds | lost GET /refunds | REFUND amount=10 | GET /refunds | REFUND amount=10 | => double-refund-risk 1: req_1 req_3
not the same Refund or payment again after its answer arrived
  REFUND amount=10 | REFUND amount=10 | PAY amount=10 | PAY amount=10
the same Refund with another key, User-Agent, reason and metadata, and its amount written otherwise
  lost POST /refunds | REFUND amount=10 | @sk_reseller [user-agent: x] REFUND amount=010&reason=x&metadata[a]=b | => double-refund-risk 1: req_1 req_2
  => foreign-record 1: req_2
the same payment with another token, its amount under amounts
  lost POST /transactions | PAY amount=10&card[token]=tok_1 | PAY amounts[payment_amount]=10&card[token]=tok_2 | => double-payment-risk 1: req_1 req_2
not another amount of a payment, another Ticket or Transaction, nor another call whose answer was lost
  lost POST /refunds | lost POST /transactions | lost POST /locations/{id} | REFUND amount=10
  POST /refunds transaction=txn_2222&amount=10 | PAY amount=10 | PAY amount=11 | POST /transactions ticket=tkt_b&payment_type=card&amount=10
  POST /locations/loc_a phone=1 | POST /locations/loc_a phone=2
not a payment that was refused, whose answer was lost, of a Ticket that does not exist
  lost POST /transactions {"when":"before"} | POST /transactions ticket=none&payment_type=card&amount=10
  POST /transactions ticket=none&payment_type=card&amount=11
`)
]

const PAUSES = [
  ...['30', 'Sun, 01 Mar 2026 18:05:30 GMT'].flatMap(value =>
    casesIn(`
Retry-After of ${value}: called again at once, found once
  pause ${value} | GET /accounts | GET /accounts | GET /accounts | => retry-after-ignored 1: req_2
Retry-After of ${value}: called again a second too early
  pause ${value} | GET /accounts | +29s | GET /accounts | => retry-after-ignored 1: req_2
Retry-After of ${value}: not when the time has passed
  pause ${value} | GET /accounts | +30s | GET /accounts
Retry-After of ${value}: not another operation, nor another caller, nor none
  pause ${value} | GET /accounts | GET /tickets | GET /nothing | @sk_reseller GET /accounts
`)
  ),
  ...casesIn(`
Retry-After: each of two that are ignored
  script {"on":"GET /accounts","calls":"1-2","respond":{"status":429,"headers":{"Retry-After":"30"}}} | GET /accounts | GET /accounts | GET /accounts
  => retry-after-ignored 2: req_2 req_3
Retry-After: not one that says no time, has passed already, or never arrived
  pause soon | GET /accounts | GET /accounts
Retry-After: not a date that has passed already
  pause Sun, 01 Mar 2026 18:05:00 GMT | GET /accounts | GET /accounts
Retry-After: not one that never arrived
  script {"on":"GET /accounts","calls":"1","respond":{"status":429,"headers":{"Retry-After":"30"},"error":{"code":"slow_down","message":"Slow down."}},"fault":"connection_reset"}
  GET /accounts | GET /accounts
Retry-After: of a Ticket, a path and a list of a Transaction's Refunds, not of another one
  script {"on":"*","calls":"1-3","respond":{"status":429,"retry_after":"30s"}} | PAY amount=10 | GET /tickets/tkt_a | GET /refunds transaction=txn_1111
  POST /transactions ticket=tkt_b&payment_type=card&amount=10 | GET /tickets/tkt_b | GET /refunds transaction=txn_2222
  PAY amount=9 | GET /tickets/tkt_a | GET /refunds transaction=txn_1111 | => retry-after-ignored 3: req_7 req_8 req_9
Retry-After: a call without a key too
  script {"on":"POST /transactions","calls":"1","respond":{"status":503,"headers":{"Retry-After":"5"}}} | PAY amount=10 | PAY amount=10
  => retry-after-ignored 1: req_2
`)
]

t.test('findings: mistakes of a client are found, with the requests that show them', async t => {
  for (const { title, script, settings, steps, finds } of [...PLAIN, ...LOST, ...PAUSES]) {
    const { world, executed } = await startWorld({
      settings,
      scenario: { clock: NOW, data: smallFixture(RECORDS), script }
    })

    for (const step of steps) {
      if (typeof step === 'string') world.setClock({ by: durationOf(step) as number })
      else {
        const one = executed(...step)
        world.evidence.record(one, one.reading)
      }
    }

    t.strictSame(found(world.evidence.totals), finds, title)
    const inRun = finds.map(([finding, times, requests]) => [
      finding,
      times,
      requests.map(request => `#1/${request}`)
    ])
    t.strictSame(found(world.run), inRun, `${title}, in the run`)
  }
})

t.test('double-refund-risk: a Refund that could not be written is lost to its client', async t => {
  let isWritable = false
  const saved = async () => {
    if (!isWritable) throw new ApiError('data_not_written', { message: 'No space is left.' })
  }
  const { call, sandbox } = await startTestEmulator(t, { records: RECORDS, saved })

  await call('POST /refunds', { body: REFUND })
  isWritable = true
  await call('POST /refunds', { body: REFUND })

  t.strictSame(found(sandbox.evidence.totals), [['double-refund-risk', 1, ['req_1', 'req_2']]])
})

t.test('double risks: a client leaves during a delay and posts again at once', async t => {
  const script = ['POST /refunds', 'POST /transactions', 'POST /locations'].map(on => ({
    on,
    calls: 1,
    delay: '1s'
  }))
  const { sandbox, listen } = await startTestEmulator(t, {
    scenario: { clock: NOW, data: smallFixture(RECORDS), script }
  })
  const base = `http://127.0.0.1:${await listen()}/next`
  const headers = { authorization: `Basic ${btoa(`${MERCHANT}:`)}` }
  const { evidence } = sandbox
  const leave = evidence.leave.bind(evidence)
  for (const [path, form] of [
    ['/refunds', 'transaction=txn_1111&amount=5'],
    ['/transactions', 'ticket=tkt_b&payment_type=card&amount=1'],
    ['/locations', 'display_name=A&address[country]=US']
  ] as const) {
    const client = new AbortController()
    const post = (more: object) =>
      fetch(base + path, { method: 'POST', headers, body: new URLSearchParams(form), ...more })
    const left = new Promise<void>(resolve => {
      evidence.leave = (...left) => resolve(leave(...left))
    })
    const waiting = sandbox.inFlight + 1
    const first = t.rejects(post({ signal: client.signal }))
    while (sandbox.inFlight < waiting) await sleep(5)
    client.abort()
    await Promise.all([first, left])
    t.equal((await post({})).status, 200)
  }

  const risks = () =>
    found(evidence.totals).filter(([finding]) => String(finding).startsWith('double-'))
  const expected = [
    ['double-refund-risk', 1, ['req_1', 'req_2']],
    ['double-payment-risk', 1, ['req_3', 'req_4']]
  ]
  t.strictSame(risks(), expected, 'while the calls go on')
  while (evidence.journal.size < 6) await sleep(10)
  t.strictSame(risks(), expected, 'and when they are over')
  t.equal(evidence.journal.requests().filter(({ outcome }) => outcome.status === 200).length, 6)
})

function counted() {
  const totals = new Totals()
  const findings = new Findings()
  const look = (given: Given) => {
    const one = judgedRequest(given)
    for (const { finding, requests, times } of findings.look(one, one.reading, new Changers()))
      totals.found.add(finding, requests, times)
  }
  return { look, list: () => totals.findings() }
}
const shown = ({ list }: ReturnType<typeof counted>) =>
  list().map(({ finding, times, requests }) => [finding, times, requests])

t.test("retry-after-ignored: the time has passed by the machine's clock or the sandbox's", t => {
  for (const [now, at, isEarly] of [
    [29, 29, true],
    [30, 0, false],
    [0, 30, false],
    [99, 99, false]
  ] as const) {
    const all = counted()
    all.look({ pause: { machine: 30, sandbox: 30 } })
    all.look({ id: 'req_2', now, at })
    t.strictSame(shown(all), isEarly ? [['retry-after-ignored', 1, ['req_2']]] : [], `${now} ${at}`)
  }
  t.end()
})

t.test("findings: a refusal caused by the emulator's own state is nobody's mistake", t => {
  const all = counted()
  const look = (code: string) =>
    all.look({
      outcome: 'refused',
      status: 409,
      refusal: { code, rule: null, assumption: null, param: null, facts: null }
    })

  for (const code of 'internal_error not_ready data_not_written limit_reached state_replaced'.split(
    ' '
  ))
    for (const _ of [1, 2]) look(code)
  t.strictSame(shown(all), [])
  for (const _ of [1, 2]) look('parameter_invalid')

  t.strictSame(shown(all), [['refused-and-repeated', 1, ['req_1']]])
  t.end()
})

t.test('findings: there are eighteen, errors are listed first', t => {
  const severities = Object.values(FINDINGS).map(({ severity }) => severity)
  t.equal(severities.length, 18)
  t.strictSame(severities, severities.toSorted())
  t.end()
})

t.test('findings: each is reported with its text, at most 20 requests and open pages', t => {
  const { look, list } = counted()
  const page = {
    result: { object: 'list', url: '', data: [], has_more: true, first_id: 'x', last_id: 'x' }
  } as const
  for (let call = 1; call <= 25; call++) look({ id: `req_${call}`, isUnknown: true })
  for (let call = 1; call <= 25; call++)
    look({ id: `page_${call}`, query: form(`search_query=s&location=loc_${call}`), ...page })

  const all = list()
  t.strictSame(
    all.map(({ finding, times, requests }) => [finding, times, requests.length, requests.at(-1)]),
    [
      ['stopped-at-empty-page', 25, 20, 'page_20'],
      ['unknown-parameter', 25, 20, 'req_20']
    ]
  )
  t.strictSame(all[1], {
    finding: 'unknown-parameter',
    ...FINDINGS['unknown-parameter'],
    times: 25,
    requests: all[1]?.requests
  })
  t.end()
})
