/**
 * The console's pictures in the documentation, taken from the real page: `PICTURES=write npm run
 * test:browser` writes them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { LONG, openConsole, SIZES, see } from './browser.js'

const FOLDER = new URL('../../docs/console/', import.meta.url)
const DOCUMENTS = ['README.md', 'docs/console.md'].map(
  path => new URL(`../../${path}`, import.meta.url)
)
/** Maximum bytes of a picture. */
const MOST_BYTES = 250_000
const sizeOf = (png: Buffer) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) })

type Opened = Awaited<ReturnType<typeof openConsole>>

async function shop({ call, control }: Pick<Opened, 'call' | 'control'>): Promise<string> {
  const send = (test: string, on: string, body?: string) =>
    call(on, {
      key: 'sk_test_merchant',
      ...(body !== undefined && { body }),
      headers: { 'test-name': test, 'user-agent': 'shop/2.1' }
    })
  await send('browse', 'GET /locations')
  await send('search', 'GET /tickets?search_query=T-60')
  await send('declined', 'GET /tickets/tkt_60')
  await control('POST /script', {
    on: 'POST /transactions',
    calls: 1,
    respond: { status: 402, error: { code: 'card_declined', message: 'The card was declined.' } }
  })
  const card = 'ticket=tkt_60&payment_type=card&amount=4200&card[brand]=visa&card[last4]=4242'
  await send('declined', 'POST /transactions', card)
  const { body } = await send('checkout', 'POST /transactions', card)
  await send('checkout', `GET /transactions/${body.id}`)
  await send('part refund', 'POST /refunds', `transaction=${body.id}&amount=1500&reason=cold+soup`)
  await send('over-refund', 'POST /refunds', `transaction=${body.id}&amount=4000`)
  await send('rest refund', 'POST /refunds', `transaction=${body.id}&amount=2000`)
  await send('rest refund', 'GET /refunds?limit=3')
  await send('not found', 'GET /tickets/tkt_61')
  await send('decimals', 'POST /transactions', 'ticket=tkt_60&payment_type=card&amount=12.50')
  return body.id
}

/** Compares the size of a picture with the saved one, or writes it. */
async function pictured(t: Test, { page }: Pick<Opened, 'page'>, name: string): Promise<void> {
  await page.evaluate(`{
    for (const text of document.querySelectorAll('[role=gridcell].w72.number, aside header .hint span')) text.textContent = '1 ms'
    document.activeElement.blur()
  }`)
  const file = new URL(`${name}.png`, FOLDER)
  const picture = await page.screenshot()
  if (process.env.PICTURES === 'write') writeFileSync(file, picture)
  t.ok(picture.length < MOST_BYTES, `${name}: ${picture.length} bytes`)
  t.strictSame([sizeOf(picture), sizeOf(readFileSync(file))], [SIZES.wide, SIZES.wide])
  t.ok(
    DOCUMENTS.some(document => readFileSync(document, 'utf8').includes(`console/${name}.png`)),
    `a page shows ${name}`
  )
}

t.test('console: the pictures of the documentation are of the real page', LONG, async t => {
  const opened = await openConsole(t, {
    scenario: {
      name: 'refunds',
      description: 'A bistro takes a payment and gives some of it back.',
      seed: 1,
      clock: '2026-03-02T09:30:00.000Z',
      fixtures: ['bistro'],
      expect: [
        { on: 'POST /refunds', match: { body: { amount: 1500 } }, times: 1 },
        { on: 'POST /transactions', times: '1-2' },
        { on: 'GET /accounts', times: 1 }
      ]
    }
  })
  const { page, origin, control } = opened
  await see(page, 'Live')
  const id = await shop(opened)
  await see(page, '12 requests')

  await page.goto(`${origin}/_control#/requests/req_8`)
  await see(page, 'REF-7: a Refund')
  await see(page.locator('.status a'), 'refunds', { exact: true })
  await page.waitForTimeout(700)
  await pictured(t, opened, 'requests')

  await page.goto(`${origin}/_control#/data/transactions/${id}`)
  await page.getByRole('complementary', { name: id }).getByRole('link', { name: 'req_7' }).waitFor()
  await pictured(t, opened, 'data')

  await page.goto(`${origin}/_control#/evidence`)
  await page.getByRole('region', { name: 'Findings' }).getByText('req_').first().waitFor()
  await pictured(t, opened, 'evidence')

  await control('DELETE /script')
  await page.goto(`${origin}/_control#/scenario/script?add=decline`)
  await page.getByRole('button', { name: 'Add entry' }).waitFor()
  await see(page, 'No entries: the emulator responds')
  await pictured(t, opened, 'script')

  await page.goto(`${origin}/_control#/scenario`)
  await page.getByRole('region', { name: 'Snapshots' }).waitFor()
  await pictured(t, opened, 'scenario')
})
