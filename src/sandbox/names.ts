/** Names of sandboxes and snapshots. */
import { holdsCardNumber } from '../core/card-numbers.js'
import { REFUSALS } from './sentences.js'

/** Windows reserves names such as `con`, and drops a final dot. */
const NAME = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[a-z\d][\w.-]{0,63}(?<!\.)$/i

/** Whether a text may be a name, which is shown, so it holds no card number. */
export const isName = (name: string): boolean => NAME.test(name) && !holdsCardNumber(name)

/**
 * The name of a file for a name: an upper-case letter is written `~` and its small one, so that no
 * two names share a file where case makes no difference.
 */
export const fileNameOf = (name: string): string =>
  name.replace(/[A-Z]/g, letter => `~${letter.toLowerCase()}`)

/** The name that a file is for; null for a file of another kind. */
export function nameOfFile(file: string): string | null {
  const name = file.replace(/~[a-z]/g, ([, letter]) => (letter as string).toUpperCase())
  return isName(name) && fileNameOf(name) === file ? name : null
}

/** The name as it is. Errors: `name_invalid`, which shows it as `shown`, but not a card number. */
export function checkedName(name: string, shown = name): string {
  if (isName(name)) return name
  throw NAME.test(name) ? REFUSALS.cardInName() : REFUSALS.notAName(shown)
}
