/** Control: the JSON Schemas of fixtures and scenarios, for editors. */
import type { FastifyPluginAsync } from 'fastify'
import { publishedSchema } from '../scenario/schemas.js'

export const schemaRoutes: FastifyPluginAsync = async control => {
  control.get('/schema/fixture.json', async () => publishedSchema('fixture'))
  control.get('/schema/scenario.json', async () => publishedSchema('scenario'))
}
