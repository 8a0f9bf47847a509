/** Judges whether the expected requests were made. */
import { explainedVerdicts } from '../../evidence/near-misses.js'
import { closed, optional, parameters, text, word } from '../../reference/parameters.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { explainedMessage } from '../../scenario/match/near-misses.js'
import {
  judgementSchema,
  MAX_SHOWN,
  unusedEntries,
  type Verdict,
  verify
} from '../evidence/judging.js'
import { type Rows, row } from '../route.js'
import {
  count,
  described,
  flag,
  isYes,
  list,
  nearMisses,
  response,
  typed,
  yes
} from '../schemas.js'
import { VERIFY } from '../sentences.js'
import { lookedIn, masked, maskedList } from '../writing.js'
import { ENTRY } from './script.js'

const judgement = word(['met', 'unmet', 'never exercised'])
/** The verdict on an expectation of a scenario. */
export const VERDICT = {
  expectation: typed('Expectation'),
  wanted: text(),
  value: optional(
    described(
      'Only for an unmet expectation with `per`: the first value for which it does not hold.'
    )
  ),
  verdict: judgement,
  seen: optional(
    count(
      'The number of matching requests; for a sequence, of requests in order; with `value`, of requests with that value.'
    )
  ),
  holds: flag(),
  forbidden: flag(
    'Whether something forbidden was seen: too many requests, a wrong order, a record that must not exist.'
  ),
  message: text(),
  tests: optional(list(text(), 'The tests whose requests counted.')),
  requests: optional(
    list(text(), 'Only for an unmet expectation: the requests that were counted.')
  ),
  near_misses: nearMisses
}

export const VERIFY_ROWS: Rows = {
  'POST /verify': row({
    does: "Checks counts and sequences of requests, the state of records, and unused script entries; without a body, the scenario's own `expect`. Responds with 200 if everything holds, otherwise with 409. Both responses say what was seen.",
    query: parameters({ report: yes('always responds with 200.') }),
    body: {
      example: '{"on":"POST /refunds","times":1,"within":"2s"}',
      schema: judgementSchema,
      isOptional: true
    },
    response: response('Verdict', {
      holds: flag(),
      verdict: optional(judgement),
      message: text(),
      seen: optional(count('Requests that matched.')),
      requests: optional(
        typed('JournalCall[] | string[]', {
          type: 'array',
          items: {},
          description: 'The last matching requests; for a sequence, their ids.'
        })
      ),
      near_misses: nearMisses,
      expectations: optional(list(closed(VERDICT), 'The expectations of the scenario.')),
      unused_script_entries: optional(list(ENTRY))
    }),
    also: 409,
    run: async context => {
      const { sandbox, sent, query, reply } = context
      const verdict = await (sent === null ? scenarioVerdict(sandbox) : verify(context))
      reply.code(verdict.holds || isYes(query.report) ? 200 : 409)
      return verdict
    }
  })
}

async function scenarioVerdict(sandbox: Sandbox): Promise<Verdict> {
  const expectations = await explainedVerdicts(sandbox.tally, lookedIn(sandbox))
  const failed = expectations.filter(verdict => !verdict.holds)
  const messages = failed
    .slice(0, MAX_SHOWN)
    .map(verdict => explainedMessage(verdict.message, verdict))
  if (failed.length > MAX_SHOWN) messages.push(VERIFY.more(failed.length - MAX_SHOWN))
  if (failed.length === 0)
    messages.push(expectations.length === 0 ? VERIFY.nothing_expected() : VERIFY.all_hold())
  return {
    holds: failed.length === 0,
    message: masked(messages.join('; '), sandbox),
    expectations: maskedList(expectations, sandbox),
    unused_script_entries: await unusedEntries(sandbox)
  }
}
