/** Accounts and their Users (reference §2, §4). */
import type { Static } from 'typebox'
import {
  ADDRESS,
  addressParameters,
  METADATA,
  nullable,
  optional,
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

export const USER = resource('user', {
  account: text({ 'x-rule': 'USR-1', description: 'The parent Account.', 'x-needed': true }),
  name: text({ description: 'The name of the user.', 'x-needed': true }),
  email: text({ format: 'email', description: 'The address of the user.', 'x-needed': true })
})
export type User = Static<typeof USER>

export const CREATE_USER = parameters({
  name: text({ 'x-rule': 'USR-2', description: 'The name of the user.' }),
  email: text({
    format: 'email',
    'x-rule': 'USR-3',
    description: 'A valid address that the user can receive mail at.'
  })
})
