import t from 'tap'
import { AssumptionUsage } from '../../src/evidence/totals.js'
import { startTestEmulator } from '../support/emulator.js'
import { judgement } from '../support/judged-request.js'

type Shown = { id: string; standing: boolean; times: number; requests: string[] }

t.test('assumptions: each is counted with the first twenty calls whose answers relied on it', t => {
  const usage = new AssumptionUsage()
  for (let call = 1; call <= 30; call++) usage.add(judgement([], null, call % 2 === 0 ? ['A20'] : ['A26', 'A20']), `req_${call}`)

  t.strictSame(usage.get('A20'), { times: 30, requests: Array.from({ length: 20 }, (_, index) => `req_${index + 1}`) })
  t.strictSame(usage.get('A26'), { times: 15, requests: Array.from({ length: 15 }, (_, index) => `req_${index * 2 + 1}`) })
  t.strictSame(usage.get('A14'), { times: 0, requests: [] })
  t.strictSame(usage.ids(), ['A20', 'A26'], 'in the order of the ledger')
  t.end()
})

t.test('assumptions: those that stand behind every answer are said to, and not counted; of the sandbox and of the run', async t => {
  const { call, control } = await startTestEmulator(t)
  const shown = async (scope = ''): Promise<Shown[]> => (await control(`GET /assumptions${scope}`)).body.data
  const times = async (wanted: string, scope = '') => {
    const { times, requests } = (await shown(scope)).find(({ id }) => id === wanted) as Shown
    return [times, requests.length]
  }

  for (let time = 0; time < 22; time++) await call('GET /tickets')
  const standing = (await shown()).filter(one => one.standing)
  const before = await times('A09')
  await control('POST /reset')

  t.strictSame(
    standing.map(({ id, times, requests }) => [id, times, requests]),
    ['A01', 'A33', 'A34'].map(id => [id, 0, []])
  )
  t.strictSame(
    [before, await times('A09'), await times('A09', '?scope=run')],
    [
      [22, 20],
      [0, 0],
      [22, 20]
    ]
  )
})
