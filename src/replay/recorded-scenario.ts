/** Requests as a scenario that plays them again, with the records that matter to them. */
import { isDeepStrictEqual } from 'node:util'
import { durationText, MAX_DURATION } from '../core/durations.js'
import { isoOf } from '../core/instants.js'
import { maskedThroughout, withoutSecrets } from '../core/redaction.js'
import type { SecretWords } from '../core/secret-words.js'
import { without } from '../core/templates.js'
import { type AnyRecord, hasPerformed, scriptAction, tookEffect } from '../engine/outcome.js'
import { playIn } from '../engine/play.js'
import { alongside, answerOf, type Entry, isScripted } from '../evidence/entry.js'
import { nameOf, type OperationId, operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import { loadScenario } from '../sandbox/loading.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { documentOf } from '../scenario/documents.js'
import { withTexts } from '../scenario/play/references.js'
import { exportedRecord, setupOf } from '../scenario/records/export.js'
import { Answers, bindingsOf, type Json, playSteps, type StepData } from '../scenario/steps.js'
import { pause } from '../work/slices.js'
import { determined, type Fields, isStopped, playOf, scriptOf } from './played-requests.js'
import { type Expected, expectedOf, isOf, keyOf } from './recorded-expectations.js'
import { maskedRecord, membersFor, touchedBy } from './recorded-state.js'
import { SAYS } from './sentences.js'

export type Recording = Awaited<ReturnType<typeof recordingOf>>
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

/** `step` is null where no play can send it, `expect` without an effect. */
type Played = RecordedRequest & {
  call: Entry
  step: StepData | null
  name: string | null
  replaced: readonly string[]
  status: number
  expect: StepData['expect'] | null
  /** Milliseconds that the clock waits before it. */
  wait: number
  /** Whether its response has the same values. */
  isReproduced: boolean
  isPlayable: boolean
}
type Playing = Awaited<ReturnType<typeof playedIn>>

/** All requests of the journal, or some. */
export async function recordingOf(sandbox: Sandbox, words: SecretWords, chosen?: readonly Entry[]) {
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
    sandbox.inputs.stateAt(first),
    chosen === undefined ? { store } : sandbox.inputs.stateAt(last)
  ])
  const { members, copied } = await membersFor(calls, before.store, after.store)
  const touched = await touchedBy(calls, members, expected.data)
  const keys = [...new Set(calls.map(({ caller }) => caller.account))].flatMap(account =>
    touched.some(({ record }) => record.id === account)
      ? { key: keyOf(account as string), account }
      : []
  )
  const data: Record<string, object[]> = keys.length > 0 ? { api_keys: keys } : {}
  // the id of each record by what the journal shows of it
  const ids = new Map<string, string>()
  for (const { family, record } of touched) {
    data[family] ??= []
    data[family].push(maskedRecord(exportedRecord(family, record), words))
    ids.set(withoutSecrets(record.id, words), record.id)
    await pause()
  }
  return {
    /** `SANDBOX#PERIOD` in a run. */
    of,
    scenario: scenario.name,
    calls,
    /** Requests dropped before these. */
    dropped: chosen === undefined ? dropped + held.length - calls.length : 0,
    isRunning,
    words,
    beginning: {
      ...(calls[0] && setupOf(calls[0].settings)),
      ...(calls[0] && chosen?.length !== 1 && clockOf(calls[0], expected)),
      data
    },
    ids,
    copied,
    expected,
    blank: () => sandbox.blank()
  }
}

/** Only a clock that moves judges a pause. */
const clockOf = ({ at }: Entry, { timed }: Expected) => ({
  clock: timed.length > 0 ? { now: isoOf(at), running: true } : isoOf(at)
})

/** Errors: as of `loadScenario`. */
export async function scenarioOf(recording: Recording): Promise<RecordedScenario> {
  const skipped: string[] = []
  let { calls } = recording
  for (;;) {
    const playing = await playedIn(calls, recording)
    const left = playing.plays.filter(({ isPlayable }) => !isPlayable)
    skipped.push(...left.map(whySkipped))
    if (left.length === 0) {
      const head = { name: 'recorded', description: SAYS.description(recording.scenario) }
      return documentFrom(head, playing, recording, skipped)
    }
    calls = playing.plays.flatMap(({ call, isPlayable }) => (isPlayable ? [call] : []))
  }
}

/** Undefined if its play gets another response. */
export async function scenarioOfCall(recording: Recording): Promise<RecordedScenario | undefined> {
  const playing = await playedIn(recording.calls, recording)
  const [play] = playing.plays
  if (!play?.isReproduced) return undefined
  const { operation, outcome } = play.call
  const { refusal, status } = outcome
  const why =
    refusal === null ? '' : ` ${refusal.code}${refusal.rule === null ? '' : ` (${refusal.rule})`}`
  const on = nameOf(operation as OperationId)
  const head = { name: play.id, description: SAYS.description_of_one(on, status, why) }
  return documentFrom(head, playing, recording, [])
}

/** Plays requests that reached their operation. Errors: as of `loadScenario`. */
async function playedIn(calls: readonly Entry[], recording: Recording) {
  const { beginning, ids, words, copied, expected } = recording
  const sandbox = recording.blank()
  await loadScenario(sandbox, documentOf('recorded', { name: 'recorded', ...beginning }), {
    name: 'recorded',
    file: null
  })
  const bindings = bindingsOf(sandbox.store)
  const first = bindings.key('')
  const answers = new Answers([])
  // the recorded id for each id of a play, and how a recorded id is written in a play
  const [recorded, written] = [new Map<string, string>(), new Map(ids)]
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
    const { step = null, replaced = [] } =
      playOf(call, { keyOf: keyFor, written: inPlay, headers: expected.headers }) ?? {}
    const isMade = step !== null && !isStopped(call)
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
    const answer = answerOf(call, words)
    const was =
      answer === undefined
        ? null
        : determined(answer as Fields, call.outcome.status, isCreating, call.settings)
    const shared = isDeepStrictEqual(now, was) ? withTexts(withoutReferences(was), inPlay) : null
    const expect = expectationOf(call, status, shared, words)
    const isAlike = step !== null && (isStopped(call) || status === call.outcome.status)
    const isSame = isStopped(call) || isDeepStrictEqual(maskedThroughout(now, words), was)
    const isPlayable = isAlike && expect !== null && (isSame || call.outcome.refusal === null)
    const play: Played = {
      id: call.id,
      call,
      step,
      name,
      replaced,
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
  { at, now }: Entry,
  before: Entry | undefined,
  { isRunning, expected: { timed } }: Recording
): number {
  if (before === undefined || before.at === at) return 0
  if (timed.length > 0)
    return at - (timed.some(one => isOf(one, before)) ? before.ended : before.at)
  return at - before.at - (isRunning ? now - before.now : 0)
}

const nameFor = ({ operation }: Entry, number: number) =>
  `${RESOURCE_NAMES[operationOf(operation as OperationId).family].toLowerCase()}_${number}`

/** What recording and play have in common; null for a request without effect. */
function expectationOf(
  call: Entry,
  status: number,
  shared: Json,
  words: SecretWords
): StepData['expect'] | null {
  const fault = scriptAction(call)?.fault
  if (isScripted(call) && !call.outcome.isDelivered && fault) return { fault }
  if (call.outcome.name === 'lost_before') return null
  if (call.outcome.name !== 'scripted' || hasPerformed(call))
    return { status, ...(shared !== null && { body: shared }) }
  const answer = withoutReferences(answerOf(call, words) ?? null)
  const body = without(call.settings['shapes.error'], answer, ['$request_id']) as Json
  return { status: call.outcome.status, ...(body !== null && { body }) }
}

/** Null for what would be read as a reference. */
const withoutReferences = (value: Json): Json =>
  JSON.stringify(value).includes('${') ? null : value

/** With notes on what differs from the recording. */
function documentFrom(
  head: { name: string; description: string },
  { plays, written }: Playing,
  { beginning, expected: { data: wanted, notes }, dropped, words }: Recording,
  skipped: readonly string[]
): RecordedScenario {
  const inPlay = (id: string) => written.get(id) ?? id
  const expected = wanted.map(data => withTexts(data as Json, inPlay, inPlay))
  const text = JSON.stringify([expected, plays.map(({ step, expect }) => [step, expect])])
  const calls = plays.map(({ call }) => call)
  const play = plays.flatMap(({ name, step, expect, wait }) => [
    ...(wait === 0 ? [] : [{ wait: durationText(wait) }]),
    { ...(name !== null && text.includes(`\${${name}.`) && { as: name }), ...step, expect }
  ])
  const { data: records, ...setup } = beginning
  const script = scriptOf(calls, words)
  const data = {
    ...head,
    ...setup,
    ...(Object.keys(records).length > 0 && { data: records }),
    ...(script.length > 0 && { script }),
    play,
    ...(expected.length > 0 && { expect: expected })
  }
  return {
    data,
    requests: plays.map(({ id, made }) => ({ id, ...(made && { made }) })),
    notes: [
      SAYS.recorded(),
      SAYS.left_out(),
      ...(dropped > 0 ? [SAYS.dropped(dropped)] : []),
      ...plays.flatMap(({ call, replaced, isReproduced }) =>
        [...replaced.map(SAYS.replaced), ...(isReproduced ? [] : [SAYS.other_values()])].map(note =>
          SAYS.of(titleOf(call), note)
        )
      ),
      ...notes,
      ...skipped
    ]
  }
}

const titleOf = ({ id, method, path }: Entry) => `${id} ${method} ${path}`

function whySkipped({ call, status }: Played): string {
  const { outcome } = call
  const was = [outcome.status, ...(outcome.refusal === null ? [] : [outcome.refusal.code])]
  return SAYS.of(titleOf(call), SAYS.not_played(was.join(' '), `${status || 'none'}`))
}
