import { once } from 'node:events'
import { get } from 'node:http'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { CONTROL_GROUPS, FILE_ROWS } from '../../src/control/requests.js'
import type { GivenSettings } from '../../src/core/settings.js'
import { FAMILIES } from '../../src/store/store.js'
import { namesIn, sandboxClient } from '../sandbox/client.js'
import { smallFixture, startTestEmulator } from '../support/emulator.js'
import { collectRoutes, isControl, type Route } from './routes.js'

const HEALTH = '/_control/health'
/** What can be called without the token, since it shows nothing of any sandbox. */
const OPEN = [HEALTH, '/_control/console/:file', '/_control/session']
const EVENTS = '/_control/events'
/** What a link of another site may open. */
const PAGES = ['/_control', '/_control/docs']
const TOKEN = 'open sesame'
const MAKES_SANDBOX = [
  'POST /_control/reset',
  'POST /_control/load',
  'POST /_control/records',
  'POST /_control/keys',
  'PATCH /_control/settings',
  'PUT /_control/clock',
  'POST /_control/clock/advance',
  'POST /_control/script',
  'DELETE /_control/script',
  'PUT /_control/snapshots/:name',
  'POST /_control/snapshots/:name/restore',
  'POST /_control/gates/:name/open'
]
const GUARDED = ['host_not_allowed', 'origin_not_allowed', 'token_required', 'content_type_unsupported', 'sandbox_unknown', 'name_invalid']
const isMutating = ({ method }: Route) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)

/** An address of a route, below a prefix; `known` is the name of the only sandbox. */
const addressOf = ({ path }: Route, prefix: string) => prefix + path.replace('*', 'known').replace(/:\w+/g, 'known')

/** An emulator with a sandbox `known`, and its control routes. */
async function startWalk(t: Test, settings: GivenSettings = {}) {
  const routes = collectRoutes(t)
  const emulator = await startTestEmulator(t, { settings })
  const { inject } = emulator
  const headers: Record<string, string> = {
    host: 'localhost',
    ...(typeof settings.control_token === 'string' && { authorization: `Bearer ${settings.control_token}` })
  }
  await sandboxClient(emulator, 'known').call('GET /tickets')
  const controlRoutes = routes.filter(isControl)
  const call = async (route: Route, prefix: string, more: Pick<InjectOptions, 'headers' | 'payload'> = {}) => {
    const url = addressOf(route, prefix)
    const { status, body } = await inject({ method: route.method as 'GET', url, ...more, headers: more.headers ?? headers })
    return { status, code: body.error?.code as string | undefined }
  }
  /** Everything that a call could change, as text: at the base address, in the known sandbox, and the list of sandboxes. */
  const everything = async () => {
    const texts: string[] = []
    for (const prefix of ['', '/sandbox/known']) {
      for (const path of ['/state', '/script', '/snapshots', '/clock', '/settings', '/requests', '/coverage', '']) {
        texts.push((await inject({ method: 'GET', url: `${prefix}/_control${path}`, headers })).text)
      }
    }
    return [...texts, (await inject({ method: 'GET', url: '/_control/sandboxes', headers })).text.replace(/"in_flight":\d+/g, '')].join('\n')
  }
  return { ...emulator, headers, routes, controlRoutes, routeCall: call, everything }
}

/** Calls every control route, at the base address and in the known sandbox, and checks that nothing was changed. */
async function walk(
  t: Test,
  { controlRoutes, everything }: Awaited<ReturnType<typeof startWalk>>,
  visit: (route: Route, at: { prefix: string; on: string }) => Promise<void>
): Promise<void> {
  const before = await everything()
  const visits = ['', '/sandbox/known'].flatMap(prefix => controlRoutes.map(route => visit(route, { prefix, on: `${route.method} ${prefix}${route.path}` })))
  await Promise.all(visits)
  t.equal(await everything(), before, 'nothing was changed')
}

t.test('control: every route outside the emulated API is under /_control, except the overview at the root', async t => {
  const { routes, controlRoutes, control } = await startWalk(t)

  const ofApi = new RegExp(`^/next/(?:${FAMILIES.join('|')})(?:/\\*)?$`)
  const strays = routes.filter(route => !isControl(route) && !ofApi.test(route.path))

  t.strictSame(strays, [{ method: 'GET', path: '/' }])
  const rows = [...CONTROL_GROUPS.map(({ rows }) => rows), FILE_ROWS].flatMap(Object.keys)
  const shown = ({ method, path }: Route) => `${method} ${path.slice('/_control'.length).replace(/:\w+/, name => name.slice(1).toUpperCase()) || '/'}`
  t.strictSame(controlRoutes.map(shown).sort(), rows.sort(), 'and each is a row')
  const paths = controlRoutes.map(({ path }) => path)
  const links = Object.values<string | string[]>((await control('GET ')).body.links).flat()
  t.strictSame(
    links.filter(link => link.startsWith('/_control') && !paths.includes(link)),
    [],
    'every link of the overview is a known route'
  )
  t.ok(paths.includes('/_control/sandboxes/:name'))
})

t.test('control: every route refuses a Host that DNS rebinding could use, and pages of other origins', async t => {
  const emulator = await startWalk(t)
  const { routeCall } = emulator

  await walk(t, emulator, async (route, { prefix, on }) => {
    const fromOtherHost = await routeCall(route, prefix, { headers: { host: 'evil.example' } })
    const fromOtherOrigin = await routeCall(route, prefix, { headers: { host: 'localhost', origin: 'http://evil.example' } })

    t.strictSame(fromOtherHost, route.path === HEALTH ? { status: 200, code: undefined } : { status: 403, code: 'host_not_allowed' }, `${on}, another Host`)
    t.strictSame(fromOtherOrigin, { status: 403, code: 'origin_not_allowed' }, `${on}, another Origin`)
  })
})

t.test('control: every route is closed to images, frames, scripts and fetch of other sites and ports, health too', async t => {
  const emulator = await startWalk(t)
  const { routeCall } = emulator

  await walk(t, emulator, async (route, { prefix, on }) => {
    for (const site of ['cross-site', 'same-site']) {
      for (const dest of ['image', 'iframe', 'script', 'empty', 'document']) {
        const mode = ['iframe', 'document'].includes(dest) ? 'navigate' : 'no-cors'
        const headers = { host: 'localhost', 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest }
        const isOpened = dest === 'document' && PAGES.includes(route.path)
        const expected = isOpened ? { status: 200, code: undefined } : { status: 403, code: 'origin_not_allowed' }
        t.strictSame(await routeCall(route, prefix, { headers }), expected, `${on}, ${dest} of ${site}`)
      }
    }
  })
})

t.test('control: with CONTROL_TOKEN no answer that needs no token names a sandbox', async t => {
  const emulator = await startWalk(t, { control_token: TOKEN })
  const { controlRoutes, inject } = emulator
  const name = 'one-that-nobody-knows'
  await sandboxClient(emulator, name).call('GET /tickets')
  const addresses = controlRoutes.flatMap(route => ['', '/sandbox/known', '/sandbox/one-that'].map(prefix => ({ ...route, url: addressOf(route, prefix) })))
  for (const prefix of ['', '/sandbox/one-that']) {
    for (const path of ['/', '/next/tickets', '/next/nowhere', '/nowhere', '/_control/nowhere', '/%ff'])
      addresses.push({ method: 'GET', path, url: prefix + path })
  }

  for (const { method, url } of addresses) {
    for (const accept of ['text/html', 'application/json']) {
      const { text, headers } = await inject({ method: method as 'GET', url, headers: { host: 'localhost', accept } })
      t.notOk(`${text} ${JSON.stringify(headers)}`.includes(name), `${method} ${url} as ${accept}`)
    }
  }
})

t.test(
  'control: with CONTROL_TOKEN every route refuses a call without the token or with a wrong one, except health, sessions and the files of the console',
  async t => {
    const emulator = await startWalk(t, { control_token: TOKEN })
    const { routeCall } = emulator

    await walk(t, emulator, async (route, { prefix, on }) => {
      const without = await routeCall(route, prefix, { headers: { host: 'localhost' } })
      const wrong = await routeCall(route, prefix, { headers: { host: 'localhost', authorization: `Bearer ${TOKEN}!` } })

      const expected = OPEN.includes(route.path)
        ? await routeCall(route, prefix, { headers: { host: 'localhost', authorization: `Bearer ${TOKEN}` } })
        : { status: 401, code: 'token_required' }
      t.strictSame([without, wrong], [expected, expected], on)
    })
    const { headers, body } = await emulator.control('GET /state')
    t.equal(headers['www-authenticate'], 'Bearer realm="commerce-emulator control"')
    t.equal(body.error.type, 'authentication_error')
  }
)

t.test('control: every route that changes something refuses a body that is neither JSON nor YAML', async t => {
  const emulator = await startWalk(t)
  const { routeCall, headers } = emulator

  await walk(t, emulator, async (route, { prefix, on }) => {
    if (!isMutating(route)) return
    // content types that a page can send without a preflight
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', undefined]) {
      const sent = { ...headers, ...(type !== undefined && { 'content-type': type }) }
      const answer = await routeCall(route, prefix, { headers: sent, payload: '{"scenario":"default"}' })
      t.strictSame(answer, { status: 415, code: 'content_type_unsupported' }, `${on} with ${type}`)
    }
  })
})

t.test('control: every route of a sandbox that does not exist is a 404, except those that change something in it, which make it when they succeed', async t => {
  const emulator = await startWalk(t)
  const { controlRoutes, routeCall, everything, headers, control } = emulator
  const before = await everything()

  for (const route of controlRoutes) {
    const on = `${route.method} ${route.path}`
    const body = JSON.stringify(route.path.endsWith('load') ? { scenario: { data: smallFixture() } } : { tickets: [{ id: 'tkt_b', location: 'loc_a' }] })
    const payload = isMutating(route) ? { headers: { ...headers, 'content-type': 'application/json' }, payload: body } : {}

    const guarded = await routeCall(route, '/sandbox/unknown', { headers: { host: 'evil.example' } })
    const misnamed = await routeCall(route, '/sandbox/not!one', payload)
    const answer = await routeCall(route, '/sandbox/unknown', payload)

    const isGuarded = route.path !== HEALTH
    t.strictSame(guarded, isGuarded ? { status: 403, code: 'host_not_allowed' } : { status: 404, code: 'sandbox_unknown' }, `${on}, guarded first`)
    if (isGuarded && OPEN.includes(route.path)) {
      t.strictSame(misnamed, answer, `${on} is the same in every sandbox`)
      continue
    }
    t.strictSame(misnamed, { status: 400, code: 'name_invalid' }, `${on}, with an invalid name`)
    if (MAKES_SANDBOX.includes(on)) {
      t.not(answer.code, 'sandbox_unknown', on)
      const isMade = answer.status < 300
      t.strictSame(await namesIn(emulator), isMade ? ['known', 'unknown'] : ['known'], `${on}: ${answer.status}`)
      if (isMade) t.equal((await control('DELETE /sandboxes/unknown')).status, 204)
    } else t.strictSame(answer, { status: 404, code: 'sandbox_unknown' }, on)
  }

  t.equal(await everything(), before, 'nothing else was made or changed')
})

t.test('control: every route accepts an allowed call, at the base address and in a sandbox', async t => {
  const emulator = await startWalk(t, { control_token: TOKEN })
  const { controlRoutes, routeCall, headers, listen } = emulator
  const port = await listen()

  for (const prefix of ['', '/sandbox/known']) {
    for (const route of controlRoutes) {
      // one of the routes deletes the sandbox
      await sandboxClient(emulator, 'known').call('GET /tickets')
      if (route.path === EVENTS) {
        t.equal(await streamStatus(headers, { port, path: `${prefix}${EVENTS}` }), 200, `${prefix}${EVENTS}`)
        continue
      }
      const payload = isMutating(route) ? { headers: { ...headers, 'content-type': 'application/json' }, payload: '{}' } : {}
      const { status, code } = await routeCall(route, prefix, payload)
      t.ok(status < 500 && !GUARDED.includes(code ?? ''), `${route.method} ${prefix}${route.path}: ${status} ${code}`)
    }
  }
})

/** The status of a stream of events, which does not end by itself. */
async function streamStatus(headers: Record<string, string>, { port, path }: { port: number; path: string }): Promise<number> {
  const request = get({ port, host: '127.0.0.1', path, headers })
  const [response] = await once(request, 'response')
  request.destroy()
  return response.statusCode
}
