/** Options of the package. */
import type { FormValue } from '../core/form-encoding.js'
import type { Expectation, Match, OperationName, RuleId } from './documents.js'

/** Values of a scenario's variables by name. */
export type Variables = { readonly [name: string]: string | number | boolean }

/** Parameters of a query or a form. */
export type Values = { readonly [name: string]: FormValue }
/** A request of the emulated API. */
export type InjectOptions = {
  query?: Values
  /** Parameters (`null` is an empty value), or a text, form-encoded unless a header differs. */
  body?: Values | string
  /** The API key; null sends none. By default the first key, if the operation needs one. */
  key?: string | null
  headers?: { readonly [name: string]: string }
}
/** The body of a response. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows what it expects in a response
export type Json = any
/** A response of the emulated API. */
export type InjectedResponse = {
  status: number
  /** Names are in lower case; headers of the connection are left out. */
  headers: { [name: string]: string }
  /** JSON as a value, other text as it is, null for an empty body. */
  body: Json
  /** The body as it came. */
  text: string
}
/** The sandbox since its last load or reset, or with `run` everything since the process started. */
export type Scope = { scope?: 'sandbox' | 'run' }
/** The state before or after a request, by its id. */
export type Moment = { before: string } | { after: string }
/** Which requests are listed; with the scope `run`, each has the name of its sandbox. */
export type JournalFilter = Scope & {
  on?: OperationName
  /** A status, or a class such as `4xx`. */
  status?: number | string
  /** An instant, or the id of a request: only later requests. */
  since?: string
  /** Requests that passed or violated it. */
  rule?: RuleId
  /** 100 by default, at most 1000. */
  limit?: number
}
/** Variables and a seed in place of the scenario's own. */
export type LoadOptions = { vars?: Variables; seed?: number }
/** A request of the control API. */
export type ControlOptions = { query?: Values; body?: object }
/** The order in which waiting requests continue: in order of arrival, or reversed. */
export type Release = 'in_order' | 'reverse'
/** The journal has the Account of a key in place of the key. */
export type JournalMatch = {
  on: OperationName
  match?: Omit<Match, 'key'> & { account?: string | readonly string[] }
}
/** How many requests came, or their order, `within` a time to wait. */
export type Verification = { within?: string } & (
  | (JournalMatch & Omit<Expectation, 'on' | 'match'>)
  | { sequence: readonly JournalMatch[] }
)
