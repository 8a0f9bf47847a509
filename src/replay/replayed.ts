/** The scenario of one request, from a recording of all: what `repro` says, without the emulator. */
import { loadScenario } from '../sandbox/loading.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { documentOf } from '../scenario/documents.js'
import { withTexts } from '../scenario/play/references.js'
import { bindingsOf, isWait, type Json, playSteps } from '../scenario/steps.js'
import { Player } from './player.js'
import { type RecordedScenario, scenarioOfCall } from './recorded-scenario.js'
import { recordingOf } from './recording.js'
import type { RecordedRequest } from './rehearsal.js'

export type RunRecording = { of: string; requests: readonly RecordedRequest[]; scenario: Json }

/**
 * Plays the requests up to one in a blank sandbox, with their ids and times. Undefined as of
 * `scenarioOfCall`.
 */
export async function replayedCall(
  id: string,
  { requests, scenario }: RunRecording,
  sandbox: Sandbox
): Promise<RecordedScenario | undefined> {
  const drawn = new Map(requests.flatMap(({ made }) => (made ? [[made.drawn, made.id]] : [])))
  const data = withTexts(scenario, text => drawn.get(text) ?? text)
  await loadScenario(sandbox, documentOf('recorded', data), { name: 'recorded', file: null })
  const { play, answers } = sandbox.requireLoaded()
  const { stamp } = sandbox
  let sent: RecordedRequest | undefined
  let left = 1 + requests.findIndex(request => request.id === id)
  const coming = requests.slice(0, left)
  sandbox.nextRequestId = () => {
    sent = coming.shift()
    return (sent as RecordedRequest).id
  }
  sandbox.stamp = (...of) => Object.assign(stamp.apply(sandbox, of), sent?.made)
  await playSteps(
    play.filter(one => (isWait(one) ? left > 0 : left-- > 0)),
    new Player(sandbox).play,
    bindingsOf(sandbox.store),
    () => {},
    answers,
    ms => sandbox.setClock({ by: ms })
  )
  const call = sandbox.evidence.find(id)
  return call && scenarioOfCall(await recordingOf(sandbox, [call]))
}
