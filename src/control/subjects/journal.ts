import { keysToMask } from '../../engine/keys.js'
import type { Entry } from '../../evidence/entry.js'
import { nearlyMet, withNearlyMet } from '../../evidence/near-misses.js'
import { explained, explainedText } from '../../evidence/why.js'
import { parameters, word } from '../../reference/parameters.js'
import { changesBy, storesAround } from '../../replay/past.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { FILTERS, requestNamed, requestsOf } from '../evidence/filters.js'
import { inThePast, recordedText, repeatedText } from '../evidence/moments.js'
import { type Rows, row } from '../row.js'
import {
  count,
  flag,
  format,
  JOURNALED,
  list,
  listing,
  RECORD_CHANGE,
  response,
  WHY
} from '../schemas.js'
import { masked } from '../writing.js'

/** Why a request got its response; `evidence` has the requests before it. */
export function explanationOf(request: Entry, sandbox: Sandbox, { evidence } = sandbox) {
  const keys = keysToMask(sandbox)
  const near = masked(nearlyMet(request, sandbox), sandbox)
  return {
    text: () => explainedText(request, evidence, keys, near),
    values() {
      const { why, ...entry } = explained(request, evidence, keys)
      return { ...entry, why: withNearlyMet(why, near) }
    }
  }
}

export const JOURNAL_ROWS: Rows = {
  'GET /requests': row({
    does: 'Returns the journal: the most recent requests to the emulated API, newest first.',
    query: FILTERS,
    response: response('Journal', {
      object: word(['list']),
      data: list(response('JournalCall', JOURNALED)),
      has_more: flag(),
      dropped: count()
    }),
    run: async ({ sandbox, sandboxes, query: { format: as, ...filters }, left }) =>
      as === 'scenario'
        ? recordedText(filters, sandbox, left())
        : requestsOf(filters, sandbox, sandboxes)
  }),
  'GET /requests/ID': row({
    does: 'Returns a request, and the reasons for its response.',
    query: parameters(
      format(
        ['json', 'text', 'scenario'],
        '`json`, the default, `text`, or `scenario`: a scenario that replays the request, with the records that it touched and what they refer to.'
      )
    ),
    response: response('ExplainedCall', { ...JOURNALED, why: WHY }),
    run: async ({ sandbox, name: id, query: { format: as }, left }) => {
      const request = requestNamed(id, sandbox)
      if (as === 'scenario') return repeatedText(request, sandbox, left())
      const explanation = explanationOf(request, sandbox)
      return as === 'text' ? explanation.text() : explanation.values()
    }
  }),
  'GET /requests/ID/changes': {
    does: 'Returns the records that a request changed, each before and after; none for a request that changed nothing.',
    response: listing(RECORD_CHANGE),
    run: async ({ sandbox, name: id, left }) => {
      const request = requestNamed(id, sandbox)
      if (request.changes === 0) return { data: [] }
      const stores = await inThePast(request, sandbox, left, () => storesAround(sandbox, request))
      return { data: masked(changesBy(request, stores), sandbox) }
    }
  },
  'DELETE /requests': {
    does: 'Empties the journal.',
    run: ({ sandbox }) => sandbox.evidence.clearJournal()
  }
}
