/** Requests as a scenario that replays them, with the records that matter to them. */

import { durationText } from '../core/instants.js'
import type { Entry } from '../evidence/entry.js'
import { nameOf } from '../reference/operations.js'
import { loadScenario } from '../sandbox/loading.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { documentOf } from '../scenario/documents.js'
import { withTexts } from '../scenario/play/references.js'
import { bindingsOf, isWait, type Json, playSteps } from '../scenario/steps.js'
import { replacedIn, scriptOf } from './played-requests.js'
import { Player } from './player.js'
import { type Recording, recordingOf } from './recording.js'
import { type Played, type RecordedRequest, type Rehearsal, rehearse } from './rehearsal.js'
import { SAYS } from './sentences.js'

/** `notes` are comments of the document. */
export type RecordedScenario = {
  data: Record<string, unknown>
  notes: string[]
  requests: RecordedRequest[]
}

/** Errors: as of `loadScenario`. */
export async function scenarioOf(recording: Recording): Promise<RecordedScenario> {
  const skipped: string[] = []
  let { calls } = recording
  for (;;) {
    const rehearsal = await rehearse(calls, recording)
    const unplayable = rehearsal.plays.filter(({ isPlayable }) => !isPlayable)
    skipped.push(...unplayable.map(whySkipped))
    if (unplayable.length === 0) {
      const head = { name: 'recorded', description: SAYS.description(recording.scenario) }
      return documentFrom(head, rehearsal, recording, skipped)
    }
    calls = rehearsal.plays.filter(({ isPlayable }) => isPlayable).map(({ call }) => call)
  }
}

/** Undefined if its play gets another response. */
export async function scenarioOfCall(recording: Recording): Promise<RecordedScenario | undefined> {
  const rehearsal = await rehearse(recording.calls, recording)
  const [play] = rehearsal.plays
  if (!play?.isReproduced || play.call.operation === null) return undefined
  const description = SAYS.description_of_one(nameOf(play.call.operation), responseTo(play.call))
  const head = { name: play.call.id, description }
  return documentFrom(head, rehearsal, recording, [])
}

export type RunRecording = { of: string; requests: readonly RecordedRequest[]; scenario: Json }

/** The scenario of one request: replays those up to it, with their ids and times. */
export async function replayedCall(
  id: string,
  { requests, scenario }: RunRecording,
  sandbox: Sandbox
): Promise<RecordedScenario | undefined> {
  const drawn = new Map(
    requests.flatMap(({ made: record }) => (record ? [[record.drawn, record.id]] : []))
  )
  const data = withTexts(scenario, text => drawn.get(text) ?? text)
  await loadScenario(sandbox, documentOf('recorded', data), { name: 'recorded', file: null })
  const { play, responses } = sandbox.requireLoaded()
  const { stamp } = sandbox
  let remaining = 1 + requests.findIndex(request => request.id === id)
  const coming = requests.slice(0, remaining).values()
  let current: RecordedRequest | undefined
  sandbox.nextRequestId = () => {
    current = coming.next().value
    return String(current?.id)
  }
  sandbox.stamp = (...kind) => Object.assign(stamp.apply(sandbox, kind), current?.made)
  await playSteps(
    play.filter(step => (isWait(step) ? remaining > 0 : remaining-- > 0)),
    new Player(sandbox).play,
    bindingsOf(sandbox.store),
    () => {},
    responses,
    ms => sandbox.setClock({ by: ms })
  )
  const call = sandbox.evidence.find(id)
  return call && scenarioOfCall(await recordingOf(sandbox, [call]))
}

function documentFrom(
  head: { name: string; description: string },
  { plays, written }: Rehearsal,
  { beginning, expected: { data: expectations, notes }, dropped, words }: Recording,
  skipped: readonly string[]
): RecordedScenario {
  const inPlay = (id: string) => written.get(id) ?? id
  const expected = expectations.map(data => withTexts(data as Json, inPlay, inPlay))
  const text = JSON.stringify([expected, plays.map(({ step, expect }) => [step, expect])])
  const play = plays.flatMap(({ name, step, expect, wait }) => [
    ...(wait === 0 ? [] : [{ wait: durationText(wait) }]),
    { ...(name !== null && text.includes(`\${${name}.`) && { as: name }), ...step, expect }
  ])
  const { data: records, ...setup } = beginning
  const calls = plays.map(({ call }) => call)
  const script = scriptOf(calls, words)
  return {
    data: {
      ...head,
      ...setup,
      ...(Object.keys(records).length > 0 && { data: records }),
      ...(script.length > 0 && { script }),
      play,
      ...(expected.length > 0 && { expect: expected })
    },
    requests: plays.map(({ call: { id }, made: record }) => ({
      id,
      ...(record && { made: record })
    })),
    notes: [
      SAYS.recorded(),
      SAYS.left_out(),
      ...(dropped > 0 ? [SAYS.dropped(dropped)] : []),
      ...plays.flatMap(notesOn),
      ...notes,
      ...skipped
    ]
  }
}

const notesOn = ({ call, isReproduced }: Played): string[] =>
  [...replacedIn(call).map(SAYS.replaced), ...(isReproduced ? [] : [SAYS.other_values()])].map(
    note => SAYS.of(titleOf(call), note)
  )

const titleOf = ({ id, method, path }: Entry) => `${id} ${method} ${path}`

const whySkipped = ({ call, status }: Played): string =>
  SAYS.of(titleOf(call), SAYS.not_played(responseTo(call), `${status || 'none'}`))

const responseTo = ({ outcome: { status, refusal } }: Entry): string =>
  [status, refusal?.code, refusal?.rule && `(${refusal.rule})`].filter(Boolean).join(' ')
