/** What answers may show: errors in the one shape, and no secret in any of them (A07, A25). */
import type { FastifyRequest } from 'fastify'
import { type ApiError, CATALOGUE, type Problem } from '../core/errors.js'
import { withoutSecrets } from '../core/redaction.js'
import { NO_WORDS, SecretWords } from '../core/secret-words.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { keyIn } from './authentication.js'

export const JSON_TYPE = 'application/json; charset=utf-8'
/** Headers of an answer by name, in lower case. */
export type AnswerHeaders = Record<string, string | string[]>

/** A caller's key that is not known is masked from this length on: a shorter one is a word like any other. */
const SHORTEST_KEY = 8

/** Text as it may be shown in an error, a header or a log: without card numbers, the sandbox's API keys and the caller's own (A25). */
export function redacted(text: string, sandbox: Sandbox, authorization?: string | undefined): string {
  return withoutSecrets(text, keysToMask(sandbox, authorization))
}

/** The words that are masked in what is shown: the sandbox's API keys, the control token, and the caller's own key. */
export function keysToMask({ isLoaded, store, settings }: Sandbox, authorization?: string | undefined): SecretWords {
  const token = settings.control_token
  const known = isLoaded ? wordsOf(store.keys, token) : tokenWords(token)
  const own = keyIn(authorization) ?? ''
  return own.length < SHORTEST_KEY || known.has(own) ? known : wordsWith(own, known)
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

type ErrorContext = { sandbox: Sandbox; authorization?: string | undefined; requestId: string; exposeRule: boolean }

/** The body of an error answer. Card numbers and API keys in what the caller sent are masked. */
export function errorBody(error: ApiError, { sandbox, authorization, requestId, exposeRule }: ErrorContext) {
  const show = (text: string) => redacted(text, sandbox, authorization)
  return {
    error: {
      type: CATALOGUE[error.code].type,
      code: error.code,
      message: show(error.message),
      ...(error.param !== undefined && { param: show(error.param) }),
      ...(exposeRule && error.rule && { rule: error.rule }),
      ...(exposeRule && !error.rule && error.assumption && { assumption: error.assumption }),
      ...(error.problems && { problems: shownProblems(error.problems, show) }),
      request_id: requestId
    }
  }
}

/** Problems of a document with what `show` masks. */
const shownProblems = (problems: readonly Problem[], show: (text: string) => string): Problem[] =>
  problems.map(problem => ({ ...problem, path: show(problem.path), message: show(problem.message) }))

/** Warnings as an answer shows them, masked as an error is. */
export const shownWarnings = (warnings: readonly Problem[], { sandbox, authorization }: Pick<ErrorContext, 'sandbox' | 'authorization'>): Problem[] =>
  shownProblems(warnings, text => redacted(text, sandbox, authorization))

/** A browser asks for a page; anything else gets JSON. */
export const wantsPage = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean => /\btext\/html\b/.test(headers.accept ?? '')
