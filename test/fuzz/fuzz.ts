/**
 * A run: sends hostile requests drawn from a seed, checks every response, and at the end the
 * process itself.
 */
import { cp } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { basic, type Call, type KnownIds } from './api-calls.js'
import { Client, type Outcome } from './client.js'
import { FAULTED } from './control-calls.js'
import { faultsOf } from './judge.js'
import { bytesOf } from './raw-bytes.js'
import { type FuzzRequest, requestOf } from './requests.js'
import { type FuzzTarget, type Memory, startTarget } from './target.js'

export type FuzzOptions = {
  seed: number
  count: number
  /** The first request; a request depends only on the seed and its number. */
  first?: number
  lanes?: number
  /**
   * An empty folder for state and snapshots, from which another process continues; null keeps all
   * in memory.
   */
  folder?: string | null
  tell?: (line: string) => void
}
export type Finding = { nth: number | null; faults: string[]; request: string; answer: string }
type Wrong = (fault: string, answer?: string) => void
export type Report = {
  seed: number
  requests: number
  /** How often each status was returned; `none` for requests without a response. */
  statuses: Record<string, number>
  findings: Finding[]
  /** After a part of the run and at its end, both with the same small state. */
  memory: { before: Memory; after: Memory }
  seconds: number
}

const MEBIBYTE = 1_048_576
/** Maximum heap growth after a fifth of the run: compiled code and fixed caches. */
const HEAP_GROWTH = 12 * MEBIBYTE
/** Memory beyond the heap, such as retained buffers. */
const RSS_GROWTH = 256 * MEBIBYTE
const LANES = 8
const MOST_FINDINGS = 40
const MOST_SHOWN = 4000

export async function fuzz(options: FuzzOptions): Promise<Report> {
  const began = Date.now()
  const { seed, count, first = 0, folder = null } = options
  const target = await startTarget(folder)
  const run = new Run(options, target, await knownIds(target))
  const { findings, statuses } = run
  const memory = { before: { heap: 0, rss: 0 }, after: { heap: 0, rss: 0 } }
  try {
    await run.upTo(first + Math.ceil(count / 5))
    await settle(target, run.wrong)
    memory.before = await target.memory()
    await run.upTo(first + count)
    if (folder !== null) await checkRestart(target, folder, run.wrong)
    await settle(target, run.wrong)
    memory.after = await target.memory()
    const { before, after } = memory
    if (after.heap > before.heap + HEAP_GROWTH)
      run.wrong(`the heap grew from ${before.heap} to ${after.heap} bytes`)
    if (after.rss > before.rss + RSS_GROWTH)
      run.wrong(`the process grew from ${before.rss} to ${after.rss} bytes`)
  } catch (error) {
    run.wrong(
      `the emulator cannot be asked any more: ${(error as Error).message} ${(error as Error).cause ?? ''}`
    )
  } finally {
    run.client.close()
    for (const fault of await target.stop()) run.wrong(fault)
  }
  return {
    seed,
    requests: run.next - first,
    statuses,
    findings,
    memory,
    seconds: (Date.now() - began) / 1000
  }
}

class Run {
  readonly #options: FuzzOptions
  readonly #target: FuzzTarget
  readonly #ids: KnownIds
  readonly client: Client
  readonly findings: Finding[] = []
  readonly statuses: Record<string, number> = {}
  next: number

  constructor(options: FuzzOptions, target: FuzzTarget, ids: KnownIds) {
    this.#options = options
    this.#target = target
    this.#ids = ids
    this.client = new Client(target.port, options.lanes ?? LANES)
    this.next = options.first ?? 0
  }

  async upTo(end: number): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.lanes ?? LANES }, () => this.#lane(end)))
  }

  readonly wrong: Wrong = (fault, answer = '') =>
    this.#found({ nth: null, faults: [fault], request: '', answer })

  async #lane(end: number): Promise<void> {
    while (this.next < end && !this.#target.hasEnded() && this.findings.length < MOST_FINDINGS) {
      const request = requestOf(this.#options.seed, this.next++, this.#ids)
      const outcome = await exchanged(request, this.client)
      for (const { status } of outcome.answers.length === 0
        ? [{ status: 'none' }]
        : outcome.answers)
        this.statuses[status] = (this.statuses[status] ?? 0) + 1
      const faults = faultsOf(outcome, request.over === 'http' ? request.call : null)
      if (faults.length > 0)
        this.#found({ nth: request.nth, faults, request: textOf(request), answer: outcome.text })
      if (request.nth % 1000 === 999) await checkState(this.#target, this.wrong)
      if (request.nth % 5000 === 4999) this.#options.tell?.(`${request.nth + 1} requests`)
    }
  }

  #found(finding: Finding): void {
    if (this.findings.push(finding) <= MOST_FINDINGS) this.#options.tell?.(shown(finding))
  }
}

/** Ids of the start scenario, and the first ids of any sandbox with its seed. */
async function knownIds({ call, port }: FuzzTarget): Promise<KnownIds> {
  const headers = {
    authorization: basic('sk_test_merchant:'),
    'content-type': 'application/x-www-form-urlencoded'
  }
  const create = async (path: string, body: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/next${path}`, {
      method: 'POST',
      headers,
      body
    })
    return ((await response.json()) as { id: string }).id
  }
  const state = JSON.parse((await call('GET /_control/state')).text) as Record<
    string,
    { id: string }[]
  >
  const ids: Record<string, string[]> = {}
  for (const family of ['locations', 'accounts', 'users', 'tickets', 'transactions', 'refunds'])
    ids[family] = (state[family] ?? []).slice(0, 8).map(({ id }) => id)
  for (let times = 0; times < 4; times++) {
    ids.locations?.push(await create('/locations', 'display_name=L&address[country]=US'))
    ids.accounts?.push(
      await create('/accounts', 'type=merchant&name=A&email=a@example.com&address[country]=US')
    )
    ids.users?.push(await create('/accounts/mch_bistro/users', 'name=U&email=u@example.com'))
    const transaction = await create(
      '/transactions',
      'ticket=tkt_1&payment_type=external&amount=100'
    )
    ids.transactions?.push(transaction)
    ids.refunds?.push(await create('/refunds', `transaction=${transaction}&amount=1`))
  }
  await call('POST /_control/reset')
  return ids
}

function exchanged(request: FuzzRequest, client: Client): Promise<Outcome> {
  if (request.over === 'socket') return client.send(request.raw)
  return client.call(request.call, { mayHang: isFaulted(request.call) })
}

/** A script may delay the request, or lose its response. */
function isFaulted({ method, path }: Call): boolean {
  const [, below] = /^(?:\/sandbox\/[^/?]*)?\/next(\/[^?]*)/.exec(path) ?? []
  return (
    below !== undefined &&
    FAULTED_PATHS.some(([its, pattern]) => its === method && pattern.test(decoded(below)))
  )
}

const FAULTED_PATHS = FAULTED.map(name => {
  const [method, path] = name.split(' ') as [string, string]
  return [method, new RegExp(`^${path.replace(/\{id\}/, '[^/]+')}/?$`, 's')] as const
})

function decoded(path: string): string {
  try {
    return decodeURIComponent(path.replace(/%2f/gi, '_'))
  } catch {
    return path
  }
}

async function checkState({ call }: FuzzTarget, wrong: Wrong): Promise<void> {
  const state = JSON.parse((await call('GET /_control/state')).text)
  // a setting that the run may have changed allows larger Refunds than by default
  const settings = { transactions: { refundable: 'amount_plus_extras' } }
  const { status, text } = await call('POST /_control/load?dry_run=1', {
    scenario: { data: state, settings }
  })
  if (status !== 200) wrong('the state cannot be loaded again', text)
}

async function checkRestart({ call }: FuzzTarget, folder: string, wrong: Wrong): Promise<void> {
  await call('PUT /_control/clock', { running: false })
  const { text } = await call('GET /_control/state')
  const copy = `${folder}/copy`
  await cp(`${folder}/data.json`, `${copy}/data.json`)
  const other = await startTarget(copy)
  const again = await other.call('GET /_control/state')
  if (again.text !== text)
    wrong('a process that goes on from the data folder has another state', again.text)
  for (const fault of await other.stop()) wrong(`after a restart: ${fault}`)
}

async function settle({ call, port }: FuzzTarget, wrong: Wrong): Promise<void> {
  await call('POST /_control/load', { scenario: 'default' })
  for (const { name } of JSON.parse((await call('GET /_control/sandboxes')).text).data)
    await call(`DELETE /_control/sandboxes/${encodeURIComponent(name)}`)
  for (const { name } of JSON.parse((await call('GET /_control/snapshots')).text).data)
    await call(`DELETE /_control/snapshots/${encodeURIComponent(name)}`)
  const usual = await fetch(`http://127.0.0.1:${port}/next/locations/loc_bistro`, {
    headers: { authorization: basic('sk_test_merchant:') }
  })
  const text = await usual.text()
  if (usual.status !== 200 || JSON.parse(text).display_name !== 'Bistro Nine')
    wrong(`a usual call is answered ${usual.status}`, text)
  // memory of earlier responses is released a moment later
  await sleep(300)
}

export function textOf(request: FuzzRequest): string {
  if (request.over === 'http') return bytesOf(request.call).toString('latin1')
  const { pieces, after } = request.raw
  return `${pieces.map(piece => (typeof piece === 'number' ? `<waits ${piece} ms>` : piece.toString('latin1'))).join('')}<${after}>`
}

const cut = (text: string) =>
  text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}… (${text.length} characters)` : text

export function shown({ nth, faults, request, answer }: Finding): string {
  const lines = [`FOUND ${nth === null ? '' : `in request ${nth}: `}${faults.join('; ')}`]
  if (request) lines.push(`  sent      ${JSON.stringify(cut(request))}`)
  if (answer) lines.push(`  answered  ${JSON.stringify(cut(answer))}`)
  return lines.join('\n')
}
