import type { CoverageReport } from '../../../../client/documents.js'

export type RuleRow = CoverageReport['rules'][number]
export const RULE_STATES = {
  all: () => true,
  passed: ({ passed }: RuleRow) => passed > 0,
  violated: ({ violated }: RuleRow) => violated > 0,
  'not exercised': ({ passed, violated }: RuleRow) => passed + violated === 0
}

export const percentOf = (part: number, whole: number): string =>
  `${Number(((part / whole) * 100).toPrecision(3))}%`

/** A request of a run is `SANDBOX#PERIOD/req_N`. */
export function partsOf(request: string): { sandbox?: string; id: string } {
  const [, sandbox = '', id] = /^(.*)#\d+\/(.*)$/.exec(request) ?? []
  return id === undefined ? { id: request } : { sandbox, id }
}
