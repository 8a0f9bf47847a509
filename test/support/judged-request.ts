import { Clock, MACHINE_CLOCK } from '../../src/core/clock.js'
import { decodeForm, type FormObject } from '../../src/core/form.js'
import { settingsInForce } from '../../src/core/settings.js'
import {
  type Facts,
  factsOf,
  type Outcome,
  Relied,
  type Scripted,
  STAGE
} from '../../src/engine/outcome.js'
import { arrive, type Reading } from '../../src/engine/reading.js'
import type { Entry } from '../../src/evidence/entry.js'
import { JournalBudget, type JournalLimits } from '../../src/evidence/journal.js'
import { type Caller, type Judgement, judgementOf } from '../../src/evidence/judgement.js'
import type { AssumptionId } from '../../src/reference/assumptions.js'
import type { RuleId } from '../../src/reference/rules.js'
import { Store } from '../../src/store/store.js'

const { values: SETTINGS } = settingsInForce({})
export const form = (text: string): FormObject => decodeForm(text, SETTINGS).root

const STORE = new Store()
STORE.locations.insert({
  id: 'loc_a',
  account: 'mch_a',
  created: '2026-01-01T00:00:00.000Z'
} as never)

/** The relevant parts of a request, wherever an entry or a reading has them. */
export type Given = Partial<
  Omit<Entry, 'outcome' | 'caller' | 'facts' | 'script'> &
    Omit<Outcome, 'name'> &
    Caller &
    Facts &
    Scripted &
    Pick<Reading, 'values' | 'isUnknown'> & { outcome: Outcome['name']; store: Store }
>

/** A finished request, by default a list of Tickets; `reading` is its decoded form. */
export function judgedRequest(given: Given = {}): Entry & { reading: Reading } {
  const { outcome: name = 'answered', id = 'req_1', store = STORE } = given
  const pick = (defaults: object) => ({
    ...defaults,
    ...Object.fromEntries(Object.entries(given).filter(([field]) => field in defaults))
  })
  const outcome = pick({
    reached: name === 'scripted' ? STAGE.admitted : STAGE.running,
    status: 200,
    refusal: null,
    result: null,
    members: null,
    text: '',
    length: 0,
    fault: null,
    pause: null,
    isDelivered: true
  })
  const caller: Partial<Caller> = pick({
    base: '/next',
    actor: null,
    account: 'mch_a',
    isKeySent: false,
    userAgent: null,
    test: null,
    trace: null
  })
  const headers = {
    ...(caller.userAgent && { 'user-agent': caller.userAgent }),
    ...(caller.test && { [SETTINGS['evidence.test_header'].toLowerCase()]: caller.test })
  }
  const world = {
    state: { store, clock: new Clock(() => 0, MACHINE_CLOCK) },
    settings: SETTINGS,
    machine: () => 0,
    isLoaded: true
  }
  const arriving = { base: '/next', method: 'GET', url: '/next/tickets', headers }
  const facts = pick(factsOf(new Relied(), null))
  const sent = pick({ query: form(''), body: form(''), operation: 'listTickets', params: {} })
  const settings = given.settings ?? SETTINGS
  const { action, changed = [], problem = null, isPast = false } = given
  const reading = {
    ...arrive(world as never, arriving, id),
    ...pick({ values: {}, isUnknown: false, actor: null }),
    ...sent,
    settings
  }
  const call = { ...sent, settings, caller, facts, outcome: { name, ...outcome } }
  return {
    ...call,
    ...pick({ id, method: 'GET', path: '/tickets', now: 0, at: 0, ended: 0, ms: 1, held: 1000 }),
    ...pick({ place: 0, changes: 0 }),
    get judgement() {
      return given.judgement ?? judgementOf(call as never)
    },
    script: action || problem || isPast ? { action, changed, problem, isPast } : null,
    reading
  } as never
}

/**
 * A request's evidence: rules that it passed, the rule that it violated, and assumptions that its
 * response relied on.
 */
export const judgement = (
  passed: readonly RuleId[],
  violated: RuleId | null = null,
  relied: readonly AssumptionId[] = []
): Judgement => ({ passed, violated, relied })

export const journalLimits = (given: Partial<JournalLimits> = {}): JournalLimits => ({
  entries: 1000,
  bytes: 1_000_000,
  budget: new JournalBudget(Number.POSITIVE_INFINITY),
  ...given
})
