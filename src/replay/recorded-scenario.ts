/** Calls of a sandbox as a scenario that plays them again: whole, or with as few records as the same answers need, which is found out by playing it. */
import { isDeepStrictEqual } from 'node:util'
import type { ClockStart } from '../core/clock.js'
import { durationText, LONGEST } from '../core/durations.js'
import { isoOf } from '../core/instants.js'
import { maskedThroughout } from '../core/redaction.js'
import type { SecretWords } from '../core/secret-words.js'
import { nested, SETTING_KEYS, SETTINGS, settingsInForce } from '../core/settings.js'
import { type AnyRecord, type Exchange, hasReached, STAGE, tookEffect } from '../engine/exchange.js'
import { answerOf, common, determined, type Fields, isScripted, isStopped, playOf, scriptOf } from './played-requests.js'
import { ID_FIELDS, type Member, recordsBefore, touchedBy, withoutOrphans } from './recorded-state.js'
import { isChange, nameOf, type OperationId, operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import { documentOf } from '../scenario/documents.js'
import { exportedRecord, keysIn } from '../scenario/export.js'
import { bindingsOf } from '../scenario/scenario.js'
import { Answers, type Json, type Play, playSteps, type StepAnswer, type StepData, withTexts } from '../scenario/steps.js'
import { FAMILIES, type Store } from '../store/store.js'
import type { Sandbox } from '../sandbox/sandbox.js'

/** What is known of calls that were made in a sandbox, oldest first. */
export type Recording = {
  scenario: string
  /** The records after the last call. */
  store: Store
  clock: ClockStart
  calls: readonly Exchange[]
  /** How many calls before these are not known. */
  dropped: number
  words: SecretWords
}
/** Where calls are tried: sandboxes that nothing was loaded into, and what plays calls in them. */
export type Trials = { blank: () => Sandbox; playIn: (sandbox: Sandbox) => Play }
/** A scenario document, and what has to be said about it: a line for each thing. */
export type RecordedScenario = { data: Record<string, unknown>; notes: string[] }

const INTRODUCTION = [
  'Recorded by commerce-emulator: `commerce-emulator check FILE` makes these calls again and expects the same answers.',
  'API keys, card data and account numbers are left out; what replaces them follows, with everything that differs from the calls as they were made.'
]
/** Records of a scenario that is not made smaller; how often one is played to make it smaller, and the calls of all these plays. */
const MOST = { records: 5000, plays: 2000, calls: 5000 }

/** What of the state a play of the calls begins in. */
type Start = { members: readonly Member[]; settings: readonly (readonly [string, unknown])[]; clock: string | null; accounts: readonly string[] }
/** A call that was played. `step` is null for one that no play can make; `seen` is what is determined of the answer, with the ids that the recorded call knew. */
type Played = {
  call: Exchange
  step: StepData | null
  name: string | null
  notes: string[]
  status: number
  seen: Json
  expect: StepData['expect'] | null
}
/** A state, and what the calls were answered in it. */
type Attempt = { start: Start; plays: readonly Played[] }

/** What is known of the calls that a sandbox's journal holds. */
export const recordingOf = ({ scenario, store, clock, evidence: { journal } }: Sandbox, words: SecretWords): Recording => ({
  scenario: scenario.name,
  store,
  clock: clock.reading,
  calls: journal.requests(),
  dropped: journal.dropped,
  words
})

/**
 * The scenario that plays a recording again. `isSmallest` leaves out the records that its answers do not need, and so does a state of more than `most.records`
 * records. Errors: `document_too_large`, `document_invalid`.
 */
export async function scenarioOf(recording: Recording, trials: Trials, { isSmallest = false, most = MOST } = {}): Promise<RecordedScenario> {
  const first = startOf(recording, recording.calls)
  const isTooLarge = first.members.length > most.records
  const isShrunk = isSmallest || isTooLarge
  let { start, plays } = await firstAttempt(first, recording.calls, recording, trials, isShrunk)
  const skipped: Played[] = []
  for (let round = 1; ; round++) {
    const others = plays.filter(play => !isAnsweredSo(play))
    if (others.length === 0) break
    // what could not be sent as it was is left out at once; else the first, since it may be why later ones are answered differently
    const [earliest] = others
    const out = round * plays.length > most.calls ? others : others.filter(play => play === earliest || !hasReached(play.call, STAGE.admitted))
    skipped.push(...out)
    const calls = plays.filter(play => !out.includes(play)).map(({ call }) => call)
    plays = await playedIn(start, calls, recording, trials)
  }
  const whole = { start, plays }
  const head = { name: 'recorded', description: `The calls that a client made in ${recording.scenario}.` }
  const { data, notes } = documentFrom(head, isShrunk ? await shrunk(whole, recording, trials, most) : whole, recording, skipped)
  const left = `There were ${first.members.length} records; here are those that the answers need.`
  return { data, notes: isTooLarge ? [...notes, left] : notes }
}

/** Plays calls in a state; with `isShrunk` in a smaller one, of the records that they touched, if they are answered the same there. */
async function firstAttempt(start: Start, calls: readonly Exchange[], recording: Recording, trials: Trials, isShrunk: boolean): Promise<Attempt> {
  const small = { ...start, members: touchedBy(calls, start.members) }
  const plays = isShrunk ? await playedIn(small, calls, recording, trials) : []
  if (isShrunk && plays.every(isReproduced)) return { start: small, plays }
  return { start, plays: await playedIn(start, calls, recording, trials) }
}

/**
 * The smallest scenario in which one of the calls of a recording is answered as it was. Undefined where no play can make the call, or where it is
 * answered differently with all the records that there were.
 */
export async function scenarioOfCall(call: Exchange, recording: Recording, trials: Trials): Promise<RecordedScenario | undefined> {
  const later = recording.calls.slice(recording.calls.indexOf(call))
  const first = await firstAttempt(startOf({ ...recording, calls: later }, [call]), [call], recording, trials, true)
  if (!first.plays.every(isReproduced)) return undefined
  const least = await shrunk(first, recording, trials, MOST)
  const { refusal, status } = call.outcome
  const reason = refusal === null ? '' : ` ${refusal.code}${refusal.rule === null ? '' : ` (${refusal.rule})`}`
  const description = `${nameOf(call.operation as OperationId)} is answered ${status}${reason}.`
  return documentFrom({ name: call.id, description }, least, { ...recording, calls: [call], dropped: 0 }, [])
}

/** The state that calls were made in: `recording` begins with the first of them. */
function startOf({ store, calls: recorded }: Recording, calls: readonly Exchange[]): Start {
  const active = new Set(calls.flatMap(({ account }) => account ?? []))
  const accounts = new Set(keysIn(store).flatMap(({ account }) => (active.has(account) ? [account] : [])))
  const [first] = calls
  const defaults = settingsInForce({}).values
  const settings = SETTING_KEYS.filter(key => SETTINGS[key].scope === 'sandbox' && first && !isDeepStrictEqual(first.settings[key], defaults[key]))
  return {
    members: recordsBefore(store, recorded),
    settings: settings.map(key => [key, (first as Exchange).settings[key]] as const),
    clock: first ? isoOf(first.at) : null,
    accounts: [...new Set([...accounts, ...active])]
  }
}

/** The document of a state: what is the default is left out. */
function stateIn({ members, settings, clock, accounts }: Start, words: SecretWords): Record<string, unknown> {
  const { seed, ...others } = Object.fromEntries(settings)
  const there = new Set(members.map(({ record }) => record.id))
  const keys = accounts.filter(account => there.has(account)).map(account => ({ key: keyOf(account), account }))
  const data = Object.fromEntries(
    FAMILIES.map(family => [family, members.filter(member => member.family === family).map(({ record }) => exportedMasked(family, record, words))])
  )
  const lists = Object.entries({ api_keys: keys, ...data }).filter(([, list]) => list.length > 0)
  return {
    ...(seed !== undefined && { seed }),
    ...(clock !== null && { clock }),
    ...(Object.keys(others).length > 0 && { settings: nested(others) }),
    ...(lists.length > 0 && { data: Object.fromEntries(lists) })
  }
}

/** The key that replaces those of an Account. */
const keyOf = (account: string) => `sk_test_${account}`

/** A record as a fixture gives it, with card numbers and keys in its texts masked; ids stay. */
function exportedMasked(family: Member['family'], record: object, words: SecretWords): Record<string, unknown> {
  const plain = exportedRecord(family, record)
  const ids = Object.entries(plain).filter(([name]) => ID_FIELDS.includes(name))
  return { ...maskedThroughout(plain, words), ...Object.fromEntries(ids) }
}

/** Plays calls one after the other in a state, but for those that never came to their operation. Errors: as of `Sandbox.load`. */
async function playedIn(start: Start, calls: readonly Exchange[], { words, clock }: Recording, { blank, playIn }: Trials): Promise<Played[]> {
  const sandbox = blank()
  await sandbox.load(documentOf('recorded', { name: 'recorded', ...stateIn(start, words) }), { name: 'recorded', file: null })
  const play = playIn(sandbox)
  const bindings = bindingsOf(sandbox.store)
  const first = bindings.key('')
  const answers = new Answers([])
  const ids: Ids = { recorded: new Map(), written: new Map() }
  const plays: Played[] = []
  const waits = waitsBefore(calls, clock)
  for (const [index, call] of calls.entries()) {
    sandbox.advanceClock(waits[index] as number)
    const made = playOf(call, {
      keyOf: account => (first === keyOf(account) ? undefined : keyOf(account)),
      written: text => ids.written.get(text) ?? text
    })
    const isMade = made !== null && (!isStopped(call) || calls.length === 1)
    const name = isMade && isCreating(call) ? nameFor(call, plays.length + 1) : null
    const step = isMade ? [{ ...made.step, ...(name !== null && { as: name }) }] : []
    const [outcome] = await playSteps(step, play, bindings, () => {}, answers)
    const { status, body } = outcome?.answer ?? NO_ANSWER
    const seen = body === null ? null : maskedThroughout(determined(withTexts(body, id => ids.recorded.get(id) ?? id) as Fields, name !== null), words)
    plays.push({ call, step: made?.step ?? null, name, notes: made?.notes ?? [], status, seen, expect: expectationOf(call, { status, seen }, ids) })
    if (name === null || status >= 300) continue
    const [id, was] = [(body as { id: string }).id, (call.outcome.shown as AnyRecord).id]
    ids.recorded.set(id, was)
    // a client that lost the answer has never seen the id, but the seed draws the same one again
    ids.written.set(was, isScripted(call) ? id : `\${${name}.id}`)
  }
  return plays
}

/** By how many milliseconds the clock was set forward before each call, or back; the time that passed on a running clock by itself is left out. */
const movesBefore = (calls: readonly Exchange[], { running }: ClockStart): number[] =>
  calls.map(({ at, now }, index) => {
    const before = calls[index - 1]
    if (before === undefined || before.at === at) return 0
    return at - before.at - (running ? now - before.now : 0)
  })

/** How long the frozen clock of a play has to wait before each call. */
function waitsBefore(calls: readonly Exchange[], clock: ClockStart): number[] {
  let [recorded, played] = [0, 0]
  return movesBefore(calls, clock).map(move => {
    recorded += move
    const wait = Math.min(Math.max(0, recorded - played), LONGEST)
    played += wait
    return wait
  })
}

/** The recorded id for each id of a play, and how a recorded id is written in a play. */
type Ids = { recorded: Map<string, string>; written: Map<string, string> }
const NO_ANSWER: StepAnswer = { status: 0, body: null }

/** Whether a call made a record. */
const isCreating = (call: Exchange) => tookEffect(call) && operationOf(call.operation as OperationId).kind === 'create'

const nameFor = (call: Exchange, number: number) => `${RESOURCE_NAMES[operationOf(call.operation as OperationId).family].toLowerCase()}_${number}`

/** What is determined of the answer that was recorded; null where there was none. */
const recordedAnswer = (call: Exchange): Json => {
  const body = answerOf(call)
  return body === undefined ? null : determined(body as Fields, isCreating(call))
}

/** What a play has to expect: what the recorded answer and the one of the play have in common. Null for a call that had no effect. */
function expectationOf(call: Exchange, { status, seen }: Pick<Played, 'status' | 'seen'>, { written }: Ids): StepData['expect'] | null {
  if (isScripted(call) && !call.isDelivered && call.action?.entry.data.fault) return { fault: call.action.entry.data.fault }
  if (call.outcome.name === 'lost_before') return null
  if (call.outcome.name === 'scripted') return { status: call.outcome.status, ...bodyOf(scriptedAnswer(call)) }
  return { status, ...bodyOf(withTexts(common(recordedAnswer(call), seen) ?? null, id => written.get(id) ?? id)) }
}

const bodyOf = (body: Json) => (body === null ? {} : { body })

/** What the script answered, without the id of the answer. */
function scriptedAnswer(call: Exchange): Json {
  const answer = answerOf(call) ?? null
  const body = common(answer, answer) ?? null
  const { error } = (body ?? {}) as { error?: { request_id?: string } }
  if (typeof error !== 'object') return body
  const { request_id: _id, ...others } = error
  return { error: others as Json }
}

/** Whether a call can be played, and is answered with the same status and error. */
function isAnsweredSo(play: Played): boolean {
  const { call, step, expect, status, seen } = play
  if (step === null || expect === null) return false
  return isStopped(call) || (status === call.outcome.status && (call.outcome.refusal === null || isDeepStrictEqual(seen, recordedAnswer(call))))
}

/** Whether a call was answered in a play as it was recorded. */
const isReproduced = ({ call, step, status, seen }: Played): boolean =>
  step !== null && (isStopped(call) || (status === call.outcome.status && isDeepStrictEqual(seen, recordedAnswer(call))))

/** What has to stay the same of a play while the state is made smaller; of a call that the script answers, that it reaches the script. */
function mark({ call, status, seen }: Played): Json {
  if (!isStopped(call)) return [status, seen]
  return status < 300 ? 'it reaches the script' : seen
}

/** The smallest attempt that was found in which every call is answered as in `whole`. */
async function shrunk(whole: Attempt, recording: Recording, trials: Trials, most: typeof MOST): Promise<Attempt> {
  const calls = whole.plays.map(({ call }) => call)
  const goal = whole.plays.map(mark)
  let least = whole
  let [plays, played] = [0, 0]
  const holds = async (start: Start): Promise<boolean> => {
    plays++
    played += calls.length
    if (plays > most.plays || played > most.calls) return false
    const found = await playedIn(start, calls, recording, trials).catch(() => [])
    const isSame = isDeepStrictEqual(found.map(mark), goal)
    if (isSame) least = { start, plays: found }
    return isSame
  }
  // among several calls, those that the script answered are not played, so the records that they name are never left out
  const pinned = new Set(calls.length === 1 ? [] : touchedBy(calls.filter(isStopped), whole.start.members))
  await holds({ ...whole.start, members: touchedBy(calls, whole.start.members) })
  const { members } = least.start
  await smallest(
    members.filter(member => !pinned.has(member)),
    kept => {
      const left = new Set([...pinned, ...kept])
      return holds({ ...least.start, members: withoutOrphans(members.filter(member => left.has(member))) })
    }
  )
  await smallest(least.start.settings, settings => holds({ ...least.start, settings }))
  // when a single call came matters only if its answer depends on it
  if (calls.length === 1) await holds({ ...least.start, clock: null })
  return least
}

/** Leaves out as many items as possible, the last first: halves of the list, then quarters, at last one by one until no further one can go. `holds` tries what is left. */
async function smallest<T>(items: readonly T[], holds: (kept: readonly T[]) => Promise<boolean>): Promise<void> {
  let kept = items
  for (let size = Math.ceil(kept.length / 2); size > 0; ) {
    const before = kept.length
    for (let end = before; end > 0; end -= size) {
      const without = [...kept.slice(0, Math.max(0, end - size)), ...kept.slice(end)]
      if (await holds(without)) kept = without
    }
    if (size > 1) size = size >> 1
    else if (kept.length === before) return
  }
}

/** The document of an attempt, and what differs in it from what was recorded. */
function documentFrom(
  head: { name: string; description: string },
  { start, plays }: Attempt,
  recording: Recording,
  skipped: readonly Played[]
): RecordedScenario {
  const text = JSON.stringify(plays.map(({ step, expect }) => [step, expect]))
  const calls = plays.map(({ call }) => call)
  const waits = waitsBefore(calls, recording.clock)
  const play = plays.flatMap(({ name, step, expect }, index) => [
    ...(waits[index] === 0 ? [] : [{ wait: durationText(waits[index] as number) }]),
    { ...(name !== null && text.includes(`\${${name}.`) && { as: name }), ...step, expect }
  ])
  const script = scriptOf(calls)
  const effects = new Map<string, number>()
  for (const { call, status } of plays) {
    const operation = call.operation as OperationId
    if (isStopped(call) || status >= 300 || !isChange(operationOf(operation))) continue
    effects.set(nameOf(operation), (effects.get(nameOf(operation)) ?? 0) + 1)
  }
  const expect = Array.from(effects, ([on, times]) => ({ on, took_effect: true, times }))
  const data = { ...head, ...stateIn(start, recording.words), ...(script.length > 0 && { script }), play, ...(expect.length > 0 && { expect }) }
  return { data, notes: [...INTRODUCTION, ...notesOn(start, plays, recording), ...skipped.map(reasonOf)] }
}

/** How a scenario differs from what was recorded, a line for each thing. */
function notesOn({ accounts, members }: Start, plays: readonly Played[], { calls, clock, dropped }: Recording): string[] {
  const [first] = calls
  return [
    ...accounts
      .filter(account => members.some(({ record }) => record.id === account))
      .map(account => `The key ${keyOf(account)} replaces those of ${account}.`),
    ...plays.flatMap(({ call, notes }) => notes.map(note => `${titleOf(call)}: ${note}.`)),
    ...(dropped > 0 ? [`The journal no longer holds the first ${dropped} calls: the first state is the one after them.`] : []),
    ...(movesBefore(calls, clock).some(move => move < 0)
      ? ['The clock was set back between the calls; here it stays where it is until it is past the time of a call.']
      : []),
    ...([...new Set(calls.map(({ settings }) => settings))].some(settings => !isDeepStrictEqual(settings, first?.settings))
      ? ['Settings were changed between the calls; here those of the first call are in force.']
      : []),
    ...(calls.some(({ action }) => action?.entry.data.hold || action?.entry.data.delay !== undefined) ? ['Delays and holds of the script are left out.'] : []),
    ...plays.flatMap(play => differenceOf(play) ?? [])
  ]
}

const titleOf = ({ id, method, path }: Exchange) => `${id} ${method} ${path}`

/** Why a call is not among the plays. */
function reasonOf({ call, step, expect, status }: Played): string {
  const what = `${titleOf(call)} is not played: `
  if (expect === null) return `${what}its client left before the operation ran.`
  const code = call.outcome.refusal === null ? '' : ` ${call.outcome.refusal.code}`
  const was = `it was answered ${call.outcome.status}${code}`
  return step === null ? `${what}${was}, and the reference has no such operation.` : `${what}${was}, and a play of it would be answered ${status}.`
}

/** What to say of a play whose answer holds other values than the recorded one; null for one that holds the same. */
function differenceOf(play: Played): string | null {
  return isReproduced(play) ? null : `${titleOf(play.call)} is answered with values that differ from the recorded ones; these are not expected.`
}
