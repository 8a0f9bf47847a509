/** Control: the emulated API as an OpenAPI document, and Swagger UI to read and try it, whose files are read when they are first asked for. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { FastifyPluginAsync } from 'fastify'
import { controlBeside } from '../http/entrance.js'
import { bindingsOf } from '../scenario/scenario.js'
import { queryOf } from './bodies.js'
import { noControlCall } from './state.js'

/** The files of Swagger UI that the page needs, with their types. */
const ASSETS: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png']
])

/** Nothing is fetched from elsewhere, and no other page may frame this one. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'"
].join('; ')

export const docsRoutes: FastifyPluginAsync<{ version: string }> = async (control, { version }) => {
  control.get('/openapi.json', async request => {
    queryOf(request)
    const { openApiDocument } = await import('./openapi.js')
    return openApiDocument({ base: request.base, version, settings: request.sandbox.settings })
  })

  control.get('/docs', async (request, reply) => {
    queryOf(request)
    const key = bindingsOf(request.sandbox.store).key('')
    reply.headers({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
    return reply.type('text/html; charset=utf-8').send(page(controlBeside(request.base), key))
  })

  control.get('/docs/start.js', async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(START))

  control.get<{ Params: { file: string } }>('/docs/:file', async (request, reply) => {
    const { file } = request.params
    const type = ASSETS.get(file)
    if (type === undefined) throw noControlCall(request)
    const path = createRequire(import.meta.url).resolve(`@fastify/swagger-ui/static/${file}`)
    return reply
      .header('x-content-type-options', 'nosniff')
      .type(type)
      .send(await readFile(path))
  })
}

const escaped = (text: string) => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

/** The page. The key stands in the page, not in a script, which a page of another origin could run. */
const page = (control: string, key: string | null) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Commerce Service API, emulated</title>
<link rel="stylesheet" href="${control}/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="${control}/docs/favicon-32x32.png">
</head>
<body data-document="${control}/openapi.json" data-key="${escaped(key ?? '')}">
<noscript>This page needs JavaScript. The document that it shows is <a href="${control}/openapi.json">openapi.json</a>.</noscript>
<div id="docs"></div>
<script src="${control}/docs/swagger-ui-bundle.js"></script>
<script type="module" src="${control}/docs/start.js"></script>
</body>
</html>
`

/** Shows the document. A form starts with its first example and sends nothing else; calls are tried with the first merchant's key. */
const START = `const { document: address, key } = document.body.dataset
const spec = await (await fetch(address)).json()
const fields = []
for (const [path, { post }] of Object.entries(spec.paths)) {
  for (const { schema, examples } of Object.values(post?.requestBody?.content ?? {})) {
    const { properties } = spec.components.schemas[schema.$ref.split('/').pop()]
    const [{ value }] = Object.values(examples)
    for (const [name, property] of Object.entries(properties)) {
      property.examples = [value[name] ?? (property.properties ? {} : '')]
      fields.push({ pathMethod: [path, 'post'], name, value: name in value })
    }
  }
}
const ui = SwaggerUIBundle({
  spec,
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => {
    for (const field of fields) ui.oas3Actions.setRequestBodyInclusion(field)
    if (key) ui.preauthorizeBasic('apiKey', key, '')
  }
})
`
