import t from 'tap'
import { ran, read, scenarioIn, script } from './execution.js'

/** In a command, calls of a sandbox: of its API by form, of its control address by method and path. */
const IN_SANDBOXES = `
const addressOf = (name, url) => name === null ? url : url.replace(/(_control|next)$/, 'sandbox/' + name + '/$1')
const callIn = (name, on, form) => {
  const [method, path] = on.split(' ')
  const headers = form ? {} : { authorization: 'Basic ' + btoa(key + ':') }
  return fetch(addressOf(name, base) + path, { method, headers, ...(form && { body: new URLSearchParams(form) }) })
}
const controlIn = (name, on) => fetch(addressOf(name, control) + on.split(' ')[1], { method: on.split(' ')[0] })
const pay = name => callIn(name, 'POST /transactions', { ticket: 'tkt_a', payment_type: 'external', amount: 5 })
`
const JUDGED = {
  script: [
    { name: 'down once', on: 'GET /refunds', calls: 1, respond: { status: 503 } },
    { name: 'never so often', on: 'GET /accounts', calls: 9, delay: '1ms' }
  ],
  expect: [
    { on: 'POST /transactions', times: 1 },
    { on: 'GET /refunds', at_least: 1 },
    { on: 'GET /accounts', at_most: 1 }
  ]
}

t.test('exec: scripts and expectations are judged over every sandbox, and every time between two resets or loads', async t => {
  const scenario = scenarioIn(t, JUDGED)
  const folder = `${t.testdirName}/reports`
  const judged = async (code: string) => {
    const args = ['exec', '--scenario', scenario, '--fail-on', 'script', 'expectations', '--report', folder, '--', ...script(IN_SANDBOXES + code)]
    const { status, stderr } = await ran(args)
    const { calls, unused_script_entries: unused, failures } = read(`${folder}/summary.json`)
    t.ok(stderr.includes(`  Calls         ${calls}\n`), stderr)
    return {
      status,
      calls,
      unused: unused.map(({ entry }: { entry: { name: string } }) => entry.name),
      unmet: failures.filter(({ gate }: { gate: string }) => gate === 'expectations').map(({ message }: { message: string }) => message)
    }
  }

  t.strictSame(
    await judged(`
await pay('one')
await controlIn('one', 'POST /reset')
await callIn('two', 'GET /refunds')
await controlIn('two', 'DELETE /sandboxes/two')
await callIn(null, 'GET /accounts')
await controlIn(null, 'POST /reset')
await callIn(null, 'GET /accounts')`),
    { status: 2, calls: 4, unused: ['never so often'], unmet: [] },
    'what is enough somewhere at some time is enough'
  )
  t.strictSame(
    await judged(`
await pay('one')
await pay('one')
await controlIn('one', 'POST /reset')
await pay('one')
await callIn('two', 'GET /accounts')
await callIn('two', 'GET /accounts')
await controlIn('two', 'DELETE /sandboxes/two')`),
    {
      status: 2,
      calls: 5,
      unused: ['down once', 'never so often'],
      unmet: [
        'POST /transactions: 1 call was expected, 2 came',
        'GET /refunds: at least 1 call was expected, 0 came',
        'GET /accounts: at most 1 call was expected, 2 came'
      ]
    },
    'what is too much somewhere at some time is too much'
  )
  t.strictSame(
    await judged(`
await pay(null)
await callIn('two', 'GET /refunds')
for (let call = 0; call < 9; call++) {
  await callIn('w' + call, 'GET /accounts')
  await controlIn('w' + call, 'POST /reset')
}`),
    { status: 2, calls: 11, unused: ['never so often'], unmet: [] },
    'what is counted begins anew in each'
  )
})

t.test('exec: findings of a sandbox are told with its calls', async t => {
  const folder = `${t.testdir()}/reports`
  const code = `
for (const id of ['txn_none', 'txn_none']) await callIn('two', 'GET /transactions/' + id)
await controlIn('two', 'DELETE /sandboxes/two')
for (const id of ['txn_none', 'txn_none']) await callIn(null, 'GET /transactions/' + id)`

  const { status, stderr } = await ran(['exec', '--scenario', scenarioIn(t), '--report', folder, '--', ...script(IN_SANDBOXES + code)])

  t.equal(status, 0, stderr)
  t.strictSame(
    read(`${folder}/findings.json`).map(({ finding, requests }: { finding: string; requests: string[] }) => [finding, requests]),
    [['refused-and-repeated', ['two/req_1', 'two/req_2', 'req_1', 'req_2']]]
  )
})
