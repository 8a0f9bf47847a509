/** `check --against` another emulator, or a proxy before one that changes what it answers. */
import { join } from 'node:path'
import type { Test } from 'tap'
import { runEmulator } from '../../src/emulator.js'
import { ran, serving } from './command.js'
import { smallFixture } from './emulator.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const TICKETS = Array.from({ length: 12 }, (_, index) => ({
  id: `tkt_${index}`,
  location: 'loc_a',
  reference: `N-${index}`,
  created: `2026-01-0${(index % 9) + 1}T00:00:00Z`
}))
const USER = { id: 'usr_a', account: 'mch_a', name: 'Ana', email: 'ana@example.com' }
/** What the scenarios and the services of these tests begin with. */
export const DATA = smallFixture({ users: [USER], transactions: [CHARGE], tickets: TICKETS })
export const KEYS = ['--key', 'sk_merchant', '--key', 'sk_reseller=sk_reseller']

/** Another emulator with the same records. */
export async function service(t: Test, settings: object = {}, more: object = {}): Promise<{ baseUrl: string; close: () => Promise<void> }> {
  const emulator = await runEmulator({ scenario: { data: DATA, clock: '2026-03-01T10:00:00Z', ...more }, settings })
  t.teardown(() => emulator.close())
  return emulator
}

/** An answer on its way through a proxy. */
export type Passing = { method: string; path: string; status: number; type: string; id: string; text: string }

/** A proxy before a service, that changes its answers. */
export async function proxied(t: Test, baseUrl: string, change: (passing: Passing) => void): Promise<string> {
  return serving(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { authorization, 'content-type': type } = request.headers
    const answer = await fetch(`${new URL(baseUrl).origin}${request.url}`, {
      method: request.method as string,
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) })
    })
    const passing = {
      method: request.method as string,
      path: request.url as string,
      status: answer.status,
      type: answer.headers.get('content-type') ?? '',
      id: answer.headers.get('request-id') ?? '',
      text: await answer.text()
    }
    change(passing)
    response.writeHead(passing.status, { 'request-id': passing.id, ...(passing.type && { 'content-type': passing.type }) }).end(passing.text)
  })
}

/** What `check --against` says of a scenario: its failures and warnings with their problems, without places, and the exit status. */
export async function against(t: Test, base: string, scenario: object, args: string[] = []) {
  const file = join(t.testdir({ 'own.json': JSON.stringify({ data: DATA, clock: '2026-03-01T10:00:00Z', ...scenario }) }), 'own.json')
  const variables = ['txn_a', 'tkt_a', 'loc_a', 'mch_a'].flatMap(id => (args.some(arg => arg.startsWith(`${id}=`)) ? [] : ['--var', `${id}=${id}`]))
  const { status, stdout, stderr } = await ran(['check', file, '--against', base, ...KEYS, ...variables, ...args])
  const found: Record<string, string[]> = {}
  let title = ''
  for (const line of stdout.split('\n')) {
    const [, sign, text] = /^ {2}([✗!]) (.*)$/.exec(line) ?? []
    if (sign !== undefined) title = `${sign} ${text}`
    if (sign !== undefined) found[title] = []
    else if (line.startsWith('      ')) {
      const problem = line.trim().replace(`${file}:`, '')
      found[title]?.push(problem.replace(/^\d+:\d+ /, ''))
    }
  }
  return { status, stdout, stderr, found, titles: Object.keys(found) }
}
