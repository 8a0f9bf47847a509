/**
 * Two processes under the same load: one is killed repeatedly and restarted on its data folder, the
 * other runs through. Nothing lost: each sandbox is compared with its clients' ledgers at each
 * start and pause; a request without a response may have taken effect or not. Nothing mixed up:
 * every value that a client sends names its sandbox. Memory flat: after each pause of the process
 * that runs through, the median of the last quarter is compared with the larger of the two before
 * it.
 */
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { documentsIn } from '../support/saved-states.js'
import { clientOf, launched, type Running, started } from './support/emulator.js'
import { auditAll, changeAll, placesOf, SCENARIO } from './support/load.js'
import { startNeighbour } from './support/neighbour.js'
import { figure, median, type Random, random, SEED } from './support/options.js'
import { LoadedSandbox, otherLoad } from './support/other-load.js'
import { Watch } from './support/watch.js'

const MINUTES = figure('MINUTES', { short: 0.05, long: 60 })
const KILL_SECONDS = figure('KILL_SECONDS', { short: 2, long: 60 })
/** A client's average pause, which leaves about half a core of two. */
const PAUSE_MS = figure('PAUSE_MS', { short: 40, long: 100 })
/** A neighbour's maximum wait: busy machines delay by a second, a frozen process by more. */
const NEIGHBOUR_MS = figure('NEIGHBOUR_MS', { short: 60_000, long: 5000 })
const LEAST_KILLS = 2
const DURATION_MS = MINUTES * 60_000
/** Time between pauses: about 24 samples of memory, or one a minute. */
const CHECK_MS = Math.min(60_000, Math.max(5000, DURATION_MS / 24))
/** With fewer samples a quarter is too small for a median. */
const LEAST_SAMPLES = 12
/** Maximum memory of the last quarter, relative to the two before. */
const MOST_GROWTH = 1.15
const NODE_FLAGS = ['--max-old-space-size=768']
/** Clients of each sandbox. A single client resets its sandbox itself. */
const CLIENTS = [3, 1, 4, 1, 2, 1, 1, 1, 1, 1, 1, 1]
const LARGE = 200
const MIB = 1024 ** 2

type Calls = (site: string, port: number | null) => void
type Sample = { rss: number; heap: number }

class Site {
  readonly watch = new Watch()
  readonly places = placesOf(CLIENTS)
  readonly loaded = [new LoadedSandbox('loaded-0'), new LoadedSandbox('loaded-1')]
  readonly samples: Sample[] = []
  readonly starts: number[] = []
  readonly times: number[] = []
  readonly name: string
  kills = 0
  checked = 0
  readonly #folder: string
  readonly #calls: Calls
  readonly #choices: Random
  #port = 0
  #round = 0
  #running: Running | null = null
  #complained = 0

  private constructor(folder: string, name: string, calls: Calls) {
    this.#folder = folder
    this.name = name
    this.#calls = calls
    this.#choices = random(name)
  }

  static async make(t: Test, name: string, calls: Calls): Promise<Site> {
    const folder = await mkdtemp(join(tmpdir(), 'endurance-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    await mkdir(join(folder, 'scenarios'))
    await writeFile(join(folder, 'scenarios', 'load.json'), JSON.stringify(SCENARIO))
    return new Site(folder, name, calls)
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  get #args(): string[] {
    const [scenarios, snapshots] = ['scenarios', 'snapshots'].map(one => join(this.#folder, one))
    const flags = `--scenario load --log-level error --set limits.shutdown=500`.split(' ')
    const port = this.#port === 0 ? [] : ['--port', String(this.#port)]
    const folders = ['--scenarios-dir', scenarios, '--snapshots-dir', snapshots] as string[]
    return [...flags, '--data', this.#data, ...folders, ...port]
  }

  /** Restarts on the same port, and compares everything with the responses. */
  async start(): Promise<void> {
    const { watch } = this
    const since = performance.now()
    const isFirst = this.#port === 0
    Object.assign(watch, { isStarting: true, isOver: false })
    const starting = started(this.#args, NODE_FLAGS)
    const early = isFirst ? Promise.resolve() : this.#callWhileStarting()
    this.#running = await starting
    this.#complained = 0
    this.#port = this.#running.port
    if (isFirst) for (const loaded of this.loaded) await this.#learn(loaded)
    else this.starts.push(performance.now() - since)
    watch.isOver = true
    await early
    Object.assign(watch, { isDown: false, isStarting: false })
    this.#calls(this.name, this.#port)
    await this.audit()
  }

  async #learn(loaded: LoadedSandbox): Promise<void> {
    const client = clientOf(this.#port, loaded.name)
    await loaded.learn(client)
    client.close()
  }

  /** Requests during the start are refused with 503 or served completely. */
  async #callWhileStarting(): Promise<void> {
    const { watch } = this
    while (!watch.isOver) {
      const client = watch.client(this.#port, null, 0)
      const isHere = await client.call('GET /_control/health').then(
        () => client.call('GET /next/tickets').then(() => true),
        () => false
      )
      client.close()
      if (isHere) watch.count('calls while starting')
      await sleep(5)
    }
  }

  async audit(): Promise<void> {
    const { watch, places } = this
    const { problems, facts } = await auditAll(this.#port, places)
    watch.wrong(...problems)
    this.checked += facts
    for (const loaded of this.loaded) {
      const client = watch.client(this.#port, loaded.name)
      await client.call('GET /next/tickets')
      watch.wrong(...(await loaded.audit(client)))
      client.close()
    }
    for (const { name, nth, ledger } of places) {
      if (ledger.size < LARGE) continue
      const client = watch.client(this.#port, name, nth)
      const { status } = await client.call('POST /_control/reset')
      if (status === 200) ledger.answered({ clears: true })
      client.close()
    }
  }

  async round(ms: number, signal?: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { watch, places, loaded } = this
    const round = { port: this.#port, round: ++this.#round, watch, places, pauseMs: PAUSE_MS }
    watch.isOver = false
    const ended = changeAll(round)
    // the log reports a large document that is truncated
    const others = signal === 'SIGTERM' ? null : otherLoad(round, loaded)
    await sleep(ms)
    if (signal) {
      await this.sample()
      this.#calls(this.name, null)
      watch.isDown = true
      const ending = await this.#running?.end(signal)
      if (ending !== (signal === 'SIGTERM' ? 0 : signal))
        watch.wrong(`${signal} ended the process with ${ending}`)
      this.kills++
    }
    watch.isOver = true
    await ended
    await others
    this.#complaints()
    if (signal) await this.#checkFile()
  }

  /** A process leaves a complete folder, and a start that is killed does not change it. */
  async #checkFile(): Promise<void> {
    const text = JSON.stringify(await documentsIn(this.#data))
    if (this.#choices.chance(0.5)) return
    const child = launched(this.#args)
    await sleep(this.#choices.below(1000))
    child.kill('SIGKILL')
    await once(child, 'exit')
    if (JSON.stringify(await documentsIn(this.#data)) !== text)
      this.watch.wrong('a start that was killed has changed the folder')
  }

  /** The lowest of a few memory samples, between which garbage may be collected. */
  async sample(): Promise<void> {
    const client = clientOf(this.#port, null)
    const found: Sample[] = []
    for (let n = 0; n < 3; n++) {
      const { text } = await client.call('GET /_control/metrics')
      const gauge = (name: string) =>
        Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]) / MIB
      found.push({
        rss: gauge('process_resident_memory_bytes'),
        heap: gauge('nodejs_heap_size_used_bytes')
      })
      await sleep(100)
    }
    client.close()
    this.samples.push({
      rss: Math.min(...found.map(({ rss }) => rss)),
      heap: Math.min(...found.map(({ heap }) => heap))
    })
  }

  async stop(): Promise<number | NodeJS.Signals | undefined> {
    this.#calls(this.name, null)
    const ending = await this.#running?.end('SIGTERM')
    this.#complaints()
    const left = (await readdir(this.#data)).filter(file => !file.endsWith('.json'))
    if (left.length > 0) this.watch.wrong(`no lock and no temporary file is left, but ${left}`)
    return ending
  }

  #complaints(): void {
    const lines = (this.#running?.complaints() ?? '').split('\n').slice(this.#complained, -1)
    this.#complained += lines.length
    this.watch.wrong(...lines.map(line => `stderr: ${line.slice(0, 1000)}`))
  }

  get line(): string {
    const { samples, name, kills, checked, times, watch } = this
    const { rss = 0, heap = 0 } = samples.at(-1) ?? {}
    const counts = [...watch.counts].map(([what, count]) => `${count} ${what}`).join(', ')
    return `${name}: ${kills} kills, ${checked} answered changes checked, ${rss.toFixed(0)} MiB resident, ${heap.toFixed(0)} MiB of heap, ${waits(times)}, ${counts}`
  }
}

const KINDS = [
  'changes',
  'loads',
  'sandboxes made again',
  'event streams read',
  'events',
  'hostile senders',
  'verify calls satisfied',
  'verify calls left'
]
const unseen = (watch: Watch) => KINDS.filter(what => watch.figure(what) === 0)

const waits = (times: readonly number[]) => {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
  return `neighbour ${at(0.5)}/${at(0.99)}/${at(1)} ms (p50/p99/max of ${sorted.length})`
}

const quarters = (samples: readonly Sample[], what: keyof Sample) =>
  [0, 1, 2, 3].map(
    nth =>
      median(
        samples
          .slice(
            Math.floor((samples.length * nth) / 4),
            Math.floor((samples.length * (nth + 1)) / 4)
          )
          .map(one => one[what])
      ) ?? 0
  )

t.test(`all for ${MINUTES} min, kill -9 each ${KILL_SECONDS} s: nothing lost, crossed`, async t => {
  t.comment(`ENDURANCE_SEED=${SEED}`)
  const bare: number[] = []
  const sites: Site[] = []
  const neighbour = startNeighbour()
  t.teardown(neighbour.stop)
  const [killed, steady] = [
    await Site.make(t, 'killed', neighbour.call),
    await Site.make(t, 'steady', neighbour.call)
  ]
  sites.push(killed, steady)
  const take = async () => {
    const taken = await neighbour.taken()
    bare.push(...(taken.bare?.times ?? []))
    for (const { name, times, watch } of sites) {
      times.push(...(taken[name]?.times ?? []))
      watch.wrong(...(taken[name]?.wrong ?? []).map(one => `neighbour: ${one}`))
    }
  }
  await Promise.all(sites.map(site => site.start()))
  const until = Date.now() + DURATION_MS
  const left = () => until - Date.now()
  /** On a busy machine longer than the duration, until all of it has happened. */
  const goesOn = ({ watch }: Site) => left() > 0 || (unseen(watch).length > 0 && left() > -60_000)
  const figures = setInterval(() => {
    for (const { line } of sites) t.comment(line)
  }, 60_000)
  t.teardown(() => clearInterval(figures))

  const { below, chance } = random('kills')
  const kill = async () => {
    while (goesOn(killed) || killed.kills < LEAST_KILLS) {
      // some soon after the first responses
      const isLate = left() <= 0 && unseen(killed.watch).length > 0
      await killed.round(
        chance(0.3) && left() > 0
          ? below(700)
          : KILL_SECONDS * (800 + below(300)) * (isLate ? 4 : 1),
        'SIGKILL'
      )
      await killed.start()
    }
    await killed.round(below(700), 'SIGTERM')
    await killed.start()
  }
  const go = async () => {
    while (goesOn(steady)) {
      await steady.round(left() > 0 ? Math.min(left(), CHECK_MS) : CHECK_MS)
      await steady.audit()
      await steady.sample()
      await take()
    }
  }
  // an early error is reported with the others
  await Promise.all([
    kill().catch(error => killed.watch.wrong(String(error.stack))),
    go().catch(error => steady.watch.wrong(String(error.stack)))
  ])
  clearInterval(figures)
  await take()
  t.strictSame(await Promise.all(sites.map(site => site.stop())), [0, 0], 'both end at SIGTERM')

  for (const { watch, name, line, starts, times, checked } of sites) {
    t.comment(line)
    if (starts.length > 0)
      t.comment(
        `ready again in ${median(starts).toFixed(0)} ms, at most ${Math.max(...starts).toFixed(0)}`
      )
    t.strictSame(watch.problems, [], `${name}: nothing is lost, crossed or unexpected`)
    t.ok(checked > 0, `${checked} answered changes were checked`)
    t.strictSame(unseen(watch), [], 'all of it took place')
    const longest = times.reduce((most, ms) => Math.max(most, ms), 0)
    t.ok(
      longest <= NEIGHBOUR_MS,
      `no call of a neighbour waited longer than ${NEIGHBOUR_MS} ms: ${longest.toFixed(0)}`
    )
  }
  t.comment(`a bare server beside them: ${waits(bare)}`)
  const [rss, heap] = [quarters(steady.samples, 'rss'), quarters(steady.samples, 'heap')]
  const shown = (values: readonly number[]) => values.map(value => value.toFixed(0)).join(', ')
  t.comment(
    `memory by quarter: ${shown(rss)} MiB resident, ${shown(heap)} MiB of heap, ${steady.samples.length} samples`
  )
  const [, second, third, last] = rss as [number, number, number, number]
  const before = Math.max(second, third)
  if (steady.samples.length >= LEAST_SAMPLES)
    t.ok(
      last <= before * MOST_GROWTH,
      `memory is flat: × ${(last / before).toFixed(2)} of what it was at most in the two quarters before the last`
    )
})
