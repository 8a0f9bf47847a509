/** Words that are no longer accepted, with replacements. */

const GROWING = 'min and max, or an entry for each delay, with calls'
const PERIODS = 'from and to alone, and an entry for each period that is busier'

/** By the object that had them: `x-meant` of its schema. */
export const RETIRED_NAMES = {
  entry: {
    at: 'from and until, with instants',
    bandwidth: 'delay, for a slow response',
    cut_after: 'fault: truncated_body, with when: after to run the operation first'
  },
  match: { any: 'an entry or expectation for each of these matches, or a list of values' },
  delay: { from: GROWING, by: GROWING, every: GROWING },
  hold: { once: 'calls next to hold, such as calls: 1-2 to hold the first two requests only' },
  use: 'write the group alone, as in outages.yaml#brief-outage; in place of override, write an entry under script, which is tried first; vars go at the top of the scenario',
  calls: {
    at_least: 'times: 2+ for at least two',
    at_most: 'times: 0-2 for at most two'
  },
  sequence: { same: 'per: ticket, location, transaction, account, key or test' },
  state: {
    none: 'count: 0, with where',
    group_by: 'an expectation for each group, with where'
  },
  generate: { amounts: 'amount: { min, max }, or an entry for each amount' },
  created: {
    hours: PERIODS,
    weekdays: PERIODS,
    months: PERIODS,
    zone: 'from and to with an offset, such as 2026-03-01T00:00:00+01:00'
  },
  amount: { around: 'min and max alone' },
  record: 'the value itself',
  settings: { 'limits.streams': 'limits.waiting' },
  shipped: {
    'lost-refund-answer': 'lost-refund-response',
    'lost-answers': 'lost-responses'
  }
} as const
