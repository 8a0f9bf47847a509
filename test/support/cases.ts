/** The cases of the table played in an emulator of this process, each on a sandbox of its own state. */
import type { Test } from 'tap'
import { type Case, type RuleId, STOPS } from '../contract/case.js'
import { Performance, type Sent, type Target } from '../contract/performing.js'
import { type Answer, MERCHANT, NOW, RESELLER, smallFixture, startTestEmulator } from './emulator.js'
import type { Json } from './json.js'

/** Two Locations: a Ticket of a month ago is at one, the newest at the other. */
const LOCATIONS = ['loc_a', 'loc_b'].map(id => ({ id, account: 'mch_a', display_name: id, address: { country: 'US' } }))
const TICKETS = [
  { id: 'tkt_a', location: 'loc_a', reference: 'T-1', created: '2026-02-01T10:00:00Z' },
  { id: 'tkt_b', location: 'loc_b', reference: 'T-2', created: NOW }
]
const KEYS = { merchant: MERCHANT, reseller: RESELLER }

const basic = (name: string, password = '') => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
const nested = (settings: Readonly<Record<string, unknown>>) => {
  const document: Record<string, Json> = {}
  for (const [key, value] of Object.entries(settings)) {
    const steps = key.split('.')
    const last = steps.pop() as string
    steps.reduce((parent, step) => (parent[step] ??= {}), document)[last] = value
  }
  return document
}

/** A call of a case that was made. */
export type Played = { answer: Answer; sent: Sent; performance: Performance<Answer> }
/** Whether a field has no value. */
export const isUnset = (value: unknown): boolean => value === null || value === undefined

/** Starts an emulator that plays cases. */
export async function startCases(t: Test) {
  const emulator = await startTestEmulator(t, { logged: false })
  const { control, inject, call } = emulator
  let calls = 0
  let last: Sent | undefined

  const send = async (sent: Sent): Promise<Answer> => {
    const { on, body, query, key = 'merchant', headers = {}, outside } = sent
    const [method, path] = on.split(' ') as ['POST', string]
    const authorization = key !== null && (typeof key === 'string' ? basic(KEYS[key]) : basic(key.name, key.password))
    last = sent
    return inject({
      method,
      url: `${outside ? '' : '/next'}${path}${query === undefined ? '' : `?${query}`}`,
      headers: {
        ...(authorization && { authorization }),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers
      },
      ...(body !== undefined && { payload: body })
    })
  }
  const found = (path: string) => async () => (await call(`GET ${path}`)).body
  const ticket = found('/tickets/tkt_a')
  const target: Target<Answer> = {
    send,
    known: { ticket, older_ticket: ticket, ticket_there: ticket, newest_ticket: found('/tickets/tkt_b'), place: found('/locations/loc_a') },
    unique: () => `n${++calls}`,
    constants: { merchant_key: MERCHANT }
  }

  /** Loads what the case gives, makes what it needs, and says how to go on. */
  const prepared = async (each: Case): Promise<Performance<Answer>> => {
    const data = { ...smallFixture(each.records), locations: LOCATIONS, tickets: [...TICKETS, ...(each.records?.tickets ?? [])] }
    const { status, text } = await control('POST /load', { scenario: { clock: NOW, settings: nested(each.settings ?? {}), data } })
    if (status !== 200) throw new Error(`${each.title}: the state could not be loaded: ${text}`)
    const performance = new Performance(target)
    await performance.prepare(each)
    return performance
  }
  const called = async (performance: Performance<Answer>, { call }: Case): Promise<Played> => {
    const answer = await performance.call(call)
    return { answer, sent: last as Sent, performance }
  }
  return { ...emulator, target, prepared, called }
}

const isBracketed = (text: string | undefined) =>
  (text ?? '').split('&').some(pair => /^[^=]+\[[^\]]+\]/.test(decodeURIComponent(pair.split('=')[0] as string)))
const LIST = /^GET \/(locations|accounts|tickets|transactions|refunds|accounts\/[^/]+\/users)\/?$/

/** The rules of the way in that a call keeps: all that it shows, or those that were decided when it was refused. */
export function wayIn({ blames, decoded }: Case, { on, body, query }: Sent): RuleId[] {
  const stopped = blames && !decoded && STOPS[blames[1]]
  if (stopped) return [...stopped]
  return [
    'BASE-1',
    ...(on === 'POST /transactions' ? [] : (['AUTH-1', 'AUTH-3'] as const)),
    ...(on.startsWith('POST') && body ? (['FORM-1'] as const) : []),
    ...(isBracketed(body) || isBracketed(query) ? (['FORM-2'] as const) : []),
    ...(LIST.test(on) && query ? (['FORM-3'] as const) : [])
  ]
}
