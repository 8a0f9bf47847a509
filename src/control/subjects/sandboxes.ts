import { BASE, CONTROL } from '../../core/paths.js'
import { text } from '../../reference/parameters.js'
import { checkedName } from '../../sandbox/saved/names.js'
import type { Rows } from '../row.js'
import { count, listing, response } from '../schemas.js'

export const SANDBOX_ROWS: Rows = {
  'GET /sandboxes': {
    does: 'Lists the named sandboxes.',
    response: listing(
      response('SandboxItem', {
        name: text(),
        api: text(),
        control: text(),
        scenario: text(),
        records: count(),
        requests: count(),
        in_flight: count()
      })
    ),
    run: ({ sandboxes }) => ({
      data: sandboxes.all().flatMap(({ name, scenario, store, requests, inFlight }) =>
        name === null
          ? []
          : {
              name,
              api: `/sandbox/${name}${BASE}`,
              control: `/sandbox/${name}${CONTROL}`,
              scenario: scenario.name,
              records: store.size,
              requests,
              in_flight: inFlight
            }
      )
    })
  },
  'DELETE /sandboxes/NAME': {
    does: 'Deletes a sandbox.',
    isSaved: true,
    run: ({ sandboxes, name }) => sandboxes.delete(checkedName(name))
  }
}
