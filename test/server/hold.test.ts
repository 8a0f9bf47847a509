import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Gates } from '../../src/sandbox/gates.js'
import { unusedConnectionsOf } from '../../src/server/connections.js'
import { Faults } from '../../src/server/responses.js'
import {
  MERCHANT,
  NOW,
  sandboxClient,
  smallFixture,
  startTestEmulator
} from '../support/emulator.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }

/** A listening emulator with a script; `refund` sends a Refund over a separate connection. */
async function start(t: Test, script: object[], settings: object = {}) {
  const emulator = await startTestEmulator(t, {
    settings,
    scenario: { clock: NOW, data: smallFixture({ transactions: [CHARGE] }), script }
  })
  const base = `http://127.0.0.1:${await emulator.listen()}`
  const headers = { authorization: `Basic ${btoa(`${MERCHANT}:`)}` }
  const refund = (
    form = 'amount=1',
    { path = '/next', signal = AbortSignal.timeout(60_000) } = {}
  ) =>
    fetch(`${base}${path}/refunds`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(`transaction=txn_a&${form}`),
      signal
    }).then(
      ({ status }) => status,
      () => 'lost'
    )
  const gates = async () => (await emulator.control('GET /gates')).body.data
  /** Waits until this many requests wait at the first gate. */
  const waiting = async (count: number, { gates } = emulator.sandbox) => {
    const ids = () =>
      gates.listed(['a', 'kitchen', 'scr_1']).flatMap(({ waiting }) => waiting.map(({ id }) => id))
    for (let left = 200; left > 0 && ids().length !== count; left--) await sleep(5)
    return ids()
  }
  /** Another existing sandbox. */
  const another = async () => {
    await emulator.inject({
      method: 'POST',
      url: '/sandbox/own/_control/reset',
      headers: { host: 'localhost' }
    })
    return {
      own: emulator.sandboxes.find('own'),
      refundThere: () => refund('amount=1', { path: '/sandbox/own/next' })
    }
  }
  return { ...emulator, refund, gates, waiting, another }
}

t.test('hold: two Refunds of the whole charge wait for each other', async t => {
  for (const [release, statuses] of [
    ['in_order', [200, 400]],
    ['reverse', [400, 200]]
  ] as const) {
    const emulator = await start(t, [{ on: 'POST /refunds', hold: { until: 2, release } }])

    const first = emulator.refund('reason=first')
    t.strictSame(await emulator.waiting(1), ['req_1'])
    t.strictSame(await emulator.gates(), [
      { name: 'scr_1', open: false, waiting: [{ id: 'req_1', on: 'POST /refunds' }] }
    ])
    const second = emulator.refund('reason=second')

    t.strictSame(await Promise.all([first, second]), statuses, release)
    const reasons = emulator.sandbox.state.store.refunds
      .inCreationOrder()
      .map(({ reason }) => reason)
    t.strictSame(reasons, [release === 'reverse' ? 'second' : 'first'])
    t.strictSame(await emulator.gates(), [{ name: 'scr_1', open: false, waiting: [] }])

    const third = emulator.refund('reason=third')
    t.strictSame(await emulator.waiting(1), ['req_3'], 'the next ones wait for one another again')
    t.strictSame([await emulator.refund('reason=fourth'), await third], [400, 400])
  }
})

t.test('hold: with calls only the first pair; of three requests at once one waits', async t => {
  const first = await start(t, [{ on: 'POST /refunds', calls: '1-2', hold: { until: 2 } }])
  t.strictSame(await Promise.all([first.refund(), first.refund()]), [200, 200])
  t.equal(await first.refund(), 200, 'a later one does not wait')
  t.strictSame(await first.gates(), [{ name: 'scr_1', open: false, waiting: [] }])

  const again = await start(t, [{ on: 'POST /refunds', hold: { until: 2 } }])
  const refunds = Array.from({ length: 3 }, () => again.refund())
  await Promise.race(refunds)
  t.equal((await again.waiting(1)).length, 1)
  t.strictSame((await again.control('POST /gates/scr_1/open')).body.released.length, 1)
  t.strictSame(await Promise.all(refunds), [200, 200, 200])
})

t.test('hold: a control request opens a gate, in the requested order', async t => {
  const emulator = await start(t, [{ on: 'POST /refunds', hold: { gate: 'kitchen' } }])
  const calls = []
  for (const amount of [600, 500, 400]) {
    calls.push(emulator.refund(`amount=${amount}`))
    await emulator.waiting(calls.length)
  }

  const wrong = await emulator.control('POST /gates/kitschen/open')
  const refused = await emulator.control('POST /gates/kitchen/open', { release: 'random' })
  t.equal((await emulator.gates())[0].waiting.length, 3, 'what is refused opens nothing')
  const { status, body } = await emulator.control('POST /gates/kitchen/open', {
    release: 'reverse'
  })

  t.strictSame(
    [wrong.status, wrong.body.error.code, wrong.body.error.message],
    [404, 'gate_unknown', 'There is no gate kitschen; available: kitchen.']
  )
  t.equal(refused.status, 400)
  t.strictSame([status, body], [200, { name: 'kitchen', released: ['req_3', 'req_2', 'req_1'] }])
  t.strictSame(await Promise.all(calls), [400, 200, 200])
  t.strictSame((await emulator.control('POST /gates/kitchen/open')).body, {
    name: 'kitchen',
    released: []
  })
  t.equal(await emulator.refund('amount=100'), 200)
  const [entry] = (await emulator.control('GET /script')).body.data
  t.strictSame([entry.matched, entry.applied], [4, 3], 'an open gate holds nothing')
})

t.test('hold: the maximum wait, and what is held after it', async t => {
  const respond = {
    on: 'POST /refunds',
    calls: 1,
    hold: { gate: 'a', for: '40ms' },
    respond: { status: 503 }
  }
  const emulator = await start(t, [
    respond,
    { on: 'POST /refunds', calls: 2, hold: { until: 2, for: '40ms' } }
  ])

  t.strictSame(
    [await emulator.refund(), await emulator.refund(), await emulator.refund()],
    [503, 200, 200]
  )
  const gates = (await emulator.gates()).map(
    ({ name, open }: { name: string; open: boolean }) => `${name} ${open}`
  )
  t.strictSame(gates, ['a false', 'scr_2 false'])
  const { body } = await emulator.control('GET /script')
  t.strictSame(
    body.data.map(({ applied }: { applied: number }) => applied),
    [1, 0],
    'a hold that timed out was not applied; what the entry did besides was'
  )
})

t.test('hold: if the client leaves or the emulator stops, nothing is done or waits', async t => {
  const emulator = await start(t, [{ on: 'POST /refunds', hold: { gate: 'a' } }])
  const before = await emulator.state()
  const client = new AbortController()
  for (const [end, signal] of [
    [() => client.abort(), client.signal],
    [() => emulator.app.close(), undefined]
  ] as const) {
    const held = emulator.refund('amount=1', { ...(signal && { signal }) })
    await emulator.waiting(1)
    await end()
    t.equal(await held, 'lost')
    if (signal) t.strictSame([await emulator.waiting(0), await emulator.state()], [[], before])
  }
})

const START = { clock: NOW, data: smallFixture({ transactions: [CHARGE] }) }
/** How a request waits in a sandbox, by the script. */
const WAITS: Record<string, object> = {
  hold: { hold: { gate: 'a' } },
  delay: { delay: '1m' },
  'delay before a response of the script': { delay: '1m', respond: { status: 402 } },
  'delay before a loss': { delay: '1m', fault: 'connection_reset', when: 'after' },
  hang: { fault: 'hang' },
  'hang after the effect': { fault: 'hang', when: 'after' }
}
/** A hung request in the journal, after its response was lost. */
const HUNG: Record<string, string> = { hang: 'lost_before', 'hang after the effect': 'lost_after' }
/** Requests that replace the state of a sandbox, and whether the journal stays. */
const REPLACEMENTS: readonly [on: string, body: object | undefined, isJournalKept: boolean][] = [
  ['POST /reset', undefined, false],
  ['POST /load', { scenario: START }, false],
  ['POST /snapshots/one/restore', undefined, true],
  ['DELETE /sandboxes/own', undefined, false]
]

t.test('waiting: a request ends with the state that it reached', async t => {
  const emulator = await startTestEmulator(t, { scenario: START })
  const own = sandboxClient(emulator, 'own')
  const refund = (client = own) =>
    client.call('POST /refunds', { body: { transaction: 'txn_a', amount: 1 } })
  const firstId = (await refund(sandboxClient(emulator, 'other'))).body.id
  const stateOf = async () => (await own.control('GET /state')).text

  for (const [wait, entry] of Object.entries(WAITS))
    for (const [on, body, isJournalKept] of REPLACEMENTS) {
      const title = `${wait}, ${on}`
      const isHung = wait.startsWith('hang')
      await own.control('POST /reset')
      await own.control('PUT /snapshots/one')
      const before = await stateOf()
      await own.control('POST /script', { on: 'POST /refunds', ...entry })
      const waiting = refund().then(
        ({ status, body }) => `${status} ${body.error.code}`,
        () => 'lost'
      )
      const isMatched = async () => (await own.control('GET /script')).body.data[0].matched > 0
      while (!(await isMatched())) await sleep(2)

      await (on.startsWith('DELETE') ? emulator : own).control(on, body)

      t.equal(await waiting, isHung ? 'lost' : '409 state_replaced', title)
      if (on.startsWith('DELETE')) await own.control('POST /reset')
      const journal = (await own.control('GET /requests')).body.data
      const outcomes = journal.map(({ outcome }: { outcome: string }) => outcome)
      t.strictSame(outcomes, isJournalKept ? [isHung ? HUNG[wait] : 'refused'] : [], title)
      t.equal(await stateOf(), before, title)
      t.equal((await refund()).body.id, firstId, title)
    }
})

t.test('hold: a client that gave up or has sent nothing delays no shutdown', async t => {
  for (const entry of [{ hold: { gate: 'a' } }, { fault: 'hang' }]) {
    const emulator = await start(t, [{ on: 'POST /refunds', ...entry }])
    const { port } = emulator.app.server.address() as AddressInfo
    const silent = connect(port, '127.0.0.1')
    await once(silent, 'connect')
    // fetch opens another connection when it gives up
    t.equal(await emulator.refund('amount=1', { signal: AbortSignal.timeout(50) }), 'lost')
    await sleep(50)

    await Promise.all([emulator.app.close(), once(silent, 'close')])
  }
})

t.test('hold: a new connection is closed at once while the emulator stops', async t => {
  const server = createServer((_, response) => response.end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const end = unusedConnectionsOf(server)
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}`)

  end()
  const late = connect(port, '127.0.0.1')
  await once(late, 'close')

  t.equal(answer.status, 200)
  t.equal(late.bytesRead, 0)
})

t.test('hold: a request of a deleted sandbox ends, those of others wait', async t => {
  const { refund, another, control, waiting } = await start(t, [
    { on: 'POST /refunds', hold: { until: 2 } }
  ])
  const { own, refundThere } = await another()
  const [main, there] = [refund(), refundThere()]
  await waiting(1)
  await waiting(1, own)

  await control('DELETE /sandboxes/own')

  t.equal(await there, 409)
  t.equal((await waiting(1)).length, 1)
  await control('POST /gates/scr_1/open')
  t.equal(await main, 200)
})

t.test('hold: no request waits if its client has left, or while the emulator stops', async t => {
  const wait = (faults: Faults, destroyed: boolean) => {
    let end: (goesOn: boolean) => void
    const goesOn = new Promise<boolean>(resolve => {
      end = resolve
    })
    const raw = Object.assign(new EventEmitter(), { destroyed })
    return faults.hold({ goesOn, leave: goesOn => end(goesOn), longest: null }, raw as never)
  }
  const stopping = new Faults()
  const waiting = wait(stopping, false)
  stopping.cut()

  t.strictSame(
    [await wait(new Faults(), true), await wait(stopping, false), await waiting],
    [false, false, false]
  )
})

t.test('hold: requests continue when their entry is deleted', async t => {
  const emulator = await start(t, [
    { on: 'POST /refunds', hold: { gate: 'a' } },
    { on: 'GET /tickets', hold: { gate: 'b' } }
  ])
  const held = emulator.refund()
  await emulator.waiting(1)

  await emulator.control('DELETE /script/scr_2')
  t.equal((await emulator.gates())[0].waiting.length, 1, 'another entry holds nobody there')
  await emulator.control('DELETE /script/scr_1')
  t.equal(await held, 200)
  t.strictSame(await emulator.gates(), [])
})

t.test('hold: a request that has no place to wait is refused, has no effect', async t => {
  const script = [
    {
      on: 'POST /refunds',
      hold: { until: 3, for: '5s' },
      fault: 'connection_reset',
      when: 'after'
    }
  ]
  const emulator = await start(t, script, { 'limits.waiting': 2 })
  const { refund, waiting } = emulator
  const { own, refundThere } = await emulator.another()
  const held = [refund(), refund()]
  await waiting(2)
  const before = await emulator.state()

  const { status, body, headers } = await emulator.call('POST /refunds', {
    body: { transaction: 'txn_a', amount: 1 }
  })

  const { type, code, rule, message } = body.error
  t.strictSame(
    [status, type, code, rule],
    [429, 'invalid_request_error', 'limit_reached', undefined]
  )
  t.match(
    message,
    /: this sandbox has 2 of at most 2, all sandboxes together have 2 of 20\. .*raise limits\.waiting\.$/
  )
  t.equal(headers.connection, 'keep-alive', 'its answer is not lost either')
  t.equal(await emulator.state(), before)
  t.equal((await waiting(2)).length, 2)
  const {
    outcome,
    script: entry,
    refusal,
    took_effect,
    answered
  } = (await emulator.control('GET /requests/req_3')).body
  const applied = [outcome, entry.id, refusal.code, took_effect, answered]
  t.strictSame(
    applied,
    ['refused', 'scr_1', 'limit_reached', false, true],
    'the entry was applied, and could not be carried out'
  )
  const others = [refundThere(), refundThere()]
  t.equal((await waiting(2, own)).length, 2, 'both are held')

  await emulator.control('POST /gates/scr_1/open')
  t.strictSame(await Promise.all(held), ['lost', 'lost'])
  t.equal(await refund(), 'lost', 'nothing waits at an open gate')
  emulator.sandbox.gates = new Gates()
  const again = [refund(), refund()]
  t.equal((await waiting(2)).length, 2, 'the places are free again')
  await emulator.control('POST /reset')
  own.reset()
  await Promise.all([...again, ...others])
})

t.test('hold: a race that could not be held is not shown as held', async t => {
  const race = [{ on: 'POST /refunds', hold: { until: 2, for: '5s' } }]
  const expect = [
    { on: 'POST /refunds', took_effect: true, times: 1 },
    { on: 'POST /refunds', status: 400, times: 1 }
  ]
  const judged = async (waiting: number) => {
    const scenario = {
      clock: NOW,
      data: smallFixture({ transactions: [CHARGE] }),
      script: race,
      expect
    }
    const emulator = await startTestEmulator(t, {
      settings: { 'limits.waiting': waiting },
      scenario
    })
    const refund = () => emulator.call('POST /refunds', { body: { transaction: 'txn_a' } })
    const first = refund()
    const second = await Promise.race([refund(), first])
    if (second.status === 429) await emulator.control('POST /gates/scr_1/open')
    await first
    const { body } = await emulator.control('POST /verify')
    return [second.status === 429, body.holds, body.message]
  }

  t.strictSame((await judged(2)).slice(0, 2), [false, true])
  const [isRefused, holds, message] = await judged(1)
  t.strictSame([isRefused, holds], [true, false])
  t.match(message, /expected 400; got 429/)
})
