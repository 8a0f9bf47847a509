/** Settings that give lists and errors the names and envelope of another service. */
import t from 'tap'
import { parse } from 'yaml'
import { settingsOfFlags } from '../../src/cli/launch.js'
import { openApiDocument } from '../../src/control/openapi/api.js'
import { settingsInForce } from '../../src/core/settings.js'
import { valueAt } from '../../src/core/templates.js'
import { type Answer, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { exchanged } from '../support/socket.js'

const ticket = (id: string, created: string) => ({ id, location: 'loc_a', reference: id, created })
const records = {
  tickets: ['1', '2', '3', '4', '5'].map(day => ticket(`t${day}`, `2026-02-0${day}T12:00:00.000Z`)),
  users: [{ id: 'usr_a', account: 'mch_a', name: 'A', email: 'a@example.com' }]
}
const transactions = [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 900 }]
const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id)
const documentOf = (settings: object): Json =>
  JSON.parse(
    JSON.stringify(
      openApiDocument({
        origin: '',
        base: '/next',
        version: '1',
        settings: settingsInForce({ flag: settings }).values
      })
    )
  )

const CURSORS = { 'pagination.cursors': ['after', 'before'] as const }

t.test('pagination.cursors: lists are paged through with these names', async t => {
  const { call, control, refusal } = await startTestEmulator(t, { records, settings: CURSORS })
  const cases: [query: string, ids: string[], hasMore: boolean][] = [
    ['limit=2', ['tkt_a', 't5'], true],
    ['limit=2&after=t4', ['t3', 't2'], true],
    ['limit=2&before=t2', ['t4', 't3'], true],
    ['limit=2&before=t4', ['tkt_a', 't5'], false],
    ['limit=2&after=t4&before=', ['t3', 't2'], true]
  ]
  for (const [query, ids, hasMore] of cases) {
    const answer = await call('GET /tickets', { query })
    t.strictSame([answer.status, idsOf(answer), answer.body.has_more], [200, ids, hasMore], query)
  }
  t.strictSame(idsOf(await call('GET /accounts/mch_a/users', { query: 'after=usr_a' })), [])
  const { settings, times } = (await control('GET /assumptions')).body.data.find(
    ({ id }: Json) => id === 'A10'
  )
  t.strictSame(
    [settings['pagination.cursors'], times],
    [['after', 'before'], cases.length],
    'every list with a cursor relied on it, the first has none'
  )

  const refused: [query: string, param: string, code: string, by: string][] = [
    ['starting_after=t1', 'starting_after', 'parameter_unknown', 'A14'],
    ['after=none', 'after', 'cursor_unknown', 'A10'],
    ['before=none', 'before', 'cursor_unknown', 'A10'],
    ['after=t1&before=t2', 'before', 'parameter_invalid', 'A10'],
    ['after[id]=t1', 'after[id]', 'form_malformed', 'A36']
  ]
  for (const [query, param, code, by] of refused)
    t.strictSame(await refusal('GET /tickets', { query }), [400, code, param, by], query)
})

t.test('pagination.cursors: two names that differ from each other and from parameters', async t => {
  const { control, call } = await startTestEmulator(t, { records })
  const cases: [path: string, ...values: unknown[]][] = [
    ['', 'after', ['after'], ['a', 'b', 'c'], ['after', 'after']],
    ['[0]', ['page[after]', 'before']],
    [
      '[1]',
      ...['', 1, 'limit', 'created', 'location', 'transaction', 'search_query'].map(name => [
        'after',
        name
      ])
    ]
  ]
  for (const [path, ...values] of cases)
    for (const value of values) {
      const { status, body } = await control('PATCH /settings', {
        pagination: { cursors: value }
      })
      t.strictSame(
        [status, body.error.code, body.error.problems[0].path],
        [400, 'setting_invalid', `pagination.cursors${path}`],
        JSON.stringify(value)
      )
    }
  t.equal(
    (await call('GET /tickets', { query: 'starting_after=t1' })).status,
    200,
    'nothing was changed'
  )
  t.strictSame({ ...(await settingsOfFlags({}, ['pagination.cursors=after, before'])) }, CURSORS)
  await t.rejects(
    settingsOfFlags({}, ['pagination.cursors=after']),
    /--set pagination.cursors=after: must have at least 2 items/
  )

  await control('POST /script', { on: 'GET /tickets', hold: { gate: 'gate' } })
  const held = call('GET /tickets', { query: 'limit=1&starting_after=t4' })
  while ((await control('GET /gates')).body.data[0].waiting.length === 0)
    await new Promise(setImmediate)
  await control('PATCH /settings', CURSORS)
  await control('POST /gates/gate/open')
  t.strictSame(
    idsOf(await held),
    ['t3'],
    'a change while a call is held leaves its cursor as it was sent'
  )
})

t.test('pagination.cursors: OpenAPI names the cursors', t => {
  const of = (settings: object) => documentOf(settings).paths['/tickets'].get
  const [own, usual] = [of(CURSORS), of({})]
  const namesIn = ({ parameters }: Json) => parameters.map(({ name }: Json) => name)

  t.strictSame(namesIn(own), ['limit', 'after', 'before', ...namesIn(usual).slice(3)])
  t.strictSame(namesIn(usual).slice(0, 3), ['limit', 'starting_after', 'ending_before'])
  t.end()
})

t.test('pagination.cursors: findings follow the pages and name the cursor', async t => {
  const stoppedIn = async ({
    control
  }: Awaited<ReturnType<typeof startTestEmulator>>): Promise<Json> =>
    (await control('GET /findings')).body.data.find(
      ({ finding }: Json) => finding === 'stopped-at-empty-page'
    )
  for (const name of ['after', 'before']) {
    const emulator = await startTestEmulator(t, { records, settings: CURSORS })
    await emulator.call('GET /tickets', { query: 'location=loc_a&limit=1&search_query=t1' })
    await emulator.call('GET /tickets', {
      query: `location=loc_a&limit=5&search_query=t1&${name}=tkt_a`
    })
    t.equal((await stoppedIn(emulator))?.times, name === 'after' ? undefined : 1, name)
    const { text } = await emulator.control('GET /requests/req_2?format=scenario')
    for (const part of [`${name}: tkt_a`, 'id: tkt_a', 'cursors']) t.ok(text.includes(part), part)
  }

  const emulator = await startTestEmulator(t, {
    records,
    settings: { 'pagination.cursors': ['token', 'before'] }
  })
  await emulator.call('GET /tickets', { query: 'limit=1&token=t3&api_key=sk_other' })
  await emulator.call('GET /tickets/t1', { query: 'token=t3' })
  await emulator.call('GET /tickets', { query: 'limit=1&search_query=t1&location=loc_a' })
  const [, read, list] = (await emulator.control('GET /requests')).body.data.map(
    ({ query }: Json) => query
  )
  t.strictSame(
    [read, list],
    [{ token: '***' }, { limit: '1', token: 't3', api_key: '***' }],
    'it is shown whatever its name, in lists alone'
  )
})

const LIST = {
  result: { rows: '$members', more: '$has_more' },
  kind: 'página',
  version: 2,
  ok: true,
  none: null
}
const ENDS = { from: '$first_id', data: '$members', to: '$last_id', self: '$url' }

t.test('shapes.list: lists of every family, and the Refunds in a Transaction', async t => {
  const refunds = ['rfd_a', 'rfd_b'].map((id, index) => ({
    id,
    transaction: 'txn_a',
    amount: 1,
    created: `2026-02-0${index + 1}T12:00:00.000Z`
  }))
  const own = { records: { ...records, transactions, refunds } }
  const [usual, plain, ends] = await Promise.all([
    startTestEmulator(t, own),
    startTestEmulator(t, { ...own, settings: { 'shapes.list': LIST } }),
    startTestEmulator(t, { ...own, settings: { 'shapes.list': ENDS } })
  ])
  const paths =
    '/locations /accounts /accounts/mch_a/users /tickets /transactions /refunds /refunds?transaction=none /tickets?limit=2'.split(
      ' '
    )
  const shaped = (list: Json): Json => {
    const { url, data, has_more, first_id, last_id } = list
    const rows = data.map((record: Json) =>
      record.refunds ? { ...record, refunds: shaped(record.refunds).plain } : record
    )
    const shown = data.map((record: Json) =>
      record.refunds ? { ...record, refunds: shaped(record.refunds).ends } : record
    )
    return {
      plain: { ...LIST, result: { rows, more: has_more } },
      ends: { from: first_id, data: shown, to: last_id, self: url }
    }
  }
  for (const path of paths) {
    const list = (await usual.call(`GET ${path}`)).body

    t.strictSame(
      [(await plain.call(`GET ${path}`)).body, (await ends.call(`GET ${path}`)).body],
      [shaped(list).plain, shaped(list).ends],
      path
    )
  }
  const { refunds: embedded, ...transaction } = (await usual.call('GET /transactions/txn_a')).body
  t.equal(embedded.data.length, 2)
  t.strictSame((await plain.call('GET /transactions/txn_a')).body, {
    ...transaction,
    refunds: shaped(embedded).plain
  })
  t.strictSame((await ends.call('GET /transactions/txn_a')).body, {
    ...transaction,
    refunds: shaped(embedded).ends
  })
  const made = await ends.call('POST /transactions', {
    body: { ticket: 'tkt_a', payment_type: 'external', amount: 1 }
  })
  t.strictSame(made.body.refunds, {
    from: null,
    data: [],
    to: null,
    self: `/next/refunds?transaction=${made.body.id}`
  })
  t.strictSame(
    (await ends.control('GET /requests/req_10')).body.answer,
    made.body,
    'the journal shows what was answered'
  )
  t.ok(
    (await plain.call('GET /transactions')).text.includes('"kind":"página"') ||
      (await plain.call('GET /transactions')).text.includes('p\\u00e1gina')
  )
})

t.test('shapes: the bytes of the usual list', async t => {
  const { call } = await startTestEmulator(t, { records: { transactions } })
  const { text } = await call('GET /transactions/txn_a')
  const refunds =
    '{"object":"list","url":"/next/refunds?transaction=txn_a","data":[],"has_more":false,"first_id":null,"last_id":null}'
  const start = '{"object":"list","url":"/next/transactions","data":['

  t.ok(text.includes(`,"refunds":${refunds}`), text)
  t.equal(
    (await call('GET /transactions')).text,
    `${start}${text}],"has_more":false,"first_id":"txn_a","last_id":"txn_a"}`
  )
  t.equal(
    (await call('GET /accounts/mch_a/users')).text,
    refunds.replace('refunds?transaction=txn_a', 'accounts/mch_a/users')
  )
  t.equal(
    (await call('GET /tickets', { query: 'limit=x' })).text,
    '{"error":{"type":"invalid_request_error","code":"parameter_invalid","message":"limit must be a whole number, digits only; got x.","param":"limit","rule":"LIST-3","request_id":"req_4"}}'
  )
})

t.test('shapes.list: a change shapes the next response, also of earlier records', async t => {
  const { call, control } = await startTestEmulator(t, { records: { transactions } })
  const before = await call('GET /transactions/txn_a')

  await control('PATCH /settings', { shapes: { list: ENDS } })
  const shaped = (await call('GET /transactions/txn_a')).body.refunds
  await control('PATCH /settings', { shapes: { list: { items: '$members' } } })
  const again = (await call('GET /transactions/txn_a')).body.refunds
  await control('DELETE /settings/shapes.list')

  t.strictSame(
    [Object.keys(shaped), again],
    [Object.keys(ENDS), { items: [] }],
    'a template is replaced as a whole'
  )
  t.equal((await call('GET /transactions/txn_a')).text, before.text)
  t.strictSame((await control('GET /requests/req_1')).body.answer, before.body)
  t.strictSame((await control('GET /requests/req_2')).body.answer.refunds, shaped)
})

const ERROR = {
  errors: [{ detail: '$message', reason: '$code', at: { parameter: '$param' } }, '$rule'],
  trace: '$request_id',
  ok: false,
  by: '$assumption'
}

t.test('shapes.error: errors of every stage have this shape', async t => {
  const settings = { 'shapes.error': ERROR }
  const [usual, shaped] = await Promise.all([
    startTestEmulator(t, { records: { transactions } }),
    startTestEmulator(t, { records: { transactions }, settings })
  ])
  const calls: [on: string, call?: Json][] = [
    ['GET /nothing'],
    ['PUT /tickets/tkt_a'],
    ['GET /tickets', { key: null }],
    ['GET /tickets', { key: 'sk_nobody' }],
    ['DELETE /locations/loc_a'],
    ['POST /refunds', { body: '{}', headers: { 'content-type': 'application/json' } }],
    ['POST /refunds', { body: `transaction=${'x'.repeat(1_048_577)}` }],
    ['POST /refunds', { body: 'transaction=%zz' }],
    ['POST /refunds', { body: '' }],
    ['POST /refunds', { body: 'transaction=txn_a&amount=999999' }],
    ['POST /refunds', { body: 'transaction=none' }],
    ['GET /tickets', { query: 'page=1' }],
    ['GET /tickets', { query: 'limit=0' }],
    ['GET /tickets/none'],
    [`GET /tickets/${'x'.repeat(20_000)}`],
    ['GET /tickets/%zz']
  ]
  const codes = new Set<string>()
  for (const [on, call] of calls) {
    const [before, after] = [await usual.call(on, call), await shaped.call(on, call)]
    const { code, message, param, rule, assumption, request_id } = before.body.error
    const first = {
      detail: message,
      reason: code,
      at: param === undefined ? {} : { parameter: param }
    }

    codes.add(code)
    t.equal(after.status, before.status, on)
    t.strictSame(
      after.body,
      {
        errors: rule === undefined ? [first] : [first, rule],
        trace: request_id,
        ok: false,
        ...(assumption && { by: assumption })
      },
      on
    )
  }
  t.ok(codes.size > 12, [...codes].join())
  await shaped.control('PATCH /settings', { 'errors.expose_rule': false })
  const hidden = (await shaped.call('GET /tickets', { query: 'limit=x' })).body
  t.strictSame([hidden.errors.length, hidden.by], [1, undefined])
})

t.test('shapes.error: responses of the script have it, control responses do not', async t => {
  const { call, control } = await startTestEmulator(t, { settings: { 'shapes.error': ERROR } })
  await control('POST /script', { on: 'GET /tickets', respond: { status: 503 } })
  await control('POST /script', {
    on: 'GET /refunds',
    respond: { error: { code: 'odd', param: 'p' } }
  })
  const answers = [await call('GET /tickets'), await call('GET /refunds')]

  t.strictSame(
    answers.map(({ status, body }) => [status, body]),
    parse(`
      - [503, {errors: [{detail: The service is unavailable; try again later., reason: service_unavailable, at: {}}], trace: req_1, ok: false}]
      - [400, {errors: [{detail: The request is not valid., reason: odd, at: {parameter: p}}], trace: req_2, ok: false}]
    `)
  )
  const refused = await control('PATCH /settings', { nonsense: 1 })
  t.strictSame(
    [Object.keys(refused.body), Object.keys(refused.body.error)],
    [['error'], ['type', 'code', 'message', 'problems', 'request_id']]
  )
  t.strictSame(
    Object.keys((await control('GET /requests/none')).body.error),
    'type code message param request_id'.split(' ')
  )
})

t.test('shapes.error: what cannot be read as HTTP has it too', async t => {
  const { listen } = await startTestEmulator(t, { settings: { 'shapes.error': { oops: '$code' } } })
  const port = await listen()
  for (const [bytes, code] of [
    ['nonsense\r\n\r\n', 'request_malformed'],
    ['GET /next/tickets HTTP/1.1\r\nhost: a\r\nexpect: tea\r\n\r\n', 'expectation_failed']
  ] as const)
    t.ok((await exchanged(port, bytes)).endsWith(`{"oops":"${code}"}`), code)
})

t.test('shapes: an invalid template is refused, with the reason', async t => {
  const { control, call } = await startTestEmulator(t)
  const before = (await call('GET /tickets')).text
  const cases: [key: 'list' | 'error', value: unknown][] = [
    ['list', {}],
    ['list', { data: '$members', more: ['$members'] }],
    ['list', { data: '$members', code: '$code' }],
    ['list', { data: '$members', text: 'page $url' }],
    ['list', null],
    ['error', { message: { text: ['$mesage'] } }],
    ['error', 'text']
  ]
  for (const [key, value] of cases) {
    for (const shapes of [{ shapes: { [key]: value } }, { [`shapes.${key}`]: value }]) {
      const { status, body } = await control('PATCH /settings', shapes)
      t.strictSame(
        [status, body.error.code, body.error.problems[0].path],
        [400, 'setting_invalid', `shapes.${key}`],
        JSON.stringify(value)
      )
    }
    const loaded = await control('POST /load', {
      scenario: { settings: { shapes: { [key]: value } } }
    })
    t.strictSame(
      [loaded.status, loaded.body.error.problems[0].path],
      [400, `settings.shapes.${key}`]
    )
  }
  t.equal((await call('GET /tickets')).text, before)
  t.strictSame(
    { ...(await settingsOfFlags({}, ['shapes.list={"data":"$members"}'])) },
    { 'shapes.list': { data: '$members' } }
  )
  await t.rejects(
    settingsOfFlags({}, ['shapes.list={ data: $members }']),
    /must be an object; got \{ data: \$members \}/
  )
})

t.test('shapes: steps and plays expect the shaped response, refer to it', async t => {
  const settings = {
    shapes: {
      list: { items: { rows: '$members' }, datas: '$has_more' },
      error: { oops: '$code', text: '$message', id: '$request_id' }
    }
  }
  const data = parse(`
    api_keys: [{key: sk_merchant, account: mch_a}]
    accounts: [{id: mch_a, type: merchant, name: A, email: a@example.com, address: {country: US}}]
  `)
  const steps = parse(`
    - {as: page, do: GET /accounts, expect: {body: {items: {rows: [{id: mch_a}]}, datas: false}}}
    - {do: 'GET /accounts/\${page.items.rows.0.id}', expect: {body: {id: mch_a}}}
    - {do: GET /accounts/none, expect: {status: 404, body: {oops: resource_missing}}}
    - {as: more, do: GET /accounts, expect: {status: 200}}
    - {do: GET /accounts, query: {search: '\${more.datas}'}, expect: {status: 400}}
  `)
  const { call, control } = await startTestEmulator(t, { scenario: { settings, data, steps } })
  t.strictSame(
    (
      await control('POST /load', {
        scenario: {
          settings,
          data,
          steps: [{ ...steps[2], expect: { status: 404, body: { error: {} } } }]
        }
      })
    ).status,
    400
  )
  await control('POST /load', { scenario: { settings, data } })
  await call('GET /accounts', { key: 'sk_merchant' })
  await call('GET /accounts/none', { key: 'sk_merchant' })
  await control('POST /script', { on: 'GET /accounts', respond: { status: 503 } })
  await call('GET /accounts', { key: 'sk_merchant' })

  const [list, error, scripted] = await Promise.all(
    [1, 2, 3].map(nth =>
      control(`GET /requests/req_${nth}?format=scenario`, undefined, {
        accept: 'application/json'
      })
    )
  )
  const expected = ({ text }: Answer) => text.slice(text.indexOf('expect:')).split(/\n(?=\S)/)[0]
  t.match(
    expected(list as Answer),
    /body: \{ items: \{ rows: \[ \{ id: mch_a \} \] \}, datas: false \}/
  )
  t.match(expected(error as Answer), /oops: resource_missing/)
  t.notMatch(expected(error as Answer), /text:|id:/)
  t.match(
    expected(scripted as Answer),
    /body: \{ oops: service_unavailable, text: The service is unavailable; try again later\. \}/
  )
  t.notMatch(expected(scripted as Answer), /req_3/)
})

t.test('shapes: OpenAPI has examples of the shaped responses, and no schemas', t => {
  const document = documentOf({ 'shapes.list': LIST, 'shapes.error': ERROR })
  const { LocationList, RefundList, Transaction, ErrorResponse } = document.components.schemas

  for (const { type, properties } of [LocationList, RefundList, ErrorResponse])
    t.strictSame([type, properties], ['object', undefined])
  t.match(Transaction.properties.refunds.$ref, /RefundList$/)
  t.strictSame(
    Object.keys(Transaction.examples[0].refunds),
    'result kind version ok none'.split(' ')
  )
  const { 200: success, 400: refusal } = document.paths['/locations'].get.responses
  const exampleIn = ({ content }: Json) => content['application/json'].example
  t.equal(exampleIn(success).result.rows.length, 1)
  t.match(exampleIn(refusal).errors[0].reason, /^parameter_/)
  t.end()
})

t.test('shapes: a value is read where a template has its placeholder', async t => {
  const cases: [template: object, answer: unknown, value: unknown][] = [
    [{ error: { message: '$message' } }, { error: { message: 'no' } }, 'no'],
    [ERROR, { errors: [{ detail: 'no' }] }, 'no'],
    [ERROR, {}, undefined],
    [{ error: {} }, { error: { message: 'no' } }, undefined]
  ]
  for (const [template, answer, value] of cases)
    t.equal(valueAt(template, answer, '$message'), value, JSON.stringify(template))
})
