/** The nth request of a run. */
import { apiCall, type Call, type KnownIds } from './api-calls.js'
import { controlCall, SANDBOXES } from './control-calls.js'
import { Draws, listed } from './draws.js'
import { type Raw, rawOf } from './raw-bytes.js'
import { encoded, hostileText } from './values.js'

/** Sent by an HTTP client, or as bytes over a bare socket. */
export type FuzzRequest = { nth: number } & (
  | { over: 'http'; call: Call }
  | { over: 'socket'; raw: Raw }
)

const HOSTILE_NAMES = [
  ...listed(
    '¦.¦..¦%2e%2e¦...¦-¦_¦%00¦%ff¦%¦%2f¦a%2fb¦a b¦%20¦__proto__¦constructor¦toString¦next¦_control¦sandbox¦%C3%A9¦%F0%9F%8D%B7¦one%00¦one/¦one/../two',
    'one;a=b¦one?¦CON¦a:b¦a\\b¦%252e¦~¦*¦0¦one.json'
  ),
  'a'.repeat(64),
  'a'.repeat(65),
  'a'.repeat(9000)
]
const sandboxName = (draws: Draws) =>
  draws.way([
    [12, () => draws.pick(SANDBOXES)],
    [4, () => draws.pick(HOSTILE_NAMES)],
    [1, () => encoded(hostileText(draws).replace(/\d/g, '0'), draws)]
  ])

function callOf(draws: Draws, ids: KnownIds, makesControl: boolean): Call {
  const isControl = makesControl && draws.chance(35)
  const call = isControl ? controlCall(draws) : apiCall(draws, ids)
  const prefix = draws.chance(30) ? `/sandbox/${sandboxName(draws)}` : ''
  const right = isControl ? '/_control' : '/next'
  const base = draws.chance(98)
    ? right
    : draws.pick(['', '/', '/v1', '/NEXT', '/next/next', '/_control/next', '/nextx', '/_controlx'])
  return { ...call, path: `${prefix}${base}${call.path}`.replace(/[^\x21-\x7e]/g, '?') || '/' }
}

export function requestOf(seed: number, nth: number, ids: KnownIds): FuzzRequest {
  const draws = new Draws(seed, nth)
  if (draws.chance(65)) return { nth, over: 'http', call: callOf(draws, ids, true) }
  const call = () => withoutUsedSecrets(callOf(draws, ids, false))
  return { nth, over: 'socket', raw: rawOf(call(), call, draws) }
}

/** A request without secrets, and without HEAD, whose response looks truncated. */
function withoutUsedSecrets(call: Call): Call {
  const plain = (text: string) => text.replace(/zq[a-z0-9]{14}qz|4539\d{12}/g, 'x')
  return {
    ...call,
    method: call.method === 'HEAD' ? 'GET' : call.method,
    path: plain(call.path),
    body: call.body && Buffer.from(plain(call.body.toString('latin1')), 'latin1')
  }
}
