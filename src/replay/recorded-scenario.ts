/** Requests as a scenario that plays them again, with the records that matter to them. */
import { durationText } from '../core/durations.js'
import type { Entry } from '../evidence/entry.js'
import { nameOf, type OperationId } from '../reference/operations.js'
import { withTexts } from '../scenario/play/references.js'
import type { Json } from '../scenario/steps.js'
import { scriptOf } from './played-requests.js'
import type { Recording } from './recording.js'
import { type Played, type RecordedRequest, type Rehearsal, rehearse } from './rehearsal.js'
import { SAYS } from './sentences.js'

/** `notes` are lines about the document, `requests` those of its plays. */
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
    const left = rehearsal.plays.filter(({ isPlayable }) => !isPlayable)
    skipped.push(...left.map(whySkipped))
    if (left.length === 0) {
      const head = { name: 'recorded', description: SAYS.description(recording.scenario) }
      return documentFrom(head, rehearsal, recording, skipped)
    }
    calls = rehearsal.plays.flatMap(({ call, isPlayable }) => (isPlayable ? [call] : []))
  }
}

/** Undefined if its play gets another response. */
export async function scenarioOfCall(recording: Recording): Promise<RecordedScenario | undefined> {
  const rehearsal = await rehearse(recording.calls, recording)
  const [play] = rehearsal.plays
  if (!play?.isReproduced) return undefined
  const { operation, outcome } = play.call
  const { refusal, status } = outcome
  const why =
    refusal === null ? '' : ` ${refusal.code}${refusal.rule === null ? '' : ` (${refusal.rule})`}`
  const on = nameOf(operation as OperationId)
  const head = { name: play.call.id, description: SAYS.description_of_one(on, status, why) }
  return documentFrom(head, rehearsal, recording, [])
}

/** With notes on what differs from the recording. */
function documentFrom(
  head: { name: string; description: string },
  { plays, written }: Rehearsal,
  { beginning, expected: { data: wanted, notes }, dropped, words }: Recording,
  skipped: readonly string[]
): RecordedScenario {
  const inPlay = (id: string) => written.get(id) ?? id
  const expected = wanted.map(data => withTexts(data as Json, inPlay, inPlay))
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
    requests: plays.map(({ call: { id }, made }) => ({ id, ...(made && { made }) })),
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

const notesOn = ({ call, replaced, isReproduced }: Played): string[] =>
  [...replaced.map(SAYS.replaced), ...(isReproduced ? [] : [SAYS.other_values()])].map(note =>
    SAYS.of(titleOf(call), note)
  )

const titleOf = ({ id, method, path }: Entry) => `${id} ${method} ${path}`

function whySkipped({ call, status }: Played): string {
  const { outcome } = call
  const was = [outcome.status, ...(outcome.refusal === null ? [] : [outcome.refusal.code])]
  return SAYS.of(titleOf(call), SAYS.not_played(was.join(' '), `${status || 'none'}`))
}
