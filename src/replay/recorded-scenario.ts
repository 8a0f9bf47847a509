/** Requests as a scenario that plays them again, with all records or only those that matter. */
import { isDeepStrictEqual } from 'node:util'
import { durationText, MAX_DURATION } from '../core/durations.js'
import { isoOf } from '../core/instants.js'
import { maskedThroughout, withoutSecrets } from '../core/redaction.js'
import type { SecretWords } from '../core/secret-words.js'
import { nested, SETTING_KEYS, SETTINGS, settingsInForce } from '../core/settings.js'
import { without } from '../core/templates.js'
import {
  type AnyRecord,
  type Exchange,
  hasPerformed,
  scriptAction,
  tookEffect
} from '../engine/exchange.js'
import { playIn } from '../engine/play.js'
import { nameOf, type OperationId, operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { documentOf } from '../scenario/documents.js'
import { exportedRecord, keysIn } from '../scenario/export.js'
import { withTexts } from '../scenario/references.js'
import { bindingsOf } from '../scenario/scenario.js'
import { Answers, type Json, playSteps, type StepData } from '../scenario/steps.js'
import { pause } from '../work/slices.js'
import {
  alongside,
  answerOf,
  common,
  determined,
  type Fields,
  isScripted,
  isStopped,
  playOf,
  scriptOf
} from './played-requests.js'
import { type Expected, expectedOf, isOf, keyOf } from './recorded-expectations.js'
import { type Member, maskedRecord, membersFor, touchedBy } from './recorded-state.js'
import { SAYS } from './sentences.js'

export type Recording = {
  /** `SANDBOX#PERIOD` in a run. */
  of: string
  scenario: string
  calls: readonly Exchange[]
  /** Requests that the journal dropped before these. */
  dropped: number
  isRunning: boolean
  words: SecretWords
  /** Seed, clock and settings that are not the default. */
  setup: Record<string, unknown>
  /** Records to begin with; a request makes those in `copied` once more. */
  members: readonly Member[]
  copied: ReadonlySet<string>
  accounts: readonly string[]
  expected: Expected
  blank: () => Sandbox
}
/** `made`: the record that it made, for which a play drew another id. */
export type RecordedRequest = {
  id: string
  made?: { id: string; created: string; drawn: string }
}
/** `notes` are lines about the document, `requests` those of its plays. */
export type RecordedScenario = {
  data: Record<string, unknown>
  notes: string[]
  requests: RecordedRequest[]
}

/** Of more records, only those that requests touched are played, whatever the responses. */
const MAX_PLAYED = 20_000

/** `step` is null where no play can send it, `expect` without an effect; `name`: what it made. */
type Played = {
  call: Exchange
  step: StepData | null
  name: string | null
  made: RecordedRequest['made']
  notes: readonly string[]
  status: number
  expect: StepData['expect'] | null
  /** Milliseconds that the frozen clock waits before it. */
  wait: number
  /** Whether its response has the same values, or at least the same status and error. */
  isReproduced: boolean
  isPlayable: boolean
}
type Key = { key: string; account: string }
type Beginning = Record<string, unknown> & { data: { api_keys?: readonly Key[] } }
/** `written`: how a recorded id is written in a play. */
type Playing = { plays: readonly Played[]; written: ReadonlyMap<string, string> }
type Attempt = Playing & { beginning: Beginning }

/** All requests of the journal, or some; what others made meanwhile is there from the beginning. */
export async function recordingOf(
  sandbox: Sandbox,
  words: SecretWords,
  chosen?: readonly Exchange[]
): Promise<Recording> {
  const { scenario, clock, evidence, inputs } = sandbox
  const { dropped } = evidence.journal
  const of = evidence.prefix.slice(0, -1)
  const expected = expectedOf(sandbox, words, chosen)
  const isRunning = clock.running
  // requests that come meanwhile are not in it
  const store = sandbox.store.clone()
  const held = chosen ?? evidence.journal.requests()
  const calls = held.filter(({ place }) => place >= inputs.earliest)
  const first = calls.reduce((least, { place }) => Math.min(least, place), inputs.place)
  const last = calls.reduce((most, { place }) => Math.max(most, place), first)
  const [before, after] = await Promise.all([
    sandbox.stateAt(first),
    chosen === undefined ? { store } : sandbox.stateAt(last)
  ])
  const active = new Set(calls.flatMap(({ account }) => account ?? []))
  const keyed = keysIn(store).map(({ account }) => account)
  return {
    of,
    scenario: scenario.name,
    calls,
    dropped: chosen === undefined ? dropped + held.length - calls.length : 0,
    isRunning,
    words,
    setup: setupOf(calls[0], chosen?.length !== 1, expected.timed.length > 0),
    ...(await membersFor(calls, before.store, after.store)),
    accounts: [...new Set([...keyed.filter(account => active.has(account)), ...active])],
    expected,
    blank: () => sandbox.blank()
  }
}

/** A pause between requests is only judged by a clock that moves. */
function setupOf(
  first: Exchange | undefined,
  hasClock: boolean,
  running: boolean
): Record<string, unknown> {
  if (first === undefined) return {}
  const defaults = settingsInForce({}).values
  const keys = SETTING_KEYS.filter(
    key =>
      SETTINGS[key].scope === 'sandbox' && !isDeepStrictEqual(first.settings[key], defaults[key])
  )
  const { seed, ...others } = Object.fromEntries(keys.map(key => [key, first.settings[key]]))
  return {
    ...(seed !== undefined && { seed }),
    ...(hasClock && { clock: running ? { now: isoOf(first.at), running } : isoOf(first.at) }),
    ...(Object.keys(others).length > 0 && { settings: nested(others) })
  }
}

/** With all records only if the touched ones give other responses. Errors: as of `Sandbox.load`. */
export async function scenarioOf(recording: Recording): Promise<RecordedScenario> {
  let found = await attempt(recording)
  const skipped: string[] = []
  while (!found.plays.every(({ isPlayable }) => isPlayable)) {
    const { beginning, plays } = found
    skipped.push(...plays.filter(({ isPlayable }) => !isPlayable).map(whySkipped))
    const calls = plays.filter(({ isPlayable }) => isPlayable).map(({ call }) => call)
    found = { beginning, ...(await playedIn(beginning, calls, recording)) }
  }
  const head = { name: 'recorded', description: SAYS.description(recording.scenario) }
  const { notes, ...document } = documentFrom(head, found, recording)
  return { ...document, notes: [...notes, ...skipped] }
}

/** Undefined if no play can send the request, or all records do not give the same response. */
export async function scenarioOfCall(recording: Recording): Promise<RecordedScenario | undefined> {
  const found = await attempt(recording)
  const [play] = found.plays
  if (!play?.isReproduced) return undefined
  const { id, operation, outcome } = play.call
  const { refusal, status } = outcome
  const why =
    refusal === null ? '' : ` ${refusal.code}${refusal.rule === null ? '' : ` (${refusal.rule})`}`
  return documentFrom(
    {
      name: id,
      description: SAYS.description_of_one(nameOf(operation as OperationId), status, why)
    },
    found,
    recording
  )
}

async function attempt(recording: Recording, isWhole = false): Promise<Attempt> {
  const { calls, members, expected } = recording
  const beginning = await beginningWith(
    isWhole ? members : await touchedBy(calls, members, expected.data ?? []),
    recording
  )
  const playing = await playedIn(beginning, calls, recording)
  // a request that no play can send needs no record
  const isEnough =
    isWhole ||
    members.length > MAX_PLAYED ||
    playing.plays.every(({ step, isReproduced }) => step === null || isReproduced)
  return isEnough ? { beginning, ...playing } : attempt(recording, true)
}

/** These records, and a key for each Account among them that sent requests. */
async function beginningWith(
  members: readonly Member[],
  { setup, accounts, words }: Recording
): Promise<Beginning> {
  const keys = accounts
    .filter(account => members.some(({ record }) => record.id === account))
    .map(account => ({ key: keyOf(account), account }))
  const data: Record<string, object[]> = keys.length > 0 ? { api_keys: keys } : {}
  for (const { family, record } of members) {
    data[family] ??= []
    data[family].push(maskedRecord(exportedRecord(family, record), words))
    await pause()
  }
  return { ...setup, data }
}

/** Plays requests that reached their operation. Errors: as of `Sandbox.load`. */
async function playedIn(
  beginning: Beginning,
  calls: readonly Exchange[],
  recording: Recording
): Promise<Playing> {
  const { members, words, copied, expected } = recording
  const sandbox = recording.blank()
  await sandbox.load(documentOf('recorded', { name: 'recorded', ...beginning }), {
    name: 'recorded',
    file: null
  })
  const bindings = bindingsOf(sandbox.store)
  const first = bindings.key('')
  const answers = new Answers([])
  // the recorded id for each id of a play, and how a recorded id is written in a play
  const [recorded, written] = [new Map<string, string>(), new Map<string, string>()]
  for (const { record } of members) {
    written.set(withoutSecrets(record.id, words), record.id)
    await pause()
  }
  const inPlay = (id: string) => written.get(id) ?? id
  const keyFor = (account: string) => (first === keyOf(account) ? undefined : keyOf(account))
  const plays: Played[] = []
  // how far the clock of the play is behind
  let behind = 0
  for (const [index, call] of calls.entries()) {
    behind += moveBefore(call, calls[index - 1], recording)
    const wait = Math.min(Math.max(0, behind), MAX_DURATION)
    behind -= wait
    sandbox.setClock({ by: wait })
    const { step = null, notes = [] } =
      playOf(call, { keyOf: keyFor, written: inPlay, headers: expected.headers }) ?? {}
    const isMade = step !== null && (!isStopped(call) || calls.length === 1)
    const isCreating =
      tookEffect(call) && operationOf(call.operation as OperationId).kind === 'create'
    const name = isMade && isCreating ? nameFor(call, index + 1) : null
    const [outcome] = await playSteps(
      isMade ? [{ ...step, ...(name !== null && { as: name }) }] : [],
      playIn(sandbox, alongside(call)),
      bindings,
      () => {},
      answers
    )
    const { status, body } = outcome?.answer ?? { status: 0, body: null }
    const shown = body && (withTexts(body, id => recorded.get(id) ?? id) as Fields)
    const now = shown && determined(shown, status, name !== null, sandbox.settings)
    await pause()
    const answer = answerOf(call)
    const was =
      answer === undefined
        ? null
        : determined(answer as Fields, call.outcome.status, isCreating, call.settings)
    const expect = expectationOf(call, status, withTexts(common(was, now) ?? null, inPlay))
    const isAlike = step !== null && (isStopped(call) || status === call.outcome.status)
    const isSame = isStopped(call) || isDeepStrictEqual(maskedThroughout(now, words), was)
    const isPlayable = isAlike && expect !== null && (isSame || call.outcome.refusal === null)
    const play: Played = {
      call,
      step,
      name,
      made: undefined,
      notes,
      status,
      expect,
      wait,
      isReproduced: isAlike && isSame,
      isPlayable
    }
    plays.push(play)
    if (name === null || status >= 300) continue
    const drawn = (body as { id: string }).id
    const { id, created } = call.outcome.shown as AnyRecord & { created: string }
    recorded.set(drawn, id)
    if (copied.has(id)) continue
    play.made = { id, created, drawn }
    // a client that lost the response has never seen the id, but the seed draws the same one again
    written.set(id, isScripted(call) ? drawn : `\${${name}.id}`)
  }
  return { plays, written }
}

/**
 * Milliseconds that the clock was set forward or back, without those that passed by themselves;
 * where pauses are expected, all since the response before.
 */
function moveBefore(
  { at, now }: Exchange,
  before: Exchange | undefined,
  { isRunning, expected: { timed } }: Recording
): number {
  if (before === undefined || before.at === at) return 0
  if (timed.length > 0)
    return at - (timed.some(one => isOf(one, before)) ? before.ended : before.at)
  return at - before.at - (isRunning ? now - before.now : 0)
}

const nameFor = ({ operation }: Exchange, number: number) =>
  `${RESOURCE_NAMES[operationOf(operation as OperationId).family].toLowerCase()}_${number}`

/** What recording and play have in common; null for a request without effect. */
function expectationOf(call: Exchange, status: number, shared: Json): StepData['expect'] | null {
  const fault = scriptAction(call)?.fault
  if (isScripted(call) && !call.isDelivered && fault) return { fault }
  if (call.outcome.name === 'lost_before') return null
  if (call.outcome.name !== 'scripted' || hasPerformed(call))
    return { status, ...(shared !== null && { body: shared }) }
  const answer = answerOf(call) ?? null
  const body = without(call.settings['shapes.error'], common(answer, answer) ?? null, [
    '$request_id'
  ]) as Json
  return { status: call.outcome.status, ...(body !== null && { body }) }
}

/** With notes on what differs from the recording. */
function documentFrom(
  head: { name: string; description: string },
  { beginning, plays, written }: Attempt,
  recording: Recording
): RecordedScenario {
  const inPlay = (id: string) => written.get(id) ?? id
  const expected = recording.expected.data?.map(data => withTexts(data as Json, inPlay, inPlay))
  const text = JSON.stringify([expected, plays.map(({ step, expect }) => [step, expect])])
  const calls = plays.map(({ call }) => call)
  const play = plays.flatMap(({ name, step, expect, wait }) => [
    ...(wait === 0 ? [] : [{ wait: durationText(wait) }]),
    { ...(name !== null && text.includes(`\${${name}.`) && { as: name }), ...step, expect }
  ])
  const { data: records, ...setup } = beginning
  const script = scriptOf(calls)
  const effects = new Map<string, number>()
  for (const { call, status } of plays) {
    if (isStopped(call) || status >= 300 || !tookEffect(call)) continue
    const on = nameOf(call.operation as OperationId)
    effects.set(on, (effects.get(on) ?? 0) + 1)
  }
  const expect =
    expected ?? Array.from(effects, ([on, times]) => ({ on, took_effect: true, times }))
  const data = {
    ...head,
    ...setup,
    ...(Object.keys(records).length > 0 && { data: records }),
    ...(script.length > 0 && { script }),
    play,
    ...(expect.length > 0 && { expect })
  }
  return {
    data,
    requests: plays.map(({ call: { id }, made }) => ({ id, ...(made && { made }) })),
    notes: [SAYS.recorded(), SAYS.left_out(), ...notesOn(records.api_keys ?? [], plays, recording)]
  }
}

function notesOn(keys: readonly Key[], plays: readonly Played[], recording: Recording): string[] {
  const { dropped, expected } = recording
  const calls = plays.map(({ call }) => call)
  const general: [isSo: boolean, note: string][] = [
    [dropped > 0, SAYS.dropped(dropped)],
    [
      calls.some((call, index) => moveBefore(call, calls[index - 1], recording) < 0),
      SAYS.set_back()
    ],
    [
      calls.some(({ settings }) => !isDeepStrictEqual(settings, calls[0]?.settings)),
      SAYS.other_settings()
    ],
    [
      calls.some(({ action }) =>
        ['hold', 'delay'].some(name => name in (action?.entry.data ?? {}))
      ),
      SAYS.no_delays()
    ]
  ]
  return [
    ...keys.map(({ key, account }) => SAYS.key(key, account)),
    ...plays.flatMap(({ call, notes }) => notes.map(note => SAYS.of(titleOf(call), note))),
    ...general.flatMap(([isSo, note]) => (isSo ? [note] : [])),
    ...expected.notes,
    ...plays.flatMap(({ call, isReproduced }) =>
      isReproduced ? [] : [SAYS.of(titleOf(call), SAYS.other_values())]
    )
  ]
}

const titleOf = ({ id, method, path }: Exchange) => `${id} ${method} ${path}`

function whySkipped({ call, step, expect, status }: Played): string {
  const was = `${call.outcome.status}${call.outcome.refusal === null ? '' : ` ${call.outcome.refusal.code}`}`
  if (expect === null) return SAYS.of(titleOf(call), SAYS.client_left())
  return SAYS.of(
    titleOf(call),
    step === null ? SAYS.no_operation(was) : SAYS.other_status(was, status)
  )
}
