/** What a sandbox needs. */
import type { Settings } from '../core/settings.js'
import { Evidence } from '../evidence/evidence.js'
import { JournalBudget } from '../evidence/journal.js'
import { explainedEntries, explainedVerdicts } from '../evidence/near-misses.js'
import { Run } from '../evidence/run.js'
import type { Period } from '../evidence/run-history.js'
import type { Tally } from '../scenario/expect/tally.js'
import type { Library } from '../scenario/library.js'
import type { Launch } from '../scenario/scenario.js'
import type { Worker } from '../work/worker.js'
import type { State } from './state.js'

/** `machine` returns its time in ms. */
export type Dependencies<S> = {
  library: Library
  launch: Launch
  machine: () => number
  run?: Run | undefined
  journals?: JournalBudget | undefined
  worker?: Worker | undefined
  beforeForgetting?: ((sandbox: S) => void) | undefined
}

const SHARE = 8
const MAX_TOTAL = 2 ** 30

/** Journals share the memory of a few, or of one if it is very large. */
export const journalsOf = ({ 'limits.journal_bytes': bytes }: Settings): JournalBudget =>
  new JournalBudget(Math.max(bytes, Math.min(SHARE * bytes, MAX_TOTAL)))

export function evidenceOf<S>(
  { run = new Run(), journals }: Dependencies<S>,
  values: Settings,
  name: string | null
): { run: Run; evidence: Evidence } {
  const limits = {
    entries: values['limits.journal'],
    bytes: values['limits.journal_bytes'],
    budget: journals ?? journalsOf(values)
  }
  return { run, evidence: new Evidence(limits, run, name) }
}

type Judged = {
  name: string | null
  scenario: { name: string }
  evidence: Evidence
  state: State
  tally: Tally
}

/** The results of script and expectations since the last load or reset. */
export async function periodOf(sandbox: Judged): Promise<Period> {
  const { name, scenario, evidence, tally } = sandbox
  const { script, store } = sandbox.state
  // a reset can begin the next period before this one is judged
  const { prefix } = evidence
  const requests = evidence.journal.requests()
  const scope = { requests, store, nameOf: (id: string) => prefix + id }
  return {
    sandbox: name,
    scenario: scenario.name,
    script: await explainedEntries(script, scope),
    verdicts: await explainedVerdicts(tally, scope)
  }
}
