/** Locations: create, read, update, list; deleting is disabled (reference §4). */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { judge } from '../../core/judge.js'
import { patched } from '../../core/patch.js'
import { disabled } from '../../http/disabled.js'
import { listed } from '../../http/listing.js'
import { operation } from '../../http/operations.js'
import type { Account } from '../../reference/accounts.js'
import { addressOf } from '../../reference/parameters.js'
import { LOCATION_RULES } from './rules.js'

export const locationRoutes: FastifyPluginAsyncTypebox = async app => {
  app.post('/locations', operation('createLocation'), async ({ sandbox, trace, actor, body }) => {
    const { id: account, type } = actor as Account
    judge(LOCATION_RULES, { account, type })
    trace.assumed('A21')

    return sandbox.store.locations.insert({
      ...sandbox.stamp('locations'),
      object: 'location',
      account,
      display_name: body.display_name,
      address: addressOf(body.address),
      phone: body.phone ?? null,
      website: body.website ?? null,
      metadata: body.metadata ?? {}
    })
  })

  app.get('/locations/:id', operation('readLocation'), async ({ seen, params }) => seen.inPath('locations', params.id))

  app.post('/locations/:id', operation('updateLocation'), async ({ sandbox, seen, params, body }) =>
    sandbox.store.locations.replace(patched(seen.inPath('locations', params.id), body))
  )

  app.get('/locations', operation('listLocations'), async request => listed(request, 'locations', { within: request.seen.everything }))

  app.delete('/locations/:id', { ...operation('deleteLocation'), ...disabled('LOC-4', 'Location') })
}
