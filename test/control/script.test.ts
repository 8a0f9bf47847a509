import { readFile } from 'node:fs/promises'
import t from 'tap'
import { nearMissTexts } from '../../src/scenario/near-misses.js'
import { smallFixture, startTestEmulator } from '../support/emulator.js'

const YAML = { 'content-type': 'application/yaml' }
const DECLINED = { on: 'POST /refunds', calls: '2+', respond: { status: 402, error: { code: 'declined', message: 'No.' } } }
const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 100 }
const scenario = { data: smallFixture({ transactions: [CHARGE] }), script: [{ name: 'slow', on: 'GET /tickets', delay: '1ms' }, DECLINED] }
type Listed = { id: string; entry: { on: string }; matched: number; applied: number }

t.test(
  'script: entries are listed in the order in which they are tried, with how many calls each matched, and applied to; a call that is refused before its turn is none of them',
  async t => {
    const { call, control } = await startTestEmulator(t, { scenario })
    t.strictSame((await control('GET /script')).body, {
      data: [
        { id: 'scr_1', entry: { name: 'slow', on: 'GET /tickets', delay: '1ms' }, matched: 0, applied: 0 },
        { id: 'scr_2', entry: DECLINED, matched: 0, applied: 0 }
      ]
    })

    await call('GET /tickets')
    for (let times = 0; times < 3; times++) await call('POST /refunds', { body: 'transaction=txn_a&amount=900' })
    await call('POST /refunds', { body: 'transaction=txn_none' })

    t.strictSame(
      (await control('GET /script')).body.data.map(({ id, matched, applied }: Listed) => [id, matched, applied]),
      [
        ['scr_1', 1, 1],
        ['scr_2', 3, 2]
      ]
    )
  }
)

t.test('script: an entry that was never applied lists the requests that it nearly was applied to, until it is', async t => {
  const on = 'POST /refunds'
  const large = { on, match: { body: { amount: { gte: 50 } } }, respond: { status: 402 } }
  const { call, control } = await startTestEmulator(t, { scenario: { data: smallFixture({ transactions: [CHARGE] }), script: [DECLINED, large] } })
  const listed = async () => (await control('GET /script')).body.data.map(({ entry: _, ...listed }: Listed) => listed)
  const refund = (amount: number) => call(on, { body: { transaction: 'txn_a', amount } })
  const nearly = (name: string, condition: string, wanted: string, got: string) => ({ in: name, misses: [{ condition, wanted, got }] })

  await refund(49)
  const [first, second] = await listed()
  t.strictSame(first, { id: 'scr_1', matched: 1, applied: 0, near_misses: [nearly('req_1', 'calls', '2+', '1 that matched')] })
  t.strictSame(second, { id: 'scr_2', matched: 0, applied: 0, near_misses: [nearly('req_1', 'amount', '>= 50', '49')] })

  for (const amount of [48, 47, 46, 45]) await refund(amount)
  t.strictSame(await listed(), [
    { id: 'scr_1', matched: 5, applied: 4 },
    {
      id: 'scr_2',
      matched: 0,
      applied: 0,
      near_misses: [45, 46, 47].map((amount, place) => nearly(`req_${5 - place}`, 'amount', '>= 50', String(amount)))
    }
  ])
  await control('DELETE /script/scr_1')
  await refund(50)
  await control('POST /script', { on: 'GET /tickets', delay: '1ms' })
  t.strictSame(
    await listed(),
    [
      { id: 'scr_2', matched: 1, applied: 1 },
      { id: 'scr_3', matched: 0, applied: 0 }
    ],
    'one that was applied has none, nor has one that no request came near to'
  )

  await control('POST /script', { ...DECLINED, match: { body: { amount: 51 } } })
  t.equal((await listed())[2].near_misses.length, 3)
  await control('DELETE /requests')
  t.strictSame((await listed())[2], { id: 'scr_4', matched: 0, applied: 0 }, 'of an empty journal there is nothing to say')
})

t.test('script: a request from before an entry was added is no near miss for being early', async t => {
  const { call, control } = await startTestEmulator(t, { scenario: { data: smallFixture({ transactions: [CHARGE] }) } })
  await call('POST /refunds', { body: 'transaction=txn_a&amount=5' })
  const cases: [entry: object, near: string[]][] = [
    [{}, []],
    [{ calls: '2+' }, []],
    [{ chance: 0 }, []],
    [{ match: { body: { amount: 5 } } }, []],
    [{ match: { body: { amount: 6 } } }, ['amount: wanted 6; got 5 in req_1']]
  ]
  for (const [entry, near] of cases) {
    await control('POST /script', { on: 'POST /refunds', respond: { status: 402 }, ...entry })
    const [listed] = (await control('GET /script')).body.data
    t.strictSame(nearMissTexts(listed.near_misses ?? []), near, JSON.stringify(entry))
    await control('DELETE /script')
  }
})

t.test('script: an entry that is added goes behind the others, and can be taken away', async t => {
  const { call, control } = await startTestEmulator(t, { scenario })
  const body = (text: string) => ({ on: 'GET /tickets', respond: { body: text } })

  const first = await control('POST /script', body('first'))
  const second = await control('POST /script', 'on: GET /tickets\nrespond: { body: second }', YAML)

  t.strictSame([first.status, first.body], [201, { id: 'scr_3', entry: body('first'), matched: 0, applied: 0 }])
  t.strictSame([second.status, second.body.id], [201, 'scr_4'])
  t.equal((await call('GET /tickets')).body.object, 'list', 'an entry before them acts')
  const removed = await control('DELETE /script/scr_1')
  t.strictSame([removed.status, removed.text], [204, ''])
  t.equal((await call('GET /tickets')).text, 'first')
  t.equal((await control('DELETE /script/scr_3')).status, 204)
  t.equal((await call('GET /tickets')).text, 'second')
  t.strictSame(
    (await control('GET /script')).body.data.map(({ id }: Listed) => id),
    ['scr_2', 'scr_4']
  )
  t.equal((await control('POST /script', body('third'))).body.id, 'scr_5', 'an id is not given out again')

  const unknown = await control('DELETE /script/scr_1')
  const all = await control('DELETE /script')
  const none = await control('DELETE /script/scr_2')

  t.strictSame([unknown.status, unknown.body.error.code, unknown.body.error.param], [404, 'entry_unknown', 'id'])
  t.equal(unknown.body.error.message, 'No script entry has the id scr_1; there are scr_2, scr_4, scr_5.')
  t.strictSame([all.status, all.text], [204, ''])
  t.strictSame((await control('GET /script')).body, { data: [] })
  t.equal(none.body.error.message, 'No script entry has the id scr_2; there are none.')
  t.equal((await call('GET /tickets')).body.object, 'list')
})

t.test('script: a reset brings back the scenario’s own entries, and clears what they counted', async t => {
  const { call, control } = await startTestEmulator(t, { scenario })
  const before = (await control('GET /script')).text
  await control('POST /script', { on: 'GET /locations', fault: 'hang' })
  await control('DELETE /script/scr_1')
  await call('POST /refunds', { body: 'transaction=txn_a' })
  t.equal((await call('POST /refunds', { body: 'transaction=txn_a' })).status, 402)

  await control('POST /reset')

  t.equal((await control('GET /script')).text, before)
  t.equal((await call('POST /refunds', { body: 'transaction=txn_a' })).status, 200, 'the first call again')
  t.equal((await control('POST /script', { on: 'GET /locations', delay: '1ms' })).body.id, 'scr_3')
  await control('POST /load', { scenario: { data: smallFixture() } })
  t.strictSame((await control('GET /script')).body, { data: [] }, 'and a load replaces them')
})

t.test('script: an entry that can never apply is refused with every problem, and nothing is added', async t => {
  const { control } = await startTestEmulator(t, { scenario })
  const before = (await control('GET /script')).text
  const act = { delay: '1s' }
  const cases: [entry: object, problems: [path: string, message: RegExp][]][] = [
    [{}, [['', /^on is required$/]]],
    [{ on: 'GET /tickets', respnd: {} }, [['respnd', /^unknown name respnd; did you mean respond\?$/]]],
    [{ on: 'GET /ticket', ...act }, [['on', /^GET \/ticket is not an operation; did you mean GET \/tickets\?$/]]],
    [{ on: 'GET /tickets' }, [['', /^an entry needs respond, delay, fault or hold$/]]],
    [{ on: 'DELETE /accounts/{id}', ...act }, [['on', /^can never apply: DELETE \/accounts\/\{id\} is disabled and always answers 501$/]]],
    [{ on: 'GET /tickets', match: { body: { a: 1 } }, ...act }, [['match.body', /^GET \/tickets has no body$/]]],
    [{ on: 'POST /refunds', match: { body: { amunt: 1 } }, ...act }, [['match.body.amunt', /^amunt is not a parameter of this call; did you mean amount\?$/]]],
    [{ on: 'POST /refunds', match: { body: { reason: '/(/' } }, ...act }, [['match.body.reason', /is not a regular expression of the RE2 syntax/]]],
    [{ on: 'POST /refunds', calls: '3-2', ...act }, [['calls', /^must be 1, 2-3 or 4\+; got 3-2$/]]],
    [{ on: 'POST /refunds', delay: 'soon' }, [['delay', /^must be a length of time/]]],
    [{ on: 'POST /refunds', delay: { min: '2s', max: '1s' } }, [['delay', /^min 2s is longer than max 1s$/]]],
    [{ on: 'POST /refunds', fault: 'explode' }, [['fault', /^must be one of connection_reset, .*, hang; got explode$/]]],
    [{ on: 'POST /refunds', when: 'after', ...act }, [['when', /^when: after goes with a fault$/]]],
    [
      { on: 'POST /refunds', respond: { headers: { 'Content-Length': '3' } } },
      [['respond.headers.Content-Length', /^Content-Length is the emulator's own to set$/]]
    ],
    [
      { on: 'POST /refunds', respond: { status: 200, body: 1, error: { code: 'x', message: 'x' } }, calls: 'many' },
      [
        ['respond', /^body and error cannot both be the answer$/],
        ['respond.status', /^an error has a status of 400 or more, not 200$/],
        ['calls', /^must be 1, 2-3 or 4\+/]
      ]
    ]
  ]
  for (const [entry, problems] of cases) {
    const { status, body } = await control('POST /script', entry)

    t.strictSame([status, body.error.code], [400, 'document_invalid'], JSON.stringify(entry))
    t.strictSame(
      body.error.problems.map(({ file, path, line }: { file: string; path: string; line: number }) => [file, path, line]),
      problems.map(([path]) => ['body', path, 1])
    )
    for (const [index, [, message]] of problems.entries()) t.ok(message.test(body.error.problems[index].message), body.error.problems[index].message)
  }
  const malformed: [on: string, body: string | undefined, headers: Record<string, string>, status: number, code: string][] = [
    ['POST /script', undefined, {}, 400, 'body_malformed'],
    ['POST /script', '{', {}, 400, 'body_malformed'],
    ['POST /script', 'on: [', YAML, 400, 'document_invalid'],
    ['POST /script', 'on=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'content_type_unsupported'],
    ['POST /script?dry_run=1', JSON.stringify(DECLINED), {}, 400, 'parameter_unknown'],
    ['DELETE /script?all=1', undefined, {}, 400, 'parameter_unknown'],
    ['DELETE /script/scr_1?all=1', undefined, {}, 400, 'parameter_unknown'],
    ['POST /verify?within=2s', undefined, {}, 400, 'parameter_unknown'],
    ['POST /verify', '{}', {}, 400, 'document_invalid']
  ]
  for (const [on, body, headers, status, code] of malformed) {
    const answer = await control(on, body, headers)
    t.strictSame([answer.status, answer.body.error.code], [status, code], `${on} ${body}`)
  }
  t.equal((await control('GET /script')).text, before)
})

t.test('control: verify answers 200 when what the scenario expects holds, and 409 with what was seen when not', async t => {
  const expect = [
    { on: 'POST /refunds', times: 1 },
    { on: 'GET /tickets', match: { query: { location: 'loc_a' } }, at_most: 1 }
  ]
  const { call, control } = await startTestEmulator(t, { scenario: { data: smallFixture(), expect } })
  const verdict = async () => {
    const { status, body } = await control('POST /verify')
    return { status, holds: body.holds, seen: body.expectations.map(({ seen, holds }: { seen: number; holds: boolean }) => [seen, holds]) }
  }
  const wanted = ['POST /refunds: 1 call', 'GET /tickets with {"query":{"location":"loc_a"}}: at most 1 call']

  const none = await control('POST /verify')
  t.equal(none.status, 409)
  t.equal(none.body.holds, false)
  t.strictSame(
    none.body.expectations.map(({ message, ...verdict }: { message: string }) => verdict),
    [
      { expectation: expect[0], wanted: wanted[0], seen: 0, holds: false, exceeded: false },
      { expectation: expect[1], wanted: wanted[1], seen: 0, holds: true, exceeded: false }
    ]
  )
  await call('POST /refunds', { body: 'transaction=txn_none' })
  await call('POST /refunds', { key: 'nope', body: 'transaction=txn_none' })
  await call('GET /tickets', { query: 'location=loc_a&limit=many' })
  t.strictSame(
    await verdict(),
    {
      status: 200,
      holds: true,
      seen: [
        [1, true],
        [1, true]
      ]
    },
    'refused calls count, those without a right key do not'
  )
  await call('GET /tickets', { query: 'location=loc_a' })
  t.strictSame(await verdict(), {
    status: 409,
    holds: false,
    seen: [
      [1, true],
      [2, false]
    ]
  })
  await control('POST /reset')
  t.strictSame(
    (await verdict()).seen,
    [
      [0, false],
      [0, true]
    ],
    'a reset begins anew'
  )
  await control('POST /load', { scenario: { data: smallFixture() } })
  t.strictSame((await control('POST /verify')).body, { holds: true, message: 'The scenario has no expectations.', expectations: [], unused_script_entries: [] })
})

t.test('control: the schemas of fixtures and scenarios are answered as they are published', async t => {
  const { control } = await startTestEmulator(t)
  for (const kind of ['fixture', 'scenario']) {
    const { status, body } = await control(`GET /schema/${kind}.json`)

    t.equal(status, 200)
    t.strictSame(body, JSON.parse(await readFile(new URL(`../../docs/schema/${kind}.json`, import.meta.url), 'utf8')), kind)
  }
})

t.test('A25: a card number that an entry matches on is a digest wherever entries are shown', async t => {
  const { control } = await startTestEmulator(t)
  const entry = { on: 'POST /transactions', match: { body: { 'card[number]': '4242424242424242' } }, delay: '1ms' }

  const answers = [
    await control('POST /script', JSON.stringify(entry)),
    await control('GET /script'),
    await control('POST /verify'),
    await control('POST /verify', JSON.stringify({ script: 'all_used' }))
  ]

  t.strictSame(
    answers.map(({ status }) => status),
    [201, 200, 200, 409]
  )
  for (const { text } of answers) t.notOk(text.includes('4242424242424242'))
  t.match(answers[0]?.body.entry.match.body['card[number]'], /^sha256:[\da-f]{64}$/)
})
