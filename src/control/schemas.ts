/** Control: what describes the emulator to tools: the JSON Schemas of fixtures and scenarios, and the emulated API as an OpenAPI document. */
import type { FastifyPluginAsync } from 'fastify'
import { publishedSchema } from '../scenario/schemas.js'
import { queryOf } from './bodies.js'

export const schemaRoutes: FastifyPluginAsync<{ version: string }> = async (control, { version }) => {
  control.get('/schema/fixture.json', async () => publishedSchema('fixture'))
  control.get('/schema/scenario.json', async () => publishedSchema('scenario'))

  control.get('/openapi.json', async request => {
    queryOf(request)
    const { openApiDocument } = await import('./openapi.js')
    return openApiDocument({ base: request.call.base, version, settings: request.call.sandbox.settings })
  })
}
