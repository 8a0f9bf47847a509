import t from 'tap'
import { sentBy } from '../../src/engine/scripted.js'
import { masked, textOf } from '../../src/evidence/entry.js'
import { signatureOf } from '../../src/evidence/mistakes.js'
import { parametersIn } from '../../src/evidence/why.js'
import { MERCHANT, NOW, smallFixture } from '../support/requests.js'
import { startWorld } from '../support/world.js'

t.test('a masked entry shows a response as sent, masked where it has a key', async t => {
  const script = [{ on: 'GET /refunds', respond: { body: `not JSON, ${MERCHANT}` } }]
  const { executed } = await startWorld({
    scenario: { clock: NOW, data: smallFixture(), script }
  })
  for (const on of ['GET /tickets/tkt_none', 'GET /nothing', 'GET /refunds']) {
    const { response, reading, ...entry } = executed(on)
    const sent = String(response.payload)
    t.equal(textOf(masked(entry, reading)), sent.replace(MERCHANT, '***'), on)
  }
})

t.test('a masked entry has the parameters of its path as they were sent', async t => {
  const { executed } = await startWorld()
  for (const [on, path, params] of [
    ['GET /tickets/tkt_a', '/tickets/tkt_a', { id: 'tkt_a' }],
    ['GET /tickets/tkt_a/', '/tickets/tkt_a/', { id: 'tkt_a' }],
    ['GET /tickets/a%2Fb', '/tickets/a/b', { id: 'a/b' }],
    ['GET /tickets/a%20b', '/tickets/a b', { id: 'a b' }],
    ['GET /tickets/4242424242424242', '/tickets/****************', { id: '****************' }],
    [
      'DELETE /accounts/a%2Fb/users/c%0Ad',
      '/accounts/a/b/users/c?d',
      { account_id: 'a/b', user_id: 'c?d' }
    ]
  ] as const) {
    const entry = executed(on)
    const shown = masked(entry, entry.reading)
    t.strictSame([shown.path, shown.params], [path, params], on)
  }
})

t.test('a masked entry has values and names as they were sent', async t => {
  const { executed } = await startWorld()
  const sent = (on: string, options: object) => {
    const entry = executed(on, options)
    const { query, body } = masked(entry, entry.reading)
    return { query: parametersIn(query), body: parametersIn(body) as { metadata: object } }
  }
  const odd = [
    'a"b',
    'back\\slash',
    'two\nlines',
    'tab\t',
    'été',
    '🧾',
    '</script>',
    '\u2028',
    "it's",
    '{"a":[1]}',
    '',
    'true',
    'null',
    '1e3'
  ]
  const names = ['__proto__', 'constructor', 'toString', 'back\\slash', 'été 🧾', 'two\nlines']
  const pairs = [
    ...odd.map((value, index) => [`v${index}`, value]),
    ...names.map(name => [name, name])
  ] as [string, string][]
  const metadata = (pairs: [string, string][]) =>
    new URLSearchParams(
      pairs.map(([name, value]): [string, string] => [`metadata[${name}]`, value])
    ).toString()
  const lists = odd.map(value => ['search_query[]', value]) as [string, string][]

  t.strictSame(
    Object.entries(sent('POST /locations', { body: metadata(pairs) }).body.metadata),
    pairs
  )
  const { query } = sent('GET /tickets', {
    query: new URLSearchParams([...lists, ['odd "name"', 'x'], ['limit{', 'y']]).toString()
  })
  t.strictSame({ ...query }, { search_query: odd, '***': '***' })
  const { body } = sent('POST /locations', {
    body: metadata(Object.entries({ note: '{"csc":"123","amount":"7"}', plain: 'x' }))
  })
  t.strictSame({ ...body.metadata }, { note: '{"csc":"***","amount":"7"}', plain: 'x' })
})

t.test('a request names the test that sent it: UTF-8, percent-encoded or not', async t => {
  const { executed } = await startWorld()
  const testOf = (...values: string[]) =>
    values.map(value => executed('GET /tickets', { headers: { 'test-name': value } }).caller.test)
  t.strictSame(testOf('', 'pays', Buffer.from('zahlt für zwei').toString('latin1'), 'caf\u00e9'), [
    null,
    'pays',
    'zahlt für zwei',
    'caf\u00e9'
  ])
  for (const [sent, name] of [
    ['zahlt%20f%C3%BCr zwei', 'zahlt für zwei'],
    ['a%2520b', 'a%20b']
  ] as const) {
    const entry = executed('GET /tickets', { headers: { 'test-name': sent } })
    const { header } = sentBy(entry.reading)
    t.strictSame(
      [entry.caller.test, header('test-name')],
      [name, name],
      'a script matches it as the journal shows it'
    )
    t.equal(header('user-agent'), undefined)
    t.equal(masked(entry, entry.reading).caller.test, name)
  }
})

t.test('a request is of the trace of its traceparent; a bad header names none', async t => {
  const { executed } = await startWorld()
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  for (const [traceparent, expected] of [
    [`00-${trace}-00f067aa0ba902b7-01`, trace],
    [`cc-${trace}-00f067aa0ba902b7-01-later`, trace],
    [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, null],
    [`00-${trace}-01`, null],
    [trace.toUpperCase(), null],
    ['', null]
  ] as const)
    t.equal(
      executed('GET /tickets', { headers: { traceparent } }).caller.trace,
      expected,
      traceparent
    )
})

t.test('a signature is that of a request and its caller; of an unread body, never', async t => {
  const { executed } = await startWorld()
  const of = (on: string, options: object = {}) => {
    const entry = executed(on, options)
    return signatureOf(entry, entry.reading)
  }
  const refund = (body: string, more: object = {}) => of('POST /refunds', { body, ...more })
  const same = refund('transaction=a&metadata[x]=1&metadata[y]=2')

  t.equal(refund('metadata[y]=2&transaction=a&metadata[x]=1'), same)
  t.equal(of('GET /nothing', { query: 'a=1' }), of('GET /nothing', { query: 'a=1' }))
  const json = { headers: { 'content-type': 'application/json' } }
  const others = [
    refund('transaction=a&metadata[x]=1'),
    refund('transaction=a&metadata[x]=1&metadata[y]=2', { key: 'sk_other_key' }),
    refund('transaction=a&metadata[x]=1&metadata[y]=2', { query: 'a[]=b' }),
    ...['{}', '{}'].map(body => refund(body, json)),
    of('GET /nothing', { query: 'a=2' })
  ]
  t.equal(new Set([same, ...others]).size, 1 + others.length)
})
