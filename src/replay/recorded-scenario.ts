/** Calls of a sandbox as a scenario that plays them again: whole, or with as few records as the same answers need, which is found out by playing it. */
import { isDeepStrictEqual } from 'node:util'
import { durationText, LONGEST } from '../core/durations.js'
import { isoOf } from '../core/instants.js'
import { maskedThroughout } from '../core/redaction.js'
import type { SecretWords } from '../core/secret-words.js'
import { nested, SETTING_KEYS, SETTINGS, settingsInForce } from '../core/settings.js'
import { type AnyRecord, type Exchange, tookEffect } from '../engine/exchange.js'
import { playIn } from '../engine/play.js'
import { isChange, nameOf, type OperationId, operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { documentOf } from '../scenario/documents.js'
import { exportedRecord, keysIn } from '../scenario/export.js'
import { bindingsOf } from '../scenario/scenario.js'
import { Answers, type Json, playSteps, type StepAnswer, type StepData, withTexts } from '../scenario/steps.js'
import { FAMILIES } from '../store/store.js'
import { answerOf, common, determined, type Fields, isScripted, isStopped, playOf, scriptOf } from './played-requests.js'
import { ID_FIELDS, type Member, membersFor, touchedBy } from './recorded-state.js'

/** What is known of requests that were made in a sandbox, oldest first. */
export type Recording = {
  scenario: string
  calls: readonly Exchange[]
  /** How many requests before these are not known. */
  dropped: number
  /** Whether the clock ran after the last one. */
  isRunning: boolean
  words: SecretWords
  /** The records to begin with; `copied` are ids of those that a request makes once more. */
  members: readonly Member[]
  copied: ReadonlySet<string>
  keys: readonly string[]
  /** A sandbox that nothing was loaded into. */
  blank: () => Sandbox
}
/** A scenario document, and what has to be said about it: a line for each thing. */
export type RecordedScenario = { data: Record<string, unknown>; notes: string[] }

const INTRODUCTION = [
  'Recorded by commerce-emulator: `commerce-emulator check FILE` makes these calls again and expects the same answers.',
  'API keys, card data and account numbers are left out; what replaces them follows, with everything that differs from the calls as they were made.'
]
/** Records of a scenario beyond which those that no request touched are left out. */
const MAX_RECORDS = 5000

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

/** What is known of the requests that a sandbox's journal holds; of a single one, of that alone. */
export function recordingOf(sandbox: Sandbox, words: SecretWords, only?: Exchange): Recording {
  const { scenario, store, clock, evidence } = sandbox
  const { journal } = evidence
  const held = only === undefined ? journal.requests() : [only]
  const calls = held.filter(({ place }) => place >= sandbox.inputs.earliest)
  const first = calls.reduce((least, { place }) => Math.min(least, place), sandbox.inputs.place)
  const before = sandbox.stateAt(first).store
  return {
    scenario: scenario.name,
    calls,
    dropped: only === undefined ? journal.dropped + held.length - calls.length : 0,
    isRunning: clock.running,
    words,
    ...membersFor(calls, before, only === undefined ? store : before),
    keys: keysIn(store).map(({ account }) => account),
    blank: () => sandbox.blank()
  }
}

/**
 * The scenario that plays a recording again. `isSmallest` keeps the records that the requests touched, and so does a state of many records; playing it proves
 * that the answers are the same. Errors: `document_too_large`, `document_invalid`.
 */
export async function scenarioOf(recording: Recording, { isSmallest = false, most = MAX_RECORDS } = {}): Promise<RecordedScenario> {
  const first = startOf(recording)
  const isTooLarge = first.members.length > most
  let { start, plays } = await attempt(first, recording, isSmallest || isTooLarge)
  const skipped: Played[] = []
  for (let others = plays.filter(play => !isAnsweredSo(play)); others.length > 0; others = plays.filter(play => !isAnsweredSo(play))) {
    skipped.push(...others)
    const calls = plays.filter(play => !others.includes(play)).map(({ call }) => call)
    plays = await playedIn(start, calls, recording)
  }
  const head = { name: 'recorded', description: `The calls that a client made in ${recording.scenario}.` }
  const { data, notes } = documentFrom(head, { start, plays }, recording, skipped)
  const left = `There were ${first.members.length} records; here are those that the answers need.`
  return { data, notes: isTooLarge ? [...notes, left] : notes }
}

/** Plays the requests of a recording; with `isSmallest` among the records that they touched, if they are answered the same there. */
async function attempt(start: Start, recording: Recording, isSmallest: boolean): Promise<Attempt> {
  const { calls } = recording
  const small = { ...start, members: touchedBy(calls, start.members) }
  const plays = isSmallest ? await playedIn(small, calls, recording) : []
  if (isSmallest && plays.every(play => play.step === null || isReproduced(play))) return { start: small, plays }
  return { start, plays: await playedIn(start, calls, recording) }
}

/**
 * A scenario in which the one request of a recording is answered as it was, with the records that it touched. Undefined where no play can make it, or where it
 * is answered differently with all the records that there were.
 */
export async function scenarioOfCall(recording: Recording): Promise<RecordedScenario | undefined> {
  const [call] = recording.calls
  if (call === undefined) return undefined
  const found = await attempt({ ...startOf(recording), clock: null }, recording, true)
  if (!found.plays.every(isReproduced)) return undefined
  const { refusal, status } = call.outcome
  const reason = refusal === null ? '' : ` ${refusal.code}${refusal.rule === null ? '' : ` (${refusal.rule})`}`
  const description = `${nameOf(call.operation as OperationId)} is answered ${status}${reason}.`
  return documentFrom({ name: call.id, description }, found, recording, [])
}

/** The state that the requests of a recording were made in. */
function startOf({ members, keys, calls }: Recording): Start {
  const active = new Set(calls.flatMap(({ account }) => account ?? []))
  const accounts = keys.filter(account => active.has(account))
  const [first] = calls
  const defaults = settingsInForce({}).values
  const settings = SETTING_KEYS.filter(key => SETTINGS[key].scope === 'sandbox' && first && !isDeepStrictEqual(first.settings[key], defaults[key]))
  return {
    members,
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
async function playedIn(start: Start, calls: readonly Exchange[], { words, isRunning, copied, blank }: Recording): Promise<Played[]> {
  const sandbox = blank()
  await sandbox.load(documentOf('recorded', { name: 'recorded', ...stateIn(start, words) }), { name: 'recorded', file: null })
  const play = playIn(sandbox)
  const bindings = bindingsOf(sandbox.store)
  const first = bindings.key('')
  const answers = new Answers([])
  const ids: Ids = { recorded: new Map(), written: new Map() }
  const plays: Played[] = []
  const waits = waitsBefore(calls, isRunning)
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
    if (copied.has(was)) continue
    // a client that lost the answer has never seen the id, but the seed draws the same one again
    ids.written.set(was, isScripted(call) ? id : `\${${name}.id}`)
  }
  return plays
}

/** By how many milliseconds the clock was set forward before each call, or back; the time that passed on a running clock by itself is left out. */
const movesBefore = (calls: readonly Exchange[], running: boolean): number[] =>
  calls.map(({ at, now }, index) => {
    const before = calls[index - 1]
    if (before === undefined || before.at === at) return 0
    return at - before.at - (running ? now - before.now : 0)
  })

/** How long the frozen clock of a play has to wait before each call. */
function waitsBefore(calls: readonly Exchange[], isRunning: boolean): number[] {
  let [recorded, played] = [0, 0]
  return movesBefore(calls, isRunning).map(move => {
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

/** The document of an attempt, and what differs in it from what was recorded. */
function documentFrom(
  head: { name: string; description: string },
  { start, plays }: Attempt,
  recording: Recording,
  skipped: readonly Played[]
): RecordedScenario {
  const text = JSON.stringify(plays.map(({ step, expect }) => [step, expect]))
  const calls = plays.map(({ call }) => call)
  const waits = waitsBefore(calls, recording.isRunning)
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
function notesOn({ accounts, members }: Start, plays: readonly Played[], { calls, isRunning, dropped }: Recording): string[] {
  const [first] = calls
  return [
    ...accounts
      .filter(account => members.some(({ record }) => record.id === account))
      .map(account => `The key ${keyOf(account)} replaces those of ${account}.`),
    ...plays.flatMap(({ call, notes }) => notes.map(note => `${titleOf(call)}: ${note}.`)),
    ...(dropped > 0 ? [`The journal no longer holds the first ${dropped} calls: the first state is the one after them.`] : []),
    ...(movesBefore(calls, isRunning).some(move => move < 0)
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
