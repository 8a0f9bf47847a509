import t from 'tap'
import { Coverage, Metrics, Uses } from '../../src/evidence/totals.js'
import type { RuleId } from '../../src/reference/rules.js'
import { NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { type Given, judgedRequest, judgement } from '../support/judged-request.js'

const outcomesOf = (report: Json, rule: RuleId) => {
  const { passed, violated } = report.rules.find((row: { rule: RuleId }) => row.rule === rule)
  return [passed, violated]
}

t.test('totals: a reset and a load clear those of the sandbox, not of the run', async t => {
  const { call, control } = await startTestEmulator(t)
  const seen = async () =>
    Promise.all(
      ['', '?scope=sandbox', '?scope=run'].map(
        async scope => (await control(`GET /coverage${scope}`)).body.seen
      )
    )
  const relied = async (scope: string) => {
    const { times, requests } = (await control(`GET /assumptions${scope}`)).body.data.find(
      ({ id }: Json) => id === 'A09'
    )
    return [times, requests.length]
  }
  for (let time = 0; time < 22; time++) await call('GET /tickets')
  const [once] = await seen()
  t.strictSame([once > 0, await relied('')], [true, [22, 20]])

  await control('POST /reset')
  t.strictSame([...(await relied('')), ...(await relied('?scope=run'))], [0, 0, 22, 20])
  await call('GET /tickets/tkt_a')
  t.strictSame(await seen(), [3, 3, once])
  await control('POST /load', { scenario: { clock: NOW, data: smallFixture() } })
  t.strictSame(await seen(), [0, 0, once])
  t.strictSame(outcomesOf((await control('GET /coverage?scope=run')).body, 'AUTH-1'), [23, 0])

  await call('GET /tickets/tkt_a')
  t.equal((await control('DELETE /coverage')).status, 204)
  t.strictSame(await seen(), [0, 0, once])
  await control('DELETE /coverage?scope=run')
  t.strictSame(await seen(), [0, 0, 0])
})

t.test('coverage: a request counts once for each rule that it passed', t => {
  const one = new Coverage()
  one.add(judgement(['FORM-2'], 'META-1'))
  one.add(judgement(['FORM-2']))

  const report = one.report()
  t.strictSame([...outcomesOf(report, 'FORM-2'), ...outcomesOf(report, 'META-1')], [2, 0, 0, 1])
  t.strictSame(
    [
      report.seen,
      report.possible,
      report.percent,
      report.never_violated,
      report.never_exercised.length
    ],
    [2, 91, 2.1, ['FORM-2'], 56]
  )
  one.clear()
  t.equal(one.report().seen, 0)
  t.end()
})

t.test('uses: each is counted with the first twenty requests', t => {
  const uses = new Uses<'A14' | 'A20' | 'A26'>()
  for (let call = 1; call <= 30; call++) {
    uses.add('A20', [`req_${call}`])
    if (call % 2 === 1) uses.add('A26', [`req_${call}`])
  }

  t.strictSame(uses.get('A20'), {
    times: 30,
    requests: Array.from({ length: 20 }, (_, index) => `req_${index + 1}`)
  })
  t.strictSame(uses.get('A26'), {
    times: 15,
    requests: Array.from({ length: 15 }, (_, index) => `req_${index * 2 + 1}`)
  })
  t.strictSame(
    [uses.get('A14'), uses.used(['A26', 'A14', 'A20'])],
    [{ times: 0, requests: [] }, ['A26', 'A20']],
    'in the order of the keys'
  )
  t.end()
})

t.test('metrics: requests are counted by operation and status, their time is added up', t => {
  const metrics = new Metrics()
  const requests: Given[] = [
    { ms: 1 },
    { ms: 20_000 },
    { status: 400, ms: 1.1 },
    { operation: null, status: 404, ms: 3 }
  ]

  for (const given of requests) metrics.add(judgedRequest(given))

  const statuses = [...metrics.operations].map(([name, { statuses }]) => [
    name,
    Object.fromEntries(statuses)
  ])
  t.strictSame(Object.fromEntries(statuses), { listTickets: { 200: 2, 400: 1 }, none: { 404: 1 } })
  t.strictSame(
    ['listTickets', 'none'].map(name => metrics.operations.get(name as 'none')?.ms),
    [20_002.1, 3]
  )
  t.equal(metrics.total, 4)
  t.end()
})
