/** All that a report of a run holds. */
import type { CoverageReport } from '../evidence/coverage.js'
import type { Finding } from '../evidence/findings.js'
import type { RunListing } from '../evidence/run.js'
import type { AssumptionId } from '../reference/assumptions.js'
import type { Verdict } from '../scenario/expectations.js'
import type { ListedEntry } from '../scenario/script.js'

/** What `exec` and `judge` judge a run by, and what their reports are made of. */
export type RunDocument = RunListing & {
  object: 'run'
  version: string
  /** What the sandbox at the base address is loaded with. */
  scenario: { name: string; description: string | null }
  calls: number
  coverage: CoverageReport
  findings: Finding[]
  /** Those that some answer relied on. */
  assumptions: { assumption: AssumptionId; topic: string; default: string; times: number; requests: readonly string[] }[]
  /** Script entries that applied in no period, and expectations that were not met. */
  unused_script_entries: ListedEntry[]
  unmet_expectations: Verdict[]
}
