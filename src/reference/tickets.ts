/** Tickets, read-only through the API (reference §2, §4). */
import type { Static } from 'typebox'
import {
  CREATED_FILTERS,
  listOf,
  nullable,
  optional,
  PAGINATION,
  parameters,
  resource,
  text
} from './parameters.js'

export const TICKET = resource('ticket', {
  location: text({
    'x-assumption': 'A21',
    description: 'The Location where it was opened.',
    'x-needed': true
  }),
  reference: nullable(text({ maxLength: 65_536, description: 'The text for search_query.' }))
})
export type Ticket = Static<typeof TICKET>
export const TICKET_LIST = listOf(TICKET)

export const LIST_TICKETS = parameters({
  ...PAGINATION,
  location: optional(
    text({ 'x-rule': 'FILT-5', description: 'A Location id: only Tickets at that Location.' })
  ),
  search_query: optional(
    text({
      maxLength: 1000,
      'x-rule': 'SRCH-1',
      description: 'Keeps Tickets whose reference matches. Applied after retrieval.'
    })
  ),
  ...CREATED_FILTERS
})
