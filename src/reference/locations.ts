/** Locations (reference §2, §4). */
import type { Static } from 'typebox'
import { ADDRESS, addressParameters, closed, head, listOf, METADATA, nullableText, optional, PAGINATION, parameters, text, updateOf } from './parameters.js'

export const LOCATION = closed({
  ...head('location'),
  account: text({ description: 'The merchant Account that it belongs to.', 'x-needed': true }),
  display_name: nullableText({ description: 'The name shown.', 'x-needed': true }),
  address: ADDRESS,
  phone: nullableText(),
  website: nullableText(),
  metadata: METADATA
})
export type Location = Static<typeof LOCATION>
export const LOCATION_LIST = listOf(LOCATION)

export const CREATE_LOCATION = parameters({
  display_name: text({ 'x-rule': 'LOC-1', description: 'The name shown.' }),
  address: addressParameters('LOC-2'),
  phone: optional(text()),
  website: optional(text()),
  metadata: optional(METADATA)
})
export const UPDATE_LOCATION = updateOf(CREATE_LOCATION)
export const LIST_LOCATIONS = parameters(PAGINATION)
