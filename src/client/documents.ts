/** What documents, records, settings, control responses and names look like: written by `npm run schema` from the tables that the emulator checks them by. */

/** A fixture: records of each family, and API keys. What a record leaves out is filled in. */
export type Fixture = {
  /** API keys, each bound to one Account. */
  api_keys?: readonly ApiKey[]
  /** Accounts. */
  accounts?: readonly AccountFixture[]
  /** Users. */
  users?: readonly UserFixture[]
  /** Locations. */
  locations?: readonly LocationFixture[]
  /** Tickets. */
  tickets?: readonly TicketFixture[]
  /** Transactions. */
  transactions?: readonly TransactionFixture[]
  /** Refunds. */
  refunds?: readonly RefundFixture[]
}

/** An API key, and the Account that it acts as. */
export type ApiKey = {
  /** Printable, without spaces and without a colon. */
  key: string
  /** Letters, digits, _ and -. */
  account: string
}

/** A Location as a fixture gives it. */
export type LocationFixture = {
  /** Letters, digits, _ and -. */
  id?: string
  /** Creation time, ISO 8601 in UTC. */
  created?: string | null
  /** The merchant Account that it belongs to. */
  account: string
  /** The name shown. */
  display_name: string | null
  /** The address; in an answer always with all six sub-fields, null where there is no value. */
  address: {
    /** Two-letter country code (ISO 3166-1 alpha-2). */
    country: string | null
    /** Street, PO Box or company name. */
    line1?: string | null
    /** Apartment, suite, unit or building. */
    line2?: string | null
    /** City, district, suburb, town or village. */
    city?: string | null
    /** ZIP or postal code. */
    postal_code?: string | null
    /** State, county, province or region. */
    state?: string | null
  }
  /** Phone number. */
  phone?: string | null
  /** Web address. */
  website?: string | null
  /** Key-value pairs of your own. */
  metadata?: { [name: string]: string } | null
  /** Further fields, returned as they are. */
  extra?: { [name: string]: unknown }
}

/** An Account as a fixture gives it. */
export type AccountFixture = {
  /** Letters, digits, _ and -. */
  id?: string
  /** Creation time, ISO 8601 in UTC. */
  created?: string | null
  /** Which kind of Account it is. */
  type: 'merchant' | 'reseller' | null
  /** The name of the Account. */
  name: string | null
  /** Primary Account email. */
  email: string | null
  /** The address; in an answer always with all six sub-fields, null where there is no value. */
  address: {
    /** Two-letter country code (ISO 3166-1 alpha-2). */
    country: string | null
    /** Street, PO Box or company name. */
    line1?: string | null
    /** Apartment, suite, unit or building. */
    line2?: string | null
    /** City, district, suburb, town or village. */
    city?: string | null
    /** ZIP or postal code. */
    postal_code?: string | null
    /** State, county, province or region. */
    state?: string | null
  }
  /** Phone number. */
  phone?: string | null
  /** The reseller Account whose key created it. */
  reseller?: string | null
  /** Key-value pairs of your own. */
  metadata?: { [name: string]: string } | null
  /** Further fields, returned as they are. */
  extra?: { [name: string]: unknown }
}

/** A User as a fixture gives it. */
export type UserFixture = {
  /** Letters, digits, _ and -. */
  id?: string
  /** Creation time, ISO 8601 in UTC. */
  created?: string | null
  /** The parent Account. */
  account: string
  /** The name of the user. */
  name: string
  /** The address of the user. */
  email: string
  /** Further fields, returned as they are. */
  extra?: { [name: string]: unknown }
}

/** A Ticket as a fixture gives it. */
export type TicketFixture = {
  /** Letters, digits, _ and -. */
  id?: string
  /** Creation time, ISO 8601 in UTC. */
  created?: string | null
  /** The Location that it was opened at. */
  location: string
  /** What search_query matches. */
  reference?: string | null
  /** Further fields, returned as they are. */
  extra?: { [name: string]: unknown }
}

/** A Transaction as a fixture gives it. */
export type TransactionFixture = {
  /** Letters, digits, _ and -. */
  id?: string
  /** Creation time, ISO 8601 in UTC. */
  created?: string | null
  /** The Ticket that it pays. */
  ticket: string
  /** The Ticket's Location. */
  location?: string | null
  /** How it is paid. */
  payment_type: PaymentType
  /** What is kept of how it was paid (A25). */
  payment_method?: {
    /** The payment type. */
    type?:
      | 'card'
      | 'apple_pay'
      | 'google_pay'
      | 'emv'
      | 'external'
      | 'paypal'
      | 'vip'
      | null
    /** The card, where one was used. */
    card?: {
      /** The brand. */
      brand?: string | null
      /** The last four digits of the number. */
      last4?: string | null
    } | null
    /** The bank account, where one was used. */
    bank_account?: {
      /** The name of the bank. */
      bank_name?: string | null
      /** The last four digits of the account number. */
      last4?: string | null
    } | null
  } | null
  /** Three-letter ISO currency code, lower case. */
  currency?: string | null
  /** The amount settled, in sub-units. */
  amount?: number | null
  /** The tip, in sub-units. */
  tip_amount?: number | null
  /** As it was sent. */
  donation_amount?: number | null
  /** As it was sent. */
  adjustment_number?: number | null
  /** As it was sent (A24). */
  amounts?: {
    /** The currency, where the top level has none. */
    currency?: string | null
    /** The amount, where the top level has none. */
    transaction_amount?: number | null
    /** The amount, where neither the top level nor transaction_amount has one. */
    payment_amount?: number | null
    /** The tip, where the top level has none. */
    tip_amount?: number | null
  } | null
  /** Who paid. */
  customer?: {
    /** The name of the customer. */
    name?: string | null
    /** E-mail address. */
    email?: string | null
    /** Phone number. */
    phone?: string | null
  } | null
  /** Further fields, returned as they are. */
  extra?: { [name: string]: unknown }
}

/** A Refund as a fixture gives it. */
export type RefundFixture = {
  /** Letters, digits, _ and -. */
  id?: string
  /** Creation time, ISO 8601 in UTC. */
  created?: string | null
  /** The Transaction that it returns funds of. */
  transaction: string
  /** Sub-units of the currency. */
  amount: number
  /** That of its Transaction. */
  currency?: string | null
  /** Why it was made. */
  reason?: string | null
  /** What is kept of how it was paid (A25). */
  payment_method?: {
    /** The payment type. */
    type?:
      | 'card'
      | 'apple_pay'
      | 'google_pay'
      | 'emv'
      | 'external'
      | 'paypal'
      | 'vip'
      | null
    /** The card, where one was used. */
    card?: {
      /** The brand. */
      brand?: string | null
      /** The last four digits of the number. */
      last4?: string | null
    } | null
    /** The bank account, where one was used. */
    bank_account?: {
      /** The name of the bank. */
      bank_name?: string | null
      /** The last four digits of the account number. */
      last4?: string | null
    } | null
  } | null
  /** Key-value pairs of your own. */
  metadata?: { [name: string]: string } | null
  /** Further fields, returned as they are. */
  extra?: { [name: string]: unknown }
}

/** A scenario: fixtures plus behaviour. */
export type Scenario = {
  /** What the scenario is called; its file name when left out. */
  name?: string
  /** What it is for, in a sentence. */
  description?: string
  /** Names, or paths relative to this file; merged in order, the last record with an id counts. */
  fixtures?: readonly string[]
  /** Seed for generated ids and keys. */
  seed?: number
  /** An instant at which the clock is frozen, or { now, running }; left out: the machine's clock. */
  clock?: {
    /** Where the clock begins. */
    now: string
    /** Whether it runs on from there, which it does when left out. */
    running?: boolean
  } | string
  /** Settings of the sandbox. */
  settings?: SandboxSettings
  /** Records and API keys, as in a fixture; each replaces the one of a fixture with the same id. */
  data?: Fixture
  /** Records filled in from the seed, after data. */
  generate?: readonly Generate[]
  /** Variables with their defaults: text, a number, or true or false. ${vars.NAME} in any text is replaced by the value. */
  vars?: { [name: string]: string | number | boolean }
  /** Groups of script entries of other files, such as outages.yaml#brief-outage; they come after script. */
  use?: readonly string[]
  /** What the emulator does differently; of the entries that apply to a call, the first is used. */
  script?: readonly ScriptEntry[]
  /** Calls played through the API when the scenario loads. */
  steps?: readonly Step[]
  /** Calls that `check` makes as a client would, after the steps: scripted, journaled and counted. */
  play?: readonly Play[]
  /** What the client has to do, and what the records are at the end. */
  expect?: readonly Expectation[]
}

/** What the emulator does differently for some calls. */
export type ScriptEntry = {
  /** What the entry is called where it is listed. */
  name?: string
  /** One operation, a list of them, or * for any. */
  on: readonly OperationName[] | OperationName | '*'
  /** What the call has to contain; left out: every call of the operation. */
  match?: Match
  /** Which of the matching calls: 1, 2-3 or 4+; left out: all. */
  calls?: number | string
  /** The share of these calls that it is applied to, drawn from the seed. @default 1 */
  chance?: number
  /** The instant of the sandbox's clock from which calls match. */
  from?: string
  /** The instant of the sandbox's clock at which calls stop matching. */
  until?: string
  /** How long it is applied after the first call that it was applied to, by the sandbox's clock. */
  for?: string
  /** Keeps calls waiting until so many wait, or until a control call opens a gate. */
  hold?: {
    /** How many calls wait before these go on; then the next ones wait for as many. */
    until?: number
    /** Whether only the first calls wait for one another, and all later ones go on at once. @default false */
    once?: boolean
    /** The name that a control call opens it by. */
    gate?: string
    /** The order in which calls go on: as they came, or the last one first. @default "in_order" */
    release?: 'in_order' | 'reverse'
    /** The longest that a call waits. */
    for?: string
  }
  /** Waits first: a length of time, or min and max between which it is drawn from the seed. */
  delay?: {
    /** A length of time, such as 250ms, 2s, 36h, 7d or PT36H. */
    min: string
    /** A length of time, such as 250ms, 2s, 36h, 7d or PT36H. */
    max: string
  } | string
  /** Answers instead of the operation. */
  respond?: {
    /** The status of the answer; left out: 200, or 400 with an error. */
    status?: number
    /** Further headers. */
    headers?: { [name: string]: string }
    /** Any JSON; text is sent as it is. */
    body?: unknown
    /** An error in the shape of the service; what is left out has a default for each status. */
    error?: {
      /** The type of the error. */
      type?: string
      /** The code of the error. */
      code?: string
      /** The text of the error. */
      message?: string
      /** The parameter to blame, in bracket notation. */
      param?: string
    }
    /** Writes the Retry-After header, in whole seconds. */
    retry_after?: string
  }
  /** Loses the answer. */
  fault?:
    | 'connection_reset'
    | 'empty_response'
    | 'truncated_body'
    | 'malformed_body'
    | 'hang'
  /** before: instead of the call; after: the call takes effect, then its answer is lost. @default "before" */
  when?: 'before' | 'after'
}

/** What a call has to carry. */
export type Match = {
  /** Path parameters. */
  params?: { [name: string]: MatchValue }
  /** Parameters of the query. */
  query?: { [name: string]: MatchValue }
  /** Parameters of the body. */
  body?: { [name: string]: MatchValue }
  /** The API key. */
  key?: MatchValue
  /** Which records the call is about, found through what it names: the Location of its Ticket, for example. */
  about?: {
    /** A value, a list of values, /a regular expression/, conditions (gt, gte, lt, lte, not, present), or nested names. */
    location?: MatchValue
    /** A value, a list of values, /a regular expression/, conditions (gt, gte, lt, lte, not, present), or nested names. */
    ticket?: MatchValue
    /** A value, a list of values, /a regular expression/, conditions (gt, gte, lt, lte, not, present), or nested names. */
    transaction?: MatchValue
    /** A value, a list of values, /a regular expression/, conditions (gt, gte, lt, lte, not, present), or nested names. */
    account?: MatchValue
  }
}

/** A value, a list of values, /a regular expression/, conditions (gt, gte, lt, lte, not, present), or nested names. */
export type MatchValue =
  | string
  | number
  | boolean
  | readonly (string
  | number
  | boolean)[]
  | { [name: string]: MatchValue }

/** As a value of a match, of a field of a record: null is no value. */
export type FieldValue =
  | string
  | number
  | boolean
  | null
  | readonly (string
  | number
  | boolean
  | null)[]
  | { [name: string]: FieldValue }

/** Records to be filled in from the seed, of one family. */
export type Generate = {
  /** How many are made. */
  accounts?: number
  /** How many are made. */
  users?: number
  /** How many are made. */
  locations?: number
  /** How many are made. */
  tickets?: number
  /** How many are made. */
  transactions?: number
  /** The Account that they belong to. */
  account?: string
  /** The Location that they are at. */
  location?: string
  /** The period in which they are created. */
  created?: {
    /** The earliest. */
    from: string
    /** The latest. */
    to: string
  }
  /** The payment types of the Transactions. */
  payment_types?: readonly PaymentType[]
  /** The share of the Transactions that get one Refund. */
  refunded?: number
}

/** A call that is played through the API when the scenario loads. */
export type Step = {
  /** What later steps call its answer: ${name.field}. */
  as?: string
  /** A method and a path, such as POST /transactions or GET /transactions/${payment.id}. */
  do: string
  /** An API key; the first merchant's when left out. */
  key?: string
  /** Parameters of the query. */
  query?: { [name: string]: unknown }
  /** Parameters of the body. */
  body?: { [name: string]: unknown }
  /** What the answer has to be; left out: a success. */
  expect?: {
    /** The status of the answer, 2xx for any of them, or a list; 2xx when left out. */
    status?: number | string | readonly (number | string)[]
    /** What the answer has to hold; names that are left out are not compared. */
    body?: unknown
  }
}

/** A call that `check` makes as a client would, or several at once. */
export type Play = {
  /** What later steps call its answer: ${name.field}. */
  as?: string
  /** A method and a path, such as POST /transactions or GET /transactions/${payment.id}. */
  do?: string
  /** An API key; the first merchant's when left out. */
  key?: string
  /** Parameters of the query. */
  query?: { [name: string]: unknown }
  /** Parameters of the body. */
  body?: { [name: string]: unknown }
  /** What the answer has to be; left out: a success. */
  expect?: {
    /** The status of the answer, 2xx for any of them, or a list; 2xx when left out. */
    status?: number | string | readonly (number | string)[]
    /** What the answer has to hold; names that are left out are not compared. */
    body?: unknown
    /** Headers that the answer has to have, such as Retry-After. */
    headers?: { [name: string]: string }
    /** How the answer is lost. */
    fault?:
      | 'connection_reset'
      | 'empty_response'
      | 'truncated_body'
      | 'malformed_body'
      | 'hang'
  }
  /** How often the call is made, one after the other. @default 1 */
  repeat?: number
  /** Calls that are made together, each over a connection of its own. */
  at_once?: readonly PlayedCall[]
  /** Lets this much time pass, by the sandbox's clock, so that `check` does not wait itself. */
  wait?: string
}

/** One of several calls that are made at once. */
export type PlayedCall = {
  /** What later steps call its answer: ${name.field}. */
  as?: string
  /** A method and a path, such as POST /transactions or GET /transactions/${payment.id}. */
  do: string
  /** An API key; the first merchant's when left out. */
  key?: string
  /** Parameters of the query. */
  query?: { [name: string]: unknown }
  /** Parameters of the body. */
  body?: { [name: string]: unknown }
  /** What the answer has to be; left out: a success. */
  expect?: {
    /** The status of the answer, 2xx for any of them, or a list; 2xx when left out. */
    status?: number | string | readonly (number | string)[]
    /** What the answer has to hold; names that are left out are not compared. */
    body?: unknown
    /** Headers that the answer has to have, such as Retry-After. */
    headers?: { [name: string]: string }
    /** How the answer is lost. */
    fault?:
      | 'connection_reset'
      | 'empty_response'
      | 'truncated_body'
      | 'malformed_body'
      | 'hang'
  }
}

/** How often calls have to come: `times`, or `at_least` and `at_most`; at least once when all are left out. Or in which order, or what the records are in the end. */
export type Expectation = {
  /** One operation, a list of them, or * for any. */
  on?: readonly OperationName[] | OperationName | '*'
  /** What the call has to contain; left out: every call of the operation. */
  match?: Match
  /** Whether the call changed records. */
  took_effect?: boolean
  /** The status of the answer that the client got. */
  status?: number | string | readonly (number | string)[]
  /** Whether the client got an answer. */
  answered?: boolean
  /** Exactly so many calls. */
  times?: number
  /** At least so many calls; 1 when none of the three is given. */
  at_least?: number
  /** At most so many calls. */
  at_most?: number
  /** Calls that come in this order; others may come between them. */
  sequence?: readonly ExpectedCall[]
  /** Records by family and id, with what they hold at the end; null for one that must not exist. */
  state?: {
    accounts?: ExpectedRecords
    users?: ExpectedRecords
    locations?: ExpectedRecords
    tickets?: ExpectedRecords
    transactions?: ExpectedRecords
    refunds?: ExpectedRecords
  }
}

/** A call of a sequence. */
export type ExpectedCall = {
  /** One operation, a list of them, or * for any. */
  on: readonly OperationName[] | OperationName | '*'
  /** What the call has to contain; left out: every call of the operation. */
  match?: Match
  /** Whether the call changed records. */
  took_effect?: boolean
  /** The status of the answer that the client got. */
  status?: number | string | readonly (number | string)[]
  /** Whether the client got an answer. */
  answered?: boolean
}

/** Records of a family by id, with what they hold; `count` is how many there are. */
export type ExpectedRecords = {
  /** How many there are. */
  count?: number
  /** Only those that meet all of this are counted. */
  where?: { [name: string]: FieldValue }
  [name: string]:
    | { [name: string]: FieldValue }
    | null
    | number
    | { [name: string]: FieldValue }
    | undefined
}

/** The settings that a scenario can give. */
export type SandboxSettings = {
  ids?: {
    prefixes?: {
      /** Id prefix of a merchant Account. @default "mch_" */
      merchant?: string
      /** Id prefix of a reseller Account. @default "rsl_" */
      reseller?: string
      /** Id prefix of a Location. @default "loc_" */
      location?: string
      /** Id prefix of a Ticket. @default "tkt_" */
      ticket?: string
      /** Id prefix of a Transaction. @default "txn_" */
      transaction?: string
      /** Id prefix of a User. @default "usr_" */
      user?: string
      /** Id prefix of a Refund. @default "rfd_" */
      refund?: string
    }
    /** Number of letters and digits after the prefix of an id. @default 24 */
    length?: number
  }
  shapes?: {
    /** Template of the list object, also of the Refunds in a Transaction. Placeholders: `$members`, exactly once, `$has_more`, `$url`, `$first_id` and `$last_id`. @default {"object":"list","url":"$url","data":"$members","has_more":"$has_more","first_id":"$first_id","last_id":"$last_id"} */
    list?: { [name: string]: unknown }
    /** Template of the error body. Placeholders: `$type`, `$code`, `$message`, `$param`, `$rule`, `$assumption` and `$request_id`; a placeholder without a value is left out. @default {"error":{"type":"$type","code":"$code","message":"$message","param":"$param","rule":"$rule","assumption":"$assumption","request_id":"$request_id"}} */
    error?: { [name: string]: unknown }
  }
  statuses?: {
    /** Status of a successful create. @default 200 */
    created?: 200 | 201
    /** Status of a malformed or invalid request. @default 400 */
    invalid?: number
    /** Status of a request without a known key. @default 401 */
    unauthenticated?: number
    /** Status when a reseller creates a Location. @default 403 */
    forbidden?: number
    /** Status when the resource in the path does not exist. @default 404 */
    missing?: number
    /** Status when a resource named in the body does not exist. @default 400 */
    reference_missing?: number
    /** Status of a refused Refund. @default 400 */
    refund_refused?: number
  }
  errors?: {
    /** Whether an error names its rule or assumption. @default true */
    expose_rule?: boolean
  }
  pagination?: {
    /** Page size without `limit`. @default 10 */
    default_limit?: number
    /** Maximum `limit`. @default 100 */
    max_limit?: number
    /** What happens to a `limit` out of range. @default "reject" */
    out_of_range?: 'reject' | 'clamp'
    /** Names of the two cursors in the query of a list: the page starts after the record that the first names, or ends before that of the second. @default ["starting_after","ending_before"] */
    cursors?: readonly string[]
    /** Order of every list except Refunds, whose order the reference documents. @default "newest_first" */
    order?: 'newest_first' | 'oldest_first'
  }
  search?: {
    /** How `search_query` matches a Ticket reference, ignoring case. @default "contains" */
    reference?: 'contains' | 'prefix' | 'exact'
    /** How `search_query` matches the last four digits of a card. @default "exact" */
    last4?: 'exact' | 'contains' | 'prefix'
  }
  parameters?: {
    /** What happens to a parameter that the reference does not have; `warn` drops it and reports it in a Warning header and in the log. @default "reject" */
    unknown?: 'reject' | 'warn' | 'ignore'
    /** What happens to a parameter that cannot be updated. @default "reject" */
    not_updatable?: 'reject' | 'ignore'
    /** Whether an update may unset a parameter that the create requires. @default "allow" */
    unset_required?: 'allow' | 'reject'
  }
  auth?: {
    /** Account id; when set, every key acts as this Account. @default null */
    accept_any_key?: string | null
    /** Whether a key sees everything, or only what belongs to its Account. @default "open" */
    visibility?: 'open' | 'scoped'
  }
  evidence?: {
    /** Whether the journal keeps requests. @default true */
    journal?: boolean
    /** Whether rules, assumptions and findings are counted. @default true */
    coverage?: boolean
    /** Header that names the test a request belongs to, for the reports of a run. @default "Test-Name" */
    test_header?: string
  }
  refunds?: {
    /** What an empty `amount` of a Refund does. @default "reject" */
    empty_amount?: 'reject' | 'remainder'
  }
  transactions?: {
    /** Currency when a request has none. @default "usd" */
    default_currency?: string
    /** What can be refunded: the amount, or the amount with tip and donation. @default "amount" */
    refundable?: 'amount' | 'amount_plus_extras'
  }
}

/** Every setting, by key as on the command line, or nested. */
export type Settings = {
  /** Port to listen on; 0 picks a free one. @default 4010 */
  port?: number
  /** Address to bind. @default "127.0.0.1" */
  host?: string
  /** Scenario to load at start: a name, or the path of a file. @default "default" */
  scenario?: string
  /** Folder of your own fixtures, searched before the built-in ones. @default null */
  fixtures_dir?: string | null
  /** Folder of your own scenarios, searched before the built-in ones. @default null */
  scenarios_dir?: string | null
  /** Folder that keeps snapshots across restarts; without it they are kept in memory. @default null */
  snapshots_dir?: string | null
  /** Reloads the scenario when one of its files changes. @default false */
  watch?: boolean
  /** What is logged, to stderr. @default "info" */
  log_level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  /** Whether pages of other origins may use the emulated API (CORS). @default true */
  cors?: boolean
  /** When set, control requests need `Authorization: Bearer TOKEN`. At least 16 characters. @default null */
  control_token?: string | null
  /** Further Host names that may reach the control API, separated by commas. @default [] */
  control_hosts?: readonly string[]
  /** Maximum body size of an API request, and of a control request without a document, in bytes. @default 1048576 */
  'limits.body'?: number
  /** Maximum number of parameters in a form or query. @default 1000 */
  'limits.parameters'?: number
  /** Maximum nesting of a parameter name. @default 4 */
  'limits.depth'?: number
  /** Maximum size of a document in a control request, in bytes. @default 67108864 */
  'limits.control_body'?: number
  /** Maximum nesting of a document. @default 64 */
  'limits.nesting'?: number
  /** Maximum number of values (texts, numbers, lists, objects) in a document; a tenth of it in YAML, which takes ten times the memory to read. @default 5000000 */
  'limits.values'?: number
  /** Maximum number of records in a document, including generated records and steps, and in a sandbox after a merge. @default 250000 */
  'limits.records'?: number
  /** Maximum number of script entries, or of expectations, in a document. @default 10000 */
  'limits.entries'?: number
  /** Maximum number of problems that are listed for a document; the search ends there. @default 1000 */
  'limits.problems'?: number
  /** Maximum number of large documents of a sandbox that are being read or wait to be read. @default 16 */
  'limits.loads'?: number
  /** Maximum time to read a large document, in milliseconds. @default 60000 */
  'limits.load_time'?: number
  /** Maximum number of requests in the journal of a sandbox. @default 1000 */
  'limits.journal'?: number
  /** Maximum memory of the journal of a sandbox, in bytes. @default 16777216 */
  'limits.journal_bytes'?: number
  /** Maximum memory of the journals of all sandboxes together, in bytes; the largest journal drops requests first. @default 134217728 */
  'limits.journal_total'?: number
  /** Maximum number of open event streams of a sandbox. @default 100 */
  'limits.streams'?: number
  /** Maximum unread bytes of an event stream before it is closed. @default 1048576 */
  'limits.stream_backlog'?: number
  /** Maximum number of verify requests of a sandbox that wait, and of requests that its script holds. @default 100 */
  'limits.waiting'?: number
  /** Maximum number of script entries of a sandbox. @default 1000 */
  'limits.script'?: number
  /** Maximum number of snapshots of a sandbox. @default 100 */
  'limits.snapshots'?: number
  /** Maximum number of API keys of a sandbox. @default 10000 */
  'limits.keys'?: number
  /** Maximum number of named sandboxes. @default 256 */
  'limits.sandboxes'?: number
  /** Maximum number of open connections; further connections are closed immediately. @default 10000 */
  'limits.connections'?: number
  /** Maximum time for the headers of a request to arrive, in milliseconds. @default 10000 */
  'limits.headers_timeout'?: number
  /** Maximum time for a request to arrive, in milliseconds. @default 30000 */
  'limits.request_timeout'?: number
  /** Maximum time that a shutdown waits for requests in flight, in milliseconds. @default 1000 */
  'limits.shutdown'?: number
  /** Whether, at limits.sandboxes, a new sandbox replaces the least recently used one that has no request in flight. @default false */
  'sandboxes.evict_idle'?: boolean
  /** File that keeps the state of every sandbox across restarts; without it the state is kept in memory. @default null */
  data?: string | null
  /** Whether a change in the data file survives a power failure; false does not wait for the device. @default true */
  data_sync?: boolean
  /** Seed for generated ids and keys. @default 1 */
  seed?: number
  /** Id prefix of a merchant Account. @default "mch_" */
  'ids.prefixes.merchant'?: string
  /** Id prefix of a reseller Account. @default "rsl_" */
  'ids.prefixes.reseller'?: string
  /** Id prefix of a Location. @default "loc_" */
  'ids.prefixes.location'?: string
  /** Id prefix of a Ticket. @default "tkt_" */
  'ids.prefixes.ticket'?: string
  /** Id prefix of a Transaction. @default "txn_" */
  'ids.prefixes.transaction'?: string
  /** Id prefix of a User. @default "usr_" */
  'ids.prefixes.user'?: string
  /** Id prefix of a Refund. @default "rfd_" */
  'ids.prefixes.refund'?: string
  /** Number of letters and digits after the prefix of an id. @default 24 */
  'ids.length'?: number
  /** Template of the list object, also of the Refunds in a Transaction. Placeholders: `$members`, exactly once, `$has_more`, `$url`, `$first_id` and `$last_id`. @default {"object":"list","url":"$url","data":"$members","has_more":"$has_more","first_id":"$first_id","last_id":"$last_id"} */
  'shapes.list'?: { [name: string]: unknown }
  /** Template of the error body. Placeholders: `$type`, `$code`, `$message`, `$param`, `$rule`, `$assumption` and `$request_id`; a placeholder without a value is left out. @default {"error":{"type":"$type","code":"$code","message":"$message","param":"$param","rule":"$rule","assumption":"$assumption","request_id":"$request_id"}} */
  'shapes.error'?: { [name: string]: unknown }
  /** Status of a successful create. @default 200 */
  'statuses.created'?: 200 | 201
  /** Status of a malformed or invalid request. @default 400 */
  'statuses.invalid'?: number
  /** Status of a request without a known key. @default 401 */
  'statuses.unauthenticated'?: number
  /** Status when a reseller creates a Location. @default 403 */
  'statuses.forbidden'?: number
  /** Status when the resource in the path does not exist. @default 404 */
  'statuses.missing'?: number
  /** Status when a resource named in the body does not exist. @default 400 */
  'statuses.reference_missing'?: number
  /** Status of a refused Refund. @default 400 */
  'statuses.refund_refused'?: number
  /** Whether an error names its rule or assumption. @default true */
  'errors.expose_rule'?: boolean
  /** Page size without `limit`. @default 10 */
  'pagination.default_limit'?: number
  /** Maximum `limit`. @default 100 */
  'pagination.max_limit'?: number
  /** What happens to a `limit` out of range. @default "reject" */
  'pagination.out_of_range'?: 'reject' | 'clamp'
  /** Names of the two cursors in the query of a list: the page starts after the record that the first names, or ends before that of the second. @default ["starting_after","ending_before"] */
  'pagination.cursors'?: readonly string[]
  /** Order of every list except Refunds, whose order the reference documents. @default "newest_first" */
  'pagination.order'?: 'newest_first' | 'oldest_first'
  /** How `search_query` matches a Ticket reference, ignoring case. @default "contains" */
  'search.reference'?: 'contains' | 'prefix' | 'exact'
  /** How `search_query` matches the last four digits of a card. @default "exact" */
  'search.last4'?: 'exact' | 'contains' | 'prefix'
  /** What happens to a parameter that the reference does not have; `warn` drops it and reports it in a Warning header and in the log. @default "reject" */
  'parameters.unknown'?: 'reject' | 'warn' | 'ignore'
  /** What happens to a parameter that cannot be updated. @default "reject" */
  'parameters.not_updatable'?: 'reject' | 'ignore'
  /** Whether an update may unset a parameter that the create requires. @default "allow" */
  'parameters.unset_required'?: 'allow' | 'reject'
  /** Account id; when set, every key acts as this Account. @default null */
  'auth.accept_any_key'?: string | null
  /** Whether a key sees everything, or only what belongs to its Account. @default "open" */
  'auth.visibility'?: 'open' | 'scoped'
  /** Whether the journal keeps requests. @default true */
  'evidence.journal'?: boolean
  /** Whether rules, assumptions and findings are counted. @default true */
  'evidence.coverage'?: boolean
  /** Header that names the test a request belongs to, for the reports of a run. @default "Test-Name" */
  'evidence.test_header'?: string
  /** What an empty `amount` of a Refund does. @default "reject" */
  'refunds.empty_amount'?: 'reject' | 'remainder'
  /** Currency when a request has none. @default "usd" */
  'transactions.default_currency'?: string
  /** What can be refunded: the amount, or the amount with tip and donation. @default "amount" */
  'transactions.refundable'?: 'amount' | 'amount_plus_extras'
  limits?: {
    /** Maximum body size of an API request, and of a control request without a document, in bytes. @default 1048576 */
    body?: number
    /** Maximum number of parameters in a form or query. @default 1000 */
    parameters?: number
    /** Maximum nesting of a parameter name. @default 4 */
    depth?: number
    /** Maximum size of a document in a control request, in bytes. @default 67108864 */
    control_body?: number
    /** Maximum nesting of a document. @default 64 */
    nesting?: number
    /** Maximum number of values (texts, numbers, lists, objects) in a document; a tenth of it in YAML, which takes ten times the memory to read. @default 5000000 */
    values?: number
    /** Maximum number of records in a document, including generated records and steps, and in a sandbox after a merge. @default 250000 */
    records?: number
    /** Maximum number of script entries, or of expectations, in a document. @default 10000 */
    entries?: number
    /** Maximum number of problems that are listed for a document; the search ends there. @default 1000 */
    problems?: number
    /** Maximum number of large documents of a sandbox that are being read or wait to be read. @default 16 */
    loads?: number
    /** Maximum time to read a large document, in milliseconds. @default 60000 */
    load_time?: number
    /** Maximum number of requests in the journal of a sandbox. @default 1000 */
    journal?: number
    /** Maximum memory of the journal of a sandbox, in bytes. @default 16777216 */
    journal_bytes?: number
    /** Maximum memory of the journals of all sandboxes together, in bytes; the largest journal drops requests first. @default 134217728 */
    journal_total?: number
    /** Maximum number of open event streams of a sandbox. @default 100 */
    streams?: number
    /** Maximum unread bytes of an event stream before it is closed. @default 1048576 */
    stream_backlog?: number
    /** Maximum number of verify requests of a sandbox that wait, and of requests that its script holds. @default 100 */
    waiting?: number
    /** Maximum number of script entries of a sandbox. @default 1000 */
    script?: number
    /** Maximum number of snapshots of a sandbox. @default 100 */
    snapshots?: number
    /** Maximum number of API keys of a sandbox. @default 10000 */
    keys?: number
    /** Maximum number of named sandboxes. @default 256 */
    sandboxes?: number
    /** Maximum number of open connections; further connections are closed immediately. @default 10000 */
    connections?: number
    /** Maximum time for the headers of a request to arrive, in milliseconds. @default 10000 */
    headers_timeout?: number
    /** Maximum time for a request to arrive, in milliseconds. @default 30000 */
    request_timeout?: number
    /** Maximum time that a shutdown waits for requests in flight, in milliseconds. @default 1000 */
    shutdown?: number
  }
  sandboxes?: {
    /** Whether, at limits.sandboxes, a new sandbox replaces the least recently used one that has no request in flight. @default false */
    evict_idle?: boolean
  }
  ids?: {
    prefixes?: {
      /** Id prefix of a merchant Account. @default "mch_" */
      merchant?: string
      /** Id prefix of a reseller Account. @default "rsl_" */
      reseller?: string
      /** Id prefix of a Location. @default "loc_" */
      location?: string
      /** Id prefix of a Ticket. @default "tkt_" */
      ticket?: string
      /** Id prefix of a Transaction. @default "txn_" */
      transaction?: string
      /** Id prefix of a User. @default "usr_" */
      user?: string
      /** Id prefix of a Refund. @default "rfd_" */
      refund?: string
    }
    /** Number of letters and digits after the prefix of an id. @default 24 */
    length?: number
  }
  shapes?: {
    /** Template of the list object, also of the Refunds in a Transaction. Placeholders: `$members`, exactly once, `$has_more`, `$url`, `$first_id` and `$last_id`. @default {"object":"list","url":"$url","data":"$members","has_more":"$has_more","first_id":"$first_id","last_id":"$last_id"} */
    list?: { [name: string]: unknown }
    /** Template of the error body. Placeholders: `$type`, `$code`, `$message`, `$param`, `$rule`, `$assumption` and `$request_id`; a placeholder without a value is left out. @default {"error":{"type":"$type","code":"$code","message":"$message","param":"$param","rule":"$rule","assumption":"$assumption","request_id":"$request_id"}} */
    error?: { [name: string]: unknown }
  }
  statuses?: {
    /** Status of a successful create. @default 200 */
    created?: 200 | 201
    /** Status of a malformed or invalid request. @default 400 */
    invalid?: number
    /** Status of a request without a known key. @default 401 */
    unauthenticated?: number
    /** Status when a reseller creates a Location. @default 403 */
    forbidden?: number
    /** Status when the resource in the path does not exist. @default 404 */
    missing?: number
    /** Status when a resource named in the body does not exist. @default 400 */
    reference_missing?: number
    /** Status of a refused Refund. @default 400 */
    refund_refused?: number
  }
  errors?: {
    /** Whether an error names its rule or assumption. @default true */
    expose_rule?: boolean
  }
  pagination?: {
    /** Page size without `limit`. @default 10 */
    default_limit?: number
    /** Maximum `limit`. @default 100 */
    max_limit?: number
    /** What happens to a `limit` out of range. @default "reject" */
    out_of_range?: 'reject' | 'clamp'
    /** Names of the two cursors in the query of a list: the page starts after the record that the first names, or ends before that of the second. @default ["starting_after","ending_before"] */
    cursors?: readonly string[]
    /** Order of every list except Refunds, whose order the reference documents. @default "newest_first" */
    order?: 'newest_first' | 'oldest_first'
  }
  search?: {
    /** How `search_query` matches a Ticket reference, ignoring case. @default "contains" */
    reference?: 'contains' | 'prefix' | 'exact'
    /** How `search_query` matches the last four digits of a card. @default "exact" */
    last4?: 'exact' | 'contains' | 'prefix'
  }
  parameters?: {
    /** What happens to a parameter that the reference does not have; `warn` drops it and reports it in a Warning header and in the log. @default "reject" */
    unknown?: 'reject' | 'warn' | 'ignore'
    /** What happens to a parameter that cannot be updated. @default "reject" */
    not_updatable?: 'reject' | 'ignore'
    /** Whether an update may unset a parameter that the create requires. @default "allow" */
    unset_required?: 'allow' | 'reject'
  }
  auth?: {
    /** Account id; when set, every key acts as this Account. @default null */
    accept_any_key?: string | null
    /** Whether a key sees everything, or only what belongs to its Account. @default "open" */
    visibility?: 'open' | 'scoped'
  }
  evidence?: {
    /** Whether the journal keeps requests. @default true */
    journal?: boolean
    /** Whether rules, assumptions and findings are counted. @default true */
    coverage?: boolean
    /** Header that names the test a request belongs to, for the reports of a run. @default "Test-Name" */
    test_header?: string
  }
  refunds?: {
    /** What an empty `amount` of a Refund does. @default "reject" */
    empty_amount?: 'reject' | 'remainder'
  }
  transactions?: {
    /** Currency when a request has none. @default "usd" */
    default_currency?: string
    /** What can be refunded: the amount, or the amount with tip and donation. @default "amount" */
    refundable?: 'amount' | 'amount_plus_extras'
  }
}

/** A Location as the API returns it. */
export type Location = {
  /** Resource identifier. */
  id: string
  /** Which resource it is. */
  object: 'location'
  /** Creation time, ISO 8601 in UTC. */
  created: string
  /** The merchant Account that it belongs to. */
  account: string
  /** The name shown. */
  display_name: string | null
  /** The address; in an answer always with all six sub-fields, null where there is no value. */
  address: {
    /** Two-letter country code (ISO 3166-1 alpha-2). */
    country: string | null
    /** Street, PO Box or company name. */
    line1: string | null
    /** Apartment, suite, unit or building. */
    line2: string | null
    /** City, district, suburb, town or village. */
    city: string | null
    /** ZIP or postal code. */
    postal_code: string | null
    /** State, county, province or region. */
    state: string | null
  }
  /** Phone number. */
  phone: string | null
  /** Web address. */
  website: string | null
  /** Key-value pairs of your own. */
  metadata: { [name: string]: string }
}

/** An Account as the API returns it. */
export type Account = {
  /** Resource identifier. */
  id: string
  /** Which resource it is. */
  object: 'account'
  /** Creation time, ISO 8601 in UTC. */
  created: string
  /** Which kind of Account it is. */
  type: 'merchant' | 'reseller' | null
  /** The name of the Account. */
  name: string | null
  /** Primary Account email. */
  email: string | null
  /** The address; in an answer always with all six sub-fields, null where there is no value. */
  address: {
    /** Two-letter country code (ISO 3166-1 alpha-2). */
    country: string | null
    /** Street, PO Box or company name. */
    line1: string | null
    /** Apartment, suite, unit or building. */
    line2: string | null
    /** City, district, suburb, town or village. */
    city: string | null
    /** ZIP or postal code. */
    postal_code: string | null
    /** State, county, province or region. */
    state: string | null
  }
  /** Phone number. */
  phone: string | null
  /** The reseller Account whose key created it. */
  reseller: string | null
  /** Key-value pairs of your own. */
  metadata: { [name: string]: string }
}

/** A User as the API returns it. */
export type User = {
  /** Resource identifier. */
  id: string
  /** Which resource it is. */
  object: 'user'
  /** Creation time, ISO 8601 in UTC. */
  created: string
  /** The parent Account. */
  account: string
  /** The name of the user. */
  name: string
  /** The address of the user. */
  email: string
}

/** A Ticket as the API returns it. */
export type Ticket = {
  /** Resource identifier. */
  id: string
  /** Which resource it is. */
  object: 'ticket'
  /** Creation time, ISO 8601 in UTC. */
  created: string
  /** The Location that it was opened at. */
  location: string
  /** What search_query matches. */
  reference: string | null
}

/** A Transaction as the API returns it. */
export type Transaction = {
  /** Resource identifier. */
  id: string
  /** Which resource it is. */
  object: 'transaction'
  /** Creation time, ISO 8601 in UTC. */
  created: string
  /** The Ticket that it pays. */
  ticket: string
  /** The Ticket's Location. */
  location: string
  /** How it is paid. */
  payment_type: PaymentType
  /** What is kept of how it was paid (A25). */
  payment_method: {
    /** The payment type. */
    type: PaymentType
    /** The card, where one was used. */
    card: {
      /** The brand. */
      brand: string | null
      /** The last four digits of the number. */
      last4: string | null
    } | null
    /** The bank account, where one was used. */
    bank_account: {
      /** The name of the bank. */
      bank_name: string | null
      /** The last four digits of the account number. */
      last4: string | null
    } | null
  }
  /** Three-letter ISO currency code, lower case. */
  currency: string
  /** The amount settled, in sub-units. */
  amount: number
  /** The tip, in sub-units. */
  tip_amount: number | null
  /** As it was sent. */
  donation_amount: number | null
  /** As it was sent. */
  adjustment_number: number | null
  /** As it was sent (A24). */
  amounts: {
    /** The currency, where the top level has none. */
    currency?: string
    /** The amount, where the top level has none. */
    transaction_amount?: number
    /** The amount, where neither the top level nor transaction_amount has one. */
    payment_amount?: number
    /** The tip, where the top level has none. */
    tip_amount?: number
  } | null
  /** Who paid. */
  customer: {
    /** The name of the customer. */
    name: string | null
    /** E-mail address. */
    email: string | null
    /** Phone number. */
    phone: string | null
  } | null
  /** The sum of its Refunds, in sub-units. */
  amount_refunded: number
  /** The 10 most recent Refunds (TXN-8). */
  refunds: {
    object: 'list'
    /** The path of the list. */
    url: string
    data: Refund[]
    /** True when more results can be fetched. */
    has_more: boolean
    /** The first record retrieved for the page, before any post-hoc filter. */
    first_id: string | null
    /** The last record retrieved for the page, before any post-hoc filter. */
    last_id: string | null
  }
}

/** A Refund as the API returns it. */
export type Refund = {
  /** Resource identifier. */
  id: string
  /** Which resource it is. */
  object: 'refund'
  /** Creation time, ISO 8601 in UTC. */
  created: string
  /** The Transaction that it returns funds of. */
  transaction: string
  /** Sub-units of the currency. */
  amount: number
  /** That of its Transaction. */
  currency: string
  /** Why it was made. */
  reason: string | null
  /** What is kept of how it was paid (A25). */
  payment_method: {
    /** The payment type. */
    type: PaymentType
    /** The card, where one was used. */
    card: {
      /** The brand. */
      brand: string | null
      /** The last four digits of the number. */
      last4: string | null
    } | null
    /** The bank account, where one was used. */
    bank_account: {
      /** The name of the bank. */
      bank_name: string | null
      /** The last four digits of the account number. */
      last4: string | null
    } | null
  }
  /** Key-value pairs of your own. */
  metadata: { [name: string]: string }
}

/** The loaded scenario. */
export type LoadedScenario = {
  name: string
  description: string | null
}

/** What a reset went back to. */
export type Reset = {
  scenario: LoadedScenario
}

/** What was loaded; `warnings` are likely mistakes. */
export type Loaded = {
  scenario: LoadedScenario
  dry_run: boolean
  warnings?: Problem[]
}

/** One thing that is wrong with a document, or with settings. */
export type Problem = {
  /** Where in the document, as `tickets[3].location`; empty for the document itself. */
  path: string
  /** What kind of problem it is, for programs; messages may change. */
  code?: string
  message: string
  file?: string
  line?: number
  column?: number
}

/** The clock that stamps `created`. */
export type ClockState = {
  /** An ISO 8601 instant. */
  now: string
  /** Whether it runs on from there. */
  running: boolean
}

/** The scenario that was loaded at the snapshot, and its clock. */
export type SnapshotState = {
  name: string
  scenario: string
  clock: ClockState
}

/** A snapshot. */
export type SnapshotName = {
  name: string
}

/** The state as a fixture to change and load again: each record has its id and time of creation. */
export type State = {
  api_keys: ApiKey[]
  accounts: (AccountFixture & { id: string; created: string })[]
  users: (UserFixture & { id: string; created: string })[]
  locations: (LocationFixture & { id: string; created: string })[]
  tickets: (TicketFixture & { id: string; created: string })[]
  transactions: (TransactionFixture & { id: string; created: string })[]
  refunds: (RefundFixture & { id: string; created: string })[]
}

/** The records as the API returns them, with their further fields. */
export type AddedRecords = {
  api_keys: ApiKey[]
  accounts: (Account & { extra?: { [name: string]: unknown } })[]
  users: (User & { extra?: { [name: string]: unknown } })[]
  locations: (Location & { extra?: { [name: string]: unknown } })[]
  tickets: (Ticket & { extra?: { [name: string]: unknown } })[]
  transactions: (Transaction & { extra?: { [name: string]: unknown } })[]
  refunds: (Refund & { extra?: { [name: string]: unknown } })[]
}

/** A script entry with its id and how often it was used. */
export type ListedEntry = {
  id: string
  entry: ScriptEntry
  /** Requests that matched. */
  matched: number
  /** Requests that it was applied to. */
  applied: number
  /** Requests with a value too long for its pattern. */
  too_long?: number
  /** What nearly matched. */
  near_misses?: NearMiss[]
}

/** A gate of the script, with the requests that wait at it, in the order in which they came. */
export type Gate = {
  name: string
  open: boolean
  waiting: {
    id: string
    on: OperationName
  }[]
}

/** The requests that went on. */
export type OpenedGate = {
  name: string
  released: string[]
}

/** Parameters as they were sent, nested; secrets are masked. */
export type Parameters = { [name: string]: string | readonly string[] | Parameters }

/** A request of the journal. */
export type JournalCall = {
  /** Over a run, the name of its sandbox; null at the base address. */
  sandbox?: string | null
  /** The Request-Id of the response. */
  id: string
  /** When it came, by the clock of the sandbox. */
  at: string
  /** Null where no operation matched. */
  on: OperationName | null
  method: string
  /** Below the base address, without the query. */
  path: string
  params: { [name: string]: string }
  /** The Account that the key acts as; null without a valid key. */
  account: string | null
  query: Parameters
  body: Parameters
  /** The test that sent the request, by its Test-Name header. */
  test: string | null
  /** Lost before or after the operation ran, by a script; `not_written`: the data file could not be written. */
  outcome:
    | 'refused'
    | 'answered'
    | 'scripted'
    | 'lost_before'
    | 'lost_after'
    | 'not_written'
  status: number
  answer: unknown
  /** Whether the response was sent. */
  answered: boolean
  took_effect: boolean
  refusal: {
    code: string
    rule: RuleId | null
    assumption: AssumptionId | null
    param: string | null
  } | null
  user_agent: string | null
  script: {
    id: string
    name: string | null
    fault: string | null
  } | null
  /** Duration in milliseconds. */
  ms: number
}

/** The journal, newest first. */
export type Journal = {
  object: 'list'
  data: JournalCall[]
  has_more: boolean
  /** Requests that the journal had to drop. */
  dropped: number
}

/** A request or record, by its id, that is not what was wanted, and why. */
export type NearMiss = {
  in: string
  misses: {
    condition: string
    wanted: string
    got: string
  }[]
}

/** A request, and why it was answered so: the rules as they were decided, with the figures that they saw. */
export type ExplainedCall = {
  /** Over a run, the name of its sandbox; null at the base address. */
  sandbox?: string | null
  /** The Request-Id of the response. */
  id: string
  /** When it came, by the clock of the sandbox. */
  at: string
  /** Null where no operation matched. */
  on: OperationName | null
  method: string
  /** Below the base address, without the query. */
  path: string
  params: { [name: string]: string }
  /** The Account that the key acts as; null without a valid key. */
  account: string | null
  query: Parameters
  body: Parameters
  /** The test that sent the request, by its Test-Name header. */
  test: string | null
  /** Lost before or after the operation ran, by a script; `not_written`: the data file could not be written. */
  outcome:
    | 'refused'
    | 'answered'
    | 'scripted'
    | 'lost_before'
    | 'lost_after'
    | 'not_written'
  status: number
  answer: unknown
  /** Whether the response was sent. */
  answered: boolean
  took_effect: boolean
  refusal: {
    code: string
    rule: RuleId | null
    assumption: AssumptionId | null
    param: string | null
  } | null
  user_agent: string | null
  script: {
    id: string
    name: string | null
    fault: string | null
  } | null
  /** Duration in milliseconds. */
  ms: number
  why: {
    rules: ({
      rule: RuleId
      verdict: 'kept' | 'broken'
      text: string
      facts?: { [name: string]: unknown }
    })[]
    assumptions: {
      assumption: AssumptionId
      topic: string
    }[]
    /** The requests that last changed the records that this one was judged by. */
    changed_by: string[]
    /** Unused script entries and unmet expectations that the request nearly matched; not in a report. */
    near_misses?: NearMiss[]
  }
}

/** How a request would be answered, on a copy of the sandbox; the id is that of the next request. */
export type TriedCall = {
  /** Over a run, the name of its sandbox; null at the base address. */
  sandbox?: string | null
  /** The Request-Id of the response. */
  id: string
  /** When it came, by the clock of the sandbox. */
  at: string
  /** Null where no operation matched. */
  on: OperationName | null
  method: string
  /** Below the base address, without the query. */
  path: string
  params: { [name: string]: string }
  /** The Account that the key acts as; null without a valid key. */
  account: string | null
  query: Parameters
  body: Parameters
  /** The test that sent the request, by its Test-Name header. */
  test: string | null
  /** Lost before or after the operation ran, by a script; `not_written`: the data file could not be written. */
  outcome:
    | 'refused'
    | 'answered'
    | 'scripted'
    | 'lost_before'
    | 'lost_after'
    | 'not_written'
  status: number
  answer: unknown
  /** Whether the response was sent. */
  answered: boolean
  took_effect: boolean
  refusal: {
    code: string
    rule: RuleId | null
    assumption: AssumptionId | null
    param: string | null
  } | null
  /** Of the response, by lower-case names, without those of the connection. */
  headers: { [name: string]: string | string[] }
  script: {
    id: string
    name: string | null
    fault: string | null
    /** Milliseconds that the script would delay it. */
    delay: number
    /** Where the script would hold it. */
    gate: string | null
  } | null
  why: {
    rules: ({
      rule: RuleId
      verdict: 'kept' | 'broken'
      text: string
      facts?: { [name: string]: unknown }
    })[]
    assumptions: {
      assumption: AssumptionId
      topic: string
    }[]
    /** The requests that last changed the records that this one was judged by. */
    changed_by: string[]
    /** Unused script entries and unmet expectations that the request nearly matched; not in a report. */
    near_misses?: NearMiss[]
  }
  changes: {
    /** As the API returns them; null where there is none. */
    records: ({
      family: 'accounts' | 'users' | 'locations' | 'tickets' | 'transactions' | 'refunds'
      id: string
      before: unknown
      after: unknown
    })[]
    /** Entries that would count it. */
    script: {
      id: string
      /** Requests that matched. */
      matched: number
      /** Requests that it was applied to. */
      applied: number
      /** Requests with a value too long for its pattern. */
      too_long?: number
      /** What nearly matched. */
      near_misses?: NearMiss[]
    }[]
  }
}

/** What `verify` saw. */
export type Verdict = {
  holds: boolean
  message: string
  /** Requests that matched. */
  seen?: number
  /** The last matching requests; of a sequence, their ids. */
  requests?: JournalCall[] | string[]
  /** What nearly matched. */
  near_misses?: NearMiss[]
  /** The expectations of the scenario. */
  expectations?: {
    expectation: Expectation
    wanted: string
    seen: number
    holds: boolean
    exceeded: boolean
    message: string
    /** Of an unmet expectation: the requests that counted. */
    requests?: string[]
    /** What nearly matched. */
    near_misses?: NearMiss[]
  }[]
  unused_script_entries?: ListedEntry[]
}

/** How often requests kept and broke each rule. */
export type CoverageReport = {
  /** Outcomes: a rule that requests can both keep and break has two, any other rule one. */
  seen: number
  possible: number
  percent: number
  never_exercised: RuleId[]
  /** Kept by some request and broken by none, though a request can break them. */
  never_violated: RuleId[]
  rules: {
    rule: RuleId
    text: string
    violable: boolean
    keepable: boolean
    satisfied: number
    violated: number
  }[]
}

/** The mistakes that the client under test made, each with the requests that show it. */
export type FindingsReport = {
  data: ({
    finding: FindingName
    severity: 'error' | 'warning'
    about: string
    advice: string
    times: number
    requests: string[]
  })[]
}

/** A request of a run, named `SANDBOX#PERIOD/req_N`. */
export type RunCall = {
  request: string
  /** The test that sent it, by its Test-Name header. */
  test: string | null
  on: string | null
  method: string
  path: string
  /** Lost before or after the operation ran, by a script; `not_written`: the data file could not be written. */
  outcome:
    | 'refused'
    | 'answered'
    | 'scripted'
    | 'lost_before'
    | 'lost_after'
    | 'not_written'
  status: number
  /** There if the request was refused or a finding names it. */
  entry: ExplainedCall | null
}

/** The run: every sandbox, load and reset since the emulator started. */
export type RunReport = {
  object: 'run'
  version: string
  scenario: LoadedScenario
  calls: number
  coverage: CoverageReport
  findings: ({
    finding: FindingName
    severity: 'error' | 'warning'
    about: string
    advice: string
    times: number
    requests: string[]
  })[]
  /** Those that some response relied on. */
  assumptions: {
    assumption: AssumptionId
    topic: string
    default: string
    times: number
    requests: string[]
  }[]
  unused_script_entries: ListedEntry[]
  /** Of each sandbox, null at the base address, with the tests that used it. */
  unmet_expectations: ({
    expectation: Expectation
    wanted: string
    seen: number
    holds: boolean
    exceeded: boolean
    message: string
    /** Of an unmet expectation: the requests that counted. */
    requests?: string[]
    /** What nearly matched. */
    near_misses?: NearMiss[]
    sandbox: string | null
    tests: string[]
  })[]
  sandboxes: ({
    sandbox: string | null
    periods: number
  })[]
  /** `test` is null for the requests that named none. */
  tests: ({
    test: string | null
    calls: number
    refused: number
    kept: RuleId[]
    broken: RuleId[]
    findings: {
      finding: FindingName
      times: number
    }[]
  })[]
  requests: RunCall[]
  /** What exceeds the limits of what is kept. */
  omitted: {
    requests: number
    entries: number
    by_test: number
  }
}

/** An emulator or sandbox at a glance. */
export type Overview = {
  name: string
  version: string
  scenario: LoadedScenario
  seed: number
  clock: ClockState
  /** Since the last load or reset. */
  calls: number
  counts: {
    accounts: number
    users: number
    locations: number
    tickets: number
    transactions: number
    refunds: number
  }
  links: { [name: string]: string } & { schemas: string[] }
}

/** Whether the start scenario is loaded. */
export type Health = {
  status: 'ready' | 'starting'
  version: string
  scenario?: string
}

/** The difference from the loaded scenario's first state. */
export type Changes = {
  records: {
    accounts?: {
      added: number
      changed: number
      deleted: number
    }
    users?: {
      added: number
      changed: number
      deleted: number
    }
    locations?: {
      added: number
      changed: number
      deleted: number
    }
    tickets?: {
      added: number
      changed: number
      deleted: number
    }
    transactions?: {
      added: number
      changed: number
      deleted: number
    }
    refunds?: {
      added: number
      changed: number
      deleted: number
    }
  }
  keys: {
    added: number
    deleted: number
  }
  clock: {
    began: {
      now: string | null
      running: boolean
    }
    changed: boolean
  }
  script: {
    added: string[]
    removed: string[]
    matched: number
  }
  settings: string[]
}

/** A scenario or fixture that can be loaded; `vars` are its variables with their defaults. */
export type ListedScenario = {
  name: string
  kind: 'scenario' | 'fixture'
  title?: string
  description: string | null
  vars?: { [name: string]: string | number | boolean }
}

/** A named sandbox. */
export type SandboxItem = {
  name: string
  api: string
  control: string
  scenario: string
  records: number
  requests: number
  in_flight: number
}

/** An assumption, with the values of its settings and the responses that relied on it. */
export type ShownAssumption = {
  id: string
  topic: string
  default: string
  settings: { [name: string]: unknown }
  standing: boolean
  times: number
  requests: string[]
}

/** Each setting: its value, where that came from, and what it may be. */
export type ShownSettings = {
  settings: { [name: string]: ShownSetting }
}

/** A setting. */
export type ShownSetting = {
  value: unknown
  source: string
  given_by: string | null
  default: unknown
  scope: 'process' | 'sandbox'
  about: string
  schema: { type?: string | readonly string[]; enum?: readonly (string | number | boolean)[]; minimum?: number; maximum?: number }
  flag: string
  variable: string
  scenario: string | null
  assumption: string | null
}

/** Whether a token is required, and whether the console is signed in. */
export type Session = {
  token_required: boolean
  signed_in: boolean
}

/** An operation of the reference: a method and a path. */
export type OperationName =
  | 'POST /locations'
  | 'GET /locations/{id}'
  | 'POST /locations/{id}'
  | 'GET /locations'
  | 'DELETE /locations/{id}'
  | 'POST /accounts'
  | 'GET /accounts/{id}'
  | 'POST /accounts/{id}'
  | 'GET /accounts'
  | 'DELETE /accounts/{id}'
  | 'POST /accounts/{id}/users'
  | 'GET /accounts/{id}/users'
  | 'DELETE /accounts/{account_id}/users/{user_id}'
  | 'GET /tickets/{id}'
  | 'GET /tickets'
  | 'GET /transactions/{id}'
  | 'POST /transactions'
  | 'GET /transactions'
  | 'POST /refunds'
  | 'GET /refunds/{id}'
  | 'POST /refunds/{id}'
  | 'GET /refunds'

/** How a Transaction is paid. */
export type PaymentType = 'card' | 'apple_pay' | 'google_pay' | 'emv' | 'external' | 'paypal' | 'vip'

/** What an Account is. */
export type AccountType = 'merchant' | 'reseller'

/** A rule of the reference. */
export type RuleId =
  | 'FORM-1'
  | 'FORM-2'
  | 'FORM-3'
  | 'AUTH-1'
  | 'AUTH-2'
  | 'AUTH-3'
  | 'BASE-1'
  | 'ADDR-1'
  | 'ADDR-2'
  | 'META-1'
  | 'META-2'
  | 'META-3'
  | 'UPD-1'
  | 'UPD-2'
  | 'LIST-1'
  | 'LIST-2'
  | 'LIST-3'
  | 'FILT-1'
  | 'FILT-2'
  | 'FILT-3'
  | 'FILT-4'
  | 'FILT-5'
  | 'FILT-6'
  | 'SRCH-1'
  | 'SRCH-2'
  | 'SRCH-3'
  | 'LOC-1'
  | 'LOC-2'
  | 'LOC-3'
  | 'LOC-4'
  | 'ACC-1'
  | 'ACC-2'
  | 'ACC-3'
  | 'ACC-4'
  | 'ACC-5'
  | 'USR-1'
  | 'USR-2'
  | 'USR-3'
  | 'USR-4'
  | 'TKT-1'
  | 'TXN-1'
  | 'TXN-2'
  | 'TXN-3'
  | 'TXN-4'
  | 'TXN-5'
  | 'TXN-6'
  | 'TXN-7'
  | 'TXN-8'
  | 'REF-1'
  | 'REF-2'
  | 'REF-3'
  | 'REF-4'
  | 'REF-5'
  | 'REF-6'
  | 'REF-7'
  | 'REF-8'
  | 'REF-9'
  | 'REF-10'

/** An assumption of the emulator. */
export type AssumptionId =
  | 'A01'
  | 'A02'
  | 'A03'
  | 'A04'
  | 'A05'
  | 'A06'
  | 'A07'
  | 'A08'
  | 'A09'
  | 'A10'
  | 'A11'
  | 'A12'
  | 'A13'
  | 'A14'
  | 'A15'
  | 'A16'
  | 'A17'
  | 'A18'
  | 'A19'
  | 'A20'
  | 'A21'
  | 'A22'
  | 'A23'
  | 'A24'
  | 'A25'
  | 'A26'
  | 'A27'
  | 'A28'
  | 'A29'
  | 'A30'
  | 'A31'
  | 'A32'
  | 'A33'
  | 'A34'
  | 'A35'
  | 'A36'
  | 'A37'
  | 'A38'
  | 'A39'
  | 'A40'

/** A mistake that a client can make. */
export type FindingName =
  | 'stopped-at-empty-page'
  | 'double-refund-risk'
  | 'double-payment-risk'
  | 'search-without-narrowing'
  | 'unknown-parameter'
  | 'unused-parameter'
  | 'key-sent-needlessly'
  | 'card-number-sent'
  | 'foreign-record'
  | 'empty-amount'
  | 'zero-payment'
  | 'retry-after-ignored'
  | 'refused-and-repeated'

/** The code of a refusal, of the API or the control API. */
export type AnswerCode =
  | 'path_unknown'
  | 'method_not_allowed'
  | 'api_key_missing'
  | 'api_key_unknown'
  | 'api_key_malformed'
  | 'operation_disabled'
  | 'content_type_unsupported'
  | 'body_too_large'
  | 'body_unexpected'
  | 'form_malformed'
  | 'form_too_large'
  | 'parameter_unknown'
  | 'parameter_not_updatable'
  | 'parameter_missing'
  | 'parameter_invalid'
  | 'cursor_unknown'
  | 'resource_missing'
  | 'reference_missing'
  | 'merchant_required'
  | 'charge_has_no_amount'
  | 'charge_already_refunded'
  | 'refund_exceeds_remaining'
  | 'request_malformed'
  | 'headers_too_large'
  | 'request_timeout'
  | 'expectation_failed'
  | 'internal_error'
  | 'not_ready'
  | 'host_not_allowed'
  | 'origin_not_allowed'
  | 'token_required'
  | 'body_malformed'
  | 'document_invalid'
  | 'document_too_large'
  | 'load_limit'
  | 'state_changed'
  | 'scenario_unknown'
  | 'request_unknown'
  | 'journal_incomplete'
  | 'snapshot_unknown'
  | 'gate_unknown'
  | 'entry_unknown'
  | 'sandbox_unknown'
  | 'sandbox_limit'
  | 'limit_reached'
  | 'data_not_written'
  | 'name_invalid'
  | 'account_unknown'
  | 'setting_invalid'
