/** Requests of the console in a browser. */
import { readFile } from 'node:fs/promises'
import { get } from 'node:http'
import t from 'tap'
import { authorization } from '../support/emulator.js'
import {
  BROWSER,
  follow,
  isAccessible,
  LONG,
  makeSandbox,
  openConsole,
  press,
  see,
  until
} from './browser.js'

/** Two Refunds of a payment, the second above the remainder, and a request without an operation. */
async function makeCalls({
  call
}: Pick<Awaited<ReturnType<typeof openConsole>>, 'call'>): Promise<string> {
  await call('GET /tickets', {
    query: 'search_query=T-1&limit=5',
    headers: { 'test-name': 'finds the ticket' }
  })
  const { body } = await call('POST /transactions', {
    body: 'ticket=tkt_a&payment_type=external&amount=500'
  })
  await call('POST /refunds', { body: { transaction: body.id, amount: 200 } })
  await call('POST /refunds', {
    body: { transaction: body.id, amount: 400 },
    headers: { 'test-name': 'refunds too much' }
  })
  await call('GET /nothing')
  return body.id
}

t.test(
  'requests: the list is live, its filters are in the address, and a request shows why it got its response',
  BROWSER,
  async t => {
    const opened = await openConsole(t)
    const { page, origin } = opened
    const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') })

    await see(page, 'Waiting for the first request')
    const transaction = await makeCalls(opened)
    const short = `${transaction.slice(0, 8)}…`
    await see(page, '5 requests')
    const cells = await Promise.all(
      (await rows.all()).map(row => row.getByRole('gridcell').allTextContents())
    )
    t.strictSame(
      cells.map(cells => cells.slice(0, 7).join('|').replace(/ +/g, ' ')),
      [
        '404|GET|/nothing| A08 path_unknown ||A08 path_unknown |',
        `400|POST|/refunds|of ${short} REF-7 refund_exceeds_remaining |$4.00|REF-7 refund_exceeds_remaining |refunds too much`,
        `200|POST|/refunds|of ${short} |$2.00| |`,
        '200|POST|/transactions|external for tkt_a |$5.00| |',
        '200|GET|/tickets|“T-1” 1 Ticket || |finds the ticket'
      ]
    )

    const heights = () =>
      page.evaluate(
        "[...document.querySelectorAll('.line')].map(line => [line.offsetTop, line.offsetHeight])"
      )
    const before = await heights()
    await follow(page, 'Refused')
    await see(page, '2 requests')
    await press(page, 'Filter')
    await press(page, 'on:"POST /refunds"')
    await press(page, 'on:"POST /refunds"')
    await see(page, '1 request', { exact: true })
    await page.waitForURL(`${origin}/_control#/requests?q=is%3Arefused+on%3A%22POST+%2Frefunds%22`)
    await page.goto(`${origin}/_control#/requests`)
    await rows.nth(1).click()
    await page.getByRole('complementary').waitFor()
    t.strictSame(await heights(), before, 'an opened request moves no row')
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await see(page.getByRole('group', { name: 'Search terms' }), 'status:4xx')
    await page.keyboard.type(`${transaction} 400`)
    await see(page, '1 request', { exact: true })
    await page.keyboard.press('Tab')
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.goto(`${origin}/_control#/requests?q=rule%3AREF-99+amount%3A5`)
    await see(page, 'rule:REF-99 is unknown, so nothing matches it.')
    await see(page, 'amount:5 is not a search term, so it is searched as text.')
    t.strictSame(
      asked.filter(url => url.includes('rule')),
      [],
      'an unknown rule is not asked for'
    )
    await page.goto(`${origin}/_control#/requests?q=rule%3AREF-7`)
    await see(page, '1 request', { exact: true })

    await rows.first().click()
    t.equal(page.url(), `${origin}/_control#/requests/req_4?q=rule%3AREF-7`)
    const detail = page.getByRole('complementary', { name: 'Request req_4' })
    await see(detail, 'Refused · nothing changed')
    const verdict = detail.locator('.verdict')
    await verdict
      .getByRole('img', { name: 'charged $5.00, refunded $2.00, remaining $3.00, requested $4.00' })
      .waitFor()
    t.match(await verdict.textContent(), /Remaining\$3\.00Requested\$4\.00/)
    t.equal(
      await verdict.getByRole('link', { name: transaction }).getAttribute('href'),
      `#/data/transactions/${transaction}`
    )
    const sent = detail.getByRole('region', { name: 'What was sent' })
    t.equal(await sent.locator('.bad').textContent(), '400 ($4.00) ← refused')
    t.equal(
      await detail.getByRole('listitem').first().isVisible(),
      false,
      'the rules that passed are collapsed'
    )
    await detail.getByText('4 rules passed').click()
    await detail.getByRole('listitem').first().getByText('BASE-1').first().waitFor()
    t.equal(
      await detail.getByRole('link', { name: 'refunds too much' }).getAttribute('href'),
      '#/requests?q=test%3A%22refunds+too+much%22+in%3Aall'
    )
    const rule = detail.getByRole('link', { name: 'REF-7' }).first()
    t.equal(await rule.getAttribute('title'), 'a Refund above the remainder is an error')
    t.equal(await rule.getAttribute('href'), '/_control/docs#/refunds/createRefund')
    await follow(detail, 'req_3')
    await see(
      page.getByRole('complementary', { name: 'Request req_3' }),
      /^All \d+ applicable rules passed/
    )
    t.equal(page.url(), `${origin}/_control#/requests/req_3`)
  }
)

t.test(
  'requests: a request after a load has its why, requests before the load do not',
  BROWSER,
  async t => {
    const { page, call, control, origin } = await openConsole(t, {
      hash: '#/data',
      expected: /404/
    })
    let read = () => {}
    const isOver = new Promise<void>(resolve => (read = resolve))
    await page.route('**/_control/requests?*', route => isOver.then(() => route.continue()))
    await page.reload()
    await see(page, 'Live')
    await call('GET /nothing')
    await control('POST /reset')
    await call('GET /tickets')
    await call('GET /nothing')
    // the journal is read while it is cleared
    await page.waitForTimeout(300)
    read()

    await page.goto(`${origin}/_control#/requests/req_2`)
    await see(
      page.getByRole('complementary', { name: 'Request req_2' }),
      'Refused · nothing changed'
    )
    t.equal(page.url(), `${origin}/_control#/requests/req_2`)
    await see(page, '3 requests')
    t.equal(await page.locator('.line.past').count(), 1)
  }
)

/** A response whose connection is reset: what arrived. */
const partOf = (url: string) =>
  new Promise<string>(resolve => {
    let text = ''
    get(url, { headers: { authorization: authorization() } }, response =>
      response
        .on('data', chunk => (text += chunk))
        .on('error', () => {})
        .on('close', () => resolve(text))
    )
  })

t.test(
  'requests: a response that the script altered says so next to what was sent, and an unaltered one does not',
  BROWSER,
  async t => {
    const { page, control, origin } = await openConsole(t)
    const read = async () =>
      (
        await fetch(`${origin}/next/tickets/tkt_a`, {
          headers: { authorization: authorization() }
        })
      ).text()
    await control('POST /script', {
      name: 'broken',
      on: 'GET /tickets/{id}',
      calls: 1,
      fault: 'malformed_body',
      when: 'after'
    })
    await control('POST /script', { on: 'GET /tickets/{id}', calls: 2, fault: 'truncated_body' })
    const text = await read()
    const received = await partOf(`${origin}/next/tickets/tkt_a`)
    const whole = await read()
    const shown = async (id: string) => {
      await page.goto(`${origin}/_control#/requests/${id}`)
      const detail = page.getByRole('complementary', { name: `Request ${id}` })
      return {
        detail,
        answer: await detail.getByRole('region', { name: 'Response', exact: true }).textContent()
      }
    }

    const malformed = await shown('req_1')
    await see(
      malformed.detail,
      'Altered in transit: the script entry broken made the body malformed. This was sent.'
    )
    t.equal(malformed.answer, text)
    t.throws(() => JSON.parse(text), SyntaxError)
    const truncated = await shown('req_2')
    await see(truncated.detail, 'No response · nothing changed')
    await see(
      truncated.detail,
      'Altered in transit: the script entry scr_2 truncated the body. Only the first half was sent.'
    )
    t.equal(
      JSON.stringify(JSON.parse(truncated.answer as string)).slice(0, received.length),
      received,
      'what a client received'
    )
    const right = await shown('req_3')
    t.strictSame(JSON.parse(right.answer as string), JSON.parse(whole))
    t.equal(await right.detail.getByText('Altered in transit').count(), 0)

    await press(page, 'Replay…')
    await press(page.getByRole('dialog'), 'Try on a copy')
    await see(page.getByRole('dialog'), /^On the copy:/)
    t.equal(await page.getByRole('dialog').getByText('Altered in transit').count(), 0)
  }
)

t.test('requests: the keyboard goes through the list, copies and sends again', LONG, async t => {
  const opened = await openConsole(t, { expected: /400/ })
  const { page, origin } = opened
  const clipboard = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>
  const transaction = await makeCalls(opened)
  await see(page, '5 requests')

  for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
  await see(page.getByRole('complementary', { name: 'Request req_4' }), 'REF-7: a Refund')
  await page.keyboard.press('c')
  await see(page, 'curl copied')
  t.equal(
    await clipboard(),
    `curl -X POST '${origin}/next/refunds' \\\n  -u 'sk_merchant:' \\\n  --data-urlencode 'transaction=${transaction}' \\\n  --data-urlencode 'amount=400' \\\n  -H 'Test-Name: refunds too much'\n`
  )
  const copyAs = async (form: string) => {
    await page.getByText('Copy', { exact: true }).first().click()
    await press(page, form)
  }
  await copyAs('As a script entry')
  await see(page, 'Script entry copied')
  t.match(
    await clipboard(),
    /^- on: POST \/refunds\n {2}match:\n {4}body:\n {6}transaction: txn_\w+\n {6}amount: "400"\n {2}calls: 1\n {2}respond:\n {4}status: 400\n/
  )
  await page.keyboard.press('s')
  await page.getByRole('dialog', { name: 'Send it again?' }).waitFor()
  await page.keyboard.press('Enter')
  await see(page, 'Sent as req_6; the response is 400')
  await see(page.getByRole('complementary', { name: 'Request req_6' }), 'REF-7: a Refund')
  await page.keyboard.press('Escape')
  await page.getByRole('complementary').waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await see(page.getByRole('dialog', { name: 'Shortcuts' }), 'Next row')
})

t.test(
  'requests: a request is tried with changes on a copy, and its scenario is copied',
  LONG,
  async t => {
    const opened = await openConsole(t, { hash: '#/requests/req_4', expected: /404/ })
    const { page, control, violations } = opened
    await makeCalls(opened)
    await page.reload()
    await see(page, 'REF-7: a Refund')

    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Replay req_4' })
    await press(dialog, 'Try on a copy')
    const tried = dialog.getByRole('region', { name: 'What the response would be' })
    await see(tried, 'REF-7: a Refund')
    const body = dialog.getByLabel('Body')
    await body.fill((await body.inputValue()).replace('400', '300'))
    await press(dialog, 'Try on a copy')
    await see(tried, 'Created rfd_')
    await see(tried, 'Changed txn_')
    const footer = (await dialog.locator('footer').boundingBox()) as { y: number; height: number }
    t.ok(footer.y + footer.height <= 800, 'its buttons stay in view')
    const widthOf = async (label: string) =>
      (await dialog.getByLabel(label).boundingBox())?.width ?? 0
    t.ok((await widthOf('Path and query')) > 2 * (await widthOf('Method')))
    await tried.getByText('Headers of the response').click()
    await tried.getByRole('row', { name: 'content-type application/json' }).waitFor()
    t.strictSame(await violations(), [])
    t.equal((await control('GET /requests')).body.data.length, 5, 'nothing was changed')
    await press(dialog, 'Send')
    await see(page, 'Sent as req_6; the response is 200')
    await see(
      page.getByRole('complementary', { name: 'Request req_6' }),
      /^All \d+ applicable rules passed/
    )
    t.equal((await control('GET /requests')).body.data.length, 6)

    await page.getByText('Copy', { exact: true }).first().click()
    await press(page, 'As a scenario')
    await see(page, 'Scenario copied')
    const scenario = (await page.evaluate('navigator.clipboard.readText()')) as string
    t.match(scenario, 'do: POST /refunds')
    t.equal(
      (await control('POST /load?dry_run=1', scenario, { 'content-type': 'application/yaml' }))
        .status,
      200
    )
  }
)

t.test(
  'requests: pause keeps the list as it is, and clearing empties the journal',
  LONG,
  async t => {
    const { page, call, control } = await openConsole(t)

    await call('GET /tickets')
    await see(page, '1 request', { exact: true })
    await press(page, 'Pause')
    await call('GET /locations')
    await call('GET /refunds')
    await see(page, '1 request, paused; 2 newer')
    await press(page, 'Resume')
    await see(page, '3 requests')
    await press(page, 'Clear')
    await press(page, 'Clear log')
    await see(page, 'Waiting for the first request')
    t.strictSame((await control('GET /requests')).body.data, [])
  }
)

t.test(
  'requests: requests before a reset stay in the list, though ids start again',
  LONG,
  async t => {
    const { page, call, control, origin } = await openConsole(t)

    await call('GET /tickets')
    await page.getByRole('row', { name: 'GET /tickets' }).click()
    await see(page, /^All \d+ applicable rules passed/)
    await control('POST /reset')
    await see(page, 'The request log has been cleared')
    t.equal(page.url(), `${origin}/_control#/requests/req_1/before-0`)
    await call('GET /locations')
    await see(page, '2 requests')
    await page.getByRole('row', { name: 'GET /locations' }).click()
    t.equal(page.url(), `${origin}/_control#/requests/req_1`)
    await see(page, /^All \d+ applicable rules passed/)
  }
)

t.test(
  'requests: a sandbox without a call says so, and the script is named after the rule',
  LONG,
  async t => {
    const opened = await openConsole(t, { expected: /404/ })
    const { page, control, call, inject, origin } = opened
    await makeSandbox({ inject })
    await control('POST /script', { name: 'slow', on: 'POST /refunds', delay: '1ms' })
    await makeCalls({ call })
    await page.goto(`${origin}/_control#/requests?sandbox=worker-1`)
    await see(page, 'Waiting for the first request')

    await page.goto(`${origin}/_control#/requests/req_4`)
    const verdict = page.locator('.verdict')
    await see(verdict, 'REF-7: a Refund')
    t.match(await verdict.textContent(), /is an error\.By the script entry slow/)
  }
)

t.test(
  'requests: those of every sandbox are listed, and a link leads to another sandbox',
  LONG,
  async t => {
    const { page, inject, call, origin } = await openConsole(t)
    const headers = { authorization: authorization() }

    await call('GET /tickets')
    await inject({ method: 'GET', url: '/sandbox/worker-1/next/locations', headers })
    await see(page, '1 request', { exact: true })
    await press(page, 'Filter')
    for (const _ of ['the term', 'its value']) await press(page, 'in:all')
    await see(page, '2 requests')
    await page.getByRole('row', { name: 'worker-1' }).click()
    t.equal(page.url(), `${origin}/_control#/requests/req_1?q=in%3Aall&sandbox=worker-1`)
    await see(page.getByRole('complementary', { name: 'Request req_1' }), 'GET /locations')
    await page.goto(`${origin}/_control#/requests?sandbox=`)
    await see(page, '1 request', { exact: true })
    await page.goto(`${origin}/sandbox/worker-1/_control#/requests/req_1`)
    await see(page.getByRole('complementary', { name: 'Request req_1' }), 'GET /locations')
  }
)

t.test('requests: a request that is not in the journal says so', LONG, async t => {
  const { page, call } = await openConsole(t, { hash: '#/requests/req_1', expected: /404/ })

  await see(page.getByRole('alert'), 'req_1')
  await call('GET /tickets')
  await press(page, 'Try again')
  await see(page, /^All \d+ applicable rules passed/)
  await page.goto(page.url().replace('req_1', 'req_9'))
  await see(page.getByRole('alert'), 'req_9')
  await press(page, 'Close the request')
  await page.getByRole('complementary').waitFor({ state: 'detached' })
})

t.test('requests: nothing that a client sent is markup', BROWSER, async t => {
  const { page, inject } = await openConsole(t)
  const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
  const encoded = encodeURIComponent(evil)

  await inject({
    method: 'POST',
    url: `/next/tickets/${encoded}?${encoded}=${encoded}`,
    headers: {
      'user-agent': evil,
      'test-name': encoded,
      'content-type': 'application/x-www-form-urlencoded'
    },
    payload: `${encoded}=${encoded}&metadata[${encoded}]=${encoded}`
  })
  await inject({
    method: 'GET',
    url: `/next/tickets?search_query=${encoded}`,
    headers: {
      'test-name': evil,
      authorization: authorization()
    }
  })
  await see(page, '2 requests')
  for (const key of ['j', 'j', 'k', 'e']) {
    await page.keyboard.press(key)
    await page.waitForTimeout(150)
    t.equal(
      await page.evaluate(
        'document.querySelectorAll("#app img:not(.brand img), #app script").length'
      ),
      0,
      key
    )
    t.match(await page.title(), 'commerce-emulator')
  }
  t.equal(await page.evaluate('document.body.textContent.includes("onerror")'), true)
})

for (const [hash, shown] of [
  ['#/requests/req_4', 'REF-7: a Refund'],
  ['#/requests/req_3?tab=changes', 'Created rfd_'],
  ['#/requests/req_4?tab=request', 'The journal keeps only these headers']
] as const) {
  t.test(
    `requests: the list and ${hash} meet WCAG 2.2 AA in light and dark, wide and narrow`,
    LONG,
    async t => {
      await isAccessible(t, hash, {
        prepare: async opened => {
          await makeCalls(opened)
          await opened.page.reload()
          await see(opened.page, shown)
        },
        expected: /404/
      })
    }
  )
}

t.test('requests: of 10,000 calls the page has no more rows than can be read', LONG, async t => {
  const { page, inject, call } = await openConsole(t, { settings: { 'limits.journal': 20_000 } })
  const url = '/next/tickets?limit=1'
  await call('GET /tickets')
  await see(page, '1 request', { exact: true })
  for (let sent = 0; sent < 10_000; sent += 100)
    await Promise.all(
      Array.from({ length: 100 }, () =>
        inject({ method: 'GET', url, headers: { authorization: authorization() } })
      )
    )
  await see(page, '10,000 requests')
  await page.evaluate('document.querySelector("[role=grid]").scrollTop = 100_000')
  await page.getByRole('row').first().waitFor()
  t.ok(Number(await page.evaluate('document.querySelectorAll("[role=row]").length')) <= 1001)
})

t.test(
  'requests: the chosen row is in view, whether it came by address, by a key or by a search, and the focus comes back',
  LONG,
  async t => {
    const { page, call, origin } = await openConsole(t)
    for (let sent = 0; sent < 60; sent++) await call(sent === 0 ? 'GET /locations' : 'GET /tickets')
    // a later row moves those below it
    await see(page, '60 requests', { exact: true })
    await page.goto(`${origin}/_control#/data`)
    await see(page, 'Add or edit records')
    const chosen = page.locator('.line[aria-selected="true"]')
    const isInView = async () => {
      const { y, height } = (await chosen.boundingBox()) as { y: number; height: number }
      const grid = (await page.getByRole('grid').boundingBox()) as { y: number; height: number }
      return y >= grid.y && y + height <= grid.y + grid.height
    }

    await page.goto(`${origin}/_control#/requests/req_2`)
    await chosen.getByText('req_2', { exact: true }).or(chosen).first().waitFor()
    await see(
      page.getByRole('complementary', { name: 'Request req_2' }),
      /^All \d+ applicable rules passed/
    )
    t.equal(await isInView(), true, 'by address')
    await page.getByRole('grid').focus()
    await page.keyboard.press('End')
    await page.getByRole('complementary', { name: 'Request req_1' }).waitFor()
    t.equal(
      await page.evaluate(
        'document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).ariaSelected'
      ),
      'true'
    )
    await page.keyboard.press('Home')
    await page.getByRole('complementary', { name: 'Request req_60' }).waitFor()
    t.equal(await isInView(), true, 'by a key')
    await page.keyboard.press('/')
    await page.keyboard.type('locations')
    await see(page, '1 request', { exact: true })
    await page.keyboard.press('ArrowDown')
    await page.getByRole('complementary', { name: 'Request req_1' }).waitFor()
    t.equal(
      await page.evaluate('document.activeElement.type'),
      'search',
      'the search keeps the focus'
    )
    await press(page, 'Close the request')
    await until(page, 'document.activeElement.role === "grid"')
  }
)

t.test('requests: columns are sorted, and the browser remembers how', LONG, async t => {
  const opened = await openConsole(t)
  const { page } = opened
  await makeCalls(opened)
  await see(page, '5 requests')
  const statuses = () => page.locator('.line [role=gridcell]:first-child').allTextContents()
  const head = page.getByRole('columnheader', { name: 'Status' })

  await head.getByRole('button').click()
  t.strictSame(await statuses(), ['200', '200', '200', '400', '404'])
  t.equal(await head.getAttribute('aria-sort'), 'ascending')
  await head.getByRole('button').click()
  t.equal((await statuses())[0], '404')
  await page.reload()
  await see(page, '5 requests')
  t.equal(await head.getAttribute('aria-sort'), 'descending')
  const link = page
    .getByRole('row', { name: /nothing/ })
    .getByRole('link')
    .first()
  t.equal(await link.getAttribute('href'), '#/requests/req_5')
})

t.test('requests: the shown requests are saved as a scenario', LONG, async t => {
  const opened = await openConsole(t)
  const { page, control } = opened
  await makeCalls(opened)
  await see(page, '5 requests')
  const saved = async (name: string) => {
    await page.getByText('Export', { exact: true }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name, exact: true }).click()
    return readFile(await (await download).path(), 'utf8')
  }

  t.match(await saved('Requests as a scenario'), /do: GET \/tickets[\s\S]*do: POST \/refunds/)
  await follow(page, 'Refused')
  await see(page, '2 requests')
  const scenario = await saved('Shown requests as a scenario')
  t.strictSame(scenario.match(/ do: .*/g), [' do: POST /refunds'], 'the part that is shown')
  t.equal(
    (await control('POST /load?dry_run=1', scenario, { 'content-type': 'application/yaml' }))
      .status,
    200
  )
})

t.test('requests: the headers that the journal keeps, and no key', LONG, async t => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const { page, call, origin, violations } = await openConsole(t)
  await call('GET /tickets', {
    headers: {
      'test-name': 'lists',
      'user-agent': 'shop/2.1',
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      'x-other': 'gone'
    }
  })

  await page.goto(`${origin}/_control#/requests/req_1?tab=request`)
  const detail = page.getByRole('complementary', { name: 'Request req_1' })
  await see(detail, 'The journal keeps only these headers')
  t.strictSame(await detail.locator('.pairs').last().locator('> div').allTextContents(), [
    'requestGET /tickets',
    'authorizationBasic ***, the key of mch_a',
    'user-agentshop/2.1',
    'test-namelists',
    `traceparent00-${trace}-…`,
    'request-id of the responsereq_1'
  ])
  t.notMatch(await page.content(), 'sk_merchant')
  t.strictSame(await violations(), [])
})

t.test(
  'console: the quick bar declines, loses, advances, saves and resets, and a reset is undone',
  BROWSER,
  async t => {
    const { page, call, control, origin } = await openConsole(t)
    const pay = () =>
      call('POST /transactions', { body: 'ticket=tkt_a&payment_type=external&amount=500' })
    const quick = (name: string) =>
      page.getByRole('group', { name: 'Quick actions' }).getByRole('button', { name }).click()
    const counts = async () => (await control('GET ')).body.counts.transactions

    await control('POST /script', { on: '*', calls: 9, respond: { status: 200, body: {} } })
    const armed = page.getByRole('button', { name: /^Disarm/ })
    await quick('Decline next payment')
    await see(page, 'The next payment will be declined')
    await see(armed, 'armed ×1')
    await quick('Decline next payment')
    await see(armed, 'armed ×2')
    await call('GET /tickets')
    await see(armed, 'armed ×2')
    t.strictSame(
      [(await pay()).status, (await pay()).status, (await pay()).status],
      [402, 402, 200],
      'before an entry that matches too'
    )
    await armed.waitFor({ state: 'detached' })
    await quick('Decline next payment')
    await press(page, 'Undo')
    await see(page, 'Disarmed')
    t.equal((await pay()).status, 200)
    await control('DELETE /script')
    await quick('Lose next response')
    await see(page, 'but its response will be lost')
    t.equal((await call('GET /tickets')).status, 200, 'what only reads is not lost')
    const headers = {
      authorization: authorization(),
      'content-type': 'application/x-www-form-urlencoded'
    }
    const body = 'ticket=tkt_a&payment_type=external&amount=500'
    await t.rejects(fetch(`${origin}/next/transactions`, { method: 'POST', headers, body }))
    await quick('Lose next response')
    await armed.click()
    await armed.waitFor({ state: 'detached' })
    t.equal(
      (await fetch(`${origin}/next/transactions`, { method: 'POST', headers, body })).status,
      200
    )
    await quick('Advance 1 h')
    await see(page, 'Now: 2026-03-01 19:05:00 UTC')
    await quick('Snapshot')
    await see(page, /^Saved as the snapshot at-/)
    await quick('Reset')
    await see(page, 'Reset. You can undo this')
    t.equal(await counts(), 0)
    t.equal(
      await page.getByRole('button', { name: 'Undo' }).count(),
      1,
      'only what was done last is undone'
    )
    await press(page, 'Undo')
    await see(page, 'Undone, except the cleared request log.')
    t.equal(await counts(), 4)
    await quick('Advance 1 h')
    await see(page, 'Now: 2026-03-01 20:05:00 UTC')
    await press(page, 'Undo')
    await see(page, 'Undone: 2026-03-01 19:05:00 UTC')
  }
)

t.test(
  'console: a record lists its requests, and sandboxes are created, compared and deleted',
  LONG,
  async t => {
    const opened = await openConsole(t, { expected: /404/ })
    const { page, origin, violations } = opened
    const transaction = await makeCalls(opened)
    await see(page, '5 requests')

    await page.goto(`${origin}/_control#/data/transactions/${transaction}`)
    await follow(page, '3 requests')
    const detail = page.getByRole('complementary', { name: 'Request req_3' })
    await see(detail, 'Created rfd_')
    await see(detail.getByRole('region', { name: transaction }), 'amount_refunded: $0.00 $2.00')
    t.strictSame(await violations(), [])
    const download = page.waitForEvent('download')
    await follow(detail, 'Before')
    const before = await readFile(await (await download).path(), 'utf8')
    t.match(before, transaction)
    t.notMatch(before, 'rfd_')

    await press(page, /^Sandbox: /)
    await page.getByLabel('New sandbox').fill('worker-1')
    await press(page, 'Create')
    await page.getByRole('rowheader', { name: 'worker-1' }).waitFor()
    await see(page, `Transaction ${transaction}: `)
    t.strictSame(await violations(), [])
    await press(page, 'Delete worker-1')
    t.strictSame(await violations(), [], 'the open dialog')
    await press(page, 'Delete sandbox')
    await page.getByRole('rowheader', { name: 'worker-1' }).waitFor({ state: 'detached' })
  }
)
