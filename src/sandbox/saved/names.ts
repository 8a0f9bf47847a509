/** Names of sandboxes and snapshots, and of their documents. */
import { join } from 'node:path'
import { holdsCardNumber } from '../../core/card-numbers.js'
import { REFUSALS } from '../sentences.js'

/** Windows reserves names such as `con`, and drops a final dot. */
const NAME = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[a-z\d][\w.-]{0,63}(?<!\.)$/i

/** Names are shown, so they must not contain a card number. */
export const isName = (name: string): boolean => NAME.test(name) && !holdsCardNumber(name)

/** Writes A as ~a, so that no two names share a file where case makes no difference. */
export const fileNameOf = (name: string): string =>
  name.replace(/[A-Z]/g, letter => `~${letter.toLowerCase()}`)

export function nameOfFile(file: string): string | null {
  const name = file.replace(/~[a-z]/g, match => match.slice(1).toUpperCase())
  return isName(name) && fileNameOf(name) === file ? name : null
}

const ENDING = '.json'

export const documentPath = (folder: string, name: string): string =>
  join(folder, fileNameOf(name) + ENDING)

export const documentNames = (files: readonly string[]): string[] =>
  files.flatMap(file =>
    file.endsWith(ENDING) ? (nameOfFile(file.slice(0, -ENDING.length)) ?? []) : []
  )

/** Errors: `name_invalid`, which shows `readableName`, but not a card number. */
export function checkedName(name: string, readableName = name): string {
  if (isName(name)) return name
  throw NAME.test(name) ? REFUSALS.cardInName() : REFUSALS.notAName(readableName)
}
