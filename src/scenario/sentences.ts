/** The sentences about documents, steps and expectations. */
import { didYouMean, sentence, shortened, someOf } from '../core/nearest.js'
import { type Sentences, sayer } from '../core/sentences.js'

const reference = (name: string) => `\${${shortened(name)}}`
const unknown =
  (what: string) =>
  (name: string, known: readonly string[], advice = didYouMean(name, known)) =>
    `${sentence(`${what} is called ${shortened(name) || '""'}${advice}`)} Available: ${someOf(known) || 'none'}.`
const unknownFile = (what: string) => (name: string, known: readonly string[], file?: string) =>
  unknown(what)(name, known, file && `; did you mean the file ./${shortened(file)}?`)

export const SAYS = {
  // documents, and the files that they name
  more_problems: (maximum: number) =>
    `there may be more problems: only the first ${maximum} are shown`,
  empty_document: () =>
    'is empty; write at least tickets: [], or in a scenario fixtures: [bistro]. commerce-emulator new NAME writes a scenario to start from',
  no_fixture: unknownFile('no fixture'),
  no_scenario: unknownFile('No scenario'),
  no_shared_script: unknown('no file of groups'),
  too_large_to_show: (name: string, size: number, maximum: number) =>
    `${name} has ${size} bytes; at most ${maximum} bytes are shown. Read its file instead.`,
  no_groups: (reference: string) => `${reference} has no groups; name a file that has groups`,
  no_group: (file: string, group = 'GROUP') =>
    `must be a file and a group in it, such as ${shortened(file)}#${group}`,
  unknown_group: unknown('no group'),
  group_name: () => 'the name of a group must be letters, digits, _, . and -',
  names_only: (what: string, reference: string) =>
    `only a document from a file can use paths; name ${what} instead of ${reference}`,
  no_file: (reference: string) => `there is no file ${reference}`,
  link_outside: (name: string) =>
    `${name} is a link that leads outside its folder; put the file itself there`,
  outside_folders: (reference: string) =>
    `${reference} lies outside the fixtures and scenarios folders`,
  shared_alone: () =>
    'this file has only shared groups; load a scenario that lists a group under use',
  listed_twice: (what: string) => `${what} is listed twice`,

  // variables
  not_a_variable_name: () => 'must be letters, digits, _ and -, beginning with a letter',
  variable_of_variable: () => 'must not refer to another variable; write the value itself',
  unknown_variable: (name: string, known: readonly string[]) =>
    unknown('no variable')(name, known, known.length === 0 ? '; declare it under vars' : undefined),
  variable_as_name: () => 'a variable can be a value or part of a value, but not a name',
  unused_variable: (name: string) =>
    `nothing refers to this variable; write \${vars.${name}} where its value belongs`,

  // records
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
  future_records: (clock: string, count: number, latest: string) =>
    `records later than the clock at ${clock}: ${count}; write clock: ${latest}`,

  // script entries
  disabled: (operation: string) =>
    `can never apply: ${operation} is disabled and always responds with 501`,
  shadowed: (entry: string, on: string) =>
    `can never apply: ${entry} comes first, and is applied to every request of ${on}`,
  stale_change: (operation: string) =>
    `only a GET can respond with old records; ${operation} changes them`,
  no_change: () => 'must name at least one record, under data or delete',
  unknown_entry: unknown('no script entry'),
  not_counts: (isOfCalls: number, got: string) =>
    `must be 0, 1, 2-3${isOfCalls ? ', 4+ or every 7' : ' or 4+'}; got ${got}`,
  framing_header: (name: string) => `${name} is set by the emulator; leave it out`,
  not_a_header: () => 'must be a header name and a value without line breaks or control characters',
  header_of_key: () => 'this header is for the API key; write it under key',

  // conditions
  unbalanced_brackets: () => 'has misplaced brackets; write a nested name as parent[child]',
  unknown_parameter: (name: string, advice: string) =>
    `${name} is not a parameter of this request${advice}`,
  unknown_field: (resource: string, name: string, advice: string) =>
    `${resource} has no ${name}${advice}`,
  no_section: (whose: string, section: string) => `there is no ${section} in ${whose}`,
  never_matches: (why: string, advice = '') => `can never match: ${why}${advice}`,
  always_matches: (why: string, advice = '') => `always matches: ${why}${advice}`,
  not_comparable: (name: string) =>
    `${name} is text; only numbers and instants can be compared. Match text by value, list or /pattern/.`,
  pattern_limit: (whose: string, maximum: number, what: string, got: number, advice: string) =>
    `${whose} must have at most ${maximum} ${what}; got ${got}. ${advice}.`,
  pattern_of_card: () =>
    'a pattern must not contain a full card number; write the number as text: only its digest is stored',
  bad_pattern: (pattern: string, why: string) =>
    `/${pattern}/ is not a regular expression in RE2 syntax: ${why}`,

  // expectations
  not_summable: (name: string) =>
    `${name} is not a whole number; only whole numbers can be added up, such as amount`,
  has_none: (on: string, what: string) => `${on} refers to no ${what}`,
  allows_anything: () => 'any number of requests is allowed; set a limit, such as times: 1',
  count: (calls: string, wanted: string, seen: number, value: string) =>
    `${calls}: expected ${wanted}; got ${seen}${value}`,
  off_pace: (what: string, gap: number, value: string, wanted: string) =>
    `${what} came ${gap / 1000} s after the previous response${value}; expected ${wanted}`,
  in_order: (count: number) => `The ${count} requests came in this order`,
  out_of_order: (step: string, value: string) => `${step} came out of order or not at all${value}`,
  other_request: (nth: number, wanted: string, got: string, value: string) =>
    `Request ${nth} of the sequence must be ${wanted}; got ${got}${value}`,
  after_sequence: (came: string, count: number, value: string) =>
    `${came} came after all ${count} requests of the sequence${value}; write others: true to allow it`,
  not_sent: (names: readonly string[]) =>
    `It refers to ${names.map(reference).join(' and ')}, which has not been sent; only check sends plays`,
  no_value: (what: string) => `no request was sent for any ${what}`,
  never_exercised: (message: string) =>
    /never exercised/.test(message) ? message : `${message}; never exercised`,
  met_for: (count: number, what: string) => `Met for each ${what} (${count})`,
  others: (message: string, count: number) =>
    count === 0 ? message : `${message}; unmet for ${count} more`,
  uncounted: (message: string, count: number, what: string, maximum: number) =>
    `${message}; not counted: ${count} (more than ${maximum} values of ${what})`,
  records_hold: () => 'The records are as expected',
  record_exists: (family: string, id: string, resource: string) =>
    `${family}.${id}: this ${resource} must not exist`,
  record_missing: (family: string, id: string, resource: string) =>
    `${family}.${id}: this ${resource} does not exist`,
  field_differs: (family: string, id: string, miss: string) => `${family}.${id}.${miss}`,
  total: (whose: string, wanted: string, where: string, got: number) =>
    `${whose}: expected ${wanted}${where}; got ${got}`,
  several_currencies: (whose: string, currencies: readonly string[]) =>
    `${whose}: amounts in ${currencies.join(' and ')} cannot be added up; add currency to where`,
  not_every: (
    family: string,
    wanted: string,
    count: number,
    all: number,
    some: readonly string[]
  ) =>
    `${family}: ${wanted}; not so for ${count} of ${all}: ${some.join('; ')}${count > some.length ? '; …' : ''}`,

  // steps
  unknown_key: (advice: string) => `the scenario has no such API key${advice}`,
  unknown_request: (request: string, advice: string) => `${request} is not an operation${advice}`,
  name_reserved: (name: string) => `\${${name}.…} is reserved; give the step another name`,
  name_taken: (name: string) => `an earlier step is already called ${name}`,
  reference_not_closed: (text: string) =>
    `\${ is not closed; a reference ends with }, such as ${text}}`,
  unknown_reference: (name: string, suggestion?: string) =>
    `${reference(name)} refers to nothing; ${suggestion ? `did you mean \${${suggestion}}?` : 'write the name of an earlier step (as), or the id of a record'}`,
  reference_without_value: (reference: string) =>
    `${reference} has no value here: responses are known only in steps, play and expect; give the record an id under data, or use a variable`,
  not_yet_known: (name: string) =>
    `${reference(name)} has no value yet: both requests are sent at once; refer to it in a later request`,
  not_returned: (name: string) =>
    `\${${name}} has no value: the step that it refers to did not return it`,
  not_given: (name: string) =>
    `${reference(name)} has no value: set it with --var ${shortened(name.trim())}=VALUE`,
  other_status: (wanted: string, got: number, why: string) =>
    `status: must be ${wanted}; ${got === 0 && why ? why : `got ${got}${why && ` (${why})`}`}`,
  other_value: (path: string, wanted: string, got: string) =>
    `${path}: must be ${wanted}; got ${got}`
} satisfies Sentences

export const say = sayer(SAYS)
