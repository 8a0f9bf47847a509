/** The suite against the service in the environment, or else the built command. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { startBuiltCommand } from './built-command.js'
import type { Service } from './service.js'
import { conformance, gapsIn, type Result } from './suite.js'
import { readLedger, targetOf } from './target.js'

const named = targetOf(process.env)

if (named) {
  await shown(t, named)
} else {
  t.test('the suite refuses to write to another machine unless it is allowed to', async t => {
    const CONFORMANCE_MERCHANT_KEY = 'sk_test_merchant'
    for (const host of 'api.example.com 10.0.0.7 localhost.example.com 127.0.0.1.example.com [2001:db8::1]'.split(
      ' '
    )) {
      const CONFORMANCE_BASE_URL = `https://${host}/next`
      t.throws(
        () => targetOf({ CONFORMANCE_BASE_URL, CONFORMANCE_MERCHANT_KEY }),
        { message: /CONFORMANCE_ALLOW_REMOTE=1.*Nothing was sent/ },
        host
      )
      t.equal(
        targetOf({ CONFORMANCE_BASE_URL, CONFORMANCE_MERCHANT_KEY, CONFORMANCE_ALLOW_REMOTE: '1' })
          ?.baseUrl,
        CONFORMANCE_BASE_URL
      )
    }
    for (const host of ['localhost:4010', '127.0.0.1', '[::1]:80', 'emulator.localhost']) {
      t.ok(
        targetOf({ CONFORMANCE_BASE_URL: `http://${host}/next`, CONFORMANCE_MERCHANT_KEY }),
        host
      )
    }
    t.throws(() => targetOf({ CONFORMANCE_BASE_URL: 'http://localhost/next' }), {
      message: /CONFORMANCE_MERCHANT_KEY is needed/
    })
    t.throws(
      () => targetOf({ CONFORMANCE_BASE_URL: 'localhost:4010/next', CONFORMANCE_MERCHANT_KEY }),
      { message: /not an http address/ }
    )
    t.equal(targetOf({}), null)
  })

  t.test('a service that says yes, or no, to everything passes nothing', async t => {
    for (const [status, body] of [
      [200, '{"id":"x","created":"2026-01-01T00:00:00Z","data":[],"has_more":false}'],
      [400, '{}']
    ] as const) {
      const server = createServer((_request, response) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(body)
      ).listen(0, '127.0.0.1')
      t.teardown(() => server.close())
      await new Promise(resolve => server.once('listening', resolve))
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/next`
      const passed: string[] = []
      for await (const { rule, title, outcome } of conformance({
        baseUrl,
        merchantKey: 'm',
        resellerKey: 'r'
      }))
        if (outcome === 'passed') passed.push(`${rule}: ${title}`)
      t.strictSame(passed, [], `${status} ${body}`)
    }
  })

  t.test('the built command passes every rule', async t => {
    const { baseUrl, stop } = await startBuiltCommand()

    const results = await shown(t, {
      baseUrl,
      merchantKey: 'sk_test_merchant',
      resellerKey: 'sk_test_reseller'
    }).finally(async () => {
      t.equal(await stop(), 0, 'SIGTERM ends it with exit code 0')
    })

    t.strictSame(
      results
        .filter(({ outcome }) => outcome === 'skipped')
        .map(({ rule, title, detail }) => `${rule}: ${title} (${detail})`),
      [],
      'nothing is skipped'
    )
  })
}

/** Each check as a subtest, the ledger last. */
async function shown(t: Test, service: Service): Promise<Result[]> {
  const results: Result[] = []
  for await (const result of conformance(service)) {
    const { rule, title, outcome, detail } = result
    results.push(result)
    await t.test(`${rule}: ${title}`, { skip: outcome === 'skipped' && detail }, async t =>
      t.equal(outcome, 'passed', detail || 'passed')
    )
  }
  const ledger = readLedger()
  await t.test(
    'every rule of the ledger has a check, and every violable rule was violated',
    { skip: ledger === null && 'test/contract/rules.json is not there' },
    async t => t.strictSame(gapsIn(ledger ?? [], results), [])
  )
  return results
}
