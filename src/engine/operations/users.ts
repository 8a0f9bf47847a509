/** Users of an Account: create, list, delete (reference §4). */
import { listed } from '../listing.js'
import { REFUSALS } from '../sentences.js'
import type { Handlers } from '../world.js'

export const userOperations: Handlers<'createUser' | 'listUsers' | 'deleteUser'> = {
  createUser({ world, store, params, values }) {
    const { id, created } = world.stamp('users')
    const user = store.users.insert({
      id,
      object: 'user',
      created,
      account: params.id,
      name: values.name,
      email: values.email
    })
    return { result: user }
  },

  listUsers: request =>
    listed(request, 'users', { within: { index: 'account', group: request.params.id } }),

  deleteUser({ store, params, record: user }) {
    if (user.account !== params.account_id) throw REFUSALS.otherUser(params.account_id, user.id)

    store.users.remove(user.id)
    return { result: null }
  }
}
