/** Locations: create, read, update, list; deleting is disabled (reference §4). */
import type { FastifyInstance } from 'fastify'
import { judge } from '../../core/judge.js'
import { patched } from '../../core/patch.js'
import { listed } from '../../http/listing.js'
import { disabledOperation, operation } from '../../http/operations.js'
import type { Account } from '../../reference/accounts.js'
import { addressOf } from '../../reference/parameters.js'
import { LOCATION_RULES } from './rules.js'

export function locationRoutes(api: FastifyInstance): void {
  api.post(
    '/locations',
    operation('createLocation', ({ sandbox, actor, values }) => {
      const { id: account, type } = actor as Account
      judge(LOCATION_RULES, { account, type })

      const { id, created } = sandbox.stamp('locations')
      return sandbox.store.locations.insert({
        id,
        object: 'location',
        created,
        account,
        display_name: values.display_name,
        address: addressOf(values.address),
        phone: values.phone ?? null,
        website: values.website ?? null,
        metadata: values.metadata ?? {}
      })
    })
  )

  api.get(
    '/locations/:id',
    operation('readLocation', ({ scope, params }) => scope.inPath('locations', params.id))
  )

  api.post(
    '/locations/:id',
    operation('updateLocation', call => {
      const location = call.scope.inPath('locations', call.params.id)
      call.found = location
      return call.sandbox.store.locations.replace(patched(location, call.values))
    })
  )

  api.get(
    '/locations',
    operation('listLocations', call => listed(call, 'locations', { within: call.scope.everything }))
  )

  api.delete('/locations/:id', disabledOperation('deleteLocation'))
}
