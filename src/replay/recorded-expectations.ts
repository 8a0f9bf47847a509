/** What a scenario expects, as a recording of them expects it. */
import { withoutSecrets } from '../core/redaction.js'
import type { SecretWords } from '../core/secret-words.js'
import type { Entry } from '../evidence/entry.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { callsOf, carried } from '../scenario/expect/carried.js'
import type { Calls, ExpectationData } from '../scenario/expect/expectations.js'
import { SAYS } from './sentences.js'

/** `timed` are requests with a pause between them, `headers` those that plays send. */
export type Expected = {
  data: readonly ExpectationData[]
  notes: readonly string[]
  timed: readonly Calls[]
  headers: ReadonlySet<string>
}

export const keyOf = (account: string) => `sk_test_${account}`

export const isOf = ({ operations }: Calls, { operation }: Entry): boolean =>
  operations === null || (operation !== null && operations.has(operation))

/** Of some requests, what is expected of them and of records. */
export function expectedOf(
  sandbox: Sandbox,
  words: SecretWords,
  chosen: readonly Entry[] | undefined
): Expected {
  const { tally, store, settings } = sandbox
  const { answers } = sandbox.requireLoaded()
  const testHeader = settings['evidence.test_header'].toLowerCase()
  const [data, notes]: [ExpectationData[], string[]] = [[], []]
  const [timed, headers]: [Calls[], Set<string>] = [[], new Set()]
  for (const expectation of tally.expectations) {
    const calls = callsOf(expectation)
    if (chosen && calls && !calls.some(one => chosen.some(call => isOf(one, call)))) continue
    const own = carried(expectation, { keys: store.keys, keyOf, answers, testHeader, words })
    if (own === null) notes.push(SAYS.not_expected(withoutSecrets(expectation.wanted, words)))
    else {
      data.push(own.data)
      if (calls?.some(({ apart }) => apart !== null)) timed.push(...calls)
      for (const name of own.headers) headers.add(name)
    }
  }
  return { data, notes, timed, headers }
}
