/** Scenarios to load, and the reset of the loaded one. */
import * as Type from 'typebox'
import type { Problem } from '../../core/errors.js'
import { SETTINGS } from '../../core/settings.js'
import { playIn } from '../../engine/play.js'
import { shownProblems } from '../../engine/response.js'
import { closed, optional, parameters, text, word } from '../../reference/parameters.js'
import { loadBody } from '../../sandbox/loading.js'
import { CHANGES, type Rows, row } from '../row.js'
import {
  count,
  described,
  flag,
  list,
  listing,
  map,
  response,
  SCENARIO,
  textOrNull,
  typed,
  yes
} from '../schemas.js'

const PROBLEM = response('Problem', {
  path: described('Such as `tickets[3].location`; empty for the document itself.'),
  code: text(),
  message: text(),
  file: optional(text()),
  line: optional(count()),
  column: optional(count())
})

export const SCENARIO_ROWS: Rows = {
  'POST /reset': {
    does: 'Returns to the initial state of the loaded scenario: records, keys, ids, clock, settings, script and journal.',
    ...CHANGES,
    response: response('Reset', { scenario: SCENARIO }),
    run: ({ sandbox }) => {
      sandbox.reset()
      return { scenario: sandbox.scenario }
    }
  },
  'POST /load': row({
    does: 'Replaces everything with a scenario, or changes nothing if the scenario has a problem. In a JSON body, `scenario` is a name, the document, or its text (more than one line); `vars` gives the values of its variables, and `seed` replaces its seed, also after a reset. A YAML body is the document itself.',
    query: parameters({ dry_run: yes('only checks the document.') }),
    body: {
      example: '{"scenario":"default"}',
      published: () =>
        closed({
          scenario: Type.Unsafe({ type: ['string', 'object'] }),
          vars: optional(Type.Unsafe({ type: 'object' })),
          seed: optional(SETTINGS.seed.schema)
        })
    },
    ...CHANGES,
    response: response('Loaded', {
      scenario: SCENARIO,
      dry_run: flag(),
      warnings: optional(list(PROBLEM))
    }),
    run: async ({ sandbox, sent, left, isTrial: dryRun }) => {
      const warnings: Problem[] = []
      const warn = (problems: readonly Problem[]) => warnings.push(...problems)
      const { scenario } = await loadBody(sandbox, sent, { dryRun, play: playIn, left, warn })
      return {
        scenario,
        dry_run: dryRun,
        ...(warnings.length > 0 && { warnings: shownProblems(warnings, { world: sandbox }) })
      }
    }
  }),
  'GET /scenarios': {
    does: 'Lists the scenarios and fixtures that can be loaded, each with its name, title, description, and variables with their defaults.',
    response: listing(
      response('ListedScenario', {
        name: text(),
        kind: word(['scenario', 'fixture']),
        title: optional(text()),
        description: textOrNull,
        vars: optional(
          map(typed('string | number | boolean', { type: ['string', 'number', 'boolean'] }))
        )
      })
    ),
    run: async ({ library }) => ({ data: await library.list() })
  },
  'GET /scenarios/NAME': {
    does: 'Returns the document of a scenario or fixture as it is written, with comments, in YAML or JSON. Card data in it is masked with `***`.',
    run: async ({ library, name, reply }) => {
      const { type, text } = await library.maskedText(name)
      reply.type(`application/${type}; charset=utf-8`)
      return text
    }
  }
}
