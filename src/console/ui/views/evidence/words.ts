/** What the evidence view works out of what the control API says, without a page. */
import type { CoverageReport } from '../../../../client/answers.js'

export type RuleRow = CoverageReport['rules'][number]
/** What calls did to a rule: broken by some, or kept by some and broken by none, or neither. */
export type RuleState = 'broken' | 'kept' | 'untouched'
export const RULE_STATES: readonly RuleState[] = ['kept', 'broken', 'untouched']

const IS_IN: Readonly<Record<RuleState, (row: RuleRow) => boolean>> = {
  kept: ({ satisfied }) => satisfied > 0,
  broken: ({ violated }) => violated > 0,
  untouched: ({ satisfied, violated }) => satisfied + violated === 0
}
/** Whether a rule is shown where `state` is asked for: one that was kept and broken is shown under both. */
export const isIn = (row: RuleRow, state: RuleState): boolean => IS_IN[state](row)

/** Rules by the part of the reference that their ids begin with, in the order of the ledger. */
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

/** `kept 3 times, never broken`: what came of a rule, and what cannot come of it. */
export function outcomesOf({ satisfied, violated, keepable, violable }: RuleRow): string {
  const kept = keepable ? `kept ${timesOf(satisfied)}` : 'cannot be kept by a call'
  const broken = violable ? `broken ${timesOf(violated)}` : 'cannot be broken by a call'
  return `${kept}, ${broken}`
}

function timesOf(count: number): string {
  if (count === 0) return 'by no call'
  return count === 1 ? 'by 1 call' : `by ${count} calls`
}

/** A share of all calls in percent, with one decimal below ten. */
export function percentOf(part: number, whole: number): string {
  if (whole === 0) return '0 %'
  const percent = (part / whole) * 100
  return `${percent < 10 ? Math.round(percent * 10) / 10 : Math.round(percent)} %`
}

/** The parts of a call's name in a run, `SANDBOX#PERIOD/req_N`; the sandbox at the base address has an empty name. */
export function namedInRun(request: string): { sandbox: string; id: string } {
  const [place = '', id = ''] = request.split('/')
  return { sandbox: place.replace(/#\d+$/, ''), id }
}
