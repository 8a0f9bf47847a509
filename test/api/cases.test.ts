/** Every case of the table, asked of the API: what is answered or refused, whom a refusal blames, and that it changes nothing. */
import t, { type Test } from 'tap'
import type { Case, Expected } from '../contract/case.js'
import { ASSUMPTION_CASES, RULE_CASES } from '../contract/cases.js'
import { isUnset, startCases } from '../support/cases.js'
import { type Answer, blameOf } from '../support/emulator.js'

type Cases = Awaited<ReturnType<typeof startCases>>

async function check(t: Test, { prepared, called, state }: Cases, each: Case): Promise<void> {
  const { title, call, answers, blames, later = [], settings } = each
  const performance = await prepared(each)
  const before = blames && (await state())
  const shows = async (answer: Answer, expected: Expected, of: string) => t.strictSame(await performance.differences(answer, expected, isUnset), [], of)

  const { answer } = await called(performance, each)

  if (!blames) t.equal(answer.status < 300 ? 'answered' : answer.text, 'answered', title)
  else if (call.on.startsWith('HEAD')) t.strictSame([answer.status, answer.text], [blames[0], ''], title)
  else t.strictSame(answer.body.error ? blameOf(answer) : answer.text, blames, title)
  if (before) t.equal(await state(), before, `${title}: nothing is changed`)
  if (!blames && !settings) t.equal(answer.status, call.on.startsWith('DELETE') ? 204 : 200, title)
  if (answers) await shows(answer, answers, title)
  for (const [asked, expected] of later) await shows(await performance.send(asked), expected, `${title}: then ${asked.on}`)
}

const groups = [
  ...Object.entries(RULE_CASES).map(([id, { kept, silent, broken }]) => [id, [...kept, ...silent, ...broken]] as const),
  ...Object.entries(ASSUMPTION_CASES).map(([id, { relies, not }]) => [id, [...relies, ...not]] as const)
]
t.test('the cases of the table', async t => {
  const cases = await startCases(t)
  for (const [id, all] of groups) {
    await t.test(id, async t => {
      for (const each of all) await check(t, cases, each)
    })
  }
})
