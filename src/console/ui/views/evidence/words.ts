/** What the evidence view works out of what the control API says, without a page. */
import type { CoverageReport } from '../../../../client/documents.js'

export type RuleRow = CoverageReport['rules'][number]
/** Broken by some requests, kept by some, or neither. */
export type RuleState = 'broken' | 'kept' | 'untouched'
export const RULE_STATES: readonly RuleState[] = ['kept', 'broken', 'untouched']

const IS_IN: Readonly<Record<RuleState, (row: RuleRow) => boolean>> = {
  kept: ({ satisfied }) => satisfied > 0,
  broken: ({ violated }) => violated > 0,
  untouched: ({ satisfied, violated }) => satisfied + violated === 0
}
/** A rule that was kept and broken is under both. */
export const isIn = (row: RuleRow, state: RuleState): boolean => IS_IN[state](row)

/** Rules by the beginning of their ids, in the order of the ledger. */
export function byFamily(rules: readonly RuleRow[]): [family: string, rules: RuleRow[]][] {
  const families = new Map<string, RuleRow[]>()
  for (const row of rules) {
    const family = row.rule.replace(/-\d+$/, '')
    families.set(family, [...(families.get(family) ?? []), row])
  }
  return [...families]
}

/** Which outcomes of a rule were seen: broken and never kept, kept and never broken though it can be, all that there can be, or none. */
export function outcomesSeen({ satisfied, violated, violable }: RuleRow): 'all' | 'kept' | 'broken' | 'none' {
  if (satisfied + violated === 0) return 'none'
  if (violated === 0 && violable) return 'kept'
  return satisfied === 0 ? 'broken' : 'all'
}

/** `kept by 3 requests, broken by none`, and what cannot come of a rule. */
export function outcomesOf({ satisfied, violated, keepable, violable }: RuleRow): string {
  const kept = keepable ? `kept ${timesOf(satisfied)}` : 'cannot be kept by a request'
  const broken = violable ? `broken ${timesOf(violated)}` : 'cannot be broken by a request'
  return `${kept}, ${broken}`
}

function timesOf(count: number): string {
  if (count === 0) return 'by none'
  return count === 1 ? 'by 1 request' : `by ${count} requests`
}

/** In percent, with one decimal below ten. */
export function percentOf(part: number, whole: number): string {
  if (whole === 0) return '0 %'
  const percent = (part / whole) * 100
  return `${percent < 10 ? Math.round(percent * 10) / 10 : Math.round(percent)} %`
}

/** The sandbox in the name of a request in a run, `SANDBOX#PERIOD/req_N`; empty at the base address. */
export const sandboxOf = (request: string): string => request.replace(/#\d+\/.*$/, '')
