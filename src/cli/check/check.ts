/** Plays scenarios, and checks what they expect. */
import { maskedThroughout, withoutSecrets } from '../../core/redaction.js'
import { SecretWords } from '../../core/secret-words.js'
import { type CheckedFile, type PlacedPoint, type Point, withPlaces } from '../../reports/points.js'
import { loadScenario } from '../../sandbox/loading.js'
import { Sandbox } from '../../sandbox/sandbox.js'
import { Tally } from '../../scenario/expect/tally.js'
import type { Library } from '../../scenario/library.js'
import { namesIn } from '../../scenario/play/references.js'
import { bindingsOf } from '../../scenario/steps.js'
import { FAMILIES } from '../../store/store.js'
import { driftOf, driftPoints, settingsFor, wasSent } from '../drift/drift.js'
import { problemsOf } from '../failures.js'
import { checkFiles } from '../scenario-files.js'
import { SAYS, say } from '../sentences.js'
import { type Checking, type CheckOptions, playAll } from './plays.js'
import { expectationPoints, warningPoints } from './points.js'
import { bindingsFor, givenVariables, missingValues, scenarioKeyOf } from './scenario-keys.js'
import { NOT_SENT, playOver } from './service-calls.js'

type Results<P = PlacedPoint> = Pick<CheckedFile, 'notes' | 'settings'> & { points: P[] }
/** A shorter key is not masked: it may be any word. */
const MIN_KEY = 8

/** An unloadable document is a failed point. */
export async function check(
  places: readonly string[],
  options: CheckOptions
): Promise<CheckedFile[]> {
  const keys = new SecretWords([...options.keys.values()].filter(key => key.length >= MIN_KEY))
  const masked = <T extends { message: string }>(part: T): T => ({
    ...part,
    message: withoutSecrets(part.message, keys)
  })
  const { launch, variables } = options
  const files = { launch, names: [...variables.keys()] }
  return checkFiles(places, files, async (file, library, known) => {
    const { points, notes, settings } = await checkFile(file, library, known, options)
    return {
      points: points.map(point => ({ ...masked(point), problems: point.problems.map(masked) })),
      notes: notes.map(note => withoutSecrets(note, keys)),
      settings: settings && maskedThroughout(settings, keys)
    }
  })
}

const resultOf = <P>(point: P, ...notes: string[]) => ({ points: [point], notes, settings: null })

/** `known` takes names for `--var`: variables, what requests refer to, and records. */
async function checkFile(
  file: string,
  library: Library,
  known: Set<string>,
  options: CheckOptions
): Promise<Results<Point>> {
  const { keys, against, launch } = options
  const sandbox = new Sandbox({ library, launch, machine: Date.now })
  const load = async () => {
    const document = await library.file(file)
    const variables = givenVariables(options, known)
    return loadScenario(sandbox, document, { name: file, file }, { variables, keys })
  }
  const loaded = await load().catch(problemsOf)
  if (!('sourceOf' in loaded)) return resultOf({ ...say('valid'), file, problems: loaded, ms: 0 })
  addNames(sandbox, options, known)
  const scenarioBindings = bindingsOf(sandbox.store)
  const missing =
    against === null ? [] : missingValues(sandbox.requireLoaded(), scenarioBindings, options)
  const { points, ...more } =
    against !== null && missing.length > 0
      ? resultOf({ ...say('all_given'), problems: missing }, SAYS.nothing_sent(against))
      : await checkLoaded({
          ...options,
          sandbox,
          scenarioBindings,
          bindings: {
            ...bindingsFor(scenarioBindings, options),
            error: sandbox.settings['shapes.error']
          },
          service: against === null ? null : playOver(against, options.timeout)
        })
  return { ...more, points: await withPlaces(points, file, loaded.sourceOf) }
}

function addNames(sandbox: Sandbox, { variables }: CheckOptions, known: Set<string>): void {
  const { steps, play } = sandbox.requireLoaded()
  const names = variables.size === 0 ? [] : namesIn(JSON.stringify([steps, play]))
  for (const name of variables.keys())
    if (names.includes(name) || FAMILIES.some(family => sandbox.store[family].get(name)))
      known.add(name)
}

async function checkLoaded(checking: Checking): Promise<Results> {
  const { sandbox, against, variables } = checking
  const { steps, play, expectations } = sandbox.requireLoaded()
  const isPlayedHere = against === null && play.length > 0
  const tally = isPlayedHere ? sandbox.tally : new Tally(expectations)
  const { points: stepPoints, played } = await playAll(checking, tally)
  const keyHere = (key: string) => scenarioKeyOf(key, checking)
  const drift =
    against === null ? null : await driftOf(played, sandbox, { base: against, variables, keyHere })
  const points = [
    ...stepPoints,
    ...(await expectationPoints(tally, checking, played, drift)),
    ...(isPlayedHere ? await warningPoints(checking, played) : []),
    ...(drift === null ? [] : driftPoints(drift.deviations))
  ]
  if (steps.length + play.length === 0)
    points.push({ ...say('sends'), problems: [{ at: [], ...say('no_steps') }] })
  if (against === null || drift === null) return { points, notes: [], settings: null }
  const isCompared =
    played.length === 0 || played.some(({ outcome }) => outcome.response.status > 0)
  const count = played.filter(step => wasSent(step) && step.outcome.response !== NOT_SENT).length
  return {
    points,
    notes: [SAYS.sent(count, against)],
    settings: isCompared ? settingsFor(drift.deviations) : null
  }
}
