import { createFormDecoder, type FormObject } from '../../src/core/form.js'
import { NO_WORDS } from '../../src/core/secret-words.js'
import { settingsInForce } from '../../src/core/settings.js'
import { Trace } from '../../src/core/trace.js'
import type { JournalLimits } from '../../src/evidence/journal.js'
import { JournalBudget } from '../../src/evidence/journal-budget.js'
import type { JudgedCall } from '../../src/evidence/judged-call.js'
import { RULE_PLACES, type RuleId } from '../../src/reference/rules.js'

const decode = createFormDecoder({ parameters: 1000, depth: 4 })
/** Parameters as they are decoded from form text. */
export const form = (text: string): FormObject => decode(text).root

/** A call as evidence sees it, a list of Tickets unless given otherwise, with what matters to a test. */
export const judgedCall = (given: Partial<JudgedCall> = {}): JudgedCall => ({
  id: 'req_1',
  at: 0,
  now: 0,
  method: 'GET',
  path: '/tickets',
  operation: 'listTickets',
  params: {},
  account: 'mch_a',
  userAgent: null,
  test: null,
  hasAuthorization: false,
  query: form(''),
  body: form(''),
  isDecoded: true,
  isValid: true,
  cardNumberSent: false,
  unknownParameter: false,
  found: null,
  filteredBy: null,
  retrieved: 0,
  money: null,
  shown: null,
  trace: new Trace(),
  outcome: 'answered',
  status: 200,
  text: '',
  length: 0,
  held: 1000,
  isDelivered: true,
  refusal: null,
  script: null,
  entry: null,
  settings: settingsInForce({}).values,
  pause: null,
  ms: 1,
  signature: () => 'the same',
  redact: () => {},
  secretWords: NO_WORDS,
  ...given
})

/** The places of rules in the ledger, by which they are counted. */
export const placesOf = (...rules: readonly RuleId[]): number[] => rules.map(rule => RULE_PLACES.get(rule) as number)

/** Limits of a journal that a test has no further interest in. */
export const journalLimits = (given: Partial<JournalLimits> = {}): JournalLimits => ({
  entries: 1000,
  bytes: 1_000_000,
  budget: new JournalBudget(Number.POSITIVE_INFINITY),
  ...given
})
