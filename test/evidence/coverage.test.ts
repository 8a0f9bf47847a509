import t from 'tap'
import { Coverage, mergedReports } from '../../src/evidence/coverage.js'
import { coverageJunit, coverageText } from '../../src/evidence/reports.js'
import { RULES, type RuleId } from '../../src/reference/rules.js'
import { NOW, RESELLER, startTestEmulator, world } from '../support/emulator.js'
import { courseOf } from '../support/judged.js'

type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
/** A call: a method and a path, with a body, a query, a key or headers. */
type Call = [on: string, options?: Parameters<Emulator['call']>[1]]

const charge = (id: string, amount: number) => ({ id, ticket: 'tkt_a', payment_type: 'card', amount })
const RECORDS = {
  users: [
    { id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' },
    { id: 'usr_b', account: 'mch_a', name: 'V', email: 'v@example.com' }
  ],
  transactions: [charge('txn_a', 100_000), charge('txn_whole', 500), charge('txn_spent', 100)],
  refunds: [
    { id: 'rfd_a', transaction: 'txn_a', amount: 1 },
    { id: 'rfd_spent', transaction: 'txn_spent', amount: 100 }
  ]
}
const LOCATION = { display_name: 'L', 'address[country]': 'US' }
const ACCOUNT = { type: 'merchant', name: 'N', email: 'n@example.com', 'address[country]': 'US' }
const USER = { name: 'U', email: 'u@example.com' }
const PAYMENT = { ticket: 'tkt_a', payment_type: 'card' }
const location = (body: object): Call => ['POST /locations', { body: { ...LOCATION, ...body } }]
const account = (body: object): Call => ['POST /accounts', { body: { ...ACCOUNT, ...body } }]
const user = (body: object): Call => ['POST /accounts/mch_a/users', { body: { ...USER, ...body } }]
const payment = (body: object): Call => ['POST /transactions', { body: { ...PAYMENT, ...body }, key: null }]
const refund = (body: object): Call => ['POST /refunds', { body: { transaction: 'txn_a', amount: 1, ...body } }]
const tickets = (query: string): Call => ['GET /tickets', { query }]
const without = (table: object, name: string) => Object.fromEntries(Object.entries(table).filter(([key]) => key !== name))

/** A call that keeps each rule and, where a call can break it, one that does. */
const CALLS: Record<RuleId, [keeps: Call, breaks?: Call]> = {
  'FORM-1': [payment({}), ['POST /transactions', { body: '{"ticket":"tkt_a"}', headers: { 'content-type': 'application/json' } }]],
  'FORM-2': [payment({ 'customer[name]': 'Ana' }), payment({ customer: 'Ana' })],
  'FORM-3': [tickets('limit=5'), ['GET /tickets', { body: 'limit=5' }]],
  'AUTH-1': [tickets(''), ['GET /tickets', { headers: { authorization: 'Bearer sk_merchant' } }]],
  'AUTH-2': [payment({})],
  'AUTH-3': [tickets(''), ['GET /tickets', { key: null }]],
  'BASE-1': [tickets(''), ['GET /../tickets']],
  'ADDR-1': [location({ 'address[city]': 'Boston' }), location({ 'address[city][name]': 'Boston' })],
  'ADDR-2': [location({}), location({ 'address[country]': 'XX' })],
  'META-1': [location({ 'metadata[a]': 'b' }), location({ metadata: 'b' })],
  'META-2': [['POST /locations/loc_a', { body: { 'metadata[a]': '' } }]],
  'META-3': [['POST /locations/loc_a', { body: { metadata: '' } }]],
  'UPD-1': [['POST /locations/loc_a', { body: { phone: '1' } }]],
  'UPD-2': [['POST /locations/loc_a', { body: { phone: '' } }]],
  'LIST-1': [tickets('')],
  'LIST-2': [tickets('')],
  'LIST-3': [tickets('limit=5'), tickets('limit=five')],
  'FILT-1': [tickets('created[gte]=2026-01-01'), tickets('created[gte]=yesterday')],
  'FILT-2': [tickets('created[gt]=2026-01-01'), tickets('created[gt]=yesterday')],
  'FILT-3': [tickets('created[lte]=2026-01-01'), tickets('created[lte]=yesterday')],
  'FILT-4': [tickets('created[lt]=2026-01-01'), tickets('created[lt]=yesterday')],
  'FILT-5': [tickets('location=loc_a')],
  'FILT-6': [tickets('location=loc_a')],
  'SRCH-1': [tickets('search_query=T')],
  'SRCH-2': [['GET /transactions', { query: 'search_query=4242' }]],
  'SRCH-3': [tickets('search_query=T')],
  'LOC-1': [location({}), location({ display_name: '' })],
  'LOC-2': [location({}), location({ 'address[country]': '' })],
  'LOC-3': [location({}), ['POST /locations', { body: LOCATION, key: RESELLER }]],
  'LOC-4': [['DELETE /locations/loc_a']],
  'ACC-1': [account({}), account({ type: 'person' })],
  'ACC-2': [account({}), account({ name: '' })],
  'ACC-3': [account({}), account({ email: '' })],
  'ACC-4': [account({}), ['POST /accounts', { body: without(ACCOUNT, 'address[country]') }]],
  'ACC-5': [['DELETE /accounts/mch_a']],
  'USR-1': [user({}), ['POST /accounts/mch_none/users', { body: USER }]],
  'USR-2': [user({}), user({ name: '' })],
  'USR-3': [user({}), user({ email: 'nobody' })],
  'USR-4': [['DELETE /accounts/mch_a/users/usr_a']],
  'TKT-1': [['GET /tickets/tkt_a'], ['POST /tickets', { body: 'reference=T-2' }]],
  'TXN-1': [payment({}), payment({ ticket: 'tkt_none' })],
  'TXN-2': [payment({}), payment({ payment_type: 'cash' })],
  'TXN-3': [payment({ payment_type: 'vip', 'customer[phone]': '1' }), payment({ payment_type: 'vip' })],
  'TXN-4': [payment({ payment_type: 'apple_pay', 'customer[email]': 'a@example.com' }), payment({ payment_type: 'apple_pay' })],
  'TXN-5': [payment({ 'bank_account[bank_name]': 'B' })],
  'TXN-6': [payment({ currency: 'eur' }), payment({ currency: 'EUR' })],
  'TXN-7': [payment({ amount: 100 }), payment({ amount: '1.00' })],
  'TXN-8': [['GET /transactions/txn_a']],
  'REF-1': [refund({}), refund({ transaction: 'txn_none' })],
  'REF-2': [refund({})],
  'REF-3': [refund({}), refund({ amount: 0 })],
  'REF-4': [['POST /refunds', { body: { transaction: 'txn_whole' } }]],
  'REF-5': [refund({})],
  'REF-6': [refund({}), refund({ transaction: 'txn_spent' })],
  'REF-7': [refund({}), refund({ amount: 900_000 })],
  'REF-8': [refund({})],
  'REF-9': [
    ['POST /refunds/rfd_a', { body: { 'metadata[a]': 'b' } }],
    ['POST /refunds/rfd_a', { body: { amount: 2 } }]
  ],
  'REF-10': [['GET /refunds', { query: 'transaction=txn_a' }]]
}
const RULE_IDS = Object.keys(RULES) as RuleId[]

type Outcomes = { satisfied: number; violated: number }
const outcomesOf = (report: any, rule: RuleId): Outcomes => {
  const { satisfied, violated } = report.rules.find((row: any) => row.rule === rule)
  return { satisfied, violated }
}

t.test('coverage: every rule is kept and, where a call can, broken by a call; each counts once, and together they reach every outcome', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const { call, control, inject } = emulator
  const make = ([on, options]: Call) => (on === 'GET /../tickets' ? inject({ method: 'GET', url: '/tickets' }) : call(on, options))
  const report = async () => (await control('GET /coverage')).body
  t.strictSame(Object.keys(CALLS), RULE_IDS)
  const empty = await report()
  t.strictSame([empty.seen, empty.possible, empty.percent, empty.never_exercised.length], [0, 94, 0, 58])

  for (const rule of RULE_IDS) {
    const [keeps, breaks] = CALLS[rule]
    t.equal(breaks !== undefined, RULES[rule].violable, `${rule} has a call that breaks it where one can`)
    const before = outcomesOf(await report(), rule)

    const { status } = await make(keeps)
    const kept = outcomesOf(await report(), rule)
    const refused = breaks && (await make(breaks))
    const broken = outcomesOf(await report(), rule)

    t.ok(status < 300 || ['LOC-4', 'ACC-5'].includes(rule), `${rule} is kept by a call that succeeds`)
    t.strictSame(kept, { satisfied: before.satisfied + 1, violated: before.violated }, `${rule} is satisfied once`)
    if (refused) {
      t.equal(refused.body.error.rule, rule)
      t.strictSame(broken, { satisfied: kept.satisfied, violated: kept.violated + 1 }, `${rule} is violated once`)
    }
  }

  const whole = await report()
  t.strictSame([whole.seen, whole.possible, whole.percent, whole.never_exercised, whole.never_violated], [94, 94, 100, [], []])
  const text = (await control('GET /coverage?format=text')).text
  t.ok(text.includes('94 of 94 outcomes seen: 100 %'))
  t.notOk(/never (exercised|violated)/.test(text))
  const junit = (await control('GET /coverage?format=junit')).text
  t.ok(junit.includes('<testsuite name="rule coverage" tests="94" failures="0" skipped="0">'))
  t.notOk(junit.includes('<skipped/>'))
})

t.test('coverage: reset and load clear the coverage of the sandbox, not of the run', async t => {
  const { call, control } = await startTestEmulator(t)
  const seen = async (scope: string) => (await control(`GET /coverage${scope}`)).body.seen

  await call('GET /tickets')
  const once = await seen('')
  await control('POST /reset')
  await call('GET /tickets/tkt_a')
  const afterReset = [await seen(''), await seen('?scope=sandbox'), await seen('?scope=run')]
  await control('POST /load', { scenario: { clock: NOW, data: world() } })

  t.ok(once > 0)
  t.strictSame(afterReset, [4, 4, once + 1])
  t.strictSame([await seen(''), await seen('?scope=run')], [0, once + 1])
  const run = outcomesOf((await control('GET /coverage?scope=run')).body, 'AUTH-1')
  t.strictSame(run, { satisfied: 2, violated: 0 })
})

t.test('coverage: coverage can be cleared, of the sandbox or of the run', async t => {
  const { call, control } = await startTestEmulator(t)
  const seen = async () => Promise.all(['', '?scope=run'].map(async scope => (await control(`GET /coverage${scope}`)).body.seen > 0))
  await call('GET /tickets')

  const { status } = await control('DELETE /coverage')
  const sandboxCleared = await seen()
  await control('DELETE /coverage?scope=run')

  t.equal(status, 204)
  t.strictSame(sandboxCleared, [false, true])
  t.strictSame(await seen(), [false, false])
})

t.test('coverage: a call counts once for a rule, as broken when any judgement says so', t => {
  const coverage = new Coverage()

  coverage.count(
    courseOf(
      { rule: 'FORM-2', held: true },
      { rule: 'FORM-2', held: true },
      { rule: 'META-1', held: true },
      { rule: 'META-1', held: false },
      { rule: 'META-1', held: false }
    )
  )
  coverage.count(courseOf({ rule: 'FORM-2', held: true }))
  const report = coverage.report()

  t.strictSame(outcomesOf(report, 'FORM-2'), { satisfied: 2, violated: 0 })
  t.strictSame(outcomesOf(report, 'META-1'), { satisfied: 0, violated: 1 })
  t.strictSame([report.seen, report.possible, report.percent], [2, 94, 2.1])
  t.strictSame(report.never_violated, ['FORM-2'])
  t.equal(report.never_exercised.length, 56)
  t.end()
})

t.test('coverage: a rule that was broken and kept after that counts as broken', t => {
  const coverage = new Coverage()

  coverage.count(courseOf({ rule: 'FORM-2', held: false }, { rule: 'FORM-2', held: true }))

  t.strictSame(outcomesOf(coverage.report(), 'FORM-2'), { satisfied: 0, violated: 1 })
  t.end()
})

t.test('coverage: calls that are judged alike are counted as one by one, in however many ways calls are judged', t => {
  const coverage = new Coverage()
  const optional = ['FORM-1', 'FORM-2', 'FORM-3', 'META-1', 'META-2', 'META-3', 'UPD-1', 'UPD-2', 'LIST-1', 'LIST-2', 'FILT-6'] as const
  const ways = Array.from({ length: 2 ** optional.length }, (_, way) => optional.filter((_, bit) => (way & (1 << bit)) !== 0))
  for (const way of ways) for (let call = 0; call < 3; call++) coverage.count(courseOf(...way.map(rule => ({ rule, held: rule !== 'FORM-2' }))))

  const report = coverage.report()
  coverage.count(courseOf({ rule: 'FORM-1', held: true }))

  for (const rule of optional)
    t.strictSame(outcomesOf(report, rule), rule === 'FORM-2' ? { satisfied: 0, violated: 3072 } : { satisfied: 3072, violated: 0 }, rule)
  t.equal(report.seen, optional.length)
  t.strictSame(outcomesOf(coverage.report(), 'FORM-1'), { satisfied: 3073, violated: 0 }, 'also after it was reported')
  coverage.clear()
  t.equal(coverage.report().seen, 0)
  t.end()
})

t.test('coverage: several runs are added up', t => {
  const [one, other] = [new Coverage(), new Coverage()]
  one.count(courseOf({ rule: 'REF-6', held: true }))
  other.count(courseOf({ rule: 'REF-6', held: false }))
  other.count(courseOf({ rule: 'REF-4', held: true }))

  const report = mergedReports([one.report(), { rules: other.report().rules.slice(0, 57) }, { rules: [] }])

  t.strictSame(outcomesOf(report, 'REF-6'), { satisfied: 1, violated: 1 })
  t.strictSame(outcomesOf(report, 'REF-4'), { satisfied: 1, violated: 0 })
  t.equal(report.seen, 3)
  t.strictSame(mergedReports([]).seen, 0)
  t.end()
})

t.test('coverage: never exercised and never violated stand out in text, and what was not seen is skipped in JUnit', t => {
  const coverage = new Coverage()
  coverage.count(courseOf({ rule: 'REF-7', held: true }, { rule: 'REF-4', held: true }))

  const lines = coverageText(coverage.report()).split('\n')
  const junit = coverageJunit(coverage.report())

  t.equal(lines[0], 'rule     satisfied  violated')
  t.ok(lines.includes('REF-7            1         0  a Refund above the remainder is an error'))
  t.ok(lines.includes('REF-4            1         –  without amount the whole remainder is refunded'))
  t.ok(lines.includes('2 of 94 outcomes seen: 2.1 %'))
  t.ok(lines.find(line => line.startsWith('never exercised: FORM-1, FORM-2, ')))
  t.ok(lines.includes('never violated: REF-7'))
  t.equal(junit.match(/<testcase /g)?.length, 94)
  t.equal(junit.match(/<skipped\/>/g)?.length, 92)
  t.ok(junit.includes('<testcase classname="REF-7" name="satisfied: a Refund above the remainder is an error"></testcase>'))
  t.ok(junit.includes('<testcase classname="REF-7" name="violated: a Refund above the remainder is an error"><skipped/></testcase>'))
  t.notOk(junit.includes('classname="REF-4" name="violated'))
  t.end()
})
