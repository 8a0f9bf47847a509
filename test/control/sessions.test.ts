/** Sessions of the console: the token once, then a cookie. */
import t, { type Test } from 'tap'
import { startTestEmulator } from '../support/emulator.js'
import { exchanged } from '../support/socket.js'

const TOKEN = 'open sesame'
const OWN = { host: 'localhost:4010', 'sec-fetch-site': 'same-origin' }

async function start(t: Test) {
  const emulator = await startTestEmulator(t, { settings: { control_token: TOKEN } })
  const signIn = async (headers: Record<string, string> = OWN) =>
    String(
      (await emulator.control('POST /session', { token: TOKEN }, headers)).headers['set-cookie']
    )
  return { ...emulator, signIn }
}

/** The part of a cookie that a browser sends back. */
const pairIn = (cookie: string) => cookie.slice(0, cookie.indexOf(';'))

t.test('session: the token gets a cookie that no script reads and no other site sends', async t => {
  const { control, signIn } = await start(t)

  const cookie = await signIn()

  t.match(
    cookie,
    /^commerce_emulator_4010=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/
  )
  t.notMatch(cookie, TOKEN)
  for (const [sent, signed_in] of [
    [{}, false],
    [{ cookie: pairIn(cookie) }, true]
  ] as const)
    t.strictSame((await control('GET /session', undefined, { ...OWN, ...sent })).body, {
      token_required: true,
      signed_in
    })
  t.equal(
    (
      await control('GET /state', undefined, {
        ...OWN,
        cookie: `other=1; ${pairIn(cookie)}; more=2`
      })
    ).status,
    200
  )
  t.equal((await control('POST /reset', undefined, { ...OWN, cookie: pairIn(cookie) })).status, 200)
  t.match(
    (
      await control('GET /docs', undefined, {
        ...OWN,
        cookie: pairIn(cookie),
        accept: 'text/html'
      })
    ).text,
    'swagger-ui'
  )
})

t.test('session: without the token, or with another, there is none', async t => {
  const { control } = await start(t)

  const cases: [body: object | string | undefined, status: number, code: string][] = [
    ...['open sesam', '', `${TOKEN} `, `Bearer ${TOKEN}`].map((token): [object, number, string] => [
      { token },
      401,
      'token_required'
    ]),
    [{ token: 1 }, 400, 'document_invalid'],
    [undefined, 400, 'body_malformed']
  ]
  for (const [body, status, code] of cases) {
    const answer = await control('POST /session', body, OWN)
    t.strictSame(
      [answer.status, answer.body.error.code, answer.headers['set-cookie']],
      [status, code, undefined],
      JSON.stringify(body)
    )
  }
  for (const site of ['cross-site', 'same-site'])
    t.equal(
      (await control('POST /session', { token: TOKEN }, { ...OWN, 'sec-fetch-site': site })).body
        .error.code,
      'origin_not_allowed',
      site
    )
})

t.test('session: the cookie works only for pages of the emulator', async t => {
  const { control, signIn, listen } = await start(t)
  const cookie = pairIn(await signIn())
  const host = 'localhost:4010'

  const by = (site: string) => ({ 'sec-fetch-site': site })
  const other = { origin: 'http://localhost:3000' }
  for (const [on, status, ...senders] of [
    ['GET /state', 200, by('same-origin'), by('none'), {}],
    ['GET /state', 403, by('same-site'), by('cross-site'), other],
    ['GET /docs', 200, by('none')],
    [
      'GET /docs',
      401,
      { ...by('same-site'), 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    ],
    ['POST /reset', 200, by('same-origin'), { origin: `http://${host}` }],
    ['POST /reset', 401, {}, by('none')],
    ['POST /reset', 403, by('same-site'), by('cross-site'), other]
  ] as const)
    for (const headers of senders)
      t.equal(
        (await control(on, undefined, { host, cookie, ...headers })).status,
        status,
        `${on} ${JSON.stringify(headers)}`
      )
  const near = [
    `${cookie}x`,
    cookie.slice(0, -1),
    cookie.toUpperCase(),
    cookie.replace('4010', '4011'),
    `x${cookie}`,
    `commerce_emulator_4010=${TOKEN}`
  ]
  for (const other of near)
    t.equal((await control('GET /state', undefined, { ...OWN, cookie: other })).status, 401, other)
  t.equal(
    (await control('GET /state', undefined, { ...OWN, host: 'localhost', cookie })).status,
    401
  )
  const plain = pairIn(await signIn({ host: 'localhost' }))
  t.match(plain, /^commerce_emulator_80=/)
  t.equal(
    (await control('GET /state', undefined, { host: 'localhost', cookie: plain })).status,
    200
  )

  const port = await listen()
  for (const [sent, status] of [
    [plain, '200 OK'],
    [cookie, '401 Unauthorized']
  ] as const) {
    const response = await exchanged(
      port,
      `GET /_control/state HTTP/1.0\r\nCookie: ${sent}\r\n\r\n`
    )
    t.equal(response.split('\r\n')[0], `HTTP/1.1 ${status}`)
  }
})

t.test('session: the browser forgets it at sign-out', async t => {
  const { control } = await start(t)
  const out = await control('DELETE /session', undefined, OWN)
  t.strictSame(
    [out.status, out.headers['set-cookie']],
    [204, 'commerce_emulator_4010=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict']
  )
})

t.test('session: without CONTROL_TOKEN nobody has to sign in', async t => {
  const { control } = await startTestEmulator(t)
  for (const answer of [
    await control('GET /session'),
    await control('POST /session', { token: 'any' })
  ])
    t.strictSame(
      [answer.body, answer.headers['set-cookie']],
      [{ token_required: false, signed_in: false }, undefined]
    )
})
