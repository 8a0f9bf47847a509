import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { drawnFraction } from '../../src/core/ids.js'
import type { Entry } from '../../src/evidence/entry.js'
import { Journal, JournalBudget } from '../../src/evidence/journal.js'
import { startTestEmulator } from '../support/emulator.js'
import { journalLimits, judgedRequest } from '../support/judged-request.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
/** Memory in use after a full garbage collection. */
async function heap(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise(resolve => setImmediate(resolve))
    collect()
  }
  return process.memoryUsage().heapUsed
}

const idsIn = (journal: Journal) => journal.requests().map(({ id }) => id)

t.test('journal: its number is limited; the oldest are dropped', t => {
  const journal = new Journal(journalLimits({ entries: 3 }))
  const heard: string[] = []
  const stop = journal.listen(({ id }) => heard.push(id))

  for (let call = 1; call <= 20; call++) {
    journal.add(judgedRequest({ id: `req_${call}` }))
    if (call === 10) stop()
  }

  t.strictSame(
    [journal.size, journal.dropped, idsIn(journal)],
    [3, 17, ['req_18', 'req_19', 'req_20']]
  )
  t.strictSame([journal.get('req_17'), journal.get('req_18')?.id], [undefined, 'req_18'])
  t.strictSame([heard.length, heard.at(-1)], [10, 'req_10'])
  journal.clear()
  t.strictSame([journal.size, journal.dropped, journal.requests()], [0, 0, []])
  t.end()
})

t.test('journals: if journals together use too much, the largest are cut', t => {
  const budget = new JournalBudget(100_000)
  const [large, small, other] = [1, 2, 3].map(() => new Journal(journalLimits({ budget }))) as [
    Journal,
    Journal,
    Journal
  ]
  const fill = (journal: Journal, calls: number, held = 1000) => {
    for (let call = 1; call <= calls; call++)
      journal.add(judgedRequest({ id: `req_${call}`, held }))
  }
  fill(small, 10)
  fill(large, 90)
  t.strictSame([small.size, large.size], [10, 90], 'as much as they may')

  fill(other, 1)
  t.strictSame([small.size, large.size, other.size], [10, 82, 1], 'a sixteenth, of the largest')
  t.equal(large.get('req_8'), undefined)
  fill(other, 4, 24_000)
  t.ok(small.bytes + large.bytes + other.bytes <= 100_000)
  t.equal(small.size, 10, 'small ones keep what they have')
  large.clear()
  other.clear()
  fill(small, 90)
  t.equal(small.size, 100, 'what was cleared is free again')
  t.end()
})

t.test('limits.journal_bytes: the counted bytes are at least those of the requests', async t => {
  const { call, sandbox } = await startTestEmulator(t, {
    settings: { 'limits.journal': 100_000, 'limits.journal_bytes': 17_179_869_184 }
  })
  const CALLS = 100
  const letters = 'x'.repeat(20_000)
  for (const [what, make] of Object.entries<(nth: number) => Promise<unknown>>({
    'a small call': () => call('GET /tickets'),
    'a long path': nth => call(`GET /tickets/${nth}${letters.slice(0, 15_000)}`),
    'a long user agent': nth =>
      call('GET /tickets', { headers: { 'user-agent': `${nth}${letters}` } }),
    'many parameters': nth =>
      call('POST /refunds', {
        body: Array.from({ length: 900 }, (_, name) => `${nth}n${name}=${name}`).join('&')
      }),
    'many metadata': nth =>
      call('POST /refunds', {
        body: Array.from({ length: 900 }, (_, name) => `metadata[${nth}n${name}]=${name}`).join('&')
      }),
    'a list': nth =>
      call('POST /refunds', {
        body: Array.from({ length: 900 }, (_, item) => `a${nth}[]=${item}`).join('&')
      }),
    'letters beyond Latin-1': nth =>
      call('POST /refunds', { body: `reason=${nth}${letters}\u0141` }),
    'such letters percent-encoded': nth =>
      call('POST /refunds', { body: `reason=${nth}%C5%81${letters}` }),
    'an answer that repeats them': nth =>
      call('POST /refunds', { body: `${nth}%C5%81${letters.slice(0, 5000)}=1` })
  })) {
    const { journal } = sandbox.evidence
    let [counted, held] = [0, Number.POSITIVE_INFINITY]
    // a collection also frees what requests do not use, such as code: the lowest measurement
    // counts
    for (let round = 0; round < 5 && held >= counted * 1.1; round++) {
      for (let nth = 0; nth < CALLS; nth++) await make(nth)
      counted = journal.bytes
      t.equal(journal.size, CALLS)
      const full = await heap()
      journal.clear()
      held = Math.min(held, full - (await heap()))
    }
    t.ok(
      held < counted * 1.1,
      `${what}: ${Math.round(held / CALLS)} bytes, ${Math.round(counted / CALLS)} counted`
    )
    t.ok(counted < held * 5 + CALLS * 4000, `${what}: not far more either`)
  }
})

t.test('journal: whatever was added, dropped or cleared before', t => {
  let drawn = 0
  const draw = () => drawnFraction(7, 'journal', drawn++)
  for (let round = 0; round < 12; round++) {
    const limits = { entries: 1 + Math.floor(draw() * 60), bytes: 65_536 }
    const journal = new Journal(journalLimits(limits))
    let model: Entry[] = []
    let dropped = 0
    const bytes = () => model.reduce((sum, { held }) => sum + held, 0)
    for (let number = 1; number <= 300; number++) {
      if (draw() < 0.005) {
        journal.clear()
        model = []
        dropped = 0
      }
      const call = judgedRequest({
        id: `req_${number}`,
        held: draw() < 0.8 ? 600 : Math.floor(draw() * 70_000)
      })
      journal.add(call)
      model.push(call)
      while (model.length > limits.entries || bytes() > limits.bytes) {
        model.shift()
        dropped++
      }
      const held = journal.requests()
      const isRight =
        held.length === model.length && held.every((one, index) => one === model[index])
      if (!isRight || journal.size !== model.length || journal.dropped !== dropped)
        t.fail(`round ${round}, call ${number}`)
    }
  }
  t.end()
})

t.test('journal: what changed a record is what it shows, not what was undone', async t => {
  const { call, control } = await startTestEmulator(t)
  const rename = (name: string) => call('POST /locations/loc_a', { body: `display_name=${name}` })
  const replace = (display_name: string) =>
    control('POST /records', {
      locations: [{ id: 'loc_a', account: 'mch_a', display_name, address: { country: 'US' } }]
    })
  const changedBy = async (on: string) => {
    const { headers } = await call(on)
    return (await control(`GET /requests/${headers['request-id']}`)).body.why.changed_by
  }
  const RECORDS = 'POST /_control/records'
  const refund = { id: 'rfd_1', transaction: 'txn_1', amount: 1 }
  const payment = { id: 'txn_1', ticket: 'tkt_a', payment_type: 'card', amount: 2 }
  const rows: [title: string, act: () => Promise<unknown>, on: string, by: string[]][] = [
    ['nothing', async () => {}, 'GET /locations/loc_a', []],
    ['a request', () => rename('B'), 'GET /locations/loc_a', ['req_2']],
    ['it is shown on a list', async () => {}, 'GET /locations', ['req_2']],
    ['a snapshot is taken', () => control('PUT /snapshots/one'), 'GET /locations', ['req_2']],
    ['a later request', () => rename('C'), 'GET /locations/loc_a', ['req_6']],
    [
      'a restore undoes it',
      () => control('POST /snapshots/one/restore'),
      'GET /locations/loc_a',
      ['req_2']
    ],
    ['a control request', () => replace('D'), 'GET /locations/loc_a', [RECORDS]],
    ['a list, by a control request', async () => {}, 'GET /locations', [RECORDS]],
    [
      'records that were added',
      () => control('POST /records', { transactions: [payment], refunds: [refund] }),
      'GET /transactions/txn_1',
      ['POST /_control/records']
    ],
    [
      'a Refund that was deleted changed its Transaction',
      () => control('DELETE /records/refunds/rfd_1'),
      'GET /transactions/txn_1',
      ['DELETE /_control/records/refunds/rfd_1']
    ],
    [
      'a record that was deleted',
      async () => {},
      'GET /refunds/rfd_1',
      ['DELETE /_control/records/refunds/rfd_1']
    ],
    [
      'a restore undoes a deletion',
      () => control('POST /snapshots/one/restore'),
      'GET /refunds/rfd_1',
      []
    ],
    ['a reset', () => control('POST /reset'), 'GET /locations', []]
  ]
  for (const [title, act, on, by] of rows) {
    await act()
    t.strictSame(await changedBy(on), by, title)
  }
})

t.test('journal: a request names the requests that last changed its records', async t => {
  const { call, control } = await startTestEmulator(t, {
    records: {
      users: ['a', 'b'].map(name => ({
        id: `usr_${name}`,
        account: 'mch_a',
        name,
        email: `${name}@example.com`
      }))
    }
  })
  const changedBy = async (): Promise<string[]> =>
    (await control(`GET /requests/${(await control('GET /requests')).body.data[0].id}`)).body.why
      .changed_by
  const after = async (...given: Parameters<typeof call>) => {
    const { body } = await call(...given)
    return { id: body.id as string, by: await changedBy() }
  }

  const { id: payment, by: none } = await after('POST /transactions', {
    body: 'ticket=tkt_a&payment_type=external&amount=100',
    key: null
  })
  t.strictSame(none, [], 'nothing was changed before')
  const refund = { body: `transaction=${payment}&amount=60` }
  const user = 'DELETE /accounts/mch_a/users/usr_a'
  // biome-ignore format: a table
  const rows: [
    by: string[],
    on: string,
    options?: { body?: string; query?: string },
    what?: string
  ][] = [
    [[], 'POST /accounts/mch_a', { body: 'name=B' }],
    [['req_2'], 'POST /locations', { body: 'display_name=B&address[country]=US' }, 'the Account that creates a Location'],
    [['req_1'], 'POST /refunds', refund, 'the Transaction that a Refund names'],
    [['req_4'], 'POST /refunds', refund, 'a Refund changes its Transaction'],
    [[], 'GET /transactions', { query: `search_query=${payment}` }, 'what a query names does not count'],
    [['req_4'], `GET /transactions/${payment}`, {}, 'the record of the path; a refused call changes nothing'],
    [['req_4'], 'POST /refunds/made', { body: 'metadata[a]=b' }], [['req_8'], 'GET /refunds/made'], [[], user],
    [['req_2', 'req_10'], user, {}, 'each record of the path, a deleted one too']
  ]
  let made = ''
  for (const [by, on, options = {}, what = on] of rows) {
    const answer = await after(on.replace('made', made), options)
    t.strictSame(answer.by, by, what)
    if (on === 'POST /refunds') made ||= answer.id
  }
  await control('DELETE /requests')
  t.strictSame((await after(`GET /refunds/${made}`)).by, [], 'only calls that are kept')
})
