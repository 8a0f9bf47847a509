/** Plays recorded requests in a blank sandbox. */

import { MAX_DURATION } from '../core/instants.js'
import { partAt } from '../core/places.js'
import { scriptAction, tookEffect } from '../engine/outcome.js'
import { playIn } from '../engine/play.js'
import { alongside, type Entry, isScripted, maskedBody } from '../evidence/entry.js'
import { operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import { loadScenario } from '../sandbox/loading.js'
import { documentOf } from '../scenario/documents.js'
import { isOf } from '../scenario/expect/judges.js'
import { withTexts } from '../scenario/play/references.js'
import { bindingsOf, type Json, playSteps, type StepData } from '../scenario/steps.js'
import { pause } from '../work/slices.js'
import { determined, isReplaced, isStopped, playOf } from './played-requests.js'
import { keyOf, type Recording } from './recording.js'

/** `made`: the record that it created, with the id that a play drew for it. */
export type RecordedRequest = {
  id: string
  made?: { id: string; created: string; drawn: string }
}
export type Rehearsal = Awaited<ReturnType<typeof rehearse>>
export type Played = Rehearsal['plays'][number]
type Stage = Awaited<ReturnType<typeof stageOf>>

/** Plays requests that reached their operation. Errors: as of `loadScenario`. */
export async function rehearse(calls: readonly Entry[], recording: Recording) {
  const stage = await stageOf(recording)
  const plays: (Awaited<ReturnType<typeof rehearseCall>> & { wait: number })[] = []
  // how far the play's clock is behind
  let behind = 0
  for (const [index, call] of calls.entries()) {
    behind += moveBefore(call, calls[index - 1], recording)
    const wait = Math.min(Math.max(0, behind), MAX_DURATION)
    behind -= wait
    stage.sandbox.setClock({ by: wait })
    plays.push({ ...(await rehearseCall(call, index + 1, stage, recording)), wait })
  }
  return { plays, written: stage.written }
}

async function stageOf({ beginning, blank }: Recording) {
  const sandbox = blank()
  const document = documentOf('recorded', { name: 'recorded', ...beginning })
  await loadScenario(sandbox, document, { name: 'recorded', file: null })
  const bindings = bindingsOf(sandbox.store)
  const first = bindings.key('')
  return {
    sandbox,
    bindings,
    // the first key is sent without a name
    keyOf: (account: string) => (first === keyOf(account) ? undefined : keyOf(account)),
    responses: new Map(),
    // recorded ids as a play writes them
    written: new Map<string, string>()
  }
}

/** The step is null where no play can send it, what it expects where it has no effect. */
async function rehearseCall(
  call: Entry,
  number: number,
  stage: Stage,
  { words, expected: { headers } }: Recording
) {
  const { sandbox, bindings, responses, written } = stage
  const inPlay = (id: string) => written.get(id) ?? id
  const writing = { keyOf: stage.keyOf, idInPlay: inPlay, headers }
  const step = playOf(call, writing)
  const isSent = step !== null && !isStopped(call)
  const operation = call.operation && operationOf(call.operation)
  const isCreating = tookEffect(call) && operation?.kind === 'create'
  const determinedBody = determined(maskedBody(call, words), call, isCreating)
  const body = withTexts(playable(determinedBody), inPlay)
  const recorded = { status: call.outcome.status, ...(body !== null && { body }) }
  const steps = isSent ? [{ ...step, expect: recorded }] : []
  const client = playIn(sandbox, alongside(call))
  const [outcome] = await playSteps(steps, client, bindings, () => {}, responses)
  await pause()
  const { status, body: response } = outcome?.response ?? { status: 0, body: null }
  const isAlike = step !== null && (!isSent || status === recorded.status)
  const isReproduced = isAlike && !outcome?.problems.length
  const expect = expectationOf(call, isReproduced ? recorded : { status })
  const isPlayable = isAlike && expect !== null && (isReproduced || call.outcome.refusal === null)
  const name =
    isSent && isCreating && operation
      ? `${RESOURCE_NAMES[operation.family].toLowerCase()}_${number}`
      : null
  const play = { call, step, name, status, expect, isReproduced, isPlayable, made: null }
  if (name === null || status >= 300) return play
  responses.set(name, response)
  const drawn = textIn(response, 'id')
  const id = textIn(call.outcome.result, 'id')
  const created = textIn(call.outcome.result, 'created')
  // a lost id is unknown to the client, but the seed draws it again
  written.set(id, isScripted(call) ? drawn : `\${${name}.id}`)
  return { ...play, made: { id, created, drawn } }
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

/** Null for a request without effect; `common` is what recording and play have in common. */
function expectationOf(
  call: Entry,
  common: NonNullable<StepData['expect']>
): StepData['expect'] | null {
  const fault = scriptAction(call)?.fault
  if (isScripted(call) && !call.outcome.isDelivered && fault) return { fault }
  return call.outcome.name === 'lost_before' ? null : common
}

/** Without what is undefined; null where it is replaced. */
function playable(value: Json): Json {
  const text = JSON.stringify(value)
  return isReplaced(text) ? null : JSON.parse(text)
}
