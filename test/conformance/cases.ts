/** Cases that only depend on the reference, for any service. */
import assert from 'node:assert/strict'
import type { Case } from '../contract/case.js'
import { RULE_CASES } from '../contract/cases.js'
import { type Context, isUnset } from './context.js'
import { type Answer, accepted, describeAnswer, isAccepted, listed } from './service.js'
import type { Check } from './suite.js'

export const CASE_CHECKS: readonly Check[] = Object.entries(RULE_CASES).flatMap(
  ([rule, { right, kept, silent, broken }]) =>
    [...kept, ...silent, ...broken]
      .filter(({ reference }) => reference)
      .map(
        (each): Check => ({
          rule,
          title: each.title,
          run: ctx =>
            check(ctx, each, each.blames && !each.answers ? (each.right ?? right) : undefined)
        })
      )
)

/** The valid request must succeed, so that the other is refused for the difference. */
async function check(ctx: Context, each: Case, right: Case['right']): Promise<void> {
  const { call, answers, blames, later = [] } = each
  await ctx.prepare(right ? { ...each, right } : each)
  if (right) carriedOut(await ctx.send(right))
  const answer = await ctx.call(call)

  if (answers?.status) assert.equal(answer.status, answers.status, describeAnswer(answer))
  else if (blames) ctx.refused(answer)
  else carriedOut(answer)
  for (const [asked, expected] of [[answer, answers ?? {}] as const, ...later]) {
    const said = 'status' in asked ? asked : await ctx.send(asked)
    assert.deepEqual(await ctx.differences(said, expected, isUnset), [], describeAnswer(said))
  }
}

function carriedOut(answer: Answer): void {
  if (answer.on.startsWith('GET') && !answer.body?.id) listed(answer)
  else if (answer.status !== 204) accepted(answer)
  else assert.ok(isAccepted(answer), describeAnswer(answer))
}
