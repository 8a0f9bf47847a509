/** Matches keep digests of card data, so that nothing shown or written has the number (A25). */

import { hash } from 'node:crypto'
import { IS_DIGEST, isSecretName, withoutSecrets } from '../../core/redaction.js'
import { mapValues } from '../../reference/rules.js'
import { isPattern } from '../match/patterns.js'

export const digestOf = (value: string): string => `sha256:${hash('sha256', value, 'hex')}`

/** Patterns stay: those with a card number are refused. */
export const withDigests = <Match extends object>(match: Match): Match =>
  mapValues(match, part => digested(part, [])) as Match

function digested(part: unknown, path: readonly string[]): unknown {
  if (Array.isArray(part)) return part.map(item => digested(item, path))
  if (typeof part === 'object' && part !== null)
    return mapValues(part, (inner, name) => digested(inner, [...path, ...stepsIn(name)]))
  if (path.at(-1) === 'present' && typeof part === 'boolean') return part
  const text = String(part)
  if (IS_DIGEST.test(text) || isPattern(text)) return part
  return isSecretName(path.join('.')) || withoutSecrets(text) !== text ? digestOf(text) : part
}

const stepsIn = (name: string) => name.split(/[[\]]+/).filter(step => step !== '' && step !== 'not')
