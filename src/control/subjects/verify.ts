/** Judges whether the expected requests were made. */

import { durationOf } from '../../core/instants.js'
import { explainedUnused, explainedVerdicts } from '../../evidence/near-misses.js'
import { closed, optional, parameters, text, word } from '../../reference/parameters.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { explainedMessage } from '../../scenario/match/near-misses.js'
import { Counting } from '../evidence/counting.js'
import { expectationIn, type Wanted, wantedSchema } from '../evidence/expected.js'
import { type Context, type Rows, row } from '../row.js'
import { count, flag, isYes, list, nearMisses, response, strings, typed, yes } from '../schemas.js'
import { REFUSALS, VERIFY } from '../sentences.js'
import { masked, maskedList, scopeOf } from '../writing.js'
import { ENTRY } from './script.js'

const MAX_WAIT = 60_000

const judgement = word(['met', 'unmet', 'never exercised'])
/** The verdict on an expectation of a scenario. */
export const VERDICT = {
  expectation: typed('Expectation'),
  wanted: text(),
  value: optional(text()),
  verdict: judgement,
  seen: optional(count('Requests that matched; for a sequence, in order.')),
  holds: flag(),
  forbidden: flag(),
  message: text(),
  tests: optional(strings),
  requests: optional(strings),
  near_misses: nearMisses
}

export const VERIFY_ROWS: Rows = {
  'POST /verify': row({
    does: "Checks counts and sequences of requests, and the state of records; without a body, the scenario's own `expect`, and which script entries were never applied. Responds with 200 if everything holds, otherwise with 409. Both responses say what was seen.",
    query: parameters({ report: yes('always responds with 200.') }),
    body: {
      example: '{"on":"POST /refunds","times":1,"within":"2s"}',
      schema: wantedSchema,
      isOptional: true
    },
    response: response('Verdict', {
      holds: flag(),
      verdict: optional(judgement),
      message: text(),
      seen: optional(count()),
      requests: optional(
        list(typed('JournalCall', { type: 'object' }), 'The last matching requests.')
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

/** Errors: of the body; `journal_incomplete`, `limit_reached`, `state_replaced`. */
async function verify({ body, document, ...context }: Context<unknown, Wanted>) {
  const { within = '0s', ...expected } = body
  const expectation = await expectationIn(expected, document, context.sandbox)
  const longest = durationOf(within) as number
  if (longest > MAX_WAIT) throw REFUSALS.waitTooLong(within)
  const counting = new Counting(expectation, context.sandbox)
  try {
    if (longest > 0 && !(await counting.holds())) await waitFor(counting, longest, context)
    return await counting.verdict()
  } finally {
    counting.stop()
  }
}

async function waitFor(
  counting: Counting,
  longest: number,
  { sandbox, left, waiting, closing }: Pick<Context, 'sandbox' | 'left' | 'waiting' | 'closing'>
): Promise<void> {
  const free = waiting.take(sandbox)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), longest)
  const { replacing } = sandbox
  try {
    await counting.waitUntilHolds(AbortSignal.any([late.signal, left(), replacing, closing]))
    replacing.throwIfAborted()
  } finally {
    clearTimeout(timer)
    free()
  }
}

async function scenarioVerdict(sandbox: Sandbox) {
  const scope = scopeOf(sandbox)
  const expectations = await explainedVerdicts(sandbox.tally, scope)
  const failed = expectations.filter(verdict => !verdict.holds)
  const messages = failed.map(verdict => explainedMessage(verdict.message, verdict))
  if (failed.length === 0)
    messages.push(expectations.length === 0 ? VERIFY.nothing_expected() : VERIFY.all_met())
  return {
    holds: failed.length === 0,
    message: masked(messages.join('; '), sandbox),
    expectations: maskedList(expectations, sandbox),
    unused_script_entries: masked(await explainedUnused(sandbox.script, scope), sandbox)
  }
}
