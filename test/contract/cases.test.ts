/** The table of cases against the ledgers: every rule and assumption is shown kept and broken. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Case, RuleId } from './case.js'
import { ASSUMPTION_CASES, RULE_CASES } from './cases.js'

const ledger = (name: string) => JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'))
const rules: { id: RuleId; violable: boolean }[] = ledger('rules')
const STANDING = ['A01', 'A33', 'A34']
const titles = (cases: readonly Case[]) => cases.map(({ title }) => title)
const repeated = (cases: readonly Case[]) => titles(cases).filter((title, at, all) => all.indexOf(title) !== at)

t.test('every rule has calls that keep it, near misses and, where a call can break it, calls that do', async t => {
  t.strictSame(
    Object.keys(RULE_CASES),
    rules.map(({ id }) => id)
  )
  for (const { id, violable } of rules) {
    const { right, kept, silent, broken } = RULE_CASES[id]

    t.equal(kept.length > 0, id !== 'TKT-1', `${id} is kept by a call`)
    t.ok(silent.length > 0, `${id} has a near miss`)
    t.equal(broken.length > 0, violable, `${id} is broken by a call, where one can`)
    t.strictSame(titles(broken.filter(({ blames }) => blames?.[3] !== id)), [], `what breaks ${id} is blamed on it`)
    t.strictSame(titles(silent.filter(({ blames, also }) => blames?.[3] === id || also?.includes(id))), [], `a near miss neither keeps nor breaks ${id}`)
    t.strictSame(
      titles(broken.filter(({ reference, right: own }) => reference && !own && !right)),
      [],
      `any service can show that it takes the right call of ${id}`
    )
    t.strictSame(
      titles([...kept, ...silent, ...broken].filter(({ reference, records, settings }) => reference && (records || settings))),
      [],
      `any service is asked of ${id}`
    )
    t.strictSame([repeated(kept), repeated(silent), repeated(broken)], [[], [], []], `the titles of ${id} differ`)
  }
})

t.test('every assumption that is counted has answers that rely on it, and near misses', async t => {
  const counted = (ledger('assumptions') as { id: string }[]).map(({ id }) => id).filter(id => !STANDING.includes(id))
  t.strictSame(Object.keys(ASSUMPTION_CASES), counted)
  for (const [id, { relies, not }] of Object.entries(ASSUMPTION_CASES)) {
    t.ok(relies.length > 0 && not.length > 0, id)
    t.strictSame(titles(not.filter(({ blames }) => blames?.[3] === id)), [], `a near miss of ${id} is not blamed on it`)
    t.strictSame([repeated(relies), repeated(not)], [[], []], `the titles of ${id} differ`)
  }
})
