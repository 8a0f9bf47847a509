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

const REST = /\n… \d+ more characters.*$/

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
  const read = async (on: string, query?: object) =>
    (await use('read', { on, ...(query && { query }) })).value
  const change = (on: string, body?: object, query?: object) =>
    use('change', { on, ...(body && { body }), ...(query && { query }) })

  t.match(
    client.getInstructions(),
    /http:\/\/localhost:\d+\/next; its first API key is sk_test_merchant/
  )
  const { data } = await read('GET /scenarios')
  t.ok(data.some(({ name }: { name: string }) => name === 'default'))
  const dry = await change('POST /load', { scenario: SCENARIO }, { dry_run: 'true' })
  t.equal(dry.value.dry_run, true)
  t.equal((await change('POST /verify')).value.holds, true, 'nothing was loaded')

  const loaded = await change('POST /load', { scenario: SCENARIO })
  t.equal(loaded.value.scenario.name, 'refunds')
  const unmet = await change('POST /verify')
  t.strictSame(
    [unmet.isError, unmet.value.code, unmet.value.verdict.holds],
    [true, 'expectation_unmet', false]
  )
  const refused = (await use('send_request', REFUND)).value
  t.strictSame([refused.status, refused.body.error.code], [400, 'refund_exceeds_remaining'])
  const { why } = await read(`GET /requests/${refused.request}`)
  t.strictSame(
    why.rules
      .filter(({ verdict }: { verdict: string }) => verdict === 'violated')
      .map(({ rule }: { rule: string }) => rule),
    ['REF-7']
  )
  t.strictSame(await read(`GET /requests/${refused.request}/changes`), { data: [] })
  t.equal((await change('POST /verify')).value.holds, true)
  t.equal(
    (await use('list_requests', { rule: 'REF-7' })).text,
    `${refused.request} POST /refunds 400 refused refund_exceeds_remaining REF-7\nThere are no others.`
  )
  const { text } = await use('read', {
    on: `GET /requests/${refused.request}`,
    query: { format: 'scenario' }
  })
  const played = await use('check', { scenario: text })
  t.match(played.text, /2 passed, 0 failed/, 'a reproduction is played')
  t.match((await use('check', { scenario: 'empty' })).text, /empty/)
  t.match((await change('POST /clock/advance', { by: '36h' })).value.running, true)
  t.equal((await change('POST /reset')).isError, false)
  t.equal((await use('list_requests')).text, 'There are no others.')
})

t.test('mcp: a sandbox in every tool', async t => {
  const { use } = await agent(t)
  const sandbox = 'till'
  await use('change', { sandbox, on: 'POST /load', body: { scenario: SCENARIO } })
  await use('send_request', { sandbox, ...REFUND })

  t.equal((await use('list_requests')).text, 'There are no others.', 'the base address saw none')
  t.match((await use('list_requests', { sandbox })).text, /refund_exceeds_remaining/)
  t.equal((await use('change', { sandbox: 'a b', on: 'POST /reset' })).isError, true)
})

t.test('mcp: every tool has a title and descriptions', async t => {
  const { client, use } = await agent(t)
  const { tools } = await client.listTools()
  for (const { name, title, annotations, inputSchema } of tools) {
    t.match([title, annotations?.title], [/^[A-Z][a-z ]+$/, title], name)
    for (const [key, { description }] of Object.entries(inputSchema.properties as object))
      t.ok(description, `${name}: ${key}`)
  }
  const about = (tool: string) => tools.find(({ name }) => name === tool)?.description ?? ''
  t.match(about('read'), /\nGET \/requests: .* Query: .*rule/)
  t.match(about('change'), /\nPOST \/clock\/advance: .* Body: \{"by":/)
  t.notMatch(about('read') + about('change'), /POST \/refunds:|\/events|\]\(/)
  for (let nth = 0; nth < 3; nth++)
    await use('send_request', { on: 'GET /transactions', query: { limit: 100 } })
  const long = await use('send_request', { on: 'GET /transactions', query: { limit: 100 } })
  t.match(long.text, /more characters\.$/)

  let [whole, from] = ['', 0]
  while (!Number.isNaN(from)) {
    const { text } = await use('read', { on: 'GET /requests/req_4', from })
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
  const load = (scenario: string) => ({ on: 'POST /load', body: { scenario } })
  const wrong = await use('change', load('name: x\nscripts: []\n'))
  const cases: [name: string, given: object, code: string][] = [
    ['change', load('defualt'), 'scenario_unknown'],
    ['change', load('./own.yaml'), 'scenario_unknown'],
    ['read', { on: 'GET /requests/req_9' }, 'request_unknown'],
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
  const refused: [name: string, given: object][] = [
    ['list_requests', { rule: 'REF-99' }],
    ['read', { on: 'GET /events' }],
    ['read', { on: 'POST /reset' }],
    ['change', { on: 'GET /state' }]
  ]
  for (const [name, given] of refused) t.equal((await use(name, given)).isError, true, name)
})

t.test('mcp: the docs are resources', async t => {
  const { client } = await agent(t)
  const { resources } = await client.listResources()
  const page = await client.readResource({ uri: 'docs:scenarios.md' })

  t.ok(resources.some(({ uri }) => uri === 'docs:reference/rules.md'))
  t.match((page.contents[0] as { text: string }).text, /^# /)
})

t.test('mcp: with a running emulator, which continues when the agent has left', async t => {
  for (const given of [{}, { token: 'token-of-its-own' }]) {
    const emulator = await startEmulator({ settings: { control_token: given.token ?? null } })
    t.teardown(() => emulator.close())
    const { client, use } = await agent(t, { url: emulator.url, ...given })

    const { request } = (await use('send_request', { on: 'GET /tickets' })).value
    await client.close()

    t.equal((await emulator.why(request)).id, request)
  }
})

t.test('mcp: a refused connection is one sentence', async t => {
  const [, other] = InMemoryTransport.createLinkedPair()
  const failed = mcp({ url: 'http://127.0.0.1:1' }, other).catch(error => error)
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
    const { value } = await use('change', { on: 'POST /reset' })
    t.equal(value.scenario.name, name, args.join(' '))
  }
})
