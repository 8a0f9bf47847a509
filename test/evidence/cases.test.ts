/** Every case of the table, asked of the evidence: which rules that very call kept and broke, and which assumptions its answer relies on. */
import t, { type Test } from 'tap'
import type { AssumptionId, Case, RuleId } from '../contract/case.js'
import { ASSUMPTION_CASES, RULE_CASES } from '../contract/cases.js'
import { Performance } from '../contract/performing.js'
import { type Played, startCases, wayIn } from '../support/cases.js'
import type { Answer } from '../support/emulator.js'

type Cases = Awaited<ReturnType<typeof startCases>>
type Why = { rules: { rule: RuleId; verdict: 'kept' | 'broken' }[]; assumptions: { assumption: AssumptionId }[] }
type Row = { rule: RuleId; satisfied: number; violated: number }

const RULE_IDS = Object.keys(RULE_CASES) as RuleId[]
const STANDING: readonly AssumptionId[] = ['A01', 'A33', 'A34']
const WAY_IN: readonly RuleId[] = ['BASE-1', 'AUTH-1', 'AUTH-3', 'FORM-1', 'FORM-2', 'FORM-3']
/** What is decided before an operation is run: the way in, and that POST /transactions came without a key. */
const BEFORE_THE_REST: readonly RuleId[] = [...WAY_IN, 'AUTH-2']

/** The rules in the order of the ledger, each once. */
const ordered = (rules: readonly RuleId[]) => RULE_IDS.filter(rule => rules.includes(rule))
const isRule = (by: string | undefined): by is RuleId => RULE_IDS.includes(by as RuleId)
const coverageOf = async ({ control }: Cases): Promise<Row[]> =>
  (await control('GET /coverage')).body.rules.filter(({ satisfied, violated }: Row) => satisfied + violated > 0)

/** Plays the case, nothing but its call counted; answers why the call was answered so. */
async function played(cases: Cases, each: Case): Promise<Played & { why: Why }> {
  const performance = await cases.prepared(each)
  await cases.control('DELETE /coverage')
  const done = await cases.called(performance, each)
  return { ...done, why: (await cases.control(`GET /requests/${done.answer.headers['request-id']}`)).body.why }
}

/** Which rules the call kept and broke, by the coverage of it alone and by its why, and in which order; `rule` is the one that it is to keep. */
async function checkRules(t: Test, cases: Cases, each: Case, rule?: RuleId): Promise<void> {
  const { title, blames, also = [] } = each
  const { sent, why } = await played(cases, each)
  const kept = ordered([...wayIn(each, sent), ...also, ...(rule ? [rule] : [])])
  const broken = blames && isRule(blames[3]) && !kept.includes(blames[3]) ? [blames[3]] : []
  const named = (verdict: 'kept' | 'broken') => why.rules.filter(row => row.verdict === verdict).map(row => row.rule)
  const rest = why.rules.findIndex(row => !BEFORE_THE_REST.includes(row.rule))

  t.strictSame(
    (await coverageOf(cases)).map(row => [row.rule, row.satisfied, row.violated]),
    ordered([...kept, ...broken]).map(id => (kept.includes(id) ? [id, 1, 0] : [id, 0, 1])),
    `${title}: coverage`
  )
  t.strictSame([ordered(named('kept')), named('broken'), why.rules.length], [kept, broken, kept.length + broken.length], `${title}: why, a rule once`)
  t.strictSame(
    why.rules.slice(-1).map(row => row.verdict === 'broken'),
    why.rules.length > 0 ? [broken.length > 0] : [],
    `${title}: what broke comes last`
  )
  t.notOk(
    rest >= 0 && why.rules.slice(rest).some(({ rule: later, verdict }) => verdict === 'kept' && BEFORE_THE_REST.includes(later)),
    `${title}: the way in comes first`
  )
  checkAssumptions(t, each, why)
}

/** Which assumptions the answer relies on: each once, those of the case and of any refusal among them, the standing ones not. */
function checkAssumptions(t: Test, { title, blames, relies = [], reliesNot = [] }: Case, { assumptions }: Why): void {
  const ids = assumptions.map(({ assumption }) => assumption)
  const by = blames && !isRule(blames[3]) ? [blames[3]] : []
  const needed = [...relies, ...by, ...(blames ? (['A07'] as const) : [])]
  const barred = [...reliesNot, ...(blames ? [] : (['A07', 'A08'] as const)), ...STANDING]

  t.strictSame([needed.filter(id => !ids.includes(id)), barred.filter(id => ids.includes(id))], [[], []], `${title}: missing, and too many`)
  t.equal(ids.length, new Set(ids).size, `${title}: an assumption once`)
}

t.test('the rules', async t => {
  const cases = await startCases(t)
  for (const rule of RULE_IDS) {
    const { kept, silent, broken } = RULE_CASES[rule]
    await t.test(rule, async t => {
      for (const each of kept) await checkRules(t, cases, each, rule)
      for (const each of [...silent, ...broken]) await checkRules(t, cases, each)
    })
  }

  const { seen, possible, percent, never_exercised, never_violated } = (await cases.control('GET /coverage?scope=run')).body
  t.strictSame({ seen, possible, percent, never_exercised, never_violated }, { seen: 93, possible: 93, percent: 100, never_exercised: [], never_violated: [] })
})

t.test('the assumptions', async t => {
  const cases = await startCases(t)
  for (const [id, { relies, not }] of Object.entries(ASSUMPTION_CASES) as [AssumptionId, (typeof ASSUMPTION_CASES)['A02']][]) {
    await t.test(id, async t => {
      for (const each of relies) {
        const { why, answer } = await played(cases, each)
        checkAssumptions(t, { ...each, relies: [...(each.relies ?? []), id] }, why)
        const { data } = (await cases.control('GET /assumptions')).body
        const { standing, times, requests } = data.find((row: { id: string }) => row.id === id)
        t.strictSame([standing, times > 0, requests.includes(answer.headers['request-id'])], [false, true, true], `${each.title}: counted`)
      }
      for (const each of not) checkAssumptions(t, { ...each, reliesNot: [...(each.reliesNot ?? []), id] }, (await played(cases, each)).why)
    })
  }
})

t.test('A01, A33, A34: the standing ones stand behind every answer, and are not counted', async t => {
  const { call, control } = await startCases(t)
  await call('GET /locations')
  const { data } = (await control('GET /assumptions')).body
  t.strictSame(
    data
      .filter(({ standing }: { standing: boolean }) => standing)
      .map(({ id, times, requests }: { id: string; times: number; requests: string[] }) => [id, times, requests]),
    STANDING.map(id => [id, 0, []])
  )
})

t.test('a run of refused calls earns only the rules of the way in', async t => {
  const cases = await startCases(t)
  const all = [...Object.values(RULE_CASES), ...Object.values(ASSUMPTION_CASES)].flatMap(groups => Object.values(groups).filter(Array.isArray).flat()) as Case[]
  const refused = all.filter(({ blames, records, settings }) => blames && blames[0] !== 501 && !records && !settings)
  const ready: [Performance<Answer>, Case][] = []
  await cases.prepared({ title: 'nothing', call: { on: 'GET /locations' } })
  for (const each of refused) {
    const performance = new Performance(cases.target)
    await performance.prepare(each)
    ready.push([performance, each])
  }
  await cases.control('DELETE /coverage')

  for (const [performance, each] of ready) await cases.called(performance, each)

  const rows = await coverageOf(cases)
  t.ok(refused.length >= 40, `${refused.length} calls`)
  t.strictSame(
    rows.filter(({ satisfied }) => satisfied > 0).map(({ rule }) => rule),
    ordered(WAY_IN)
  )
  t.equal(
    rows.reduce((sum, { violated }) => sum + violated, 0),
    refused.filter(({ blames }) => isRule(blames?.[3])).length
  )
})
