/** Users of an Account: create, list, delete (reference §4). */
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../core/errors.js'
import { listed } from '../../http/listing.js'
import { operation } from '../../http/operations.js'

export function userRoutes(api: FastifyInstance): void {
  api.post(
    '/accounts/:id/users',
    operation('createUser', ({ sandbox, scope, params, values }) => {
      const { id: account } = scope.inPath('accounts', params.id)
      const { id, created } = sandbox.stamp('users')
      return sandbox.store.users.insert({ id, object: 'user', created, account, name: values.name, email: values.email })
    })
  )

  api.get(
    '/accounts/:id/users',
    operation('listUsers', call => {
      const { id } = call.scope.inPath('accounts', call.params.id)
      return listed(call, 'users', { within: { index: 'account', group: id } })
    })
  )

  api.delete(
    '/accounts/:account_id/users/:user_id',
    operation('deleteUser', call => {
      const { sandbox, scope, params } = call
      const { id: account } = scope.inPath('accounts', params.account_id, 'account_id')
      const user = scope.inPath('users', params.user_id, 'user_id')
      if (user.account !== account) {
        throw new ApiError('resource_missing', { message: `${account} has no User with the id ${user.id}.`, param: 'user_id', rule: 'USR-1' })
      }

      call.found = user
      sandbox.store.users.remove(user.id)
      return null
    })
  )
}
