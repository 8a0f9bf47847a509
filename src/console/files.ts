/** The browser files that the build puts into `dist/console/`. */
import { readFile } from 'node:fs/promises'
import type { FastifyReply } from 'fastify'

/** The same folder from `src/console` and from the bundle. */
const FOLDER = new URL('../../dist/console/', import.meta.url)
/** Text of each file that has been read. */
const texts = new Map<string, string>()

/** The text of a browser file, read when it is first asked for. */
export async function fileText(name: string): Promise<string> {
  const text = texts.get(name) ?? (await readFile(new URL(name, FOLDER), 'utf8'))
  texts.set(name, text)
  return text
}

type Page = { policy: string; values: Readonly<Record<string, string>> }

/** The text of a page, with the headers that let it load only what the policy allows. Every `{{name}}` in the file is replaced by its value, escaped. */
export async function pageOf(reply: FastifyReply, file: string, { policy, values }: Page): Promise<string> {
  const template = await fileText(file)
  reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
  reply.type('text/html; charset=utf-8')
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => escaped(values[name] as string))
}

const escaped = (text: string) => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
