/**
 * Card data that a match asks for is kept as a digest: equality is all that is asked, and nothing
 * that is shown or written holds the number (A25).
 */
import { hash } from 'node:crypto'
import { IS_DIGEST, isSecretName, withoutSecrets } from '../core/redaction.js'

/** The digest of a value as a match writes it. */
export const digestOf = (value: string): string => `sha256:${hash('sha256', value, 'hex')}`

/**
 * The match with a digest in place of every secret value. Patterns stay: one that holds a whole
 * card number is refused.
 */
export const withDigests = <Match extends object>(match: Match): Match =>
  Object.fromEntries(
    Object.entries(match).map(([section, of]) => [section, digested(of, [])])
  ) as Match

function digested(part: unknown, path: readonly string[]): unknown {
  if (Array.isArray(part)) return part.map(one => digested(one, path))
  if (typeof part === 'object' && part !== null) {
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [
        name,
        digested(inner, [...path, ...stepsIn(name)])
      ])
    )
  }
  if (path.at(-1) === 'present' && typeof part === 'boolean') return part
  const text = String(part)
  if (IS_DIGEST.test(text) || /^\/.*\/i?$/s.test(text)) return part
  return isSecretName(path.join('.')) || withoutSecrets(text) !== text ? digestOf(text) : part
}

const stepsIn = (name: string) => name.split(/[[\]]+/).filter(step => step !== '' && step !== 'not')
