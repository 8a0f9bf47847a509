/** Every case of the table, asked of the evidence: which rules that very call kept and broke, and which assumptions its answer relies on. */
import t, { type Test } from 'tap'
import type { AssumptionId, Case, RuleId } from '../contract/case.js'
import { ASSUMPTION_CASES, RULE_CASES } from '../contract/cases.js'
import { Performance } from '../contract/performing.js'
import { type Played, startCases, wayIn } from '../support/cases.js'
import { type Answer } from '../support/emulator.js'

type Cases = Awaited<ReturnType<typeof startCases>>
type Why = { rules: { rule: RuleId; verdict: 'kept' | 'broken' }[]; assumptions: { assumption: AssumptionId }[] }
type Row = { rule: RuleId; satisfied: number; violated: number }
const RULE_IDS = Object.keys(RULE_CASES) as RuleId[]
const WAY_IN: readonly RuleId[] = ['BASE-1', 'AUTH-1', 'AUTH-3', 'FORM-1', 'FORM-2', 'FORM-3']
/** In the order of the ledger. */
const ordered = (rules: Iterable<RuleId>) => {
  const set = new Set(rules)
  return RULE_IDS.filter(rule => set.has(rule))
}
const whyOf = async ({ control }: Cases, { answer }: Pick<Played, 'answer'>): Promise<Why> =>
  (await control(`GET /requests/${answer.headers['request-id']}`)).body.why
const rulesOf = ({ rules }: Why, verdict: 'kept' | 'broken') => rules.filter(each => each.verdict === verdict).map(({ rule }) => rule)
const coverageOf = async ({ control }: Cases) => {
  const { rules } = (await control('GET /coverage')).body as { rules: Row[] }
  return { kept: rules.filter(({ satisfied }) => satisfied > 0), broken: rules.filter(({ violated }) => violated > 0) }
}

/** Plays the case; what was counted before it is cleared. */
async function played(cases: Cases, each: Case): Promise<Played> {
  const performance = await cases.prepared(each)
  await cases.control('DELETE /coverage')
  return cases.called(performance, each)
}

/** What the call kept and broke, by its why and by the coverage of it alone; `rule` is kept by it, or not. */
async function checkRules(t: Test, cases: Cases, each: Case, rule?: RuleId): Promise<Why> {
  const { title, blames, also = [] } = each
  const done = await played(cases, each)
  const why = await whyOf(cases, done)
  const { kept, broken } = await coverageOf(cases)
  const by = blames?.[3] as RuleId | undefined
  const breaks = by && RULE_IDS.includes(by) && ![rule, ...also].includes(by) ? [by] : []

  t.strictSame(ordered(kept.map(row => row.rule)), ordered([...wayIn(each, done.sent), ...also, ...(rule ? [rule] : [])]), `${title}: kept`)
  t.strictSame(
    broken.map(row => row.rule),
    breaks,
    `${title}: broken`
  )
  t.ok(
    [...kept, ...broken].every(({ satisfied, violated }) => satisfied + violated === 1),
    `${title}: each once`
  )
  t.strictSame([ordered(rulesOf(why, 'kept')), rulesOf(why, 'broken')], [kept.map(row => row.rule), breaks], `${title}: why says the same`)
  t.equal(why.rules.length, new Set(why.rules.map(row => row.rule)).size, `${title}: why names a rule once`)
  t.ok(
    why.rules.every(({ verdict }, at) => verdict === 'kept' || at === why.rules.length - 1),
    `${title}: what broke comes last`
  )
  t.ok(
    why.rules.every((row, at) => at === 0 || !WAY_IN.includes(row.rule) || row.verdict === 'broken' || WAY_IN.includes(why.rules[at - 1]?.rule as RuleId)),
    `${title}: the way in comes first`
  )
  return why
}

function checkAssumptions(
  t: Test,
  { title, blames, relies = [], reliesNot = [] }: Case,
  { assumptions }: Why,
  more: { relies?: readonly string[]; reliesNot?: readonly string[] } = {}
): void {
  const ids = assumptions.map(({ assumption }) => assumption)
  const by = /^A\d\d$/.test(blames?.[3] ?? '') ? [blames?.[3]] : []
  const needed = [...relies, ...(more.relies ?? []), ...by, ...(blames ? ['A07'] : [])] as AssumptionId[]
  const barred = [...reliesNot, ...(more.reliesNot ?? []), ...(blames ? [] : ['A07', 'A08']), 'A01', 'A33', 'A34'] as AssumptionId[]

  t.strictSame(
    needed.filter(id => !ids.includes(id)),
    [],
    `${title}: relies on`
  )
  t.strictSame(
    barred.filter(id => ids.includes(id)),
    [],
    `${title}: does not rely on`
  )
  t.equal(ids.length, new Set(ids).size, `${title}: an assumption once`)
}

t.test('the rules', async t => {
  const cases = await startCases(t)
  for (const [rule, { kept, silent, broken }] of Object.entries(RULE_CASES) as [RuleId, (typeof RULE_CASES)[RuleId]][]) {
    await t.test(rule, async t => {
      for (const each of kept) checkAssumptions(t, each, await checkRules(t, cases, each, rule))
      for (const each of [...silent, ...broken]) checkAssumptions(t, each, await checkRules(t, cases, each))
    })
  }
})

t.test('the assumptions', async t => {
  const cases = await startCases(t)
  for (const [id, { relies, not }] of Object.entries(ASSUMPTION_CASES)) {
    await t.test(id, async t => {
      for (const [group, more] of [
        [relies, { relies: [id] }],
        [not, { reliesNot: [id] }]
      ] as const) {
        for (const each of group) checkAssumptions(t, each, await whyOf(cases, await played(cases, each)), more)
      }
    })
  }
})

t.test('a run of refused calls earns only the rules of the way in', async t => {
  const cases = await startCases(t)
  const all = [
    ...Object.values(RULE_CASES).flatMap(({ silent, broken }) => [...silent, ...broken]),
    ...Object.values(ASSUMPTION_CASES).flatMap(({ relies, not }) => [...relies, ...not])
  ]
  const refused = all.filter(({ blames, records, settings }) => blames && blames[0] !== 501 && !records && !settings)
  const ready: [Performance<Answer>, Case][] = []
  await cases.prepared({ title: 'none', call: { on: 'GET /locations' } })
  for (const each of refused) {
    const performance = new Performance(cases.target)
    await performance.prepare(each)
    ready.push([performance, each])
  }
  await cases.control('DELETE /coverage')

  for (const [performance, each] of ready) await cases.called(performance, each)

  const { kept, broken } = await coverageOf(cases)
  t.ok(refused.length >= 40, `${refused.length} calls`)
  t.strictSame(ordered(kept.map(row => row.rule)), ordered(WAY_IN))
  t.equal(
    broken.reduce((sum, { violated }) => sum + violated, 0),
    refused.filter(({ blames }) => RULE_IDS.includes(blames?.[3] as RuleId)).length
  )
})
