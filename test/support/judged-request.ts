import { decodeForm, type FormObject } from '../../src/core/form.js'
import { NO_WORDS } from '../../src/core/secret-words.js'
import { settingsInForce } from '../../src/core/settings.js'
import { type Exchange, type Judgement, type Outcome, STAGE } from '../../src/engine/exchange.js'
import { JournalBudget, type JournalLimits } from '../../src/evidence/journal.js'
import { ASSUMPTION_PLACES, type AssumptionId } from '../../src/reference/assumptions.js'
import { RULE_PLACES, type RuleId } from '../../src/reference/rules.js'
import { Store } from '../../src/store/store.js'

const { values: SETTINGS } = settingsInForce({})
/** Parameters as they are decoded from form text. */
export const form = (text: string): FormObject => decodeForm(text, SETTINGS).root

const STORE = new Store()
STORE.locations.insert({
  id: 'loc_a',
  account: 'mch_a',
  created: '2026-01-01T00:00:00.000Z'
} as never)

/** What matters of a request to a test: its own fields, and those of its outcome. */
export type Given = Partial<
  Omit<Exchange, 'outcome'> & Omit<Outcome, 'name'> & { outcome: Outcome['name'] }
>

/**
 * A request that is over as evidence sees it, a list of Tickets unless given otherwise, with what
 * matters to a test.
 */
export function judgedRequest(given: Given = {}): Exchange {
  const {
    outcome: name = 'answered',
    reached = name === 'scripted' ? STAGE.admitted : STAGE.running,
    status = 200,
    refusal = null,
    shown = null,
    members = null,
    ...more
  } = given
  const { text = '', fault = null, pause = null, ...others } = more
  return {
    id: 'req_1',
    at: 0,
    now: 0,
    method: 'GET',
    path: '/tickets',
    url: '/next/tickets',
    headers: {},
    operation: 'listTickets',
    params: {},
    account: 'mch_a',
    userAgent: null,
    test: null,
    hasAuthorization: false,
    query: form(''),
    body: form(''),
    stage: STAGE.answered,
    unknownParameter: false,
    found: null,
    actor: null,
    key: null,
    values: {},
    isCompared: false,
    filteredBy: null,
    retrieved: 0,
    money: null,
    low: 0,
    high: 0,
    rely: () => {},
    outcome: { name, reached, status, refusal, shown, members, text, fault, pause },
    text,
    length: 0,
    held: 1000,
    isDelivered: true,
    judgement: null,
    action: null,
    changed: [],
    problem: null,
    changes: 0,
    past: null,
    settings: SETTINGS,
    ms: 1,
    signature: () => 'the same',
    redact: () => {},
    secretWords: NO_WORDS,
    identifiedIn: STORE,
    ...others
  } as unknown as Exchange
}

/**
 * What a request shows: rules that it kept, the one that it broke, and assumptions that its answer
 * relied on.
 */
export const judgement = (
  kept: readonly RuleId[],
  broken: RuleId | null = null,
  relied: readonly AssumptionId[] = []
): Judgement => ({
  kept: kept.map(rule => RULE_PLACES.get(rule) as number),
  broken,
  relied: relied.map(assumption => ASSUMPTION_PLACES.get(assumption) as number)
})

/** Limits of a journal that a test has no further interest in. */
export const journalLimits = (given: Partial<JournalLimits> = {}): JournalLimits => ({
  entries: 1000,
  bytes: 1_000_000,
  budget: new JournalBudget(Number.POSITIVE_INFINITY),
  ...given
})
