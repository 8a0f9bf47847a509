/**
 * What a load request asks for: a scenario by name, one inline as a value or as text, or the YAML
 * body itself.
 */
import { checkerOf } from '../core/checking.js'
import { SETTINGS } from '../core/settings.js'
import { refuseProblems } from './documents.js'
import type { Library } from './library.js'
import type { Origin } from './loading.js'
import { below, type SourceDocument } from './read/document.js'
import type { Body } from './reading.js'
import type { LoadContext } from './scenario.js'

const CHECKER = checkerOf(() => ({
  type: 'object',
  additionalProperties: false,
  required: ['scenario'],
  properties: {
    scenario: { type: ['string', 'object'] },
    seed: SETTINGS.seed.schema,
    vars: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } }
  }
}))

/** Errors: those of reading it, `scenario_unknown`. */
export async function requestedScenario(
  { type, text }: Body,
  library: Library
): Promise<{ document: SourceDocument; origin: Origin } & Pick<LoadContext, 'variables' | 'seed'>> {
  const whole = await library.text('body', text, type)
  const inline = { name: 'inline', file: null }
  if (type === 'yaml') return { document: whole, origin: inline }
  await refuseProblems(whole, CHECKER)
  const { scenario, vars, seed } = whole.data as {
    scenario: string | object
    vars?: Record<string, unknown>
    seed?: number
  }
  const given = { seed, variables: vars && { values: vars, isText: false } }
  if (typeof scenario === 'object')
    return { document: below(whole, ['scenario']), origin: inline, ...given }
  if (scenario.includes('\n')) {
    const document = await library.text('scenario', scenario)
    return { document, origin: inline, ...given }
  }
  const document = await library.scenario(scenario)
  return { document, origin: { name: scenario, file: document.name }, ...given }
}
