/** Locations and their Tickets, which are read-only through the API (reference §2, §4). */
import type { Static } from 'typebox'
import {
  ADDRESS,
  addressParameters,
  CREATED_FILTERS,
  METADATA,
  nullable,
  optional,
  PAGINATION,
  PHONE,
  parameters,
  resource,
  text,
  updateOf
} from './parameters.js'

const WEBSITE = 'Web address.'

export const LOCATION = resource('location', {
  account: text({
    'x-assumption': 'A21',
    description: 'The merchant Account that it belongs to.',
    'x-needed': true
  }),
  display_name: nullable(text({ description: 'The display name.', 'x-needed': true })),
  address: ADDRESS,
  phone: nullable(text({ description: PHONE })),
  website: nullable(text({ description: WEBSITE })),
  metadata: METADATA
})
export type Location = Static<typeof LOCATION>

export const CREATE_LOCATION = parameters({
  display_name: text({ 'x-rule': 'LOC-1', description: 'The display name.' }),
  address: addressParameters('LOC-2'),
  phone: optional(text({ description: PHONE })),
  website: optional(text({ description: WEBSITE })),
  metadata: optional(METADATA)
})
export const UPDATE_LOCATION = updateOf(CREATE_LOCATION)

export const TICKET = resource('ticket', {
  location: text({
    'x-assumption': 'A21',
    description: 'The Location where it was opened.',
    'x-needed': true
  }),
  reference: nullable(
    text({ maxLength: 65_536, description: 'The text that search_query searches.' })
  )
})
export type Ticket = Static<typeof TICKET>

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
