import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { nested } from '../../src/core/settings.js'
import { against, DATA, KEYS, proxied, service } from '../support/against.js'
import { ran, serving } from '../support/command.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const refund = (amount?: number) => ({ do: 'POST /refunds', body: { transaction: '${txn_a}', ...(amount && { amount }) } })

type Body = Record<string, unknown>
type Answered = { method: string; path: string; status: number; body: Body }

/** A service before another one, that changes what that answers. */
const deviating = (t: Test, { baseUrl }: { baseUrl: string }, change: (answered: Answered) => void): Promise<string> =>
  proxied(t, baseUrl, passing => {
    const { method, path, status, text } = passing
    const answered = { method, path, status, body: text === '' ? {} : JSON.parse(text) }
    change(answered)
    Object.assign(passing, { status: answered.status, type: 'application/json', text: answered.status === 204 ? '' : JSON.stringify(answered.body) })
  })

const EVERYTHING = {
  steps: [{ as: 'payment', do: 'POST /transactions', body: { ticket: '${tkt_a}', payment_type: 'card', amount: 500, card: { last4: '4242' } } }],
  play: [
    { as: 'made', do: 'POST /refunds', body: { transaction: '${payment.id}', amount: 200 } },
    { ...refund(4000), expect: { status: 422 } },
    { do: 'GET /tickets' },
    { do: 'GET /tickets', query: { limit: 3 } },
    { do: 'GET /tickets', query: { limit: 500 } },
    { do: 'GET /tickets', query: { location: '${loc_a}', search_query: 'n-1' } },
    { do: 'POST /refunds/${made.id}', body: { amount: 3 } },
    { do: 'POST /refunds', body: { transaction: '${payment.id}', amuont: 1 }, expect: { status: 200 } },
    { do: 'GET /refunds', query: { transaction: '${payment.id}' } },
    { do: 'POST /transactions', body: { ticket: '${tkt_a}', payment_type: 'external', amount: 1 } },
    { at_once: [refund(600), refund(600)] }
  ]
}
const SETTINGS = {
  'statuses.refund_refused': 422,
  'statuses.created': 201,
  'pagination.default_limit': 4,
  'pagination.order': 'oldest_first',
  'pagination.out_of_range': 'clamp',
  'pagination.max_limit': 7,
  'errors.expose_rule': false,
  'ids.prefixes.refund': 're_',
  'ids.length': 16,
  'parameters.not_updatable': 'ignore',
  'parameters.unknown': 'ignore',
  'search.reference': 'exact',
  'transactions.default_currency': 'eur'
} as const

t.test('check --against: the settings of another emulator are found, and with them nothing differs', async t => {
  const { baseUrl } = await service(t, SETTINGS)
  const root = await mkdtemp(join(tmpdir(), 'settings-'))
  t.teardown(() => rm(root, { recursive: true }))

  const first = await against(t, baseUrl, EVERYTHING, ['--write-settings', `${root}/found.yaml`])
  const other = await service(t, SETTINGS)
  const second = await against(t, other.baseUrl, EVERYTHING, ['--settings', `${root}/found.yaml`, '--write-settings', `${root}/none.json`])
  const third = await service(t, SETTINGS)
  const within = await against(t, third.baseUrl, { ...EVERYTHING, settings: nested(SETTINGS) })

  t.equal(first.status, 1)
  t.strictSame(
    first.titles.filter(title => title.startsWith('✗ differs') || title.startsWith('!')).sort(),
    [
      '✗ differs by assumption A02 ids.prefixes.refund: re_',
      '✗ differs by assumption A03 ids.length: 16',
      '✗ differs by assumption A06 statuses.created: 201',
      '✗ differs by assumption A07 errors.expose_rule: false',
      '✗ differs by assumption A08 statuses.refund_refused: 422',
      '✗ differs by assumption A10 pagination.default_limit: 4',
      '✗ differs by assumption A10 pagination.max_limit: 7',
      '✗ differs by assumption A10 pagination.out_of_range: clamp',
      '✗ differs by assumption A11 pagination.order: oldest_first',
      '✗ differs by assumption A13 search.reference: exact',
      '✗ differs by assumption A14 parameters.unknown: ignore',
      '✗ differs by assumption A15 parameters.not_updatable: ignore',
      '✗ differs by assumption A22 transactions.default_currency: eur'
    ],
    first.stdout
  )
  t.strictSame(first.found['✗ differs by assumption A08 statuses.refund_refused: 422'], ['play 2. POST /refunds: status: 400 here, 422 at the service'])
  t.ok(first.stdout.includes('\nsettings:\n  '), 'ends with a settings block')
  t.ok(first.stdout.includes(`# These settings make the emulator answer as the service does.\n${await readFile(`${root}/found.yaml`, 'utf8')}`))
  t.notOk(first.stdout.includes('sk_reseller'), 'no key is shown')
  t.strictSame(
    second.titles.filter(title => title.includes('differs') || title.startsWith('!')),
    [],
    second.stdout
  )
  t.strictSame(JSON.parse(await readFile(`${root}/none.json`, 'utf8')), { settings: {} })
  t.notOk(second.stdout.includes('settings:'))
  t.strictSame(
    within.titles.filter(title => title.includes('differs')),
    [],
    within.stdout
  )
  await writeFile(`${root}/kept.yaml`, 'settings: { seed: 3 }\n')
  for (const [base, scenario] of [
    [baseUrl, { seed: 'x' }],
    ['http://127.0.0.1:1', EVERYTHING]
  ] as const) {
    const failed = await against(t, base, scenario, ['--write-settings', `${root}/kept.yaml`])
    t.equal(failed.status, 1)
    t.equal(failed.stderr, `commerce-emulator: ${root}/kept.yaml is not written: no answer was compared\n`)
  }
  t.equal(await readFile(`${root}/kept.yaml`, 'utf8'), 'settings: { seed: 3 }\n', 'without an answer a file of settings is kept')
  const unwritable = await against(t, baseUrl, { steps: [] }, ['--write-settings', `${root}/none/found.yaml`])
  t.ok(/^commerce-emulator: the settings cannot be written: .*ENOENT/.test(unwritable.stderr))
})

t.test('check --against: what is the same but for ids, times, keys and address differs in nothing', async t => {
  const seeded = await service(t, {}, { seed: 99, clock: '2026-07-07T07:07:07.007Z' })
  const inSandbox = seeded.baseUrl.replace(/\/next$/, '/sandbox/one/next/')

  for (const base of [seeded.baseUrl, inSandbox]) {
    const { found } = await against(t, base, {
      ...EVERYTHING,
      play: [
        ...EVERYTHING.play,
        { do: 'GET /refunds' },
        { do: 'GET /transactions/${payment.id}' },
        { do: 'DELETE /locations/${loc_a}', expect: { status: 501 } }
      ]
    })
    t.strictSame(
      Object.keys(found).filter(title => title.includes('differs') || title.startsWith('!')),
      [],
      JSON.stringify(found)
    )
  }
})

t.test('check --against: planted deviations, each by its cause', async t => {
  const on = (method: string, path: RegExp, change: (body: Answered['body'], answered: Answered) => void) => (answered: Answered) => {
    if (answered.method === method && path.test(answered.path)) change(answered.body, answered)
  }
  const payment = { as: 'payment', do: 'POST /transactions', body: { ticket: '${tkt_a}', payment_type: 'card', amount: 500, card: { last4: '4242' } } }
  const update = (body: object) => ({ do: 'POST /locations/${loc_a}', body })
  const cases: [title: string, change: (answered: Answered) => void, play: object, titles: string[], problem: string][] = [
    [
      'a field of another value that was not sent',
      on('POST', /refunds$/, body => Object.assign(body, { reason: '' })),
      refund(5),
      ['✗ differs by rule REF-8: reason defaults to null'],
      'play 1. POST /refunds: reason: null here, "" at the service'
    ],
    [
      'another amount than what remained',
      on('POST', /refunds$/, body => Object.assign(body, { amount: 999 })),
      refund(),
      ['✗ differs by rule REF-4: without amount the whole remainder is refunded'],
      'play 1. POST /refunds: amount: 1000 here, 999 at the service'
    ],
    [
      'another amount than was sent',
      on('POST', /refunds$/, body => Object.assign(body, { amount: 6 })),
      refund(5),
      ['✗ differs by rule REF-3: amount, when given, is a positive integer in sub-units and not above the remainder'],
      'play 1. POST /refunds: amount: 5 here, 6 at the service'
    ],
    [
      'an unknown field, with a card number in it',
      on('POST', /refunds$/, body => Object.assign(body, { processor: 'acme 4242424242424242' })),
      refund(5),
      ['✗ differs by assumption A04 (returned fields); no setting makes the emulator answer so'],
      'play 1. POST /refunds: processor: not here, "acme ****************" at the service'
    ],
    [
      'an unknown field within another',
      on('POST', /transactions$/, body => Object.assign(body.payment_method as object, { network: 'x' })),
      payment,
      ['✗ differs by assumption A04 (returned fields); no setting makes the emulator answer so'],
      'play 1. POST /transactions: payment_method.network: not here, "x" at the service'
    ],
    [
      'a refund above the remainder is made',
      on('POST', /refunds$/, (_body, answered) => Object.assign(answered, { status: 200, body: { id: 'rfd_x', object: 'refund' } })),
      refund(4000),
      ['✗ differs by rule REF-7: a Refund above the remainder is an error'],
      'play 1. POST /refunds: status: 400 here, 200 at the service'
    ],
    [
      'a Location is made for a reseller',
      on('POST', /locations$/, (_body, answered) =>
        Object.assign(answered, { status: 200, body: { id: 'loc_x', object: 'location', account: 'rsl_r', display_name: 'X' } })
      ),
      { do: 'POST /locations', key: 'sk_reseller', body: { display_name: 'X', address: { country: 'US' } } },
      ['✗ differs by rule LOC-3: only merchant Accounts create Locations'],
      'play 1. POST /locations: status: 403 here, 200 at the service'
    ],
    [
      'a refusal that names its rule',
      on('POST', /refunds$/, (_body, answered) => Object.assign(answered, { status: 409, body: { error: { rule: 'REF-6' } } })),
      { ...refund(4), expect: { status: 409 } },
      ['✗ differs by rule REF-6: a Refund on a fully refunded Transaction is an error'],
      'play 1. POST /refunds: status: 200 here, 409 at the service'
    ],
    [
      'a refusal that names none',
      on('POST', /refunds$/, (_body, answered) => Object.assign(answered, { status: 409, body: {} })),
      { ...refund(4), expect: { status: 409 } },
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 1. POST /refunds: status: 200 here, 409 at the service'
    ],
    [
      'a failure of the service',
      on('POST', /refunds$/, (_body, answered) => Object.assign(answered, { status: 503, body: { error: {} } })),
      { ...refund(4), expect: { status: 503 } },
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 1. POST /refunds: status: 200 here, 503 at the service'
    ],
    [
      'a failure instead of a refusal',
      on('POST', /refunds$/, (_body, answered) => Object.assign(answered, { status: 500 })),
      { ...refund(4000), expect: { status: 500 } },
      ['✗ differs by assumption A08 (error statuses); no setting makes the emulator answer so'],
      'play 1. POST /refunds: status: 400 here, 500 at the service'
    ],
    [
      'a record that the service does not have',
      on('GET', /tickets/, (_body, answered) => Object.assign(answered, { status: 404, body: { error: {} } })),
      { do: 'GET /tickets/${tkt_a}', expect: { status: 404 } },
      ['! other data at the service'],
      'play 1. GET /tickets/${tkt_a}: status: 200 here, 404 at the service'
    ],
    [
      'a record that is named literally and that the service does not have',
      on('POST', /transactions$/, (_body, answered) => Object.assign(answered, { status: 404, body: { error: { rule: 'TXN-1' } } })),
      { ...payment, body: { ...payment.body, ticket: 'tkt_a' }, expect: { status: 404 } },
      ['! other data at the service'],
      'play 1. POST /transactions: status: 200 here, 404 at the service; the service has no Ticket tkt_a'
    ],
    [
      'a record that the service does not have, by the code of its refusal',
      on('POST', /refunds$/, (_body, answered) => Object.assign(answered, { status: 400, body: { error: { code: 'reference_missing' } } })),
      { do: 'POST /refunds', body: { transaction: 'txn_a' }, expect: { status: 400 } },
      ['! other data at the service'],
      'play 1. POST /refunds: status: 200 here, 400 at the service; the service has no Transaction txn_a'
    ],
    [
      'a record that the service does not have, where the emulator refuses for another reason',
      on('POST', /refunds$/, (_body, answered) => Object.assign(answered, { status: 404, body: { error: { code: 'gone' } } })),
      { ...refund(4000), expect: { status: 404 } },
      ['! other data at the service'],
      'play 1. POST /refunds: status: 400 here, 404 at the service; the service has no Transaction txn_a'
    ],
    [
      'an Account or a User that the service does not have',
      on('DELETE', /users/, (_body, answered) => Object.assign(answered, { status: 404, body: { error: {} } })),
      { do: 'DELETE /accounts/mch_a/users/usr_a', expect: { status: 404 } },
      ['! other data at the service'],
      'play 1. DELETE /accounts/mch_a/users/usr_a: status: 204 here, 404 at the service; the service has no Account mch_a or no User usr_a'
    ],
    [
      'a record that the service has just shown and then does not find',
      on('POST', /transactions$/, (_body, answered) => Object.assign(answered, { status: 404, body: { error: {} } })),
      [{ do: 'GET /tickets/tkt_a' }, { ...payment, expect: { status: 404 } }],
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 2. POST /transactions: status: 200 here, 404 at the service'
    ],
    [
      'a record that it lists and then does not find',
      on('POST', /transactions$/, (_body, answered) => Object.assign(answered, { status: 404, body: { error: { rule: 'TXN-1' } } })),
      [
        { do: 'GET /tickets', query: { limit: 50 } },
        { ...payment, expect: { status: 404 } }
      ],
      ['✗ differs by rule TXN-1: create needs ticket, the id of an existing Ticket'],
      'play 2. POST /transactions: status: 200 here, 404 at the service'
    ],
    [
      'another record than the one that it has shown',
      on('POST', /transactions$/, (_body, answered) => Object.assign(answered, { status: 404, body: { error: { rule: 'TXN-1' } } })),
      [{ do: 'GET /tickets/tkt_0' }, { ...payment, expect: { status: 404 } }],
      ['! other data at the service'],
      'play 2. POST /transactions: status: 200 here, 404 at the service; the service has no Ticket tkt_a'
    ],
    [
      'a record that it has shown and then does not find in a path',
      on('POST', /locations/, (_body, answered) => Object.assign(answered, { status: 404, body: {} })),
      [{ do: 'GET /locations/loc_a' }, { ...update({ phone: '1' }), expect: { status: 404 } }],
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 2. POST /locations/${loc_a}: status: 200 here, 404 at the service'
    ],
    [
      'a 404 by a rule of another kind',
      on('POST', /refunds$/, (_body, answered) => Object.assign(answered, { status: 404, body: { error: { rule: 'REF-6' } } })),
      { ...refund(4), expect: { status: 404 } },
      ['✗ differs by rule REF-6: a Refund on a fully refunded Transaction is an error'],
      'play 1. POST /refunds: status: 200 here, 404 at the service'
    ],
    [
      'a 404 for a call that names no record',
      on('POST', /accounts$/, (_body, answered) => Object.assign(answered, { status: 404, body: { error: { rule: 'ACC-2' } } })),
      { do: 'POST /accounts', body: { type: 'merchant', name: 'A', email: 'a@example.com', address: { country: 'US' } }, expect: { status: 404 } },
      ['✗ differs by rule ACC-2: create needs name'],
      'play 1. POST /accounts: status: 200 here, 404 at the service'
    ],
    [
      'a record that the service does not have, and a call that it makes with it all the same',
      on('POST', /transactions$/, (_body, answered) => Object.assign(answered, { status: 200, body: { id: 'txn_x' } })),
      [
        { do: 'GET /tickets/tkt_none', expect: { status: 404 } },
        { ...payment, body: { ...payment.body, ticket: 'tkt_none' } }
      ],
      ['✗ differs by rule TXN-1: create needs ticket, the id of an existing Ticket'],
      'play 2. POST /transactions: status: 400 here, 200 at the service'
    ],
    [
      'a record that neither has, refused with another status',
      on('POST', /transactions$/, (_body, answered) => Object.assign(answered, { status: 404 })),
      { ...payment, body: { ...payment.body, ticket: 'tkt_none' }, expect: { status: 404 } },
      ['✗ differs by assumption A08 statuses.reference_missing: 404'],
      'play 1. POST /transactions: status: 400 here, 404 at the service'
    ],
    [
      'a User that is deleted twice',
      on('DELETE', /users/, (_body, answered) => Object.assign(answered, { status: 204, body: {} })),
      [{ do: 'DELETE /accounts/mch_a/users/usr_a' }, { do: 'DELETE /accounts/mch_a/users/usr_a' }],
      ['✗ differs by assumption A08 (error statuses); no setting makes the emulator answer so'],
      'play 2. DELETE /accounts/mch_a/users/usr_a: status: 404 here, 204 at the service'
    ],
    [
      'a refusal that is a failure of the service, with all that the emulator says but the rule',
      on('POST', /refunds$/, (body, answered) => {
        delete (body.error as Record<string, unknown>).rule
        Object.assign(answered, { status: 503 })
      }),
      { ...refund(4000), expect: { status: 503 } },
      [
        '✗ differs by assumption A08 (error statuses); no setting makes the emulator answer so',
        '✗ differs by assumption A07 (error body); no setting makes the emulator answer so'
      ],
      'play 1. POST /refunds: status: 400 here, 503 at the service'
    ],
    [
      'a refusal that names no assumption, and has another code',
      on('GET', /tickets/, body => {
        delete (body.error as Record<string, unknown>).assumption
        Object.assign(body.error as object, { code: 'too_many' })
      }),
      { do: 'GET /tickets', query: { limit: 500 }, expect: { status: 400 } },
      ['✗ differs by assumption A07 (error body); no setting makes the emulator answer so'],
      'play 1. GET /tickets: error.code: "parameter_invalid" here, "too_many" at the service'
    ],
    [
      'a refusal that names no assumption',
      on('GET', /tickets/, body => delete (body.error as Record<string, unknown>).assumption),
      { do: 'GET /tickets', query: { limit: 500 }, expect: { status: 400 } },
      ['✗ differs by assumption A07 errors.expose_rule: false'],
      'play 1. GET /tickets: error.assumption: "A10" here, not there at the service'
    ],
    [
      'a refusal that names an assumption in place of a rule',
      on('GET', /tickets/, body => {
        delete (body.error as Record<string, unknown>).assumption
        Object.assign(body.error as object, { rule: 'LIST-3' })
      }),
      { do: 'GET /tickets', query: { limit: 500 }, expect: { status: 400 } },
      ['✗ differs by assumption A07 (error body); no setting makes the emulator answer so'],
      'play 1. GET /tickets: error.assumption: "A10" here, not there at the service'
    ],
    [
      'a record that only the service has',
      on('GET', /tickets/, (_body, answered) =>
        Object.assign(answered, {
          status: 200,
          body: { id: 'tkt_none', object: 'ticket', created: '2026-01-01T00:00:00.000Z', location: 'loc_none', reference: 'N' }
        })
      ),
      { do: 'GET /tickets/tkt_none' },
      ['! other data at the service'],
      'play 1. GET /tickets/tkt_none: body: only the service has the record "tkt_none"'
    ],
    [
      'a read that is refused',
      on('GET', /tickets/, (_body, answered) => Object.assign(answered, { status: 403, body: { error: {} } })),
      { do: 'GET /tickets/${tkt_a}', expect: { status: 403 } },
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 1. GET /tickets/${tkt_a}: status: 200 here, 403 at the service'
    ],
    [
      'a Location is deleted',
      on('DELETE', /locations/, (_body, answered) => Object.assign(answered, { status: 204 })),
      { do: 'DELETE /locations/${loc_a}' },
      ['✗ differs by rule LOC-4: DELETE /locations/{id} always aborts with 501'],
      'play 1. DELETE /locations/${loc_a}: status: 501 here, 204 at the service'
    ],
    [
      'another server error for a disabled operation',
      on('DELETE', /locations/, (_body, answered) => Object.assign(answered, { status: 500 })),
      { do: 'DELETE /locations/${loc_a}', expect: { status: 500 } },
      ['✗ differs by assumption A08 (error statuses); no setting makes the emulator answer so'],
      'play 1. DELETE /locations/${loc_a}: status: 501 here, 500 at the service'
    ],
    [
      'a status that no setting has',
      on('DELETE', /locations/, (_body, answered) => Object.assign(answered, { status: 405 })),
      { do: 'DELETE /locations/${loc_a}', expect: { status: 405 } },
      ['✗ differs by assumption A08 (error statuses); no setting makes the emulator answer so'],
      'play 1. DELETE /locations/${loc_a}: status: 501 here, 405 at the service'
    ],
    [
      'another error code, in other words',
      on('POST', /refunds$/, body => Object.assign(body, { error: { ...(body.error as object), code: 'too_much', message: 'No.' } })),
      { ...refund(4000), expect: { status: 400 } },
      ['✗ differs by assumption A07 (error body); no setting makes the emulator answer so'],
      'play 1. POST /refunds: error.code: "refund_exceeds_remaining" here, "too_much" at the service'
    ],
    [
      'a time in seconds',
      on('POST', /refunds$/, body => Object.assign(body, { created: '2026-03-01T10:00:00Z' })),
      refund(5),
      ['✗ differs by assumption A05 (created); no setting makes the emulator answer so'],
      'play 1. POST /refunds: created: "2026-03-01T10:00:00.000Z" here, "2026-03-01T10:00:00Z" at the service'
    ],
    [
      'a field that is left out',
      on('POST', /refunds$/, body => delete body.metadata),
      refund(5),
      ['✗ differs by assumption A04 (returned fields); no setting makes the emulator answer so'],
      'play 1. POST /refunds: metadata: {} here, not there at the service'
    ],
    [
      'a Transaction without its Refunds',
      on('GET', /transactions\/txn_a/, body => delete body.refunds),
      { do: 'GET /transactions/${txn_a}' },
      ['✗ differs by rule TXN-8: the 10 most recent Refunds are included'],
      'play 1. GET /transactions/${txn_a}: refunds: '
    ],
    [
      'more Refunds on a Transaction',
      on('GET', /transactions\/txn_a/, body => Object.assign(body.refunds as object, { total: 3, has_more: true })),
      { do: 'GET /transactions/${txn_a}' },
      ['✗ differs by rule TXN-8: the 10 most recent Refunds are included'],
      'play 1. GET /transactions/${txn_a}: refunds.has_more: false here, true at the service'
    ],
    [
      'what was refunded',
      on('GET', /transactions\/txn_a/, body => Object.assign(body, { amount: 2 })),
      { do: 'GET /transactions/${txn_a}' },
      ['! other data at the service'],
      'play 1. GET /transactions/${txn_a}: amount: 1000 here, 2 at the service'
    ],
    [
      'has_more is false where more follow here, which the service has not shown',
      on('GET', /tickets/, body => Object.assign(body, { has_more: false })),
      { do: 'GET /tickets', query: { limit: 2 } },
      ['! other data at the service'],
      'play 1. GET /tickets: has_more: true here, false at the service'
    ],
    [
      'has_more is false where more follow',
      on('GET', /limit=2/, body => Object.assign(body, { has_more: false })),
      [{ do: 'GET /tickets' }, { do: 'GET /tickets', query: { limit: 2 } }],
      ['✗ differs by rule LIST-2: has_more is true when more results can be fetched'],
      'play 2. GET /tickets: has_more: true here, false at the service'
    ],
    [
      'has_more is true where none follow here',
      on('GET', /tickets/, body => Object.assign(body, { has_more: true })),
      { do: 'GET /tickets', query: { limit: 50 } },
      ['✗ differs by assumption A10 pagination.max_limit: 13, pagination.out_of_range: clamp', '! other data at the service'],
      'play 1. GET /tickets: has_more: false here, true at the service'
    ],
    [
      'has_more is true after a full page',
      on('GET', /tickets/, body => Object.assign(body, { has_more: true })),
      { do: 'GET /tickets', query: { limit: 13 } },
      ['! other data at the service'],
      'play 1. GET /tickets: has_more: false here, true at the service'
    ],
    [
      'a list without has_more, with other names',
      on('GET', /tickets/, body => {
        delete body.has_more
        delete body.first_id
        Object.assign(body, { total: 13 })
      }),
      { do: 'GET /tickets', query: { limit: 2 } },
      [
        '✗ differs by rule LIST-2: has_more is true when more results can be fetched',
        '✗ differs by assumption A09 (list object); no setting makes the emulator answer so'
      ],
      'play 1. GET /tickets: has_more: true here, not there at the service'
    ],
    [
      'a list whose first_id is empty',
      on('GET', /tickets/, body => Object.assign(body, { first_id: '' })),
      [{ do: 'GET /tickets', query: { limit: 2 } }, { do: 'GET /locations/loc_a' }],
      ['✗ differs by assumption A09 (list object); no setting makes the emulator answer so'],
      'play 1. GET /tickets: first_id: "tkt_a" here, "" at the service'
    ],
    [
      'a list that calls itself otherwise',
      on('GET', /tickets/, body => Object.assign(body, { url: '/tickets', object: 'page' })),
      { do: 'GET /tickets', query: { limit: 2 } },
      [
        '✗ differs by assumption A09 shapes.list: {"object":"page","url":"$url","data":"$members","has_more":"$has_more","first_id":"$first_id","last_id":"$last_id"}'
      ],
      'play 1. GET /tickets'
    ],
    [
      'a list whose data is none',
      on('GET', /tickets/, body => Object.assign(body, { data: null })),
      { do: 'GET /tickets', query: { limit: 1 } },
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 1. GET /tickets: data: [{'
    ],
    [
      'more than the limit',
      on('GET', /tickets/, body => Object.assign(body, { data: [...(body.data as object[]), { id: 'tkt_3' }] })),
      { do: 'GET /tickets', query: { limit: 2 } },
      ['✗ differs by rule LIST-3: every list takes limit, an integer page size'],
      'play 1. GET /tickets: data: 2 members here, 3 at the service'
    ],
    [
      'another order than of Refunds',
      on('GET', /refunds/, body => (body.data as object[]).reverse()),
      [refund(1), refund(2), { do: 'GET /refunds', query: { transaction: '${txn_a}' } }],
      ['✗ differs by rule REF-10: the list is most recent first, and can be narrowed to one transaction'],
      'play 3. GET /refunds: data[0]: the record'
    ],
    [
      'a list in no order',
      on('GET', /tickets/, body => (body.data as object[]).splice(0, 2, ...(body.data as object[]).slice(0, 2).reverse())),
      { do: 'GET /tickets', query: { limit: 3 } },
      ['✗ differs by assumption A11 (order of lists); no setting makes the emulator answer so'],
      'play 1. GET /tickets: data[0]: the record'
    ],
    [
      'a filter that lets others through',
      on('GET', /tickets/, body => (body.data as object[]).push({ id: 'tkt_3' })),
      { do: 'GET /tickets', query: { 'created[lt]': '2020-01-01' } },
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 1. GET /tickets: data: 0 members here, 1 at the service'
    ],
    [
      'a search that lets others through',
      on('GET', /transactions/, body => (body.data as object[]).push({ id: 'txn_a' })),
      { do: 'GET /transactions', query: { search_query: '9999', location: '${loc_a}' } },
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 1. GET /transactions: data: 0 members here, 1 at the service'
    ],
    [
      'records of its own',
      on('GET', /tickets/, body => {
        const [first, second] = body.data as object[]
        ;(body.data as object[]).splice(0, 1, { ...first, id: 'tkt_of_others' }, { ...second, id: 'tkt_more' })
        Object.assign(body, { first_id: 'tkt_of_others' })
      }),
      { do: 'GET /tickets', query: { limit: 50 } },
      ['! other data at the service'],
      'play 1. GET /tickets: data[0]: only the service has the record "tkt_of_others"'
    ],
    [
      'a parameter that was left out of an update changes',
      on('POST', /locations/, body => Object.assign(body, { phone: '1' })),
      [{ do: 'GET /locations/${loc_a}' }, update({ display_name: 'B' })],
      ['✗ differs by rule UPD-1: parameters left out of an update stay unchanged'],
      'play 2. POST /locations/${loc_a}: phone: null here, "1" at the service'
    ],
    [
      'a parameter that was left out of an update, and that nothing has shown before',
      on('POST', /locations/, body => Object.assign(body, { phone: '1' })),
      update({ display_name: 'B' }),
      ['! other data at the service'],
      'play 1. POST /locations/${loc_a}: phone: null here, "1" at the service'
    ],
    [
      'an empty value unsets nothing',
      on('POST', /locations/, body => Object.assign(body, { phone: '1' })),
      update({ phone: '' }),
      ['✗ differs by rule UPD-2: an empty value unsets a parameter'],
      'play 1. POST /locations/${loc_a}: phone: null here, "1" at the service'
    ],
    [
      'an update that keeps another value',
      on('POST', /locations/, body => Object.assign(body, { phone: '2' })),
      update({ phone: '1' }),
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 1. POST /locations/${loc_a}: phone: "1" here, "2" at the service'
    ],
    [
      'metadata that stays',
      on('POST', /locations/, body => Object.assign(body, { metadata: { a: '1' } })),
      update({ metadata: '' }),
      ['✗ differs by rule META-3: posting an empty value for metadata unsets all keys'],
      'play 1. POST /locations/${loc_a}: metadata.a: not here, "1" at the service'
    ],
    [
      'a key of metadata that stays',
      on('POST', /locations/, body => Object.assign(body, { metadata: { a: '1' } })),
      update({ metadata: { a: '' } }),
      ['✗ differs by rule META-2: posting an empty value for a key unsets that key'],
      'play 1. POST /locations/${loc_a}: metadata.a: not here, "1" at the service'
    ],
    [
      'a key of metadata that is not taken',
      on('POST', /locations/, body => Object.assign(body, { metadata: {} })),
      update({ metadata: { a: '1' } }),
      ['✗ differs by assumption A17 (metadata); no setting makes the emulator answer so'],
      'play 1. POST /locations/${loc_a}: metadata.a: "1" here, not there at the service'
    ],
    [
      'metadata that is not taken',
      on('POST', /refunds$/, body => Object.assign(body, { metadata: {} })),
      { do: 'POST /refunds', body: { transaction: '${txn_a}', amount: 1, metadata: { a: '1' } } },
      ['✗ differs by rule META-1: metadata holds key-value pairs'],
      'play 1. POST /refunds: metadata.a: "1" here, not there at the service'
    ],
    [
      'other metadata',
      on('GET', /locations/, body => Object.assign(body, { metadata: { a: '1' } })),
      { do: 'GET /locations/${loc_a}' },
      ['! other data at the service'],
      'play 1. GET /locations/${loc_a}: metadata.a: not here, "1" at the service'
    ],
    [
      'where the funds of a Refund go, and what it is in',
      on('POST', /refunds$/, body => Object.assign(body, { payment_method: null, currency: 'eur', transaction: 'txn_b', object: 'x' })),
      refund(1),
      [
        '✗ wrong: neither a setting nor data from before the run explains it',
        "✗ differs by assumption A28 (where a Refund's funds go); no setting makes the emulator answer so"
      ],
      'play 1. POST /refunds: object: "refund" here, "x" at the service'
    ],
    [
      'whose a Location is',
      on('POST', /locations$/, body => Object.assign(body, { account: 'rsl_r', phone: '1' })),
      { do: 'POST /locations', body: { display_name: 'B', address: { country: 'US' } } },
      [
        '✗ differs by assumption A21 (ownership); no setting makes the emulator answer so',
        '✗ wrong: neither a setting nor data from before the run explains it'
      ],
      'play 1. POST /locations: account: "mch_a" here, "rsl_r" at the service'
    ],
    [
      'a currency and an amount that were left out',
      on('POST', /transactions$/, body => Object.assign(body, { currency: 'EURO', amount: 1 })),
      { do: 'POST /transactions', body: { ticket: '${tkt_a}', payment_type: 'external' } },
      [
        '✗ differs by assumption A22 (currency); no setting makes the emulator answer so',
        '✗ differs by assumption A24 (amounts[…] against the top level); no setting makes the emulator answer so'
      ],
      'play 1. POST /transactions: currency: "usd" here, "EURO" at the service'
    ],
    [
      'an id of other characters, and an answer that is no record',
      on('POST', /refunds$/, body => Object.assign(body, { id: 7 })),
      refund(1),
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 1. POST /refunds: id: "rfd_'
    ],
    [
      'a prefix that no setting has, and a drawn part that is too short',
      on('POST', /refunds$/, body => Object.assign(body, { id: 'refund_with_a_long_prefix_abc' })),
      refund(1),
      [
        '✗ differs by assumption A02 (id prefixes); no setting makes the emulator answer so',
        '✗ differs by assumption A03 (id body); no setting makes the emulator answer so'
      ],
      'play 1. POST /refunds: the prefix of id: "rfd_" here, "refund_with_a_long_prefix_" at the service'
    ],
    [
      'a create of a status that no setting has',
      on('POST', /refunds$/, (_body, answered) => Object.assign(answered, { status: 202 })),
      refund(1),
      ['✗ differs by assumption A06 (status of a successful POST); no setting makes the emulator answer so'],
      'play 1. POST /refunds: status: 200 here, 202 at the service'
    ],
    [
      'a read of another status',
      on('GET', /tickets/, (_body, answered) => Object.assign(answered, { status: 203 })),
      { do: 'GET /tickets/${tkt_a}' },
      ['✗ differs by assumption A08 (error statuses); no setting makes the emulator answer so'],
      'play 1. GET /tickets/${tkt_a}: status: 200 here, 203 at the service'
    ],
    [
      'a User that is deleted with an answer',
      on('DELETE', /users/, (_body, answered) => Object.assign(answered, { status: 200, body: { deleted: true } })),
      [
        { as: 'user', do: 'POST /accounts/${mch_a}/users', body: { name: 'Ana', email: 'ana@example.com' } },
        { do: 'DELETE /accounts/${mch_a}/users/${user.id}' }
      ],
      ['✗ differs by rule USR-4: delete answers 204 with an empty body', '✗ wrong: neither a setting nor data from before the run explains it'],
      'play 2. DELETE /accounts/${mch_a}/users/${user.id}: status: 204 here, 200 at the service'
    ],
    [
      'a refusal by an assumption',
      on('POST', /locations/, (_body, answered) => Object.assign(answered, { status: 200, body: {} })),
      { do: 'POST /locations/${loc_a}', body: { metadata: { a: { b: '1' } } } },
      ['✗ differs by assumption A17 (metadata); no setting makes the emulator answer so'],
      'play 1. POST /locations/${loc_a}: status: 400 here, 200 at the service'
    ],
    [
      'a page of other records that are here too',
      on('GET', /tickets/, body => {
        ;(body.data as object[]).splice(2, 1, { ...(body.data as object[])[2], id: 'tkt_0' })
        Object.assign(body, { last_id: 'tkt_0' })
      }),
      { do: 'GET /tickets', query: { limit: 3 } },
      ['! other data at the service'],
      'play 1. GET /tickets: data[2].reference: "N-0" here, "N-7" at the service'
    ],
    [
      'a search of Tickets that lets others through',
      on('GET', /tickets/, body => (body.data as object[]).push({ id: 'tkt_0' })),
      { do: 'GET /tickets', query: { search_query: 'zzz', location: '${loc_a}', limit: 50 } },
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 1. GET /tickets: data: 0 members here, 1 at the service'
    ],
    [
      'fields of records in a list',
      on('GET', /tickets/, body => Object.assign((body.data as object[])[0] as object, { seat: 4, reference: 'x'.repeat(300) })),
      { do: 'GET /tickets', query: { limit: 1 } },
      ['✗ differs by assumption A04 (returned fields); no setting makes the emulator answer so', '! other data at the service'],
      'play 1. GET /tickets: data[0].seat: not here, 4 at the service'
    ],
    [
      'more differences than are listed',
      on('GET', /tickets/, body => {
        for (const ticket of body.data as object[]) Object.assign(ticket, { reference: 'x' })
      }),
      { do: 'GET /tickets', query: { limit: 12 } },
      ['! other data at the service'],
      'play 1. GET /tickets: data[0].reference'
    ],
    [
      'a payment of its own in the list, and has_more of its own',
      on('GET', /transactions/, body => {
        const [{ refunds, ...payment }] = body.data as [{ refunds: { url: string } }]
        const url = refunds.url.replace('txn_a', 'txn_of_others')
        const data = [{ ...payment, id: 'txn_of_others', refunds: { ...refunds, url } }]
        Object.assign(body, { data, has_more: true, first_id: 'txn_of_others', last_id: 'txn_of_others' })
      }),
      { do: 'GET /transactions', query: { location: '${loc_a}', limit: 1 } },
      ['! other data at the service'],
      'play 1. GET /transactions: data[0]: only the service has the record "txn_of_others"'
    ],
    [
      'a list that is empty there',
      on('GET', /transactions/, body => Object.assign(body, { data: [], first_id: null, last_id: null })),
      { do: 'GET /transactions', query: { location: '${loc_a}' } },
      ['! other data at the service'],
      'play 1. GET /transactions: data: 1 members here, 0 at the service'
    ],
    [
      'another Account than --var says',
      on('GET', /locations/, body => Object.assign(body, { account: 'acct_1' })),
      [{ do: 'GET /locations/${loc_a}' }, { do: 'GET /locations/${loc_a}' }],
      ['! other data at the service'],
      'play 1. GET /locations/${loc_a}: account: "mch_a" here, "acct_1" at the service'
    ],
    [
      'other Refunds of a Transaction',
      on('GET', /transactions\/txn_a/, body => {
        const [fields, one] = [{ currency: 'usd', reason: null, metadata: {}, payment_method: body.payment_method }, 'rfd_of_others']
        const refund = { id: one, object: 'refund', created: '2026-01-01T00:00:00.000Z', transaction: 'txn_a', amount: 7, ...fields }
        Object.assign(body, { amount_refunded: 7 })
        Object.assign(body.refunds as object, { data: [refund], first_id: one, last_id: one })
      }),
      { do: 'GET /transactions/${txn_a}' },
      ['! other data at the service'],
      'play 1. GET /transactions/${txn_a}: amount_refunded: 0 here, 7 at the service'
    ],
    [
      'a Refund that is made and not shown',
      on('GET', /transactions\/txn_a/, body => Object.assign(body.refunds as object, { data: [] })),
      [refund(1), { do: 'GET /transactions/${txn_a}' }],
      ['✗ differs by rule TXN-8: the 10 most recent Refunds are included'],
      'play 2. GET /transactions/${txn_a}: refunds.data: 1 members here, 0 at the service'
    ],
    [
      'what was retrieved for a search that found nothing',
      on('GET', /tickets/, body => Object.assign(body, { first_id: 'tkt_of_others' })),
      { do: 'GET /tickets', query: { search_query: 'zzz', location: '${loc_a}' } },
      ['! other data at the service'],
      'play 1. GET /tickets: has_more: false here, true at the service'
    ],
    [
      'a first_id that is that of another record',
      on('GET', /tickets/, body => Object.assign(body, { first_id: 'tkt_0' })),
      { do: 'GET /tickets', query: { limit: 2 } },
      ['✗ differs by assumption A09 (list object); no setting makes the emulator answer so'],
      'play 1. GET /tickets: first_id: "tkt_'
    ],
    [
      'a country in the letters that were sent',
      on('POST', /locations/, body => Object.assign(body.address as object, { country: 'us' })),
      update({ address: { country: 'us' } }),
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 1. POST /locations/${loc_a}: address.country: "US" here, "us" at the service'
    ],
    [
      'card data of a payment, and whose it is',
      on('POST', /transactions$/, body => Object.assign(body, { payment_method: null, amounts: { a: 1 }, currency: 'gbp', location: null })),
      { ...payment, body: { ...payment.body, currency: 'eur' } },
      [
        '✗ wrong: neither a setting nor data from before the run explains it',
        '✗ differs by assumption A25 (card data); no setting makes the emulator answer so',
        '✗ differs by rule TXN-6: currency is a three-letter ISO code in lower case',
        '✗ differs by assumption A24 (amounts[…] against the top level); no setting makes the emulator answer so'
      ],
      'play 1. POST /transactions: location: "loc_a" here, null at the service'
    ],
    ['a path that is no operation', on('GET', /accounts\/mch_a\//, () => {}), { do: 'GET /accounts/${loc_a}/users', expect: { status: 404 } }, [], ''],
    [
      'an id so long that its path is no operation here, and too long for the service',
      () => {},
      { do: `GET /tickets/${'x'.repeat(16_385)}`, expect: { status: 431 } },
      ['✗ wrong: neither a setting nor data from before the run explains it'],
      'play 1. GET /tickets/x'
    ]
  ]
  const behind = await service(t)
  for (const [index, [title, change, play, titles, problem]] of cases.entries()) {
    const base = await deviating(t, behind, change)

    const found = await against(t, `${base}/sandbox/case-${index}/next`, { play: [play].flat() })

    t.strictSame(found.titles, titles, title)
    t.ok(titles.length === 0 || found.found[titles[0] as string]?.[0]?.startsWith(problem), `${title}: ${JSON.stringify(found.found)}`)
    t.equal(found.status, Number(titles.some(title => title.startsWith('✗'))), title)
  }
})

t.test('check --against: two settings that agree only together, and calls of which the answer says which value', async t => {
  const { baseUrl } = await service(t, {
    'pagination.max_limit': 7,
    'pagination.out_of_range': 'clamp',
    'auth.visibility': 'scoped',
    'auth.accept_any_key': 'mch_a'
  })
  const limited = await service(t, { 'pagination.max_limit': 5 })

  const clamped = await against(t, baseUrl, { play: [{ do: 'GET /tickets', query: { limit: 10 } }] })
  const refused = await against(t, limited.baseUrl, {
    play: [
      { do: 'GET /tickets', query: { limit: 9 }, expect: { status: 400 } },
      { do: 'GET /tickets', query: { limit: 5 } }
    ]
  })
  const anyKey = await against(t, baseUrl, { play: [{ do: 'GET /tickets/${tkt_a}', key: 'sk_unknown' }] }, ['--key', 'sk_unknown=sk_other_there'])

  const needless = await against(t, limited.baseUrl, { play: [{ do: 'GET /tickets' }, { do: 'GET /tickets', query: { limit: 9 }, expect: { status: 400 } }] })
  const nameless = await against(
    t,
    limited.baseUrl,
    {
      play: [
        { do: 'GET /accounts/${mch_a}/users', expect: { status: 404 } },
        { do: 'GET /tickets/${tkt_a}' },
        { as: 'made', ...refund(1), body: { transaction: '${txn_a}', amount: 1, metadata: { note: '' } } }
      ]
    },
    ['--var', 'mch_a=']
  )

  t.strictSame(nameless.titles, [], 'an empty value is no id of another record')
  t.strictSame(needless.titles, ['✗ differs by assumption A10 pagination.max_limit: 5'], 'a default limit that the largest one makes needless is left out')
  t.strictSame(clamped.titles, ['✗ differs by assumption A10 pagination.max_limit: 7, pagination.out_of_range: clamp'])
  t.strictSame(refused.titles, ['✗ differs by assumption A10 pagination.max_limit: 5'])
  t.strictSame(anyKey.titles, ['✗ differs by assumption A18 auth.accept_any_key: mch_a'])
  t.notOk(anyKey.stdout.includes('sk_other_there'))
})

t.test('check --against: a value that a later call contradicts is found anew', async t => {
  let calls = 0
  const behind = await service(t, { 'pagination.max_limit': 5 })
  const base = await deviating(t, behind, answered => {
    // the first refusal names another number
    if (answered.status === 400 && calls++ === 0) Object.assign(answered.body, { error: { ...(answered.body.error as object), message: 'At most 8.' } })
  })

  const { titles } = await against(t, `${base}/next`, {
    play: [
      { do: 'GET /tickets', query: { limit: 9 }, expect: { status: 400 } },
      { do: 'GET /tickets', query: { limit: 6 }, expect: { status: 400 } }
    ]
  })

  t.strictSame(titles, ['✗ differs by assumption A10 pagination.max_limit: 5'])
})

t.test('check --against: a setting that calls need different values of is a contradiction, with the calls of each side', async t => {
  const behind = await service(t, { 'pagination.default_limit': 5, 'statuses.created': 201 })
  const base = await deviating(t, behind, answered => {
    // one page is shorter than the others
    if (answered.path.includes('created'))
      Object.assign(answered.body, { data: (answered.body.data as object[]).slice(0, 3), last_id: (answered.body.data as Body[])[2]?.id })
  })
  const list = (query = {}) => ({ do: 'GET /tickets', query })
  const filtered = list({ 'created[gt]': '2020-01-01' })

  const { titles, found, stdout, status } = await against(t, `${base}/next`, { play: [list(), filtered, refund(1), list()] })
  const agreeing = await against(t, behind.baseUrl, { play: [list(), filtered] })
  const root = t.testdir({
    'five.json': JSON.stringify({ data: DATA, play: [list(), refund(1)] }),
    'three.json': JSON.stringify({ data: DATA, play: [filtered, refund(2)] }),
    'wrong.json': '{"seed":"x"}',
    'found.json': ''
  })
  const files = ['five', 'three', 'wrong'].map(name => `${root}/${name}.json`)
  const apart = await ran(['check', ...files, '--against', `${base}/next`, ...KEYS, '--var', 'txn_a=txn_a', '--write-settings', `${root}/found.json`])

  const contradiction = 'contradiction: no single value of pagination.default_limit fits every call'
  t.strictSame([status, titles], [1, [`✗ ${contradiction}`, '✗ differs by assumption A06 statuses.created: 201']])
  t.strictSame(found[`✗ ${contradiction}`], [
    'play 2. GET /tickets needs pagination.default_limit: 3',
    'play 1. GET /tickets needs pagination.default_limit: 5',
    'play 4. GET /tickets needs pagination.default_limit: 5'
  ])
  t.ok(stdout.includes('settings:\n  statuses:\n    created: 201\n\n'), stdout)
  t.strictSame(agreeing.titles, ['✗ differs by assumption A10 pagination.default_limit: 5'])
  t.equal(apart.status, 1)
  t.ok(
    apart.stdout.includes(
      `\n  ✗ ${contradiction}\n      ${root}/five.json needs pagination.default_limit: 5\n      ${root}/three.json needs pagination.default_limit: 3\n`
    ),
    apart.stdout
  )
  t.strictSame(JSON.parse(await readFile(`${root}/found.json`, 'utf8')), { settings: { statuses: { created: 201 } } })
})

t.test('check --against: the script takes no part, unless the service answers as it does', async t => {
  const script = [{ on: 'POST /refunds', calls: 1, respond: { status: 503 } }]
  const play = [{ ...refund(1), expect: { status: 503 } }, refund(1000)]
  const plain = await service(t)
  const scripted = await service(t, {}, { script })

  const alone = await against(t, plain.baseUrl, { script, play })
  const both = await against(t, scripted.baseUrl, { script, play })
  const lost = await against(t, plain.baseUrl, { script: [{ on: 'POST /refunds', fault: 'hang' }], play: [{ ...refund(1), expect: { fault: 'hang' } }] })

  t.strictSame(
    [alone.status, alone.titles],
    [1, ['✗ play 1. POST /refunds', '✗ play 2. POST /refunds', '! only the script of the scenario answers as expected; a service has no script']]
  )
  t.strictSame([both.status, both.titles], [0, []], 'what was refused there has made nothing here')
  const html = await proxied(t, scripted.baseUrl, passing => Object.assign(passing, passing.status === 503 && { text: '<p>', type: 'text/html' }))
  const unreadable = await against(t, `${html}/sandbox/html/next`, { script, play: play.slice(0, 1) })
  t.strictSame([unreadable.status, unreadable.titles], [1, ['✗ wrong: neither a setting nor data from before the run explains it']])
  t.strictSame(lost.titles, ['✗ play 1. POST /refunds', '! only the script of the scenario answers as expected; a service has no script'])
})

t.test('check --against: the records in the end are read from the service, as far as the API can say', async t => {
  const renamed = { ...CHARGE, id: 'txn_there' }
  const behind = await service(t, {}, { data: { ...DATA, transactions: [renamed] } })
  const expect = [
    {
      state: {
        transactions: { txn_a: { amount_refunded: 5, ticket: 'tkt_a' }, txn_none: null, txn_gone: {} },
        refunds: { count: 2, where: { transaction: 'txn_a' } },
        tickets: { count: 13, where: { location: 'loc_a' } },
        accounts: { mch_a: { type: 'reseller' } },
        users: { usr_a: { name: 'Bo', account: 'mch_a' }, usr_none: null, count: 2, where: { account: 'mch_a' } }
      }
    }
  ]
  const scenario = { play: [refund(5)], expect }

  const read = await against(t, behind.baseUrl, scenario, ['--var', 'txn_a=txn_there'])
  const unknownUser = await against(t, behind.baseUrl, { expect: [{ state: { users: { usr_x: {}, count: 1 } } }] })
  const answering = (status: number, text: string, type = 'application/json') =>
    serving(t, (_request, response) => response.writeHead(status, { 'content-type': type }).end(text))
  const refusing = await answering(403, '{"error":{"message":"no"}}')
  const unread = await against(t, refusing, {
    expect: [{ state: { users: { count: 1, where: { account: 'mch_a' } }, refunds: { count: 1 }, tickets: { tkt_a: {} } } }]
  })
  const endless = await answering(200, '{"data":[{"id":"x"}],"has_more":true}')
  const tooMany = await against(t, endless, { expect: [{ state: { refunds: { count: 1 } } }] })
  const counted = { expect: [{ state: { refunds: { count: 1 }, tickets: { tkt_a: {} } } }] }
  const notRead = await Promise.all(
    [
      ['<p>', 'text/html'],
      ['<p>', 'application/json'],
      ['', 'application/json'],
      ['{"data":[]}', 'application/json']
    ].map(async ([text, type]) => against(t, await answering(200, text as string, type), counted))
  )

  const problems = (found: Record<string, string[]>) => Object.entries(found).find(([title]) => title.startsWith('✗ expects'))?.[1]
  t.strictSame(problems(read.found), [
    'transactions.txn_gone: there is no such Transaction',
    'refunds: wanted 2 with {"transaction":"txn_a"}; got 1',
    'accounts.mch_a.type: wanted reseller; got merchant',
    'users: wanted 2 with {"account":"mch_a"}; got 1',
    'users.usr_a.name: wanted Bo; got Ana'
  ])
  t.strictSame(problems(unknownUser.found), [
    'the API lists the Users of one Account; name it by account',
    'the API lists the Users of one Account; name it by account'
  ])
  t.strictSame(problems(unread.found), [
    'GET /accounts/mch_a/users was answered with 403 (no)',
    'GET /refunds was answered with 403 (no)',
    'GET /tickets/tkt_a was answered with 403 (no)'
  ])
  t.strictSame(problems(tooMany.found), ['GET /refunds has more than 10000 records, which are not all read'])
  const both = (why: string) => [`GET /refunds was answered with 200${why}`, `GET /tickets/tkt_a was answered with 200${why}`]
  t.strictSame(
    notRead.map(({ found }) => problems(found)),
    [both(' (Content-Type must be application/json; got text/html)'), both(' (the body is cut short, or is not JSON)'), both(' (the body is empty)'), both('')]
  )
})
