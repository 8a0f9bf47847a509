/** The engine for a test: requests run in a sandbox, without a server or a journal. */
import { type GivenSettings, settingsInForce } from '../../src/core/settings.js'
import { execute, playIn } from '../../src/engine/play.js'
import { headersOf, type Response } from '../../src/engine/response.js'
import { close } from '../../src/evidence/entry.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { Sandboxes } from '../../src/sandbox/sandboxes.js'
import { documentOf } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'
import { exported } from '../../src/scenario/records/record.js'
import {
  type Answer,
  answerOf,
  type Blame,
  blameOf,
  type Call,
  NOW,
  sentBy,
  smallFixture
} from './requests.js'

export const recordsOf = ({ state }: Pick<Sandbox, 'state'>): string =>
  JSON.stringify(exported(state.store))
export const stateOf = ({ state: { store, clock, ids } }: Sandbox): string =>
  JSON.stringify([exported(store), clock.reading, ids.counters])

export type Begin = {
  records?: Record<string, object[]>
  settings?: GivenSettings
  environment?: GivenSettings
  scenario?: object
  /** Folders of scenarios and fixtures; it starts in the scenario `default`. */
  own?: { fixtures: string; scenarios: string }
  /** False if the start scenario is not loaded yet. */
  loaded?: boolean
  /** The machine's time in milliseconds; frozen by default. */
  machine?: () => number
}

export function prepared({
  records = {},
  settings = {},
  environment = {},
  scenario,
  own,
  loaded = true,
  machine = () => Date.parse(NOW)
}: Begin) {
  const launch = {
    flag: { ...settings, ...(own && { fixtures_dir: own.fixtures, scenarios_dir: own.scenarios }) },
    environment
  }
  const { values } = settingsInForce(launch)
  const library = new Library(own ?? { fixtures: null, scenarios: null }, values)
  const sandboxes = new Sandboxes({ library, launch, machine })
  const start = async () => {
    if (!loaded) return
    const document = own
      ? await library.scenario('default')
      : documentOf('test', scenario ?? { clock: NOW, data: smallFixture(records) })
    await sandboxes.start(
      document,
      own ? { name: 'default', file: document.name } : { name: 'test', file: null },
      { play: playIn }
    )
  }
  return { sandboxes, library, settings: values, start }
}

export async function startWorld(begin: Omit<Begin, 'machine'> = {}) {
  const { sandboxes, start } = prepared(begin)
  const world = sandboxes.main
  await start()

  const responseTo = (on: string, options: Call, isScripted = true): Response => {
    const { body, headers, ...request } = sentBy(on, options)
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const whole = { ...request, headers: { ...length, ...headers }, body }
    return execute(world, whole, isScripted ? {} : { given: null })
  }
  const executed = (on: string, options: Call = {}, { isScripted = true } = {}) => {
    const response = responseTo(on, options, isScripted)
    return { ...close(response, true, 0), response, reading: response.reading }
  }
  const call = (on: string, options: Call = {}): Answer => {
    const response = responseTo(on, options)
    const answer = answerOf(response.outcome.status, headersOf(response), String(response.payload))
    close(response, true, 0)
    return answer
  }
  const blame = (on: string, options: Call = {}): Blame => blameOf(call(on, options))
  return { world, executed, call, blame }
}
