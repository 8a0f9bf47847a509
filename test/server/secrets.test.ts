/**
 * Card numbers, API keys and the control token, wherever and however a client sends them: nothing
 * shows them (A25).
 */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { addKey } from '../../src/sandbox/records.js'
import { changeSettings } from '../../src/sandbox/settings.js'
import {
  type Call,
  MERCHANT,
  NOW,
  RESELLER,
  smallFixture,
  startTestEmulator
} from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { opened } from '../support/socket.js'

const CARD = '4242424242424242'
/** A card number that may be sent as a number too. */
const NUMBER = '4929808368734402'
const TOKEN = 'open-sesame-0815'
const LOCATION_FORM = 'display_name=A&address[country]=US'
const records = {
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100 }]
}
const e = encodeURIComponent
const base64 = (text: string) => Buffer.from(text).toString('base64')
const percent = (text: string) =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16)}`).join('')

const SECRETS: [what: string, secret: string, forbidden: RegExp][] = [
  ['a card number', CARD, /4242\D?4242/],
  ['a card number in groups', '4242 4242 4242 4242', /4242\D{0,3}4242/],
  ['a card number in groups', '4242-4242-4242-4242', /4242\D{0,3}4242/],
  ['another card number', '378282246310005', /3782822463/],
  ['an API key', MERCHANT, new RegExp(MERCHANT)],
  ['another API key', RESELLER, new RegExp(RESELLER)]
]

const LONG = '-'.repeat(32)
const PLACES: [on: string, before: string, texts: string][] = [
  [
    'POST /transactions',
    '',
    `ticket=@&payment_type=card | ticket=tkt_a&payment_type=@ | %zz @=1 | %zz %=1 | %zz=@ | %zz${LONG}@=1 | card[@=1`
  ],
  [
    'POST /transactions',
    'ticket=tkt_a&payment_type=card&',
    `amount=@. | tip_amount=@. | adjustment_number=@. | amounts[tip_amount]=@. | currency=@ | amounts[currency]=@ | card[last4]=@ | customer[email]=@
     | amount=key%3D@ | amount=(@) | amount=${LONG}@ | amount=${LONG}@${LONG} | @=1 | @[]=1 | card[@]=1 | @[a][b]=1 | card[number][@]=1 | a[b][c][d][e][@]=1 | @=1&@=2 | a=1&a[@]=2 | @=%zz
     | card[number]=@%zz | card=@ | card[number]=@&amount=x | payload=@&amount=x`
  ],
  ['POST /locations', `${LOCATION_FORM}&`, 'metadata[@][x]=1 | metadata[k][@]=1 | metadata=@'],
  ['POST /locations', 'display_name=A&', 'address[country]=@ | address[@]=1'],
  ['POST /refunds', 'transaction=', '@ | txn_a&amount=@'],
  ['POST /refunds/rfd_a', '', '@=1'],
  ['POST /accounts', 'name=A&email=a%40example.com&address[country]=US&', 'type=@'],
  ['GET /locations', '', 'limit=@ | starting_after=@ | @=1 | a=1&a=@&%zz @'],
  ['GET /tickets', '', 'created[gte]=@'],
  ['GET /locations/loc_a', '', 'key=1&@']
]
const PATHS = `GET /locations/@ | POST /locations/@ | PUT /locations/@ | PUT /tickets/@ | GET /nowhere/@ | GET /accounts/@/users | GET /../nowhere/@
  | DELETE /accounts/mch_a/users/@ | DELETE /accounts/@/users/@ | GET /locations/@%zz | GET /../locations/@`
const partsOf = (texts: string) => texts.split(/\s*\| /)

/** Every request with the secret. */
function requestsWith(secret: string): [on: string, options: Call][] {
  const encoded = e(secret)
  const filled = (text: string) => text.replaceAll('@', encoded).replace(/%(?==1)/, percent(secret))
  const headers = (headers: Record<string, string>, more: Call = {}): Call => ({ ...more, headers })
  return [
    ...PLACES.flatMap(([on, before, texts]) =>
      partsOf(texts).map((text): [string, Call] => [
        on,
        { [on.startsWith('GET') ? 'query' : 'body']: filled(before + text) }
      ])
    ),
    ...[encoded, percent(secret), `key=${encoded}`, `${encoded}.`, `a%2F${encoded}%2Fb`].flatMap(
      part => partsOf(PATHS).map((on): [string, Call] => [on.replaceAll('@', part), {}])
    ),
    ['POST /locations', { body: LOCATION_FORM, query: `${encoded}=1` }],
    [
      'POST /locations',
      headers({ 'content-type': `application/json; x=${secret}` }, { body: `{"card":"${secret}"}` })
    ],
    ['POST /locations', headers({ 'content-type': secret }, { body: 'x' })],
    ['POST /locations', headers({ 'content-encoding': secret }, { body: 'x' })],
    ...[secret, `Bearer ${secret}`].map((authorization): [string, Call] => [
      'GET /locations',
      headers({ authorization }, { key: null })
    ]),
    ...[`x${secret}`, `${secret}:${secret}`].map((key): [string, Call] => [
      'GET /locations',
      { key }
    ]),
    ['DELETE /locations/loc_a', headers({ 'x-note': secret })]
  ]
}

t.test('A25: card numbers and API keys come back in no error, header or log line', async t => {
  const all = SECRETS.map(([, secret]) => requestsWith(secret))
  t.ok(all.flat().length > 600, `${all.flat().length} requests`)
  for (const settings of [{}, { 'parameters.unknown': 'warn' as const }]) {
    const { call, inject, control, logs } = await startTestEmulator(t, { records, settings })
    const isStrict = !('parameters.unknown' in settings)
    const leaksIn = (output: string) =>
      SECRETS.filter(([, , forbidden]) => forbidden.test(output)).map(([what]) => what)
    const requests = isStrict ? all.flat() : [...(all[0] ?? []), ...(all.at(-1) ?? [])]
    for (const [on, options] of requests) {
      const [method, path] = on.split(' ') as ['GET', string]
      logs.length = 0
      const answer = path.startsWith('/..')
        ? await inject({ method, url: path.slice(3) })
        : await call(on, options)

      const output = [
        answer.status >= 400 ? answer.text : '',
        JSON.stringify(answer.headers),
        ...logs
      ].join('\n')
      if (leaksIn(output).length > 0)
        t.fail(`${leaksIn(output)} came back from ${on} ${JSON.stringify(options)}`, { output })
      if (isStrict && answer.status < 400)
        t.fail(`${on} ${JSON.stringify(options)} was not refused`)
    }
    const { data, dropped } = (await control('GET /requests?limit=1000')).body
    t.ok(data.length + dropped >= requests.length)
    for (const entry of data)
      t.strictSame(
        leaksIn(JSON.stringify(entry)),
        [],
        `in the journal, of ${entry.method} ${entry.path}`
      )
  }
})

t.test('A25: secrets that are never stored appear in no response, log line or state', async t => {
  const { call, state, logs } = await startTestEmulator(t)
  const secrets = {
    'card[number]': '4000 0000 0000 0002',
    'card[expiry]': '11/39',
    'card[csc]': 'csc-9371',
    'card[token]': 'tok_secret',
    'bank_account[account_number]': '000123456789',
    'bank_account[routing_number]': '110000000',
    payload: 'payload_secret'
  }
  const misplaced = { 'card[brand]': `visa ${CARD}`, 'bank_account[bank_name]': CARD }

  const paid = await call('POST /transactions', {
    body: { ticket: 'tkt_a', payment_type: 'vip', 'customer[phone]': '1', ...secrets, ...misplaced }
  })
  const read = await call(`GET /transactions/${paid.body.id}`)

  t.strictSame(paid.body.payment_method, {
    type: 'vip',
    card: { brand: 'visa ****************', last4: '0002' },
    bank_account: { bank_name: '****************', last4: '6789' }
  })
  const output = [paid.text, read.text, await state(), ...logs].join('\n')
  for (const secret of [...Object.values(secrets), '4000000000000002', CARD])
    t.notOk(output.includes(secret), secret)
})

/** Secrets that nothing may show, in each form that a client may send. */
const SENT = {
  pan: CARD,
  grouped: '4242 4242 4242 4242',
  dashed: '4242-4242-4242-4242',
  csc: 'csc-7373',
  expiry: 'exp-0931',
  token: 'tok_secret_1',
  payload: 'payload-secret-1',
  account: 'acct-00012345',
  routing: 'route-011000015'
}
const KEYS = [MERCHANT, 'sk_unknown_key', 'sk_1']
const json = JSON.stringify({
  card: { number: CARD, csc: SENT.csc, expiry: SENT.expiry, token: SENT.token },
  payload: `${SENT.payload}=${SENT.token}`
})
const IN_ORDER = {
  number: e(SENT.grouped),
  csc: SENT.csc,
  expiry: SENT.expiry,
  token: SENT.token,
  payload: SENT.payload
}
const everywhere = (name: (inner: string) => string) =>
  Object.entries({ ...IN_ORDER, account_number: SENT.account, routing_number: SENT.routing })
    .map(([inner, value]) => `${name(inner)}=${value}`)
    .join('&')
const PAYMENT = 'ticket=tkt_a&payment_type=vip&customer[phone]=1&amount=5'
const LOCATION = 'display_name=L&address[country]=US'
const WRONG_PLACES = everywhere(name => name)
const OWN_PLACES = everywhere(name =>
  name === 'payload' ? name : `${/_/.test(name) ? 'bank_account' : 'card'}[${name}]`
).replace(e(SENT.grouped), CARD)
/** A request's parameters, and the body to send it with. */
const PAID: Record<string, string> = {
  'the parameters that they belong in': `${PAYMENT}&${OWN_PLACES}`,
  'objects and lists in their place': `${PAYMENT}&card[csc][a]=${SENT.csc}&card[token][]=${SENT.token}&payload[a][b]=${SENT.payload}`,
  'parameters that are not there': `${PAYMENT}&${WRONG_PLACES}&card_number=${CARD}&CVC=${SENT.csc}&card-number=${CARD}`,
  'JSON sent as a form': json,
  'encoded JSON sent as a form': e(json),
  'a list of JSON sent as a form': `[${json}]`,
  'a body with a broken encoding': `${OWN_PLACES}&card[number]=${CARD}%zz`,
  'flattened names': `${PAYMENT}&card_token=${SENT.token}&cardExpiry=${SENT.expiry}&routing=${SENT.routing}&bank_account_account_number=${SENT.account}`,
  'a security code after its name': `${PAYMENT}&csc%3D9371=1&card[csc]9371=1`,
  'a security code in a name that is read': `${PAYMENT}&csc%3D9371=1&csc[9371]=1&note=card[csc]9371`
}
const MADE: Record<string, string> = {
  metadata: `${LOCATION}&${everywhere(name => `metadata[${name}]`)}&metadata[note]=${CARD}`,
  'metadata as JSON': `${LOCATION}&metadata[blob]=${e(json)}`,
  'text of other parameters': `display_name=${e(SENT.dashed)}&address[country]=US&address[city]=${CARD}&phone=${MERCHANT}&website=sk_1`,
  'a form in a value': `${LOCATION}&metadata[form]=${e(OWN_PLACES)}`
}
const sentTo = (on: string, bodies: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(bodies).map(([what, body]): [string, [string, Call]] => [what, [on, { body }]])
  )
const LEAKS: Record<string, [on: string, options: Call]> = {
  ...sentTo('POST /transactions', PAID),
  ...sentTo('POST /locations', MADE),
  "a list's query": [
    'GET /tickets',
    {
      query: `${WRONG_PLACES}&${everywhere(name => `card[${name}]`)}&search_query=${CARD}&key=${MERCHANT}`
    }
  ],
  'the query of a POST': [
    'POST /transactions',
    { query: `card[number]=${CARD}&card[token]=${SENT.token}`, body: PAYMENT }
  ],
  'the user agent': [
    'GET /tickets',
    { headers: { 'user-agent': `till ${CARD} ${e(SENT.grouped)} ${MERCHANT}` } }
  ],
  'a JSON body': [
    'POST /transactions',
    { body: json, headers: { 'content-type': 'application/json' } }
  ],
  'a key that is not known': [
    'GET /tickets',
    { key: 'sk_unknown_key', query: 'location=sk_unknown_key' }
  ]
}

/** A secret as sent, and the parts of it that may not be shown. */
const WRITTEN: [secret: string, sent: string][] = [
  ...[
    CARD,
    '4242.4242.4242.4242',
    '4242_4242_4242_4242',
    '4242:4242:4242:4242',
    '4242|4242|4242|4242',
    '4242\u200b4242\ufeff4242\u20604242',
    percent(CARD),
    MERCHANT,
    TOKEN,
    percent(TOKEN)
  ].map((sent): [string, string] => [sent, sent]),
  [base64(`${MERCHANT}:`), `Basic ${base64(`${MERCHANT}:`)}`]
]
const formOf = (pairs: Record<string, string>) => new URLSearchParams(pairs).toString()
/** API requests with a text in every place. */
const carrying = (sent: string): [on: string, options: Call][] => [
  [`GET /tickets/${e(sent)}`, {}],
  [`GET /${e(e(sent))}`, {}],
  ['GET /tickets', { query: formOf({ [sent]: 'x', search_query: sent }) }],
  [
    'POST /transactions',
    {
      body: formOf({
        ticket: sent,
        payment_type: sent,
        'card[numbr]': 'q4711z',
        'card[expiry]': '12/29',
        'card[number]': sent
      }),
      key: null
    }
  ],
  [
    'POST /refunds',
    { body: formOf({ transaction: sent, [`metadata[${sent}]`]: sent, 'card[x][]': 'q4711z' }) }
  ],
  ['POST /refunds', { body: JSON.stringify({ card: { numbr: 'q4711z' }, x: sent }) }],
  [
    'GET /tickets',
    {
      headers: /[^ -~]/.test(sent) ? {} : { 'user-agent': sent, 'content-type': sent },
      key: `own-${sent}`
    }
  ]
]
/** And control requests. */
const controlling = (sent: string): [on: string, body?: string][] => [
  [`GET /${e(sent)}`],
  [`GET /requests?on=${e(sent)}`],
  [`GET /state?before=${e(sent)}`],
  [`PUT /snapshots/${e(sent)}!`],
  ['POST /verify', JSON.stringify({ on: sent, within: sent })]
]

t.test('A25: secrets anywhere in a request, in any form', async t => {
  const api_keys = [...smallFixture().api_keys, { key: 'sk_1', account: 'mch_a' }]
  const scenario = {
    clock: NOW,
    data: { ...smallFixture(), api_keys },
    expect: [{ on: 'GET /tickets', times: 0 }]
  }
  const { call, control, inject, logs } = await startTestEmulator(t, {
    scenario,
    settings: { control_token: TOKEN }
  })
  const ask = (on: string, body?: string) =>
    control(on, body, { host: 'localhost', authorization: `Bearer ${TOKEN}` })
  const own = [
    ...Object.values(SENT),
    ...KEYS,
    SENT.grouped.replaceAll(' ', '%20'),
    '4242+4242',
    'csc=9371',
    'csc%3D9371',
    'csc]9371',
    '[9371]'
  ]
  const cases: [
    what: string,
    secrets: string[],
    calls: [string, Call][],
    controls: [string, string?][]
  ][] = [
    ...Object.entries(LEAKS).map(([place, made]): (typeof cases)[number] => [
      place,
      own,
      [made],
      []
    ]),
    ...WRITTEN.map(([secret, sent]): (typeof cases)[number] => [
      sent,
      [secret, 'q4711z', '12/29', '12%2F29'],
      carrying(sent),
      controlling(sent)
    ])
  ]
  for (const [what, secrets, calls, controls] of cases) {
    logs.length = 0
    await ask('POST /reset')
    const answers = []
    for (const [on, options] of calls) answers.push(await call(on, options))
    const seen = answers.flatMap(({ status, text }) => (status >= 400 ? [text] : []))
    if (controls.length > 0)
      seen.push((await inject({ method: 'GET', url: `/sandbox/${e(what)}/next/tickets` })).text)
    const views =
      'requests requests/req_1 requests/req_1?format=text findings coverage assumptions metrics settings'
        .split(' ')
        .map(path => `GET /${path}`)
    for (const [on, body] of [
      ...controls,
      ...views.map((on): [string] => [on]),
      ['POST /verify'] as [string]
    ])
      seen.push((await ask(on, body)).text)

    for (const text of [...seen, ...logs]) {
      const leaked = secrets.filter(
        secret => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1))
      )
      t.strictSame(leaked, [], `${what}: ${leaked.length > 0 ? text : ''}`)
    }
  }
})

t.test('A25: the key of a request is masked whoever knows it: any accepted key', async t => {
  const emulator = await startTestEmulator(t, {
    scenario: {
      clock: NOW,
      data: smallFixture(),
      script: [
        { on: 'GET /tickets/{id}', calls: 2, delay: '60ms' },
        { on: 'GET /accounts/{id}', fault: 'hang' }
      ]
    }
  })
  const { sandbox, call } = emulator
  const port = await emulator.listen()
  const use = (key: string) =>
    call(`GET /tickets/${key}`, { key, headers: { 'user-agent': `till ${key}` } })
  const entries = async (): Promise<Json[]> => (await emulator.control('GET /requests')).body.data
  const shown = async () =>
    (await entries()).map(({ path, params, user_agent, account, status }) => [
      path,
      params,
      user_agent,
      account,
      status
    ])

  await changeSettings(sandbox, { auth: { accept_any_key: 'mch_a' } })
  await use('sk_of_a_stranger')
  t.strictSame(await shown(), [['/tickets/***', { id: '***' }, 'till ***', 'mch_a', 404]])

  await changeSettings(sandbox, { auth: { accept_any_key: null } })
  const before = sandbox.snapshot()
  const { key } = addKey(sandbox, 'mch_a')
  const late = use(key)
  await wait(20)
  sandbox.restore(before)
  t.equal((await late).status, 409)
  t.strictSame((await shown())[0], ['/tickets/***', { id: '***' }, 'till ***', 'mch_a', 409])

  const { key: other } = addKey(sandbox, 'mch_a')
  const { socket } = opened(
    t,
    port,
    `GET /next/accounts/${other} HTTP/1.1\r\nhost: localhost\r\nauthorization: Basic ${base64(`${other}:`)}\r\n\r\n`
  )
  while (sandbox.evidence.journal.size < 3) await wait(10)
  const [entry] = await entries()
  t.strictSame(
    [entry.path, entry.params, entry.outcome, sandbox.inFlight],
    ['/accounts/***', { id: '***' }, 'lost_before', 1]
  )
  socket.destroy()
  while (sandbox.inFlight > 0) await wait(10)
  t.equal((await entries()).length, 3, 'and once alone')
  t.notOk(emulator.logs.some(line => line.includes(key) || line.includes('sk_of_a_stranger')))
})

t.test('A25: a sandbox or a snapshot cannot have a card number as its name', async t => {
  const { app, control, sandbox } = await startTestEmulator(t)
  for (const name of [CARD, '4242-4242-4242-4242', 'run.4242_4242_4242_4242']) {
    const refusals = [
      (await app.inject({ method: 'GET', url: `/sandbox/${name}/next/tickets` })).json(),
      (
        await app.inject({
          method: 'POST',
          url: `/sandbox/${name}/_control/reset`,
          headers: { host: 'localhost' }
        })
      ).json(),
      (await control(`PUT /snapshots/${name}`)).body,
      (await control(`POST /snapshots/${name}/restore`)).body,
      (await control(`DELETE /sandboxes/${name}`)).body
    ]
    for (const { error } of refusals)
      t.strictSame(
        [error.code, error.param, error.message],
        [
          'name_invalid',
          'name',
          'The name contains a card number. Names are shown and stored; choose another name.'
        ],
        name
      )
  }
  t.equal((await control('PUT /snapshots/run-1767225600000')).status, 201)
  t.strictSame(await sandbox.snapshots.names(), ['run-1767225600000'])
})
t.test('A25: the texts of a scenario and the keys that a script matches are not shown', async t => {
  const unknown = 'sk_of_nobody_here'
  const scenario = {
    name: `paid with ${CARD}`,
    description: 'refunds of 4242|4242|4242|4242',
    clock: NOW,
    data: smallFixture(),
    script: [{ on: 'GET /refunds/{id}', match: { key: MERCHANT }, respond: { status: 500 } }],
    expect: [{ on: 'GET /refunds/{id}', match: { key: [MERCHANT, unknown] } }]
  }
  const { control, call, app } = await startTestEmulator(t, { scenario })
  const added = await control('POST /script', {
    on: 'GET /tickets',
    match: { key: unknown },
    respond: { status: 500 }
  })
  await call('GET /refunds/rfd_none', { key: RESELLER })
  const numbered = await control(
    'POST /script',
    `{"on":"POST /refunds","match":{"body":{"amount":${NUMBER}}},"respond":{"status":400}}`
  )
  const verdict = await control('POST /verify', {
    on: 'GET /refunds/{id}',
    times: 1,
    match: { account: NUMBER }
  })
  t.strictSame([numbered.status, verdict.status], [201, 409])

  t.strictSame(added.body.entry.match, { key: '***' })
  const { data } = (await control('GET /script')).body
  const matches = data.map(({ entry }: Json) => entry.match)
  t.strictSame(matches, [{ key: '***' }, { key: '***' }, numbered.body.entry.match])
  const seen = [added.text, verdict.text]
  for (const path of [
    '',
    'script',
    'run',
    'run?format=text',
    'run?format=html',
    'requests',
    'requests/req_1',
    'requests/req_1?format=text'
  ])
    seen.push((await control(`GET /${path}`)).text)
  seen.push(
    (await control('POST /verify')).text,
    (await control('PUT /snapshots/a')).text,
    (await control('GET /health')).text
  )
  for (const text of seen)
    for (const secret of [CARD, NUMBER, '4242|4242', MERCHANT, unknown])
      t.notOk(text.includes(secret), `${secret}: ${text.slice(0, 300)}`)
  t.ok(
    (
      await app.inject({ method: 'GET', url: '/_control/', headers: { host: 'localhost' } })
    ).body.includes('paid with ****************')
  )
})
