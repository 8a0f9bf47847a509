/** An expectation as a recording of its requests can expect it. */
import { IS_DIGEST, withoutSecrets } from '../../core/redaction.js'
import type { SecretWords } from '../../core/secret-words.js'
import { textsOf, withAnswers, withTexts } from '../play/references.js'
import type { Json } from '../shape/parts.js'
import type { Answers } from '../steps.js'
import type { Calls } from './calls.js'
import type { Expectation, ExpectationData } from './expectations.js'

/** `keys`: the Account of each; `keyOf`: what replaces the keys of an Account. */
export type Carrying = {
  keys: ReadonlyMap<string, string>
  keyOf: (account: string) => string
  answers: Answers
  /** In lower case: one of the two headers that are known, with `user-agent`. */
  testHeader: string
  words: SecretWords
}

export function callsOf(expectation: Expectation): readonly Calls[] | null {
  if ('calls' in expectation) return [expectation.calls]
  return 'steps' in expectation ? expectation.steps : null
}

/** With the headers that its requests must have; null where it refers to what is not recorded. */
export function carried(
  expectation: Expectation,
  { keys, keyOf, answers, testHeader, words }: Carrying
): { data: ExpectationData; headers: readonly string[] } | null {
  const { per } = expectation.data as { per?: string }
  const matches = callsOf(expectation)?.flatMap(({ data }) => data.match ?? []) ?? []
  const named = matches.flatMap(({ key }) => (key === undefined ? [] : textsOf(key as Json)))
  const headers = matches.flatMap(({ headers = {} }) => Object.keys(headers))
  if (per === 'test') headers.push(testHeader)
  const sent = headers.map(name => name.toLowerCase())
  const areMerged = new Set(keys.values()).size < keys.size
  const isUnrecorded =
    ((named.length > 0 || per === 'key') && areMerged) ||
    named.some(key => !keys.has(key)) ||
    sent.some(name => name !== 'user-agent' && name !== testHeader) ||
    textsOf(expectation.data as Json).some(text => IS_DIGEST.test(text))
  if (isUnrecorded || expectation.unsent().length > 0) return null
  const data = withTexts(withAnswers(expectation.data as Json, answers), text => {
    const account = keys.get(text)
    return account === undefined ? withoutSecrets(text, words) : keyOf(account)
  })
  return { data: data as ExpectationData, headers: sent }
}
