/** `check --against` another emulator, or a service behind a proxy that changes its responses. */
import { join } from 'node:path'
import type { Test } from 'tap'
import { SAYS } from '../../src/cli/sentences.js'
import { ran } from './command.js'
import { smallFixture, startTestEmulator } from './emulator.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const TICKETS = Array.from({ length: 12 }, (_, index) => ({
  id: `tkt_${index}`,
  location: 'loc_a',
  reference: `N-${index}`,
  created: `2026-01-0${(index % 9) + 1}T00:00:00Z`
}))
const USER = { id: 'usr_a', account: 'mch_a', name: 'Ana', email: 'ana@example.com' }
/** The common part of these scenarios and services. */
export const DATA = smallFixture({ users: [USER], transactions: [CHARGE], tickets: TICKETS })
export const KEYS = ['--key', 'sk_merchant', '--key', 'sk_reseller=sk_reseller']

/**
 * A scenario's request from a text such as `made: POST /refunds transaction=${txn_a} amount=5 →
 * 400`.
 */
export function ask(text: string) {
  const [, as, call = '', names = '', status] =
    /^(?:(\w+): )?(\S+ \S+)(?: (\S+=.*?))?(?: → (\d+))?$/.exec(text) ?? []
  const sent = names && {
    [call.startsWith('POST') ? 'body' : 'query']: Object.fromEntries(
      new URLSearchParams(names.replaceAll(' ', '&'))
    )
  }
  return {
    ...(as && { as }),
    do: call,
    ...(sent || {}),
    ...(status && { expect: { status: Number(status) } })
  }
}

export type Passing = {
  method: string
  path: string
  status: number
  type: string
  id: string
  text: string
}
type Service = (path: string, request: RequestInit) => Promise<Passing>

/** Services by origin, which `fetch` reaches without a socket. */
const SERVICES = new Map<string, Service>()
const fetchAnywhere = globalThis.fetch
globalThis.fetch = async (address, request = {}) => {
  const { origin, pathname, search } = URL.canParse(String(address))
    ? new URL(String(address))
    : { origin: '', pathname: '', search: '' }
  const answer = SERVICES.get(origin)
  if (answer === undefined) return fetchAnywhere(address, request)
  const { status, type, id, text } = await answer(`${pathname}${search}`, request)
  const body = status === 204 ? null : Buffer.from(text)
  return new Response(body, {
    status,
    headers: { 'request-id': id, ...(type && { 'content-type': type }) }
  })
}
function reachable(answer: Service): string {
  const origin = `http://service-${SERVICES.size}.test`
  SERVICES.set(origin, answer)
  return origin
}

export async function service(t: Test, settings: object = {}, more: object = {}): Promise<string> {
  const scenario = { data: DATA, clock: '2026-03-01T10:00:00Z', ...more }
  const { inject } = await startTestEmulator(t, {
    scenario,
    settings,
    logged: false,
    machine: Date.now
  })
  const origin = reachable(async (path, { method = 'GET', headers, body }) => {
    const {
      status,
      headers: given,
      text
    } = await inject({
      method: method as 'GET',
      url: path,
      headers: headers as Record<string, string>,
      ...(body && { payload: String(body) })
    })
    return {
      method,
      path,
      status,
      type: String(given['content-type'] ?? ''),
      id: String(given['request-id'] ?? ''),
      text
    }
  })
  return `${origin}/next`
}

/** A service in front of another, which changes its responses. Returns its origin. */
export function proxied(base: string, change: (passing: Passing) => void): string {
  const behind = SERVICES.get(new URL(base).origin) as Service
  return reachable(async (path, request) => {
    const passing = await behind(path, request)
    change(passing)
    return passing
  })
}

/** The kind of a title: a defect, explained by settings, or other data. */
function causeOf(title: string): string {
  if (title === SAYS.differently()) return 'wrong'
  if (title === SAYS.other_data()) return 'data'
  const [before, after] = SAYS.by_setting(['|']).split('|') as [string, string]
  return title.startsWith(before) ? title.slice(before.length, title.length - after.length) : title
}

/**
 * The result of `check --against`: failures and warnings by number of the play, and the exit
 * status. Titles of warnings begin with `! `.
 */
export async function against(t: Test, base: string, scenario: object, args: string[] = []) {
  const file = join(
    t.testdir({
      'own.json': JSON.stringify({ data: DATA, clock: '2026-03-01T10:00:00Z', ...scenario })
    }),
    'own.json'
  )
  const variables = ['txn_a', 'tkt_a', 'loc_a', 'mch_a'].flatMap(id =>
    args.some(arg => arg.startsWith(`${id}=`)) ? [] : ['--var', `${id}=${id}`]
  )
  const { status, stdout, stderr } = await ran([
    'check',
    file,
    '--against',
    base,
    ...KEYS,
    ...variables,
    ...args
  ])
  const found: Record<string, string[]> = {}
  let title = ''
  for (const line of stdout.split('\n')) {
    const [, sign, text = ''] = /^ {2}([✗!✓]) (.*)$/.exec(line) ?? []
    if (sign !== undefined) title = `${sign === '!' ? '! ' : ''}${causeOf(text)}`
    else if (line === '') title = ''
    if (sign === '✗' || sign === '!') {
      found[title] = []
    } else if (line.startsWith('      ')) {
      const problem = line
        .trim()
        .replace(`${file}:`, '')
        .replace(/^\d+:\d+ /, '')
      found[title]?.push(problem.replace(/^play (\d+)\. \S+ [^\s:]+/, '$1'))
    }
  }
  const failures = Object.entries(found).flatMap(([cause, problems]) =>
    cause.startsWith('!') ? [] : problems
  )
  return { status, stdout, stderr, found, titles: Object.keys(found), failures }
}
