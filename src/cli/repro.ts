/** `commerce-emulator repro --run FILE NAME`: one request of a report, without its emulator. */
import { settingsInForce } from '../core/settings.js'
import { replayedCall } from '../replay/replayed.js'
import { Sandbox } from '../sandbox/sandbox.js'
import { Library } from '../scenario/library.js'
import { scenarioText } from '../scenario/yaml.js'
import { Failure } from './failures.js'
import { readRun } from './reports.js'
import { SAYS } from './sentences.js'

const MAX_NAMED = 20

/** As YAML. Errors: a `Failure` for a file that has no such request. */
export async function scenarioInRun(name: string, file: string): Promise<string> {
  const { recordings = [] } = (await readRun(file)).run
  if (recordings.length === 0) throw new Failure(SAYS.no_recordings(file))
  const id = name.slice(name.lastIndexOf('/') + 1)
  const found = recordings.find(
    ({ of, requests }) => name === `${of}/${id}` && requests.some(request => request.id === id)
  )
  if (found === undefined) {
    const known = recordings.flatMap(({ of, requests }) => requests.map(({ id }) => `${of}/${id}`))
    throw new Failure(SAYS.not_in_run(file, name, known.slice(0, MAX_NAMED).join(', ')))
  }
  const launch = { flag: {}, environment: {} }
  const library = Library.by(settingsInForce(launch).values)
  const sandbox = new Sandbox({ library, launch, machine: Date.now })
  const scenario = await replayedCall(id, found, sandbox)
  if (scenario === undefined) throw new Failure(SAYS.not_replayed(name))
  return scenarioText(scenario.data, scenario.notes)
}
