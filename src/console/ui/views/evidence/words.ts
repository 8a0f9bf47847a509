/** What the evidence view works out of what the control API says, without a page. */
import type { CoverageReport } from '../../../../client/documents.js'
import { countOf } from '../count.js'

export type RuleRow = CoverageReport['rules'][number]
/** Which rules can be shown alone; one that was kept and broken is under both. */
export const RULE_STATES = {
  all: () => true,
  kept: ({ satisfied }: RuleRow) => satisfied > 0,
  broken: ({ violated }: RuleRow) => violated > 0,
  untouched: ({ satisfied, violated }: RuleRow) => satisfied + violated === 0
}

/**
 * Which outcomes of a rule were seen: broken and never kept, kept and never broken though it can
 * be, all that there can be, or none.
 */
export function outcomesSeen({
  satisfied,
  violated,
  violable
}: RuleRow): 'all' | 'kept' | 'broken' | 'none' {
  if (satisfied + violated === 0) return 'none'
  if (violated === 0 && violable) return 'kept'
  return satisfied === 0 ? 'broken' : 'all'
}

/** `kept by 3 requests, broken by none`, and what cannot come of a rule. */
export const outcomesOf = ({ satisfied, violated, keepable, violable }: RuleRow): string =>
  `${outcomeOf('kept', keepable, satisfied)}, ${outcomeOf('broken', violable, violated)}`

function outcomeOf(verb: string, isPossible: boolean, count: number): string {
  if (!isPossible) return `cannot be ${verb} by a request`
  return `${verb} by ${count === 0 ? 'none' : countOf(count, 'request')}`
}

/** In percent, with two digits. */
export const percentOf = (part: number, whole: number): string =>
  `${Number(((part / whole) * 100).toPrecision(2))} %`

/**
 * The sandbox in the name of a request in a run, `SANDBOX#PERIOD/req_N`; empty at the base address.
 */
export const sandboxOf = (request: string): string => request.replace(/#\d+\/.*$/, '')
