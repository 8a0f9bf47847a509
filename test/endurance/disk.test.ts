import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { smallFixture } from '../support/emulator.js'
import { documentIn } from '../support/saved-states.js'
import { clientOf, started } from './support/emulator.js'
import { figure } from './support/options.js'

const ROUNDS = figure('DISK_ROUNDS', { short: 1, long: 8 })
const KEY = 'sk_merchant'
const REFUND = 'transaction=txn_a&amount=1'
const SCENARIO = {
  name: 'shop',
  data: smallFixture({
    transactions: [
      { id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 1_000_000_000 }
    ]
  })
}

/** A file system of one MiB; null if none can be mounted. */
async function smallDisk(t: Test): Promise<string | null> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'small-disk-')))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder])
  t.teardown(async () => {
    if (status === 0) execFileSync('umount', ['-l', folder])
    await rm(folder, { recursive: true })
  })
  return status === 0 ? folder : null
}

/** Fills a disk. Returns a function that frees it. */
async function filled(folder: string): Promise<() => Promise<void>> {
  const filler = join(folder, 'filler')
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=512', 'conv=fsync'])
  return () => rm(filler)
}

t.test(`a full disk, ${ROUNDS} times: no confirmed change is lost, the end is 1 or 0`, async t => {
  const folder = await smallDisk(t)
  if (folder === null) return t.comment('no file system can be mounted here')
  const scenario = join(folder, 'scenario.json')
  const data = join(folder, 'shop')
  const file = join(data, '_base.json')
  await writeFile(scenario, JSON.stringify(SCENARIO))
  const args = ['--scenario', scenario, '--data', data]
  let made = 0

  for (let round = 1; round <= ROUNDS; round++) {
    const { port, end, complaints } = await started(args)
    const { call, close } = clientOf(port, null, KEY)
    const refund = async () => (await call('POST /next/refunds', REFUND)).status
    const written = async () => (await documentIn(data)).state.records.refunds?.length
    const refunds = async () => (await call('GET /_control/state')).body.refunds.length
    t.equal(await refunds(), made, `round ${round}: what was answered before is there`)
    for (let nth = 0; nth < 20; nth++) t.equal(await refund(), 200)
    made += 20

    const free = await filled(folder)
    let status = await refund()
    for (let nth = 0; nth < 100 && status === 200; nth++) {
      made++
      status = await refund()
    }
    made++
    const state = (await call('GET /_control/state')).text
    const before = await readFile(file)
    t.strictSame(
      [status, await refund(), (await call('POST /_control/reset')).status],
      [503, 503, 503]
    )
    t.equal((await call('GET /_control/state')).text, state, 'a refused call changes nothing')
    t.strictSame([(await call('GET /next/refunds?limit=1')).status, await refunds()], [200, made])
    t.ok((await readFile(file)).equals(before))
    t.equal(await written(), made - 1, 'the file is whole')

    if (round % 2 === 1) {
      await free()
      await sleep(1500)
      t.equal(await written(), made, 'it is written without a call')
      t.equal(await refund(), 200)
      made++
      t.strictSame([await end('SIGTERM'), complaints()], [0, ''])
    } else {
      t.equal(await end('SIGTERM'), 1)
      t.match(complaints(), /shop could not be written at shutdown: ENOSPC: .+ not on disk\.\n$/)
      made--
      await free()
    }
    close()
    t.strictSame((await readdir(folder)).sort(), ['scenario.json', 'shop'])
  }
  t.comment(`${made} Refunds, ${statSync(file).size} bytes`)
})

const hasStrace = spawnSync('strace', ['-f', 'true']).status === 0

t.test(
  'a write is the system calls that the tests of power loss know',
  { skip: hasStrace ? false : 'strace cannot be used here' },
  async t => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'traced-')))
    t.teardown(() => rm(folder, { recursive: true }))
    const [data, scenario, trace] = ['data', 'scenario.json', 'trace'].map(name =>
      join(folder, name)
    ) as [string, string, string]
    await writeFile(scenario, JSON.stringify(SCENARIO))
    const { port, child, end } = await started(['--scenario', scenario, '--data', data])
    const tracer = spawnTracer(t, child.pid as number, trace)
    for (const since = Date.now(); !existsSync(trace) && Date.now() - since < 10_000; )
      await sleep(20)
    await sleep(500)
    const { call, close } = clientOf(port, null, KEY)
    for (let nth = 0; nth < 2; nth++)
      t.equal((await call('POST /next/refunds', REFUND)).status, 200)
    close()
    t.equal(await end('SIGTERM'), 0)
    await tracer

    const whole = [
      'openat O_WRONLY|O_CREAT|O_EXCL|O_TRUNC 0600',
      'write',
      'fsync',
      'rename',
      'openat folder',
      'fsync folder'
    ]
    const calls = callsIn(await readFile(trace, 'utf8'), data)
    const withoutRepeats = calls.filter((call, nth) => call !== calls[nth - 1])
    t.strictSame(withoutRepeats, [...whole, ...whole])
  }
)

async function spawnTracer(t: Test, pid: number, trace: string): Promise<void> {
  const calls =
    'openat,open,creat,write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,fallocate,fsync,fdatasync,sync_file_range,rename,renameat,renameat2'
  const tracer = spawn(
    'strace',
    ['-f', '-y', '-s', '0', '-o', trace, '-e', `trace=${calls}`, '-p', String(pid)],
    { stdio: 'ignore' }
  )
  t.teardown(() => tracer.kill('SIGKILL'))
  await once(tracer, 'close')
}

/** System calls on a folder that write or make writes durable; locks are left out. */
function callsIn(trace: string, folder: string): string[] {
  const begun = new Map<string, string>()
  return trace.split('\n').flatMap(line => {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    if (text.endsWith('<unfinished ...>'))
      begun.set(thread, text.replace(/ ?<unfinished \.\.\.>/, ''))
    const [, rest] = /^<\.\.\. \w+ resumed>(.*)$/.exec(text) ?? []
    const whole = rest === undefined ? text : `${begun.get(thread)}${rest}`
    if (text.endsWith('<unfinished ...>') || !whole.includes(folder) || whole.includes('/lock-'))
      return []
    const [, call = '', given = ''] = /^(\w+)\((.*)\) += /.exec(whole) ?? []
    const isFolder = given.includes(`<${folder}>`) || given.includes(`"${folder}"`)
    if (call === 'openat' && !isFolder && !given.includes('O_CREAT')) return []
    const [flags = ''] = call === 'openat' && !isFolder ? (/O_[A-Z_|]+, \d+/.exec(given) ?? []) : []
    return [
      [
        call,
        flags.replace('|O_CLOEXEC', '').replace(',', ''),
        isFolder && call !== 'rename' ? 'folder' : ''
      ]
        .filter(part => part !== '')
        .join(' ')
    ]
  })
}
