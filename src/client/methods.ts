/** The methods of the package that are control requests: written by `npm run schema` from the rows of those. */
import type {
  AddedRecords,
  ClockState,
  CoverageReport,
  ExplainedCall,
  FindingsReport,
  Fixture,
  Gate,
  Journal,
  ListedEntry,
  Loaded,
  OpenedGate,
  Reset,
  RunReport,
  Scenario,
  ScriptEntry,
  SnapshotState,
  State,
  TriedCall,
  Verdict
} from './documents.js'
import type { ExplainOptions, JournalFilter, LoadOptions, Release, Scope, Verification } from './options.js'

export type Methods = {
  /** Goes back to the first state of the loaded scenario: records, keys, ids, clock, settings, script and journal. `POST /_control/reset`. Errors: `sandbox_limit`. */
  reset: () => Promise<Reset>
  /** Replaces everything with a scenario, or changes nothing when the scenario has a problem. `POST /_control/load`. Errors: `document_invalid`, `document_too_large`, `scenario_unknown`. */
  load: (scenario: string | Scenario | Fixture, options?: LoadOptions) => Promise<Loaded>
  /** Returns the whole state as a fixture, which can be saved and loaded again. `GET /_control/state`. Errors: `sandbox_unknown`. */
  state: () => Promise<State>
  /** Merges a fixture into the current state and returns the records; with a problem it changes nothing. `POST /_control/records`. Errors: `document_invalid`, `document_too_large`. */
  records: (fixture: Fixture) => Promise<AddedRecords>
  /** Keeps the current state under a name. `PUT /_control/snapshots/NAME`. Errors: `name_invalid`, `limit_reached`. */
  snapshot: (name: string) => Promise<SnapshotState>
  /** Restores a snapshot; the journal stays. `POST /_control/snapshots/NAME/restore`. Errors: `snapshot_unknown`, `name_invalid`, `account_unknown`. */
  restore: (name: string) => Promise<SnapshotState>
  /** Returns the journal: the last requests of the emulated API, newest first. `GET /_control/requests`. Errors: `parameter_invalid`, `sandbox_unknown`. */
  requests: (filter?: JournalFilter) => Promise<Journal>
  /** Returns a request, and why it was answered so. `GET /_control/requests/ID`. Errors: `request_unknown`. */
  why: (id: string) => Promise<ExplainedCall>
  /** Tells how the emulator would respond to a request, why, and what the request would change. `POST /_control/explain`. Errors: `option_invalid`, `document_invalid`, `setting_invalid`, `parameter_invalid`, `sandbox_unknown`. */
  explain: (on: string, options?: ExplainOptions) => Promise<TriedCall>
  /** Judges how many requests came and took effect, sequences, the state of records and unused script entries; without a body the scenario's own `expect`. `POST /_control/verify`. Errors: `expectation_unmet`, `document_invalid`, `journal_incomplete`, `limit_reached`. */
  verify: (expectation?: Verification) => Promise<Verdict>
  /** Returns the rules that requests kept and broke: 93 possible outcomes. `GET /_control/coverage`. */
  coverage: (scope?: Scope) => Promise<CoverageReport>
  /** Returns the mistakes of the client, each with the requests that show it. `GET /_control/findings`. */
  findings: (scope?: Scope) => Promise<FindingsReport>
  /** Returns everything that a report holds, over every sandbox, load and reset so far: what `exec` and `judge` read. `GET /_control/run`. */
  report: () => Promise<RunReport>
  readonly clock: {
    /** Returns the clock that stamps `created`. `GET /_control/clock`. Errors: `sandbox_unknown`. */
    now: () => Promise<ClockState>
    /** Sets the clock, freezes it or lets it run. `PUT /_control/clock`. Errors: `document_invalid`, `body_malformed`. */
    set: (clock: { now?: string | Date; running?: boolean }) => Promise<ClockState>
    /** Moves the clock forward. `POST /_control/clock/advance`. Errors: `body_malformed`. */
    advance: (by: string) => Promise<ClockState>
  }
  readonly script: {
    /** Adds a script entry. `POST /_control/script`. Errors: `document_invalid`, `limit_reached`. */
    add: (entry: ScriptEntry) => Promise<ListedEntry>
    /** Lists the script entries, with how many requests each matched and was applied to; an entry that was never applied has its near misses. `GET /_control/script`. Errors: `sandbox_unknown`. */
    list: () => Promise<{ data: ListedEntry[] }>
    /** Removes a script entry. `DELETE /_control/script/ID`. Errors: `entry_unknown`. */
    remove: (id: string) => Promise<void>
    /** Removes every script entry. `DELETE /_control/script`. */
    clear: () => Promise<void>
  }
  readonly gates: {
    /** Lists the gates at which script entries hold requests, with the requests that wait. `GET /_control/gates`. Errors: `sandbox_unknown`. */
    list: () => Promise<{ data: Gate[] }>
    /** Opens a gate: the requests that wait there go on, in the order in which they came or in reverse. `POST /_control/gates/NAME/open`. Errors: `gate_unknown`. */
    open: (name: string, options?: { release?: Release }) => Promise<OpenedGate>
  }
}
