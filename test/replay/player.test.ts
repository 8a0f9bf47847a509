import t from 'tap'
import { Player } from '../../src/replay/player.js'
import type { Fault } from '../../src/scenario/shape/entry.js'
import type { StepCall } from '../../src/scenario/steps.js'
import { MERCHANT, NOW, smallFixture } from '../support/requests.js'
import { rows } from '../support/rows.js'
import { startWorld } from '../support/world.js'

const GET: StepCall = {
  method: 'GET',
  path: '/tickets/tkt_a',
  query: '',
  key: MERCHANT,
  form: null
}
const DELETE: StepCall = { ...GET, method: 'DELETE', path: '/accounts/mch_a/users/usr_a' }
async function playing(script: object[], clock: unknown = NOW) {
  const users = [{ id: 'usr_a', account: 'mch_a', name: 'A', email: 'a@example.com' }]
  const { world } = await startWorld({ scenario: { clock, data: smallFixture({ users }), script } })
  return { world, play: new Player(world).play }
}

t.test('a player shows what a client sees of a lost response, with a body or without', async t => {
  for (const [fault, seen, seenOfNothing] of rows<
    [fault: Fault, seen: string, seenOfNothing: string]
  >(`
    connection_reset 0,connection_reset 0,connection_reset | empty_response 0,empty_response 0,empty_response
    truncated_body 0,truncated_body 0,empty_response | malformed_body 200,malformed_body 0,empty_response | hang 0,hang 0,hang
  `)) {
    const { play, world } = await playing([{ on: '*', fault, when: 'after' }])
    const answers = [await play(GET), await play(DELETE)].map(
      ({ status, fault }) => `${status},${fault}`
    )
    t.strictSame(answers, [seen, seenOfNothing], fault)
    for (const { outcome } of world.evidence.journal.requests())
      t.strictSame([outcome.name, outcome.isDelivered], ['lost_after', false])
  }
})

t.test('a player waits for nothing: time passes when all requests wait', async t => {
  const script = [
    { on: 'GET /tickets/{id}', calls: 1, delay: '10m', respond: { body: 'late' } },
    { on: 'GET /tickets/{id}', hold: { until: 2, for: '5m' } },
    { on: 'DELETE /accounts/{account_id}/users/{user_id}', hold: { gate: 'a' } }
  ]
  for (const clock of [NOW, { now: NOW }]) {
    const { play, world } = await playing(script, clock)
    const order: unknown[] = []
    const sent = [GET, GET, DELETE].map(async (call, nth) => {
      const { body, fault } = await play(call)
      order.push([nth, fault ?? (body === 'late' ? body : 'read')])
    })
    await Promise.all(sent)

    t.equal(order.join(), '1,read,0,late,2,hang')
    t.strictSame(
      world.script.listed().map(({ applied }) => applied),
      [1, 0, 1],
      'a hold that timed out was not applied'
    )
    t.equal(world.clock.now() - Date.parse(NOW) >= 600_000, clock !== NOW, 'a frozen clock stays')
  }
})
