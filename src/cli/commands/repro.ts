import { contentOf } from '../../client/connection.js'
import type { Emulator } from '../../client/emulator.js'
import { settingsInForce } from '../../core/settings.js'
import type { RunDocument } from '../../reports/run.js'
import { Library, textOf, VERSION } from '../../scenario/library.js'
import { type CommandSpec, option, STATUS } from '../command.js'
import { Failure } from '../failures.js'
import { ADDRESS, type AddressFlags, addressOf, readFrom } from '../running.js'
import { SAYS } from '../sentences.js'

/** A request in a report, `SANDBOX#PERIOD/req_1`. */
const IN_RUN = /^([\w.-]*)#\d+\//

export const REPRO: CommandSpec = {
  about:
    'Print a scenario that replays one request of a running emulator or of a report, with the records that it touched, and gets the same response.',
  argument: [
    '<id>',
    'A Request-Id such as req_3, or the name of a request in a report, such as worker-1#2/req_3.'
  ],
  options: [
    option('--run <file>', 'File run.json of exec --report, to use instead of a running emulator.'),
    ...ADDRESS
  ],
  examples: [
    ['reproduce the response to a request', 'commerce-emulator repro req_3 > refused.yaml'],
    [
      'the same from a report',
      "commerce-emulator repro '#1/req_3' --run reports/run.json > refused.yaml"
    ]
  ],
  async run(
    { run, ...flags }: AddressFlags & { run?: string },
    { environment, stdout },
    id: string
  ) {
    const [, sandbox = ''] = IN_RUN.exec(id) ?? []
    const repeated = (emulator: Emulator) =>
      (sandbox ? emulator.sandbox(sandbox) : emulator).control(
        `GET /requests/${encodeURIComponent(id)}`,
        { query: { format: 'scenario' } }
      )
    stdout.write(
      run === undefined
        ? await readFrom(await addressOf(flags, environment), repeated)
        : await scenarioInRun(id, run)
    )
    return STATUS.done
  }
}

async function scenarioInRun(name: string, file: string): Promise<string> {
  const { recordings = [] } = await readRun(file)
  if (recordings.length === 0) throw new Failure(SAYS.no_recordings(file))
  const id = name.slice(name.lastIndexOf('/') + 1)
  const recording = recordings.find(
    ({ of, requests }) => name === `${of}/${id}` && requests.some(request => request.id === id)
  )
  if (recording === undefined) throw new Failure(SAYS.not_in_run(file, name))
  const [{ replayedCall }, { Sandbox }, { scenarioText }] = await Promise.all([
    import('../../replay/repeated-call.js'),
    import('../../sandbox/sandbox.js'),
    import('../../scenario/yaml.js')
  ])
  const launch = { flag: {}, environment: {} }
  const library = Library.from(settingsInForce(launch).values)
  const sandbox = new Sandbox({ library, launch, machine: Date.now })
  const scenario = await replayedCall(id, recording, sandbox)
  if (scenario === undefined) throw new Failure(SAYS.not_replayed(name))
  return scenarioText(scenario.data, scenario.notes)
}

async function readRun(file: string): Promise<RunDocument> {
  const { run }: { run?: RunDocument } = Object(contentOf(await textOf(file)))
  if (run?.object !== 'run') throw new Failure(SAYS.not_a_run(file))
  if (run.version !== VERSION) throw new Failure(SAYS.other_version(file, run.version, VERSION))
  return run
}
