/** The sentences of sandboxes, snapshots and the data folder. */

import { ApiError, type Problem, refusal } from '../core/errors.js'
import { adviceOn, didYouMean, sentence, shortened, thereAre } from '../core/sentences.js'

const NAMED = { param: 'name' }
const UNCHANGED = 'Nothing was changed.'
const unusable = <T extends readonly unknown[]>(what: string, why: (...values: T) => string) =>
  refusal(
    'document_invalid',
    (path: string, ...values: T) => `${what} ${path} ${why(...values)}. It was not changed.`
  )
const FOLDER = 'The data folder'
const noSuchAccount = (id: string, known: readonly string[]) =>
  `no Account has the id ${shortened(id)}${didYouMean(id, known)}`

export const REFUSALS = {
  cardInName: refusal(
    'name_invalid',
    () => 'The name contains a card number. Names are shown and stored; choose another name.',
    NAMED
  ),
  notAName: refusal(
    'name_invalid',
    (name: string) =>
      `${name === '' ? 'The name is empty' : `${name} is not a valid name`}: a name must be 1 to 64 letters, digits, ., _ and -, beginning with a letter or digit, not ending in a dot, and not reserved by Windows, such as con.`,
    NAMED
  ),
  notReady: refusal(
    'not_ready',
    () => 'The start scenario is still loading; try again in a moment.'
  ),
  noRoom: refusal(
    'limit_reached',
    () =>
      `The memory of the emulator is nearly full. Delete sandboxes or snapshots, reset large sandboxes, or start it with a larger --max-old-space-size (NODE_OPTIONS). ${UNCHANGED}`,
    { assumption: 'A35' }
  ),
  tooManySandboxes: refusal(
    'sandbox_limit',
    (max: number) =>
      `limits.sandboxes (${max}) is reached. Delete a sandbox with DELETE /_control/sandboxes/NAME, raise limits.sandboxes, or set sandboxes.evict_idle to replace idle sandboxes.`
  ),
  noSandbox: refusal(
    'sandbox_unknown',
    (name: string, known: readonly string[] | null) =>
      `There is no sandbox ${sentence(`${name}${known === null ? '' : adviceOn(name, known)}`)} A request to its API with a valid path and key creates it, and so does a control request that changes something.`,
    NAMED
  ),
  deletedMeanwhile: refusal(
    'sandbox_unknown',
    (name: string | null) => `The sandbox ${name} was deleted during this request.`,
    NAMED
  ),
  changedMeanwhile: refusal(
    'state_changed',
    () => `Another request changed records while yours were merged; send them again. ${UNCHANGED}`
  ),
  noFamily: refusal(
    'record_unknown',
    (name: string, known: readonly string[]) =>
      `There is no record family ${sentence(`${shortened(name)}${adviceOn(name, known)}`)}`,
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
  noAccount: refusal(
    'account_unknown',
    (id: string, known: readonly string[]) => sentence(`account: ${noSuchAccount(id, known)}`),
    { param: 'account' }
  ),
  noActor: refusal(
    'account_unknown',
    (problem: string) => `${sentence(`auth.accept_any_key: ${problem}`)} ${UNCHANGED}`,
    NAMED
  ),
  tooManyKeys: refusal(
    'limit_reached',
    (count: number) =>
      `A sandbox can have at most ${count} API keys; reset it to remove the added keys.`
  ),
  noSetting: refusal(
    'setting_invalid',
    (name: string, known: readonly string[]) =>
      sentence(`${shortened(name)} is not a setting of sandboxes${didYouMean(name, known)}`),
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
  tooManySnapshots: refusal(
    'limit_reached',
    (count: number) => `A sandbox has at most ${count} snapshots; delete a snapshot.`
  ),
  noSnapshot: refusal(
    'snapshot_unknown',
    (name: string, names: readonly string[]) => `There is no snapshot ${name}; ${thereAre(names)}.`,
    NAMED
  ),
  snapshotNotSaved: refusal(
    'data_not_written',
    (name: string, path: string, why: string) =>
      `The snapshot ${name} was not saved: ${path} could not be written: ${why}.`
  ),
  locked: unusable(
    FOLDER,
    () => 'is in use by another process; stop that process, or choose another folder'
  ),
  notLockable: unusable(FOLDER, (why: string) => `cannot be used: ${why}`),
  notEmpty: unusable(
    FOLDER,
    () => 'contains other files but no state; choose an empty or new folder'
  ),
  unreadable: unusable('The document', (why: string) => `cannot be read: ${why}`),
  inMemoryOnly: refusal(
    'data_not_written',
    (path: string, why: string) =>
      `The change is in memory only: ${path} could not be written: ${why}. Further changes are refused until writing works.`
  ),
  notWritable: refusal(
    'data_not_written',
    (path: string, why: string) =>
      `${UNCHANGED} Earlier changes are in memory only, because ${path} cannot be written: ${why}. Changes are accepted again as soon as writing works.`
  ),
  lastNotWritten: refusal(
    'data_not_written',
    (path: string, why: string) =>
      `${path} could not be written at shutdown: ${why}. The last changes are not on disk.`
  )
}

export const SAYS = {
  noSuchAccount,
  stopped: 'the emulator has stopped',
  damaged: 'it is not valid JSON. Restore it from a backup',
  foreign:
    'it is not a document of commerce-emulator. Choose another folder, or restore it from a backup',
  otherFormat: (format: number, current: number) =>
    `it has format ${format}, but this version reads format ${current}. Use the version that wrote it`
}
