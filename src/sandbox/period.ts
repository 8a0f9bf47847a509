import type { Evidence } from '../evidence/evidence.js'
import { explainedEntries, explainedVerdicts } from '../evidence/near-misses.js'
import type { Period } from '../evidence/run-history.js'
import type { Tally } from '../scenario/expect/tally.js'
import type { State } from './state.js'

type Judged = {
  name: string | null
  scenario: { name: string }
  evidence: Evidence
  state: State
  tally: Tally
}

/** What came of the script and expectations of a sandbox since its last load or reset. */
export async function periodOf(sandbox: Judged): Promise<Period> {
  const { name, scenario, evidence, tally } = sandbox
  const { script, store } = sandbox.state
  // a reset may begin the next period before this one is judged
  const { prefix } = evidence
  const requests = evidence.journal.requests()
  const looked = { requests, store, nameOf: (id: string) => prefix + id }
  return {
    sandbox: name,
    scenario: scenario.name,
    script: await explainedEntries(script, looked),
    verdicts: await explainedVerdicts(tally, looked)
  }
}
