import t from 'tap'
import { ran } from '../support/command.js'
import { read, scenarioIn, script } from './exec-run.js'

/** Functions for a command: calls of a sandbox's API, with a form, and of its control API, by method and path. */
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
const SCENARIO = {
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

t.test('exec: scripts and expectations are checked over every sandbox, and each period between two resets or loads', async t => {
  const scenario = scenarioIn(t, SCENARIO)
  const folder = `${t.testdirName}/reports`
  const runOf = async (code: string) => {
    const args = ['exec', '--scenario', scenario, '--fail-on', 'script', 'expectations', '--report', folder, '--', ...script(IN_SANDBOXES + code)]
    const { status, stderr } = await ran(args)
    const { run, gates } = read(`${folder}/run.json`)
    const { calls, unused_script_entries: unused } = run
    t.ok(stderr.includes(`  Calls         ${calls}\n`), stderr)
    return {
      status,
      calls,
      unused: unused.map(({ entry }: { entry: { name: string } }) => entry.name),
      unmet: gates.find(({ gate }: { gate: string }) => gate === 'expectations').problems
    }
  }

  t.strictSame(
    await runOf(`
await pay('one')
await controlIn('one', 'POST /reset')
await callIn('two', 'GET /refunds')
await controlIn('two', 'DELETE /sandboxes/two')
await callIn(null, 'GET /accounts')
await controlIn(null, 'POST /reset')
await callIn(null, 'GET /accounts')`),
    { status: 2, calls: 4, unused: ['never so often'], unmet: [] },
    'an entry that applied and an expectation that was met in any period count as such'
  )
  t.strictSame(
    await runOf(`
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
    'too many calls in any period leave an expectation unmet'
  )
  t.strictSame(
    await runOf(`
await pay(null)
await callIn('two', 'GET /refunds')
for (let call = 0; call < 9; call++) {
  await callIn('w' + call, 'GET /accounts')
  await controlIn('w' + call, 'POST /reset')
}`),
    { status: 2, calls: 11, unused: ['never so often'], unmet: [] },
    'counts start at zero in each period'
  )
})

t.test('exec: findings of a sandbox name its calls', async t => {
  const folder = `${t.testdir()}/reports`
  const code = `
for (const limit of [0, 0]) await callIn('two', 'GET /transactions?limit=' + limit)
await controlIn('two', 'DELETE /sandboxes/two')
for (const limit of [0, 0]) await callIn(null, 'GET /transactions?limit=' + limit)`

  const { status, stderr } = await ran(['exec', '--scenario', scenarioIn(t), '--report', folder, '--', ...script(IN_SANDBOXES + code)])

  t.equal(status, 0, stderr)
  t.strictSame(
    read(`${folder}/run.json`).run.findings.map(({ finding, requests }: { finding: string; requests: string[] }) => [finding, requests]),
    [['refused-and-repeated', ['two#1/req_1', 'two#1/req_2', '#1/req_1', '#1/req_2']]]
  )
})
