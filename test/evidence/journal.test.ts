import t from 'tap'
import { drawnFraction } from '../../src/core/draws.js'
import { Journal } from '../../src/evidence/journal.js'
import type { JudgedCall } from '../../src/evidence/judged-call.js'
import { startTestEmulator } from '../support/emulator.js'
import { form, judgedCall } from '../support/judged-call.js'

const idsIn = (journal: Journal) => journal.calls().map(({ id }) => id)

t.test('journal: it is bounded in number; the oldest make room', t => {
  const journal = new Journal({ entries: 3, bytes: 1_000_000 })
  const heard: string[] = []
  const stop = journal.listen(({ id }) => heard.push(id))

  for (let call = 1; call <= 20; call++) {
    journal.add(judgedCall({ id: `req_${call}` }))
    if (call === 10) stop()
  }

  t.strictSame([journal.size, journal.dropped, idsIn(journal)], [3, 17, ['req_18', 'req_19', 'req_20']])
  t.strictSame([journal.get('req_17'), journal.get('req_18')?.id], [undefined, 'req_18'])
  t.strictSame([heard.length, heard.at(-1)], [10, 'req_10'])
  journal.skip()
  t.equal(journal.dropped, 18, 'a call that is not kept is dropped too')
  journal.clear()
  t.strictSame([journal.size, journal.dropped, journal.calls()], [0, 0, []])
  t.end()
})

t.test('journal: it is bounded in bytes, of answers, paths and parameters', t => {
  const big = 'x'.repeat(10_000)
  const holds = (given: Partial<JudgedCall>) => {
    const journal = new Journal({ entries: 1000, bytes: 65_536 })
    for (let call = 1; call <= 20; call++) journal.add(judgedCall({ id: `req_${call}`, ...given }))
    return [journal.size, journal.dropped]
  }

  t.strictSame(holds({}), [20, 0])
  for (const [what, given] of Object.entries({
    'an answer': { length: big.length },
    'a path': { path: big },
    'a value of a query': { query: form(`a=${big}`) },
    'a list in a body': { body: form(`a[]=${big}`) },
    'a nested value of a body': { body: form(`a[b]=${big}`) },
    'a name in a body': { body: form(`${big}=`) }
  })) {
    t.strictSame(holds(given), [6, 14], what)
  }
  t.strictSame(holds({ length: big.length * 7 }), [0, 20], 'a call that is larger than the journal')
  t.end()
})

t.test('journal: whatever was added, dropped or cleared before, it holds the last calls that fit, in order', t => {
  let drawn = 0
  const draw = () => drawnFraction(7, 'journal', drawn++)
  for (let round = 0; round < 40; round++) {
    const limits = { entries: 1 + Math.floor(draw() * 60), bytes: 65_536 }
    const journal = new Journal(limits)
    let model: JudgedCall[] = []
    let dropped = 0
    const bytes = () => model.reduce((sum, { length, path }) => sum + 600 + path.length + length, 0)
    for (let number = 1; number <= 300; number++) {
      if (draw() < 0.005) {
        journal.clear()
        model = []
        dropped = 0
      }
      const call = judgedCall({ id: `req_${number}`, length: draw() < 0.8 ? 10 : Math.floor(draw() * 70_000) })
      journal.add(call)
      model.push(call)
      while (model.length > limits.entries || bytes() > limits.bytes) {
        model.shift()
        dropped++
      }
      const held = journal.calls()
      const isRight = held.length === model.length && held.every((one, index) => one === model[index])
      if (!isRight || journal.size !== model.length || journal.dropped !== dropped) t.fail(`round ${round}, call ${number}`)
    }
  }
  t.end()
})

t.test('journal: a call names the calls that last changed the records that it was judged by', async t => {
  const { call, control } = await startTestEmulator(t, {
    records: { users: ['a', 'b'].map(name => ({ id: `usr_${name}`, account: 'mch_a', name, email: `${name}@example.com` })) }
  })
  const changedBy = async (): Promise<string[]> => (await control(`GET /requests/${(await control('GET /requests')).body.data[0].id}`)).body.why.changed_by
  const after = async (...made: Parameters<typeof call>) => {
    const { body } = await call(...made)
    return { id: body.id as string, by: await changedBy() }
  }

  const payment = await after('POST /transactions', { body: 'ticket=tkt_a&payment_type=external&amount=100', key: null })
  t.strictSame(payment.by, [], 'nothing was changed before')
  t.strictSame((await after('POST /accounts/mch_a', { body: 'name=B' })).by, [])
  t.strictSame((await after('POST /locations', { body: 'display_name=B&address[country]=US' })).by, ['req_2'], 'the Account that creates a Location')
  const refund = await after('POST /refunds', { body: `transaction=${payment.id}&amount=60` })
  t.strictSame(refund.by, ['req_1'], 'the Transaction that a Refund names')
  t.strictSame((await after('POST /refunds', { body: `transaction=${payment.id}&amount=60` })).by, ['req_4'], 'a Refund changes its Transaction')
  t.strictSame((await after('GET /transactions', { query: `search_query=${payment.id}` })).by, [], 'what a query names does not count')
  t.strictSame((await after(`GET /transactions/${payment.id}`)).by, ['req_4'], 'the record of the path; a refused call changes nothing')
  t.strictSame((await after(`POST /refunds/${refund.id}`, { body: 'metadata[a]=b' })).by, ['req_4'])
  t.strictSame((await after(`GET /refunds/${refund.id}`)).by, ['req_8'])
  t.strictSame((await after('DELETE /accounts/mch_a/users/usr_a')).by, ['req_2'])
  t.strictSame((await after('DELETE /accounts/mch_a/users/usr_a')).by, ['req_2', 'req_10'], 'each record of the path, a deleted one too')
  await control('DELETE /requests')
  t.strictSame((await after(`GET /refunds/${refund.id}`)).by, [], 'only calls that are kept')
})

t.test('journal: a call that is kept no longer has no changers', t => {
  const journal = new Journal({ entries: 1, bytes: 1_000_000 })
  const call = judgedCall({ params: { id: 'tkt_a' } })

  journal.add(call)
  journal.add(judgedCall({ id: 'req_2' }))

  t.strictSame(journal.changersOf(call), [])
  t.end()
})
