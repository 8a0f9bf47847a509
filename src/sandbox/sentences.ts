/**
 * The sentences of sandboxes, snapshots and the data file: refusals, and texts that follow a place
 * or begin a warning.
 */
import { ApiError, type Problem, refusal } from '../core/errors.js'
import { didYouMean, sentence, shortened, thereAre } from '../core/nearest.js'

const NAMED = { param: 'name' }
const UNCHANGED = 'Nothing was changed.'
/** Advice where no sandbox can be added. */
const ADVICE = {
  full: '; delete one with DELETE /_control/sandboxes/NAME, raise limits.sandboxes, or set sandboxes.evict_idle to replace the least recently used idle one',
  busy: ', and none is idle; try again when one is, or raise limits.sandboxes',
  page: '; a web page of another site or port cannot replace one; delete one with DELETE /_control/sandboxes/NAME, or raise limits.sandboxes'
}
const unusable = <T extends readonly unknown[]>(
  why: (...given: T) => string,
  left = ' It was left as it is.'
) =>
  refusal(
    'document_invalid',
    (path: string, ...given: T) => `The data file ${path} ${why(...given)}.${left}`
  )

export const REFUSALS = {
  // names
  cardInName: refusal(
    'name_invalid',
    () => 'The name contains a card number. Names are shown and stored; choose another one.',
    NAMED
  ),
  notAName: refusal(
    'name_invalid',
    (shown: string) =>
      `${shown === '' ? 'The name is empty' : `${shown} is not a name`}: a name must be 1 to 64 letters, digits, ., _ and -, beginning with a letter or digit, not ending in a dot, and not one of Windows's own, such as con.`,
    NAMED
  ),
  // sandboxes
  notReady: refusal(
    'not_ready',
    () => 'The start scenario is still being loaded; try again in a moment.'
  ),
  noRoom: refusal(
    'limit_reached',
    () =>
      `The memory of the emulator is nearly full. Delete sandboxes or snapshots, reset or reload large sandboxes, or start it with a larger --max-old-space-size (NODE_OPTIONS). ${UNCHANGED}`,
    { assumption: 'A35' }
  ),
  noSandboxes: refusal(
    'sandbox_limit',
    () =>
      'limits.sandboxes is 0, so there are no sandboxes; raise it, or use the base address without /sandbox/NAME.'
  ),
  tooManySandboxes: refusal(
    'sandbox_limit',
    (count: number, advice: keyof typeof ADVICE) =>
      `limits.sandboxes is reached: there ${count === 1 ? 'is 1 sandbox' : `are ${count} sandboxes`}${ADVICE[advice]}.`
  ),
  noSandbox: refusal(
    'sandbox_unknown',
    (name: string, known: readonly string[] | null) =>
      `There is no sandbox ${sentence(`${name}${known === null ? '' : didYouMean(name, known) || `; ${thereAre(known)}`}`)} A request to its API with a valid path and key creates it, and so does a control request that changes something.`,
    NAMED
  ),
  deletedMeanwhile: refusal(
    'sandbox_unknown',
    (name: string | null) => `The sandbox ${name} was deleted during this request.`,
    NAMED
  ),
  // changes of a sandbox
  changedMeanwhile: refusal(
    'state_changed',
    () =>
      `Another request changed the records while yours were being merged; send them again. ${UNCHANGED}`
  ),
  noFamily: refusal(
    'record_unknown',
    (name: string, known: readonly string[]) =>
      `There is no family ${sentence(`${shortened(name)}${didYouMean(name, known) || `; ${thereAre(known)}`}`)}`,
    { param: 'family' }
  ),
  noRecord: refusal(
    'record_unknown',
    (resource: string, id: string, known: readonly string[]) =>
      sentence(`No ${resource} has the id ${shortened(id)}${didYouMean(id, known)}`),
    { param: 'id' }
  ),
  recordInUse: refusal('record_in_use', (problem: string) => `${sentence(problem)} ${UNCHANGED}`, {
    param: 'id'
  }),
  noAccount: refusal('account_unknown', (problem: string) => sentence(`account: ${problem}`), {
    param: 'account'
  }),
  noActor: refusal(
    'account_unknown',
    (problem: string) => `${sentence(`auth.accept_any_key: ${problem}`)} ${UNCHANGED}`,
    NAMED
  ),
  noActorInSnapshot: refusal(
    'account_unknown',
    (id: string) =>
      `auth.accept_any_key names ${id}, which is not an Account of the snapshot. ${UNCHANGED}`
  ),
  tooManyKeys: refusal(
    'limit_reached',
    (count: number) =>
      `A sandbox has at most ${count} API keys; reset it to remove those that were added.`
  ),
  noSetting: refusal(
    'setting_invalid',
    (name: string, problem: string) => sentence(`${shortened(name)}: ${problem}`),
    NAMED
  ),
  wrongSettings: (problems: readonly [Problem, ...Problem[]]) => {
    const [{ path, message }] = problems
    const count = problems.length === 1 ? '' : `${problems.length} settings are wrong; the first: `
    return new ApiError('setting_invalid', {
      message: `${count}${sentence(`${path}: ${message}`)} ${UNCHANGED}`,
      problems
    })
  },
  // snapshots
  tooManySnapshots: refusal(
    'limit_reached',
    (count: number) =>
      `limits.snapshots is reached: there are ${count} snapshots. Delete one, or raise the setting.`
  ),
  noSnapshot: refusal(
    'snapshot_unknown',
    (name: string, names: readonly string[]) =>
      `No snapshot is called ${name}; ${thereAre(names)}.`,
    NAMED
  ),
  snapshotUnreadable: refusal(
    'document_invalid',
    (path: string, why: string) => `${path} cannot be read as a snapshot: ${why}. ${UNCHANGED}`
  ),
  snapshotNotTaken: refusal(
    'data_not_written',
    (name: string, path: string, why: string) =>
      `The snapshot ${name} was not taken: ${path} could not be written: ${why}.`
  ),
  // the data file
  locked: unusable(() => 'is in use by another process; stop that process, or choose another file'),
  unlockable: unusable((why: string) => `cannot be locked: ${why}`),
  unreadable: unusable((why: string) => `cannot be read: ${why}`),
  noFolder: unusable(
    (folder: string) =>
      `cannot be created: there is no folder ${folder}; create it, or choose another file`,
    ''
  ),
  isFolder: unusable(() => 'is a folder; choose a file in it'),
  notAFile: unusable(() => 'is not a regular file; choose another'),
  readOnly: unusable(() => 'is read-only; make it writable, or choose a copy of it'),
  inMemoryAlone: refusal(
    'data_not_written',
    (path: string, why: string) =>
      `The change is in memory, but ${path} could not be written: ${why}. Requests that change something are refused until writing works again.`
  ),
  notWritable: refusal(
    'data_not_written',
    (path: string, why: string) =>
      `${UNCHANGED} Earlier changes are in memory only, because ${path} cannot be written: ${why}. Changes are accepted again as soon as writing works.`
  ),
  lastNotWritten: refusal(
    'data_not_written',
    (path: string, why: string, unwritten: readonly string[]) =>
      `${path} could not be written at shutdown: ${why}. The last changes are not on disk: ${unwritten.join('; ')}.`
  )
}

/** The names of the parts of a state in messages. */
const SHOWN: Readonly<Record<string, string>> = {
  settings: 'settings',
  clock: 'clock',
  script: 'script',
  api_keys: 'API keys'
}

export const SAYS = {
  /** `records` is null for the whole sandbox. */
  unwritten: (name: string | null, records: number | null, parts: readonly string[]) => {
    const counted = records === 0 ? [] : [`${records} ${records === 1 ? 'record' : 'records'}`]
    const shown =
      records === null ? ['everything'] : [...counted, ...parts.flatMap(part => SHOWN[part] ?? [])]
    return `${name === null ? 'the sandbox at the base address' : `sandbox ${name}`} (${shown.join(', ') || 'the number of its requests'})`
  },
  noSuchSetting: (name: string, known: readonly string[]) =>
    `no setting is called ${shortened(name)}${didYouMean(name, known)}`,
  noSuchAccount: (id: string, known: readonly string[]) =>
    `no Account has the id ${shortened(id)}${didYouMean(id, known)}`,
  notAnActor: (id: string) =>
    `auth.accept_any_key names ${shortened(id)}, which is not an Account there`,
  // lines of the data file
  torn: (bytes: number) =>
    `the last line of the data file is incomplete and was left out: ${bytes} bytes. Its change got no response, unless the file was damaged later.`,
  damaged: (line: number) =>
    `line ${line} is damaged: its checksum does not match. Restore the file from a copy`,
  foreign:
    'it is not a file of commerce-emulator, or its first line is damaged. Choose another file, or restore it from a copy',
  otherFormat: (format: number, own: number) =>
    `it has format ${format}, but this version reads format ${own}. Use the version that wrote it`,
  empty: 'it is empty',
  cutOff: 'it is incomplete: its lines do not hold a whole state',
  tooLong: (begin: string, characters: number, maximum: number) =>
    `${begin}… is ${characters} characters of JSON, and a line holds at most ${maximum}`,
  longName: (name: string) =>
    `the name of its lock, ${name}, is too long for a socket; choose a shorter name`
}
