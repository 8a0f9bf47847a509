/** Users of an Account (reference §2, §4). */
import type { Static } from 'typebox'
import { CREATED_FILTERS, listOf, PAGINATION, parameters, resource, text } from './parameters.js'

export const USER = resource('user', {
  account: text({ 'x-rule': 'USR-1', description: 'The parent Account.', 'x-needed': true }),
  name: text({ description: 'The name of the user.', 'x-needed': true }),
  email: text({ format: 'email', description: 'The address of the user.', 'x-needed': true })
})
export type User = Static<typeof USER>
export const USER_LIST = listOf(USER)

export const CREATE_USER = parameters({
  name: text({ 'x-rule': 'USR-2', description: 'The name of the user.' }),
  email: text({
    format: 'email',
    'x-rule': 'USR-3',
    description: 'A valid address that the user can receive mail at.'
  })
})
export const LIST_USERS = parameters({ ...PAGINATION, ...CREATED_FILTERS })
