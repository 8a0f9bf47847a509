/** The OpenAPI document and the page that shows it, as they are served. */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { parse } from 'yaml'
import { openApiDocument } from '../../src/control/openapi/api.js'
import { NOW, startTestEmulator } from '../support/emulator.js'

type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
const SCENARIO = { clock: NOW, fixtures: ['bistro'] }
const ROUTES: Readonly<Record<string, string>> = {
  '/openapi.json': 'application/json; charset=utf-8',
  '/docs': 'text/html; charset=utf-8',
  '/console/docs.js': 'text/javascript; charset=utf-8',
  '/console/icon.svg': 'image/svg+xml; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
  '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  '/docs/favicon-32x32.png': 'image/png'
}
/**
 * What a page or script fetches: its own addresses, and those of any other host; links do not
 * count.
 */
const addressesIn = (html: string) =>
  [...html.matchAll(/<(?!a )[^>]*(?:href|src|data-document)="([^"]*)"/g)].map(
    ([, address]) => address as string
  )
const foreignIn = (text: string) => text.match(/(?:https?:)?\/\/[\w.-]+\.\w+/g) ?? []

t.test(
  'docs: the document, the page and all that the page needs are served with their types, and nothing comes from elsewhere',
  async t => {
    const { control, sandbox } = await startTestEmulator(t, { scenario: SCENARIO })
    const answers = new Map<string, Awaited<ReturnType<Emulator['control']>>>()
    for (const path of Object.keys(ROUTES)) answers.set(path, await control(`GET ${path}`))
    const textOf = (path: string) => answers.get(path)?.text as string

    for (const [path, type] of Object.entries(ROUTES))
      t.strictSame(
        [answers.get(path)?.status, answers.get(path)?.headers['content-type']],
        [200, type],
        path
      )
    t.strictSame(
      answers.get('/openapi.json')?.body,
      JSON.parse(
        JSON.stringify(
          openApiDocument({
            origin: 'http://localhost',
            base: '/next',
            version: '0.0.0',
            settings: sandbox.settings
          })
        )
      )
    )
    const asked = [...new Set(addressesIn(textOf('/docs')))]
    t.strictSame(
      asked.map(address => address.replace(/^\/_control/, '')).sort(),
      Object.keys(ROUTES)
        .filter(path => path !== '/docs')
        .sort()
    )
    t.strictSame([...foreignIn(textOf('/docs')), ...foreignIn(textOf('/console/docs.js'))], [])
    t.equal(textOf('/docs/swagger-ui-bundle.js').includes('SwaggerUIBundle'), true)
    for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
      t.notMatch(textOf(`/docs/${file}`), 'sourceMappingURL', 'there is no source map')
    const policy = String(answers.get('/docs')?.headers['content-security-policy']).split('; ')
    t.equal(policy[0], "default-src 'none'")
    t.equal(
      policy.every(words => /^[a-z-]+( ('none'|'self'|'unsafe-inline'|data:))+$/.test(words)),
      true,
      'the browser may fetch from here only'
    )
    t.equal(policy.includes("script-src 'self'"), true)
    t.equal((await control('GET /docs/')).status, 200)
  }
)

t.test('docs: the address in the document is the Host of the request', async t => {
  const { control, listen, sandbox } = await startTestEmulator(t)
  const options = { base: '/next', version: '0.0.0', settings: sandbox.settings }

  const headers = { host: '127.0.0.1:8080' }
  const { body } = await control('GET /openapi.json', undefined, headers)
  t.strictSame(
    body,
    JSON.parse(JSON.stringify(openApiDocument({ ...options, origin: 'http://127.0.0.1:8080' })))
  )
  t.equal(body.servers[0].url, 'http://127.0.0.1:8080/next')
  const yaml = await control('GET /openapi.json?format=yaml', undefined, headers)
  t.strictSame(parse(yaml.text), body)

  const socket = connect(await listen(), '127.0.0.1')
  socket.write('GET /_control/openapi.json HTTP/1.0\r\n\r\n')
  const [, sent] = (await text(socket)).split('\r\n\r\n') as [string, string]
  t.equal(JSON.parse(sent).servers[0].url, '/next', 'a call without a Host gets relative addresses')
})

t.test('docs: a query is refused', async t => {
  const { control } = await startTestEmulator(t)
  for (const path of ['/docs?theme=dark', '/openapi.json?theme=dark']) {
    const { status, body } = await control(`GET ${path}`)
    t.strictSame([status, body.error.code], [400, 'parameter_unknown'], path)
  }
  t.equal((await control('POST /docs')).status, 404)
})

t.test("docs: the page of a sandbox shows the sandbox's own document", async t => {
  const { inject } = await startTestEmulator(t)
  const get = (url: string) => inject({ method: 'GET', url, headers: { host: 'localhost' } })
  t.equal((await get('/sandbox/blue/_control/docs')).status, 404, 'a page does not make a sandbox')
  await inject({
    method: 'POST',
    url: '/sandbox/blue/_control/reset',
    headers: { host: 'localhost' }
  })

  const page = await get('/sandbox/blue/_control/docs')
  t.equal(page.status, 200)
  for (const address of addressesIn(page.text)) {
    t.equal(
      address.startsWith('/sandbox/blue/_control/') ||
        /^\/_control\/console\/(docs\.js|icon\.svg)$/.test(address),
      true,
      address
    )
    t.equal((await get(address)).status, 200, address)
  }
  const { body } = await get('/sandbox/blue/_control/openapi.json')
  t.equal(body.servers[0].url, 'http://localhost/sandbox/blue/next')
})

type Property = { examples: unknown[] }
type Config = {
  dom_id: string
  validatorUrl: null
  requestInterceptor: (sent: object) => object
  spec: {
    components: {
      schemas: {
        CreateTransaction: {
          properties: Record<'ticket' | 'card[last4]' | 'payload', Property>
        }
      }
    }
  }
  onComplete: () => void
}

/**
 * Runs the page's own script as a browser does, with a Swagger UI that only records its arguments.
 */
async function started({ control }: Emulator) {
  const page = (await control('GET /docs')).text
  const unescaped = (text: string) =>
    text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
  const [, address, key] = /data-document="([^"]*)" data-key="([^"]*)"/.exec(page) as unknown as [
    string,
    string,
    string
  ]
  const configs: Config[] = []
  const included: Record<string, string[]> = {}
  const authorized: string[][] = []
  const swagger = (config: Config) => {
    configs.push(config)
    const setRequestBodyInclusion = ({
      pathMethod: [path],
      name,
      value
    }: {
      pathMethod: [string]
      name: string
      value: boolean
    }) => {
      included[path] ??= []
      if (value) included[path]?.push(name)
    }
    return {
      oas3Actions: { setRequestBodyInclusion },
      preauthorizeBasic: (...given: string[]) => authorized.push(given)
    }
  }
  const get = async (url: string) => ({
    json: async () => (await control(`GET ${url.replace('/_control', '')}`)).body
  })
  const AsyncFunction = (async () => {}).constructor as new (
    ...given: string[]
  ) => (...given: unknown[]) => Promise<void>
  const run = new AsyncFunction(
    'document',
    'fetch',
    'window',
    'matchMedia',
    'CSSStyleSheet',
    (await control('GET /console/docs.js')).text
  )
  const classes: [name: string, isOn: boolean][] = []
  const documentElement = {
    classList: { toggle: (name: string, isOn: boolean) => classes.push([name, isOn]) }
  }
  const darkSystem = () => ({ matches: true, addEventListener() {} })
  const Sheet = class {
    replaceSync() {}
  }
  const browserDocument = {
    documentElement,
    createElement: () => ({ append() {} }),
    body: { dataset: { document: address, key: unescaped(key) }, prepend() {} }
  }
  await run(browserDocument, get, { SwaggerUIBundle: swagger }, darkSystem, Sheet)
  // the script reads the document after it has run
  while (configs.length === 0) await setImmediate()
  const [config] = configs as [Config]
  config.onComplete()
  return { config, included, authorized, classes }
}

t.test('docs: a form starts with its example and sends nothing else', async t => {
  const { config, included, authorized, classes } = await started(
    await startTestEmulator(t, { scenario: SCENARIO })
  )

  const { properties } = config.spec.components.schemas.CreateTransaction
  t.strictSame(classes, [['dark-mode', true]])
  t.strictSame(
    (['ticket', 'card[last4]', 'payload'] as const).map(name => properties[name].examples),
    [['tkt_12'], ['4242'], ['']]
  )
  t.strictSame(
    included['/transactions']?.sort(),
    'amount card[brand] card[last4] currency payment_type ticket tip_amount'.split(' ')
  )
  t.match(included['/locations/{id}'], ['display_name', 'address[country]'])
  t.equal(Object.keys(included).length, 8)
  t.strictSame(authorized, [['apiKey', 'sk_test_merchant', '']])
  t.hasStrict(config, { dom_id: '#docs', validatorUrl: null })
  t.strictSame(config.requestInterceptor({}), { credentials: 'omit' })
})

t.test('docs: a key with any characters reaches Swagger UI unchanged', async t => {
  const accounts = [
    {
      id: 'mch_a',
      type: 'merchant',
      name: 'A',
      email: 'a@example.com',
      address: { country: 'US' }
    }
  ]
  const key = `"><script>'&`
  const odd = await startTestEmulator(t, {
    scenario: { data: { accounts, api_keys: [{ key, account: 'mch_a' }] } }
  })
  const none = await startTestEmulator(t, { scenario: { data: { accounts } } })

  t.strictSame((await started(odd)).authorized, [['apiKey', key, '']])
  t.notMatch((await odd.control('GET /docs')).text, key)
  t.strictSame((await started(none)).authorized, [])
})
