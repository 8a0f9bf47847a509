/** The console: a page that shows in a browser what the control API returns: calls as they come and why they were answered so, findings, coverage, scripts. */
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { noControlCall } from '../control/state.js'
import { fileText, pageOf } from './files.js'

const FILES: ReadonlyMap<string, string> = new Map([
  ['console.css', 'text/css; charset=utf-8'],
  ['console.js', 'text/javascript; charset=utf-8'],
  ['text.js', 'text/javascript; charset=utf-8']
])

/** Nothing is fetched from elsewhere, and no other page may frame this one. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The console of the sandbox at a control address. */
export function consolePage(reply: FastifyReply, control: string): Promise<string> {
  return pageOf(reply, 'index.html', { policy: POLICY, values: { control, sandbox: control.replace(/\/?_control$/, '') } })
}

export const consoleRoutes: FastifyPluginAsync = async control => {
  control.get<{ Params: { file: string } }>('/console/:file', async (request, reply) => {
    const { file } = request.params
    const type = FILES.get(file)
    if (type === undefined) throw noControlCall(request)
    return reply.type(type).send(await fileText(file))
  })
}
