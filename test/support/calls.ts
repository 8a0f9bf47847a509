/** Requests of the fuzzer for the small fixture: valid ones with a change or two, many refused. */
import fc from 'fast-check'
import { apiCall as drawnCall } from '../fuzz/api-calls.js'
import { Draws } from '../fuzz/draws.js'
import { KEYS } from '../fuzz/secrets.js'
import { authorization, MERCHANT, RESELLER } from './requests.js'

export type Call = {
  of: 'api' | 'control'
  on: string
  body: string | undefined
  headers: Record<string, string>
}

/** Records that the requests name, in addition to the small fixture. */
export const RECORDS = {
  users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }],
  transactions: [
    {
      id: 'txn_a',
      ticket: 'tkt_a',
      payment_type: 'external',
      payment_method: { type: 'external' },
      amount: 100
    },
    {
      id: 'txn_none',
      ticket: 'tkt_a',
      payment_type: 'external',
      payment_method: { type: 'external' },
      amount: 0
    }
  ],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 10 }]
}
const IDS = {
  locations: ['loc_a', 'none'],
  accounts: ['mch_a', 'mch_a', 'rsl_r'],
  users: ['usr_a', 'usr_a', '__proto__'],
  tickets: ['tkt_a'],
  transactions: ['txn_a', 'txn_a', 'txn_none'],
  refunds: ['rfd_a', 'rfd_a', 'none']
}
/** The keys of the fuzzer's scenarios, and those of the small fixture. */
const OWN_KEYS = new Map(
  KEYS.map((key, nth) => [authorization(key), authorization(nth < 2 ? MERCHANT : RESELLER)])
)

export const apiCall: fc.Arbitrary<Call> = fc
  .tuple(fc.nat(), fc.nat(1_000_000))
  .map(([seed, nth]) => drawnCall(new Draws(seed, nth), IDS))
  // sent alike in process and by the engine
  .filter(({ method, path }) => /^(GET|POST|PUT|DELETE)$/.test(method) && /^\/[a-z]/.test(path))
  .map(({ method, path, headers, body }): Call => {
    const { authorization: given, 'content-type': type, 'content-encoding': encoding } = headers
    return {
      of: 'api',
      on: `${method} ${path}`,
      body: body && method.startsWith('P') ? body.toString() : undefined,
      headers: {
        ...(given && { authorization: OWN_KEYS.get(given) ?? given }),
        ...(body && method.startsWith('P') && type && { 'content-type': type }),
        ...(encoding && { 'content-encoding': encoding })
      }
    }
  })
