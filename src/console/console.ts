/** The pages for browsers: the console, and the documentation of the API in Swagger UI. */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { FastifyReply } from 'fastify'
import type { Pages } from '../control/route.js'

/** The same folders from `src/console` and from the bundle. */
const FOLDERS = { console: new URL('../../dist/console/', import.meta.url), docs: new URL('../../dist/swagger-ui/', import.meta.url) }
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png'
}
/** The names of the files that pages may load. */
const NAMES = { console: /^[\w-]+\.(?:css|js|svg)$/, docs: /^(?:swagger-ui\.css|swagger-ui-bundle\.js|favicon-32x32\.png)$/ }

/** Nothing is fetched from elsewhere, and no other page may frame this one. Swagger UI writes styles into its elements and has images in `data:` addresses. */
const policy = ({ style = '', image = '' }) =>
  `default-src 'none'; script-src 'self'; style-src 'self'${style}; img-src 'self'${image}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
const POLICIES = { 'index.html': policy({}), 'docs.html': policy({ style: " 'unsafe-inline'", image: ' data:' }) }

const files = new Map<string, Buffer>()
/** A file of the console, read once. */
async function consoleFile(name: string): Promise<Buffer> {
  const file = files.get(name) ?? (await readFile(new URL(name, FOLDERS.console)))
  files.set(name, file)
  return file
}

/** The text of a page under its policy, each `{{name}}` in the file replaced by its value, escaped. */
async function pageOf(reply: FastifyReply, file: keyof typeof POLICIES, values: Readonly<Record<string, string>>): Promise<string> {
  const template = String(await consoleFile(file))
  reply.headers({ 'content-security-policy': POLICIES[file], 'referrer-policy': 'no-referrer' })
  reply.type('text/html; charset=utf-8')
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => escaped(values[name] as string))
}

const escaped = (text: string) => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

export const PAGES: Pages = {
  console: (reply, control) => pageOf(reply, 'index.html', { sandbox: control.replace(/^\/sandbox\/|\/?_control$/g, '') }),
  docs: (reply, values) => pageOf(reply, 'docs.html', values),
  file: async (of, name) => {
    if (!NAMES[of].test(name)) return null
    const content = await (of === 'console' ? consoleFile(name).catch(() => null) : readFile(new URL(name, FOLDERS.docs)))
    return content && { type: TYPES[extname(name)] as string, content }
  }
}
