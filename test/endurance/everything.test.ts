/**
 * Everything at once in one process: clients of the API, loads, sandboxes that are deleted and made again, and event streams.
 *
 * Nothing lost: each client of the API keeps a ledger of what was answered, and in each pause every sandbox is compared with its ledger.
 * Nothing crossed: every value that a client sends names its sandbox, and every answer and event is searched for values of others.
 * Memory flat: it is judged in each pause, when the sandboxes have been audited and the large ones reset: the state is then the same in size each time. The first
 * quarter of the samples is warm-up (code is compiled, journals fill up to their limits, the heap grows to what the load needs), so the median of the last quarter
 * is compared with the larger one of the two before. A slow machine makes fewer requests, so the comparison gets milder, and never stricter.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { clientOf, started } from './support/emulator.js'
import { auditAll, changeAll, placesOf, SCENARIO } from './support/load.js'
import { figure, median, SEED } from './support/options.js'
import { LoadedSandbox, otherLoad } from './support/other-load.js'
import { Watch } from './support/watch.js'

const MINUTES = figure('MINUTES', { short: 0.15, long: 60 })
/** The average pause of a client between two requests: the process and the clients leave about half a core of two. */
const PAUSE_MS = figure('PAUSE_MS', { short: 100, long: 100 })
const DURATION_MS = MINUTES * 60_000
/** The time between two pauses: about 24 samples of the memory, or one a minute. */
const CHECK_MS = Math.min(60_000, Math.max(3000, DURATION_MS / 24))
/** With fewer samples of memory a quarter has too few for a median. */
const MIN_SAMPLES = 12
/** Memory of the last quarter, of what it was in the two before: it grows in steps, where a large load needs more than any before it, and a leak grows on and on. */
const MAX_GROWTH = 1.15
/** Clients of each sandbox. One with several is reset in a pause when it has become large; one with a single client resets itself. */
const CLIENTS = [3, 1, 4, 1, 2, 1, 1, 1, 1, 1, 1, 1]
const LARGE = 200

t.test(`everything at once for ${MINUTES} min: nothing lost, nothing crossed, memory flat`, async t => {
  t.comment(`ENDURANCE_SEED=${SEED}`)
  const folder = await mkdtemp(join(tmpdir(), 'endurance-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'scenarios'))
  await writeFile(join(folder, 'scenarios', 'load.json'), JSON.stringify(SCENARIO))
  const folders = ['--scenarios-dir', join(folder, 'scenarios'), '--snapshots-dir', join(folder, 'snapshots')]
  // only errors are logged, so that every line on stderr is a defect
  const args = ['--scenario', 'load', '--data', join(folder, 'shop.json'), '--log-level', 'error', ...folders]
  const { port, end, complaints } = await started(t, args, ['--max-old-space-size=768'])
  const watch = new Watch()
  const places = placesOf(CLIENTS)
  const loaded = [new LoadedSandbox('loaded-0'), new LoadedSandbox('loaded-1')]
  const samples: number[] = []
  let checked = 0

  const round = async (nth: number, ms: number) => {
    watch.isOver = false
    const connect: Parameters<typeof changeAll>[3] = {
      pauseMs: PAUSE_MS,
      usesSnapshots: true,
      isOver: () => watch.isOver,
      mayBreak: () => false,
      connect: (port, { name, nth }) => watch.client(port, name, nth)
    }
    const { ended } = changeAll(port, places, nth, connect)
    const others = otherLoad({ port, round: nth, watch, places, loaded, pauseMs: PAUSE_MS })
    await sleep(ms)
    watch.isOver = true
    const { answered, problems } = await ended
    watch.wrong(...problems)
    watch.count('changes', answered)
    await others
  }
  /** Compares every sandbox with what was answered while nobody changes it, and resets those that have become large. */
  const audit = async () => {
    const { problems, facts } = await auditAll(port, places)
    watch.wrong(...problems)
    checked += facts
    for (const one of loaded) {
      const client = watch.client(port, one.name)
      watch.wrong(...(await one.audit(client)))
      client.close()
    }
    for (const { name, nth, ledger } of places) {
      if (ledger.size < LARGE) continue
      const client = watch.client(port, name, nth)
      if ((await client.call('POST /_control/reset')).status === 200) ledger.answered({ clears: true })
      client.close()
    }
  }
  /** The lowest of a few samples of the resident memory, between which garbage may be collected, in MiB. */
  const sample = async () => {
    const client = clientOf(port, null)
    const found: number[] = []
    for (let n = 0; n < 3; n++) {
      const { text } = await client.call('GET /_control/metrics')
      found.push(Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1024 ** 2)
      await sleep(100)
    }
    client.close()
    samples.push(Math.min(...found))
  }

  for (const one of loaded) {
    const client = clientOf(port, one.name)
    await one.learn(client)
    client.close()
  }
  await audit()
  const until = Date.now() + DURATION_MS
  for (let nth = 1; Date.now() < until; nth++) {
    await round(nth, Math.min(CHECK_MS, Math.max(0, until - Date.now())))
    await audit()
    await sample()
  }
  t.equal(await end('SIGTERM'), 0)

  t.comment([...watch.counts].map(([what, count]) => `${count} ${what}`).join(', '))
  t.strictSame([watch.problems, complaints()], [[], ''], 'nothing is lost, crossed or unexpected')
  t.ok(checked > 0, `${checked} answered changes were checked`)
  const seen = ['changes', 'loads', 'sandboxes made again', 'event streams read', 'events']
  t.strictSame(
    seen.filter(what => watch.figure(what) === 0),
    [],
    'all of it took place'
  )
  const quarters = [0, 1, 2, 3].map(nth => median(samples.slice((samples.length * nth) / 4, (samples.length * (nth + 1)) / 4)) ?? 0)
  const [, second, third, last] = quarters as [number, number, number, number]
  t.comment(`resident memory by quarter: ${quarters.map(value => value.toFixed(0)).join(', ')} MiB, ${samples.length} samples`)
  if (samples.length >= MIN_SAMPLES) t.ok(last <= Math.max(second, third) * MAX_GROWTH, 'memory is flat')
})
