import * as Type from 'typebox'
import { keysToMask } from '../../engine/keys.js'
import type { Entry } from '../../evidence/entry.js'
import { nearlyMet, withNearlyMet } from '../../evidence/near-misses.js'
import { explained, explainedText } from '../../evidence/why.js'
import { OPERATION_NAMES } from '../../reference/operations.js'
import { closed, nullable, optional, parameters, text, word } from '../../reference/parameters.js'
import { changesBy, storesAround } from '../../replay/past.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { FAMILIES } from '../../store/store.js'
import { FILTERS, requestNamed, requestsOf } from '../evidence/filters.js'
import { inThePast, recordedText, repeatedText } from '../evidence/moments.js'
import { type Rows, row } from '../route.js'
import {
  any,
  assumption,
  count,
  described,
  flag,
  format,
  list,
  listing,
  map,
  NEAR_MISS,
  namedSchema,
  response,
  rule,
  textOrNull,
  typed
} from '../schemas.js'
import { masked } from '../writing.js'

export const OUTCOME = word(
  ['refused', 'answered', 'scripted', 'lost_before', 'lost_after', 'not_written'],
  {
    description:
      '`lost_before` and `lost_after`: a script lost the response, before or after the operation ran. `not_written`: the data folder could not be written.'
  }
)
const PARAMETERS = namedSchema(
  'Parameters',
  typed('{ [name: string]: string | readonly string[] | Parameters }', {
    type: 'object',
    additionalProperties: any
  }),
  'Parameters as they were sent, nested; secrets are masked.'
)
/** What the script did to a request. */
export const SCRIPTED = {
  id: text(),
  name: textOrNull,
  fault: textOrNull,
  applied: optional(flag('False if it changed nothing.')),
  problem: optional(described('Why it could not make its change.'))
}
/** A request without what a trial lacks: client, script and duration. */
export const REQUEST = {
  sandbox: optional(
    nullable(
      described('The name of its sandbox, or null at the base address; only for a whole run.')
    )
  ),
  id: described('The Request-Id of the response.'),
  at: described("When it arrived, by the sandbox's clock."),
  on: typed('OperationName | null', {
    ...nullable(word(OPERATION_NAMES)),
    description: 'Null where no operation matched.'
  }),
  method: text(),
  path: described('Below the base address, without the query.'),
  params: map(text()),
  account: nullable(described('The Account that the key acts as; null without a valid key.')),
  query: PARAMETERS,
  body: PARAMETERS,
  test: nullable(described('The test that sent the request, by its Test-Name header.')),
  trace: nullable(described('The trace that the request belongs to, by its traceparent header.')),
  outcome: OUTCOME,
  status: count(),
  answer: any,
  answered: flag('Whether the response was sent.'),
  took_effect: flag(),
  refusal: nullable(
    closed({
      code: text(),
      rule: typed('RuleId | null', nullable(rule)),
      assumption: typed('AssumptionId | null', nullable(assumption)),
      param: textOrNull
    })
  )
}
const JOURNALED = {
  ...REQUEST,
  user_agent: textOrNull,
  script: nullable(closed(SCRIPTED)),
  ms: Type.Number({ description: 'Duration in milliseconds.' })
}
export const WHY = closed({
  rules: list(
    closed({ rule, verdict: word(['passed', 'violated']), text: text(), facts: optional(map(any)) })
  ),
  assumptions: list(closed({ assumption, topic: text() })),
  changed_by: list(
    text(),
    'What had last changed the records that this request depends on: ids of requests, and control requests by method and path.'
  ),
  near_misses: optional(
    list(
      NEAR_MISS,
      'Unused script entries and unmet expectations that the request nearly matched; not in a report.'
    )
  )
})
export const RECORD_CHANGE = response('RecordChange', {
  family: word(FAMILIES),
  id: text(),
  before: any,
  after: any
})

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
    does: 'Returns the journal: the last requests of the emulated API, newest first.',
    query: FILTERS,
    response: response('Journal', {
      object: word(['list']),
      data: list(response('JournalCall', JOURNALED, 'A request of the journal.')),
      has_more: flag(),
      dropped: count('Requests that the journal had to drop.')
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
