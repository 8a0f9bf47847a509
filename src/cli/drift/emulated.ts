/** The emulator that a running service is compared with: a scenario's records and settings, without its script. */
import type { GivenSettings } from '../../core/settings.js'
import type { Exchange } from '../../engine/exchange.js'
import { execute } from '../../engine/execute.js'
import { requestOf, stepAnswerOf } from '../../engine/play.js'
import { Sandbox } from '../../sandbox/sandbox.js'
import type { SourceDocument } from '../../scenario/documents.js'
import type { Library } from '../../scenario/library.js'
import type { Launch } from '../../scenario/scenario.js'
import { Script } from '../../scenario/script.js'
import type { StepAnswer, StepCall } from '../../scenario/steps.js'
import { FAMILIES, type Store } from '../../store/store.js'
import { givenVariables, type PlayedWith } from '../check/scenario-keys.js'

/** What the emulator answers, and how it came to that. */
export type JudgedAnswer = { answer: StepAnswer; judged: Exchange }
export type EmulatedOptions = { document: SourceDocument; library: Library; launch: Launch; settings: GivenSettings } & Pick<PlayedWith, 'keys' | 'variables'>
export type Emulated = Awaited<ReturnType<typeof emulated>>

/** An emulator with these settings besides those of the scenario. */
export async function emulated({ document, library, launch, settings, keys, variables }: EmulatedOptions) {
  const inForce = { ...launch, flag: { ...launch.flag, ...settings } }
  const sandbox = new Sandbox({ library, launch: inForce, machine: Date.now })
  await sandbox.load(document, { name: document.name, file: document.name }, { variables: givenVariables({ variables }), keys })
  // a service has no script, so what is compared is what rules and settings answer
  sandbox.begin({ ...sandbox.requireLoaded(), script: new Script([]) })

  /** Makes a request as a client would. */
  const ask = (call: StepCall): JudgedAnswer => {
    const judged = execute(sandbox, requestOf(call))
    const answer = stepAnswerOf(judged)
    judged.redact()
    return { answer, judged }
  }
  return {
    ask,
    sandbox,
    known: { isKnown: isIn(() => sandbox.store), isLoaded: isIn(() => sandbox.requireLoaded().store) }
  }
}

/** Whether a store has a record of an id. */
const isIn = (store: () => Store) => (id: string) => FAMILIES.some(family => store()[family].get(id) !== undefined)
