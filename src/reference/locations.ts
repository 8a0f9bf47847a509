/** Locations (reference §2, §4). */
import type { Static } from 'typebox'
import {
  ADDRESS,
  addressParameters,
  closed,
  head,
  listOf,
  METADATA,
  nullableText,
  optional,
  PAGINATION,
  PHONE,
  parameters,
  text,
  updateOf
} from './parameters.js'

const WEBSITE = 'Web address.'

export const LOCATION = closed({
  ...head('location'),
  account: text({ description: 'The merchant Account that it belongs to.', 'x-needed': true }),
  display_name: nullableText({ description: 'The name shown.', 'x-needed': true }),
  address: ADDRESS,
  phone: nullableText({ description: PHONE }),
  website: nullableText({ description: WEBSITE }),
  metadata: METADATA
})
export type Location = Static<typeof LOCATION>
export const LOCATION_LIST = listOf(LOCATION)

export const CREATE_LOCATION = parameters({
  display_name: text({ 'x-rule': 'LOC-1', description: 'The name shown.' }),
  address: addressParameters('LOC-2'),
  phone: optional(text({ description: PHONE })),
  website: optional(text({ description: WEBSITE })),
  metadata: optional(METADATA)
})
export const UPDATE_LOCATION = updateOf(CREATE_LOCATION)
export const LIST_LOCATIONS = parameters(PAGINATION)
