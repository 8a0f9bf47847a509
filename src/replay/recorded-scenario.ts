/** Requests of a sandbox as a scenario that plays them again: with all records, or with those that they touched where playing it proves that enough. */
import { isDeepStrictEqual } from 'node:util'
import { durationText, LONGEST } from '../core/durations.js'
import { isoOf } from '../core/instants.js'
import { maskedThroughout } from '../core/redaction.js'
import type { SecretWords } from '../core/secret-words.js'
import { nested, SETTING_KEYS, SETTINGS, settingsInForce } from '../core/settings.js'
import { without } from '../core/templates.js'
import { type AnyRecord, type Exchange, tookEffect } from '../engine/exchange.js'
import { playIn } from '../engine/play.js'
import { nameOf, type OperationId, operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { documentOf } from '../scenario/documents.js'
import { exportedRecord, keysIn } from '../scenario/export.js'
import { bindingsOf } from '../scenario/scenario.js'
import { Answers, type Json, playSteps, type StepData, withTexts } from '../scenario/steps.js'
import { FAMILIES } from '../store/store.js'
import { pause } from '../work/slices.js'
import { answerOf, common, determined, type Fields, isScripted, isStopped, playOf, scriptOf } from './played-requests.js'
import { ID_FIELDS, type Member, membersFor, touchedBy } from './recorded-state.js'

/** Requests of a sandbox, oldest first. */
export type Recording = {
  scenario: string
  calls: readonly Exchange[]
  /** How many requests before these the journal dropped. */
  dropped: number
  isRunning: boolean
  words: SecretWords
  /** Seed, clock and settings that are not the default. */
  setup: Record<string, unknown>
  /** Records to begin with; a request makes those in `copied` once more. */
  members: readonly Member[]
  copied: ReadonlySet<string>
  accounts: readonly string[]
  blank: () => Sandbox
}
/** `notes` are lines about the document. */
export type RecordedScenario = { data: Record<string, unknown>; notes: string[] }

const INTRODUCTION = [
  'Recorded by commerce-emulator: `commerce-emulator check FILE` makes these calls again and expects the same answers.',
  'API keys, card data and account numbers are left out; what replaces them follows, with everything that differs from the calls as they were made.'
]
/** With more records, those that no request touched are left out. */
const MAX_RECORDS = 5000
/** With more records still, only those that requests touched are played, whatever the answers. */
const MAX_PLAYED = 20_000

/** `step` is null for a call that no play can make, `expect` for one that had no effect; `name` is that of a record that it made. */
type Played = {
  call: Exchange
  step: StepData | null
  name: string | null
  notes: readonly string[]
  status: number
  expect: StepData['expect'] | null
  /** Whether it was answered with the same values, or at least with the same status and error. */
  isReproduced: boolean
  isPlayable: boolean
}
type Attempt = { members: readonly Member[]; plays: readonly Played[] }

/** The requests in the journal of a sandbox, or a single one of them. */
export async function recordingOf(sandbox: Sandbox, words: SecretWords, only?: Exchange): Promise<Recording> {
  const { scenario, clock, evidence, inputs } = sandbox
  const { dropped } = evidence.journal
  const isRunning = clock.running
  // requests that come meanwhile are not in it
  const store = sandbox.store.clone()
  const held = only === undefined ? evidence.journal.requests() : [only]
  const calls = held.filter(({ place }) => place >= inputs.earliest)
  const { store: before } = await sandbox.stateAt(calls.reduce((least, { place }) => Math.min(least, place), inputs.place))
  const active = new Set(calls.flatMap(({ account }) => account ?? []))
  const keyed = keysIn(store).map(({ account }) => account)
  return {
    scenario: scenario.name,
    calls,
    dropped: only === undefined ? dropped + held.length - calls.length : 0,
    isRunning,
    words,
    setup: setupOf(calls[0], only === undefined),
    ...(await membersFor(calls, before, only === undefined ? store : before)),
    accounts: [...new Set([...keyed.filter(account => active.has(account)), ...active])],
    blank: () => sandbox.blank()
  }
}

function setupOf(first: Exchange | undefined, hasClock: boolean): Record<string, unknown> {
  if (first === undefined) return {}
  const defaults = settingsInForce({}).values
  const keys = SETTING_KEYS.filter(key => SETTINGS[key].scope === 'sandbox' && !isDeepStrictEqual(first.settings[key], defaults[key]))
  const { seed, ...others } = Object.fromEntries(keys.map(key => [key, first.settings[key]]))
  return {
    ...(seed !== undefined && { seed }),
    ...(hasClock && { clock: isoOf(first.at) }),
    ...(Object.keys(others).length > 0 && { settings: nested(others) })
  }
}

/** Plays a recording again. `onlyTouched`, or many records: only those that the requests touched, if that gives the same answers. Errors: as of `Sandbox.load`. */
export async function scenarioOf(recording: Recording, { onlyTouched = false, most = MAX_RECORDS } = {}): Promise<RecordedScenario> {
  const count = recording.members.length
  let { members, plays } = await attempt(recording, onlyTouched || count > most)
  const skipped: Played[] = []
  while (!plays.every(({ isPlayable }) => isPlayable)) {
    skipped.push(...plays.filter(({ isPlayable }) => !isPlayable))
    const calls = plays.filter(({ isPlayable }) => isPlayable).map(({ call }) => call)
    plays = await playedIn(members, calls, recording)
  }
  const head = { name: 'recorded', description: `The calls that a client made in ${recording.scenario}.` }
  const { data, notes } = await documentFrom(head, { members, plays }, recording)
  const left = count > most ? [`There were ${count} records; here are those that the answers need.`] : []
  return { data, notes: [...notes, ...skipped.map(reasonOf), ...left] }
}

/** With `onlyTouched`, among the records that they touched, if they are answered the same there. */
async function attempt(recording: Recording, onlyTouched: boolean): Promise<Attempt> {
  const { calls, members } = recording
  const least = onlyTouched ? await touchedBy(calls, members) : members
  const plays = await playedIn(least, calls, recording)
  // a call that no play can make needs no record
  const isEnough = members.length > MAX_PLAYED || plays.every(({ step, isReproduced }) => step === null || isReproduced)
  if (!onlyTouched || isEnough) return { members: least, plays }
  return { members, plays: await playedIn(members, calls, recording) }
}

/** A scenario of one request, with the records that it touched. Undefined where no play can make it, or all records do not give the same answer. */
export async function scenarioOfCall(recording: Recording): Promise<RecordedScenario | undefined> {
  const found = await attempt(recording, true)
  const [play] = found.plays
  if (!play?.isReproduced) return undefined
  const { id, operation, outcome } = play.call
  const { refusal, status } = outcome
  const reason = refusal === null ? '' : ` ${refusal.code}${refusal.rule === null ? '' : ` (${refusal.rule})`}`
  return documentFrom({ name: id, description: `${nameOf(operation as OperationId)} is answered ${status}${reason}.` }, found, recording)
}

/** These records, and a key for each Account among them that made calls. */
async function stateWith(members: readonly Member[], { setup, accounts, words }: Recording): Promise<Record<string, unknown>> {
  const keys = accounts.filter(account => members.some(({ record }) => record.id === account)).map(account => ({ key: keyOf(account), account }))
  const lists: [string, object[]][] = FAMILIES.map(family => [family, []])
  const listOf = new Map(lists)
  for (const member of members) {
    listOf.get(member.family)?.push(exported(member, words))
    await pause()
  }
  const data = [['api_keys', keys] as const, ...lists].filter(([, list]) => list.length > 0)
  return { ...setup, ...(data.length > 0 && { data: Object.fromEntries(data) }) }
}

/** Replaces the keys of an Account. */
const keyOf = (account: string) => `sk_test_${account}`

/** As in a fixture, with card numbers and keys in texts masked; ids stay. */
function exported({ family, record }: Member, words: SecretWords): Record<string, unknown> {
  const plain = exportedRecord(family, record)
  return { ...maskedThroughout(plain, words), ...Object.fromEntries(Object.entries(plain).filter(([name]) => ID_FIELDS.includes(name))) }
}

/** Plays calls in order, but for those that never came to their operation. Errors: as of `Sandbox.load`. */
async function playedIn(members: readonly Member[], calls: readonly Exchange[], recording: Recording): Promise<Played[]> {
  const { words, isRunning, copied, blank } = recording
  const sandbox = blank()
  await sandbox.load(documentOf('recorded', { name: 'recorded', ...(await stateWith(members, recording)) }), { name: 'recorded', file: null })
  const bindings = bindingsOf(sandbox.store)
  const first = bindings.key('')
  const answers = new Answers([])
  // the recorded id for each id of a play, and how a recorded id is written in a play
  const [recorded, written] = [new Map<string, string>(), new Map<string, string>()]
  const inPlay = (id: string) => written.get(id) ?? id
  const keyFor = (account: string) => (first === keyOf(account) ? undefined : keyOf(account))
  const plays: Played[] = []
  const waits = waitsBefore(calls, isRunning)
  for (const [index, call] of calls.entries()) {
    sandbox.advanceClock(waits[index] as number)
    const { step = null, notes = [] } = playOf(call, { keyOf: keyFor, written: inPlay }) ?? {}
    const isMade = step !== null && (!isStopped(call) || calls.length === 1)
    const isCreating = tookEffect(call) && operationOf(call.operation as OperationId).kind === 'create'
    const name = isMade && isCreating ? nameFor(call, index + 1) : null
    const [outcome] = await playSteps(isMade ? [{ ...step, ...(name !== null && { as: name }) }] : [], playIn(sandbox), bindings, () => {}, answers)
    const { status, body } = outcome?.answer ?? { status: 0, body: null }
    const now =
      body === null
        ? null
        : maskedThroughout(determined(withTexts(body, id => recorded.get(id) ?? id) as Fields, status, name !== null, sandbox.settings), words)
    await pause()
    const answer = answerOf(call)
    const was = answer === undefined ? null : determined(answer as Fields, call.outcome.status, isCreating, call.settings)
    const expect = expectationOf(call, status, withTexts(common(was, now) ?? null, inPlay))
    const isAlike = step !== null && (isStopped(call) || status === call.outcome.status)
    const isSame = isStopped(call) || isDeepStrictEqual(now, was)
    const isPlayable = isAlike && expect !== null && (isSame || call.outcome.refusal === null)
    plays.push({ call, step, name, notes, status, expect, isReproduced: isAlike && isSame, isPlayable })
    if (name === null || status >= 300) continue
    const [id, before] = [(body as { id: string }).id, (call.outcome.shown as AnyRecord).id]
    recorded.set(id, before)
    // a client that lost the answer has never seen the id, but the seed draws the same one again
    if (!copied.has(before)) written.set(before, isScripted(call) ? id : `\${${name}.id}`)
  }
  return plays
}

/** Milliseconds that the clock was set forward before each call, or back, without those that passed by themselves. */
const movesBefore = (calls: readonly Exchange[], isRunning: boolean): number[] =>
  calls.map(({ at, now }, index) => {
    const before = calls[index - 1]
    return before === undefined || before.at === at ? 0 : at - before.at - (isRunning ? now - before.now : 0)
  })

/** Milliseconds that the frozen clock of a play waits before each call. */
function waitsBefore(calls: readonly Exchange[], isRunning: boolean): number[] {
  // how far the play is behind
  let behind = 0
  return movesBefore(calls, isRunning).map(move => {
    behind += move
    const wait = Math.min(Math.max(0, behind), LONGEST)
    behind -= wait
    return wait
  })
}

const nameFor = ({ operation }: Exchange, number: number) => `${RESOURCE_NAMES[operationOf(operation as OperationId).family].toLowerCase()}_${number}`

/** What the recorded answer and that of the play have in common. Null for a call that had no effect. */
function expectationOf(call: Exchange, status: number, shared: Json): StepData['expect'] | null {
  const fault = call.action?.entry.data.fault
  if (isScripted(call) && !call.isDelivered && fault) return { fault }
  if (call.outcome.name === 'lost_before') return null
  const isGiven = call.outcome.name === 'scripted'
  const body = isGiven ? scriptedAnswer(call) : shared
  return { status: isGiven ? call.outcome.status : status, ...(body !== null && { body }) }
}

function scriptedAnswer(call: Exchange): Json {
  const answer = answerOf(call) ?? null
  const body = common(answer, answer) ?? null
  return without(call.settings['shapes.error'], body, ['$request_id']) as Json
}

/** With notes on what differs from the recording. */
async function documentFrom(head: { name: string; description: string }, { members, plays }: Attempt, recording: Recording): Promise<RecordedScenario> {
  const text = JSON.stringify(plays.map(({ step, expect }) => [step, expect]))
  const calls = plays.map(({ call }) => call)
  const waits = waitsBefore(calls, recording.isRunning)
  const play = plays.flatMap(({ name, step, expect }, index) => [
    ...(waits[index] === 0 ? [] : [{ wait: durationText(waits[index] as number) }]),
    { ...(name !== null && text.includes(`\${${name}.`) && { as: name }), ...step, expect }
  ])
  const script = scriptOf(calls)
  const changes = plays.filter(({ call, status }) => !isStopped(call) && status < 300 && tookEffect(call))
  const effects = new Map<string, number>()
  for (const { call } of changes) effects.set(nameOf(call.operation as OperationId), (effects.get(nameOf(call.operation as OperationId)) ?? 0) + 1)
  const expect = Array.from(effects, ([on, times]) => ({ on, took_effect: true, times }))
  const data = { ...head, ...(await stateWith(members, recording)), ...(script.length > 0 && { script }), play, ...(expect.length > 0 && { expect }) }
  return { data, notes: [...INTRODUCTION, ...notesOn(members, plays, recording)] }
}

/** A line for each difference from the recording. */
function notesOn(members: readonly Member[], plays: readonly Played[], { accounts, calls, isRunning, dropped }: Recording): string[] {
  const keyed = accounts.filter(account => members.some(({ record }) => record.id === account))
  const general: [isSo: boolean, note: string][] = [
    [dropped > 0, `The journal no longer holds the first ${dropped} calls: the first state is the one after them.`],
    [
      movesBefore(calls, isRunning).some(move => move < 0),
      'The clock was set back between the calls; here it stays where it is until it is past the time of a call.'
    ],
    [
      [...new Set(calls.map(({ settings }) => settings))].some(settings => !isDeepStrictEqual(settings, calls[0]?.settings)),
      'Settings were changed between the calls; here those of the first call are in force.'
    ],
    [calls.some(({ action }) => action?.entry.data.hold || action?.entry.data.delay !== undefined), 'Delays and holds of the script are left out.']
  ]
  const others = plays.filter(({ isReproduced }) => !isReproduced)
  return [
    ...keyed.map(account => `The key ${keyOf(account)} replaces those of ${account}.`),
    ...plays.flatMap(({ call, notes }) => notes.map(note => `${titleOf(call)}: ${note}.`)),
    ...general.flatMap(([isSo, note]) => (isSo ? [note] : [])),
    ...others.map(({ call }) => `${titleOf(call)} is answered with values that differ from the recorded ones; these are not expected.`)
  ]
}

const titleOf = ({ id, method, path }: Exchange) => `${id} ${method} ${path}`

function reasonOf({ call, step, expect, status }: Played): string {
  const what = `${titleOf(call)} is not played: `
  if (expect === null) return `${what}its client left before the operation ran.`
  const was = `it was answered ${call.outcome.status}${call.outcome.refusal === null ? '' : ` ${call.outcome.refusal.code}`}`
  return step === null ? `${what}${was}, and the reference has no such operation.` : `${what}${was}, and a play of it would be answered ${status}.`
}
