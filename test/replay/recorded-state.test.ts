import t from 'tap'
import { parse } from 'yaml'
import { SAYS } from '../../src/replay/sentences.js'
import { MERCHANT, startTestEmulator } from '../support/emulator.js'

t.test('a recording: what control calls add is there from the beginning, with the records of calls that it belongs to', async t => {
  const { call, control } = await startTestEmulator(t)
  await call('GET /tickets/tkt_a')
  await control('PUT /snapshots/before')
  await control('POST /records', { tickets: [{ id: 'tkt_gone', location: 'loc_a', reference: 'GONE' }] })
  await call('GET /tickets/tkt_gone')
  await control('POST /snapshots/before/restore')
  const { id } = (await call('POST /transactions', { body: { ticket: 'tkt_a', payment_type: 'external', amount: 100 }, key: MERCHANT })).body
  await call('GET /tickets')
  await call('GET /tickets/tkt_new')
  const added = {
    tickets: [{ id: 'tkt_new', location: 'loc_a', reference: 'NEW' }],
    refunds: ['a', 'b'].map(name => ({ id: `rfd_${name}`, transaction: id, amount: 10 }))
  }
  t.equal((await control('POST /records', added)).status, 200)
  await call(`GET /transactions/${id}`)

  const { text } = await control('GET /requests?format=scenario')

  const { data, play } = parse(text)
  t.strictSame(
    [data.tickets, data.transactions, data.refunds].map(records => records.map((record: { id: string }) => record.id)),
    [['tkt_a', 'tkt_new'], [id], ['rfd_a', 'rfd_b']]
  )
  t.strictSame(
    play.map(({ do: on }: { do: string }) => on),
    ['GET /tickets/tkt_a', 'POST /transactions', 'GET /tickets', `GET /transactions/${id}`]
  )
  for (const why of [
    SAYS.of('GET /tickets/tkt_gone', SAYS.other_status('200', 404)),
    SAYS.of('GET /tickets/tkt_new', SAYS.other_status('404 resource_missing', 200))
  ])
    t.ok(text.includes(why), text)
})
