/** Retired words of expectations: each is refused with a replacement that works. */
import t from 'tap'
import { RETIRED_NAMES } from '../../../src/core/retired.js'
import { smallFixture, startTestEmulator } from '../../support/emulator.js'
import { codesIn, lookedAt } from '../../support/first-state.js'

const [on, list] = ['POST /refunds', 'GET /refunds']
const ofRefunds = (wanted: object) => ({ state: { refunds: wanted } })
const { calls, sequence, state } = RETIRED_NAMES

t.test('expect: a retired word is refused with its replacement', async t => {
  const { control } = await startTestEmulator(t, { scenario: { data: smallFixture() } })
  const cases: [old: object, path: string, advice: string, instead: object][] = [
    [{ on, at_least: 2 }, 'at_least', calls.at_least, { on, times: '2+' }],
    [{ on, at_most: 2 }, 'at_most', calls.at_most, { on, times: '0-2' }],
    [
      { sequence: [{ on }, { on: list }], same: 'transaction' },
      'same',
      sequence.same,
      { sequence: [{ on }, { on: list }], per: 'transaction' }
    ],
    [
      ofRefunds({ none: { amount: { gt: 500 } } }),
      'state.refunds.none',
      state.none,
      ofRefunds({ count: 0, where: { amount: { gt: 500 } } })
    ],
    [
      ofRefunds({ group_by: 'transaction', count: { lte: 1 } }),
      'state.refunds.group_by',
      state.group_by,
      ofRefunds({ count: { lte: 1 }, where: { transaction: { payment_type: 'card' } } })
    ],
    [
      ofRefunds({ every: { amount: { lte: '${record.transaction.amount}' } } }),
      'state.refunds.every.amount.lte',
      RETIRED_NAMES.record,
      ofRefunds({ every: { amount: { lte: 5000 } } })
    ]
  ]
  for (const [old, path, advice, instead] of cases) {
    const { problems } = await lookedAt(JSON.stringify({ expect: [old] }))
    t.strictSame(
      problems.map(({ path }) => path),
      [`expect[0].${path}`]
    )
    const { status, body } = await control('POST /verify', old)
    t.strictSame([status, body.error.problems.length], [400, 1], path)
    for (const { message } of [...problems, ...body.error.problems])
      t.ok(message.endsWith(`; write ${advice}`), message)
    t.strictSame(await codesIn({ expect: [instead] }), [], `${path}: what is written instead`)
    t.not((await control('POST /verify', instead)).status, 400)
  }
})
