/** The console: a page for browsers, whose files the build makes from `ui/`. This serves them and nothing else. */
import { extname } from 'node:path'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { OPEN } from '../control/guard.js'
import { noControlCall } from '../control/state.js'
import { fileText, pageOf } from './files.js'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8'
}
/** A file of the build, in the folder itself. */
const NAME = /^[\w-]+\.(?:css|js|svg)$/

/** Nothing is fetched from elsewhere, and no other page may frame this one. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The console of the sandbox at a control address. */
export function consolePage(reply: FastifyReply, control: string): Promise<string> {
  return pageOf(reply, 'index.html', { policy: POLICY, values: { sandbox: control.replace(/^\/sandbox\/|\/?_control$/g, '') } })
}

export const consoleRoutes: FastifyPluginAsync = async control => {
  control.get<{ Params: { file: string } }>('/console/:file', OPEN, async (request, reply) => {
    const { file } = request.params
    const text = NAME.test(file) ? await fileText(file).catch(() => null) : null
    if (text === null) throw noControlCall(request)
    return reply.type(TYPES[extname(file)] as string).send(text)
  })
}
