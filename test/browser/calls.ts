/** Calls of the console in a browser. */
import t from 'tap'
import { BROWSER, isAccessible, LONG, openConsole, SIZES } from './browser.js'

/** Two refunds of a payment, the second above what remains, and a call that met no operation. */
async function makeCalls({ call }: Pick<Awaited<ReturnType<typeof openConsole>>, 'call'>): Promise<string> {
  await call('GET /tickets', { query: 'search_query=T-1&limit=5', headers: { 'test-name': 'finds the ticket' } })
  const { body } = await call('POST /transactions', { body: 'ticket=tkt_a&payment_type=external&amount=500' })
  await call('POST /refunds', { body: { transaction: body.id, amount: 200 } })
  await call('POST /refunds', { body: { transaction: body.id, amount: 400 }, headers: { 'test-name': 'refunds too much' } })
  await call('GET /nothing')
  return body.id
}

t.test('calls: the list is live, its filters are in the address, and a call says why it was answered so', BROWSER, async t => {
  const opened = await openConsole(t)
  const { page, origin } = opened
  const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') })

  await page.getByText('No call has come yet.').waitFor()
  const transaction = await makeCalls(opened)
  await page.getByText('5 calls').waitFor()
  const cells = await Promise.all((await rows.all()).map(row => row.getByRole('gridcell').allTextContents()))
  t.strictSame(
    cells.map(cells => cells.slice(1, 6)),
    [
      ['req_5', '404', 'GET /nothing', 'A08', ''],
      ['req_4', '400', 'POST /refunds', 'REF-7', 'refunds too much'],
      ['req_3', '200', 'POST /refunds', '', ''],
      ['req_2', '200', 'POST /transactions', '', ''],
      ['req_1', '200', 'GET /tickets?search_query=T-1&limit=5', '', 'finds the ticket']
    ]
  )

  await page.getByLabel('Outcome').selectOption('Refused')
  await page.getByText('2 calls').waitFor()
  await page.getByLabel('Operation').selectOption('POST /refunds')
  await page.getByText('1 call', { exact: true }).waitFor()
  t.equal(page.url(), `${origin}/_control#/calls?kind=refused&on=POST+%2Frefunds`)
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.keyboard.press('/')
  await page.keyboard.type(`${transaction} 400`)
  await page.getByText('1 call', { exact: true }).waitFor()
  await page.keyboard.press('Tab')
  await page.goto(`${origin}/_control#/calls?rule=REF-7`)
  await page.getByText('2 calls').waitFor()

  await rows.first().click()
  t.equal(page.url(), `${origin}/_control#/calls/req_4?rule=REF-7`)
  const detail = page.getByRole('complementary', { name: 'Call req_4' })
  await detail.getByText('Refused by REF-7').waitFor()
  const chain = detail.getByRole('listitem')
  t.strictSame(await chain.first().locator('.badge').textContent(), 'kept')
  t.match(await chain.filter({ hasText: 'broken' }).textContent(), /REF-7.*remaining300.*asked400/)
  t.equal(await chain.filter({ hasText: 'broken' }).getByRole('link', { name: transaction }).getAttribute('href'), `#/data/transactions/${transaction}`)
  await detail.getByRole('link', { name: 'REF-7' }).first().hover()
  t.equal(await detail.getByRole('tooltip').first().isVisible(), true)
  t.equal(await detail.getByRole('link', { name: 'REF-7' }).first().getAttribute('href'), '/_control/docs#/refunds/createRefund')
  await detail.getByRole('link', { name: 'req_3' }).click()
  await page.getByRole('complementary', { name: 'Call req_3' }).getByText('It kept the').waitFor()
  t.equal(page.url(), `${origin}/_control#/calls/req_3`)
})

t.test('calls: a call that is opened after a load has its why, and those before the load do not', BROWSER, async t => {
  const { page, call, control, origin } = await openConsole(t, { hash: '#/data', expected: /404/ })
  await page.getByText('Live').waitFor()
  await call('GET /nothing')
  await control('POST /reset')
  await call('GET /tickets')
  await call('GET /nothing')

  await page.goto(`${origin}/_control#/calls/req_2`)
  await page.getByRole('complementary', { name: 'Call req_2' }).getByText('Refused with').waitFor()
  t.equal(page.url(), `${origin}/_control#/calls/req_2`)
  await page.getByText('3 calls').waitFor()
  t.equal(await page.locator('.grid-row.past').count(), 1)
})

t.test('calls: an answer that the script broke on its way says so next to what went out, and one that is whole does not', BROWSER, async t => {
  const { page, control, origin } = await openConsole(t)
  const read = async () => (await fetch(`${origin}/next/tickets/tkt_a`, { headers: { authorization: `Basic ${btoa('sk_merchant:')}` } })).text()
  await control('POST /script', { name: 'broken', on: 'GET /tickets/{id}', calls: 1, fault: 'malformed_body', when: 'after' })
  await control('POST /script', { on: 'GET /tickets/{id}', calls: 2, fault: 'truncated_body' })
  const text = await read()
  await t.rejects(read())
  const whole = await read()
  const shown = async (id: string) => {
    await page.goto(`${origin}/_control#/calls/${id}`)
    const detail = page.getByRole('complementary', { name: `Call ${id}` })
    return { detail, answer: await detail.getByRole('region', { name: 'Answer', exact: true }).textContent() }
  }

  const malformed = await shown('req_1')
  await malformed.detail.getByText('Broken on the way: the script entry broken made the body malformed. This is what went out.').waitFor()
  t.equal(malformed.answer, text)
  t.throws(() => JSON.parse(text), SyntaxError)
  const truncated = await shown('req_2')
  await truncated.detail.getByText('Lost before the operation ran, 502').waitFor()
  await truncated.detail.getByText('Broken on the way: the script entry scr_2 truncated the body. Only the first half of this went out.').waitFor()
  const right = await shown('req_3')
  t.strictSame(JSON.parse(right.answer as string), JSON.parse(whole))
  t.equal(await right.detail.getByText('Broken on the way').count(), 0)

  await page.getByRole('button', { name: 'Explain with changes…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Judge on a copy' }).click()
  await page.getByRole('dialog').getByText('On the copy:').waitFor()
  t.equal(await page.getByRole('dialog').getByText('Broken on the way').count(), 0)
})

t.test('calls: the keyboard goes through the list, copies and sends again', LONG, async t => {
  const opened = await openConsole(t, { expected: /400/ })
  const { page, control, origin } = opened
  const clipboard = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>
  const transaction = await makeCalls(opened)
  await page.getByText('5 calls').waitFor()

  for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
  await page.getByRole('complementary', { name: 'Call req_4' }).getByText('Refused by REF-7').waitFor()
  await page.keyboard.press('c')
  await page.getByText('curl copied').waitFor()
  t.equal(
    await clipboard(),
    `curl -X POST '${origin}/next/refunds' \\\n  -u 'sk_merchant:' \\\n  --data-urlencode 'transaction=${transaction}' \\\n  --data-urlencode 'amount=400' \\\n  -H 'Test-Name: refunds too much'\n`
  )
  await page.getByRole('button', { name: 'script entry' }).click()
  await page.getByText('Script entry copied').waitFor()
  t.match(
    await clipboard(),
    /^- on: POST \/refunds\n {2}match:\n {4}body:\n {6}transaction: txn_\w+\n {6}amount: "400"\n {2}calls: 1\n {2}respond:\n {4}status: 400\n/
  )
  await page.getByRole('button', { name: 'fixture' }).click()
  await page.getByText('Fixture copied').waitFor()
  const fixture = await clipboard()
  t.match(fixture, /^transactions:\n {2}- id: txn_/m)
  t.equal((await control('POST /load?dry_run=1', `data:\n${fixture.replace(/^/gm, '  ')}`, { 'content-type': 'application/yaml' })).status, 200, fixture)
  await page.keyboard.press('s')
  await page.getByText('Answered with 400, as req_6').waitFor()
  await page.getByRole('complementary', { name: 'Call req_6' }).getByText('Refused by REF-7').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('complementary').waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Next call in the list').waitFor()
})

t.test('calls: one is explained with changes, on a copy, and its scenario is copied', LONG, async t => {
  const opened = await openConsole(t, { hash: '#/calls/req_4', expected: /404/ })
  const { page, control, violations } = opened
  await makeCalls(opened)
  await page.reload()
  await page.getByText('Refused by REF-7').waitFor()

  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog', { name: 'req_4 with changes' })
  await dialog.getByRole('button', { name: 'Judge on a copy' }).click()
  const tried = dialog.getByRole('region', { name: 'What it would be answered' })
  await tried.getByText('Refused by REF-7').waitFor()
  const body = dialog.getByLabel('Body')
  await body.fill((await body.inputValue()).replace('400', '300'))
  await dialog.getByRole('button', { name: 'Judge on a copy' }).click()
  await tried.getByText('It would make rfd_').waitFor()
  await tried.getByText('It would change txn_').waitFor()
  t.strictSame(await violations(), [])
  await dialog.getByLabel('What is different on the copy').fill('{"clock":')
  await dialog.getByRole('button', { name: 'Judge on a copy' }).click()
  await dialog.getByText('The changes are not JSON').waitFor()
  await dialog.getByLabel('What is different on the copy').fill('{"clock":"2026-05-01T00:00:00Z","settings":{"statuses.created":201}}')
  await dialog.getByRole('button', { name: 'Judge on a copy' }).click()
  await tried.getByText('Answered, 201; it took effect.').waitFor()
  t.equal((await control('GET /requests')).body.data.length, 5, 'nothing was changed')
  await dialog.getByLabel('What is different on the copy').fill('')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Answered with 200, as req_6').waitFor()
  await page.getByRole('complementary', { name: 'Call req_6' }).getByText('It kept the').waitFor()
  t.equal((await control('GET /requests')).body.data.length, 6)

  await page.getByRole('button', { name: 'scenario', exact: true }).click()
  await page.getByText('Scenario copied').waitFor()
  const scenario = (await page.evaluate('navigator.clipboard.readText()')) as string
  t.match(scenario, 'do: POST /refunds')
  t.equal((await control('POST /load?dry_run=1', scenario, { 'content-type': 'application/yaml' })).status, 200)
})

t.test('calls: pause keeps the list as it is, and clearing empties the journal', LONG, async t => {
  const { page, call, control } = await openConsole(t)

  await call('GET /tickets')
  await page.getByText('1 call', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await call('GET /locations')
  await call('GET /refunds')
  await page.getByText('1 call, paused; 2 newer').waitFor()
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('3 calls').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('No call has come yet.').waitFor()
  t.strictSame((await control('GET /requests')).body.data, [])
})

t.test('calls: those before a reset stay in the list, and ids that begin anew are others', LONG, async t => {
  const { page, call, control, origin } = await openConsole(t)

  await call('GET /tickets')
  await page.getByRole('row', { name: 'GET /tickets' }).click()
  await page.getByText('It kept the').waitFor()
  await control('POST /reset')
  await page.getByText('The journal was cleared since').waitFor()
  t.equal(page.url(), `${origin}/_control#/calls/req_1/before-0`)
  await call('GET /locations')
  await page.getByText('2 calls').waitFor()
  await page.getByRole('row', { name: 'GET /locations' }).click()
  t.equal(page.url(), `${origin}/_control#/calls/req_1`)
  await page.getByText('It kept the').waitFor()
})

t.test('calls: a sandbox without a call says so, a narrow page shows the whole text of a rule, and the script is named after the rule', LONG, async t => {
  const opened = await openConsole(t, { size: 'narrow', expected: /404/ })
  const { page, control, call, inject, origin } = opened
  await inject({ method: 'POST', url: '/sandbox/worker-1/_control/reset', headers: { host: 'localhost' } })
  await control('POST /script', { name: 'slow', on: 'POST /refunds', delay: '1ms' })
  await makeCalls({ call })
  await page.goto(`${origin}/_control#/calls?sandbox=worker-1`)
  await page.getByText('No call has come yet.').waitFor()

  await page.goto(`${origin}/_control#/calls/req_4`)
  const verdict = page.locator('.verdict')
  await verdict.getByText('Refused by REF-7').waitFor()
  t.match(await verdict.textContent(), /is an error\. The script entry slow was applied to it\.$/)
  await verdict.getByRole('link', { name: 'REF-7' }).hover()
  const { x, width } = (await verdict.getByRole('tooltip').boundingBox()) as { x: number; width: number }
  t.ok(x + width <= SIZES.narrow.width, `${x} ${width}`)
})

t.test('calls: those of every sandbox come, and a link leads to one of another', LONG, async t => {
  const { page, inject, call, origin } = await openConsole(t)
  const headers = { authorization: `Basic ${Buffer.from('sk_merchant:').toString('base64')}` }

  await call('GET /tickets')
  await inject({ method: 'GET', url: '/sandbox/worker-1/next/locations', headers })
  await page.getByText('1 call', { exact: true }).waitFor()
  await page.getByLabel('Sandboxes').selectOption('All')
  await page.getByText('2 calls').waitFor()
  await page.getByRole('row', { name: 'worker-1' }).click()
  t.equal(page.url(), `${origin}/_control#/calls/req_1?in=all&sandbox=worker-1`)
  await page.getByRole('complementary', { name: 'Call req_1' }).getByText('GET /locations').waitFor()
  await page.getByLabel('Sandbox', { exact: true }).selectOption('base sandbox')
  await page.getByText('1 call', { exact: true }).waitFor()
  await page.goto(`${origin}/sandbox/worker-1/_control#/calls/req_1`)
  await page.getByRole('complementary', { name: 'Call req_1' }).getByText('GET /locations').waitFor()
})

t.test('calls: one that is not in the journal says so', LONG, async t => {
  const { page, call } = await openConsole(t, { hash: '#/calls/req_1', expected: /404/ })

  await page.getByText('The journal holds no call req_1; it is empty.').waitFor()
  await call('GET /tickets')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('It kept the').waitFor()
  await page.goto(page.url().replace('req_1', 'req_9'))
  await page.getByText('The journal holds no call req_9; it holds req_1 to req_1.').waitFor()
  await page.getByRole('button', { name: 'Close the call' }).click()
  await page.getByRole('complementary').waitFor({ state: 'detached' })
})

t.test('calls: nothing that a client sent is markup', BROWSER, async t => {
  const { page, inject } = await openConsole(t)
  const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
  const encoded = encodeURIComponent(evil)

  await inject({
    method: 'POST',
    url: `/next/tickets/${encoded}?${encoded}=${encoded}`,
    headers: { 'user-agent': evil, 'test-name': encoded, 'content-type': 'application/x-www-form-urlencoded' },
    payload: `${encoded}=${encoded}&metadata[${encoded}]=${encoded}`
  })
  await inject({
    method: 'GET',
    url: `/next/tickets?search_query=${encoded}`,
    headers: { 'test-name': evil, authorization: `Basic ${Buffer.from('sk_merchant:').toString('base64')}` }
  })
  await page.getByText('2 calls').waitFor()
  for (const key of ['j', 'j', 'k', 'e']) {
    await page.keyboard.press(key)
    await page.waitForTimeout(150)
    t.equal(await page.evaluate('document.querySelectorAll("#app img, #app script").length'), 0, key)
    t.match(await page.title(), 'commerce-emulator')
  }
  t.equal(await page.evaluate('document.body.textContent.includes("onerror")'), true)
})

t.test('calls: the list and a call meet WCAG 2.2 AA in light and dark, wide and narrow', LONG, async t => {
  await isAccessible(t, '#/calls/req_4', {
    prepare: async opened => {
      await makeCalls(opened)
      await opened.page.reload()
      await opened.page.getByText('Refused by REF-7').waitFor()
    },
    expected: /404/
  })
})

t.test('calls: 10,000 calls stay smooth', LONG, async t => {
  const { page, inject, call } = await openConsole(t, { settings: { 'limits.journal': 20_000 } })
  const url = '/next/tickets?limit=1'
  const headers = { authorization: `Basic ${Buffer.from('sk_merchant:').toString('base64')}` }
  await call('GET /tickets')
  await page.getByText('1 call', { exact: true }).waitFor()
  const memory = async () => {
    const session = await page.context().newCDPSession(page)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number }
    return usedSize / 2 ** 20
  }
  const before = await memory()
  await page.evaluate(`{
    window.frames_ = []; window.shifts_ = 0; let last = performance.now()
    const frame = now => { frames_.push(now - last); last = now; requestAnimationFrame(frame) }
    requestAnimationFrame(frame)
    new PerformanceObserver(list => { for (const { value } of list.getEntries()) shifts_ += value }).observe({ type: 'layout-shift', buffered: false })
  }`)

  for (let sent = 0; sent < 10_000; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => inject({ method: 'GET', url, headers })))
    await new Promise(next => setTimeout(next, 20))
  }
  await page.getByText('10000 calls').waitFor()
  await page.evaluate('document.querySelector("[role=grid]").scrollTop = 100_000')
  await page.getByRole('row', { name: 'req_' }).first().waitFor()
  const [frames, shifts] = (await page.evaluate('[frames_, shifts_]')) as [number[], number]
  const grown = (await memory()) - before
  const slow = frames.filter(ms => ms > 100).length
  const middle = frames.sort((a, b) => a - b)[Math.floor(frames.length / 2)] as number

  t.comment(
    `${frames.length} frames, median ${middle.toFixed(1)} ms, ${slow} above 100 ms, worst ${frames.at(-1)?.toFixed(0)} ms; ${grown.toFixed(1)} MiB more; layout shift ${shifts.toFixed(4)}`
  )
  t.ok(middle < 50, 'the page draws on while calls come')
  t.ok(slow < frames.length / 10, 'few frames are late')
  t.ok(grown < 64, 'memory')
  t.ok(shifts < 0.01, 'no layout shift')
  t.ok(((await page.evaluate('document.querySelectorAll("[role=row]").length')) as number) < 80, 'only rows that can be seen are in the page')
})
