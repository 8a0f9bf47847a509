/**
 * Every control request refuses what it must, with the required headers, and then changes nothing;
 * `guard.test.ts` tries every value.
 */
import t, { type Test } from 'tap'
import { CONTROL_HEADERS } from '../../src/control/guard.js'
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import { FILE_ROWS } from '../../src/control/subjects/documents.js'
import type { GivenSettings } from '../../src/core/settings.js'
import { namesIn, sandboxClient, smallFixture, startTestEmulator } from '../support/emulator.js'
import { collectRoutes, isControl, type Route } from './routes.js'

const HEALTH = '/_control/health'
const EVENTS = '/_control/events'
/** What a link on another site may open. */
const PAGES = ['/_control', '/_control/docs']
const TOKEN = 'open sesame'
const MAKES_SANDBOX: Record<string, object | undefined> = {
  'POST /reset': undefined,
  'POST /load': { scenario: { data: smallFixture() } },
  'POST /records': { tickets: [{ id: 'tkt_b', location: 'loc_a' }] },
  'DELETE /records/:family/:id': undefined,
  'POST /keys': { account: 'mch_a' },
  'PATCH /settings': { 'pagination.max_limit': 5 },
  'PUT /clock': { running: false },
  'POST /clock/advance': { by: '1h' },
  'POST /script': { on: 'GET /tickets', delay: '1ms' },
  'DELETE /script': undefined,
  'PUT /snapshots/:name': undefined,
  'POST /snapshots/:name/restore': undefined,
  'POST /gates/:name/open': undefined
}
const GUARDED =
  'host_not_allowed origin_not_allowed token_required content_type_unsupported sandbox_unknown name_invalid'.split(
    ' '
  )
const isMutating = ({ method }: Route) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)
type Given = { headers?: Record<string, string>; payload?: string }
type Code = [status: number, code?: string]

/** An emulator with a sandbox `known`, and its control routes. */
async function startWalk(t: Test, settings: GivenSettings = {}) {
  const routes = collectRoutes(t)
  const emulator = await startTestEmulator(t, { settings })
  const { inject } = emulator
  const allowed = {
    host: 'localhost',
    ...(settings.control_token && { authorization: `Bearer ${settings.control_token}` })
  }
  await sandboxClient(emulator, 'known').call('GET /tickets')

  /** Headers of a response that must not be cached, framed or used by other origins. */
  const answered = async (
    { method, path }: Route,
    prefix: string,
    { headers = allowed, payload }: Given = {}
  ) => {
    const url =
      prefix +
      path
        .replace(/:file/, path.includes('docs') ? 'swagger-ui.css' : 'console.js')
        .replace(/:\w+/g, 'known')
    const answer = await inject({
      method: method as 'GET',
      url,
      headers,
      ...(payload !== undefined && { payload })
    })
    const isFile = path.endsWith('/:file') && answer.status === 200
    const expected = { ...CONTROL_HEADERS, ...(isFile && { 'cache-control': 'no-cache' }) }
    if (isControl({ method, path }))
      t.hasStrict(
        answer.headers,
        expected,
        `${method} ${url} ${JSON.stringify(headers)}: ${answer.status}`
      )
    if (/html/.test(String(answer.headers['content-type'])))
      t.match(answer.headers['content-security-policy'], /frame-ancestors 'none'/, url)
    return answer
  }
  const codeOf = async (...given: Parameters<typeof answered>): Promise<Code> => {
    const { status, body } = await answered(...given)
    return [status, body.error?.code]
  }
  /** Everything that a request could change, as text. */
  const everything = async () => {
    const texts: string[] = []
    for (const prefix of ['', '/sandbox/known'])
      for (const path of '/state /script /snapshots /clock /settings /requests /coverage '.split(
        ' '
      ))
        texts.push(
          (await inject({ method: 'GET', url: `${prefix}/_control${path}`, headers: allowed })).text
        )
    return [
      ...texts,
      (await inject({ method: 'GET', url: '/_control/sandboxes', headers: allowed })).text.replace(
        /"in_flight":\d+/g,
        ''
      )
    ].join('\n')
  }
  const controlRoutes = routes.filter(isControl)
  /** Sends every control request and checks that nothing changes. */
  const walk = async (visit: (route: Route, prefix: string, on: string) => Promise<void>) => {
    const before = await everything()
    await Promise.all(
      ['', '/sandbox/known'].flatMap(prefix =>
        controlRoutes.map(route => visit(route, prefix, `${route.method} ${prefix}${route.path}`))
      )
    )
    t.equal(await everything(), before, 'nothing was changed')
  }
  return { ...emulator, allowed, routes, controlRoutes, answered, codeOf, everything, walk }
}

t.test('control: every route outside the emulated API is under /_control', async t => {
  const { routes, controlRoutes, control } = await startWalk(t)
  const strays = routes
    .filter(route => !isControl(route) && route.path !== '/next/*')
    .map(({ method, path }) => `${method} ${path}`)
  t.strictSame(strays, ['GET /'])
  const rows = [...CONTROL_GROUPS.map(({ rows }) => rows), FILE_ROWS].flatMap(Object.keys)
  const shown = ({ method, path }: Route) =>
    `${method} ${path.slice('/_control'.length).replaceAll(/:\w+/g, name => name.slice(1).toUpperCase()) || '/'}`
  t.strictSame(controlRoutes.map(shown).sort(), rows.sort(), 'and each is a row')
  const paths = controlRoutes.map(({ path }) => path)
  const links = Object.values<string | string[]>((await control('GET ')).body.links).flat()
  const unknown = links.filter(link => link.startsWith('/_control') && !paths.includes(link))
  t.strictSame(unknown, [], 'every link of the overview is a known route')
})

t.test('control: every route refuses Hosts of DNS rebinding', async t => {
  const { codeOf, walk, allowed } = await startWalk(t)
  await walk(async (route, prefix, on) => {
    const host: Code = route.path === HEALTH ? [200, undefined] : [403, 'host_not_allowed']
    t.strictSame(
      await codeOf(route, prefix, { headers: { host: 'evil.example' } }),
      host,
      `${on}, another Host`
    )
    const origin = { host: 'localhost', origin: 'http://evil.example' }
    t.strictSame(
      await codeOf(route, prefix, { headers: origin }),
      [403, 'origin_not_allowed'],
      `${on}, another Origin`
    )
    for (const site of ['cross-site', 'same-site'])
      for (const dest of ['image', 'iframe', 'script', 'empty', 'document']) {
        const mode = ['iframe', 'document'].includes(dest) ? 'navigate' : 'no-cors'
        const headers = {
          host: 'localhost',
          'sec-fetch-site': site,
          'sec-fetch-mode': mode,
          'sec-fetch-dest': dest
        }
        const expected =
          dest === 'document' && PAGES.includes(route.path)
            ? [200, undefined]
            : [403, 'origin_not_allowed']
        t.strictSame(
          await codeOf(route, prefix, { headers }),
          expected,
          `${on}, ${dest} of ${site}`
        )
      }
    if (!isMutating(route)) return
    // content types that a page can send without a preflight
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      undefined
    ]) {
      const headers = { ...allowed, ...(type !== undefined && { 'content-type': type }) }
      t.strictSame(
        await codeOf(route, prefix, { headers, payload: '{"scenario":"default"}' }),
        [415, 'content_type_unsupported'],
        `${on} with ${type}`
      )
    }
  })
  for (const path of [
    '/_control/nowhere',
    '/_control/%ff',
    '/_control/console/known',
    '/_control/docs/known'
  ])
    t.not((await codeOf({ method: 'GET', path }, ''))[0], 200, path)
})

t.test('control: every route except health needs CONTROL_TOKEN', async t => {
  const emulator = await startWalk(t, { control_token: TOKEN })
  const { answered, codeOf, controlRoutes, allowed } = emulator
  await emulator.walk(async (route, prefix, on) => {
    const without = await codeOf(route, prefix, { headers: { host: 'localhost' } })
    const wrong = await codeOf(route, prefix, {
      headers: { host: 'localhost', authorization: `Bearer ${TOKEN}!` }
    })
    const expected = route.path === HEALTH ? await codeOf(route, prefix) : [401, 'token_required']
    t.strictSame([without, wrong], [expected, expected], on)
  })
  const { headers, body } = await emulator.control('GET /state')
  t.strictSame(
    [headers['www-authenticate'], body.error.type],
    ['Basic realm="commerce-emulator control"', 'authentication_error']
  )

  const cases: [authorization: string, status: number][] = [
    [`Basic ${btoa(`:${TOKEN}`)}`, 200],
    [`basic ${btoa(`any:${TOKEN}`)}`, 200],
    [`Basic ${btoa(`${TOKEN}:`)}`, 401],
    [`Basic ${btoa(TOKEN)}`, 401],
    [`Basic ${btoa(`:x${TOKEN}`)}`, 401],
    [TOKEN, 401],
    ['Basic', 401]
  ]
  for (const [authorization, status] of cases)
    t.equal(
      (await emulator.control('GET /state', undefined, { authorization })).status,
      status,
      authorization
    )

  const name = 'one-that-nobody-knows'
  await sandboxClient(emulator, name).call('GET /tickets')
  const others = '/ /next/tickets /next/nowhere /nowhere /_control/nowhere /%ff'
    .split(' ')
    .map(path => ({ method: 'GET', path }))
  for (const route of [...controlRoutes, ...others])
    for (const prefix of ['', '/sandbox/known', '/sandbox/one-that'])
      for (const accept of ['text/html', 'application/json']) {
        const { text, headers } = await answered(route, prefix, {
          headers: { host: 'localhost', accept }
        })
        t.notOk(
          `${text} ${JSON.stringify(headers)}`.includes(name),
          `${route.method} ${prefix}${route.path} as ${accept}`
        )
      }

  const port = await emulator.listen()
  for (const prefix of ['', '/sandbox/known'])
    for (const route of controlRoutes) {
      // one of the routes deletes the sandbox
      await sandboxClient(emulator, 'known').call('GET /tickets')
      if (route.path === EVENTS) {
        const { status, headers, body } = await fetch(
          `http://127.0.0.1:${port}${prefix}${EVENTS}`,
          { headers: allowed }
        )
        await body?.cancel()
        t.equal(status, 200, `${prefix}${EVENTS}`)
        t.hasStrict(Object.fromEntries(headers), CONTROL_HEADERS)
        continue
      }
      const sent = {
        ...allowed,
        ...(isMutating(route) && { 'content-type': 'application/json' })
      }
      const [status, code = ''] = await codeOf(route, prefix, {
        headers: sent,
        ...(isMutating(route) && { payload: '{}' })
      })
      t.ok(
        status < 500 && !GUARDED.includes(code),
        `an allowed ${route.method} ${prefix}${route.path}: ${status} ${code}`
      )
    }
})

t.test('control: every route of a sandbox that does not exist is a 404', async t => {
  const emulator = await startWalk(t)
  const { controlRoutes, codeOf, everything, allowed, control } = emulator
  const before = await everything()

  for (const route of controlRoutes) {
    const on = `${route.method} ${route.path.replace('/_control', '')}`
    const body = MAKES_SANDBOX[on]
    const given = body
      ? {
          headers: { ...allowed, 'content-type': 'application/json' },
          payload: JSON.stringify(body)
        }
      : {}

    const guarded = await codeOf(route, '/sandbox/unknown', { headers: { host: 'evil.example' } })
    const misnamed = await codeOf(route, '/sandbox/not!one', given)
    const answer = await codeOf(route, '/sandbox/unknown', given)

    const isGuarded = route.path !== HEALTH
    t.strictSame(
      guarded,
      isGuarded ? [403, 'host_not_allowed'] : [404, 'sandbox_unknown'],
      `${on}, guarded first`
    )
    t.strictSame(misnamed, [400, 'name_invalid'], `${on}, with an invalid name`)
    if (on in MAKES_SANDBOX) {
      const isMade = !/restore|open|family/.test(on)
      t.strictSame([answer[0] < 300, answer[1] === 'sandbox_unknown'], [isMade, false], on)
      t.strictSame(
        await namesIn(emulator),
        isMade ? ['known', 'unknown'] : ['known'],
        `${on}: ${answer[0]}`
      )
      if (isMade) t.equal((await control('DELETE /sandboxes/unknown')).status, 204)
    } else t.strictSame(answer, [404, 'sandbox_unknown'], on)
  }
  t.equal(await everything(), before, 'nothing else was made or changed')
})
