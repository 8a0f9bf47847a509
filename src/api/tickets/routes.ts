/** Tickets, read-only: read and list (reference §4, TKT-1). */
import type { FastifyInstance } from 'fastify'
import { filtered, listed, searching } from '../../http/listing.js'
import { operation } from '../../http/operations.js'

export function ticketRoutes(api: FastifyInstance): void {
  api.get(
    '/tickets/:id',
    operation('readTicket', ({ scope, params }) => scope.inPath('tickets', params.id))
  )

  api.get(
    '/tickets',
    operation('listTickets', call => {
      const { location, search_query } = call.values
      const how = call.settings['search.reference']
      return listed(call, 'tickets', {
        within: filtered(call, 'locations', location),
        keep: searching(call, search_query, how, ({ reference }) => reference)
      })
    })
  )
}
