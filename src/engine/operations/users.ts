/** Users of an Account: create, list, delete (reference §4). */
import type { Handlers } from '../handler.js'
import { listed } from '../listing.js'
import { REFUSALS } from '../sentences.js'

export const userOperations: Handlers<'createUser' | 'listUsers' | 'deleteUser'> = {
  createUser({ world, params, values }) {
    const { id, created } = world.stamp('users')
    return world.state.store.users.insert({
      id,
      object: 'user',
      created,
      account: params.id,
      name: values.name,
      email: values.email
    })
  },

  listUsers: request =>
    listed(request, 'users', { within: { index: 'account', group: request.params.id } }),

  deleteUser({ world, params, found: user }) {
    if (user.account !== params.account_id) throw REFUSALS.otherUser(params.account_id, user.id)

    world.state.store.users.remove(user.id)
    return null
  }
}
