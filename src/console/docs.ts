/** The page of the API's documentation: Swagger UI, whose files are read when they are asked for. */
import { readFile } from 'node:fs/promises'
import type { FastifyPluginAsync } from 'fastify'
import { queryOf } from '../control/bodies.js'
import { PAGE } from '../control/guard.js'
import { noControlCall } from '../control/state.js'
import { controlOfBase } from '../core/paths.js'
import { bindingsOf } from '../scenario/scenario.js'
import { pageOf } from './files.js'

/** The build copies the files of Swagger UI there. */
const FOLDER = new URL('../../dist/swagger-ui/', import.meta.url)
/** The files of Swagger UI that the page needs, with their types. */
const SWAGGER_FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png']
])

/** Nothing is fetched from elsewhere, and no other page may frame this one. Swagger UI writes styles into its elements and shows images held in `data:` addresses. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

export const docsRoutes: FastifyPluginAsync = async control => {
  control.get('/docs', PAGE, async (request, reply) => {
    queryOf(request)
    // the key is in the page and not in a script, which a page of another origin could run
    const key = bindingsOf(request.arrival.sandbox.store).key('') ?? ''
    return pageOf(reply, 'docs.html', { policy: POLICY, values: { control: controlOfBase(request.arrival.base), key } })
  })

  control.get<{ Params: { file: string } }>('/docs/:file', async (request, reply) => {
    const { file } = request.params
    const type = SWAGGER_FILES.get(file)
    if (type === undefined) throw noControlCall(request)
    return reply.type(type).send(await readFile(new URL(file, FOLDER)))
  })
}
