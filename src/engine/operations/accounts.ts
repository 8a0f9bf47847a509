/** Accounts: create, read, update, list; deleting is disabled (reference §4). */
import { patched } from '../../core/patch.js'
import { addressOf } from '../../reference/parameters.js'
import { isLimited } from '../keys.js'
import { everything, listed } from '../listing.js'
import type { Handlers } from '../world.js'

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
    return { result: account }
  },

  readAccount: ({ record }) => ({ result: record }),

  updateAccount: ({ store, record, values }) => ({
    result: store.accounts.replace(patched(record, values))
  }),

  listAccounts: request => listed(request, 'accounts', { within: everything(request) })
}
