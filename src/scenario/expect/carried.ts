/** Expectations carried over into a recording of the requests. */

import { IS_DIGEST, type SecretWords, withoutSecrets } from '../../core/redaction.js'
import { textsOf, withResponses, withTexts } from '../play/references.js'
import type { StepResponses } from '../steps.js'
import type { Expectation, ExpectationData } from './expectations.js'

/** `keys`: the Account of each; `keyOf`: the key that replaces those of an Account. */
export type Carrying = {
  keys: ReadonlyMap<string, string>
  keyOf: (account: string) => string
  responses: StepResponses
  /** In lower case; only this header and `user-agent` are recorded. */
  testHeader: string
  words: SecretWords
}

/** With the headers that its requests need; null where it refers to what is not recorded. */
export function carried(
  expectation: Expectation,
  { keys, keyOf, responses, testHeader, words }: Carrying
): { data: ExpectationData; headers: readonly string[] } | null {
  const per = 'per' in expectation.data ? expectation.data.per : undefined
  const matches = expectation.steps.flatMap(({ data }) => data.match ?? [])
  const keysMatched = matches.flatMap(({ key }) => textsOf(key))
  const headers = matches
    .flatMap(({ headers = {} }) => Object.keys(headers))
    .map(name => name.toLowerCase())
  if (per === 'test') headers.push(testHeader)
  const areMerged = new Set(keys.values()).size < keys.size
  const isUnrecorded =
    ((keysMatched.length > 0 || per === 'key') && areMerged) ||
    keysMatched.some(key => !keys.has(key)) ||
    headers.some(name => name !== 'user-agent' && name !== testHeader) ||
    textsOf(expectation.data).some(text => IS_DIGEST.test(text))
  if (isUnrecorded || expectation.unsent().length > 0) return null
  const data = withTexts(withResponses(expectation.data, responses), text => {
    const account = keys.get(text)
    return account === undefined ? withoutSecrets(text, words) : keyOf(account)
  })
  return { data, headers }
}
