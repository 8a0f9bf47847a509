/** The pages for browsers: the console and Swagger UI. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import type { Pages } from '../control/row.js'
import { remembered } from '../core/remembered.js'

/** From `src/console` and from the bundle. */
const FOLDERS = {
  console: new URL('../../dist/console/', import.meta.url),
  docs: new URL('../../dist/swagger-ui/', import.meta.url)
}
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png'
}
const NAMES = {
  console: /^[\w-]+\.(?:css|js|svg|woff2)$/,
  docs: /^(?:swagger-ui\.css|swagger-ui-bundle\.js|favicon-32x32\.png)$/
}

/** Swagger UI writes styles into its elements and has images in `data:` addresses. */
const policy = ({ style = '', image = '' }) =>
  `default-src 'none'; script-src 'self'; style-src 'self'${style}; img-src 'self'${image}; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
const POLICIES = {
  'index.html': policy({}),
  'docs.html': policy({ style: " 'unsafe-inline'", image: ' data:' })
}

/** A name that the build made of the content. */
const HASHED = /-[\w-]{8}\.(?:js|woff2)$/

const isAccepted = (header: string, encoding: string) =>
  new RegExp(`(?:^|[,\\s])${encoding}\\s*(?:,|$|;\\s*q=(?:1|0\\.\\d*[1-9]))`, 'i').test(header)
/** Compressed by the build. */
const FILES = new Map<string, Buffer>()
const unpacked = remembered((brotli: Buffer) => promisify(brotliDecompress)(brotli))
const zipped = remembered((brotli: Buffer) =>
  unpacked(brotli).then(promisify<Buffer, Buffer>(gzip))
)
/** A file as it is, by gzip, which browsers prefer without TLS, or unpacked. */
async function encoded(brotli: Buffer, reply: FastifyReply): Promise<Buffer> {
  const accepted = reply.request.headers['accept-encoding'] ?? ''
  const encoding = ['br', 'gzip'].find(name => isAccepted(accepted, name))
  if (encoding === undefined) return unpacked(brotli)
  reply.header('content-encoding', encoding)
  return encoding === 'br' ? brotli : zipped(brotli)
}

async function fileOf(of: keyof typeof FOLDERS, name: string): Promise<Buffer | null> {
  const cached = FILES.get(of + name)
  if (cached !== undefined || !NAMES[of].test(name)) return cached ?? null
  const read = await readFile(new URL(`${name}.br`, FOLDERS[of])).catch(() => null)
  if (read !== null) FILES.set(of + name, read)
  return read
}

const tagOf = remembered(
  (content: Buffer) => `"${createHash('sha256').update(content).digest('base64url')}"`
)
/** Sends content, unless the client has it. */
async function sendOnce(reply: FastifyReply, content: Buffer, body: () => unknown): Promise<void> {
  const tag = tagOf(content)
  reply.header('etag', `W/${tag}`)
  if (reply.request.headers['if-none-match']?.includes(tag)) reply.code(304).send()
  else reply.send(await body())
}

/** A page under its policy, each `{{name}}` in it replaced by its value. */
async function pageOf(
  reply: FastifyReply,
  file: keyof typeof POLICIES,
  values: Readonly<Record<string, string>>
): Promise<string> {
  const template = await readFile(new URL(file, FOLDERS.console), 'utf8')
  reply.headers({ 'content-security-policy': POLICIES[file], 'referrer-policy': 'no-referrer' })
  reply.type('text/html; charset=utf-8')
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => escaped(String(values[name])))
}

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

export const PAGES: Pages = {
  console: async (reply, control) => {
    const page = await pageOf(reply, 'index.html', {
      sandbox: control.replace(/^\/sandbox\/|\/?_control$/g, '')
    })
    reply.headers({ 'cache-control': 'no-cache', vary: 'accept' })
    await sendOnce(reply, Buffer.from(page), () => page)
  },
  docs: (reply, values) => pageOf(reply, 'docs.html', values),
  file: async (reply, of, name) => {
    const brotli = await fileOf(of, name)
    if (brotli === null) return false
    reply.headers({
      'cache-control': HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding'
    })
    reply.type(TYPES[extname(name)] as string)
    await sendOnce(reply, brotli, () => encoded(brotli, reply))
    return true
  }
}
