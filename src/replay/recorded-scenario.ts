/** Requests as a scenario that replays them, tried in a blank sandbox. */

import { durationText, MAX_DURATION } from '../core/instants.js'
import { partAt } from '../core/places.js'
import { tookEffect } from '../engine/outcome.js'
import { playIn } from '../engine/play.js'
import type { Entry } from '../evidence/entry.js'
import { nameOf, operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import { loadScenario } from '../sandbox/loading.js'
import { documentOf } from '../scenario/documents.js'
import { isOf } from '../scenario/expect/judges.js'
import { withTexts } from '../scenario/play/references.js'
import { bindingsOf, type Json, playSteps } from '../scenario/steps.js'
import { pause } from '../work/slices.js'
import {
  alongside,
  bodyToExpect,
  faultOf,
  isScripted,
  isStopped,
  playOf,
  scriptOf
} from './played-requests.js'
import type { Recording } from './recording.js'
import { SAYS } from './sentences.js'

/** `made`: the record that it created, with the id that a play drew for it. */
export type RecordedRequest = {
  id: string
  made?: { id: string; created: string; drawn: string }
}
/** `notes` are comments of the document. */
export type RecordedScenario = {
  data: Record<string, unknown>
  notes: string[]
  requests: RecordedRequest[]
}
export type RunRecording = { of: string; requests: readonly RecordedRequest[]; scenario: Json }
type Stage = Awaited<ReturnType<typeof stageOf>>
type Rehearsal = Awaited<ReturnType<typeof rehearse>>
type Play = Awaited<ReturnType<typeof rehearseCall>> & { wait: number }

/** Errors: as of `loadScenario`. */
export async function scenarioOf(recording: Recording): Promise<RecordedScenario> {
  const skipped: string[] = []
  let { calls } = recording
  for (;;) {
    const rehearsal = await rehearse(calls, recording)
    const { plays } = rehearsal
    calls = plays.flatMap(({ call, isPlayable }) => (isPlayable ? call : []))
    if (calls.length === plays.length) {
      const head = { name: 'recorded', description: SAYS.description(recording.scenario) }
      return documentFrom(head, rehearsal, recording, skipped)
    }
    skipped.push(...plays.flatMap(({ note, isPlayable }) => (isPlayable ? [] : note)))
  }
}

/** Undefined if its play gets another response. */
export async function scenarioOfCall(recording: Recording): Promise<RecordedScenario | undefined> {
  const rehearsal = await rehearse(recording.calls, recording)
  const [play] = rehearsal.plays
  if (play?.note !== '' || play.call.operation === null) return undefined
  const { id, operation, outcome } = play.call
  const { status, refusal } = outcome
  const response = [status, refusal?.code, refusal?.rule && `(${refusal.rule})`]
  const description = SAYS.description_of_one(nameOf(operation), response.filter(Boolean).join(' '))
  return documentFrom({ name: id, description }, rehearsal, recording, [])
}

/** Plays requests that reached their operation. */
async function rehearse(calls: readonly Entry[], recording: Recording) {
  const stage = await stageOf(recording)
  const plays: Play[] = []
  // how far the play's clock is behind
  let behind = 0
  for (const [index, call] of calls.entries()) {
    behind += moveBefore(call, calls[index - 1], recording)
    const wait = Math.min(Math.max(0, behind), MAX_DURATION)
    behind -= wait
    stage.sandbox.setClock({ by: wait })
    plays.push({ ...(await rehearseCall(call, index + 1, stage)), wait })
  }
  const { idInPlay } = stage.writing
  const expect = recording.expected.data.map(data => withTexts(data as Json, idInPlay, idInPlay))
  return { plays, expect }
}

async function stageOf({ beginning, blank, words, expected: { headers } }: Recording) {
  const sandbox = blank()
  const document = documentOf('recorded', { name: 'recorded', ...beginning })
  await loadScenario(sandbox, document, { name: 'recorded', file: null })
  const bindings = bindingsOf(sandbox.store)
  // recorded ids as a play writes them
  const written = new Map<string, string>()
  const idInPlay = (id: string) => written.get(id) ?? id
  const writing = { firstKey: bindings.key(''), idInPlay, headers }
  return { sandbox, bindings, words, responses: new Map(), written, writing }
}

/** `note` says what differs in the play. */
async function rehearseCall(call: Entry, number: number, stage: Stage) {
  const { sandbox, bindings, words, responses, written, writing } = stage
  const { outcome } = call
  const request = `${call.id} ${call.method} ${call.path}`
  const step = playOf(call, writing)
  const isSent = step !== null && !isStopped(call)
  const operation = call.operation && operationOf(call.operation)
  const isCreating = tookEffect(call) && operation?.kind === 'create'
  const body = withTexts(bodyToExpect(call, words, isCreating), writing.idInPlay)
  const recorded = { status: outcome.status, ...(body !== null && { body }) }
  const steps = isSent ? [{ ...step, expect: recorded }] : []
  const client = playIn(sandbox, alongside(call))
  const [played] = await playSteps(steps, client, bindings, () => {}, responses)
  await pause()
  const { status, body: response } = played?.response ?? { status: 0, body: null }
  const isAlike = step !== null && (!isSent || status === outcome.status)
  const isReproduced = isAlike && !played?.problems.length
  const isPlayable = isReproduced || (isAlike && outcome.refusal === null)
  const fault = faultOf(call)
  const common = isReproduced ? recorded : { status }
  const play = {
    call,
    step,
    expect: fault ? { fault } : common,
    isPlayable,
    note: isReproduced
      ? ''
      : SAYS[isPlayable ? 'other_values' : 'not_played'](request, outcome.status),
    name: '',
    made: null
  }
  if (!isSent || !isCreating || !operation || status >= 300) return play
  const name = `${RESOURCE_NAMES[operation.family].toLowerCase()}_${number}`
  responses.set(name, response)
  const drawn = textIn(response, 'id')
  const madeId = textIn(outcome.result, 'id')
  // a lost id is unknown to the client, but the seed draws it again
  written.set(madeId, isScripted(call) ? drawn : `\${${name}.id}`)
  return { ...play, name, made: { id: madeId, created: textIn(outcome.result, 'created'), drawn } }
}

const textIn = (body: unknown, name: string): string => String(partAt(body, [name]))

/**
 * Milliseconds that the clock was set forward or back before a request; where pauses are expected,
 * all since the response before.
 */
function moveBefore(
  { at, now }: Entry,
  previous: Entry | undefined,
  { isRunning, expected: { timed } }: Recording
): number {
  if (previous === undefined || previous.at === at) return 0
  if (timed.length > 0)
    return at - (timed.some(calls => isOf(calls, previous)) ? previous.ended : previous.at)
  return at - previous.at - (isRunning ? now - previous.now : 0)
}

function documentFrom(
  head: { name: string; description: string },
  { plays, expect }: Rehearsal,
  { beginning, expected: { notes }, dropped, words }: Recording,
  skipped: readonly string[]
): RecordedScenario {
  const text = JSON.stringify([expect, plays.map(({ step, expect }) => [step, expect])])
  const play = plays.flatMap(({ name, step, expect, wait }) => [
    ...(wait === 0 ? [] : [{ wait: durationText(wait) }]),
    { ...(name !== '' && text.includes(`\${${name}.`) && { as: name }), ...step, expect }
  ])
  const { data, ...setup } = beginning
  const script = scriptOf(
    plays.map(({ call }) => call),
    words
  )
  return {
    data: {
      ...head,
      ...setup,
      ...(Object.keys(data).length > 0 && { data }),
      ...(script.length > 0 && { script }),
      play,
      ...(expect.length > 0 && { expect })
    },
    requests: plays.map(({ call: { id }, made: record }) => ({
      id,
      ...(record && { made: record })
    })),
    notes: [
      SAYS.recorded(),
      SAYS.left_out(),
      ...(dropped > 0 ? [SAYS.dropped(dropped)] : []),
      ...plays.flatMap(({ note }) => note || []),
      ...notes,
      ...skipped
    ]
  }
}
