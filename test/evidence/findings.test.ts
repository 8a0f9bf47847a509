import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { ApiError } from '../../src/core/errors.js'
import { Ids } from '../../src/core/ids.js'
import { settingsInForce } from '../../src/core/settings.js'
import { FINDINGS, FindingCounts, type FindingId, Findings, named, unused } from '../../src/evidence/findings.js'
import { MERCHANT, NOW, RESELLER, smallFixture, startTestEmulator } from '../support/emulator.js'
import { form, type Given, judgedRequest } from '../support/judged-request.js'

type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
type Options = Parameters<Emulator['call']>[1]
/** A call, or how far the sandbox's clock is set forward. */
type Step = [on: string, options?: Options] | { advance: string }
type Found = [finding: FindingId, times: number, requests: string[]]
type Case = { title: string; script?: object[]; settings?: object; steps: Step[]; finds?: Found[] }

/** Four Tickets of which the oldest is found last, a page of one after the other, and two charges of 1000. */
const RECORDS = {
  accounts: [{ id: 'mch_z', type: 'merchant', name: 'Z', email: 'z@example.com', address: { country: 'US' }, reseller: 'rsl_r' }],
  locations: [
    { id: 'loc_b', account: 'mch_a', display_name: 'B', address: { country: 'US' } },
    { id: 'loc_z', account: 'mch_z', display_name: 'Z', address: { country: 'US' } }
  ],
  tickets: [{ id: 'tkt_z', location: 'loc_z', reference: 'z', created: '2026-01-01T00:00:00Z' }].concat(
    ['last', 'b', 'c', 'd'].map((reference, index) => ({
      id: `tkt_${reference}`,
      location: 'loc_a',
      reference,
      created: `2026-02-0${index + 1}T00:00:00Z`
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

/** Plays the steps; of a call whose answer is lost nothing comes back. */
async function play({ call, control }: Emulator, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if ('advance' in step) await control('POST /clock/advance', { by: step.advance })
    else await call(...step).catch(() => null)
  }
}
const found = async ({ control }: Emulator, scope = ''): Promise<Found[]> =>
  (await control(`GET /findings${scope}`)).body.data.map(({ finding, times, requests }: { finding: FindingId; times: number; requests: string[] }) => [
    finding,
    times,
    requests
  ])

const search = (query: string, on = 'GET /tickets'): Step => [on, { query }]
const pay = (body: string, key: string | null = null): Step => ['POST /transactions', { body: `ticket=tkt_a&payment_type=card&${body}`, key }]
const refund = (body: string): Step => ['POST /refunds', { body }]

const SEARCHES: Case[] = [
  {
    title: 'SRCH-3: a client that stops at an empty page',
    steps: [search('location=loc_a&limit=1&search_query=last')],
    finds: [['stopped-at-empty-page', 1, ['req_1']]]
  },
  {
    title: 'SRCH-3: a client that goes on and stops at the next empty page',
    steps: [search('location=loc_a&limit=1&search_query=last'), search('location=loc_a&limit=1&search_query=last&starting_after=tkt_a')],
    finds: [['stopped-at-empty-page', 1, ['req_2']]]
  },
  {
    title: 'SRCH-3: not a client that pages on to the match, with another limit too',
    steps: [
      search('location=loc_a&limit=1&search_query=last'),
      search('location=loc_a&limit=2&search_query=last&starting_after=tkt_a'),
      search('location=loc_a&limit=2&search_query=last&starting_after=tkt_c')
    ]
  },
  {
    title: 'SRCH-3: not a client that begins the search again with a larger limit',
    steps: [search('location=loc_a&limit=1&search_query=last'), search('location=loc_a&limit=5&search_query=last')]
  },
  {
    title: 'SRCH-3: a client that begins again with the same limit, or another search, or as another caller',
    steps: [
      search('location=loc_a&limit=1&search_query=last'),
      search('location=loc_a&limit=1&search_query=last'),
      search('location=loc_a&limit=5&search_query=other'),
      ['GET /tickets', { query: 'location=loc_a&limit=5&search_query=last', headers: { 'Test-Name': 'another' } }]
    ],
    finds: [['stopped-at-empty-page', 1, ['req_2']]]
  },
  {
    title: 'SRCH-3: a client that begins again with a smaller limit, or with the same one when there is a newer Transaction',
    steps: [
      search('created[gte]=2026-01-01&limit=2&search_query=none', 'GET /transactions'),
      search('created[gte]=2026-01-01&limit=1&search_query=none', 'GET /transactions'),
      pay('amount=1'),
      search('created[gte]=2026-01-01&limit=1&search_query=none', 'GET /transactions')
    ],
    finds: [['stopped-at-empty-page', 3, ['req_1', 'req_2', 'req_4']]]
  },
  {
    title: 'SRCH-3: a client that is refused a larger limit, or has one elsewhere, does not begin again',
    steps: [
      search('location=loc_a&limit=1&search_query=last'),
      search('location=loc_a&limit=5000&search_query=last'),
      search('location=loc_a&limit=5&search_query=last&starting_after=tkt_c'),
      search('location=loc_a&limit=5&search_query=last&ending_before=tkt_c')
    ],
    finds: [['stopped-at-empty-page', 1, ['req_1']]]
  },
  {
    title: 'SRCH-3: not a client that asks for the next page and is refused it',
    steps: [search('location=loc_a&limit=1&search_query=last'), search('location=loc_a&limit=5000&search_query=last&starting_after=tkt_a')]
  },
  {
    title: 'SRCH-3: another search is not the next page',
    steps: [search('location=loc_a&limit=1&search_query=last'), search('location=loc_a&limit=1&search_query=other&starting_after=tkt_a')],
    finds: [['stopped-at-empty-page', 2, ['req_1', 'req_2']]]
  },
  {
    title: 'SRCH-3: pages go backward too',
    steps: [search('location=loc_a&limit=1&search_query=T-1&ending_before=tkt_last'), search('location=loc_a&limit=1&search_query=T-1&ending_before=tkt_b')],
    finds: [['stopped-at-empty-page', 1, ['req_2']]]
  },
  {
    title: 'SRCH-3: not a client that pages backward to the end',
    steps: [search('location=loc_a&limit=1&search_query=T-1&ending_before=tkt_c'), search('location=loc_a&limit=1&search_query=T-1&ending_before=tkt_d')]
  },
  { title: 'SRCH-3: not an empty page that is the last', steps: [search('location=loc_a&search_query=none')] },
  { title: 'SRCH-3: not a page whose Transaction has no Refunds', steps: [search('location=loc_a&limit=1&search_query=2222', 'GET /transactions')] },
  {
    title: 'SRCH-3: an empty page that a script answers with',
    script: [{ on: 'GET /tickets', respond: { body: { data: [], has_more: true, last_id: 'tkt_x' } } }],
    steps: [search('location=loc_a&search_query=a')],
    finds: [['stopped-at-empty-page', 1, ['req_1']]]
  },
  {
    title: 'SRCH-3: not what a script answers that is no list, nor an error that it answers',
    script: [
      { on: 'GET /tickets', calls: 1, respond: { body: 'a "data":[] of sorts' } },
      { on: 'GET /tickets', calls: 1, respond: { body: 'null' } },
      { on: 'GET /tickets', respond: { error: { code: 'no', message: 'No.' } } }
    ],
    steps: [search('location=loc_a&search_query=a'), search('location=loc_a&search_query=a'), search('location=loc_a&search_query=a')]
  },
  {
    title: 'SRCH-3: not an empty page that never arrived',
    script: [{ on: 'GET /tickets', fault: 'connection_reset', when: 'after' }],
    steps: [search('location=loc_a&limit=1&search_query=last')]
  },
  {
    title: 'FILT-6: a search without location and created',
    steps: [search('search_query=T-1'), search('search_query=T-1&location='), search('search_query=1', 'GET /transactions')],
    finds: [['search-without-narrowing', 3, ['req_1', 'req_2', 'req_3']]]
  },
  {
    title: 'FILT-6: not a search by location or created, no search, a refused one, and one that was lost before it ran',
    script: [{ on: 'GET /transactions', fault: 'connection_reset' }],
    steps: [
      search('search_query=T-1&location=loc_a'),
      search('search_query=T-1&created[gte]=2026-01-01'),
      search(''),
      search('search_query='),
      search('search_query=T&limit=x'),
      search('search_query=1', 'GET /transactions')
    ]
  }
]

const PARAMETERS: Case[] = [
  {
    title: 'A14: a parameter that the call does not have, in a body, a list and the query of any other call',
    steps: [
      search('serch_query=T-1'),
      ['GET /tickets/tkt_a', { query: 'expand=location' }],
      pay('amount=1&note=x'),
      ['POST /locations/loc_a', { query: 'a=b' }]
    ],
    finds: [['unknown-parameter', 4, ['req_1', 'req_2', 'req_3', 'req_4']]]
  },
  {
    title: 'A14: also where it is ignored, and once a call',
    settings: { 'parameters.unknown': 'ignore' },
    steps: [search('serch_query=T-1&expand=x')],
    finds: [['unknown-parameter', 1, ['req_1']]]
  },
  {
    title: 'A37: not a body on a GET or DELETE, nor A15: what an update cannot change',
    steps: [
      ['GET /locations/loc_a', { body: 'a=b' }],
      ['GET /tickets', { body: 'limit=5' }],
      ['DELETE /accounts/mch_a/users/usr_a', { body: 'a=b' }],
      ['POST /locations/loc_a', { body: 'account=mch_a' }]
    ],
    finds: [['unknown-parameter', 1, ['req_4']]]
  },
  {
    title: 'A26: bank_account with another payment type than vip',
    steps: [pay('amount=1&bank_account[bank_name]=B')],
    finds: [['unused-parameter', 1, ['req_1']]]
  },
  {
    title: 'A26: not bank_account with vip, an empty one, or a refused payment',
    steps: [
      ['POST /transactions', { body: 'ticket=tkt_a&payment_type=vip&amount=1&customer[phone]=1&bank_account[bank_name]=B', key: null }],
      pay('amount=1&bank_account='),
      pay('amount=x&bank_account[bank_name]=B')
    ]
  },
  {
    title: 'A20: a key sent to POST /transactions, a wrong one too',
    steps: [pay('amount=1', MERCHANT), pay('amount=1', 'sk_wrong_key')],
    finds: [['key-sent-needlessly', 2, ['req_1', 'req_2']]]
  },
  {
    title: 'A25: a whole card number, refused or not',
    steps: [pay('amount=1&card[number]=4242 4242 4242 4242'), pay('card[number]=4242424242424242&amount=x')],
    finds: [['card-number-sent', 2, ['req_1', 'req_2']]]
  },
  {
    title: 'A25: a card number of twelve digits that passes no check; not one of eleven',
    steps: [pay('amount=1&card[number]=999999999999'), pay('amount=1&card[number]=9999-9999-999')],
    finds: [['card-number-sent', 1, ['req_1']]]
  },
  {
    title: 'A25: a whole card number anywhere: in a reason, metadata, a payload, a query, a path',
    steps: [
      refund('transaction=txn_1111&amount=1&reason=card 4242-4242-4242-4242'),
      refund('transaction=txn_1111&amount=1&metadata[a]=4242424242424242'),
      pay('amount=1&payload=x4242 4242 4242 4242'),
      ['GET /tickets', { query: 'search_query=4242424242424242&location=loc_a' }],
      ['GET /tickets/4242424242424242']
    ],
    finds: [['card-number-sent', 5, ['req_1', 'req_2', 'req_3', 'req_4', 'req_5']]]
  },
  {
    title: 'A25: not a number of no issuer, a time in milliseconds, or a number that fails its check',
    steps: [refund('transaction=txn_1111&amount=1&reason=1772388240000 9999999999999995 4242424242424241')]
  },
  {
    title: 'foreign-record: the key of a merchant reads, changes or refunds what belongs to another one',
    steps: [
      ['GET /locations/loc_z'],
      ['GET /tickets/tkt_z'],
      ['GET /transactions/txn_z'],
      ['GET /accounts/mch_z'],
      ['GET /accounts/mch_z/users'],
      ['POST /locations/loc_z', { body: 'phone=1' }],
      refund('transaction=txn_z&amount=1')
    ],
    finds: [['foreign-record', 7, ['req_1', 'req_2', 'req_3', 'req_4', 'req_5', 'req_6', 'req_7']]]
  },
  {
    title: 'foreign-record: not its own, lists, a reseller that reads what it created, a payment without a key, or what it is not shown',
    steps: [
      ['GET /locations/loc_a'],
      ['GET /locations'],
      ['GET /transactions'],
      ['GET /accounts/mch_z', { key: RESELLER }],
      ['GET /locations/loc_z', { key: RESELLER }],
      ['POST /transactions', { body: 'ticket=tkt_z&payment_type=card&amount=1', key: null }],
      ['GET /locations/none']
    ]
  },
  {
    title: 'empty-amount: a Refund or payment whose amount is empty, refused or not; not what is neither',
    steps: [
      refund('transaction=txn_1111&amount='),
      pay('amount=&amounts[payment_amount]=5'),
      refund('transaction=txn_1111&amount=1&reason='),
      ['POST /locations/loc_a', { body: 'amount=' }]
    ],
    finds: [
      ['unknown-parameter', 1, ['req_4']],
      ['empty-amount', 2, ['req_1', 'req_2']]
    ]
  },
  {
    title: 'A25: not a token, the last four digits, or no card',
    steps: [pay('amount=1&card[token]=tok_1'), pay('amount=1&card[number]=4242'), pay('amount=1&card='), pay('amount=1')]
  },
  {
    title: 'A24: a payment without an amount, a tip alone too',
    steps: [pay(''), pay('tip_amount=5'), pay('amount='), pay('amounts[tip_amount]=5')],
    finds: [
      ['empty-amount', 1, ['req_3']],
      ['zero-payment', 4, ['req_1', 'req_2', 'req_3', 'req_4']]
    ]
  },
  {
    title: 'A24: not an amount of 0, amounts instead of one, a refused payment, or one that was lost before it was made',
    script: [{ on: 'POST /transactions', match: { body: { payment_type: 'external' } }, fault: 'connection_reset' }],
    steps: [
      pay('amount=0'),
      pay('amounts[payment_amount]=0'),
      pay('amounts[transaction_amount]=5'),
      pay('tip_amount=x'),
      ['POST /transactions', { body: 'ticket=tkt_a&payment_type=external', key: null }]
    ]
  }
]

const TOO_MUCH = 'transaction=txn_1111&amount=9000'
const REPEATS: Case[] = [
  {
    title: 'a refused call made again, unchanged, its parameters in any order',
    steps: [
      ['GET /tickets', { query: 'limit=0' }],
      ['GET /tickets', { query: 'limit=0' }],
      ['DELETE /locations/loc_a'],
      ['DELETE /locations/loc_a'],
      refund(TOO_MUCH),
      refund('amount=9000&transaction=txn_1111'),
      search('search_query=a&limit=x&created[gte]=2026-01-01&list[]=1'),
      search('list[]=1&created[gte]=2026-01-01&limit=x&search_query=a')
    ],
    finds: [
      ['unknown-parameter', 2, ['req_7', 'req_8']],
      ['refused-and-repeated', 4, ['req_1', 'req_2', 'req_3', 'req_4', 'req_5', 'req_6', 'req_7', 'req_8']]
    ]
  },
  {
    title: 'not a refused call that was changed, that succeeded, that another caller made, whose body was not read, or that a script answered',
    script: [{ on: 'GET /locations', respond: { status: 402, error: { code: 'no', message: 'No.' } } }],
    steps: [
      refund(TOO_MUCH),
      refund('transaction=txn_1111&amount=900'),
      ['GET /tickets', { key: 'sk_wrong_key' }],
      ['GET /tickets', { key: 'sk_other_key' }],
      ['GET /tickets', { query: 'limit=0', headers: { 'Test-Name': 'one' } }],
      ['GET /tickets', { query: 'limit=0', headers: { 'Test-Name': 'another' } }],
      ['GET /tickets', { query: 'limit=0', headers: { 'user-agent': 'another' } }],
      ['GET /tickets/tkt_none'],
      ['GET /tickets/tkt_none'],
      ['GET /tickets'],
      ['GET /tickets'],
      ['POST /refunds', { body: '{"transaction":"txn_1111"}', headers: { 'content-type': 'application/json' } }],
      ['POST /refunds', { body: '{"transaction":"txn_2222"}', headers: { 'content-type': 'application/json' } }],
      ['GET /nothing', { query: 'a=1' }],
      ['GET /nothing', { query: 'a=2' }],
      ['GET /locations'],
      ['GET /locations']
    ]
  }
]

const REFUND = 'transaction=txn_1111&amount=10'
const PAYMENT = 'amount=10'
const FIRST_PAYMENT = new Ids().draw('transaction', settingsInForce({}).values, new Set())
const FIRST_REFUND = new Ids().draw('refund', settingsInForce({}).values, new Set())
/** What a client looks at after a payment of 10 with the card 4242 at tkt_a was lost, and whether it would be there. */
const LOOKS: [what: string, on: string, query: string, isSeen: boolean][] = [
  ['its Location', 'GET /transactions', 'location=loc_a', true],
  ['another Location', 'GET /transactions', 'location=loc_b', false],
  ['everything', 'GET /transactions', '', true],
  ['the newest one', 'GET /transactions', 'limit=1', true],
  ['its card', 'GET /transactions', 'search_query=4242&location=loc_a', true],
  ['another card', 'GET /transactions', 'search_query=1111&location=loc_a', false],
  ['a time before', 'GET /transactions', 'created[lt]=2026-03-01', false],
  ['until a time before', 'GET /transactions', 'created[lte]=2026-03-01', false],
  ['a time after', 'GET /transactions', 'created[gt]=2026-03-02', false],
  ['from a time after', 'GET /transactions', 'created[gte]=2026-03-02', false],
  ['the time before it', 'GET /transactions', `created[lt]=${NOW}`, false],
  ['until its time', 'GET /transactions', `created[lte]=${NOW}`, true],
  ['the time after it', 'GET /transactions', `created[gt]=${NOW}`, false],
  ['from its time', 'GET /transactions', `created[gte]=${NOW}`, true],
  ['its day', 'GET /transactions', 'created[gte]=2026-03-01&created[lt]=2026-03-02', true],
  ['older ones', 'GET /transactions', 'starting_after=txn_2222', false],
  ['newer ones', 'GET /transactions', 'ending_before=txn_2222', true],
  ['newer ones, the nearest', 'GET /transactions', 'ending_before=txn_1111&limit=1', false],
  ['Tickets', 'GET /tickets', '', false],
  ['Refunds', 'GET /refunds', '', false],
  ['a list that is refused', 'GET /transactions', 'limit=0', false]
]
const lost = (on: string, more: object = {}) => [{ on, calls: '1', fault: 'connection_reset', when: 'after', ...more }]
const LOST: Case[] = (['before', 'after'] as const).flatMap(when => [
  {
    title: `the same Refund again after its answer was lost ${when} it was made; only another Refund, another Transaction's list and a refused look came between`,
    script: lost('POST /refunds', { when }),
    steps: [
      refund(REFUND),
      ['GET /refunds', { query: 'transaction=txn_2222' }],
      ['GET /refunds', { query: 'transaction=txn_1111&limit=x' }],
      ['GET /transactions/txn_2222'],
      ['GET /transactions', { query: 'limit=1' }],
      refund('transaction=txn_1111&amount=11'),
      refund(REFUND),
      refund(REFUND)
    ] as Step[],
    finds: [['double-refund-risk', 1, ['req_1', 'req_7']]] as Found[]
  },
  {
    title: `the same payment again after its answer was lost ${when} it was made; only a look at another Location came between`,
    script: lost('POST /transactions', { when }),
    steps: [pay(PAYMENT), ['GET /transactions', { query: 'location=loc_b' }], pay('amount=11'), pay(PAYMENT), pay(PAYMENT)] as Step[],
    finds: [['double-payment-risk', 1, ['req_1', 'req_4']]] as Found[]
  },
  ...(
    [
      ['GET /refunds', 'transaction=txn_1111'],
      ['GET /refunds', ''],
      ['GET /transactions/txn_1111', ''],
      ['GET /transactions', '']
    ] as const
  ).map(([on, query]) => ({
    title: `not a Refund lost ${when} it was made of a client that looks first with ${on}?${query}`,
    script: lost('POST /refunds', { when }),
    steps: [refund(REFUND), [on, { query }], refund(REFUND)] as Step[]
  })),
  ...['location=loc_a', ''].map(query => ({
    title: `not a payment lost ${when} it was made of a client that looks first with GET /transactions?${query}`,
    script: lost('POST /transactions', { when }),
    steps: [pay(PAYMENT), ['GET /transactions', { query }], pay(PAYMENT)] as Step[]
  }))
])
LOST.push(
  ...(['before', 'after'] as const).flatMap(when =>
    LOOKS.map(
      ([what, on, query, isSeen]): Case => ({
        title: `a payment lost ${when} it was made, and a look at ${what}`,
        script: lost('POST /transactions', { when }),
        steps: [pay(`${PAYMENT}&card[last4]=4242`), [on, { query }], pay(`${PAYMENT}&card[last4]=4242`)],
        finds: isSeen ? [] : [['double-payment-risk', 1, ['req_1', 'req_3']]]
      })
    )
  ),
  ...(['before', 'after'] as const).map(
    (when): Case => ({
      title: `a payment lost ${when} it was made, and a page of the oldest first that ends before it`,
      settings: { 'pagination.order': 'oldest_first' },
      script: lost('POST /transactions', { when }),
      steps: [pay(PAYMENT), ['GET /transactions', { query: 'limit=1' }], pay(PAYMENT)],
      finds: [['double-payment-risk', 1, ['req_1', 'req_3']]]
    })
  ),
  ...(
    [
      ['another Account that sees only its own', 'scoped', RESELLER, false],
      ['another Account that sees everything', 'all', RESELLER, true],
      ['its own Account that sees only its own', 'scoped', MERCHANT, true]
    ] as const
  ).map(
    ([whose, visibility, key, isSeen]): Case => ({
      title: `a payment lost before it was made, and a look by the key of ${whose}`,
      settings: { 'auth.visibility': visibility },
      script: lost('POST /transactions', { when: 'before' }),
      steps: [pay(PAYMENT), ['GET /transactions', { key }], pay(PAYMENT)],
      finds: isSeen ? [] : [['double-payment-risk', 1, ['req_1', 'req_3']]]
    })
  ),
  {
    title: 'a payment lost before it was made, and a page that ends before a later one',
    script: lost('POST /transactions', { when: 'before' }),
    steps: [pay(PAYMENT), pay('amount=11'), ['GET /transactions', { query: `ending_before=${FIRST_PAYMENT}` }], pay(PAYMENT)],
    finds: [['double-payment-risk', 1, ['req_1', 'req_4']]]
  },
  {
    title: 'not a payment lost before it was made, after a page that starts after a later one',
    script: lost('POST /transactions', { when: 'before' }),
    steps: [pay(PAYMENT), pay('amount=11'), ['GET /transactions', { query: `starting_after=${FIRST_PAYMENT}` }], pay(PAYMENT)]
  },
  {
    title: 'a payment that was lost is repeated until it is answered; one that is refused meanwhile is neither answered nor lost',
    script: lost('POST /transactions', { when: 'before' }),
    steps: [
      pay(PAYMENT),
      ...['amount=10', 'amount=11'].map((amount): Step => ['POST /transactions', { body: `ticket=tkt_a&payment_type=vip&${amount}`, key: null }]),
      pay('amount=11'),
      pay(PAYMENT)
    ],
    finds: [['double-payment-risk', 2, ['req_1', 'req_2', 'req_5']]]
  },
  {
    title: 'a Refund that ten later ones hide in its Transaction',
    script: lost('POST /refunds', { when: 'before' }),
    steps: [refund(REFUND), ...Array.from({ length: 10 }, () => refund('transaction=txn_1111&amount=1')), ['GET /transactions/txn_1111'], refund(REFUND)],
    finds: [['double-refund-risk', 1, ['req_1', 'req_13']]]
  },
  ...([[`GET /refunds/${FIRST_REFUND}`], [`POST /refunds/${FIRST_REFUND}`, { body: 'metadata[a]=b' }]] as Step[]).map(
    (look): Case => ({ title: `not a Refund that the client sees with ${look}`, script: lost('POST /refunds'), steps: [refund(REFUND), look, refund(REFUND)] })
  ),
  {
    title: 'a Refund whose answer is lost again is found again',
    script: lost('POST /refunds', { calls: '1-2' }),
    steps: [refund(REFUND), refund(REFUND), refund(REFUND)],
    finds: [['double-refund-risk', 2, ['req_1', 'req_2', 'req_3']]]
  },
  {
    title: 'a body that is broken on the way is a lost answer',
    script: lost('POST /transactions', { fault: 'malformed_body' }),
    steps: [pay(PAYMENT), pay(PAYMENT)],
    finds: [['double-payment-risk', 1, ['req_1', 'req_2']]]
  },
  {
    title: 'not a look whose answer is lost itself',
    script: [...lost('POST /refunds'), ...lost('GET /refunds')],
    steps: [refund(REFUND), ['GET /refunds'], refund(REFUND)],
    finds: [['double-refund-risk', 1, ['req_1', 'req_3']]]
  },
  { title: 'not the same Refund or payment again after its answer arrived', steps: [refund(REFUND), refund(REFUND), pay(PAYMENT), pay(PAYMENT)] },
  {
    title: 'the same Refund with another key, User-Agent, reason and metadata, and its amount written otherwise',
    script: lost('POST /refunds'),
    steps: [
      refund(REFUND),
      ['POST /refunds', { body: 'transaction=txn_1111&amount=010&reason=x&metadata[a]=b', key: RESELLER, headers: { 'user-agent': 'x' } }]
    ],
    finds: [
      ['double-refund-risk', 1, ['req_1', 'req_2']],
      ['foreign-record', 1, ['req_2']]
    ]
  },
  {
    title: 'the same payment with another token, its amount under amounts',
    script: lost('POST /transactions'),
    steps: [pay(`${PAYMENT}&card[token]=tok_1`), pay('amounts[payment_amount]=10&card[token]=tok_2')],
    finds: [['double-payment-risk', 1, ['req_1', 'req_2']]]
  },
  {
    title: 'not another amount, another Ticket or Transaction, nor another call whose answer was lost',
    script: [...lost('POST /refunds'), ...lost('POST /transactions'), ...lost('POST /locations/{id}')],
    steps: [
      refund(REFUND),
      refund('transaction=txn_1111&amount=11'),
      refund('transaction=txn_2222&amount=10'),
      pay(PAYMENT),
      pay('amount=11'),
      ['POST /transactions', { body: `ticket=tkt_b&payment_type=card&${PAYMENT}`, key: null }],
      ['POST /locations/loc_a', { body: 'phone=1' }],
      ['POST /locations/loc_a', { body: 'phone=2' }]
    ]
  },
  {
    title: 'not a payment that was refused, whose answer was lost, of a Ticket that does not exist',
    script: lost('POST /transactions', { when: 'before' }),
    steps: [
      ['POST /transactions', { body: 'ticket=none&payment_type=card&amount=10', key: null }],
      ['POST /transactions', { body: 'ticket=none&payment_type=card&amount=11', key: null }]
    ]
  }
)

/** The first list of Accounts is answered with a Retry-After. */
const retryAfter = (value: string, more: object = {}) => [
  { on: 'GET /accounts', calls: '1', respond: { status: 429, headers: { 'Retry-After': value }, error: { code: 'slow_down', message: 'Slow down.' } }, ...more }
]
const IGNORED: Found[] = [['retry-after-ignored', 1, ['req_1', 'req_2']]]
const PAUSES: Case[] = [
  ...[
    { how: 'seconds', value: '30' },
    { how: 'a date', value: 'Sun, 01 Mar 2026 18:05:30 GMT' }
  ].flatMap(
    ({ how, value }) =>
      [
        {
          title: `Retry-After in ${how}: called again at once, found once`,
          script: retryAfter(value),
          steps: [['GET /accounts'], ['GET /accounts'], ['GET /accounts']],
          finds: IGNORED
        },
        {
          title: `Retry-After in ${how}: called again a second too early`,
          script: retryAfter(value),
          steps: [['GET /accounts'], { advance: '29s' }, ['GET /accounts']],
          finds: IGNORED
        },
        {
          title: `Retry-After in ${how}: not when the time has passed`,
          script: retryAfter(value),
          steps: [['GET /accounts'], { advance: '30s' }, ['GET /accounts']]
        },
        {
          title: `Retry-After in ${how}: not another operation, nor another caller, nor none`,
          script: retryAfter(value),
          steps: [['GET /accounts'], ['GET /tickets'], ['GET /nothing'], ['GET /accounts', { key: RESELLER }]]
        }
      ] as Case[]
  ),
  {
    title: 'Retry-After: each of two that are ignored',
    script: retryAfter('30', { calls: '1-2' }),
    steps: [['GET /accounts'], ['GET /accounts'], ['GET /accounts']],
    finds: [['retry-after-ignored', 2, ['req_1', 'req_2', 'req_3']]]
  },
  {
    title: 'Retry-After: not one that says no time, has passed already, or never arrived',
    script: retryAfter('soon'),
    steps: [['GET /accounts'], ['GET /accounts']]
  },
  {
    title: 'Retry-After: not a date that has passed already',
    script: retryAfter('Sun, 01 Mar 2026 18:05:00 GMT'),
    steps: [['GET /accounts'], ['GET /accounts']]
  },
  { title: 'Retry-After: not one that never arrived', script: retryAfter('30', { fault: 'connection_reset' }), steps: [['GET /accounts'], ['GET /accounts']] },
  {
    title: 'Retry-After: a call without a key too',
    script: [{ on: 'POST /transactions', calls: '1', respond: { status: 503, headers: { 'Retry-After': '5' } } }],
    steps: [pay(PAYMENT), pay(PAYMENT)],
    finds: IGNORED
  }
]

for (const [name, cases] of Object.entries({ SEARCHES, PARAMETERS, REPEATS, LOST, PAUSES })) {
  t.test(`findings: what a client does wrong is found, with the calls that show it, and what it does well is not: ${name.toLowerCase()}`, async t => {
    for (const { title, script = [], settings = {}, steps, finds = [] } of cases) {
      const emulator = await startTestEmulator(t, { settings, scenario: { clock: NOW, data: smallFixture(RECORDS), script } })

      await play(emulator, steps)

      t.strictSame(await found(emulator), finds, title)
      t.strictSame(
        await found(emulator, '?scope=run'),
        finds.map(([finding, times, requests]) => [finding, times, requests.map(request => `#1/${request}`)]),
        `${title}, in the run`
      )
    }
  })
}

t.test('double-refund-risk: a Refund that was made but could not be written is lost to its client', async t => {
  let isWritable = false
  const saved = async () => {
    if (!isWritable) throw new ApiError('data_not_written', { message: 'No space is left.' })
  }
  const emulator = await startTestEmulator(t, { records: RECORDS, saved })

  await play(emulator, [refund(REFUND)])
  isWritable = true
  await play(emulator, [refund(REFUND)])

  t.strictSame(await found(emulator), [['double-refund-risk', 1, ['req_1', 'req_2']]])
})

t.test('double-refund-risk, double-payment-risk: a client that leaves during a delay and posts again at once repeats it without knowing', async t => {
  const script = ['POST /refunds', 'POST /transactions', 'POST /locations'].map(on => ({ on, calls: 1, delay: '1s' }))
  const emulator = await startTestEmulator(t, { scenario: { clock: NOW, data: smallFixture(RECORDS), script } })
  const base = `http://127.0.0.1:${await emulator.listen()}/next`
  const headers = { authorization: `Basic ${Buffer.from(`${MERCHANT}:`).toString('base64')}`, 'content-type': 'application/x-www-form-urlencoded' }
  const post = (path: string, body: string, patience: number) =>
    fetch(base + path, { method: 'POST', headers, body, signal: AbortSignal.timeout(patience) }).then(
      ({ status }) => status,
      () => null
    )

  const statuses: (number | null)[] = []
  for (const [path, body] of [
    ['/refunds', 'transaction=txn_1111&amount=5'],
    ['/transactions', 'ticket=tkt_b&payment_type=card&amount=1'],
    ['/locations', 'display_name=A&address[country]=US']
  ] as const) {
    statuses.push(await post(path, body, 300))
    await sleep(100)
    statuses.push(await post(path, body, 5000))
  }

  t.strictSame(statuses, [null, 200, null, 200, null, 200])
  const risks = async () => (await found(emulator)).filter(([finding]) => finding.startsWith('double-'))
  const expected = [
    ['double-refund-risk', 1, ['req_1', 'req_2']],
    ['double-payment-risk', 1, ['req_3', 'req_4']]
  ]
  t.strictSame(await risks(), expected, 'while the calls go on')
  await sleep(1200)
  t.strictSame(await risks(), expected, 'and when they are over')
  t.equal((await emulator.control('GET /requests?status=2xx')).body.data.length, 6)
})

/** A detector whose findings are counted. */
function counted() {
  const counts = new FindingCounts()
  const findings = new Findings()
  const look = (given: Given) => {
    for (const found of findings.look(judgedRequest(given))) counts.add(found, found.requests)
  }
  return { look, list: () => counts.list('starting_after') }
}
const shown = ({ list }: ReturnType<typeof counted>) => list().map(({ finding, times, requests }) => [finding, times, requests])

t.test('retry-after-ignored: the time has passed when the clock of the machine or of the sandbox has passed it', t => {
  for (const [now, at, isEarly] of [
    [29, 29, true],
    [30, 0, false],
    [0, 30, false],
    [99, 99, false]
  ] as const) {
    const all = counted()
    all.look({ pause: { machine: 30, sandbox: 30 } })
    all.look({ id: 'req_2', now, at })
    t.strictSame(shown(all), isEarly ? [['retry-after-ignored', 1, ['req_1', 'req_2']]] : [], `${now} ${at}`)
  }
  t.end()
})

t.test("findings: a refusal that comes of the emulator's own state is nobody's mistake", t => {
  const all = counted()
  const look = (code: string) => all.look({ outcome: 'refused', status: 500, refusal: { code, rule: null, assumption: null, param: null, facts: null } })

  for (const code of ['internal_error', 'not_ready', 'data_not_written', 'limit_reached']) for (const _ of [1, 2]) look(code)
  t.strictSame(shown(all), [])
  for (const _ of [1, 2]) look('parameter_invalid')

  t.strictSame(shown(all), [['refused-and-repeated', 1, ['req_1']]])
  t.end()
})

t.test('findings: there are thirteen, those where money or data is at risk are errors and listed first', t => {
  t.strictSame(
    Object.entries(FINDINGS).map(([finding, { severity }]) => `${severity} ${finding}`),
    [
      'error stopped-at-empty-page',
      'error double-refund-risk',
      'error double-payment-risk',
      'warning search-without-narrowing',
      'warning unknown-parameter',
      'warning unused-parameter',
      'warning key-sent-needlessly',
      'warning card-number-sent',
      'warning foreign-record',
      'warning empty-amount',
      'warning zero-payment',
      'warning retry-after-ignored',
      'warning refused-and-repeated'
    ]
  )
  t.end()
})

t.test('findings: a call is named once, and at most 20 are', t => {
  const use = unused()
  const calls = Array.from({ length: 21 }, (_, nth) => `req_${nth}`)

  t.strictSame(
    calls.filter(call => named(use, call)),
    calls.slice(0, 20)
  )
  const again = unused()
  t.strictSame([named(again, 'req_1'), named(again, 'req_1'), named(again, 'req_2'), again.requests], [true, false, true, ['req_1', 'req_2']])
  t.end()
})

t.test('findings: each is reported with what it is and what to do, at most 20 calls by name, open pages among them', t => {
  const { look, list } = counted()
  const page = { shown: { object: 'list', url: '', data: [], has_more: true, first_id: 'x', last_id: 'x' } } as const
  for (let call = 1; call <= 25; call++) look({ id: `req_${call}`, unknownParameter: true })
  for (let call = 1; call <= 25; call++) look({ id: `page_${call}`, query: form(`search_query=s&location=loc_${call}`), ...page })

  const all = list()
  t.strictSame(
    all.map(({ finding, times, requests }) => [finding, times, requests.length, requests.at(-1)]),
    [
      ['stopped-at-empty-page', 25, 20, 'page_20'],
      ['unknown-parameter', 25, 20, 'req_20']
    ]
  )
  t.strictSame(all[1], { finding: 'unknown-parameter', ...FINDINGS['unknown-parameter'], times: 25, requests: all[1]?.requests })
  t.end()
})
