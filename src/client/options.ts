/** Options of the package. */
import type { FormValue } from '../core/form-encoding.js'
import type {
  Expectation,
  Fixture,
  Match,
  OperationName,
  RuleId,
  SandboxSettings
} from './documents.js'

/** Values of a scenario's variables by name, each of the type of its default. */
export type Variables = { readonly [name: string]: string | number | boolean }

/** Parameters of a query or a form, nested as they are in brackets. */
export type Values = { readonly [name: string]: FormValue }
/** A request of the emulated API. */
export type InjectOptions = {
  query?: Values
  /**
   * The parameters of a POST; `null` is an empty value. Text is sent as it is, form-encoded unless
   * a header says otherwise.
   */
  body?: Values | string
  /**
   * The API key; null sends none. By default the first key, or none where none is needed.
   */
  key?: string | null
  headers?: { readonly [name: string]: string }
}
/** A request that is only tried. The default key is that of the first merchant. */
export type ExplainOptions = InjectOptions & {
  /**
   * What is different on the copy that the request is tried on: records to add or replace,
   * settings, and the time.
   */
  changes?: { data?: Fixture; settings?: SandboxSettings; clock?: string }
}
/** The body of a response: whatever it holds. */
// biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects to find in a response
export type Json = any
/** A response of the emulated API. */
export type InjectedAnswer = {
  status: number
  /** By their names in lower case, without those of the connection. */
  headers: { [name: string]: string }
  /** JSON as a value, other text as it is, null for an empty body. */
  body: Json
  /** The body as it came. */
  text: string
}
/**
 * The sandbox since its last load or reset, or with `run` every sandbox, load and reset of the
 * process.
 */
export type Scope = { scope?: 'sandbox' | 'run' }
/** The state before or after a request, by its id; without either, as it is now. */
export type Moment = { before: string } | { after: string }
/**
 * Which requests of the journal are listed; with the scope `run`, each has the name of its sandbox.
 */
export type JournalFilter = Scope & {
  on?: OperationName
  /** A status, or a class of them such as `4xx`. */
  status?: number | string
  /** An instant, or the id of a request: only later ones. */
  since?: string
  /** Requests that passed or violated it. */
  rule?: RuleId
  /** 100 by default, at most 1000. */
  limit?: number
}
/** Values of the scenario's variables, and a seed, in place of its own. */
export type LoadOptions = { vars?: Variables; seed?: number }
/** A request of the control API. */
export type ControlOptions = { query?: Values; body?: object }
/** Waiting requests go on as they came, or the last one first. */
export type Release = 'in_order' | 'reverse'
/** Requests to look for; the journal keeps the Account of a key in place of the key. */
export type JournalMatch = {
  on: OperationName
  match?: Omit<Match, 'key'> & { account?: string | readonly string[] }
}
/**
 * What `verify` judges: how many requests came, their order, or whether the script was used.
 * `within`, such as `2s`, is how long to wait.
 */
export type Verification = { within?: string } & (
  | (JournalMatch & Omit<Expectation, 'on' | 'match'>)
  | { sequence: readonly JournalMatch[] }
  | { script: 'all_used' }
)
