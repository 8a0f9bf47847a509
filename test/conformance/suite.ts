/**
 * The conformance suite: what the reference states, tested at any service over HTTP. It asserts
 * nothing that the reference leaves open: no error bodies, id prefixes or default page sizes.
 */
import { CASE_CHECKS } from './cases.js'
import { Context, Run, skipReason } from './context.js'
import { SEQUENCES } from './sequences.js'
import type { Service } from './service.js'

/** A check. `run` throws to fail and calls `ctx.skip` if it cannot be set up. */
export type Check = { rule: string; title: string; run: (ctx: Context) => Promise<void> }
export type Outcome = 'passed' | 'failed' | 'skipped'
export type Result = {
  rule: string
  title: string
  outcome: Outcome
  /** Why it failed or was skipped; empty when it passed. */
  detail: string
  /** How many violations of the rule were tried, and correctly refused. */
  violations: number
}
export type LedgerRule = { id: string; rule: string; sections: number[]; violable: boolean }

export const CHECKS: readonly Check[] = [...CASE_CHECKS, ...SEQUENCES]

export async function* conformance(
  service: Service,
  checks: readonly Check[] = CHECKS
): AsyncGenerator<Result> {
  const run = new Run(service)
  for (const check of checks) yield await resultOf(check, new Context(run))
}

async function resultOf({ rule, title, run }: Check, ctx: Context): Promise<Result> {
  const ended = (outcome: Outcome, detail: string): Result => ({
    rule,
    title,
    outcome,
    detail,
    violations: ctx.violations
  })
  try {
    await run(ctx)
    return ended('passed', '')
  } catch (error) {
    const skipped = skipReason(error)
    return skipped === null ? ended('failed', reasonOf(error as Error)) : ended('skipped', skipped)
  }
}

const reasonOf = ({ message, cause }: Error): string =>
  cause instanceof Error
    ? `${message}: ${cause.message || (cause as { code?: string }).code}`
    : message

/** Rules without a check, checks without a rule, and rules without a tried violation. */
export function gapsIn(ledger: readonly LedgerRule[], results: readonly Result[]): string[] {
  const ids = new Set(ledger.map(({ id }) => id))
  const covered = new Set(results.map(({ rule }) => rule))
  const violated = new Set(
    results.filter(({ violations }) => violations > 0).map(({ rule }) => rule)
  )
  const unfinished = new Set(
    results.filter(({ outcome }) => outcome !== 'passed').map(({ rule }) => rule)
  )
  return [
    ...ledger
      .filter(({ id }) => !covered.has(id))
      .map(({ id, rule }) => `${id} has no check: ${rule}`),
    ...[...covered]
      .filter(id => !ids.has(id))
      .map(id => `${id} is checked, but is not a rule of the ledger`),
    ...ledger
      .filter(
        ({ id, violable }) =>
          violable && covered.has(id) && !violated.has(id) && !unfinished.has(id)
      )
      .map(({ id }) => `${id} can be violated, but no check tried to`)
  ]
}
