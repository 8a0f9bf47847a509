/** The messages of the commands; their help is in the table of commands. */
import { type Sentences, sayer } from '../core/sentences.js'
import { countOf } from '../reports/sentences.js'

const FOLDER = 'it is a folder, not a file'
const DENIED = 'permission denied'
const UNWRITABLE = {
  ENOTDIR: 'part of the path is a file, not a folder',
  EACCES: DENIED,
  EPERM: DENIED
}
const SYSTEM = {
  read: {
    ENOENT: 'no such file or folder',
    EISDIR: FOLDER,
    ENOTDIR: 'it is a file, not a folder',
    EACCES: DENIED
  },
  write: {
    ...UNWRITABLE,
    ENOENT: 'its folder does not exist',
    EISDIR: FOLDER,
    EEXIST: 'file exists; choose another name, or overwrite it with --force',
    ENAMETOOLONG: 'its name is too long'
  },
  run: { ENOENT: 'no such command' },
  make: { ...UNWRITABLE, EEXIST: 'it is a file, not a folder' },
  reach: {
    ECONNREFUSED: 'nothing listens at that address',
    ENOTFOUND: 'no such host',
    ECONNRESET: 'the connection was reset',
    UND_ERR_SOCKET: 'the connection was closed before a response',
    UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
    DEPTH_ZERO_SELF_SIGNED_CERT:
      'its certificate is self-signed; set NODE_EXTRA_CA_CERTS to a file of certificates to trust'
  }
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>
export type SystemError = Error & {
  code?: string
  syscall?: string
  port?: number
  address?: string
  path?: string
}

export const reasonOf = (
  doing: keyof typeof SYSTEM,
  { code = '', message }: Pick<SystemError, 'code' | 'message'>
): string => new Map<string, string>(Object.entries(SYSTEM[doing])).get(code) ?? message

/** Quoted if needed; `separator` separates the parts of a path. */
export const shellWord = (text: string, separator = '/'): string =>
  /^[\w./:@%+=,-]+$/.test(text.replaceAll(separator, '/'))
    ? text
    : `'${text.replaceAll("'", "'\\''")}'`

export const SAYS = {
  command_first: (word: string) => `the command ${word} must come first: commerce-emulator ${word}`,
  dashes_first: () => 'write it after --: commerce-emulator exec -- npm test',
  file_without_flag: (word: string) =>
    `unexpected argument ${word}; did you mean --scenario ${word}?`,
  unknown_command: (word: string, advice: string) => `unknown command ${word}${advice}`,
  no_option_value: (flags: string, got: string) => {
    const [flag] = flags.split(' ')
    return `option '${flags}' must have a value; got ${got}. If that is the value, write ${flag}=${got}`
  },
  only_against: () => '--key can be used only with --against',
  address: () =>
    '--against must be the base address of a service, such as https://service.example/next, without a login, query or fragment; send keys with --key',
  pair: () => 'Must be NAME=VALUE.',
  twice: () => 'The variable has a value already; set it once.',
  percentage: () => 'Must be a percentage from 0 to 100.',
  whole: () => 'Must be a whole number from 1 to 2147483647.',
  set: () => 'must be key=value, such as --set pagination.max_limit=5',
  unknown_setting: (key: string, advice: string) => `unknown setting ${key}${advice}`,
  settings_listed: () => '; commerce-emulator settings lists them',
  host: (host: string) =>
    `must be an IP address or localhost; got ${host}; if it is not for the emulator, unset it or use --host`,
  not_meant: () => '; if it is not for the emulator, unset it',
  problems: (count: number) => `${count} problems; nothing was started`,
  port_in_use: (port: number, address: string) =>
    `port ${port} on ${address} is in use; stop the process that uses it, or choose another port with --port (0 picks a free one).`,
  port_denied: (port: number) =>
    `permission denied for port ${port}; choose one above 1023 with --port.`,
  address_unusable: (message: string) =>
    `the emulator cannot listen on that address: ${message}; choose an address of this machine with --host, such as 127.0.0.1, or 0.0.0.0 for all of them.`,
  unmade: (path: string, why: string) => `${path} cannot be created: ${why}`,
  unread: (path: string, why: string) => `${path} cannot be read: ${why}`,
  unwritten: (path: string, why: string) => `${path} cannot be written: ${why}`,
  lines_missing: (stream: string, why: string) =>
    `${stream} could not be written, so lines are missing: ${why}`,
  out_unwritten: (path: string, why: string) =>
    `--out ${path} cannot be written: ${why}; nothing was run.`,
  exposed: (host: string) =>
    `The emulator listens on ${host} without a control token: every machine that reaches the port can read and change its state. Set CONTROL_TOKEN, or let only this machine reach the port: HOST=127.0.0.1, or docker run -p 127.0.0.1:4010:4010.`,
  defect: () => 'The emulator is stopping because of a defect. Please report it.',
  in_memory: () => 'in memory; --data DIR saves them',
  kept: (file: string) => `saved in ${file}`,
  resumed: (file: string) => `continued from ${file}`,
  more_keys: (more: number, address: string) => `and ${more} more: ${address}`,
  not_loaded: (scenario: string) =>
    `The scenario ${scenario} was not loaded: the data folder takes precedence. POST /_control/load loads it; so does --data with a new folder.`,
  vars_ignored: () =>
    'The values of --var have no effect: the data folder has a scenario that was loaded without them.',
  file_name: (name: string) => `new needs a file name, such as declined-card; got "${name}"`,
  not_written: (file: string, why: string) => `${file} was not written: ${why}`,
  written: (file: string) => `${file} was written. Edit it, and then:`,
  warning: (line: string) => `warning: ${line}`,
  command_failed: (how: string) => `the command failed: it ended with ${how}`,
  proxy: (variable: string) =>
    `${variable} is set; the command gets NO_PROXY for localhost, so that it reaches the emulator`,
  not_run: (command: string, why: string) => `${command} cannot be run: ${why}`,
  too_many_recordings: (most: number, more: number) =>
    `only the requests before the first ${most} loads and resets were recorded; ${more} more were left out`,
  nothing_recorded: () => 'the emulator received no requests',
  recorded: (file: string, requests: number, leftOut: number) =>
    `${file} replays ${countOf(requests, 'request')}${leftOut > 0 ? `; its comments say why ${leftOut} more cannot be replayed` : ''}`,
  record_it: () =>
    'run it with record --out failed.yaml instead of exec; failed.yaml then replays the requests',
  check_it: (file: string) => `commerce-emulator check ${file}`,
  repro_it: (request: string, address: string) =>
    `commerce-emulator repro ${request} --url ${address}`,
  repro_of_run: (request: string, file: string) =>
    `commerce-emulator repro ${request} --run ${file}`,
  recording_of: (period: string) => `the recording of ${period}`,
  no_recordings: (file: string) => `${file} has no recordings; exec --report writes them.`,
  not_in_run: (file: string, name: string) => `${file} has no request ${name} that can be replayed`,
  not_replayed: (name: string) => `${name} gets a different response when it is replayed`,
  health: (address: string, status: number, text: string) =>
    `${address} responded with ${status}: ${text}`,
  unhealthy: (address: string, why: string) => `${address} did not respond: ${why}`,
  no_response_within: (seconds: number) => `no response within ${seconds} seconds`,
  not_a_run: (file: string) =>
    `${file} is not a report of a run; exec --report writes one as run.json.`,
  other_version: (file: string, version: string, current: string) =>
    `${file} was written by version ${version}; this is ${current}.`,
  no_scenario: () => 'has no scenario or fixture',
  shared_script: () => 'left out: it has groups that scenarios share',
  other_document: () => 'left out: it is not a scenario or a fixture',
  valid: () => 'the document is valid',
  unlikely: () => 'nothing looks like a mistake',
  sends: () => 'requests are sent',
  no_steps: () => 'nothing was sent; write steps or play',
  file_exists: () => 'file exists',
  all_given: () => 'every variable and key has a value',
  var: (name: string) => `--var ${name}`,
  step: (label: string) => label,
  expects: (expectation: string) => `expects ${expectation}`,
  must_apply: (entry: string) => `the script entry "${entry}" must apply`,
  never_applied: () => 'it was never applied',
  must_not_cause: (finding: string) => `the plays must not cause the finding ${finding}`,
  caused: (play: string, about: string, advice: string) => `${play}: ${about} ${advice}`,
  counted: (seen: number, isUnplayed = false) =>
    `got ${countOf(seen, 'request')}${isUnplayed ? '; the scenario has no play, so check sends nothing: exec judges the requests of your tests' : ''}`,
  nothing_sent: (address: string) => `nothing was sent to ${address}`,
  sent: (requests: number, address: string) =>
    `${countOf(requests, 'request')} sent to ${address}; no control requests, scripts or records were sent`,
  skipped: (requests: number) =>
    `${countOf(requests, 'request')} not sent: the script loses the response, which a service does not`,
  no_key: (name: string) => `no key for ${name}; add --key ${name}=KEY`,
  no_merchant_key: () =>
    'the scenario has no merchant with an API key; add one, such as with fixtures: [bistro]',
  no_value: (name: string) => `\${${name}} has no value; add --var ${name}=VALUE`,
  not_sent: () => 'not sent: the service cannot be reached',
  no_response: (why: string) => `no response came: ${why}`,
  timed_out: (ms: number) => `no response came within ${ms} ms; wait longer with --timeout`,
  too_long: (bytes: number) => `the response is longer than ${bytes} bytes`,
  state_unread: () =>
    'not checked: the records of a service are not read; read them in the play, and expect the bodies',
  differently: () => 'the service responds differently',
  by_setting: (settings: readonly string[]) =>
    `the service responds as the emulator does with --set ${settings.join(', or with --set ')}`,
  other_data: () => 'the service has other data',
  of_step: (label: string, message: string) => `${label}: ${message}`,
  more: (count: number) => `and ${count} more`,
  differs: (what: string, here: string, there: string) =>
    `${what}: ${here} here, ${there} at the service`,
  hidden: () => 'data that cannot be shown',
  cut_short: () => 'the body is truncated, or is not JSON',
  empty_body: () => 'the body is empty',
  not_json: (type: string) => `Content-Type must be application/json; got ${type}`
} satisfies Sentences

export const say = sayer(SAYS)
