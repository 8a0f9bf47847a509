/** HTTP Basic with the API key as user name and an empty password (AUTH-1 to AUTH-3, A18, A20). */
import { basicAuthorization } from '../core/basic-authorization.js'
import { ApiError } from '../core/errors.js'
import type { Trace } from '../core/trace.js'
import type { Account } from '../reference/accounts.js'
import type { World } from './world.js'

const HEADERS = { 'www-authenticate': 'Basic realm="commerce", charset="UTF-8"' }
const HOW = 'send the API key as the user name and leave the password empty, as curl -u KEY: does'

/** The Account that a call acts as. Errors: `api_key_missing`, `api_key_malformed`, `api_key_unknown`, all 401. */
export function actorOf(authorization: string | undefined, { settings, state: { store } }: World, trace: Trace): Account {
  const known = settings['auth.accept_any_key'] === null && authorization !== undefined ? usualHeaders(store.keys).get(authorization) : undefined
  if (known !== undefined) {
    trace.rely('A18')
    return store.accounts.get(known) as Account
  }
  if (authorization === undefined) throw refused('api_key_missing', `No API key was sent: ${HOW}.`, 'AUTH-3')
  const [scheme, key, password] = credentialsIn(authorization)
  if (scheme?.toLowerCase() !== 'basic') throw refused('api_key_malformed', `The Authorization header is not HTTP Basic: ${HOW}.`)
  if (key === undefined) throw refused('api_key_malformed', `The Basic credentials are not base64 of KEY and a colon: ${HOW}.`)
  if (password === '' && key === '') throw refused('api_key_missing', `The user name is empty: ${HOW}.`, 'AUTH-3')
  trace.rely('A18')
  if (password !== '') throw refused('api_key_malformed', `The password is not empty: ${HOW}.`)

  const fallbackAccount = settings['auth.accept_any_key']
  const account = fallbackAccount ?? store.keys.get(key)
  if (account === undefined) {
    throw new ApiError('api_key_unknown', {
      message: 'The API key is not one of the loaded scenario. Its keys are shown at start-up and declared under api_keys of its fixtures.',
      assumption: 'A18',
      headers: HEADERS
    })
  }
  return store.accounts.get(account) as Account
}

/** The Authorization headers that clients send with the keys of each sandbox, and the Account of each: made anew when there are more keys. */
const USUAL_HEADERS = new WeakMap<ReadonlyMap<string, string>, ReadonlyMap<string, string>>()

function usualHeaders(keys: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  let headers = USUAL_HEADERS.get(keys)
  if (headers?.size !== keys.size) {
    headers = new Map(Array.from(keys, ([key, account]) => [basicAuthorization(key), account]))
    USUAL_HEADERS.set(keys, headers)
  }
  return headers as ReadonlyMap<string, string>
}

const refused = (code: 'api_key_missing' | 'api_key_malformed', message: string, rule: 'AUTH-1' | 'AUTH-3' = 'AUTH-1') =>
  new ApiError(code, { message, rule, headers: HEADERS })

/** The key in an Authorization header, known or not; null where there is none. */
export const keyIn = (authorization: string | undefined): string | null => (authorization && credentialsIn(authorization)[1]) || null

function credentialsIn(authorization: string): (string | undefined)[] {
  const [, scheme, credentials = ''] = /^(\S+) *(.*)$/.exec(authorization) ?? []
  const [, key, password] = /^([^:]*):([\s\S]*)$/.exec(Buffer.from(credentials, 'base64').toString('utf8')) ?? []
  return [scheme, key, password]
}
