import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { mkdir, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { takeLock } from '../../src/sandbox/saved/lock.js'
import { placeOf } from '../support/places.js'

const MODULE = new URL('../../src/sandbox/saved/lock.ts', import.meta.url).href
/** Takes the lock of the given file, prints `true` or `false`, and stays. */
const TAKER = `const [, file, at] = process.argv
  const { takeLock } = await import(${JSON.stringify(MODULE)})
  await new Promise(resolve => setTimeout(resolve, Number(at) - Date.now()))
  console.log((await takeLock(file)) !== null)
  setInterval(() => {}, 1000)`

const locksIn = async (folder: string) =>
  (await readdir(folder)).filter(name => name.includes('.lock'))

function taking(
  t: Test,
  file: string,
  at = 0
): { child: ChildProcess; hasTaken: Promise<boolean> } {
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--input-type=module', '--eval', TAKER, file, String(at)],
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

const quiet = (socket: Socket) => socket.on('error', () => {})
/** A socket in place of a lock, which behaves as the case says. */
async function impostor(
  t: Test,
  path: string,
  answer: (socket: Socket, server: Server) => void
): Promise<void> {
  const server: Server = createServer(socket => answer(quiet(socket), server))
  t.teardown(() => server.close())
  await new Promise<void>(resolve => server.listen(path, resolve))
}

t.test('a lock has one holder, is released, and leaves nothing behind', async t => {
  const { folder, file } = await placeOf(t)

  const lock = await takeLock(file)
  t.equal((await locksIn(folder)).length, 1)
  t.match((await locksIn(folder))[0], /^shop\.json\.lock-[0-9a-f]{8}$/)
  const asking = connect(join(folder, (await locksIn(folder))[0] as string))
  t.equal(String((await once(asking, 'data'))[0]), 'holds')
  t.equal(await takeLock(file), null)
  t.equal((await locksIn(folder)).length, 1, 'who was refused leaves nothing')
  const open = connect({
    path: join(folder, (await locksIn(folder))[0] as string),
    allowHalfOpen: true
  }).resume()
  t.teardown(() => open.destroy())
  await once(open, 'end')

  // a client that never closes its connection does not keep the lock
  await lock?.release()
  t.strictSame(await locksIn(folder), [])
  const again = await takeLock(file)
  t.ok(again)
  await again?.release()
})

t.test('locks of other files in the folder do not count', async t => {
  const { folder } = await placeOf(t)
  const names = ['shop.json.lock', 'shop.json.lock-0123abcd', 'shop.json.lock-other', 'shop.lock']
  for (const name of names) await writeFile(join(folder, name), 'precious')
  await mkdir(join(folder, 'shop.json.lock-01234567'))
  await symlink('nowhere', join(folder, 'shop.json.lock-76543210'))
  await impostor(t, join(folder, 'shop.json.old.lock-0123abcd'), socket => socket.end('holds'))
  const locks = await Promise.all(
    ['shop.json', 'shop', 'shop.json.lock', 'other'].map(name => takeLock(join(folder, name)))
  )
  t.notOk(locks.includes(null))
  await Promise.all(locks.map(lock => lock?.release()))
  t.strictSame(
    (await readdir(folder)).sort(),
    [
      ...names,
      'shop.json.lock-01234567',
      'shop.json.lock-76543210',
      'shop.json.old.lock-0123abcd'
    ].sort()
  )
})

t.test('of concurrent processes exactly one gets the lock', async t => {
  const { folder, file } = await placeOf(t)
  for (let round = 0; round < 20; round++) {
    const locks = await Promise.all(Array.from({ length: 1 + (round % 8) }, () => takeLock(file)))
    const taken = locks.filter(lock => lock !== null)
    t.equal(taken.length, 1, `round ${round} of ${locks.length}`)
    await taken[0]?.release()
  }
  t.strictSame(await locksIn(folder), [])
})

t.test('the lock of a killed process is nobody’s: of several exactly one gets it', async t => {
  const { folder, file } = await placeOf(t)
  const first = taking(t, file)
  t.equal(await first.hasTaken, true)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const [left] = await locksIn(folder)
  t.ok(left, 'the socket is left behind')

  const at = Date.now() + 1500
  const takers = Array.from({ length: 4 }, () => taking(t, file, at))
  const taken = await Promise.all(takers.map(({ hasTaken }) => hasTaken))

  t.equal(taken.filter(Boolean).length, 1, `taken: ${taken}`)
  const locks = await locksIn(folder)
  t.notOk(locks.includes(left as string), 'what was left is cleared away')
  t.equal(locks.length, 1)
  t.equal(await takeLock(file), null, 'and the one that got it holds it on')

  for (const { child } of takers) child.kill('SIGKILL')
  await Promise.all(
    takers.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, 'exit'))
  )
  const lock = await takeLock(file)
  t.ok(lock, 'until it is killed')
  await lock?.release()
  t.strictSame(await locksIn(folder), [])
})

t.test('a lock whose name was removed before its socket listened takes another', async t => {
  const { folder, file } = await placeOf(t)
  const asked = new Set<string>()
  // its reply is late, so that the asking process has a name meanwhile
  await impostor(t, join(folder, 'shop.json.lock-ffffffff'), (socket, server) => {
    for (const name of readdirSync(folder)) if (!name.endsWith('-ffffffff')) asked.add(name)
    if (asked.size === 1) rmSync(join(folder, [...asked][0] as string), { force: true })
    else server.close()
    socket.end('takes')
  })

  const lock = await takeLock(file)

  const [held = '', ...more] = await locksIn(folder)
  t.strictSame([asked.size, more, asked.has(held)], [2, [], true])
  t.not(held, [...asked][0], 'not the name that was removed')
  await lock?.release()
})

t.test('a stopped process and a silent one still hold their lock', async t => {
  const { folder, file } = await placeOf(t)
  const asked: Record<string, number> = {}
  const others: [string, (socket: Socket) => unknown][] = [
    ['silent.lock-00000000', () => {}],
    ['curt.lock-00000000', socket => socket.destroy()],
    ['slow.lock-ffffffff', socket => socket.end('takes')]
  ]
  for (const [name, act] of others)
    await impostor(t, join(folder, name), socket => {
      asked[name] = (asked[name] ?? 0) + 1
      act(socket)
    })

  const { child, hasTaken } = taking(t, file)
  t.equal(await hasTaken, true)
  child.kill('SIGSTOP')
  // sockets that say nothing, end in the middle of their reply, keep taking the lock,
  // or are stopped
  for (const name of ['silent', 'curt', 'slow', 'shop.json'])
    t.equal(await takeLock(join(folder, name), 1000), null, name)
  const again = Object.values(asked).map(times => times > 1)
  t.strictSame(again, [false, true, true], 'asked until the patience ends')
  child.kill('SIGKILL')
})

t.test('the first by name waits for the others to withdraw', async t => {
  const { folder } = await placeOf(t)
  const [first, last] = ['00000000', 'ffffffff']
  await impostor(t, join(folder, `before.lock-${first}`), socket => socket.end('takes'))
  t.equal(await takeLock(join(folder, 'before')), null, 'another comes first')

  let asked = 0
  await impostor(t, join(folder, `after.lock-${last}`), (socket, server) => {
    socket.end('takes')
    if (++asked === 3) server.close()
  })
  const lock = await takeLock(join(folder, 'after'))
  t.ok(lock)
  t.equal(asked, 3)
  await lock?.release()
})

t.test('a missing or unlistable folder and a name that is too long are errors', async t => {
  const { folder } = await placeOf(t)
  await t.rejects(takeLock(join(folder, 'none', 'shop.json')), { code: 'EACCES' })
  await t.rejects(takeLock(join(folder, 'x'.repeat(120))), {
    message:
      /^the name of its lock, x{120}\.lock-[0-9a-f]{8}, is too long for a socket; choose a shorter name$/
  })
  t.strictSame(await readdir(folder), [])
  const gone = join(folder, 'gone')
  await mkdir(gone)
  await impostor(t, join(gone, 'shop.json.lock-ffffffff'), socket => socket.end('takes'))
  const taken = takeLock(join(gone, 'shop.json'))
  await Promise.all([t.rejects(taken, { code: /ENOENT|EACCES/ }), rm(gone, { recursive: true })])
})

t.test('a path too long for a socket is reached through a link that does not stay', async t => {
  const folder = join((await placeOf(t)).folder, 'x'.repeat(100))
  const file = join(folder, 'shop.json')
  await mkdir(folder)
  const links = async () => {
    const names = (await readdir(tmpdir())).filter(name => /^lock-[0-9a-f]{8}$/.test(name))
    return (
      await Promise.all(names.map(name => readlink(join(tmpdir(), name)).catch(() => null)))
    ).filter(to => to === folder)
  }

  const lock = await takeLock(file)

  t.ok(lock)
  t.equal((await locksIn(folder)).length, 1)
  t.equal(await takeLock(file), null)
  await lock?.release()
  t.strictSame(await locksIn(folder), [])
  t.strictSame(await links(), [])
})
