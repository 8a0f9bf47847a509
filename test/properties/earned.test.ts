/** What a refused call earns: the rules of the way in at most, and the break of the one rule that its error names. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import t from 'tap'
import { apiCall, RECORDS } from '../support/calls.js'
import { startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { property } from '../support/property.js'

const WAY_IN = ['BASE-1', 'AUTH-1', 'AUTH-3', 'FORM-1', 'FORM-2', 'FORM-3']
/** The documented abort of a disabled delete keeps its rule. */
const DISABLED = ['LOC-4', 'ACC-5']

t.test('through the API', async t => {
  const { inject, control } = await startTestEmulator(t, { records: RECORDS, logged: false })
  let refused = 0

  await property(
    t,
    'a refused call earns rules of the way in alone, and breaks the rule that its error names',
    { of: apiCall, runs: 600 },
    async ({ on, body, headers }) => {
      equal((await control('POST /reset')).status, 200)
      const [method, url] = on.split(' ') as ['POST', string]

      const answer = await inject({ method, url: `/next${url}`, headers, ...(body !== undefined && { payload: body }) })

      const { rules } = (await control(`GET /requests/${answer.headers['request-id']}`)).body.why as { rules: { rule: string; verdict: string }[] }
      const coverage = (await control('GET /coverage')).body.rules
        .filter(({ satisfied, violated }: Json) => satisfied + violated > 0)
        .map(({ rule, satisfied, violated }: Json) => [rule, satisfied, violated])
      const named = (verdict: string) => rules.filter(row => row.verdict === verdict).map(({ rule }) => rule)
      equal(new Set(rules.map(({ rule }) => rule)).size, rules.length, 'why names a rule once')
      deepEqual(
        new Map(coverage.map(([rule, ...counts]: Json) => [rule, counts])),
        new Map(rules.map(({ rule, verdict }) => [rule, verdict === 'kept' ? [1, 0] : [0, 1]]))
      )
      if (answer.status < 400) return deepEqual(named('broken'), [])

      refused++
      const { rule } = answer.body.error
      if (DISABLED.includes(rule)) return deepEqual([named('kept').includes(rule), named('broken')], [true, []])
      deepEqual(named('broken'), rule === undefined ? [] : [rule])
      ok(
        named('kept').every(id => WAY_IN.includes(id)),
        named('kept').join()
      )
    }
  )

  const isShort = process.env.FAST_CHECK_RUNS !== undefined && 'the number of runs was given'
  await t.test('among the calls that were made up many were refused', { skip: isShort }, async t => t.ok(refused > 200, `${refused} refused`))
})
