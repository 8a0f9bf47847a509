import t from 'tap'
import { playOver } from '../../src/cli/check/service-calls.js'
import { answerDifferences, IdPairs } from '../../src/cli/drift/compare.js'
import { serviceState } from '../../src/cli/drift/service-state.js'
import { SAYS } from '../../src/cli/sentences.js'
import { settingsInForce } from '../../src/core/settings.js'
import { LIST_TEMPLATE } from '../../src/core/templates.js'
import type { Json, StepCall } from '../../src/scenario/steps.js'

const CALL: StepCall = { method: 'GET', path: '/tickets', query: '', key: null, form: null }
const HEADERS = { 'content-type': 'application/json' }
const KNOWN = { isKnown: (id: string) => id.startsWith('tkt_'), isLoaded: () => false }
const comparison = () => ({ pairs: new IdPairs(KNOWN), bases: { here: '', there: '' }, isEarlier: () => false, shapes: { list: LIST_TEMPLATE, error: {} } })

t.test('drift: members of a list without an id are compared by their fields', async t => {
  const of = (id: number) => ({ status: 200, body: [{ id }, 'a'], headers: HEADERS })
  const difference = answerDifferences(of(1), of(2), comparison())

  t.strictSame(difference, [{ kind: 'value', steps: [0, 'id'], here: 2, there: 1 }])
})

t.test('drift: a list whose records have no ids is read as far as its first page', async t => {
  for (const data of [[], [{ name: 'a' }], [{ id: null }]]) {
    let calls = 0
    const play = async () => {
      calls++
      return { status: 200, body: { data, has_more: true }, headers: HEADERS }
    }
    const reading = { play, key: null, pairs: new IdPairs(KNOWN), settings: settingsInForce({}).values, accountOf: () => undefined }
    const { unread } = await serviceState({ refunds: { count: 1 } }, reading)

    t.strictSame([unread, calls], [[], 1])
  }
})

t.test('check: why a call that was never sent has no answer', async t => {
  const cases: [base: string, method: string, message: string][] = [
    ['http://127.0.0.1:1', 'GET', SAYS.no_response('bad port')],
    ['http://127.0.0.1:1', 'TRACE', SAYS.no_response("'TRACE' HTTP method is unsupported.")],
    ['http://:', 'GET', SAYS.no_response('ERR_INVALID_URL')]
  ]
  for (const [base, method, message] of cases) {
    const answer = await playOver(base, { maxBytes: 1_000_000, timeout: 30_000 })({ ...CALL, method }, undefined as never)
    t.strictSame(answer, { status: 0, body: { error: { message } }, fault: null })
  }
})

t.test('drift: the texts of an error are those of its template, and nothing else is', async t => {
  const answer = (body: Json) => ({ status: 400, body, headers: HEADERS })
  const [here, there] = [answer({ oops: { text: 'a', id: 'req_1' }, message: 'a' }), answer({ oops: { text: 'b', id: 'req_2' }, message: 'b' })]
  const error = { oops: { text: '$message', id: '$request_id' }, message: 'a' }

  t.strictSame(
    answerDifferences(there, here, { ...comparison(), shapes: { list: LIST_TEMPLATE, error } }).map(({ steps }) => steps),
    [['message']]
  )
})

t.test('drift: lists of a service are read by the names and the template that the settings give', async t => {
  const settings = { ...settingsInForce({}).values, 'pagination.cursors': ['after', 'before'] as const, 'shapes.list': { rows: '$members', more: '$has_more' } }
  const queries: string[] = []
  const play = async ({ query }: { query: string }) => {
    queries.push(query)
    return { status: 200, body: { rows: [{ id: `rfd_${queries.length}` }], more: queries.length === 1 }, headers: HEADERS }
  }
  const reading = { play, key: null, pairs: new IdPairs(KNOWN), settings, accountOf: () => undefined }

  const { unread } = await serviceState({ refunds: { count: 2 } }, reading)

  t.strictSame([unread, queries.map(query => query.replace(/^.*?(&|$)/, ''))], [[], ['', 'after=rfd_1']])
})
