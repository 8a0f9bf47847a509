/** Accounts (reference §2, §4). */
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
  updateOf,
  word
} from './parameters.js'

export const ACCOUNT_TYPES = ['merchant', 'reseller'] as const
export type AccountType = (typeof ACCOUNT_TYPES)[number]

const KIND = 'The type of the Account.'
const NAME = 'The name of the Account.'

export const ACCOUNT = resource('account', {
  type: nullable(word(ACCOUNT_TYPES, { description: KIND, 'x-needed': true })),
  name: nullable(text({ description: NAME, 'x-needed': true })),
  email: nullable(
    text({ format: 'email', description: 'Primary Account email.', 'x-needed': true })
  ),
  address: ADDRESS,
  phone: nullable(text({ description: PHONE })),
  reseller: nullable(
    text({
      'x-assumption': 'A21',
      description: 'The reseller that created it; with scoped, any Account.'
    })
  ),
  metadata: METADATA
})
export type Account = Static<typeof ACCOUNT>
export const ACCOUNT_LIST = listOf(ACCOUNT)

export const CREATE_ACCOUNT = parameters({
  type: word(ACCOUNT_TYPES, { 'x-rule': 'ACC-1', description: KIND }),
  name: text({ 'x-rule': 'ACC-2', description: NAME }),
  email: text({
    format: 'email',
    'x-required-by': 'ACC-3',
    'x-assumption': 'A30',
    description: 'Primary Account email.'
  }),
  address: addressParameters('ACC-4'),
  phone: optional(text({ description: PHONE })),
  metadata: optional(METADATA)
})
export const UPDATE_ACCOUNT = updateOf(CREATE_ACCOUNT)
export const LIST_ACCOUNTS = parameters(PAGINATION)
