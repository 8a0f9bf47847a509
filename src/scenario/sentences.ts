/** The sentences about documents, steps and expectations. */
import {
  didYouMean,
  type Sentences,
  sayer,
  sentence,
  shortened,
  someOf
} from '../core/sentences.js'

const reference = (name: string) => `\${${shortened(name)}}`
const unknown =
  (what: string) =>
  (name: string, known: readonly string[], advice = didYouMean(name, known)) =>
    `${sentence(`${what} is called ${shortened(name) || '""'}${advice}`)} Available: ${someOf(known) || 'none'}.`

export const SAYS = {
  // documents, the files that they name, and variables
  more_problems: (maximum: number) =>
    `there may be more problems: only the first ${maximum} are shown`,
  empty_document: () =>
    'is empty; write at least tickets: [], or in a scenario fixtures: [bistro]. commerce-emulator new NAME writes a scenario to start from',
  reference_without_value: (reference: string) =>
    `${reference} has no value here: responses are known only in steps, play and expect; give the record an id under data, or use a variable`,
  not_a_variable_name: () => 'must be letters, digits, _ and -, beginning with a letter',
  variable_of_variable: () => 'must not refer to another variable; write the value itself',
  unknown_variable: (name: string, known: readonly string[]) =>
    unknown('no variable')(name, known, known.length === 0 ? '; declare it under vars' : undefined),
  variable_as_name: () => 'a variable can be a value or part of a value, but not a name',
  reference_not_closed: (text: string) =>
    `\${ is not closed; a reference ends with }, such as ${text}}`,
  no_fixture: unknown('no fixture'),
  no_scenario: unknown('No scenario'),
  too_large_to_show: (name: string, size: number, maximum: number) =>
    `${name} has ${size} bytes; at most ${maximum} bytes are shown. Read its file instead.`,
  no_shared_script: unknown('no file of groups'),
  not_a_group: () => 'must be a file and a group in it, such as outages.yaml#brief-outage',
  names_only: (reference: string) =>
    `only a document from a file can use paths; write a name instead of ${reference}`,
  no_file: (reference: string) => `there is no file ${reference}`,
  outside_folders: (reference: string) =>
    `${reference} lies outside the fixtures and scenarios folders`,

  // names that go together
  shared_alone: () =>
    'this file has only shared groups; load a scenario that lists a group under use',

  // records
  listed_twice: (what: string) => `${what} is listed twice`,
  reserved_field: (name: string) => `the API itself returns ${name}; write it outside extra`,
  missing_record: (resource: string, id: string, advice: string) =>
    `no ${resource} has the id ${shortened(id)}${id.includes('${') ? '; responses are known only in steps, play and expect' : advice}`,
  missing_account: (id: string) =>
    `auth.accept_any_key names ${id}, which is not an Account of the scenario`,
  sum_too_large: () => 'the amount with tip and donation is above 2^53-1',
  contradicts: (wanted: string, whose: string, got: string) =>
    `must be ${wanted}, like ${whose}; got ${got}`,
  below_refunds: (id: string, refunded: number, currency: string, charged: number) =>
    `the Refunds of ${id} add up to ${refunded} ${currency}, more than the ${charged} that can be refunded`,
  in_use: (id: string, referring: readonly string[]) =>
    `${id} cannot be deleted: ${someOf(referring)} ${referring.length === 1 ? 'refers' : 'refer'} to it`,
  missing_parent: (what: string, family: string) =>
    `there is no ${what} for the generated ${family}`,
  no_early_ticket: (location: string) =>
    `there is no Ticket at ${location} early enough to be paid; generate tickets before transactions`,
  not_shared: (count: number, each: string) =>
    `${count} Transactions cannot be split into groups of ${each}; write a size such as 2 or 1-3`,
  too_few_tickets: (location: string) =>
    `there are too few Tickets at ${location} for payments_per_ticket; generate more tickets`,

  // variables and shared entries
  unknown_group: unknown('no group'),
  group_name: () => 'the name of a group must be letters, digits, _, . and -',

  // script entries
  disabled: (operation: string) =>
    `can never apply: ${operation} is disabled and always responds with 501`,
  shadowed: (entry: string, on: string) =>
    `can never apply: ${entry} comes first, and is applied to every request of ${on}`,
  stale_change: (operation: string) =>
    `only a GET can respond with old records; ${operation} changes them`,
  no_change: () => 'must name at least one record, under data or delete',
  unknown_entry: unknown('no script entry'),
  not_counts: (isOfCalls: boolean, got: string) =>
    `must be 0, 1, 2-3${isOfCalls ? ', 4+ or every 7' : ' or 4+'}; got ${got}`,
  framing_header: (name: string) => `${name} is set by the emulator; leave it out`,
  not_a_header: () => 'must be a header name and a value without line breaks or control characters',
  header_of_key: () => 'this header is for the API key; write it under key',

  // conditions
  unknown_field: (resource: string, name: string, advice: string) =>
    `${resource} has no ${name}${advice}`,
  no_section: (whose: string, section: string) => `there is no ${section} in ${whose}`,
  never_matches: (why: string, advice = '') => `can never match: ${why}${advice}`,
  not_comparable: (name: string) =>
    `${name} is text; only numbers and instants can be compared. Match text by value, list or /pattern/.`,
  pattern_limit: (maximum: number, what: string, got: number) =>
    `must have at most ${maximum} ${what}; got ${got}. Shorten it, or list values instead.`,
  pattern_of_card: () =>
    'a pattern must not contain a full card number; write the number as text: only its digest is stored',
  bad_pattern: (pattern: string, why: string) =>
    `/${pattern}/ is not a regular expression in RE2 syntax: ${why}`,

  // expectations
  as_expected: () => 'As expected',
  not_sent: (names: readonly string[]) =>
    `It refers to ${names.map(reference).join(' and ')}, which has not been sent; only check sends plays`,
  no_value: (what: string) => `no request was sent for any ${what}`,
  never_exercised: (message: string) => `${message}; never exercised`,
  has_none: (on: string, what: string) => `${on} refers to no ${what}`,
  allows_anything: () => 'any number of requests is allowed; set a limit, such as times: 1',
  met_for: (count: number, what: string) => `Met for each ${what} (${count})`,
  uncounted: (message: string, count: number, what: string, maximum: number) =>
    `${message}; not counted: ${count} (more than ${maximum} values of ${what})`,

  // steps
  unknown_key: (advice: string) => `the scenario has no such API key${advice}`,
  unknown_request: (request: string, advice: string) => `${request} is not an operation${advice}`,
  name_reserved: (name: string) => `\${${name}.…} is reserved; give the step another name`,
  name_taken: (name: string) => `an earlier step is already called ${name}`,
  unknown_reference: (name: string, suggestion?: string) =>
    `${reference(name)} refers to nothing; ${suggestion ? `did you mean \${${suggestion}}?` : 'write the name of an earlier step (as), or the id of a record'}`,
  not_returned: (name: string) =>
    `\${${name}} has no value: the step that it refers to did not return it`,
  not_given: (name: string) =>
    `${reference(name)} has no value: set it with --var ${shortened(name.trim())}=VALUE`,
  other_status: (wanted: string, got: number, why: string) =>
    `status: must be ${wanted}; ${got === 0 && why ? why : `got ${got}${why && ` (${why})`}`}`,
  other_value: (path: string, wanted: string, got: string) =>
    `${path}: must be ${wanted}; got ${got}`,

  // texts that the parser refuses
  tab: () => 'the line begins with a tab; indent with spaces',
  wrong_indent: () =>
    'the line is not indented like any line above; begin it with as many spaces as those that it belongs to',
  name_expected: () => 'must be a name with a colon, such as name: value',
  space_missing: () => 'a space is missing after this',
  holds_colon: () => 'a text with a colon must be in quotation marks',
  begins_with: () => 'a text that begins with this character must be in quotation marks',
  dash_in_brackets: () =>
    'a list in brackets has no dashes: write commas between its items, such as [a, b]',
  comma_missing: () =>
    'a comma is missing here, or a text or name with a colon or bracket is not in quotation marks',
  not_closed: () => 'the bracket is not closed; add the } or ] that closes it',
  nothing_to_close: () =>
    'the bracket has no opening bracket; remove it, or add the bracket that it closes',
  quote_not_closed: () =>
    'the quotation mark is not closed; end the text with the same mark on the same line',
  goes_on: () =>
    'this cannot follow what is before it; remove it, or put the whole text in quotation marks',
  tag: () =>
    'this is a YAML tag, which documents cannot have; put a text that begins with ! in quotation marks',
  unknown_escape: () =>
    'this is not an escape in double quotation marks; write \\\\ for a backslash',
  text_in_next_line: () =>
    'after > or |, begin the text on the next line; or put it in quotation marks',
  second_document: () => '--- begins a second document, but a file holds only one; remove the line',
  refused: () =>
    'this is not YAML; check the indentation, and the brackets and quotation marks before it',

  // texts that it reads
  number_as_text: (source: string, isSecret: boolean) =>
    isSecret
      ? 'without quotation marks this is a number, which loses characters; quote it'
      : `without quotation marks ${source} becomes ${Number(source)}; quote it: "${source}"`,
  unknown_alias: (name: string) =>
    `*${shortened(name)} refers to nothing, since no & with this name comes before it; put a text that begins with * in quotation marks`,
  anchor_of_nothing: () =>
    'no value follows the & before this; put a text that begins with & in quotation marks',
  many_aliases: () => 'there are too many aliases; expand them',
  not_a_name: () => 'must be a name; got a list, an object or an alias',
  name_twice: (name: string, line: number) =>
    `${shortened(name)} is given twice: it is on line ${line} already; keep one of them`,
  names_twice: () => 'an object has a name twice; keep one of them',
  not_utf8: (isWide: boolean, byte: number) =>
    isWide
      ? 'the text is UTF-16, as > in PowerShell writes it; save it as UTF-8'
      : `the text is not UTF-8 but probably Latin-1 or Windows-1252: byte ${byte} is wrong; save it as UTF-8`,
  too_deep: (levels: number) =>
    `it is nested deeper than ${levels} levels, or an alias is inside what it names`,
  too_many_values: (most: number) => `it has more than ${most} values (limits.values)`,
  too_long: (most: number) =>
    `YAML may have at most ${most} characters and a million values; write it as JSON, or load it in parts`
} satisfies Sentences

export const say = sayer(SAYS)
