import t from 'tap'
import { AssumptionUsage } from '../../src/evidence/totals.js'
import { startTestEmulator } from '../support/emulator.js'
import { judgement } from '../support/judged-request.js'

t.test('assumptions: each is counted with the first twenty calls whose answers relied on it', t => {
  const usage = new AssumptionUsage()
  for (let call = 1; call <= 30; call++) usage.add(judgement([], null, call % 2 === 0 ? ['A20'] : ['A26', 'A20']), `req_${call}`)

  t.strictSame(usage.get('A20'), { times: 30, requests: Array.from({ length: 20 }, (_, index) => `req_${index + 1}`) })
  t.strictSame(usage.get('A26'), { times: 15, requests: Array.from({ length: 15 }, (_, index) => `req_${index * 2 + 1}`) })
  t.strictSame(usage.get('A14'), { times: 0, requests: [] })
  t.strictSame(usage.ids(), ['A20', 'A26'], 'in the order of the ledger')
  t.end()
})

t.test('assumptions: they are counted of the sandbox and of the run', async t => {
  const { call, control } = await startTestEmulator(t)
  const times = async (wanted: string, scope = '') => {
    const { data } = (await control(`GET /assumptions${scope}`)).body
    const { times, requests } = data.find(({ id }: { id: string }) => id === wanted)
    return [times, requests.length]
  }

  for (let time = 0; time < 22; time++) await call('GET /tickets')
  const before = await times('A09')
  await control('POST /reset')

  t.strictSame([before, await times('A09'), await times('A09', '?scope=run')].flat(), [22, 20, 0, 0, 22, 20])
})
