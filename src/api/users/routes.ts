/** Users of an Account: create, list, delete (reference §4). */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ApiError } from '../../core/errors.js'
import { listed } from '../../http/listing.js'
import { operation } from '../../http/operations.js'

export const userRoutes: FastifyPluginAsyncTypebox = async app => {
  app.post('/accounts/:id/users', operation('createUser'), async ({ sandbox, seen, params, body }) => {
    const account = seen.inPath('accounts', params.id, 'USR-1')
    return sandbox.store.users.insert({ ...sandbox.stamp('users'), object: 'user', account: account.id, name: body.name, email: body.email })
  })

  app.get('/accounts/:id/users', operation('listUsers'), async request => {
    const account = request.seen.inPath('accounts', request.params.id, 'USR-1')
    return listed(request, 'users', { within: { index: 'account', group: account.id } })
  })

  app.delete('/accounts/:account_id/users/:user_id', operation('deleteUser'), async ({ sandbox, seen, trace, params }, reply) => {
    const account = seen.inPath('accounts', params.account_id, 'USR-1')
    const user = sandbox.store.users.get(params.user_id)
    if (user?.account !== account.id) {
      throw new ApiError('resource_missing', { message: `${account.id} has no User with the id ${params.user_id}.`, param: 'user_id', rule: 'USR-1' })
    }
    trace.held('USR-4')

    sandbox.store.users.remove(user.id)
    return reply.code(204).send()
  })
}
