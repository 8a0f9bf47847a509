import t from 'tap'
import { playOver } from '../../src/cli/check/service-calls.js'
import { type Cause, causeOf, type Differing } from '../../src/cli/drift/causes.js'
import { answerDifferences, type FieldDifference } from '../../src/cli/drift/compare.js'
import type { JudgedAnswer } from '../../src/cli/drift/emulated.js'
import { IdPairs } from '../../src/cli/drift/id-pairs.js'
import { RecordsThere } from '../../src/cli/drift/records-there.js'
import { serviceState } from '../../src/cli/drift/service-state.js'
import type { OperationId } from '../../src/reference/operations.js'
import type { Json, StepCall } from '../../src/scenario/steps.js'
import { judgedRequest } from '../support/judged-request.js'

const CALL: StepCall = { method: 'GET', path: '/tickets', query: '', key: null, form: null }
const KNOWN = { isKnown: (id: string) => id.startsWith('tkt_'), isLoaded: () => false }
const judgedAs = (operation: OperationId | null, body: Json, status = 200) =>
  ({ answer: { status, body }, judged: judgedRequest({ operation }) }) as JudgedAnswer

type Bodies = { there: Json; here: Json; status?: number; call?: Partial<StepCall> }

/** The causes of all that differs between two answers. */
function causes(operation: OperationId | null, { there, here, status = 200, call }: Bodies): Cause[] {
  const pairs = new IdPairs(KNOWN)
  const differing = {
    call: { ...CALL, ...call },
    there: { status, body: there },
    here: judgedAs(operation, here),
    pairs,
    recordsThere: new RecordsThere(),
    isKnown: KNOWN.isKnown
  }
  const differences: FieldDifference[] = answerDifferences(differing.there, differing.here.answer, { pairs, bases: { here: '', there: '' }, isCreate: false })
  return differences.map(difference => causeOf(difference, { ...differing, differences } satisfies Differing))
}

const DATA: Cause = { by: 'data' }
const page = (ids: readonly (string | null)[], has_more = false) => ({ has_more, data: ids.map(id => id && { id }) })

t.test('drift: the cause of a difference', async t => {
  const cases: [title: string, operation: OperationId | null, bodies: Bodies, causes: Cause[]][] = [
    ['a call of no operation', null, { there: { a: 1 }, here: { a: 2 } }, [DATA]],
    ['a refusal by a rule of another operation', 'createRefund', { there: { error: { rule: 'LOC-4' } }, here: {}, status: 409 }, [DATA]],
    ['other records of a whole list, which nothing filters', 'listTickets', { there: page(['tkt_b']), here: page(['tkt_a']) }, [DATA]],
    [
      'other records after one',
      'listTickets',
      { there: page(['tkt_b']), here: page(['tkt_a']), call: { query: 'location=loc_a&starting_after=tkt_0' } },
      [DATA]
    ],
    [
      'other records before one',
      'listTickets',
      { there: page(['tkt_b']), here: page(['tkt_a']), call: { query: 'location=loc_a&ending_before=tkt_0' } },
      [DATA]
    ],
    ['no more at a service whose data is no list', 'listTickets', { there: { has_more: false, data: null }, here: page(['tkt_a'], true) }, [DATA, DATA]],
    ['a list with null in it', 'listTickets', { there: page([null, null]), here: page(['tkt_a']) }, [DATA, DATA]],
    [
      'an unknown field of a Refund in a Transaction',
      'readTransaction',
      { there: { refunds: { data: [{ id: 'tkt_r', x: 1 }] } }, here: { refunds: { data: [{ id: 'tkt_r' }] } } },
      [{ by: 'field', family: 'refunds', field: 'refunds.data.x', isTop: false }]
    ],
    ['an update that sends nothing', 'updateLocation', { there: { phone: '1' }, here: { phone: null } }, [{ by: 'rule', rules: ['UPD-1'] }]]
  ]
  for (const [title, operation, bodies, wanted] of cases) t.strictSame(causes(operation, bodies), wanted, title)
})

t.test('drift: members of a list without an id are compared by their fields', async t => {
  const comparison = { pairs: new IdPairs(KNOWN), bases: { here: '', there: '' }, isCreate: false }
  const difference = answerDifferences({ status: 200, body: [{ id: 1 }, 'a'] }, { status: 200, body: [{ id: 2 }, 'a'] }, comparison)

  t.strictSame(difference, [{ kind: 'value', steps: [0, 'id'], here: 2, there: 1 }])
})

t.test('drift: a list whose records have no ids is read as far as its first page', async t => {
  for (const data of [[], [{ name: 'a' }], [{ id: null }]]) {
    const { unread, calls } = await serviceState(
      { refunds: { count: 1 } },
      { play: async () => ({ status: 200, body: { data, has_more: true } }), key: null, pairs: new IdPairs(KNOWN), accountOf: () => undefined }
    )

    t.strictSame([unread, calls], [[], 1])
  }
})

t.test('check: why a call that was never sent has no answer', async t => {
  const cases: [base: string, method: string, message: string][] = [
    ['http://127.0.0.1:1', 'GET', 'no answer came: bad port'],
    ['http://127.0.0.1:1', 'TRACE', "no answer came: 'TRACE' HTTP method is unsupported."],
    ['http://:', 'GET', 'no answer came: ERR_INVALID_URL']
  ]
  for (const [base, method, message] of cases) {
    const answer = await playOver(base, {})({ ...CALL, method }, undefined as never)
    t.strictSame(answer, { status: 0, body: { error: { message } }, fault: null })
  }
})
