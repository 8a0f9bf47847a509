/** Conditions that are not met, with the value wanted and the value seen. */

import { IS_DIGEST, isSecretName, withoutSecrets } from '../../core/redaction.js'
import { shortened } from '../../core/sentences.js'
import { textsOf } from '../play/references.js'
import type { Wanted } from '../shape/entry.js'
import { areMet, type Condition, shownWanted } from './conditions.js'
import type { Value } from './fields.js'
import type { MatchCondition, Matcher, SentCall } from './matching.js'

export type Miss = { condition: string; wanted: string; got: string }
/** `in` is the id of the request. */
export type NearMiss = { in: string; misses: Miss[] }

export const miss = (condition: string, wanted: string, got: string): Miss => ({
  condition,
  wanted,
  got
})

export const missesOf = <Subject>(
  conditions: readonly Condition<Subject>[],
  subject: Subject
): Miss[] =>
  conditions
    .filter(condition => !areMet([condition], subject))
    .map(({ name, wanted, valueIn }) =>
      miss(name, shownWanted(wanted), shownValue(valueIn(subject)))
    )

/** Lists conditions on values that are not stored only if no request matched. */
export function missesOfMatch(matches: Matcher, sent: SentCall, isNone: boolean): Miss[] {
  const isHidden = (condition: MatchCondition) =>
    isSecret(condition) || (condition.section === 'headers' && condition.valueIn(sent) === null)
  const misses = missesOf(
    matches.filter(condition => !isHidden(condition)),
    sent
  )
  if (misses.length > 0 || !isNone) return misses
  return matches.filter(isHidden).map(({ section, name, wanted }) => {
    const text =
      section === 'key' || holdsDigest(wanted) ? 'the value in match' : shownWanted(wanted)
    return miss(name, text, 'a value that is not stored')
  })
}

const holdsDigest = (wanted: Wanted) => textsOf(wanted).some(text => IS_DIGEST.test(text))
const isSecret = ({ section, name, wanted }: MatchCondition) =>
  section === 'key' || isSecretName(name) || holdsDigest(wanted)

function shownValue(value: Value): string {
  if (value === undefined) return 'nothing'
  return value === null ? 'an object or a list' : shortened(withoutSecrets(String(value)))
}

export const missText = ({ condition, wanted, got }: Miss): string =>
  `${condition}: expected ${wanted}; got ${got}`

export const nearMissText = ({ in: where, misses }: NearMiss): string =>
  `${misses.map(missText).join(', ')} in ${where}`

type Explained = { requests?: readonly string[]; near_misses?: readonly NearMiss[] }

export function explainedMessage(
  message: string,
  { requests = [], near_misses: near = [] }: Explained
): string {
  const counted = requests.length === 0 ? '' : ` (${requests.join(', ')})`
  const nearly = near.length === 0 ? '' : `; nearly: ${near.map(nearMissText).join('; ')}`
  return counted + nearly === '' ? message : message.replace(/\.$/, '') + counted + nearly
}
