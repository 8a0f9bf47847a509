import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { mkdir, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { takeLock } from '../../src/sandbox/saved/lock.js'
import { placeOf } from '../support/places.js'

const MODULE = new URL('../../src/sandbox/saved/lock.ts', import.meta.url).href
/** Takes the lock of a folder, prints `true` or `false`, and stays. */
const TAKER = `const [, folder, at] = process.argv
  const { takeLock } = await import(${JSON.stringify(MODULE)})
  await new Promise(resolve => setTimeout(resolve, Number(at) - Date.now()))
  console.log((await takeLock(folder)) !== null)
  setInterval(() => {}, 1000)`

const FIRST = 'lock-00000000'
const LAST = 'lock-ffffffff'

const locksIn = async (folder: string) =>
  (await readdir(folder)).filter(name => name.startsWith('lock-'))

function taking(
  t: Test,
  folder: string,
  at = 0
): { child: ChildProcess; hasTaken: Promise<boolean> } {
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--input-type=module', '--eval', TAKER, folder, String(at)],
    {
      env: { ...process.env, _TAPJS_PROCESSINFO_COVERAGE_: '0' },
      stdio: ['ignore', 'pipe', 'inherit']
    }
  )
  t.teardown(() => child.kill('SIGKILL'))
  return {
    child,
    hasTaken: once(child.stdout as NodeJS.ReadableStream, 'data').then(
      ([text]) => String(text).trim() === 'true'
    )
  }
}

/** A socket in place of a lock, which acts when it is looked at. */
async function impostor(
  t: Test,
  path: string,
  act: (socket: Socket, server: Server) => void = () => {}
): Promise<void> {
  const server: Server = createServer(socket =>
    act(
      socket.on('error', () => {}),
      server
    )
  )
  t.teardown(() => server.close())
  await new Promise<void>(resolve => server.listen(path, resolve))
}

t.test('a lock has one holder, and leaves nothing behind', async t => {
  const { folder } = await placeOf(t)

  const lock = await takeLock(folder)
  t.match(await locksIn(folder), [/^lock-[0-9a-f]{8}$/])
  t.equal(await takeLock(folder), null)
  t.equal((await locksIn(folder)).length, 1)

  await lock?.release()
  t.strictSame(await locksIn(folder), [])
  const again = await takeLock(folder)
  t.ok(again)
  await again?.release()
})

t.test('other files in the folder do not count, and what nobody listens to goes', async t => {
  const { folder } = await placeOf(t)
  const names = ['lock', 'lock-other', 'lock-0123abcde', 'x.lock-0123abcd', 'notes.txt']
  for (const name of names) await writeFile(join(folder, name), 'precious')
  await symlink('nowhere', join(folder, 'lock-76543210'))
  // what cannot be removed does no harm
  await mkdir(join(folder, FIRST))
  const lock = await takeLock(folder)
  t.ok(lock)
  await lock?.release()
  t.strictSame((await readdir(folder)).sort(), [...names, FIRST].sort())
})

t.test('of those who take a lock at once exactly one gets it', async t => {
  const { folder } = await placeOf(t)
  for (let round = 0; round < 20; round++) {
    const locks = await Promise.all(Array.from({ length: 1 + (round % 8) }, () => takeLock(folder)))
    const taken = locks.filter(lock => lock !== null)
    t.equal(taken.length, 1, `round ${round} of ${locks.length}`)
    await taken[0]?.release()
  }
  t.strictSame(await locksIn(folder), [])
})

t.test('the lock of a killed process is nobody’s: of several exactly one gets it', async t => {
  const { folder } = await placeOf(t)
  const first = taking(t, folder)
  t.equal(await first.hasTaken, true)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const [left] = await locksIn(folder)
  t.ok(left, 'the socket is left behind')

  const at = Date.now() + 1500
  const takers = Array.from({ length: 4 }, () => taking(t, folder, at))
  const taken = await Promise.all(takers.map(({ hasTaken }) => hasTaken))

  t.equal(taken.filter(Boolean).length, 1, `taken: ${taken}`)
  const locks = await locksIn(folder)
  t.notOk(locks.includes(left as string), 'what was left is removed')
  t.equal(locks.length, 1)
  t.equal(await takeLock(folder), null, 'and the one that got it keeps it')

  for (const { child } of takers) child.kill('SIGKILL')
  await Promise.all(
    takers.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, 'exit'))
  )
  const lock = await takeLock(folder)
  t.ok(lock, 'until it is killed')
  await lock?.release()
  t.strictSame(await locksIn(folder), [])
})

t.test('one whose name was removed before its socket listened takes another', async t => {
  const { folder } = await placeOf(t)
  const removed = new Set<string>()
  await impostor(t, join(folder, LAST), (_socket, server) => {
    for (const name of readdirSync(folder)) if (name !== LAST) removed.add(name)
    for (const name of removed) rmSync(join(folder, name), { force: true })
    server.close()
  })

  const lock = await takeLock(folder)

  const [held = '', ...more] = await locksIn(folder)
  t.strictSame([removed.size, more, removed.has(held)], [1, [], false])
  await lock?.release()
})

t.test('a process that is stopped, and one that says nothing, still hold their lock', async t => {
  for (const name of [FIRST, LAST]) {
    const { folder } = await placeOf(t)
    await impostor(t, join(folder, name))
    t.equal(await takeLock(folder), null, name)
  }
  const { folder } = await placeOf(t)
  const { child, hasTaken } = taking(t, folder)
  t.equal(await hasTaken, true)
  child.kill('SIGSTOP')
  t.equal(await takeLock(folder), null)
  child.kill('SIGKILL')
})

t.test('the first by name waits for the others to withdraw', async t => {
  const { folder } = await placeOf(t)
  let looks = 0
  await impostor(t, join(folder, LAST), (_socket, server) => {
    if (++looks === 3) server.close()
  })
  const lock = await takeLock(folder)
  t.ok(lock)
  t.equal(looks, 3)
  await lock?.release()
})

t.test('a folder that is missing, or goes meanwhile, is an error', async t => {
  const { folder } = await placeOf(t)
  await t.rejects(takeLock(join(folder, 'none')), { code: 'EACCES' })
  t.strictSame(await readdir(folder), [])
  const gone = join(folder, 'gone')
  await mkdir(gone)
  await impostor(t, join(gone, LAST))
  const taken = takeLock(gone)
  await Promise.all([t.rejects(taken, { code: /ENOENT|EACCES/ }), rm(gone, { recursive: true })])
})

t.test('a path too long for a socket is reached through a link that does not stay', async t => {
  const folder = join((await placeOf(t)).folder, 'x'.repeat(100))
  await mkdir(folder)
  const links = async () => {
    const names = (await readdir(tmpdir())).filter(name => /^lock-[0-9a-f]{8}$/.test(name))
    return (
      await Promise.all(names.map(name => readlink(join(tmpdir(), name)).catch(() => null)))
    ).filter(to => to === folder)
  }

  const lock = await takeLock(folder)

  t.ok(lock)
  t.equal((await locksIn(folder)).length, 1)
  t.equal(await takeLock(folder), null)
  await lock?.release()
  t.strictSame(await locksIn(folder), [])
  t.strictSame(await links(), [])
})
