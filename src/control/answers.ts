/** What control requests respond with; the build writes types from it. */
import type { TProperties, TSchema } from 'typebox'
import * as Type from 'typebox'
import { FINDINGS } from '../evidence/findings.js'
import { ASSUMPTION_IDS } from '../reference/assumptions.js'
import { OPERATION_NAMES } from '../reference/operations.js'
import { closed, integer, nullable, optional, text, word } from '../reference/parameters.js'
import { RULE_IDS } from '../reference/rules.js'
import { FAMILIES } from '../store/store.js'

/** A schema that is written as a type of the package. */
const typed = (type: string, schema: object = {}) =>
  Type.Unsafe<unknown>({ ...schema, 'x-type': type })
const said = (description?: string) => (description === undefined ? {} : { description })
const list = (items: TSchema, description?: string) => Type.Array(items, said(description))
const map = (values: TSchema, description?: string) =>
  Type.Unsafe<object>({ type: 'object', additionalProperties: values, ...said(description) })
const each = <T>(of: readonly string[], make: (name: string) => T) =>
  Object.fromEntries(of.map(name => [name, make(name)]))
const flag = (description?: string) => Type.Boolean(said(description))
const count = (description?: string) => integer(said(description))
const told = (description: string) => text({ description })
const any = Type.Unknown()
const strings = list(text())
const textOrNull = nullable(text())

const rule = word(RULE_IDS)
const assumption = word(ASSUMPTION_IDS)
const finding = word(Object.keys(FINDINGS))
const rules = (description?: string) => list(rule, description)
const onOrNull = typed('OperationName | null', {
  ...nullable(word(OPERATION_NAMES)),
  description: 'Null where no operation matched.'
})
const scenario = closed({ name: text(), description: textOrNull })
const clock = closed({
  now: told('An ISO 8601 instant.'),
  running: flag('Whether the clock runs on from `now`.')
})
const nearMiss = closed({
  in: text(),
  misses: list(closed({ condition: text(), wanted: text(), got: text() }))
})
const nearMisses = optional(list(nearMiss, 'Near misses: what nearly matched, and why it did not.'))
const counts = {
  id: text(),
  matched: count('Requests that matched.'),
  applied: count('Requests that it was applied to.')
}
const first = optional(
  count(
    "When it was first applied, in milliseconds of the sandbox's clock; only for an entry with `for`."
  )
)
const uncertain = {
  first,
  uncounted: optional(
    count(
      'Requests that were neither counted nor affected, because the entry counts too many values already.'
    )
  ),
  values: optional(
    list(
      closed({ value: text(), matched: count(), applied: count(), first }),
      'Only for an entry with `per`: the counts of each value. API keys are shown as digests.'
    )
  ),
  near_misses: nearMisses
}
const entry = closed({
  id: counts.id,
  entry: typed('ScriptEntry'),
  matched: counts.matched,
  applied: counts.applied,
  ...uncertain
})
const sent = map(typed('Parameters[string]'))
const script = {
  id: text(),
  name: textOrNull,
  fault: textOrNull,
  applied: optional(flag('False: it changed nothing.')),
  problem: optional(told('Why its change could not be made.'))
}
const refusal = closed({
  code: text(),
  rule: typed('RuleId | null', nullable(rule)),
  assumption: typed('AssumptionId | null', nullable(assumption)),
  param: textOrNull
})
const outcome = word(
  ['refused', 'answered', 'scripted', 'lost_before', 'lost_after', 'not_written'],
  {
    description:
      '`lost_before` and `lost_after`: a script lost the response, before or after the operation ran. `not_written`: the data folder could not be written.'
  }
)

/** A request of the journal, without what a trial lacks: client, script and duration. */
const request = {
  sandbox: optional(
    nullable(told('The name of its sandbox, or null at the base address; only over a whole run.'))
  ),
  id: told('The Request-Id of the response.'),
  at: told("When it arrived, by the sandbox's clock."),
  on: onOrNull,
  method: text(),
  path: told('Below the base address, without the query.'),
  params: map(text()),
  account: nullable(told('The Account that the key acts as; null without a valid key.')),
  query: typed('Parameters', sent),
  body: typed('Parameters', sent),
  test: nullable(told('The test that sent the request, by its Test-Name header.')),
  trace: nullable(told('The trace that the request belongs to, by its traceparent header.')),
  outcome,
  status: count(),
  answer: any,
  answered: flag('Whether the response was sent.'),
  took_effect: flag(),
  refusal: nullable(refusal)
}
const recorded = {
  ...request,
  user_agent: textOrNull,
  script: nullable(closed(script)),
  ms: Type.Number({ description: 'Duration in milliseconds.' })
}
const why = closed({
  rules: list(
    closed({ rule, verdict: word(['kept', 'broken']), text: text(), facts: optional(map(any)) })
  ),
  assumptions: list(closed({ assumption, topic: text() })),
  changed_by: list(
    text(),
    'What last changed the records that this request depends on, as they were then: ids of requests, and control requests by method and path.'
  ),
  near_misses: optional(
    list(
      nearMiss,
      'Unused script entries and unmet expectations that the request nearly matched; not in a report.'
    )
  )
})
const judgement = word(['met', 'unmet', 'never exercised'])
const verdict = {
  expectation: typed('Expectation'),
  wanted: text(),
  value: optional(
    told('Only for an unmet expectation with `per`: the first value for which it does not hold.')
  ),
  verdict: judgement,
  seen: optional(
    count(
      'The number of matching requests, of a sequence those in order; with `value`, of those with that value.'
    )
  ),
  holds: flag(),
  forbidden: flag(
    'Whether something came that must not: too many requests, a wrong order, a record that must not be.'
  ),
  message: text(),
  tests: optional(list(text(), 'The tests whose requests counted.')),
  requests: optional(
    list(text(), 'Only for an unmet expectation: the requests that were counted.')
  ),
  near_misses: nearMisses
}
const coverage = closed({
  seen: count(
    'The number of outcomes seen. A rule that requests can both keep and break has two outcomes, any other rule has one.'
  ),
  possible: count(),
  percent: Type.Number(),
  never_exercised: rules(),
  never_violated: rules(
    'Kept by some request and broken by none, though a request can break them.'
  ),
  rules: list(
    closed({
      rule,
      text: text(),
      violable: flag(),
      keepable: flag(),
      satisfied: count(),
      violated: count()
    })
  )
})
const found = list(
  closed({
    finding,
    severity: word(['error', 'warning']),
    about: text(),
    advice: text(),
    times: count(),
    requests: strings
  })
)
const totals = { times: count(), requests: strings }
const records = (of: (name: string) => string, note: string): TProperties => ({
  api_keys: list(typed('ApiKey')),
  ...each(FAMILIES, name => list(typed(`${of(name)} & ${note}`)))
})
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  FAMILIES.map(name => [
    name,
    name.replace(/^(.)(.*)s$/, (_, first, rest) => first.toUpperCase() + rest)
  ])
)

const answer = <T extends TSchema>(about: string, schema: T) => ({ about, schema })
export const ANSWERS = {
  LoadedScenario: answer('The loaded scenario.', scenario),
  Reset: answer('The scenario whose first state was restored.', closed({ scenario })),
  Loaded: answer(
    'What was loaded; `warnings` are likely mistakes.',
    closed({ scenario, dry_run: flag(), warnings: optional(list(typed('Problem'))) })
  ),
  Problem: answer(
    'One thing that is wrong with a document, or with settings.',
    closed({
      path: told('Where in the document, as `tickets[3].location`; empty for the document itself.'),
      code: told('The kind of problem, for programs; messages may change.'),
      message: text(),
      file: optional(text()),
      line: optional(count()),
      column: optional(count())
    })
  ),
  ClockState: answer('The clock that stamps `created`.', clock),
  SnapshotState: answer(
    'The scenario that was loaded at the snapshot, and its clock.',
    closed({ name: text(), scenario: text(), clock })
  ),
  SnapshotName: answer('A snapshot.', closed({ name: text() })),
  State: answer(
    'The state as a fixture to change and load again: each record has its id and time of creation.',
    closed({
      ...records(name => `${NAMES[name]}Fixture`, '{ id: string; created: string }'),
      deleted_users: optional(
        list(closed({ id: text(), account: text(), created: text(), after: count() }))
      )
    })
  ),
  AddedRecords: answer(
    'The records as the API returns them, with their further fields.',
    closed(records(name => NAMES[name] as string, '{ extra?: { [name: string]: unknown } }'))
  ),
  ChangedRecord: answer(
    'The record as the API returns it, with its further fields.',
    typed(Object.values(NAMES).join(' | '), { type: 'object' })
  ),
  ListedEntry: answer('A script entry with its id and how often it was used.', entry),
  Gate: answer(
    'A gate of the script, with the requests that wait at it, in order of arrival.',
    closed({
      name: text(),
      open: flag(),
      waiting: list(closed({ id: text(), on: word(OPERATION_NAMES) }))
    })
  ),
  OpenedGate: answer('The requests that went on.', closed({ name: text(), released: strings })),
  Parameters: answer(
    'Parameters as they were sent, nested; secrets are masked.',
    typed('{ [name: string]: string | readonly string[] | Parameters }', { type: 'object' })
  ),
  JournalCall: answer('A request of the journal.', closed(recorded)),
  Journal: answer(
    'The journal, newest first.',
    closed({
      object: word(['list']),
      data: list(closed(recorded)),
      has_more: flag(),
      dropped: count('Requests that the journal had to drop.')
    })
  ),
  NearMiss: answer(
    'A request or record, by its id, that nearly matched, and which conditions it missed.',
    nearMiss
  ),
  ExplainedCall: answer(
    'A request, and the reasons for its response: the rules in the order in which they were checked, with the figures behind each.',
    closed({ ...recorded, why })
  ),
  TriedCall: answer(
    'How the emulator would respond to a request, tried on a copy of the sandbox; the id is that of the next request.',
    closed({
      ...request,
      headers: map(
        typed('string | string[]'),
        'Headers of the response, by lower-case name, without those of the connection.'
      ),
      script: nullable(
        closed({
          ...script,
          delay: count('Milliseconds that the script would delay it.'),
          gate: nullable(told('The gate at which the script would hold it.'))
        })
      ),
      why,
      changes: closed({
        records: list(typed('RecordChange')),
        script: list(closed({ ...counts, ...uncertain }), 'Script entries that would count it.')
      })
    })
  ),
  RecordChange: answer(
    'A record that a request changed, as the API returned it before and after: null before it was created, and after it was deleted.',
    closed({ family: word(FAMILIES), id: text(), before: any, after: any })
  ),
  Verdict: answer(
    'The result of `verify`.',
    closed({
      holds: flag(),
      verdict: optional(judgement),
      message: text(),
      seen: optional(count('Requests that matched.')),
      requests: optional(
        typed('JournalCall[] | string[]', {
          type: 'array',
          items: {},
          description: 'The last matching requests; of a sequence, their ids.'
        })
      ),
      near_misses: nearMisses,
      expectations: optional(list(closed(verdict), 'The expectations of the scenario.')),
      unused_script_entries: optional(list(entry))
    })
  ),
  CoverageReport: answer('How often requests kept and broke each rule.', coverage),
  FindingsReport: answer(
    'The mistakes that the client under test made, each with the requests that show it.',
    closed({ data: found })
  ),
  RunCall: answer(
    'A request of a run, named `SANDBOX#PERIOD/req_N`.',
    closed({
      request: text(),
      test: nullable(told('The test that sent it, by its Test-Name header.')),
      on: textOrNull,
      method: text(),
      path: text(),
      outcome,
      status: count(),
      entry: typed('ExplainedCall | null', {
        description: 'Present if the request was refused or a finding names it.'
      })
    })
  ),
  RunReport: answer(
    'The run: every sandbox, load and reset since the emulator started.',
    closed({
      object: word(['run']),
      version: text(),
      scenario,
      calls: count(),
      reached: count('Requests with a right key that met an operation.'),
      coverage,
      findings: found,
      assumptions: list(
        closed({ assumption, topic: text(), default: text(), ...totals }),
        'The assumptions that at least one response relied on.'
      ),
      unused_scenarios: strings,
      unused_script_entries: list(entry),
      expectations: list(
        closed({
          ...verdict,
          sandbox: textOrNull,
          tests: strings,
          periods: closed({ met: count(), of: count() })
        }),
        'Each with its sandbox, null at the base address, the tests whose requests counted, and in how many periods it was met.'
      ),
      sandboxes: list(closed({ sandbox: textOrNull, periods: count() })),
      tests: list(
        closed({
          test: textOrNull,
          calls: count(),
          refused: count(),
          kept: rules(),
          broken: rules(),
          findings: list(closed({ finding, times: count() }))
        }),
        '`test` is null for requests that named no test.'
      ),
      requests: list(typed('RunCall')),
      omitted: closed(
        { requests: count(), entries: count(), by_test: count() },
        { description: 'How much was dropped because a limit was reached.' }
      )
    })
  ),
  Overview: answer(
    'An emulator or sandbox at a glance.',
    closed({
      name: text(),
      version: text(),
      scenario,
      seed: count(),
      clock,
      calls: count('Since the last load or reset.'),
      counts: closed(each(FAMILIES, () => count())),
      links: typed('{ [name: string]: string } & { schemas: string[] }', { type: 'object' })
    })
  ),
  Health: answer(
    'Whether the start scenario is loaded.',
    closed({ status: word(['ready', 'starting']), version: text(), scenario: optional(text()) })
  ),
  Changes: answer(
    "The difference from the loaded scenario's first state.",
    closed({
      records: Type.Unsafe<object>({
        type: 'object',
        properties: each(FAMILIES, () =>
          closed({ added: count(), changed: count(), deleted: count() })
        ),
        additionalProperties: false
      }),
      keys: closed({ added: count(), deleted: count() }),
      clock: closed({ began: closed({ now: textOrNull, running: flag() }), changed: flag() }),
      script: closed({ added: strings, removed: strings, matched: count() }),
      settings: strings
    })
  ),
  ListedScenario: answer(
    'A scenario or fixture that can be loaded; `vars` are its variables with their defaults.',
    closed({
      name: text(),
      kind: word(['scenario', 'fixture']),
      title: optional(text()),
      description: textOrNull,
      vars: optional(
        map(typed('string | number | boolean', { type: ['string', 'number', 'boolean'] }))
      )
    })
  ),
  SandboxItem: answer(
    'A named sandbox.',
    closed({
      name: text(),
      api: text(),
      control: text(),
      scenario: text(),
      records: count(),
      requests: count(),
      in_flight: count()
    })
  ),
  ShownAssumption: answer(
    'An assumption, with the values of its settings and the responses that relied on it.',
    closed({
      id: text(),
      topic: text(),
      default: text(),
      settings: map(any),
      standing: flag(),
      ...totals
    })
  ),
  ShownSettings: answer(
    'Each setting: its value, the source of the value, and the allowed values.',
    closed({ settings: map(typed('ShownSetting')) })
  ),
  ShownSetting: answer(
    'A setting.',
    closed({
      value: any,
      source: text(),
      given_by: textOrNull,
      default: any,
      scope: word(['process', 'sandbox']),
      about: text(),
      schema: typed(
        '{ type?: string | readonly string[]; enum?: readonly (string | number | boolean)[]; minimum?: number; maximum?: number }'
      ),
      flag: text(),
      variable: text(),
      scenario: textOrNull,
      assumption: textOrNull
    })
  ),
  Session: answer(
    'Whether a token is required, and whether the console is signed in.',
    closed({ token_required: flag(), signed_in: flag() })
  )
}
/** A type of a response, with `[]` as `{ data: [] }`. */
export type AnswerName = Named | `${Named}[]`
type Named = keyof typeof ANSWERS | 'ApiKey'
