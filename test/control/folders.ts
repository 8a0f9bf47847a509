/** An emulator whose scenarios and fixtures lie in folders of the test's own; no port is opened. */
import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.js'
import { type GivenSettings, settingsInForce } from '../../src/core/settings.js'
import { Sandboxes } from '../../src/sandbox/sandboxes.js'
import { Library } from '../../src/scenario/library.js'
import { NOW } from '../support/emulator.js'

type Folders = { scenarios?: Record<string, string>; fixtures?: Record<string, string> }
type Given = Folders & { start?: string | null; flag?: GivenSettings; environment?: GivenSettings; version?: string }

/** Starts with the scenario of a name, or with none loaded where `start` is null. */
export async function startWithFolders(
  t: Test,
  { scenarios = {}, fixtures = {}, start = 'default', flag = {}, environment = {}, version = '1.2.3' }: Given = {}
) {
  const root = t.testdir({ scenarios, fixtures })
  const folders = { scenarios_dir: `${root}/scenarios`, fixtures_dir: `${root}/fixtures` }
  const launch = { flag: { ...folders, ...flag }, environment }
  const library = new Library({ fixtures: folders.fixtures_dir, scenarios: folders.scenarios_dir })
  const sandboxes = new Sandboxes({ library, launch, machine: () => Date.parse(NOW) })
  const app = await buildApp({ sandboxes, library, settings: settingsInForce(launch).values, version })
  t.teardown(() => app.close())
  if (start !== null) {
    const document = await library.scenario(start)
    await sandboxes.start(document, { name: start, file: document.name })
  }

  const control = async (on: string, body?: object | string, headers: Record<string, string> = {}) => {
    const [method, path] = on.split(' ') as [InjectOptions['method'], string]
    const {
      statusCode,
      payload,
      headers: answered
    } = await app.inject({
      method,
      url: `/_control${path}`,
      headers: { host: 'localhost', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) })
    })
    return { status: statusCode, headers: answered, text: payload, body: /json/.test(String(answered['content-type'])) ? JSON.parse(payload) : payload }
  }
  return { root, app, sandbox: sandboxes.main, control }
}
