/** Plays scenarios, and checks what they expect. */

import { SecretWords, withoutSecrets } from '../../core/redaction.js'
import { MIN_KEY_LENGTH } from '../../engine/keys.js'
import { type CheckedFile, withPlaces } from '../../reports/points.js'
import { loadScenario } from '../../sandbox/loading.js'
import { Sandbox } from '../../sandbox/sandbox.js'
import { Tally } from '../../scenario/expect/tally.js'
import type { Library } from '../../scenario/library.js'
import { namesIn } from '../../scenario/play/references.js'
import { bindingsOf, type StepBindings } from '../../scenario/steps.js'
import { problemsOf } from '../failures.js'
import { checkFiles } from '../scenario-files.js'
import { say } from '../sentences.js'
import { checkAgainst } from './against.js'
import type { CheckOptions } from './plays.js'
import { playedPoints, type Results, warningPoints } from './points.js'

/** An unloadable document is a failed point. */
export async function check(
  places: readonly string[],
  options: CheckOptions
): Promise<CheckedFile[]> {
  const keys = new SecretWords(
    [...options.keys.values()].filter(key => key.length >= MIN_KEY_LENGTH)
  )
  const masked = <T extends { message: string }>(part: T): T => ({
    ...part,
    message: withoutSecrets(part.message, keys)
  })
  const { launch, variables } = options
  const files = { launch, names: [...variables.keys()] }
  const checked = await checkFiles(places, files, (file, library, known) =>
    checkFile(file, library, known, options)
  )
  return checked.map(({ points, notes, ...file }) => ({
    ...file,
    points: points.map(point => ({ ...masked(point), problems: point.problems.map(masked) })),
    notes: notes.map(note => withoutSecrets(note, keys))
  }))
}

/** `known` takes names for `--var`: variables, what requests refer to, and records. */
async function checkFile(
  file: string,
  library: Library,
  known: Set<string>,
  options: CheckOptions
): Promise<Partial<CheckedFile>> {
  const { keys, launch, variables } = options
  const sandbox = new Sandbox({ library, launch, machine: Date.now })
  const values = { values: Object.fromEntries(variables), isText: true, known }
  const load = async () => {
    const document = await library.file(file)
    return loadScenario(sandbox, document, { name: file, file }, { variables: values, keys })
  }
  const loaded = await load().catch(problemsOf)
  if (!('sourceOf' in loaded))
    return { points: [{ ...say('valid'), file, problems: loaded, ms: 0 }] }
  const scenario = bindingsOf(sandbox.store)
  const { steps, play } = sandbox.requireLoaded()
  const names = namesIn(JSON.stringify([steps, play]))
  for (const name of variables.keys())
    if (names.includes(name) || scenario.variable(name) !== undefined) known.add(name)
  const checkLoaded = options.against === null ? checkHere : checkAgainst
  const { points, ...more } = await checkLoaded(sandbox, scenario, options)
  return { ...more, points: await withPlaces(points, file, loaded.sourceOf) }
}

async function checkHere(
  sandbox: Sandbox,
  scenario: StepBindings,
  { variables, failOn }: CheckOptions
): Promise<Results> {
  const { play, expectations } = sandbox.requireLoaded()
  const variable = (name: string) => variables.get(name) ?? scenario.variable(name)
  const checking = { sandbox, bindings: { ...scenario, variable }, service: null, failOn }
  const isPlayed = play.length > 0
  const tally = isPlayed ? sandbox.tally : new Tally(expectations)
  const { points, played } = await playedPoints(checking, tally)
  const warnings = isPlayed ? await warningPoints(checking, played) : []
  return { points: [...points, ...warnings] }
}
