/** What the control calls answer, as the package returns it. */
import type {
  Account,
  ApiKey,
  AssumptionId,
  Expectation,
  FindingName,
  Fixture,
  Location,
  Match,
  OperationName,
  Refund,
  RuleId,
  ScriptEntry,
  Ticket,
  Transaction,
  User
} from './documents.js'

/** The loaded scenario. */
export type LoadedScenario = { name: string; description: string | null }
/** The clock that stamps `created`: an ISO 8601 instant, and whether it runs on from there. */
export type ClockState = { now: string; running: boolean }
/** The scenario that was loaded at the snapshot, and its clock. */
export type SnapshotState = { name: string; scenario: string; clock: ClockState }

type ListOf<Records> = Records extends readonly (infer Member)[] ? (Member & { id: string; created: string })[] : never
/** The state as a fixture to change and load again: each record has its id and time of creation. */
export type State = { api_keys: ApiKey[] } & { [Family in Exclude<keyof Fixture, 'api_keys'>]-?: ListOf<NonNullable<Fixture[Family]>> }
/** As the API returns a record, with its further fields. */
type Kept<Record> = Record & { extra?: { [name: string]: unknown } }
export type AddedRecords = {
  api_keys: ApiKey[]
  accounts: Kept<Account>[]
  users: Kept<User>[]
  locations: Kept<Location>[]
  tickets: Kept<Ticket>[]
  transactions: Kept<Transaction>[]
  refunds: Kept<Refund>[]
}

/**
 * A script entry with its id, how many calls matched it and to how many it was applied; `too_long` are those with a value too long for its pattern,
 * `near_misses`, of an entry that was never applied, the requests that it nearly was applied to.
 */
export type ListedEntry = { id: string; entry: ScriptEntry; matched: number; applied: number; too_long?: number; near_misses?: NearMiss[] }

/** A gate of the script, with the requests that wait at it in the order in which they came. */
export type Gate = { name: string; open: boolean; waiting: { id: string; on: OperationName }[] }
/** Waiting requests go on as they came, or the last one first. */
export type Release = 'in_order' | 'reverse'

/** Parameters as they were sent, nested; what is secret is masked. */
export type Parameters = { [name: string]: string | readonly string[] | Parameters }
export type JournalCall = {
  /** Over a run, the name of its sandbox; null at the base address. */
  sandbox?: string | null
  /** As the Request-Id of the answer. */
  id: string
  /** When it came, by the clock of the sandbox. */
  at: string
  /** Null where the reference has no such operation. */
  on: OperationName | null
  method: string
  /** Below the base address, without the query. */
  path: string
  params: { [name: string]: string }
  /** The Account that the key acts as; null without a right key. */
  account: string | null
  query: Parameters
  body: Parameters
  user_agent: string | null
  /** The test that made the call, by its Test-Name header. */
  test: string | null
  /** `lost_before` and `lost_after`: the answer was lost before or after the operation ran; `not_written`: the data file could not be written. */
  outcome: 'refused' | 'answered' | 'scripted' | 'lost_before' | 'lost_after' | 'not_written'
  status: number
  answer: unknown
  /** Whether the answer was sent. */
  answered: boolean
  took_effect: boolean
  script: { id: string; name: string | null; fault: string | null } | null
  refusal: { code: string; rule: RuleId | null; assumption: AssumptionId | null; param: string | null } | null
  /** How long it took, in milliseconds. */
  ms: number
}
/** The journal, newest first. */
export type Journal = {
  object: 'list'
  data: JournalCall[]
  has_more: boolean
  /** Calls that the journal had to drop. */
  dropped: number
}
/** Why a request was answered so: its rules as they were decided, and the figures that they saw. */
export type ExplainedCall = JournalCall & {
  why: {
    rules: { rule: RuleId; verdict: 'kept' | 'broken'; text: string; facts?: { [name: string]: unknown } }[]
    assumptions: { assumption: AssumptionId; topic: string }[]
    /** The calls that last changed the records that it was judged by. */
    changed_by: string[]
    /** Script entries that were never applied and expectations that are not met, which the call nearly met; not in a report. */
    near_misses?: NearMiss[]
  }
}
/** A request or record, by its id, that is not what was wanted, and why it is not; of a call's `why` what it nearly met. */
export type NearMiss = { in: string; misses: { condition: string; wanted: string; got: string }[] }

/** How a request would be answered, on a copy of the sandbox; the id is that of the next request. */
export type TriedCall = Omit<ExplainedCall, 'user_agent' | 'ms' | 'script'> & {
  /** Of the answer, by lower-case names, without those of the connection. */
  headers: { [name: string]: string | string[] }
  /** The script entry that would apply, its delay in milliseconds, and the gate that it would hold the request at. */
  script: (NonNullable<JournalCall['script']> & { delay: number; gate: string | null }) | null
  changes: {
    /** As the API shows them; null for none. */
    records: { family: Exclude<keyof Fixture, 'api_keys'>; id: string; before: unknown; after: unknown }[]
    /** Entries that would count it. */
    script: Omit<ListedEntry, 'entry'>[]
  }
}

/** Requests to look for; the journal keeps the Account of a key in place of the key. */
export type JournalMatch = { on: OperationName; match?: Omit<Match, 'key'> & { account?: string | readonly string[] } }
/** What `verify` asks: how many requests came, which in which order, or whether the script was used. `within`, such as `2s`, is how long to wait. */
export type Verification = { within?: string } & (
  | (JournalMatch & Omit<Expectation, 'on' | 'match'>)
  | { sequence: readonly JournalMatch[] }
  | { script: 'all_used' }
)
/** What `verify` saw. */
export type Verdict = {
  holds: boolean
  message: string
  /** Requests that matched. */
  seen?: number
  /** The last matching requests; of a sequence, their ids. */
  requests?: JournalCall[] | string[]
  /** What nearly was what was asked for. */
  near_misses?: NearMiss[]
  /** The expectations of the scenario. */
  expectations?: {
    expectation: Expectation
    wanted: string
    seen: number
    holds: boolean
    exceeded: boolean
    message: string
    /** Where it does not hold: the calls that counted, and those that nearly did. */
    requests?: string[]
    near_misses?: NearMiss[]
  }[]
  /** Script entries that were never applied. */
  unused_script_entries?: ListedEntry[]
}

/** How often the calls kept and broke each rule. */
export type CoverageReport = {
  /** Outcomes: a rule that requests can both keep and break has two, any other one. */
  seen: number
  possible: number
  percent: number
  never_exercised: RuleId[]
  /** Kept by some request and broken by none, though a request can break them. */
  never_violated: RuleId[]
  rules: { rule: RuleId; text: string; violable: boolean; keepable: boolean; satisfied: number; violated: number }[]
}
/** The mistakes that the client under test made, each with the calls that show it. */
export type FindingsReport = {
  data: { finding: FindingName; severity: 'error' | 'warning'; about: string; advice: string; times: number; requests: string[] }[]
}
/** A request of a run, named `SANDBOX#PERIOD/req_N`; `entry` is there if it was refused or a finding names it. */
export type RunCall = {
  request: string
  /** The test that made it, by its header `Test-Name`. */
  test: string | null
  on: string | null
  method: string
  path: string
  outcome: JournalCall['outcome']
  status: number
  entry: ExplainedCall | null
}
/** The run: every sandbox, load and reset since the emulator was started. */
export type RunReport = {
  object: 'run'
  version: string
  scenario: LoadedScenario
  calls: number
  coverage: CoverageReport
  findings: FindingsReport['data']
  /** Assumptions that some answer relied on. */
  assumptions: { assumption: AssumptionId; topic: string; default: string; times: number; requests: readonly string[] }[]
  unused_script_entries: ListedEntry[]
  /** Of each sandbox, with the tests whose calls went there; at the base address `sandbox` is null. */
  unmet_expectations: (NonNullable<Verdict['expectations']>[number] & { sandbox: string | null; tests: string[] })[]
  sandboxes: { sandbox: string | null; periods: number }[]
  /** `test` is null for the requests that named none. */
  tests: { test: string | null; calls: number; refused: number; kept: RuleId[]; broken: RuleId[]; findings: { finding: FindingName; times: number }[] }[]
  requests: RunCall[]
  /** What was beyond the limits of what is kept. */
  omitted: { requests: number; entries: number; by_test: number }
}
