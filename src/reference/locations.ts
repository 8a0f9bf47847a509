/** Locations (reference §2, §4). */
import type { Static } from 'typebox'
import {
  ADDRESS,
  addressParameters,
  listOf,
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
export const LOCATION_LIST = listOf(LOCATION)

export const CREATE_LOCATION = parameters({
  display_name: text({ 'x-rule': 'LOC-1', description: 'The display name.' }),
  address: addressParameters('LOC-2'),
  phone: optional(text({ description: PHONE })),
  website: optional(text({ description: WEBSITE })),
  metadata: optional(METADATA)
})
export const UPDATE_LOCATION = updateOf(CREATE_LOCATION)
export const LIST_LOCATIONS = parameters(PAGINATION)
