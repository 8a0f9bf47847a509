/** What can fail a run, apart from its command. */
import { didYouMean } from '../core/nearest.js'
import { visible } from '../core/visible.js'
import { FINDINGS, type Finding, type FindingId } from '../evidence/findings.js'

const FINDING_IDS = Object.keys(FINDINGS) as FindingId[]
/** Gates that are not one finding. */
export const GROUPS = ['expectations', 'script', 'findings', 'errors', 'warnings'] as const
/** The gates of `--fail-on`. */
export const FAIL_ON = [...GROUPS, ...FINDING_IDS] as const
export type Gate = (typeof FAIL_ON)[number]
/** `minCoverage` is the least rule coverage that passes, in percent; findings in `ignore` fail no gate. */
export type Gates = { minCoverage: number | null; failOn: readonly Gate[]; ignore: readonly FindingId[] }

/** Gates by the flags of the command line, or what is wrong with them. */
export function gatesFrom(given: { minCoverage?: number; failOn?: readonly string[]; ignore?: readonly string[] }): Gates | string {
  const { minCoverage = null, failOn = ['expectations'], ignore = [] } = given
  const findings = FINDING_IDS.join(', ')
  const flags: [flag: string, names: readonly string[], known: readonly string[], all: string][] = [
    ['--fail-on', failOn, FAIL_ON, `the gates are ${GROUPS.join(', ')}, and the findings ${findings}`],
    ['--ignore', ignore, FINDING_IDS, `the findings are ${findings}`]
  ]
  for (const [flag, names, known, all] of flags) {
    const unknown = names.find(name => !known.includes(name))
    if (unknown !== undefined) return `${flag} ${visible(unknown)}: there is no such name${didYouMean(unknown, known) || `; ${all}`}`
  }
  const both = ignore.find(name => failOn.includes(name))
  if (both !== undefined) return `--fail-on ${both} and --ignore ${both} exclude each other`
  return { minCoverage, failOn: [...new Set(failOn as Gate[])], ignore: ignore as FindingId[] }
}

/** By the name of the finding, by its severity, or as one of all. */
export const concerns = (gate: Gate, { finding, severity }: Finding): boolean => gate === 'findings' || gate === `${severity}s` || gate === finding
