import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import t, { type Test } from 'tap'
import { failureLines } from '../../src/cli/failures.js'
import { type McpOptions, mcp } from '../../src/cli/mcp/server.js'
import { startEmulator } from '../../src/index.js'
import { BUILT, SOURCE } from './exec-run.js'

/** A client of the tools, and a function that calls one. */
async function agent(t: Test, options: McpOptions = {}, transport?: StdioClientTransport) {
  const client = new Client({ name: 'test', version: '1' })
  const [own, other] = InMemoryTransport.createLinkedPair()
  const served = transport ? null : mcp(options, other)
  await client.connect(transport ?? own)
  t.teardown(async () => {
    await client.close()
    await served
  })
  const use = async (name: string, given: object = {}) => {
    const { content, isError = false } = await client.callTool({
      name,
      arguments: given as Record<string, unknown>
    })
    const [{ text }] = content as unknown as [{ text: string }]
    return {
      isError,
      text,
      value: /^[{[]/.test(text) && !REST.test(text) ? JSON.parse(text) : null
    }
  }
  return { client, use }
}

const REST = /\n… \d+ more characters: (.*)$/

const REFUND = { on: 'POST /refunds', body: { transaction: 'txn_a', amount: 5000 } }
const SCENARIO = `
name: refunds
fixtures: [bistro]
data:
  transactions: [{ id: txn_a, ticket: tkt_60, payment_type: external, amount: 3000 }]
expect: [{ on: POST /refunds, times: 1 }]
`

t.test('mcp: an agent with its own emulator', async t => {
  const { client, use } = await agent(t)

  t.match(
    client.getInstructions(),
    /http:\/\/localhost:\d+\/next; its first API key is sk_test_merchant/
  )
  t.ok(
    (await use('list_scenarios')).value.data.some(
      ({ name }: { name: string }) => name === 'default'
    )
  )
  t.equal((await use('validate_scenario', { scenario: SCENARIO })).isError, false)
  t.equal((await use('verify')).value.holds, true, 'a check loads nothing')

  t.equal((await use('load_scenario', { scenario: SCENARIO })).value.scenario.name, 'refunds')
  const unmet = await use('verify')
  t.strictSame(
    [unmet.isError, unmet.value.code, unmet.value.verdict.holds],
    [true, 'expectation_unmet', false]
  )
  const refused = (await use('send_request', REFUND)).value
  t.strictSame([refused.status, refused.body.error.code], [400, 'refund_exceeds_remaining'])
  const { rules } = (await use('explain_request', { id: refused.request })).value.why
  t.strictSame(
    rules
      .filter(({ verdict }: { verdict: string }) => verdict === 'violated')
      .map(({ rule }: { rule: string }) => rule),
    ['REF-7']
  )
  t.strictSame((await use('request_changes', { id: refused.request })).value, { data: [] })
  t.match((await use('reproduce_request', { id: refused.request })).text, /do: POST \/refunds/)
  t.equal((await use('verify')).value.holds, true)
  t.equal(
    (await use('list_requests', { rule: 'REF-7' })).text,
    `${refused.request} POST /refunds 400 refused refund_exceeds_remaining REF-7\nThere are no others.`
  )
  const played = await use('check', {
    scenario: (await use('reproduce_request', { id: refused.request })).text
  })
  t.match(played.text, /2 passed, 0 failed/, 'a reproduction is played')
  t.match((await use('check', { scenario: 'empty' })).text, /empty/)
  t.equal((await use('move_clock', { to: '2030-01-01T00:00:00Z' })).value.running, true)
  t.match((await use('move_clock', { by: '36h' })).value.now, /^2030-01-02T12/)
  t.match((await use('coverage')).text, /"percent":[1-9]/)
  t.strictSame((await use('findings')).value.data, [])
  t.equal((await use('reset')).isError, false)
  t.equal((await use('list_requests')).text, 'There are no others.')
  const past = (await use('explain_request', { id: `#1/${refused.request}` })).value
  t.equal(past.status, 400, 'a report knows a refusal from before a reset')
  for (const tool of ['request_changes', 'reproduce_request', 'explain_request'])
    for (const id of ['#1/req_9', '#9/req_1'])
      t.match(await use(tool, { id }), { isError: true, value: { code: 'request_unknown' } })
})

t.test('mcp: a sandbox in every tool, and a request by its name in reports', async t => {
  const { use } = await agent(t)
  const sandbox = 'till'
  await use('load_scenario', { sandbox, scenario: SCENARIO })
  const { request } = (await use('send_request', { sandbox, ...REFUND })).value
  const id = `till#1/${request}`

  t.equal((await use('list_requests')).text, 'There are no others.', 'the base address saw none')
  t.match((await use('list_requests', { sandbox })).text, /refund_exceeds_remaining/)
  t.equal((await use('explain_request', { id })).value.id, id)
  t.strictSame((await use('request_changes', { id })).value, { data: [] })
  t.match((await use('reproduce_request', { id })).text, /do: POST \/refunds/)
  t.equal((await use('reset', { sandbox: 'a b' })).isError, true)
})

t.test('mcp: every tool has a title and descriptions', async t => {
  const { client, use } = await agent(t)
  const { tools } = await client.listTools()
  for (const { name, title, annotations, inputSchema } of tools) {
    t.match([title, annotations?.title], [/^[A-Z][a-z ]+$/, title], name)
    for (const [key, { description }] of Object.entries(inputSchema.properties as object))
      t.ok(description, `${name}: ${key}`)
  }
  for (let nth = 0; nth < 3; nth++)
    await use('send_request', { on: 'GET /transactions', query: { limit: 100 } })
  const long = await use('send_request', { on: 'GET /transactions', query: { limit: 100 } })
  t.match(long.text, /more characters: explain_request shows them\.$/)

  let [whole, from] = ['', 0]
  while (!Number.isNaN(from)) {
    const { text } = await use('explain_request', { id: 'req_4', from })
    t.ok(text.length <= 8_000)
    whole += text.replace(REST, '')
    from = Number(/"from": (\d+)\.$/.exec(text)?.[1])
  }
  t.equal(JSON.parse(whole).id, 'req_4', 'the parts are the whole')
  t.equal((await use('list_requests')).text.split('\n').length, 5)
  t.match((await use('list_requests', { limit: 1 })).text, /\nThere are older requests\.$/)
})

t.test('mcp: errors are reported to the agent', async t => {
  const { use } = await agent(t)
  const wrong = await use('validate_scenario', { scenario: 'name: x\nscripts: []\n' })
  const cases: [name: string, given: object, code: string][] = [
    ['load_scenario', { scenario: 'defualt' }, 'scenario_unknown'],
    ['load_scenario', { scenario: './own.yaml' }, 'scenario_unknown'],
    ['explain_request', { id: 'req_9' }, 'request_unknown'],
    ['send_request', { on: 'refunds' }, 'option_invalid'],
    ...['/..', '/%2e%2e', '/tickets/../..', '/..\\'].map((up): [string, object, string] => [
      'send_request',
      { on: `GET ${up}/_control/settings` },
      'option_invalid'
    ])
  ]

  t.strictSame(
    [wrong.isError, wrong.value.code, wrong.value.problems[0].line],
    [true, 'document_invalid', 2]
  )
  for (const [name, given, code] of cases) t.equal((await use(name, given)).value.code, code, name)
  t.equal((await use('list_requests', { rule: 'REF-99' })).isError, true)
})

t.test('mcp: the docs are resources', async t => {
  const { client } = await agent(t)
  const { resources } = await client.listResources()
  const page = await client.readResource({ uri: 'docs:scenarios.md' })

  t.ok(resources.some(({ uri }) => uri === 'docs:reference/rules.md'))
  t.match((page.contents[0] as { text: string }).text, /^# /)
})

t.test('mcp: with a running emulator, which continues when the agent has left', async t => {
  for (const token of [null, 'token-of-its-own']) {
    const emulator = await startEmulator({ settings: { control_token: token } })
    t.teardown(() => emulator.close())
    const { client, use } = await agent(t, { url: emulator.url, token })

    const { request } = (await use('send_request', { on: 'GET /tickets' })).value
    await client.close()

    t.equal((await emulator.why(request)).id, request)
  }
})

t.test('mcp: a refused connection is one sentence', async t => {
  const [, other] = InMemoryTransport.createLinkedPair()
  const failed = mcp({ url: 'http://127.0.0.1:1', token: null }, other).catch(error => error)
  const lines = failureLines(await failed)

  t.equal(lines.length, 1)
  t.match(lines[0], /^commerce-emulator: GET .* got no response: connect ECONNREFUSED \S+$/)
})

t.test('mcp: as a process, over its stdin and stdout', async t => {
  const running = await startEmulator({ scenario: 'empty' })
  t.teardown(() => running.close())
  const file = `${t.testdir({ 'own.yaml': 'name: own\nvars: { note: x }\nfixtures: [bistro]\n' })}/own.yaml`
  const cases: [
    main: readonly string[],
    args: string[],
    name: string,
    env?: Record<string, string>
  ][] = [
    [SOURCE, ['--scenario', file, '--var', 'note=y'], 'own', { SCENARIO: 'empty', PORT: '1' }],
    [BUILT, [], 'own', { SCENARIO: file, PORT: '1' }],
    [SOURCE, ['--url', running.url], 'empty']
  ]
  for (const [main, args, name, env = {}] of cases) {
    const { use } = await agent(
      t,
      {},
      new StdioClientTransport({ command: process.execPath, args: [...main, 'mcp', ...args], env })
    )
    t.equal((await use('reset')).value.scenario.name, name, args.join(' '))
  }
})
