/** The emulator that a running service is compared with: a scenario's records and settings, without its script. */
import { buildApp } from '../../app.js'
import { FORM_TYPE } from '../../core/form.js'
import { type GivenSettings, settingsInForce } from '../../core/settings.js'
import type { JudgedCall } from '../../evidence/judged-call.js'
import { BASE } from '../../http/paths.js'
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
  const flag: GivenSettings = { ...launch.flag, ...settings, 'evidence.journal': true, 'evidence.coverage': true }
  const inForce = { ...launch, flag }
  const sandboxes = new Sandboxes({ library, launch: inForce, machine: Date.now })
  const sandbox = sandboxes.main
  await sandboxes.start(document, { name: document.name, file: document.name }, { variables: givenVariables({ variables }), keys })
  // a service has no script, so what is compared is what rules and settings answer
  sandbox.begin({ ...sandbox.requireLoaded(), script: new Script([]) })
  const app = await buildApp({ sandboxes, library, settings: settingsInForce(inForce).values, version: VERSION })

  /** Makes a call as a client would. */
  const ask = async ({ method, path, query, key, form }: StepCall): Promise<JudgedAnswer> => {
    const { journal } = sandbox.evidence
    const recorded = new Promise<JudgedCall>(resolve => {
      const stop = journal.listen(call => {
        stop()
        resolve(call)
      })
    })
    const answer = await app.inject({
      method: method as 'GET',
      url: `${BASE}${path}${query === '' ? '' : `?${query}`}`,
      headers: {
        ...(key !== null && { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
        ...(form !== null && { 'content-type': FORM_TYPE })
      },
      ...(form !== null && { payload: form })
    })
    return { answer: { status: answer.statusCode, body: answer.payload === '' ? null : JSON.parse(answer.payload) }, judged: await recorded }
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
