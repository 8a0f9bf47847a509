/** Words that the emulator no longer takes, each with what to write instead. */

/** Names in a document, by the object that had them: `x-meant` of its schema. */
export const RETIRED_NAMES = {
  entry: {
    at: 'from and until, or advance the clock',
    bandwidth: 'fault: truncated_body, or delay',
    cut_after: 'fault: truncated_body'
  },
  match: { any: 'two entries, one for each condition' },
  delay: {
    from: 'an entry for each delay, with calls',
    by: 'an entry for each delay, with calls',
    every: 'an entry for each delay, with calls'
  },
  hold: { once: 'calls, which says how many requests it holds' },
  use: { override: 'an entry of your own above the group: the first that applies is used' },
  calls: {
    at_least: 'times: 2+ for at least two',
    at_most: 'times: 0-2 for at most two'
  },
  sequence: { same: 'per: ticket, location, transaction, account, key or test' },
  state: {
    none: 'count: 0, with where',
    group_by: 'an expectation for each group, with where'
  },
  sum: { expression: 'a sum for each field, such as sum: { amount: 500, amount_refunded: 100 }' },
  generate: {
    hours: 'created: { from, to }, which spreads evenly',
    weekdays: 'created: { from, to }, which spreads evenly',
    months: 'created: { from, to }, which spreads evenly',
    zone: 'created: { from, to } with the offset in both'
  },
  created: { around: 'created: { from, to }' }
} as const

/** Commands and flags, as they are typed. */
export const RETIRED_COMMANDS = {
  lsp: 'the published JSON Schema in your editor (new writes its address into the file), and validate --watch',
  coverage: 'report merge or judge, whose reports contain coverage',
  'report diff': 'two reports, side by side',
  'record --from': 'record, or repro for one request',
  'check --step': 'check, and the request in the console'
} as const
