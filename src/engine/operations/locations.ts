/** Locations: create, read, update, list; deleting is disabled (reference §4). */
import { patched } from '../../core/patch.js'
import { judge, LOCATION_RULES } from '../../core/rules.js'
import { addressOf } from '../../reference/parameters.js'
import { everything, listed } from '../listing.js'
import type { Handlers } from '../world.js'

export const locationOperations: Handlers<
  'createLocation' | 'readLocation' | 'updateLocation' | 'listLocations'
> = {
  createLocation({ world, store, actor, values }) {
    judge(LOCATION_RULES, { account: actor.id, type: actor.type })

    const { id, created } = world.stamp('locations')
    const location = store.locations.insert({
      id,
      object: 'location',
      created,
      account: actor.id,
      display_name: values.display_name,
      address: addressOf(values.address),
      phone: values.phone ?? null,
      website: values.website ?? null,
      metadata: values.metadata ?? {}
    })
    return { result: location }
  },

  readLocation: ({ record }) => ({ result: record }),

  updateLocation: ({ store, record, values }) => ({
    result: store.locations.replace(patched(record, values))
  }),

  listLocations: request => listed(request, 'locations', { within: everything(request) })
}
