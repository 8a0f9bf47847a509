/** Accounts: create, read, update, list; deleting is disabled (reference §4). */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { patched } from '../../core/patch.js'
import { disabled } from '../../http/disabled.js'
import { listed } from '../../http/listing.js'
import { operation } from '../../http/operations.js'
import type { Account } from '../../reference/accounts.js'
import { addressOf } from '../../reference/parameters.js'

export const accountRoutes: FastifyPluginAsyncTypebox = async app => {
  app.post('/accounts', operation('createAccount'), async ({ sandbox, trace, actor, body }) => {
    const { id, type } = actor as Account
    trace.assumed('A21')

    return sandbox.store.accounts.insert({
      ...sandbox.stamp('accounts', body.type),
      object: 'account',
      type: body.type,
      name: body.name,
      email: body.email,
      address: addressOf(body.address),
      phone: body.phone ?? null,
      reseller: type === 'reseller' ? id : null,
      metadata: body.metadata ?? {}
    })
  })

  app.get('/accounts/:id', operation('readAccount'), async ({ seen, params }) => seen.inPath('accounts', params.id))

  app.post('/accounts/:id', operation('updateAccount'), async ({ sandbox, seen, trace, params, body }) => {
    if (body.type !== undefined) trace.assumed('A31')
    return sandbox.store.accounts.replace(patched(seen.inPath('accounts', params.id), body))
  })

  app.get('/accounts', operation('listAccounts'), async request => listed(request, 'accounts', { within: request.seen.everything }))

  app.delete('/accounts/:id', { ...operation('deleteAccount'), ...disabled('ACC-5', 'Account') })
}
