/** Accounts: create, read, update, list; deleting is disabled (reference §4). */
import type { FastifyInstance } from 'fastify'
import { patched } from '../../core/patch.js'
import { listed } from '../../http/listing.js'
import { disabledOperation, operation } from '../../http/operations.js'
import type { Account } from '../../reference/accounts.js'
import { addressOf } from '../../reference/parameters.js'

export function accountRoutes(api: FastifyInstance): void {
  api.post(
    '/accounts',
    operation('createAccount', ({ sandbox, actor, values }) => {
      const creator = actor as Account
      const { id, created } = sandbox.stamp('accounts', values.type)

      return sandbox.store.accounts.insert({
        id,
        object: 'account',
        created,
        type: values.type,
        name: values.name,
        email: values.email,
        address: addressOf(values.address),
        phone: values.phone ?? null,
        reseller: creator.type === 'reseller' ? creator.id : null,
        metadata: values.metadata ?? {}
      })
    })
  )

  api.get(
    '/accounts/:id',
    operation('readAccount', ({ scope, params }) => scope.inPath('accounts', params.id))
  )

  api.post(
    '/accounts/:id',
    operation('updateAccount', call => {
      const account = call.scope.inPath('accounts', call.params.id)
      call.found = account
      return call.sandbox.store.accounts.replace(patched(account, call.values))
    })
  )

  api.get(
    '/accounts',
    operation('listAccounts', call => listed(call, 'accounts', { within: call.scope.everything }))
  )

  api.delete('/accounts/:id', disabledOperation('deleteAccount'))
}
