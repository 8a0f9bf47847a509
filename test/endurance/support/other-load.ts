/**
 * Load other than API clients: loads of scenarios, deleted sandboxes, event streams, verify
 * requests that wait, and hostile senders.
 */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { smallFixture } from '../../support/emulator.js'
import { exchanged } from '../../support/socket.js'
import type { Answer, Client } from './emulator.js'
import { foreignMarks, type Round, SCENARIO } from './load.js'
import { type Random, random } from './options.js'

/** How many of each kind run at once. */
const KINDS: readonly [count: number, run: (round: Round, nth: number) => Promise<void>][] = [
  [2, churn],
  [3, wait],
  [6, stream],
  [2, disturb]
]

export async function otherLoad(round: Round, loaded: readonly LoadedSandbox[]): Promise<void> {
  await Promise.all([
    ...loaded.map(sandbox => load(round, sandbox)),
    ...KINDS.flatMap(([count, run]) => Array.from({ length: count }, (_, nth) => run(round, nth)))
  ])
}

const choicesOf = ({ round }: Round, what: string): Random => random(`${what} ${round}`)

const ticketsOf = (count: number, location = 'loc_a') =>
  Array.from({ length: count }, (_, nth) => ({ id: `tkt_${nth}`, location, reference: `T-${nth}` }))
const scenario = (more: object) =>
  JSON.stringify({ scenario: { data: { ...smallFixture(), ...more } } })
type Document = readonly [body: string, type?: string]
const DOCUMENTS: readonly Document[] = [
  ['{"scenario":"load"}'],
  ['{"scenario":"split-bill"}'],
  ['{"scenario":"thousand-ticket-day"}'],
  [scenario({ tickets: ticketsOf(3000) })],
  [JSON.stringify({ data: { ...smallFixture(), tickets: ticketsOf(300) } }), 'application/yaml']
]
const REFUSED: readonly (readonly [status: number, code: string, ...document: Document])[] = [
  [400, 'document_invalid', scenario({ tickets: [...ticketsOf(2000), ...ticketsOf(1, 'none')] })],
  [400, 'document_invalid', 'data:\n  tickets: [\n', 'application/yaml'],
  [400, 'body_malformed', JSON.stringify({ scenario: SCENARIO }).slice(0, -20)],
  [404, 'scenario_unknown', '{"scenario":"no-such-scenario"}']
]

export class LoadedSandbox {
  readonly name: string
  #allowed: string[] = []
  #countsOf: readonly string[] = []

  constructor(name: string) {
    this.name = name
  }

  /** Loads each document once and reads its counts; the first is the start scenario. */
  async learn(client: Client): Promise<void> {
    const found: string[] = []
    for (const [body, type] of DOCUMENTS) {
      await client.call('POST /_control/load', body, type)
      found.push(await countsIn(client))
    }
    this.#countsOf = found
    this.#allowed = [found.at(-1) as string]
  }

  /** Loads a document, an invalid document, or only checks one. Returns problems. */
  async load({ call }: Client, { below, chance, of }: Random): Promise<string[]> {
    if (chance(0.2)) {
      const [status, code, ...document] = of(REFUSED)
      const answer = await call('POST /_control/load', ...document)
      const isRight = answer.status === status && answer.body.error?.code === code
      return isRight ? [] : [`${this.name}: must be ${status} ${code}; got ${shown(answer)}`]
    }
    const nth = below(DOCUMENTS.length)
    const isDry = chance(0.2)
    const target = this.#countsOf[nth] as string
    if (!isDry) this.#allowed = [...this.#allowed, target]
    const on = `POST /_control/load${isDry ? '?dry_run=1' : ''}`
    const answer = await call(on, ...(DOCUMENTS[nth] as Document))
    if (!isDry) this.#allowed = [target]
    return answer.status === 200 ? [] : [`${this.name}: document ${nth}: ${shown(answer)}`]
  }

  async audit(client: Client): Promise<string[]> {
    const counts = await countsIn(client)
    const problems = this.#allowed.includes(counts)
      ? []
      : [`${this.name} holds ${counts}, and not ${this.#allowed.join(' or ')}`]
    this.#allowed = [counts]
    return problems
  }
}

const countsIn = async ({ call }: Client): Promise<string> =>
  JSON.stringify((await call('GET /_control')).body.counts)
const shown = ({ status, text }: Answer) => `${status} ${text.slice(0, 200)}`

async function load(current: Round, sandbox: LoadedSandbox): Promise<void> {
  const { port, watch, pauseMs } = current
  const choices = choicesOf(current, sandbox.name)
  const client = watch.client(port, sandbox.name)
  await watch.repeat(async () => {
    watch.wrong(...(await sandbox.load(client, choices)))
    watch.wrong(...(await sandbox.audit(client)))
    watch.count('loads')
    await sleep(choices.below(40 * pauseMs))
  })
  client.close()
}

const MAY_BE_GONE: readonly unknown[] = ['sandbox_unknown', 'snapshot_unknown']

async function churn(current: Round, index: number): Promise<void> {
  const name = `churned-${index}`
  const { port, watch, pauseMs } = current
  const { of, below } = choicesOf(current, name)
  const clients = Array.from({ length: 4 }, () => watch.client(port, name))
  const remove = `DELETE /_control/sandboxes/${name}`
  const [make, put] = ['GET /next/tickets', 'PUT /_control/snapshots/a']
  const calls = [
    remove,
    make,
    put,
    'PUT /_control/snapshots/b',
    'POST /_control/snapshots/a/restore',
    'DELETE /_control/snapshots/b',
    'POST /_control/reset'
  ]
  const [first] = clients as [Client]
  await watch.repeat(async () => {
    await first.call(put)
    await Promise.all(
      clients.map(async ({ call }, nth) => {
        // snapshots of the old and the new sandbox are written during the deletion
        for (const on of [
          [put, remove, make, put][nth] as string,
          of(calls),
          of(calls),
          of(calls)
        ]) {
          const answer = await call(on)
          // the watch reports 500 and above
          if (
            answer.status >= 300 &&
            answer.status < 500 &&
            !MAY_BE_GONE.includes(answer.body.error?.code)
          )
            watch.wrong(`${name}: ${on} was answered ${shown(answer)}`)
        }
      })
    )
    await first.call(remove)
    await first.call(make)
    const left = (await first.call('GET /_control/snapshots')).text
    if (left !== '{"data":[]}') watch.wrong(`${name}, made again, has the snapshots ${left}`)
    watch.count('sandboxes made again')
    await sleep(below(20 * pauseMs))
  })
  for (const { close } of clients) close()
}

const KEPT_MS = 300
const VERIFY_KINDS = ['satisfied', 'left', 'not satisfied'] as const

/** Verify requests that are satisfied, given up, or left by their client. */
async function wait(current: Round, index: number): Promise<void> {
  const name = `waiting-${index}`
  const { port, watch, pauseMs } = current
  const { below } = choicesOf(current, name)
  const [waiter, payer] = [watch.client(port, name), watch.client(port, name)]
  let nth = 0
  await payer.call('GET /next/tickets').catch(error => watch.broken(error))
  await watch.repeat(async () => {
    // the journal must not overflow, or a verify request cannot be judged
    if (nth++ % 100 === 0) await payer.call('POST /_control/reset')
    const guest = `guest ${current.round} ${nth}`
    const asked = (within: string) =>
      JSON.stringify({
        on: 'POST /transactions',
        match: { body: { 'customer[name]': guest } },
        times: 1,
        within
      })
    const pay = () =>
      payer.call(
        'POST /next/transactions',
        `ticket=tkt_a&payment_type=external&amount=100&customer[name]=${guest.replaceAll(' ', '+')}`
      )
    const kind = VERIFY_KINDS[nth % VERIFY_KINDS.length]
    if (kind === 'left') {
      await fetched(
        port,
        `/sandbox/${name}/_control/verify`,
        AbortSignal.timeout(20 + below(KEPT_MS)),
        answer => answer.text(),
        asked('30s')
      )
    } else {
      const since = performance.now()
      const waiting = waiter.call(
        'POST /_control/verify',
        asked(kind === 'satisfied' ? '20s' : `${KEPT_MS}ms`)
      )
      // handled below; a kill may break both requests
      waiting.catch(() => {})
      if (kind === 'satisfied') {
        await sleep(below(KEPT_MS))
        await pay()
      }
      const answer = await waiting
      const ms = performance.now() - since
      const expected = kind === 'satisfied' ? [200, true] : [409, false]
      if (answer.status !== expected[0] || answer.body.holds !== expected[1])
        watch.wrong(`${name}: a verify call that is ${kind} was answered ${shown(answer)}`)
      // timers of Node.js may be a millisecond early
      if (kind === 'not satisfied' && ms < KEPT_MS - 2)
        watch.wrong(`${name}: a verify call gave up after ${ms} of ${KEPT_MS} ms`)
    }
    watch.count(`verify calls ${kind}`)
    await sleep(below(4 * pauseMs))
  })
  waiter.close()
  payer.close()
}

async function fetched(
  port: number,
  path: string,
  signal: AbortSignal,
  read: (answer: Response) => unknown,
  body?: string
): Promise<void> {
  const given =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  try {
    await read(await fetch(`http://127.0.0.1:${port}${path}`, { ...given, signal }))
  } catch (error) {
    if (!signal.aborted) throw (error as Error).cause ?? error
  }
}

const TIRED_MS = 1500

const EVENT = /^(: .*|id: req_\d+\nevent: request\ndata: \{.*\}|event: clear\ndata: \{\})$/

/** Opens event streams; some are never read, and some are closed after a while. */
async function stream(current: Round, index: number): Promise<void> {
  const { port, watch, places } = current
  const { of, below } = choicesOf(current, `stream ${index}`)
  const kind = ['read', 'never read', 'left'][index % 3]
  await watch.repeat(async () => {
    const { name, nth } = of(places)
    const shown = name ?? 'base'
    watch.count(`event streams ${kind}`)
    const until = Date.now() + (kind === 'left' ? below(TIRED_MS) : Number.POSITIVE_INFINITY)
    const over = new AbortController()
    const look = setInterval(
      () => (watch.isOver || watch.isDown || Date.now() > until) && over.abort(),
      50
    )
    await fetched(
      port,
      `${name === null ? '' : `/sandbox/${name}`}/_control/events`,
      over.signal,
      async answer => {
        if (answer.status !== 200) {
          const text = await answer.text()
          return watch.see(
            'GET /_control/events',
            { status: answer.status, text, body: JSON.parse(text) },
            { name, nth }
          )
        }
        if (kind === 'never read') return once(over.signal, 'abort')
        let text = ''
        // a stream ends with its sandbox, with its process, or because it was not read
        for await (const chunk of Readable.fromWeb(answer.body as never)
          .setEncoding('utf8')
          .on('error', () => {})) {
          const events = (text + chunk).split('\n\n')
          text = events.pop() as string
          watch.count('events', events.length)
          for (const event of events) {
            const foreign = foreignMarks(event, nth)
            if (foreign.length > 0)
              watch.wrong(`${shown}: an event shows ${foreign.slice(0, 5)} of another sandbox`)
            if (!EVENT.test(event)) watch.wrong(`${shown}: an event is ${event.slice(0, 200)}`)
          }
        }
      }
    ).finally(() => clearInterval(look))
    await sleep(50)
  })
}

const FORM = 'content-type: application/x-www-form-urlencoded'
const JSON_TYPE = 'content-type: application/json'
const head = (line: string, ...fields: string[]) =>
  [`${line} HTTP/1.1`, 'host: localhost', ...fields, '', ''].join('\r\n')
const closing = (line: string, ...fields: string[]) => head(line, 'connection: close', ...fields)
/** Bytes for a connection, and the expected status; null if the sender gives up. */
const HOSTILE_BYTES: readonly (readonly [status: number | null, text: string])[] = [
  [null, ''],
  [null, 'POST /next/transactions HTTP/1.1\r\nhost: localhost\r\nx-slow: '],
  [null, `${head('POST /sandbox/hostile/next/transactions', FORM, 'content-length: 999')}ticket=`],
  [null, `${head('POST /_control/load', JSON_TYPE, 'content-length: 60000000')}{"scenario":`],
  [400, '\0\x01\x02 no HTTP at all\r\n\r\n'],
  [413, `${closing('POST /_control/load', JSON_TYPE, 'content-length: 99999999')}{`],
  [417, closing('GET /next/tickets', 'expect: the-impossible')],
  [431, head('GET /next/tickets', `x-long: ${'x'.repeat(20_000)}`)]
]
const SLOW_MS = 2000

async function disturb(current: Round, index: number): Promise<void> {
  const { port, watch, pauseMs } = current
  const { of, below } = choicesOf(current, `hostile ${index}`)
  await watch.repeat(async () => {
    const [status, sent] = of(HOSTILE_BYTES)
    const until = Date.now() + below(SLOW_MS)
    const answer = await exchanged(port, sent, socket => {
      if (status !== null) return
      // another byte now and then, until the connection is closed
      const dribble = setInterval(
        () => (Date.now() > until || watch.isOver ? socket.destroy() : socket.write('a')),
        100
      )
      socket.on('close', () => clearInterval(dribble))
    })
    watch.count('hostile senders')
    // the sender of a body that is too large may be disconnected before it has read the response
    const isCutOff = answer === '' && status === 413
    if (status !== null && !isCutOff && !watch.isDown) {
      const [head = '', text = ''] = answer.split('\r\n\r\n')
      const [, found] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? []
      const on = JSON.stringify(sent.slice(0, 60))
      if (Number(found) !== status)
        watch.wrong(`${on} was answered ${answer.slice(0, 300)} instead of ${status}`)
      else watch.see(on, { status, text, body: JSON.parse(text) }, { name: null, nth: null })
    }
    await sleep(below(10 * pauseMs))
  })
}
