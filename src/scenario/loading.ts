/** Loads scenarios: a document and all that it uses are read, checked and built, or refused. */
import type { Static } from 'typebox'
import { checkerOf } from '../core/checking.js'
import { SETTINGS, settingsInForce } from '../core/settings.js'
import {
  type Located,
  refuseProblems,
  reportTo,
  type SourceOf,
  within,
  withoutProblems
} from './documents.js'
import type { Library } from './library.js'
import { type Body, below } from './reading.js'
import { buildState, type LoadContext, type Loaded } from './scenario.js'
import { compileScript } from './script/entry.js'
import { SCALAR } from './shape/entry.js'
import { closed, mapOf, typed } from './shape/parts.js'
import { checkShape, groupsIn } from './shape/sources.js'
import { checkGiven } from './shape/variables.js'

export type Origin = {
  name: string
  file: string | null
}

/** Of a scenario or bare fixture. Errors: `document_invalid`, `document_too_large`. */
export const firstStateOf = async (
  document: Located,
  { name, file }: Origin,
  context: LoadContext
): Promise<Loaded> => buildState(await checkShape(document, { ...context, file }), name, context)

/** Of each group alone. Errors: `document_invalid`. */
export async function checkSharedScript(
  document: Located,
  variables: LoadContext['variables']
): Promise<void> {
  const { groups } = await withoutProblems(problems => {
    const report = reportTo(problems, document)
    const shared = groupsIn(document, { overrides: [variables], report })
    checkGiven(variables, [...shared.variables.keys()], within(report, 'vars'))
    return shared
  })
  await withoutProblems(async problems => {
    for (const [name, script] of Object.entries(groups)) {
      const sourceOf: SourceOf = ([, ...steps]) => ({ document, steps: ['groups', name, ...steps] })
      const report = reportTo(problems, document, sourceOf)
      await compileScript({ data: { script }, problems, report, warn: report, sourceOf }, ALONE)
    }
  })
}

const ALONE = {
  store: null,
  settings: settingsInForce({}).values,
  scripted: new Set(),
  isShared: true
}

/** A load request: a scenario by name, or one inline as a value or as text. */
const REQUEST = closed(
  {
    scenario: typed<string | object>({ type: ['string', 'object'] }),
    seed: typed<number>(SETTINGS.seed.schema),
    vars: mapOf(SCALAR)
  },
  undefined,
  { required: ['scenario'] }
)
const REQUEST_CHECKER = checkerOf(() => REQUEST)

export async function requestedScenario(
  { type, text }: Body,
  library: Library
): Promise<{ document: Located; origin: Origin } & Pick<LoadContext, 'variables' | 'seed'>> {
  const whole = await library.text('body', text, type)
  const inline = { name: 'inline', file: null }
  if (type === 'yaml') return { document: whole, origin: inline }
  await refuseProblems(whole, REQUEST_CHECKER)
  const { scenario, vars, seed } = whole.data as Static<typeof REQUEST>
  const options = { seed, variables: vars && { values: vars, isText: false } }
  if (typeof scenario === 'object')
    return { document: below(whole, 'scenario'), origin: inline, ...options }
  if (scenario.includes('\n')) {
    const document = await library.text('scenario', scenario)
    return { document, origin: inline, ...options }
  }
  const document = await library.scenario(scenario)
  return { document, origin: { name: scenario, file: document.name }, ...options }
}
