/** Tickets, read-only: read and list (reference §4, TKT-1). */
import type { Handlers } from '../handler.js'
import { filtered, listed, searching } from '../listing.js'

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
