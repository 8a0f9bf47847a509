/**
 * API keys: who sends a request, what they may see, and what may not be shown (AUTH-1 to AUTH-3,
 * A18, A19).
 */

import { basicAuthorization } from '../core/paths.js'
import { SecretWords, withoutSecrets } from '../core/redaction.js'
import type { Settings } from '../core/settings.js'
import type { Account } from '../reference/accounts.js'
import type { Family } from '../reference/operations.js'
import type { Stored } from '../store/collection.js'
import { collectionOf, type RecordOf, type Store } from '../store/store.js'
import type { Relied } from './outcome.js'
import { type Blame, REFUSALS } from './sentences.js'

export type Guarded = {
  readonly state: { readonly store: Store }
  readonly settings: Settings
}

/** Errors: `api_key_missing`, `api_key_malformed`, `api_key_unknown`, all 401. */
export function actorOf(
  authorization: string | undefined,
  { settings, state: { store } }: Guarded,
  relied: Relied
): Account {
  if (authorization === undefined) throw REFUSALS.noKey()
  const fallback = settings['auth.accept_any_key']
  const { headers } = secretsOf(store.keys, settings.control_token)
  const known = fallback === null ? headers.get(authorization) : undefined
  if (known !== undefined) {
    relied.add('A18')
    return store.accounts.get(known) as Account
  }
  const [scheme, key, password] = credentialsIn(authorization)
  if (scheme?.toLowerCase() !== 'basic') throw REFUSALS.notBasic()
  if (key === undefined) throw REFUSALS.notBase64()
  if (password === '' && key === '') throw REFUSALS.noUserName()
  relied.add('A18')
  if (password !== '') throw REFUSALS.hasPassword()
  const account = fallback ?? store.keys.get(key)
  if (account === undefined) throw REFUSALS.unknownKey()
  return store.accounts.get(account) as Account
}

/** The Authorization headers that clients send, with the Account of each, and the words to mask. */
type Secrets = { headers: ReadonlyMap<string, string>; words: SecretWords }
const SECRETS = new WeakMap<ReadonlyMap<string, string>, Secrets>()

function secretsOf(keys: ReadonlyMap<string, string>, token: string | null): Secrets {
  let known = SECRETS.get(keys)
  if (known?.headers.size !== keys.size) {
    const headers = new Map(
      Array.from(keys, ([key, account]) => [basicAuthorization(key), account])
    )
    known = {
      headers,
      words: new SecretWords(token === null ? keys.keys() : [...keys.keys(), token])
    }
    SECRETS.set(keys, known)
  }
  return known
}

export function credentialsIn(authorization: string): (string | undefined)[] {
  const [, scheme, credentials = ''] = /^(\S+)(.*)/s.exec(authorization) ?? []
  const [, key, password] =
    /^([^:]*):([\s\S]*)$/.exec(Buffer.from(credentials, 'base64').toString('utf8')) ?? []
  return [scheme, key, password]
}

/** Unknown keys are masked from this length on: a shorter one may be any word. */
export const MIN_KEY_LENGTH = 8

export function redacted(text: string, world: Guarded, authorization?: string | undefined): string {
  return withoutSecrets(text, keysToMask(world, authorization))
}

/** What is masked: the sandbox's API keys, the control token, and the caller's own key. */
export function keysToMask(
  { state, settings }: Guarded,
  authorization?: string | undefined
): SecretWords {
  const known = secretsOf(state.store.keys, settings.control_token).words
  const [, callerKey = ''] = authorization ? credentialsIn(authorization) : []
  return callerKey.length < MIN_KEY_LENGTH || known.has(callerKey)
    ? known
    : new SecretWords([callerKey], known)
}

/** `actor` is null for a request without a key, which sees everything. */
export type Caller = {
  readonly actor: Account | null
  readonly relied: Relied
  readonly settings: Settings
  readonly store: Store
}

export const isLimited = ({ actor, settings }: Pick<Caller, 'actor' | 'settings'>): boolean =>
  actor !== null && settings['auth.visibility'] === 'scoped'

export function visible<F extends Family>(
  caller: Caller,
  family: F,
  id: string
): RecordOf<F> | undefined {
  const stored = collectionOf(caller.store, family).stored(id)
  if (stored === undefined || isOwn(caller, family, stored)) return stored?.record
  caller.relied.add('A19')
  return isLimited(caller) ? undefined : stored.record
}

/** Whether a record belongs to the caller's Account. Whoever owns an Account owns its Users. */
export function isOwn<F extends Family>(
  { actor, store }: Caller,
  family: F,
  stored: Stored<RecordOf<F>>
): boolean {
  if (actor === null) return true
  return family === 'users'
    ? store.accounts.isOwnedBy((stored.record as RecordOf<'users'>).account, actor.id)
    : stored.isOwnedBy(actor.id)
}

/** Errors: `reference_missing`; what is hidden is refused by an assumption (A19). */
export function inBody<F extends Family>(
  caller: Caller,
  family: F,
  id: string,
  { path, blame }: { path: string; blame: Blame }
): RecordOf<F> {
  const record = visible(caller, family, id)
  if (record !== undefined) return record
  const isHidden = collectionOf(caller.store, family).get(id) !== undefined
  throw REFUSALS.unknownReference(path, family, id, isHidden ? { assumption: 'A19' } : blame)
}
