/**
 * How the responses of a running service differ from the emulator's. If something is wrong, the
 * requests are made again with each other value of every setting that has a few: where that leaves
 * less and adds nothing, the setting explains what is gone.
 */
import { type GivenSettings, SETTINGS, type SettingKey } from '../../core/settings.js'
import { Sandbox } from '../../sandbox/sandbox.js'
import type { SourceDocument } from '../../scenario/documents.js'
import type { Library } from '../../scenario/library.js'
import { bindingsOf, type Launch } from '../../scenario/scenario.js'
import type { Records } from '../../store/store.js'
import { givenVariables, type PlayedWith } from '../check/scenario-keys.js'
import { type IdPairs, isMade } from './compare.js'
import { type Deviation, type PlayedStep, Replay } from './replay.js'

export type Drift = { deviations: readonly Deviation[]; pairs: IdPairs }
type DriftOptions = Pick<PlayedWith, 'keys' | 'variables'> & {
  document: SourceDocument
  library: Library
  launch: Launch
  /** The base address of the service. */
  base: string
  /** The scenario's key for one that was sent in its place. */
  keyHere: (key: string) => string | null
}

const SEED = 2_147_483_629
/** Acts where the scenario has no merchant's key. */
const CALLER = {
  id: 'caller',
  object: 'account',
  type: 'merchant',
  created: '1970-01-01T00:00:00.000Z',
  reseller: null
} as Records['accounts']

/** Compares every request, in the order in which they took effect, and tries settings. */
export async function driftOf(
  playedSteps: readonly PlayedStep[],
  options: DriftOptions
): Promise<Drift> {
  const ordered = inEffectOrder(playedSteps.filter(wasMade))
  const sandbox = await loadedFor(options)
  const first = sandbox.snapshot()
  const keyHere = (key: string) => options.keyHere(key) ?? CALLER.id
  const replayed = async () => {
    const replay = new Replay(sandbox, { ...options, keyHere })
    for (const played of ordered) await replay.add(played)
    return replay
  }
  const drift = await replayed()
  const wrong = drift.deviations.filter(({ isWrong }) => isWrong)
  const placeOf = ({ played, steps }: Deviation) => JSON.stringify([ordered.indexOf(played), steps])
  const places = new Set(wrong.map(placeOf))
  for (const settings of wrong.length === 0 ? [] : settingsToTry(sandbox)) {
    const own = Object.keys(settings).map(key => [key, sandbox.settings[key as SettingKey]])
    sandbox.restore(first)
    await sandbox.changeSettings(settings)
    const tried = await replayed()
    await sandbox.changeSettings(Object.fromEntries(own))
    const left = tried.deviations.filter(({ isWrong }) => isWrong)
    const leftPlaces = new Set(left.map(placeOf))
    const gone = wrong.filter(one => !leftPlaces.has(placeOf(one)))
    // below what is gone nothing could be compared before
    const isNew = (one: Deviation) =>
      !places.has(placeOf(one)) &&
      !gone.some(
        ({ played, steps }) =>
          played === one.played && steps.every((step, depth) => step === one.steps[depth])
      )
    if (!left.some(isNew)) for (const one of gone) one.settings.push(settings)
  }
  return drift
}

/** A step that refers to a missing response is not sent. */
export const wasMade = ({ outcome: { answer } }: PlayedStep) =>
  answer.status !== 0 || answer.body !== null

/**
 * Requests that were sent together are compared in the order that their responses suggest: the
 * accepted ones, then the refused ones.
 */
function inEffectOrder(playedSteps: readonly PlayedStep[]): PlayedStep[] {
  const groupOf = ({ place }: PlayedStep) => `${place[0]} ${place[1]}`
  const groups = [...new Set(playedSteps.map(groupOf))]
  const ranks = new Map(groups.map((group, rank) => [group, 2 * rank]))
  const rankOf = (played: PlayedStep) =>
    (ranks.get(groupOf(played)) as number) + Number(!isMade(played.outcome.answer))
  return [...playedSteps].sort((one, other) => rankOf(one) - rankOf(other))
}

/** The other values of each setting of a sandbox that has few. `warn` responds as `ignore` does. */
const settingsToTry = ({ settings }: Sandbox): GivenSettings[] =>
  Object.entries(SETTINGS).flatMap(([key, { scope, schema }]) => {
    const { type, enum: words = type === 'boolean' ? [true, false] : [] } = schema as {
      type?: string
      enum?: readonly unknown[]
    }
    return scope === 'process' || key.startsWith('evidence.')
      ? []
      : words
          .filter(word => word !== 'warn' && word !== settings[key as SettingKey])
          .map(word => ({ [key]: word }))
  })

async function loadedFor(options: DriftOptions): Promise<Sandbox> {
  const { document, library, launch, keys, variables } = options
  const sandbox = new Sandbox({ library, launch, machine: Date.now })
  const origin = { name: document.name, file: document.name }
  await sandbox.load(document, origin, { variables: givenVariables({ variables }), keys })
  // what the run makes here has an id that no record of the service has, were that an emulator too
  await sandbox.changeSettings({ seed: SEED })
  if (bindingsOf(sandbox.store).key('') === null) {
    sandbox.store.accounts.insert(CALLER)
    sandbox.store.keys.set(CALLER.id, CALLER.id)
  }
  return sandbox
}
