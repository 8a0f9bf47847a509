/** What a load call asks for: a scenario by name, one inline in JSON, or the body itself where it is YAML. */
import { checkerOf } from '../core/checking.js'
import type { Body } from './body.js'
import { readDocument, refuseProblems, type SourceDocument } from './documents.js'
import type { Library } from './library.js'
import type { Origin } from './scenario.js'

const CHECKER = checkerOf(() => ({
  type: 'object',
  additionalProperties: false,
  required: ['scenario'],
  properties: { scenario: { type: ['string', 'object'] } }
}))

/** The document that is to be loaded. Errors: those of reading it, `scenario_unknown`. */
export async function requestedScenario({ type, text }: Body, library: Library): Promise<{ document: SourceDocument; origin: Origin }> {
  const whole = await readDocument('body', text, { limits: library.limits, type })
  const inline = { name: 'inline', file: null }
  if (type === 'yaml') return { document: whole, origin: inline }
  await refuseProblems(whole, CHECKER)
  const { scenario } = whole.data as { scenario: string | object }
  if (typeof scenario === 'string') {
    const document = await library.scenario(scenario)
    return { document, origin: { name: scenario, file: document.name } }
  }
  return { document: { ...whole, data: scenario, locate: places => whole.locate(places.map(steps => ['scenario', ...steps])) }, origin: inline }
}
