/** What may not be shown: card data, the API keys of the sandbox, the caller's own key and the control token (A25). */
import { withoutSecrets } from '../core/redaction.js'
import { NO_WORDS, SecretWords } from '../core/secret-words.js'
import { keyIn } from './key.js'
import type { World } from './world.js'

/** Whose secrets they are. */
export type Guarded = Pick<World, 'isLoaded' | 'state' | 'settings'>

/** A caller's key that is not known is masked from this length on: a shorter one is a word like any other. */
const MIN_KEY_LENGTH = 8

/** Text as it may be shown in an error, a header or a log: without card numbers, the sandbox's API keys and the caller's own (A25). */
export function redacted(text: string, world: Guarded, authorization?: string | undefined): string {
  return withoutSecrets(text, keysToMask(world, authorization))
}

/** The words that are masked in what is shown: the sandbox's API keys, the control token, and the caller's own key. */
export function keysToMask({ isLoaded, state, settings }: Guarded, authorization?: string | undefined): SecretWords {
  const token = settings.control_token
  const known = isLoaded ? wordsOf(state.store.keys, token) : tokenWords(token)
  const own = keyIn(authorization) ?? ''
  return own.length < MIN_KEY_LENGTH || known.has(own) ? known : wordsWith(own, known)
}

/** The words with the unknown key of the last caller: a client sends the same one again and again. */
const WORDS_WITH = new WeakMap<SecretWords, { own: string; words: SecretWords }>()

function wordsWith(own: string, known: SecretWords): SecretWords {
  let last = WORDS_WITH.get(known)
  if (last?.own !== own) {
    last = { own, words: new SecretWords([own], known) }
    WORDS_WITH.set(known, last)
  }
  return last.words
}

/** The words of each sandbox, made anew when it has more keys. */
const WORDS = new WeakMap<ReadonlyMap<string, string>, { size: number; words: SecretWords }>()
const TOKEN_WORDS = new Map<string, SecretWords>()

function wordsOf(keys: ReadonlyMap<string, string>, token: string | null): SecretWords {
  let known = WORDS.get(keys)
  if (known?.size !== keys.size) {
    known = { size: keys.size, words: new SecretWords(keys.keys(), tokenWords(token)) }
    WORDS.set(keys, known)
  }
  return known.words
}

/** The control token alone; it is the same as long as the process runs. */
function tokenWords(token: string | null): SecretWords {
  if (token === null) return NO_WORDS
  let words = TOKEN_WORDS.get(token)
  if (words === undefined) {
    words = new SecretWords([token])
    TOKEN_WORDS.set(token, words)
  }
  return words
}

const IS_PLAIN = /^[\w/.-]*$/

/** A path decoded, so that masking sees what is in it, and without control characters. */
export const readable = (path: string): string => (IS_PLAIN.test(path) ? path : path.replace(/(?:%[\da-f]{2})+/gi, decodedRun).replace(/\p{Cc}/gu, '?'))

function decodedRun(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return '?'
  }
}
