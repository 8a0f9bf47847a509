/** Turns: jobs one after the other, fairly among sandboxes. */
import t from 'tap'
import { settingsInForce } from '../../src/core/settings.js'
import { Shares } from '../../src/core/shares.js'
import { Turns } from '../../src/work/turns.js'

const SHARE = { what: 'jobs', setting: 'limits.loads', refusal: { code: 'load_limit' } } as const
const turnsOf = (loads: number) =>
  new Turns(new Shares(SHARE, settingsInForce({ flag: { 'limits.loads': loads } }).values))
const NEVER = new AbortController().signal
const tick = () => new Promise(resolve => setImmediate(resolve))

/** Runs jobs that end when they are told to; `order` has those that have begun, as `a1`. */
function jobs(turns: Turns) {
  const sandboxes = new Map<string, object>()
  const order: string[] = []
  const ends = new Map<string, { end: () => void; fail: (error: Error) => void }>()
  const run = (name: string, signal: AbortSignal = NEVER) => {
    const owner = name[0] as string
    const sandbox = sandboxes.get(owner) ?? {}
    sandboxes.set(owner, sandbox)
    const job = () => {
      order.push(name)
      return new Promise<string>((resolve, reject) =>
        ends.set(name, { end: () => resolve(name), fail: reject })
      )
    }
    return turns.run(sandbox, job, signal).catch(error => error.code ?? error)
  }
  const finish = async (name: string) => {
    ends.get(name)?.end()
    await tick()
  }
  return { run, order, ends, finish }
}

t.test('turns: sandboxes take turns, each with its own jobs in order', async t => {
  const cases: [title: string, come: string[], begin: string[]][] = [
    ['one sandbox', ['a1', 'a2', 'a3'], ['a1', 'a2', 'a3']],
    [
      'the one job of another sandbox comes after one that waits, not after all',
      ['a1', 'a2', 'a3', 'a4', 'b1'],
      ['a1', 'a2', 'b1', 'a3', 'a4']
    ],
    ['three sandboxes', ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'], ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']]
  ]
  for (const [title, come, begin] of cases) {
    const { run, order, finish } = jobs(turnsOf(16))
    const done = come.map(name => run(name))
    for (let nth = 0; nth < begin.length; nth++) {
      t.equal(order.length, nth + 1, `${title}: one at a time`)
      await finish(order[nth] as string)
    }
    t.strictSame([order, await Promise.all(done)], [begin, come], title)
  }
})

t.test('turns: a sandbox with as many jobs as it may have shuts out no other one', async t => {
  const { run, order, finish } = jobs(turnsOf(2))
  const done = ['a1', 'a2', 'a3', 'b1'].map(name => run(name))
  t.equal(await done[2], 'load_limit')
  for (const name of ['a1', 'a2', 'b1']) await finish(name)
  t.strictSame(
    [order.join(), (await Promise.all(done)).join()],
    ['a1,a2,b1', 'a1,a2,load_limit,b1']
  )
  void run('a4')
  t.equal(order.at(-1), 'a4', 'its places are free again, and nothing is waited for')
})

t.test('turns: a job whose caller leaves does not begin, gives its place back', async t => {
  const { run, order, finish, ends } = jobs(turnsOf(2))
  const leaving = new AbortController()
  const gone = new Error('left')
  const first = run('a1')
  const [left, other] = [run('b1', leaving.signal), run('b2')]
  t.equal(await run('c1', AbortSignal.abort(gone)), gone, 'before it waits')
  leaving.abort(gone)
  t.equal(await left, gone, 'while it waits')
  const last = run('b3')
  const alone = new AbortController()
  const only = run('c2', alone.signal)
  alone.abort(gone)
  t.equal(await only, gone, 'as the only one of its sandbox')

  ends.get('a1')?.fail(gone)
  t.equal(await first, gone, 'a job that fails lets the next one begin')
  await tick()
  for (const name of ['b2', 'b3']) await finish(name)
  t.strictSame([await other, await last, order], ['b2', 'b3', ['a1', 'b2', 'b3']])
  t.equal(await run('a2', AbortSignal.abort(gone)), gone, 'where nothing is waited for')
  void run('a3')
  t.equal(order.at(-1), 'a3')
})
