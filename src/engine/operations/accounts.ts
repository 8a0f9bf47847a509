/** Accounts: create, read, update, list; deleting is disabled (reference §4). */
import { patched } from '../../core/patch.js'
import { addressOf } from '../../reference/parameters.js'
import type { Handlers } from '../handler.js'
import { listed } from '../listing.js'
import { everything, isLimited } from '../visibility.js'

export const accountOperations: Handlers<
  'createAccount' | 'readAccount' | 'updateAccount' | 'listAccounts'
> = {
  createAccount(request) {
    const { world, store, actor, values } = request
    const { id, created } = world.stamp('accounts', values.type)
    const account = store.accounts.insert({
      id,
      object: 'account',
      created,
      type: values.type,
      name: values.name,
      email: values.email,
      address: addressOf(values.address),
      phone: values.phone ?? null,
      reseller: actor.type === 'reseller' || isLimited(request) ? actor.id : null,
      metadata: values.metadata ?? {}
    })
    return { shown: account }
  },

  readAccount: ({ found }) => ({ shown: found }),

  updateAccount: ({ store, found, values }) => ({
    shown: store.accounts.replace(patched(found, values))
  }),

  listAccounts: request => listed(request, 'accounts', { within: everything(request) })
}
