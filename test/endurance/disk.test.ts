import { execFileSync, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
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
