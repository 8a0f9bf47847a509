/** The records and keys of a sandbox. */
import { RESOURCE_NAMES } from '../../reference/operations.js'
import { closed, parameters, text } from '../../reference/parameters.js'
import { each } from '../../reference/rules.js'
import { addBody, addKey, deleteRecord } from '../../sandbox/records.js'
import { exported, keysIn } from '../../scenario/records/record.js'
import { fixtureSchema } from '../../scenario/shape/parts.js'
import { FAMILIES } from '../../store/store.js'
import { MOMENT, recordsAt } from '../evidence/moments.js'
import { CHANGES, type Rows, row } from '../row.js'
import { format, list, listing, response, typed } from '../schemas.js'
import { written } from '../writing.js'

const API_KEY = typed('ApiKey')
const records = (typeOf: (resource: string) => string) => ({
  api_keys: list(API_KEY),
  ...each(FAMILIES, family => list(typed(typeOf(RESOURCE_NAMES[family]))))
})
export const STATE_ROWS: Rows = {
  'GET /state': row({
    does: 'Returns the whole state as a fixture, which can be saved and loaded again. `before` and `after` return the state as it was just before or after a request.',
    query: parameters({ ...format(['json', 'yaml']), ...MOMENT }),
    response: response(
      'State',
      records(name => `${name}Fixture & { id: string; created: string }`)
    ),
    run: async ({ sandbox, query: { format: as, ...moment }, left }) => {
      const data = exported(await recordsAt(moment, sandbox, left))
      return as === 'yaml'
        ? sandbox.work(left(), ask => written(ask, 'scenario', { data, notes: [] }))
        : data
    }
  }),
  'POST /records': {
    does: 'Merges a fixture into the current state and returns the records, or changes nothing if the fixture has a problem. A record with a known id replaces it.',
    body: {
      example: '{"tickets":[{"location":"loc_bistro","reference":"T-61"}]}',
      published: fixtureSchema
    },
    ...CHANGES,
    adds: true,
    response: response(
      'AddedRecords',
      records(name => `${name} & { extra?: { [name: string]: unknown } }`)
    ),
    run: ({ sandbox, sent, left }) => addBody(sandbox, sent, left)
  },
  'DELETE /records/FAMILY/ID': {
    does: 'Deletes a record, unless other records refer to it; the refusal lists them.',
    ...CHANGES,
    run: ({ sandbox, name, id }) => deleteRecord(sandbox, name, id)
  },
  'GET /keys': {
    does: 'Lists the API keys, each with its Account.',
    response: listing(API_KEY),
    run: ({ sandbox }) => ({ data: keysIn(sandbox.store) })
  },
  'POST /keys': row({
    does: 'Creates an API key for an Account.',
    body: { example: '{"account":"mch_bistro"}', schema: () => closed({ account: text() }) },
    ...CHANGES,
    adds: true,
    response: API_KEY,
    run: ({ sandbox, body }) => addKey(sandbox, body.account)
  })
}
