/** Many sandboxes at once: nothing of one is ever seen in another. */
import t from 'tap'
import { type Emulator, isLong, startProcess } from './support/emulator.js'

const [SANDBOXES, MILLISECONDS] = isLong ? [64, 30_000] : [8, 2000]
const MINUTE = 60_000

/** What a worker has seen: the ids of its Locations in order, and whatever was not its own. */
type Seen = { name: string; ids: string[]; rounds: number; foreign: string[] }

/** Drives one sandbox whose clock, script and records carry its own number. */
async function drive({ call, control }: Emulator, nth: number, until: number): Promise<Seen> {
  const name = `worker-${nth}`
  const now = new Date(Date.parse('2026-01-01T00:00:00Z') + nth * MINUTE).toISOString()
  const seen: Seen = { name, ids: [], rounds: 0, foreign: [] }
  const check = (isOwn: boolean, what: string) => isOwn || seen.foreign.push(`${name}: ${what}`)
  await control(name, 'POST /load', { scenario: 'bistro' })
  await control(name, 'PUT /clock', { now, running: false })
  await control(name, 'POST /script', { on: 'GET /accounts', respond: { status: 200, body: { worker: name } } })
  while (Date.now() < until) {
    seen.rounds++
    const { body: location } = await call(name, 'POST /locations', { display_name: name, 'address[country]': 'US', 'metadata[worker]': name })
    seen.ids.push(location.id)
    check(location.created === now, `a clock that says ${location.created}`)
    const { body: payment } = await call(name, 'POST /transactions', { ticket: 'tkt_60', payment_type: 'external', amount: 1000 })
    const { body: refund } = await call(name, 'POST /refunds', { transaction: payment.id, amount: nth + 1, 'metadata[worker]': name })
    check(refund.amount === nth + 1, `a refund ${JSON.stringify(refund)}`)
    const { body: locations } = await call(name, 'GET /locations?limit=10')
    for (const one of locations.data) if (one.metadata.worker !== undefined) check(one.metadata.worker === name, `a Location of ${one.metadata.worker}`)
    check(locations.data[0]?.id === location.id && locations.url === `/sandbox/${name}/next/locations`, `the list ${locations.url}`)
    const { body: refunds } = await call(name, `GET /refunds?transaction=${payment.id}`)
    check(refunds.data.length === 1 && refunds.data[0].id === refund.id, `${refunds.data.length} refunds of one payment`)
    const { body: scripted } = await call(name, 'GET /accounts')
    check(scripted.worker === name, `the script of ${scripted.worker}`)
    const { body: journal } = await control(name, 'GET /requests?limit=20')
    for (const { body } of journal.data) if (body.metadata) check(body.metadata.worker === name, `a call of ${body.metadata.worker}`)
  }
  return seen
}

t.test(`${SANDBOXES} sandboxes for ${MILLISECONDS / 1000} s: no record is ever seen in another's world`, { timeout: MILLISECONDS + 90_000 }, async t => {
  const emulator = await startProcess(t)
  const until = Date.now() + MILLISECONDS

  const seen = await Promise.all(Array.from({ length: SANDBOXES }, (_, nth) => drive(emulator, nth, until)))
  t.strictSame(
    seen.flatMap(({ foreign }) => foreign),
    []
  )
  const longest = seen.reduce((most, one) => (one.ids.length > most.ids.length ? one : most))
  for (const { name, ids } of seen) t.strictSame(ids, longest.ids.slice(0, ids.length), `${name} draws the ids that every world draws`)
  const calls = seen.reduce((sum, { rounds }) => sum + rounds, 0) * 7
  t.comment(`${calls} calls of the API`)
  t.equal((await emulator.control('worker-0', 'GET /sandboxes')).body.data.length, SANDBOXES)
  t.equal(await emulator.end('SIGTERM'), 0)
})
