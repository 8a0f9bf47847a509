/** The console: HTML for browsers at the control address, JSON for other clients. */
import fs, { type PathLike, readdirSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { NOW, startTestEmulator } from '../support/emulator.js'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  woff2: 'font/woff2'
}
const FILES = readdirSync(new URL('../../dist/console/', import.meta.url)).flatMap(
  file => /(.*)\.br$/.exec(file)?.[1] ?? []
)

// first: a file that was sent is cached
t.test(
  'docs: no file of Swagger UI is read and no module of it is loaded before the page asks for one',
  async t => {
    const modulesOf = (...names: string[]) =>
      Object.keys(createRequire(import.meta.url).cache).filter(path =>
        names.some(name => path.includes(name))
      )
    const read: string[] = []
    const { readFile } = fs.promises
    fs.promises.readFile = ((path: PathLike, ...rest: []) => {
      read.push(String(path).replaceAll('\\', '/'))
      return readFile(path, ...rest)
    }) as typeof readFile
    syncBuiltinESMExports()
    t.teardown(() => {
      fs.promises.readFile = readFile
      syncBuiltinESMExports()
    })
    const swaggerFiles = () => read.flatMap(path => /swagger-ui\/(.*)$/.exec(path)?.[1] ?? [])

    const { control, call } = await startTestEmulator(t, {
      scenario: { clock: NOW, fixtures: ['bistro'] }
    })
    await call('GET /locations', { key: 'sk_test_merchant' })
    await control('GET /openapi.json')
    await control('GET /docs')
    t.ok(
      read.some(path => path.endsWith('/fixtures/bistro.yaml')),
      'files that are read are seen here'
    )
    t.strictSame(swaggerFiles(), [])

    await control('GET /docs/swagger-ui.css')
    t.strictSame(swaggerFiles(), ['swagger-ui.css.br'])
    t.not(modulesOf('fastify').length, 0, 'modules that are loaded are seen here')
    t.strictSame(modulesOf('swagger'), [], 'its files are sent, none of them runs here')
  }
)

t.test('console: a browser gets the page, anything else JSON', async t => {
  const { control } = await startTestEmulator(t)

  const page = await control('GET /', undefined, HTML)
  t.equal(page.status, 200)
  t.hasStrict(page.headers, {
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff'
  })
  t.equal(page.text.includes('<body data-sandbox="">'), true)
  t.equal((await control('GET /', undefined, { accept: '*/*' })).body.name, 'commerce-emulator')
  t.equal((await control('GET /')).body.links.docs, '/_control/docs')
})

t.test('console: the page of a sandbox begins with that sandbox', async t => {
  const { call, inject } = await startTestEmulator(t)
  const ask = (url: string) =>
    inject({ method: 'GET', url, headers: { host: 'localhost', ...HTML } })

  await call('GET /tickets')
  t.equal((await ask('/sandbox/worker-1/_control')).status, 404)
  await inject({
    method: 'POST',
    url: '/sandbox/worker-1/_control/reset',
    headers: { host: 'localhost', 'content-type': 'application/json' }
  })

  const { text } = await ask('/sandbox/worker-1/_control')
  t.equal(text.includes('<body data-sandbox="worker-1">'), true)
  t.equal(text.includes('<title>commerce-emulator worker-1</title>'), true)
  t.notMatch(text, '{{', 'every value of the page is filled in')
})

t.test('console: all that the page loads comes from the emulator', async t => {
  const { control } = await startTestEmulator(t)

  const { text, headers } = await control('GET /', undefined, HTML)
  const addresses = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, address]) => address as string
  )
  t.strictSame(addresses.sort(), [
    '/_control/console/console.css',
    '/_control/console/console.js',
    '/_control/console/icon.svg'
  ])
  t.notMatch(text, /<script>|<style|style=|\son\w+=/, 'nothing is inline')
  const own =
    "script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'"
  t.equal(
    headers['content-security-policy'],
    `default-src 'none'; ${own}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  )
  for (const name of ['console.css', 'console.js', 'docs.js', 'icon.svg'])
    t.equal(FILES.includes(name), true, name)
  for (const name of FILES) {
    const file = await control(`GET /console/${name}`)
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
    t.strictSame(
      [file.status, file.headers['content-type'], file.headers['x-content-type-options']],
      [200, type, 'nosniff'],
      name
    )
    t.equal(
      /sourceMappingURL|https?:\/\/(?!www\.w3\.org\/)/.exec(file.text)?.[0],
      undefined,
      `${name} names no other place`
    )
  }
})

/** The Accept header of a client, and what it gets. */
const ENCODINGS: readonly [accepted: string | undefined, encoding: string | undefined][] = [
  ['gzip, deflate, br, zstd', 'br'],
  ['BR;q=0.01', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br; q=0.000,gzip ; q=1.0', 'gzip'],
  ['deflate, xbr, brx', undefined],
  ['br;q=0, gzip;q=0', undefined],
  ['', undefined],
  [undefined, undefined]
]
const READERS = { br: brotliDecompressSync, gzip: gunzipSync }

t.test('console: files are sent as small as the client accepts, also for HEAD', async t => {
  const { app } = await startTestEmulator(t)
  const ask = (method: 'GET' | 'HEAD', path: string, accepted?: string) =>
    app.inject({
      method,
      url: `/_control${path}`,
      headers: { host: 'localhost', ...(accepted !== undefined && { 'accept-encoding': accepted }) }
    })

  for (const path of ['/console/console.js', '/docs/swagger-ui.css', '/docs/favicon-32x32.png']) {
    const { rawPayload: whole } = await ask('GET', path)
    for (const [accepted, encoding] of ENCODINGS) {
      const { headers, rawPayload } = await ask('GET', path, accepted)
      const head = await ask('HEAD', path, accepted)
      const sent = encoding === undefined ? rawPayload : READERS[encoding as 'br'](rawPayload)
      t.strictSame(
        [headers['content-encoding'], headers.vary, sent.equals(whole)],
        [encoding, 'accept-encoding', true],
        `${path}: ${accepted}`
      )
      const { date, 'request-id': id, ...others } = headers
      t.hasStrict(head.headers, { ...others, 'content-length': `${rawPayload.length}` }, 'HEAD')
      t.equal(head.body, '')
    }
  }
})

t.test('console: a file with a hash in its name is cached forever', async t => {
  const { app } = await startTestEmulator(t)
  const ask = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { host: 'localhost', ...HTML, ...headers } })
  const named = FILES.filter(
    name => !['console.js', 'console.css', 'docs.js', 'icon.svg'].includes(name)
  )
  const paths = [
    ...FILES.map(name => `/console/${name}`),
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui.css',
    '',
    '/'
  ]

  t.ok(named.length >= 3)
  for (const path of paths) {
    const url = `/_control${path}`
    const { statusCode, headers } = await ask(url)
    const kept = named.includes(path.replace('/console/', ''))
      ? 'public, max-age=31536000, immutable'
      : 'no-cache'
    t.strictSame([statusCode, headers['cache-control']], [200, kept], url)
    const etag = String(headers.etag)
    for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`]) {
      const again = await ask(url, { 'if-none-match': known, 'accept-encoding': 'br' })
      t.strictSame(
        [
          again.statusCode,
          again.body,
          again.headers['content-encoding'],
          again.headers['content-length']
        ],
        [304, '', undefined, undefined],
        known
      )
      t.hasStrict(again.headers, { etag, 'cache-control': kept, vary: headers.vary })
    }
    t.equal((await ask(url, { 'if-none-match': 'W/"other"' })).statusCode, 200, 'another content')
  }
  const [main, other] = [await ask('/_control'), await ask('/_control/docs')]
  t.not((await ask('/_control/console/console.js')).headers.etag, main.headers.etag)
  t.strictSame(
    [main.headers.vary, other.headers['cache-control'], other.headers.etag],
    ['accept', 'no-store', undefined],
    'a page with a key is not kept'
  )
})

t.test(
  'console: a file that is not part of the page and a path out of the folder are refused',
  async t => {
    const { inject } = await startTestEmulator(t)

    const files =
      'index.html docs.html none.js none.css console.js.br ..%2femulator.js ..%2f..%2fpackage.json __proto__ .js console.js%00 console.js.map'
    const docs =
      'index.html swagger-ui.js?x=1 ../package.json ..%2fpackage.json %2e%2e%2f%2e%2e%2fpackage.json'
    for (const path of [
      ...files.split(' ').map(file => `/console/${file}`),
      '/console',
      '/console/',
      '/console.js',
      ...docs.split(' ').map(file => `/docs/${file}`)
    ]) {
      const { status, body } = await inject({
        method: 'GET',
        url: `/_control${path}`,
        headers: { host: 'localhost' }
      })
      t.strictSame([status, body.error.code], [404, 'path_unknown'], path)
    }
  }
)

const PAGES =
  '/ /docs /openapi.json /docs/swagger-ui.css /console/docs.js /console/console.js'.split(' ')

t.test('console: pages of other origins are refused', async t => {
  const { control } = await startTestEmulator(t, { settings: { control_token: 'secret' } })

  const page = await control('GET /', undefined, HTML)
  t.strictSame(
    [page.status, page.headers['www-authenticate']],
    [401, 'Basic realm="commerce-emulator control"'],
    'the browser asks for the token'
  )
  for (const path of [...PAGES, '/state', '/nothing']) {
    const { status, body } = await control(`GET ${path}`, undefined, HTML)
    t.strictSame([status, body.error.code], [401, 'token_required'], path)
  }
  for (const path of PAGES) {
    t.equal(
      (await control(`GET ${path}`, undefined, { ...HTML, host: 'evil.example' })).status,
      403,
      path
    )
    t.equal(
      (await control(`GET ${path}`, undefined, { ...HTML, origin: 'http://evil.example' })).status,
      403,
      path
    )
  }
})

t.test('console: without the token nobody learns which sandboxes there are', async t => {
  const { inject } = await startTestEmulator(t, { settings: { control_token: 'secret' } })
  const ask = (url: string, headers: Record<string, string> = HTML) =>
    inject({ method: 'GET', url, headers: { host: 'localhost', ...headers } })

  await inject({
    method: 'POST',
    url: '/sandbox/worker-7/_control/reset',
    headers: { host: 'localhost', authorization: 'Bearer secret' }
  })
  for (const path of ['', '/docs', '/console/console.js', '/state']) {
    const [known, unknown] = [
      await ask(`/sandbox/worker-7/_control${path}`),
      await ask(`/sandbox/worker-8/_control${path}`)
    ]
    t.equal(known.status, unknown.status, path)
    t.equal(
      known.text.replaceAll('worker-7', 'worker-8').replace(/ctl_\d+/, '') ===
        unknown.text.replace(/ctl_\d+/, ''),
      true,
      path
    )
  }
})
