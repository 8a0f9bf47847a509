/**
 * A match keeps card data as a digest: only equality is asked, and nothing shown or written holds
 * the number (A25).
 */
import { hash } from 'node:crypto'
import { IS_DIGEST, isSecretName, withoutSecrets } from '../../core/redaction.js'

export const digestOf = (value: string): string => `sha256:${hash('sha256', value, 'hex')}`

/** Patterns stay: one with a whole card number is refused. */
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
