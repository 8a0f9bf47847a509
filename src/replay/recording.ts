/** Recorded requests, with the records and expectations that matter to them. */
import { isoOf } from '../core/instants.js'
import { withoutSecrets } from '../core/redaction.js'
import type { SecretWords } from '../core/secret-words.js'
import { keysToMask } from '../engine/keys.js'
import type { Entry } from '../evidence/entry.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Calls } from '../scenario/expect/calls.js'
import { callsOf, carried } from '../scenario/expect/carried.js'
import type { ExpectationData } from '../scenario/expect/expectations.js'
import { isOf } from '../scenario/expect/judges.js'
import { exportedRecord, setupOf } from '../scenario/records/export.js'
import { pause } from '../work/slices.js'
import { type Member, maskedRecord, membersFor, touchedBy } from './recorded-state.js'
import { SAYS } from './sentences.js'

export type Recording = Awaited<ReturnType<typeof recordingOf>>

/** All requests of the journal, or some. */
export async function recordingOf(sandbox: Sandbox, chosen?: readonly Entry[]) {
  const { scenario, clock, evidence, inputs } = sandbox
  // requests that come meanwhile, and a reset, are not in it
  const of = evidence.prefix.slice(0, -1)
  const { dropped } = evidence.journal
  const words = keysToMask(sandbox)
  const expected = expectedOf(sandbox, words, chosen)
  const isRunning = clock.running
  const held = chosen ?? evidence.journal.requests()
  const calls = held.filter(({ place }) => place >= inputs.earliest)
  const { members, copied } = await membersAround(calls, sandbox, chosen !== undefined)
  const { data, ids } = await dataOf(
    await touchedBy(calls, members, expected.data),
    new Set(calls.map(({ caller }) => caller.account)),
    words
  )
  const [call] = calls
  const now = isoOf(call?.at ?? 0)
  return {
    /** `SANDBOX#PERIOD` in a run. */
    of,
    scenario: scenario.name,
    calls,
    /** Requests dropped before these. */
    dropped: chosen === undefined ? dropped + held.length - calls.length : 0,
    isRunning,
    words,
    beginning: {
      ...(call && setupOf(call.settings)),
      // only a clock that moves judges a pause
      ...(call &&
        chosen?.length !== 1 && {
          clock: expected.timed.length > 0 ? { now, running: true } : now
        }),
      data
    },
    ids,
    copied,
    expected,
    blank: () => sandbox.blank()
  }
}

async function membersAround(calls: readonly Entry[], { inputs, store }: Sandbox, isPart: boolean) {
  const first = calls.reduce((least, { place }) => Math.min(least, place), inputs.place)
  const last = calls.reduce((most, { place }) => Math.max(most, place), first)
  const [before, after] = await Promise.all([
    inputs.stateAt(first),
    isPart ? inputs.stateAt(last) : { store: store.clone() }
  ])
  return membersFor(calls, before.store, after.store)
}

/** The records of a document, with keys of callers; `ids` has the id of each by what is shown. */
async function dataOf(
  touched: readonly Member[],
  callers: ReadonlySet<string | null>,
  words: SecretWords
) {
  const keys = [...callers].flatMap(account =>
    touched.some(({ record }) => record.id === account)
      ? { key: keyOf(account as string), account }
      : []
  )
  const data: Record<string, object[]> = keys.length > 0 ? { api_keys: keys } : {}
  const ids = new Map<string, string>()
  for (const { family, record } of touched) {
    data[family] ??= []
    data[family].push(maskedRecord(exportedRecord(family, record), words))
    ids.set(withoutSecrets(record.id, words), record.id)
    await pause()
  }
  return { data, ids }
}

export const keyOf = (account: string) => `sk_test_${account}`

/** `timed` are requests with a pause between them, `headers` those that plays send. */
function expectedOf(sandbox: Sandbox, words: SecretWords, chosen: readonly Entry[] | undefined) {
  const { tally, store, settings } = sandbox
  const { answers } = sandbox.requireLoaded()
  const testHeader = settings['evidence.test_header'].toLowerCase()
  const [data, notes]: [ExpectationData[], string[]] = [[], []]
  const [timed, headers]: [Calls[], Set<string>] = [[], new Set()]
  for (const expectation of tally.expectations) {
    const calls = callsOf(expectation)
    if (chosen && calls && !calls.some(one => chosen.some(call => isOf(one, call)))) continue
    const own = carried(expectation, {
      keys: store.keys,
      keyOf,
      responses: answers,
      testHeader,
      words
    })
    if (own === null) notes.push(SAYS.not_expected(withoutSecrets(expectation.wanted, words)))
    else {
      data.push(own.data)
      if (calls?.some(({ apart }) => apart !== null)) timed.push(...calls)
      for (const name of own.headers) headers.add(name)
    }
  }
  return { data, notes, timed, headers }
}
