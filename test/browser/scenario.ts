/** The console's scenario and settings in a browser: every action on a live emulator. */
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { authorization, smallFixture } from '../support/emulator.js'
import {
  BROWSER,
  follow,
  isAccessible,
  LONG,
  linesOf,
  openConsole,
  press,
  SIZES,
  see,
  write
} from './browser.js'

const HEADERS = {
  authorization: authorization(),
  'content-type': 'application/x-www-form-urlencoded'
}
const PAID = {
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 5000 }]
}
const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b>'

/** Sends requests over HTTP: faults lose connections there. */
const client = (origin: string) => {
  const send = (on: string, body?: Record<string, string>) => {
    const [method = '', path] = on.split(' ')
    return fetch(`${origin}/next${path}`, {
      method,
      headers: HEADERS,
      ...(body && { body: new URLSearchParams(body).toString() })
    })
  }
  return {
    send,
    refund: (amount: string) => send('POST /refunds', { transaction: 'txn_a', amount })
  }
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const problemAt = (page: Page, label: string) =>
  page.locator('.field', { has: page.getByLabel(label) }).locator('.problem')
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

t.test(
  'console: an entry declines the next card payment, and shows how often it was applied',
  BROWSER,
  async t => {
    const { page, call, control } = await openConsole(t, { hash: '#/scenario/script' })
    const pay = () =>
      call('POST /transactions', {
        body: { ticket: 'tkt_a', payment_type: 'card', 'card[last4]': '4242', amount: 100 }
      })

    const yaml = page.getByLabel('YAML of the entry')
    await write(yaml, (await linesOf(yaml)).replace('The card was declined.', 'Not today'))
    await button(page, 'Add entry').click()
    const entry = card(page, 'Entries').getByRole('listitem').filter({ hasText: 'scr_1' })
    await see(entry, '0 applied')
    const declined = await pay()
    t.strictSame(
      [declined.status, declined.body.error.code, declined.body.error.message],
      [402, 'card_declined', 'Not today']
    )
    t.equal((await pay()).status, 200)
    await see(entry, '2 matched')
    await see(entry, '1 applied')
    await button(page, 'Remove scr_1').click()
    await see(page, 'the emulator responds as the reference says')
    t.equal(
      await page.evaluate('document.activeElement.textContent'),
      'Entries',
      'the focus is not lost'
    )
    t.strictSame((await control('GET /script')).body.data, [])
  }
)

t.test(
  'console: an entry that was never applied shows its near misses, with links to the requests',
  BROWSER,
  async t => {
    const { page, call, control, origin } = await openConsole(t, {
      hash: '#/scenario/script',
      records: PAID
    })
    const refund = (amount: number) =>
      call('POST /refunds', { body: { transaction: 'txn_a', amount } })
    await control('POST /script', {
      on: 'POST /refunds',
      match: { body: { amount: { gte: 3000 }, reason: HOSTILE } },
      delay: '1ms'
    })
    await control('POST /script', {
      on: 'POST /refunds',
      match: { body: { amount: { gte: 2000 } } },
      delay: '1ms'
    })
    await control('POST /script', { on: 'GET /tickets', delay: '1ms' })
    const entries = card(page, 'Entries').getByRole('listitem')
    const near = entries.getByText('Near miss')

    await entries.nth(2).waitFor()
    t.equal(await near.count(), 0, 'no call, no near miss')
    await refund(1999)
    await near.nth(1).waitFor()
    t.strictSame(await near.allTextContents(), [
      `Near miss: req_1 needs amount >= 3000, got 1999; reason ${HOSTILE}, got nothing.`,
      'Near miss: req_1 needs amount >= 2000, got 1999.'
    ])
    t.equal(await page.locator('main [onerror], main b b').count(), 0)
    t.equal(
      await entries.locator(':is(.bad, .warn, .problem)').count(),
      0,
      'what was not exercised is not wrong'
    )
    await refund(2000)
    await see(entries.filter({ hasText: 'scr_2' }), '1 applied')
    t.equal(
      await entries.filter({ hasText: 'scr_2' }).getByText('Near miss').count(),
      0,
      'it was applied'
    )
    await follow(near, 'req_1')
    t.equal(page.url(), `${origin}/_control#/requests/req_1`)
    await see(
      page.getByRole('complementary', { name: 'Request req_1' }),
      'Near miss: the script entry scr_1'
    )
  }
)

t.test('console: the loaded scenario is known by its name and description', BROWSER, async t => {
  const { page } = await openConsole(t, { hash: '#/data' })
  const listed = [
    { name: 'near', kind: 'scenario', title: 'tests', description: null },
    { name: 'own', kind: 'scenario', title: 'test', description: null },
    { name: 'test', kind: 'scenario', title: 'test', description: 'Mine.' }
  ]
  await page.route('**/_control/scenarios', route => route.fulfill({ json: { data: listed } }))

  await page.goto(page.url().replace('#/data', '#/scenario/library'))
  await see(page, 'Mine.')
  t.match(await page.locator('.gallery a:has(.good)').getAttribute('href'), /own/)
})

t.test(
  'console: a document is checked and loaded, and each problem is shown at its line',
  LONG,
  async t => {
    const { page, control } = await openConsole(t, { hash: '#/scenario/library', expected: /400/ })
    const editor = page.getByLabel('Scenario or fixture, as YAML or JSON')
    const form = page.getByRole('main')

    await write(
      editor,
      'name: mine\nseed: soon\nfixtures: [bistro]\nscript:\n  - { on: GET /tikets, delay: 1s }\n'
    )
    await form
      .getByRole('listitem')
      .filter({ hasText: 'must be a whole number; got soon' })
      .waitFor()
    await form.getByRole('listitem').filter({ hasText: 'did you mean GET /tickets' }).waitFor()
    await page.locator('.cm-problem').nth(1).waitFor()
    t.equal(await page.locator('.cm-problem').count(), 2)
    await see(form.getByRole('status'), '2 problems', { exact: true })
    await button(page, 'Load scenario').click()
    await page.waitForTimeout(300)
    await press(form, 'Line 5')
    t.equal(
      await page.locator('.cm-problem').last().textContent(),
      '  - { on: GET /tikets, delay: 1s }'
    )
    t.equal((await control('GET ')).body.scenario.name, 'test', 'nothing was loaded')

    await write(editor, 'name: mine\nfixtures: [bistro\n')
    await form.getByRole('button', { name: /^Line/ }).first().waitFor()
    await page.getByLabel('Scenario file').setInputFiles({
      name: 'a.yaml',
      mimeType: 'application/yaml',
      buffer: Buffer.from('name: opened\nfixtures: [bistro]\n')
    })
    await see(page, '“opened” is valid.')
    t.equal(await linesOf(editor), 'name: opened\nfixtures: [bistro]\n')
    t.equal(await form.getByRole('button', { name: /^Line/ }).count(), 0)
    await button(page, 'Load scenario').click()
    await card(page, 'opened').waitFor()
    t.equal((await control('GET ')).body.scenario.name, 'opened')
  }
)

t.test(
  'console: a scenario of the library is read and edited, and a load is undone with its name',
  LONG,
  async t => {
    const { page, call, control, origin } = await openConsole(t, {
      hash: '#/scenario/library',
      expected: /400/
    })
    const editor = page.getByLabel('Scenario or fixture, as YAML or JSON')
    const shown = page.locator('.status a')
    const choose = (name: string) => follow(page.getByRole('main'), new RegExp(`^${name}`))

    await choose('late-refunds')
    await see(page, '“late-refunds” is valid.')
    await write(
      editor,
      (await control('GET /scenarios/late-refunds')).text.replace(
        'name: late-refunds',
        'name: mine'
      )
    )
    await see(page, '“mine” is valid.')
    await choose('test-cards')
    await see(page, '“test-cards” is valid.')
    await button(page, 'Load scenario').click()
    await see(page, 'test-cards loaded')
    await page.goto(`${origin}/_control#/scenario/library`)
    await write(editor, 'name: mine\nfixtures: [bistro]\n')
    await see(page, '“mine” is valid.')
    await choose('slow-lists')
    await press(page.locator('.toast', { hasText: 'The text was replaced' }), 'Undo')
    await see(page, '“mine” is valid.')

    await choose('month-end')
    await see(page, '“month-end” is valid.')
    await button(page, 'Load scenario').click()
    await see(page, 'month-end loaded')
    await call('POST /transactions', {
      body: { ticket: 'tkt_52', payment_type: 'external', amount: 100 },
      key: 'sk_test_merchant'
    })
    const paid = (await control('GET /state')).body.transactions.length
    await page.goto(`${origin}/_control#/scenario/library`)
    await write(editor, 'name: mine\nfixtures: [bistro]\n')
    await button(page, 'Load scenario').click()
    await see(shown, 'mine')
    const undo = () => press(page, 'Undo')
    await undo()
    await see(shown, 'month-end')
    await see(page, 'Undone, except the cleared request log.')
    t.equal((await control('GET /state')).body.transactions.length, paid)
    await control('POST /reset')
    t.equal((await control('GET ')).body.scenario.name, 'month-end', 'what a reset goes back to')

    await control('POST /load', { scenario: { name: 'from elsewhere', data: smallFixture() } })
    await see(shown, 'from elsewhere')
    await page.goto(`${origin}/_control#/scenario/library`)
    await choose('default')
    await see(page, '“default” is valid.')
    await button(page, 'Load scenario').click()
    await see(shown, 'default', { exact: true })
    await undo()
    await see(
      page,
      'A reset still goes back to default, since the previous scenario is not in the library.'
    )
    t.equal((await control('GET ')).body.counts.tickets, 1)
  }
)

t.test('console: a snapshot is saved, restored and deleted', LONG, async t => {
  const { page, call, control } = await openConsole(t, { hash: '#/scenario', expected: /400/ })
  const name = page.getByLabel('Name of the snapshot')
  const snapshots = card(page, 'Snapshots')

  await see(snapshots, 'No snapshots yet.')
  await button(page, 'Save').click()
  await see(snapshots, 'Must be a name, such as lunch.')
  await name.fill('not a name')
  await name.press('Enter')
  await snapshots.locator('.problem').filter({ hasText: 'not a name' }).waitFor()
  await name.fill('lunch')
  await name.press('Enter')
  await button(page, 'Restore lunch').waitFor()
  await name.fill('lunch')
  await name.press('Enter')
  await see(snapshots, 'The snapshot lunch exists already; delete it first.')
  await page.setViewportSize(SIZES.narrow)
  const tops = await Promise.all(
    ['Restore lunch', 'Delete lunch'].map(
      async title => (await button(page, title).boundingBox())?.y
    )
  )
  t.equal(tops[0], tops[1], 'the buttons of a snapshot stay beside each other')
  await call('POST /transactions', {
    body: { ticket: 'tkt_a', payment_type: 'external', amount: 100 }
  })
  await button(page, 'Restore lunch').click()
  await see(page, 'Snapshot lunch restored')
  t.equal((await control('GET ')).body.counts.transactions, 0)
  await button(page, 'Delete lunch').click()
  await button(page, 'Delete the snapshot').click()
  await button(page, 'Restore lunch').waitFor({ state: 'detached' })
  t.strictSame((await control('GET /snapshots')).body.data, [{ name: 'before-restore' }])
})

t.test('console: the clock is set, advanced, let run and frozen', LONG, async t => {
  const { page, control } = await openConsole(t, { hash: '#/scenario/clock', expected: /400/ })
  const clock = async () => (await control('GET /clock')).body
  const shown = card(page, 'Clock')
  const instant = page.getByLabel('Set to')
  const by = page.getByLabel('Advance by')

  await instant.fill('2026-02-28T23:59:59Z')
  await instant.press('Enter')
  await see(shown, '2026-02-28 23:59:59 UTC')
  await by.fill('24h')
  await by.press('Enter')
  await see(shown, '2026-03-01 23:59:59 UTC')
  await by.fill('36h')
  await by.press('Enter')
  await see(shown, '2026-03-03 11:59:59 UTC')
  t.strictSame(await clock(), { now: '2026-03-03T11:59:59.000Z', running: false })
  await by.fill('soon')
  await button(page, 'Advance').click()
  await problemAt(page, 'Advance by').waitFor()
  const colourOf = (place: Locator, name: string) =>
    place.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name)
  await page.waitForTimeout(200)
  t.equal(
    await colourOf(by, 'border-top-color'),
    await colourOf(problemAt(page, 'Advance by'), 'color'),
    'its border is that of a problem'
  )
  t.not(await colourOf(instant, 'border-top-color'), await colourOf(by, 'border-top-color'))
  await instant.fill('yesterday')
  await button(page, 'Set').click()
  await problemAt(page, 'Set to').waitFor()
  t.strictSame(await clock(), { now: '2026-03-03T11:59:59.000Z', running: false })

  await button(page, 'Resume').click()
  await button(page, 'Freeze').waitFor()
  t.equal((await clock()).running, true)
  await button(page, 'Freeze').click()
  await button(page, 'Resume').waitFor()
  t.equal((await clock()).running, false)
  await instant.fill('2026-05-01')
  await button(page, 'Set').click()
  await see(shown, '2026-05-01 00:00')
  t.match((await clock()).now, '2026-05-01T00:00')
})

t.test(
  'console: each preset of a script entry does what it says on a live emulator',
  LONG,
  async t => {
    const { page, origin, control } = await openConsole(t, {
      hash: '#/scenario/script',
      records: PAID
    })
    const { send, refund } = client(origin)
    const yaml = page.getByLabel('YAML of the entry')
    const add = async (title: string, [from, to]: [from: string, to: string] = ['', '']) => {
      await control('POST /reset')
      await page.getByRole('link', { name: title, exact: true }).click()
      await page.locator('.chip[aria-current]', { hasText: title }).waitFor()
      await page.waitForTimeout(200)
      if (from !== '') await write(yaml, (await linesOf(yaml)).replaceAll(from, to))
      await button(page, 'Add entry').click()
      await see(card(page, 'Entries'), '0 applied')
    }

    await add('Lose a response')
    await t.rejects(refund('100'))
    t.equal((await control('GET ')).body.counts.refunds, 1, 'the refund was made')
    t.equal((await refund('100')).status, 200)

    await add('10-second outage')
    const down = await send('GET /tickets')
    t.strictSame(
      [down.status, down.headers.get('retry-after'), (await refund('100')).status],
      [503, '10', 503]
    )
    await control('POST /clock/advance', { by: '10s' })
    t.equal((await send('GET /tickets')).status, 200)

    await add('Hold until 2 requests arrive')
    const first = refund('100')
    await see(card(page, 'Gates'), '1 waiting, in this order.')
    const second = refund('200')
    t.strictSame([(await first).status, (await second).status], [200, 200])

    await add('Slow reads', ['500ms', '3s'])
    const slow = send('GET /tickets').then(() => 'slow')
    t.equal(await Promise.race([slow, control('GET /clock').then(() => 'control')]), 'control')
    await slow

    await add('Random failures', ['0.2', '0.5'])
    const statuses: number[] = []
    for (let nth = 0; nth < 25; nth++) statuses.push((await send('GET /tickets')).status)
    t.ok(
      statuses.includes(200) &&
        statuses.includes(503) &&
        statuses.every(status => [200, 503].includes(status)),
      statuses.join()
    )

    await add('Custom', ['500', '418'])
    t.equal((await send('GET /tickets')).status, 418)
    await control('POST /script', { on: '*', delay: '1ms' })
    await button(page, 'Remove scr_2').waitFor()
    await button(page, 'Remove all entries').click()
    await button(page, 'Remove all').click()
    await see(page, 'the emulator responds as the reference says')
    t.strictSame((await control('GET /script')).body.data, [])
  }
)

t.test(
  'console: the YAML of an entry can be edited before it is added, and a problem is shown at its line',
  LONG,
  async t => {
    const { page, control } = await openConsole(t, {
      hash: '#/scenario/script?add=slow',
      expected: /400/
    })
    const form = card(page, 'Add an entry')
    const yaml = page.getByLabel('YAML of the entry')

    await write(yaml, 'on: GET /tickets\ndelay: 1ms\nbelay: 2\n')
    await button(page, 'Add entry').click()
    await form.getByRole('button', { name: 'Line 3' }).waitFor()
    await form.getByRole('listitem').filter({ hasText: 'did you mean delay?' }).waitFor()
    t.strictSame((await control('GET /script')).body.data, [])
    await write(
      yaml,
      'name: mine\non: GET /tickets\nmatch: { query: { limit: "5" } }\ndelay: 1ms\n'
    )
    await button(page, 'Add entry').click()
    await card(page, 'Entries').getByText('mine').first().waitFor()
    t.strictSame((await control('GET /script')).body.data[0].entry, {
      name: 'mine',
      on: 'GET /tickets',
      match: { query: { limit: '5' } },
      delay: '1ms'
    })
    await write(yaml, '- on: GET /tickets\n  delay: soon\n')
    await button(page, 'Add entry').click()
    await form.getByRole('button', { name: 'Line 2' }).waitFor()
    await write(yaml, '- on: GET /tickets\n  delay: 2ms\n')
    await button(page, 'Add entry').click()
    await see(page, 'scr_2 added')
    t.strictSame(
      (await control('GET /script')).body.data[1].entry,
      { on: 'GET /tickets', delay: '2ms' },
      'as Requests copies it'
    )
  }
)

t.test('console: a gate shows who waits in which order, and can open in reverse', LONG, async t => {
  const { page, origin, control } = await openConsole(t, {
    hash: '#/scenario/script?add=gate',
    records: PAID
  })
  const { refund } = client(origin)
  const gates = card(page, 'Gates')

  await button(page, 'Add entry').click()
  await see(gates, 'closed')
  const answered: string[] = []
  const noted = async (amount: string) => {
    const answer = (await (await refund(amount)).json()) as { amount: number }
    answered.push(String(answer.amount))
  }
  const first = noted('100')
  await see(gates, '1. req_1 POST /refunds')
  const second = noted('200')
  await see(gates, '2. req_2 POST /refunds')
  await button(page, 'Open in reverse: refunds').click()
  await see(page, 'The gate refunds is open; 2 requests go on')
  await Promise.all([first, second])
  await see(gates, 'Requests go through.')
  t.equal(await button(page, 'Open: refunds').isDisabled(), true)
  const { refunds } = (await control('GET /state')).body
  t.strictSame(
    refunds.map(({ amount }: { amount: number }) => amount),
    [200, 100],
    'the last call ran first'
  )
})

t.test(
  'console: a setting is changed and reset; it shows its assumption and where its value comes from',
  LONG,
  async t => {
    const { page, call, control } = await openConsole(t, {
      hash: '#/settings?q=pagination',
      settings: { port: 4020 },
      scenario: { data: smallFixture(), settings: { pagination: { default_limit: 3 } } },
      expected: /400/
    })
    const value = page.getByLabel('Value of pagination.max_limit')
    const setting = page.locator('.setting').filter({ hasText: 'pagination.max_limit' })

    await see(
      page.locator('.setting').filter({ hasText: 'pagination.default_limit' }),
      'from the scenario'
    )
    t.equal(
      await setting.getByRole('link', { name: 'A10' }).getAttribute('href'),
      '#/evidence/assumptions'
    )
    t.equal(await button(page, 'Reset pagination.max_limit').count(), 0)
    await value.fill('5')
    await value.press('Enter')
    await see(setting, 'changed here')
    t.equal((await call('GET /tickets?limit=6')).status, 400)
    await value.fill('0')
    await button(page, 'Change pagination.max_limit').click()
    await setting.locator('.problem').filter({ hasText: 'must be at least 1' }).waitFor()
    await value.fill('5')
    await button(page, 'Reset pagination.max_limit').click()
    await see(page, 'pagination.max_limit is reset')
    t.equal(
      (await control('GET /settings')).body.settings['pagination.max_limit'].source,
      'default'
    )
    await see(setting, 'default', { exact: true })
    t.equal(await value.inputValue(), '100')
    await page.getByLabel('Value of pagination.order').selectOption('oldest_first')
    await button(page, 'Change pagination.order').click()
    await see(page, 'pagination.order is oldest_first')

    await page.getByLabel('Search settings').fill('changed here')
    await page.waitForURL(/#\/settings\?q=changed/)
    t.strictSame(await page.locator('.setting > div > code').allTextContents(), [
      'pagination.order'
    ])
    await page.getByLabel('Search settings').fill('port')
    await see(page.locator('.setting').filter({ hasText: 'port' }), 'from --port')
    await page.keyboard.press('Tab')
    await page.locator('.setting > div > code').first().click()
    await page.keyboard.press('/')
    await page.keyboard.type('nothing is like that')
    await see(page, 'No matching settings')
  }
)

t.test('console: the value of the control token is never in the page', LONG, async t => {
  const token = 'open sesame, open sesame'
  const { page } = await openConsole(t, {
    settings: { control_token: token },
    password: token,
    hash: '#/settings',
    expected: /401/
  })

  await page.getByText('control_token').first().waitFor()
  t.notMatch(await page.content(), 'open sesame')
  await see(page.locator('.setting').filter({ hasText: 'control_token' }), '***')
})

t.test('console: nothing that was sent is markup in the views of the scenario', LONG, async t => {
  const { page, control, origin } = await openConsole(t, {
    hash: '#/scenario',
    scenario: {
      name: HOSTILE,
      description: HOSTILE,
      data: smallFixture(PAID),
      settings: { transactions: {} }
    },
    expected: /400/
  })
  const { send } = client(origin)
  const isText = async (where: string) => {
    await page.getByText(HOSTILE).first().waitFor()
    t.equal(
      await page.locator('main img, main b b, [onerror], header img:not(.brand img)').count(),
      0,
      where
    )
    t.notMatch(await page.title(), /^1/)
  }

  await isText('scenario')
  await page.goto(`${origin}/_control#/scenario/library`)
  await write(
    page.getByLabel('Scenario or fixture, as YAML or JSON'),
    `name: x\n'${HOSTILE}': 1\nfixtures: ['${HOSTILE}']\n`
  )
  await page.locator('.problems').getByRole('listitem').first().waitFor()
  await isText('problems')
  await page.goto(`${origin}/_control#/scenario`)
  await page.getByLabel('Name of the snapshot').fill(HOSTILE)
  await button(page, 'Save').click()
  await card(page, 'Snapshots').locator('.problem').waitFor()
  await isText('snapshots')

  await control('POST /script', {
    name: HOSTILE,
    on: 'POST /refunds',
    match: { body: { reason: HOSTILE } },
    hold: { gate: 'g', for: '20s' },
    respond: { status: 400, error: { code: HOSTILE, message: HOSTILE } }
  })
  await page.goto(`${origin}/_control#/scenario/script`)
  const answer = send('POST /refunds', { transaction: 'txn_a', reason: HOSTILE })
  await see(card(page, 'Gates'), '1. req_1 POST /refunds')
  await isText('script')
  await button(page, 'Open: g').click()
  t.equal((await answer).status, 400)
  await see(page, 'The gate g is open')
  await isText('gates')

  await page.goto(`${origin}/_control#/settings?q=${encodeURIComponent('test_header')}`)
  const value = page.getByLabel('Value of evidence.test_header')
  await value.fill(HOSTILE)
  await value.press('Enter')
  await page.locator('.problem').waitFor()
  await isText('settings')
})

t.test('console: the views of the scenario can be used with the keyboard alone', LONG, async t => {
  const { page, control } = await openConsole(t, { hash: '#/scenario' })

  await page.getByRole('link', { name: 'Script', exact: true }).focus()
  await page.keyboard.press('Enter')
  t.match(page.url(), /#\/scenario\/script$/)
  for (
    let nth = 0;
    nth < 14 && (await page.evaluate('document.activeElement.textContent')) !== '10-second outage';
    nth++
  )
    await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await see(page, 'every response is an error until')
  for (let nth = 0; nth < 25; nth++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate('document.activeElement.textContent')) === 'Add entry') break
  }
  await page.keyboard.press('Enter')
  await card(page, 'Entries').getByText('the service is down').first().waitFor()
  t.equal((await control('GET /script')).body.data[0].entry.for, '10s')
})

t.test('console: nothing moves in the views of the scenario while calls come', LONG, async t => {
  for (const hash of [
    '#/scenario',
    '#/scenario/script?add=own',
    '#/scenario/clock',
    '#/settings'
  ]) {
    const { page, call, control } = await openConsole(t, { hash })
    await control('POST /script', { on: 'GET /tickets', delay: '1ms' })
    await page.reload()
    await page.locator('.page').getByRole('heading').first().waitFor()
    await page.waitForTimeout(1500)
    await page.evaluate(`window.moved = []; new PerformanceObserver(list => {
      for (const entry of list.getEntries()) window.moved.push([entry.value, entry.sources.map(source => source.node?.textContent?.slice(0, 60))])
    }).observe({ type: 'layout-shift' })`)
    for (let nth = 0; nth < 12; nth++) {
      await call('GET /tickets')
      await call('POST /transactions', {
        body: { ticket: 'tkt_a', payment_type: 'external', amount: 100 }
      })
      await page.waitForTimeout(200)
    }
    t.strictSame(await page.evaluate('window.moved'), [], hash)
  }
})

/** A whole document, typed as fast as a browser accepts, with every key that is a shortcut. */
const TYPED = "name: t?jk123456/pces 'x' # 1 2 3 4 5 6 t ? / j k p c e s"

t.test(
  'console: text typed into an editor or field stays, and triggers no shortcut',
  BROWSER,
  async t => {
    const { page, call } = await openConsole(t, { hash: '#/scenario/library', expected: /400/ })
    const editors: [hash: string, label: string][] = [
      ['#/scenario/library', 'Scenario or fixture, as YAML or JSON'],
      ['#/scenario/script', 'YAML of the entry']
    ]
    await call('GET /tickets')
    const theme = () => page.getByRole('button', { name: /^Theme/ }).getAttribute('aria-label')
    const before = await theme()
    for (const [hash, label] of editors) {
      await page.goto(page.url().replace(/#.*/, hash))
      const editor = page.getByLabel(label)
      await editor.locator('.cm-line').first().waitFor()
      await editor.press('ControlOrMeta+a')
      await editor.press('Delete')
      const text = `${TYPED}\n`.repeat(3).trimEnd()
      await page.keyboard.type(text)
      t.equal(await linesOf(editor), text, label)
      t.match(page.url(), hash)
    }
    for (const [hash, label] of [
      ['#/requests', 'Search requests'],
      ['#/settings', 'Search settings'],
      ['#/scenario/library', 'Search scenarios'],
      ['#/scenario/clock', 'Set to'],
      ['#/data', 'Search transactions']
    ] as const) {
      await page.goto(page.url().replace(/#.*/, hash))
      await page.getByLabel(label).click()
      await page.keyboard.type(TYPED.repeat(3))
      t.equal(await page.getByLabel(label).inputValue(), TYPED.repeat(3), label)
    }
    t.equal(await theme(), before)
  }
)

t.test(
  'console: a scenario that was loaded over HTTP is viewed and saved as a file',
  BROWSER,
  async t => {
    const { page, control } = await openConsole(t)
    const expect = [{ on: 'GET /tickets', times: 1 }]
    const script = [{ on: 'GET /tickets', delay: '1ms' }]
    await control('POST /load', {
      scenario: { name: 'from elsewhere', seed: 7, data: smallFixture(PAID), script, expect }
    })

    await page.goto(page.url().replace(/#.*|$/, '#/scenario'))
    const present = card(page, 'from elsewhere')
    await see(present, 'wanted GET /tickets: 1 request')
    const download = page.waitForEvent('download')
    await press(present, 'Download')
    const saved = await readFile(await (await download).path(), 'utf8')
    const loaded = await control('POST /load', saved, { 'content-type': 'application/yaml' })
    t.equal(loaded.status, 200, saved)
    t.match(saved, /^name: from elsewhere\n[\s\S]*^seed: 7$/m)
    t.equal((await control('GET /state')).body.transactions[0].id, 'txn_a')
    t.strictSame((await control('GET /script')).body.data[0].entry, script[0])
    t.strictSame(
      (await control('POST /verify?report=1')).body.expectations[0].expectation,
      expect[0]
    )
    await follow(present, 'View')
    await see(page, '“from elsewhere” is valid.')
  }
)

const PREPARED: readonly [hash: string, ready: string][] = [
  ['#/scenario', 'Restore lunch'],
  ['#/scenario/library', 'Load scenario'],
  ['#/scenario/clock', 'Resume'],
  ['#/scenario/script?add=decline', 'Open: g'],
  ['#/settings', 'Reset pagination.max_limit']
]
for (const [hash, ready] of PREPARED) {
  t.test(`console: ${hash} meets WCAG 2.2 AA in light and dark, wide and narrow`, LONG, async t => {
    await isAccessible(t, hash, {
      records: PAID,
      prepare: async ({ page, control, call }) => {
        await control('PUT /snapshots/lunch')
        await control('POST /script', {
          name: 'a slow list',
          on: ['GET /tickets', 'GET /locations'],
          match: { query: { limit: '/^1/' } },
          chance: 0.5,
          delay: '1ms'
        })
        await control('POST /script', { on: 'POST /refunds', hold: { gate: 'g', for: '30s' } })
        await control('PATCH /settings', { 'pagination.max_limit': 5 })
        for (const amount of [1, 2, 3])
          void call('POST /refunds', { body: { transaction: 'txn_a', amount } }).catch(() => {})
        await page.reload()
        await button(page, ready).waitFor()
        await page.waitForTimeout(300)
        if (hash.includes('script')) {
          await write(page.getByLabel('YAML of the entry'), 'on: x')
          await button(page, 'Add entry').click()
          await page.locator('.problem').first().waitFor()
        }
        if (hash.includes('editor')) {
          await write(page.getByLabel('Scenario or fixture, as YAML or JSON'), 'seed: x')
          await page.locator('.problem').first().waitFor()
        }
      },
      expected: /400/
    })
  })
}
