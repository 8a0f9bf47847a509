import { readFileSync } from 'node:fs'
import t from 'tap'
import { SAYS } from '../../src/reports/sentences.js'
import { elementsIn, parseMarkup } from '../reports/markup.js'
import { ran } from '../support/command.js'
import type { Json } from '../support/json.js'
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
    const { run } = read(`${folder}/run.json`)
    const { calls, unused_script_entries: unused, unmet_expectations: unmet } = run
    t.ok(stderr.includes(`  Requests      ${calls}\n`), stderr)
    return {
      status,
      calls,
      unused: unused.map(({ entry }: { entry: { name: string } }) => entry.name),
      unmet: unmet.map(({ sandbox, expectation, seen, requests = [] }: Json) => [sandbox, expectation.on, seen, ...requests].join(' '))
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
    {
      status: 2,
      calls: 4,
      unused: ['never so often'],
      unmet: ['one GET /refunds 0', 'two POST /transactions 0', ' POST /transactions 0', ' GET /refunds 0']
    },
    'an entry that applied in any sandbox is used; an expectation is met in each sandbox or not'
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
        'one POST /transactions 2 one#1/req_1 one#1/req_2',
        'one GET /refunds 0',
        'two POST /transactions 0',
        'two GET /refunds 0',
        'two GET /accounts 2 two#1/req_1 two#1/req_2'
      ]
    },
    'too many calls in any period leave an expectation unmet'
  )
  t.strictSame(
    await runOf(`
for (let call = 0; call < 9; call++) {
  await callIn('w', 'GET /accounts')
  await controlIn('w', 'POST /reset')
}
await pay('w')
await controlIn('w', 'POST /reset')
await callIn('w', 'GET /refunds')
await controlIn('w', 'POST /reset')`),
    { status: 2, calls: 11, unused: ['never so often'], unmet: [] },
    'counts start at zero in each period, and an expectation that a sandbox met in any period is met in it'
  )
})

t.test('exec: of fifty sandboxes each is judged, and the one that missed is named in every report', async t => {
  const scenario = scenarioIn(t, { expect: [{ on: 'POST /transactions', took_effect: true, times: 1 }] })
  const folder = `${t.testdirName}/reports`
  const code = (missing: string) => `
const headers = nth => ({ authorization: 'Basic ' + btoa(key + ':'), 'test-name': 'pays at till ' + nth })
const body = () => new URLSearchParams({ ticket: 'tkt_a', payment_type: 'external', amount: 5 })
for (let nth = 1; nth <= 50; nth++) {
  const url = addressOf('w' + nth, base)
  if (nth === 50) { ${missing} }
  else await fetch(url + '/transactions', { method: 'POST', headers: headers(nth), body: body() })
  if (nth % 2) await controlIn('w' + nth, 'DELETE /sandboxes/w' + nth)
}`
  const runWith = async (missing: string, ...gates: string[]) => {
    const args = ['exec', '--scenario', scenario, ...gates, '--report', folder, '--', ...script(IN_SANDBOXES + code(missing))]
    const { status, stderr } = await ran(args)
    return { status, stderr, run: read(`${folder}/run.json`) }
  }
  let message = ''

  for (const gates of [[], ['--fail-on', 'errors'], ['--min-coverage', '1']]) {
    const { status, stderr, run } = await runWith(`await fetch(url + '/tickets', { headers: headers(nth) })`, ...gates)

    t.equal(status, 2, stderr)
    message = run.run.unmet_expectations[0].message
    t.ok(stderr.includes(`  FAILED        ${SAYS.unmet_in(message, 'w50', 0)}\n`), stderr)
    t.strictSame(
      run.run.unmet_expectations.map(({ sandbox, tests }: Json) => [sandbox, tests]),
      [['w50', ['pays at till 50']]]
    )
  }
  const [junit, markdown, page] = ['junit.xml', 'summary.md', 'report.html'].map(name => readFileSync(`${folder}/${name}`, 'utf8')) as [string, string, string]
  const failed = elementsIn(parseMarkup(junit)).flatMap(({ name, attributes, children }) =>
    name === 'testcase' && children.some(child => child.name === 'failure') ? [`${attributes.classname} ${attributes.name}`] : []
  )
  t.strictSame(failed, ['commerce-emulator.gates expectations', 'commerce-emulator.sandboxes w50', 'commerce-emulator.tests pays at till 50'])
  t.equal(junit.match(/<testcase classname="commerce-emulator.sandboxes"/g)?.length, 50)
  t.ok(markdown.includes(`| w50 | ${message} |  |  | pays at till 50 |`), markdown)
  t.strictSame(markdown.match(/\| pays at till \d+ \| failed/g), ['| pays at till 50 | failed'])
  t.match(page, `<td class="bad">w50</td><td>${message}</td><td></td><td></td><td>pays at till 50</td>`)
  t.strictSame(page.match(/<summary class="bad">[^<]*/g), ['<summary class="bad">pays at till 50 '])

  const idle = await runWith(`await controlIn('w50', 'POST /reset')`)
  t.strictSame([idle.status, idle.run.run.unmet_expectations.map(({ sandbox }: { sandbox: string }) => sandbox)], [2, ['w50']], 'one that did nothing')
  const deleted = await runWith(`await controlIn('w50', 'POST /reset'); await controlIn('w50', 'DELETE /sandboxes/w50')`)
  t.strictSame([deleted.status, deleted.run.run.unmet_expectations.map(({ sandbox }: { sandbox: string }) => sandbox)], [2, ['w50']], 'one that is gone')
  const ignored = await runWith('', '--ignore', 'expectations')
  t.equal(ignored.status, 0, ignored.stderr)
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
