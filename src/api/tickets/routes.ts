/** Tickets, read-only: read and list (reference §4, TKT-1). */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { matches } from '../../core/search.js'
import { listed } from '../../http/listing.js'
import { operation } from '../../http/operations.js'

export const ticketRoutes: FastifyPluginAsyncTypebox = async app => {
  app.get('/tickets/:id', operation('readTicket'), async ({ seen, trace, params }) => {
    trace.held('TKT-1')
    return seen.inPath('tickets', params.id)
  })

  app.get('/tickets', operation('listTickets'), async request => {
    const { sandbox, seen, query } = request
    const { location, search_query } = query
    const how = sandbox.settings['search.reference']
    return listed(request, 'tickets', {
      within: seen.narrowed('locations', location),
      keep: search_query === undefined ? undefined : ({ reference }) => matches(reference, search_query, how)
    })
  })
}
