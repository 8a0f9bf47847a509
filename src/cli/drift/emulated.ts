/** The emulator that a running service is compared with: a scenario's records and settings, without its script. */
import { buildApp } from '../../app.js'
import { type GivenSettings, settingsInForce } from '../../core/settings.js'
import type { JudgedCall } from '../../evidence/judged-call.js'
import { Sandboxes } from '../../sandbox/sandboxes.js'
import type { SourceDocument } from '../../scenario/documents.js'
import type { Library } from '../../scenario/library.js'
import type { Launch } from '../../scenario/scenario.js'
import { Script } from '../../scenario/script.js'
import type { StepAnswer, StepCall } from '../../scenario/steps.js'
import { FAMILIES, type Store } from '../../store/store.js'
import { VERSION } from '../../version.js'
import { givenVariables, type PlayedWith } from '../check/scenario-keys.js'

/** What the emulator answers, and how it came to that. */
export type JudgedAnswer = { answer: StepAnswer; judged: JudgedCall }
export type EmulatedOptions = { document: SourceDocument; library: Library; launch: Launch; settings: GivenSettings } & Pick<PlayedWith, 'keys' | 'variables'>
export type Emulated = Awaited<ReturnType<typeof emulated>>

/** An emulator with these settings besides those of the scenario. */
export async function emulated({ document, library, launch, settings, keys, variables }: EmulatedOptions) {
  const inForce = { ...launch, flag: { ...launch.flag, ...settings } }
  const sandboxes = new Sandboxes({ library, launch: inForce, machine: Date.now })
  const sandbox = sandboxes.main
  await sandboxes.start(document, { name: document.name, file: document.name }, { variables: givenVariables({ variables }), keys })
  // a service has no script, so what is compared is what rules and settings answer
  sandbox.begin({ ...sandbox.requireLoaded(), script: new Script([]) })
  const app = await buildApp({ sandboxes, library, settings: settingsInForce(inForce).values, version: VERSION })

  /** Makes a call as a client would. */
  const ask = async ({ method, path, query, key, form }: StepCall): Promise<JudgedAnswer> => {
    const { call } = await app.tryIn(sandbox, { method, path: `${path}${query === '' ? '' : `?${query}`}`, key, form })
    return { answer: { status: call.status, body: call.text === '' ? null : JSON.parse(call.text) }, judged: call }
  }
  return {
    ask,
    sandbox,
    known: { isKnown: isIn(() => sandbox.store), isLoaded: isIn(() => sandbox.requireLoaded().store) },
    close: () => app.close()
  }
}

/** Whether a store has a record of an id. */
const isIn = (store: () => Store) => (id: string) => FAMILIES.some(family => store()[family].get(id) !== undefined)
