/** Requests with the records that matter to them, and what is expected of them. */

import { isoOf } from '../core/instants.js'
import { type SecretWords, withoutSecrets } from '../core/redaction.js'
import { keysToMask } from '../engine/keys.js'
import { testHeaderOf } from '../engine/reading.js'
import type { Entry } from '../evidence/entry.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Calls } from '../scenario/expect/calls.js'
import { carried } from '../scenario/expect/carried.js'
import type { ExpectationData } from '../scenario/expect/expectations.js'
import { isOf } from '../scenario/expect/judges.js'
import { setupOf } from '../scenario/records/record.js'
import { keyOf, recordsFor } from './recorded-state.js'
import { SAYS } from './sentences.js'

export type Recording = Awaited<ReturnType<typeof recordingOf>>

/** All requests of the journal, or some. */
export async function recordingOf(sandbox: Sandbox, chosen?: readonly Entry[]) {
  const { scenario, clock, evidence, inputs } = sandbox
  // read before the first await: later requests and a reset do not count
  const of = evidence.prefix.slice(0, -1)
  const { dropped } = evidence.journal
  const words = keysToMask(sandbox)
  const expected = expectedOf(sandbox, words, chosen)
  const isRunning = clock.running
  const requests = chosen ?? evidence.journal.requests()
  const calls = requests.filter(({ place }) => place >= inputs.earliest)
  const data = await recordsFor(calls, sandbox, {
    expected: expected.data,
    words,
    isPart: chosen !== undefined
  })
  return {
    /** `SANDBOX#PERIOD` in a run. */
    of,
    scenario: scenario.name,
    calls,
    /** Requests that the journal no longer has. */
    dropped: chosen === undefined ? dropped + requests.length - calls.length : 0,
    isRunning,
    words,
    beginning: { ...setupBefore(calls[0], expected.timed.length > 0, chosen?.length === 1), data },
    expected,
    blank: () => sandbox.blank()
  }
}

/** Only a clock that runs can judge pauses; one request needs no clock. */
function setupBefore(first: Entry | undefined, isTimed: boolean, isSingle: boolean) {
  if (first === undefined) return {}
  const now = isoOf(first.at)
  const clock = isTimed ? { now, running: true } : now
  return { ...setupOf(first.settings), ...(!isSingle && { clock }) }
}

/** `timed` are requests whose pauses are expected, `headers` those that plays send. */
function expectedOf(sandbox: Sandbox, words: SecretWords, chosen: readonly Entry[] | undefined) {
  const { tally, store, settings } = sandbox
  const { responses } = sandbox.requireLoaded()
  const testHeader = testHeaderOf(settings)
  const data: ExpectationData[] = []
  const notes: string[] = []
  const timed: Calls[] = []
  const headers = new Set<string>()
  for (const expectation of tally.expectations) {
    const calls = expectation.steps
    if (chosen && calls[0] && !calls.some(part => chosen.some(call => isOf(part, call)))) continue
    const copy = carried(expectation, { keys: store.keys, keyOf, responses, testHeader, words })
    if (copy === null) notes.push(SAYS.not_expected(withoutSecrets(expectation.wanted, words)))
    else {
      data.push(copy.data)
      if (calls.some(({ apart }) => apart !== null)) timed.push(...calls)
      for (const name of copy.headers) headers.add(name)
    }
  }
  return { data, notes, timed, headers }
}
