/** `commerce-emulator check FILE…`: plays a scenario's steps and checks its expectations, in process or against any running service. */
import { buildApp } from '../app.js'
import { ApiError } from '../core/errors.js'
import { createFormDecoder } from '../core/form.js'
import { settingsInForce } from '../core/settings.js'
import { valuesOf } from '../http/script.js'
import { operationAt } from '../reference/operations.js'
import { Sandboxes } from '../sandbox/sandboxes.js'
import { problemLine } from '../scenario/documents.js'
import { Tally } from '../scenario/expectations.js'
import { Library } from '../scenario/library.js'
import { bindingsOf, type Launch } from '../scenario/scenario.js'
import { type Play, playSteps, type StepBindings, type StepCall } from '../scenario/steps.js'
import { VERSION } from '../version.js'
import { problemsOf } from './failures.js'

export type CheckOptions = {
  launch: Launch
  /** The base address of a running service; null plays in process. */
  against: string | null
  /** Keys to send in place of the scenario's own, by the scenario's key; under `''` the one for a step that names none. */
  keys: ReadonlyMap<string, string>
  /** Values of `${NAME}`. */
  variables: ReadonlyMap<string, string>
  /** Called before each file's steps and after each step, for a progress bar. */
  onProgress?: (what: string, done: number, total: number) => void
}
/** One checked item: a step, an expectation, or the document itself. */
export type Point = { file: string; title: string; problems: string[]; ms: number }

/** Checks the files one after the other. A document that cannot be loaded is a failed point, not an error. */
export async function check(files: readonly string[], options: CheckOptions): Promise<Point[]> {
  const points: Point[] = []
  for (const file of files) points.push(...(await checkFile(file, options)))
  return points
}

async function checkFile(file: string, options: CheckOptions): Promise<Point[]> {
  const { launch, against, onProgress = () => {} } = options
  const settings = settingsInForce(launch).values
  const library = new Library({ fixtures: settings.fixtures_dir, scenarios: settings.scenarios_dir }, settings)
  const sandboxes = new Sandboxes({ library, launch, machine: Date.now })
  const sandbox = sandboxes.main
  try {
    await sandboxes.start(await library.file(file), { name: file, file })
  } catch (error) {
    return [{ file, title: 'the document is valid', problems: problemsOf(error as Error).map(problemLine), ms: 0 }]
  }
  const app = await buildApp({ sandboxes, library, settings, version: VERSION })
  const { steps, expectations } = sandbox.requireLoaded()
  const tally = new Tally(expectations)
  const decode = createFormDecoder({ parameters: settings['limits.parameters'], depth: settings['limits.depth'] })
  const ownBindings = bindingsOf(sandbox.store)
  const play = against === null ? app.playIn(sandbox) : playAgainst(against)
  const points: Point[] = []
  let since = performance.now()
  onProgress(file, 0, steps.length)
  await playSteps(
    steps,
    async call => {
      count({ ...call, key: scenarioKeyOf(call.key, ownBindings, options) }, tally, decode)
      return play(call)
    },
    bindingsFor(ownBindings, options),
    ({ index, title, problems }) => {
      const now = performance.now()
      points.push({ file, title: `${index + 1}. ${title}`, problems, ms: now - since })
      since = now
      onProgress(file, index + 1, steps.length)
    }
  )
  await app.close()
  for (const { wanted, seen, holds } of tally.verdicts()) points.push({ file, title: `expects ${wanted}`, problems: holds ? [] : [`${seen} came`], ms: 0 })
  if (points.length === 0) points.push({ file, title: 'the document is valid; it has no steps and no expectations', problems: [], ms: 0 })
  return points
}

/** Counts a call for the scenario's expectations. */
function count({ method, path, query, key, form }: StepCall, tally: Tally, decode: ReturnType<typeof createFormDecoder>): void {
  const route = operationAt(method, path)
  if (route === null) return
  tally.count({
    operation: route.operation,
    key,
    params: ([name]) => route.params[name as string],
    query: valuesOf(decode(query).root),
    body: valuesOf(decode(form ?? '').root)
  })
}

/** The values of names and keys: the scenario's own in process, those of the command line for a running service. */
function bindingsFor(own: StepBindings, { against, keys, variables }: CheckOptions): StepBindings {
  const variable = (name: string) => variables.get(name) ?? (against === null ? own.variable(name) : undefined)
  if (against === null) return { variable, key: own.key }
  const first = own.key('')
  return {
    variable,
    key: name => {
      const key = keys.get(name) ?? (name === '' || name === first ? (keys.get(first ?? '') ?? keys.get('')) : undefined)
      if (key === undefined) {
        const wanted = name || first
        const message = wanted
          ? `The scenario calls with the key ${wanted}; give --key ${wanted}=KEY for it.`
          : 'A step names no key, and the scenario has none of a merchant; give --key KEY for it.'
        throw new ApiError('setting_invalid', { message })
      }
      return key
    }
  }
}

/** The scenario's own key for a key that was sent in its place, so that an expectation of a key holds wherever the scenario is played. */
function scenarioKeyOf(key: string | null, own: StepBindings, { against, keys }: CheckOptions): string | null {
  const [name] = (against !== null && [...keys].find(([, sent]) => sent === key)) || [key]
  return name === '' ? own.key('') : name
}

/** Plays over HTTP. A redirect is not followed, so that no key goes to another address. When no answer comes, the result is an error with status 0. */
function playAgainst(base: string): Play {
  return async ({ method, path, query, key, form }) => {
    const { status, text } = await fetch(`${base.replace(/\/+$/, '')}${path}${query === '' ? '' : `?${query}`}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
      headers: {
        accept: 'application/json',
        ...(key !== null && { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
        ...(form !== null && { 'content-type': 'application/x-www-form-urlencoded' })
      },
      ...(form !== null && { body: form })
    })
      .then(async answer => ({ status: answer.status, text: await answer.text() }))
      .catch(({ message, cause }) => ({
        status: 0,
        text: JSON.stringify({ error: { message: `no answer came: ${cause?.code ?? cause?.message ?? message}` } })
      }))
    try {
      return { status, body: JSON.parse(text) }
    } catch {
      return { status, body: text === '' ? null : text }
    }
  }
}
