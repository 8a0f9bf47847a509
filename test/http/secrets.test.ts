/** The control token, card numbers and API keys, wherever a call may carry them: none of it is shown by an answer, the journal or a log line (A25). */
import t from 'tap'
import { MERCHANT, startTestEmulator } from '../support/emulator.js'

const CARD = '4242424242424242'
const TOKEN = 'open-sesame-0815'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const percent = (text: string) => Array.from(text, character => `%${character.charCodeAt(0).toString(16)}`).join('')

t.test('A25: a secret that a call carries anywhere, in any writing, is shown nowhere', async t => {
  const { app, call, control, logs } = await startTestEmulator(t, { settings: { control_token: TOKEN } })
  const bearer = { host: 'localhost', authorization: `Bearer ${TOKEN}` }
  const full = [...CARD].map(digit => String.fromCodePoint(0xff10 + Number(digit))).join('')
  const written: [secret: string, sent: string][] = [
    [CARD, CARD],
    ['4242.4242.4242.4242', '4242.4242.4242.4242'],
    ['4242_4242_4242_4242', '4242_4242_4242_4242'],
    [full, full],
    [percent(CARD), percent(CARD)],
    [base64(CARD).slice(0, 16), base64(CARD)],
    [base64(`${MERCHANT}:`), `Basic ${base64(`${MERCHANT}:`)}`],
    [MERCHANT, MERCHANT],
    [TOKEN, TOKEN],
    [percent(TOKEN), percent(TOKEN)],
    [base64(TOKEN), base64(TOKEN)]
  ]
  for (const [secret, sent] of written) {
    logs.length = 0
    await control('DELETE /requests', undefined, bearer)
    const form = (pairs: Record<string, string>) => new URLSearchParams(pairs).toString()
    const isAscii = !/[^ -~]/.test(sent)
    const answers = [
      await call(`GET /tickets/${encodeURIComponent(sent)}`),
      await call(`GET /${encodeURIComponent(encodeURIComponent(sent))}`),
      await call('GET /tickets', { query: form({ [sent]: 'x', search_query: sent }) }),
      await call('POST /transactions', {
        body: form({ ticket: sent, payment_type: sent, 'card[numbr]': '4711', 'card[expiry]': '12/29', 'card[number]': sent }),
        key: null
      }),
      await call('POST /refunds', { body: form({ transaction: sent, [`metadata[${sent}]`]: sent, 'card[x][]': '4711' }) }),
      await call('POST /refunds', { body: JSON.stringify({ card: { numbr: '4711' }, x: sent }) }),
      await call('GET /tickets', { headers: isAscii ? { 'user-agent': sent, 'content-type': sent } : {}, key: `own-${sent}` }),
      await app.inject({ method: 'GET', url: `/sandbox/${encodeURIComponent(sent)}/next/tickets` }).then(({ payload }) => ({ text: payload })),
      await control(`GET /${encodeURIComponent(sent)}`, undefined, bearer),
      await control(`GET /requests?on=${encodeURIComponent(sent)}`, undefined, bearer),
      await control(`PUT /snapshots/${encodeURIComponent(sent)}!`, undefined, bearer),
      await control('POST /verify', JSON.stringify({ on: sent, within: sent }), bearer),
      await control('GET /requests', undefined, bearer),
      await control('GET /requests/req_1?format=text', undefined, bearer),
      await control('GET /findings', undefined, bearer),
      await control('GET /settings', undefined, bearer)
    ]
    for (const [nth, text] of [...answers.map(({ text }) => text), ...logs].entries()) {
      t.notOk(text.includes(secret), `${sent} in ${nth}: ${text.slice(Math.max(0, text.indexOf(secret) - 80), text.indexOf(secret) + 60)}`)
      t.notOk(text.includes('4711') || text.includes('12/29') || text.includes('12%2F29'), `${sent} in ${nth}: card data`)
    }
  }
})

t.test('A25: a sandbox or a snapshot cannot be named by a card number, and the refusal does not repeat it', async t => {
  const { app, control, sandbox } = await startTestEmulator(t)
  for (const name of [CARD, '4242-4242-4242-4242', 'run.4242_4242_4242_4242']) {
    const refusals = [
      (await app.inject({ method: 'GET', url: `/sandbox/${name}/next/tickets` })).json(),
      (await app.inject({ method: 'POST', url: `/sandbox/${name}/_control/reset`, headers: { host: 'localhost' } })).json(),
      (await control(`PUT /snapshots/${name}`)).body,
      (await control(`POST /snapshots/${name}/restore`)).body,
      (await control(`DELETE /sandboxes/${name}`)).body
    ]
    for (const { error } of refusals) {
      t.strictSame(
        [error.code, error.param, error.message],
        ['name_invalid', 'name', 'The name holds a card number; names are shown and written, so take another one.'],
        name
      )
    }
  }
  t.equal((await control('PUT /snapshots/run-1767225600000')).status, 201)
  t.strictSame(await sandbox.snapshots.names(), ['run-1767225600000'])
})
