/** What documents, records, settings and names look like: written by `npm run schema` from the tables that the emulator checks them by. */

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
  /** What ids and keys are drawn from. */
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
    /** Letters and digits after the prefix. @default 24 */
    length?: number
  }
  shapes?: {
    /** Template of the list object, of the Refunds in a Transaction too: the placeholders are `$members`, once, `$has_more`, `$url`, `$first_id` and `$last_id`. @default {"object":"list","url":"$url","data":"$members","has_more":"$has_more","first_id":"$first_id","last_id":"$last_id"} */
    list?: { [name: string]: unknown }
    /** Template of the error body: the placeholders are `$type`, `$code`, `$message`, `$param`, `$rule`, `$assumption` and `$request_id`; one without a value is left out. @default {"error":{"type":"$type","code":"$code","message":"$message","param":"$param","rule":"$rule","assumption":"$assumption","request_id":"$request_id"}} */
    error?: { [name: string]: unknown }
  }
  statuses?: {
    /** Status of a successful create. @default 200 */
    created?: 200 | 201
    /** Status of a call that is not well formed or not valid. @default 400 */
    invalid?: number
    /** Status without a known key. @default 401 */
    unauthenticated?: number
    /** Status of a reseller creating a Location. @default 403 */
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
    /** Page size when limit is left out. @default 10 */
    default_limit?: number
    /** Largest limit. @default 100 */
    max_limit?: number
    /** What happens to a limit out of range. @default "reject" */
    out_of_range?: 'reject' | 'clamp'
    /** Names of the two cursors in the query of a list: the page starts after the record that the first names, or ends before that of the second. @default ["starting_after","ending_before"] */
    cursors?: readonly string[]
    /** Order of every list but the Refunds, which the reference documents. @default "newest_first" */
    order?: 'newest_first' | 'oldest_first'
  }
  search?: {
    /** How search_query matches a Ticket reference; letter case is ignored. @default "contains" */
    reference?: 'contains' | 'prefix' | 'exact'
    /** How search_query matches the last four digits of a card. @default "exact" */
    last4?: 'exact' | 'contains' | 'prefix'
  }
  parameters?: {
    /** What happens to a parameter that the reference does not name; warn drops it and says so in a Warning header and the log. @default "reject" */
    unknown?: 'reject' | 'warn' | 'ignore'
    /** What happens to a parameter that an update cannot change. @default "reject" */
    not_updatable?: 'reject' | 'ignore'
    /** Whether an update may unset a parameter that the create requires. @default "allow" */
    unset_required?: 'allow' | 'reject'
  }
  auth?: {
    /** An Account id: every key then acts as that Account. @default null */
    accept_any_key?: string | null
    /** Whether a key sees everything, or only what belongs to its Account. @default "open" */
    visibility?: 'open' | 'scoped'
  }
  evidence?: {
    /** Whether calls are kept in the journal. @default true */
    journal?: boolean
    /** Whether rules, assumptions and findings are counted. @default true */
    coverage?: boolean
    /** Header in which calls name the test that makes them, for the reports of a run. @default "Test-Name" */
    test_header?: string
  }
  refunds?: {
    /** What an empty amount of a Refund does. @default "reject" */
    empty_amount?: 'reject' | 'remainder'
  }
  transactions?: {
    /** Currency when none is sent. @default "usd" */
    default_currency?: string
    /** What can be refunded: the amount, or the amount plus tip and donation. @default "amount" */
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
  /** Folder of your own fixtures, looked in before the package's. @default null */
  fixtures_dir?: string | null
  /** Folder of your own scenarios, looked in before the package's. @default null */
  scenarios_dir?: string | null
  /** Folder that snapshots are kept in over restarts; left out: in memory. @default null */
  snapshots_dir?: string | null
  /** Loads the scenario anew when one of its files changes. @default false */
  watch?: boolean
  /** What is logged, to stderr. @default "info" */
  log_level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  /** Whether the emulated API answers browsers of other origins. @default true */
  cors?: boolean
  /** When set, control calls need `Authorization: Bearer TOKEN`. At least 16 characters. @default null */
  control_token?: string | null
  /** Further Host names that may reach the control API, separated by commas. @default [] */
  control_hosts?: readonly string[]
  /** Largest body of an API call, and of a control call that brings no document, in bytes. @default 1048576 */
  'limits.body'?: number
  /** Most parameters in one form or query. @default 1000 */
  'limits.parameters'?: number
  /** Deepest nesting of a parameter name. @default 4 */
  'limits.depth'?: number
  /** Largest document that a control call brings, in bytes. @default 67108864 */
  'limits.control_body'?: number
  /** Deepest nesting of a document. @default 64 */
  'limits.nesting'?: number
  /** Most values (texts, numbers, lists, objects) in one document; in YAML, which takes ten times the memory to read, a tenth of them. @default 5000000 */
  'limits.values'?: number
  /** Most records that one document brings in, those to be generated and the steps included, and that a sandbox holds after a merge. @default 250000 */
  'limits.records'?: number
  /** Most members of a list of script entries or expectations in one document. @default 10000 */
  'limits.entries'?: number
  /** Most problems of a document that are listed; nothing after them is looked for. @default 1000 */
  'limits.problems'?: number
  /** Most large documents of a sandbox that are read or wait to be read. @default 16 */
  'limits.loads'?: number
  /** Longest that reading a large document may take, in milliseconds. @default 60000 */
  'limits.load_time'?: number
  /** Most calls that the journal of a sandbox keeps. @default 1000 */
  'limits.journal'?: number
  /** Most memory that the journal of a sandbox holds, in bytes. @default 16777216 */
  'limits.journal_bytes'?: number
  /** Most memory that the journals of all sandboxes hold together, in bytes; the largest give way first. @default 134217728 */
  'limits.journal_total'?: number
  /** Most event streams of a sandbox at once. @default 100 */
  'limits.streams'?: number
  /** Most that the reader of an event stream may leave unread before it is ended, in bytes. @default 1048576 */
  'limits.stream_backlog'?: number
  /** Most verify calls of a sandbox that wait at once, and most calls that its script holds. @default 100 */
  'limits.waiting'?: number
  /** Most script entries of a sandbox. @default 1000 */
  'limits.script'?: number
  /** Most snapshots of a sandbox. @default 100 */
  'limits.snapshots'?: number
  /** Most API keys of a sandbox. @default 10000 */
  'limits.keys'?: number
  /** Most named sandboxes. @default 256 */
  'limits.sandboxes'?: number
  /** Most connections at once; a further one is closed at once. @default 10000 */
  'limits.connections'?: number
  /** Longest that the headers of a request may take to arrive, in milliseconds. @default 10000 */
  'limits.headers_timeout'?: number
  /** Longest that a request may take to arrive, in milliseconds. @default 30000 */
  'limits.request_timeout'?: number
  /** Longest that calls in flight hold up a shutdown, in milliseconds. @default 1000 */
  'limits.shutdown'?: number
  /** Whether at limits.sandboxes the least recently used sandbox without a call in flight makes room for a new one. @default false */
  'sandboxes.evict_idle'?: boolean
  /** File that keeps the state of every sandbox over restarts; left out: in memory. @default null */
  data?: string | null
  /** Whether a change in the data file survives a power failure; false saves the wait for the device. @default true */
  data_sync?: boolean
  /** What ids and keys are drawn from. @default 1 */
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
  /** Letters and digits after the prefix. @default 24 */
  'ids.length'?: number
  /** Template of the list object, of the Refunds in a Transaction too: the placeholders are `$members`, once, `$has_more`, `$url`, `$first_id` and `$last_id`. @default {"object":"list","url":"$url","data":"$members","has_more":"$has_more","first_id":"$first_id","last_id":"$last_id"} */
  'shapes.list'?: { [name: string]: unknown }
  /** Template of the error body: the placeholders are `$type`, `$code`, `$message`, `$param`, `$rule`, `$assumption` and `$request_id`; one without a value is left out. @default {"error":{"type":"$type","code":"$code","message":"$message","param":"$param","rule":"$rule","assumption":"$assumption","request_id":"$request_id"}} */
  'shapes.error'?: { [name: string]: unknown }
  /** Status of a successful create. @default 200 */
  'statuses.created'?: 200 | 201
  /** Status of a call that is not well formed or not valid. @default 400 */
  'statuses.invalid'?: number
  /** Status without a known key. @default 401 */
  'statuses.unauthenticated'?: number
  /** Status of a reseller creating a Location. @default 403 */
  'statuses.forbidden'?: number
  /** Status when the resource in the path does not exist. @default 404 */
  'statuses.missing'?: number
  /** Status when a resource named in the body does not exist. @default 400 */
  'statuses.reference_missing'?: number
  /** Status of a refused Refund. @default 400 */
  'statuses.refund_refused'?: number
  /** Whether an error names its rule or assumption. @default true */
  'errors.expose_rule'?: boolean
  /** Page size when limit is left out. @default 10 */
  'pagination.default_limit'?: number
  /** Largest limit. @default 100 */
  'pagination.max_limit'?: number
  /** What happens to a limit out of range. @default "reject" */
  'pagination.out_of_range'?: 'reject' | 'clamp'
  /** Names of the two cursors in the query of a list: the page starts after the record that the first names, or ends before that of the second. @default ["starting_after","ending_before"] */
  'pagination.cursors'?: readonly string[]
  /** Order of every list but the Refunds, which the reference documents. @default "newest_first" */
  'pagination.order'?: 'newest_first' | 'oldest_first'
  /** How search_query matches a Ticket reference; letter case is ignored. @default "contains" */
  'search.reference'?: 'contains' | 'prefix' | 'exact'
  /** How search_query matches the last four digits of a card. @default "exact" */
  'search.last4'?: 'exact' | 'contains' | 'prefix'
  /** What happens to a parameter that the reference does not name; warn drops it and says so in a Warning header and the log. @default "reject" */
  'parameters.unknown'?: 'reject' | 'warn' | 'ignore'
  /** What happens to a parameter that an update cannot change. @default "reject" */
  'parameters.not_updatable'?: 'reject' | 'ignore'
  /** Whether an update may unset a parameter that the create requires. @default "allow" */
  'parameters.unset_required'?: 'allow' | 'reject'
  /** An Account id: every key then acts as that Account. @default null */
  'auth.accept_any_key'?: string | null
  /** Whether a key sees everything, or only what belongs to its Account. @default "open" */
  'auth.visibility'?: 'open' | 'scoped'
  /** Whether calls are kept in the journal. @default true */
  'evidence.journal'?: boolean
  /** Whether rules, assumptions and findings are counted. @default true */
  'evidence.coverage'?: boolean
  /** Header in which calls name the test that makes them, for the reports of a run. @default "Test-Name" */
  'evidence.test_header'?: string
  /** What an empty amount of a Refund does. @default "reject" */
  'refunds.empty_amount'?: 'reject' | 'remainder'
  /** Currency when none is sent. @default "usd" */
  'transactions.default_currency'?: string
  /** What can be refunded: the amount, or the amount plus tip and donation. @default "amount" */
  'transactions.refundable'?: 'amount' | 'amount_plus_extras'
  limits?: {
    /** Largest body of an API call, and of a control call that brings no document, in bytes. @default 1048576 */
    body?: number
    /** Most parameters in one form or query. @default 1000 */
    parameters?: number
    /** Deepest nesting of a parameter name. @default 4 */
    depth?: number
    /** Largest document that a control call brings, in bytes. @default 67108864 */
    control_body?: number
    /** Deepest nesting of a document. @default 64 */
    nesting?: number
    /** Most values (texts, numbers, lists, objects) in one document; in YAML, which takes ten times the memory to read, a tenth of them. @default 5000000 */
    values?: number
    /** Most records that one document brings in, those to be generated and the steps included, and that a sandbox holds after a merge. @default 250000 */
    records?: number
    /** Most members of a list of script entries or expectations in one document. @default 10000 */
    entries?: number
    /** Most problems of a document that are listed; nothing after them is looked for. @default 1000 */
    problems?: number
    /** Most large documents of a sandbox that are read or wait to be read. @default 16 */
    loads?: number
    /** Longest that reading a large document may take, in milliseconds. @default 60000 */
    load_time?: number
    /** Most calls that the journal of a sandbox keeps. @default 1000 */
    journal?: number
    /** Most memory that the journal of a sandbox holds, in bytes. @default 16777216 */
    journal_bytes?: number
    /** Most memory that the journals of all sandboxes hold together, in bytes; the largest give way first. @default 134217728 */
    journal_total?: number
    /** Most event streams of a sandbox at once. @default 100 */
    streams?: number
    /** Most that the reader of an event stream may leave unread before it is ended, in bytes. @default 1048576 */
    stream_backlog?: number
    /** Most verify calls of a sandbox that wait at once, and most calls that its script holds. @default 100 */
    waiting?: number
    /** Most script entries of a sandbox. @default 1000 */
    script?: number
    /** Most snapshots of a sandbox. @default 100 */
    snapshots?: number
    /** Most API keys of a sandbox. @default 10000 */
    keys?: number
    /** Most named sandboxes. @default 256 */
    sandboxes?: number
    /** Most connections at once; a further one is closed at once. @default 10000 */
    connections?: number
    /** Longest that the headers of a request may take to arrive, in milliseconds. @default 10000 */
    headers_timeout?: number
    /** Longest that a request may take to arrive, in milliseconds. @default 30000 */
    request_timeout?: number
    /** Longest that calls in flight hold up a shutdown, in milliseconds. @default 1000 */
    shutdown?: number
  }
  sandboxes?: {
    /** Whether at limits.sandboxes the least recently used sandbox without a call in flight makes room for a new one. @default false */
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
    /** Letters and digits after the prefix. @default 24 */
    length?: number
  }
  shapes?: {
    /** Template of the list object, of the Refunds in a Transaction too: the placeholders are `$members`, once, `$has_more`, `$url`, `$first_id` and `$last_id`. @default {"object":"list","url":"$url","data":"$members","has_more":"$has_more","first_id":"$first_id","last_id":"$last_id"} */
    list?: { [name: string]: unknown }
    /** Template of the error body: the placeholders are `$type`, `$code`, `$message`, `$param`, `$rule`, `$assumption` and `$request_id`; one without a value is left out. @default {"error":{"type":"$type","code":"$code","message":"$message","param":"$param","rule":"$rule","assumption":"$assumption","request_id":"$request_id"}} */
    error?: { [name: string]: unknown }
  }
  statuses?: {
    /** Status of a successful create. @default 200 */
    created?: 200 | 201
    /** Status of a call that is not well formed or not valid. @default 400 */
    invalid?: number
    /** Status without a known key. @default 401 */
    unauthenticated?: number
    /** Status of a reseller creating a Location. @default 403 */
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
    /** Page size when limit is left out. @default 10 */
    default_limit?: number
    /** Largest limit. @default 100 */
    max_limit?: number
    /** What happens to a limit out of range. @default "reject" */
    out_of_range?: 'reject' | 'clamp'
    /** Names of the two cursors in the query of a list: the page starts after the record that the first names, or ends before that of the second. @default ["starting_after","ending_before"] */
    cursors?: readonly string[]
    /** Order of every list but the Refunds, which the reference documents. @default "newest_first" */
    order?: 'newest_first' | 'oldest_first'
  }
  search?: {
    /** How search_query matches a Ticket reference; letter case is ignored. @default "contains" */
    reference?: 'contains' | 'prefix' | 'exact'
    /** How search_query matches the last four digits of a card. @default "exact" */
    last4?: 'exact' | 'contains' | 'prefix'
  }
  parameters?: {
    /** What happens to a parameter that the reference does not name; warn drops it and says so in a Warning header and the log. @default "reject" */
    unknown?: 'reject' | 'warn' | 'ignore'
    /** What happens to a parameter that an update cannot change. @default "reject" */
    not_updatable?: 'reject' | 'ignore'
    /** Whether an update may unset a parameter that the create requires. @default "allow" */
    unset_required?: 'allow' | 'reject'
  }
  auth?: {
    /** An Account id: every key then acts as that Account. @default null */
    accept_any_key?: string | null
    /** Whether a key sees everything, or only what belongs to its Account. @default "open" */
    visibility?: 'open' | 'scoped'
  }
  evidence?: {
    /** Whether calls are kept in the journal. @default true */
    journal?: boolean
    /** Whether rules, assumptions and findings are counted. @default true */
    coverage?: boolean
    /** Header in which calls name the test that makes them, for the reports of a run. @default "Test-Name" */
    test_header?: string
  }
  refunds?: {
    /** What an empty amount of a Refund does. @default "reject" */
    empty_amount?: 'reject' | 'remainder'
  }
  transactions?: {
    /** Currency when none is sent. @default "usd" */
    default_currency?: string
    /** What can be refunded: the amount, or the amount plus tip and donation. @default "amount" */
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
