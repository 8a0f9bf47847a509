/** Control: what describes the emulator to tools: the JSON Schemas of documents, and the emulated API as an OpenAPI document. */
import type { FastifyPluginAsync } from 'fastify'
import { optional, parameters, word } from '../reference/parameters.js'
import { queryOf } from './bodies.js'

/** `style=flat`: nested parameters are named in brackets. */
const DOCUMENT_QUERY = parameters({ style: optional(word(['flat'])) })

export const schemaRoutes: FastifyPluginAsync<{ version: string }> = async (control, { version }) => {
  for (const kind of ['fixture', 'scenario', 'script'] as const) {
    control.get(`/schema/${kind}.json`, async () => (await import('../scenario/published-schema.js')).publishedSchema(kind))
  }

  control.get('/openapi.json', async request => {
    const { style } = queryOf<{ style?: string }>(request, DOCUMENT_QUERY)
    const { arrival, headers } = request
    // the guard has seen to it that the Host is a name of this machine
    const origin = headers.host === undefined ? '' : `http://${headers.host}`
    const { openApiDocument } = await import('./openapi.js')
    const document = openApiDocument({ origin, base: arrival.base, version, settings: arrival.sandbox.settings })
    if (style === undefined) return document
    const { flatDocument } = await import('./openapi-flat.js')
    return flatDocument(document)
  })
}
