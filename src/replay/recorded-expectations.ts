/** What a scenario expects, as a recording of its requests expects it. */
import { IS_DIGEST, withoutSecrets } from '../core/redaction.js'
import type { SecretWords } from '../core/secret-words.js'
import type { Exchange } from '../engine/exchange.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Calls, Expectation, ExpectationData } from '../scenario/expectations.js'
import { withAnswers, withTexts } from '../scenario/references.js'
import type { Json } from '../scenario/steps.js'
import { SAYS } from './sentences.js'

/**
 * `data` is null where the scenario expects nothing; `timed` are requests with a pause between
 * them, `headers` those that plays send.
 */
export type Expected = {
  data: readonly ExpectationData[] | null
  notes: readonly string[]
  timed: readonly Calls[]
  headers: ReadonlySet<string>
}

/** Replaces the keys of an Account. */
export const keyOf = (account: string) => `sk_test_${account}`

export function textsOf(value: Json, areNamesRead = false): string[] {
  const texts: string[] = []
  const note = (text: string) => {
    texts.push(text)
    return text
  }
  withTexts(value, note, areNamesRead ? note : undefined)
  return texts
}

export const isOf = ({ operations }: Calls, { operation }: Exchange): boolean =>
  operations === null || (operation !== null && operations.has(operation))

/** Of some requests, what is expected of their operations and of records. */
export function expectedOf(
  sandbox: Sandbox,
  words: SecretWords,
  chosen: readonly Exchange[] | undefined
): Expected {
  const { tally, store, settings } = sandbox
  const { answers } = sandbox.requireLoaded()
  const testHeader = settings['evidence.test_header'].toLowerCase()
  const areKeysMerged = new Set(store.keys.values()).size < store.keys.size
  const [data, notes]: [ExpectationData[], string[]] = [[], []]
  const [timed, headers]: [Calls[], Set<string>] = [[], new Set()]
  const inRecording = (text: string) => {
    const account = store.keys.get(text)
    return account === undefined ? withoutSecrets(text, words) : keyOf(account)
  }
  for (const expectation of tally.expectations) {
    const calls = callsOf(expectation)
    if (chosen && calls && !calls.some(one => chosen.some(call => isOf(one, call)))) continue
    const { per } = expectation.data as { per?: string }
    const matches = calls?.flatMap(({ data }) => data.match ?? []) ?? []
    const keys = matches.flatMap(({ key }) => (key === undefined ? [] : textsOf(key as Json)))
    const sent = matches
      .flatMap(({ headers = {} }) => Object.keys(headers))
      .concat(per === 'test' ? testHeader : [])
      .map(name => name.toLowerCase())
    const isRecorded =
      expectation.unsent().length === 0 &&
      ((keys.length === 0 && per !== 'key') || !areKeysMerged) &&
      keys.every(key => store.keys.has(key)) &&
      sent.every(name => name === 'user-agent' || name === testHeader) &&
      !textsOf(expectation.data as Json).some(text => IS_DIGEST.test(text))
    if (!isRecorded) {
      notes.push(SAYS.not_expected(withoutSecrets(expectation.wanted, words)))
      continue
    }
    data.push(
      withTexts(withAnswers(expectation.data as Json, answers), inRecording) as ExpectationData
    )
    if (calls?.some(({ apart }) => apart !== null)) timed.push(...calls)
    for (const name of sent) headers.add(name)
  }
  return { data: tally.isEmpty ? null : data, notes, timed, headers }
}

function callsOf(expectation: Expectation): readonly Calls[] | null {
  if ('calls' in expectation) return [expectation.calls]
  return 'steps' in expectation ? expectation.steps : null
}
