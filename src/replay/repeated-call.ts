/** One request of a report as a scenario. */
import { loadScenario } from '../sandbox/loading.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { documentOf } from '../scenario/documents.js'
import { withTexts } from '../scenario/play/references.js'
import { bindingsOf, isWait, playSteps } from '../scenario/steps.js'
import { Player } from './player.js'
import {
  type RecordedRequest,
  type RecordedScenario,
  type RunRecording,
  scenarioOfCall
} from './recorded-scenario.js'
import { recordingOf } from './recording.js'

/** Replays the requests up to it, with their ids and times. */
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
