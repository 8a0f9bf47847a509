/** Tickets, read-only: read and list (reference §4, TKT-1). */
import { filtered, listed, searching } from '../listing.js'
import type { Handlers } from '../world.js'

export const ticketOperations: Handlers<'readTicket' | 'listTickets'> = {
  readTicket: ({ record }) => ({ result: record }),

  listTickets(request) {
    const { location, search_query } = request.values
    return listed(request, 'tickets', {
      within: filtered(request, 'locations', location),
      keep: searching(
        request,
        search_query,
        request.settings['search.reference'],
        ({ reference }) => reference
      )
    })
  }
}
