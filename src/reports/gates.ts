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
/** What `--ignore` takes. */
const IGNORABLE = ['expectations', ...FINDING_IDS] as const
/** `minCoverage` is the least rule coverage that passes, in percent; findings in `ignore` fail no gate. */
export type Gates = { minCoverage: number | null; failOn: readonly Gate[]; ignore: readonly FindingId[]; allowNoRequests: boolean }
type GivenGates = { minCoverage?: number | null; failOn?: readonly string[]; ignore?: readonly string[]; allowNoRequests?: boolean }
/** What is judged where nothing is said. */
export const DEFAULT_GATES: Gates = { minCoverage: null, failOn: ['expectations'], ignore: [], allowNoRequests: false }

/** Gates by the words of the command line, or what is wrong with them. Expectations are among them unless they are ignored. */
export function gatesFrom({ minCoverage = null, failOn = [], ignore = [], allowNoRequests = false }: GivenGates): Gates | string {
  const findings = FINDING_IDS.join(', ')
  const flags: [flag: string, names: readonly string[], known: readonly string[], all: string][] = [
    ['--fail-on', failOn, FAIL_ON, `the gates are ${GROUPS.join(', ')}, and the findings ${findings}`],
    ['--ignore', ignore, IGNORABLE, `what can be ignored is expectations, and the findings ${findings}`]
  ]
  for (const [flag, names, known, all] of flags) {
    const unknown = names.find(name => !known.includes(name))
    if (unknown !== undefined) return `${flag} ${visible(unknown)}: there is no such name${didYouMean(unknown, known) || `; ${all}`}`
  }
  const both = ignore.find(name => failOn.includes(name))
  if (both !== undefined) return `--fail-on ${both} and --ignore ${both} cannot be combined`
  const always = DEFAULT_GATES.failOn.filter(gate => !ignore.includes(gate))
  return { minCoverage, failOn: [...new Set([...always, ...(failOn as Gate[])])], ignore: FINDING_IDS.filter(id => ignore.includes(id)), allowNoRequests }
}

/** By the name of the finding, by its severity, or as one of all. */
export const concerns = (gate: Gate, { finding, severity }: Finding): boolean => gate === 'findings' || gate === `${severity}s` || gate === finding
