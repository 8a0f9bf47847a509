/** What the emulator has loaded, and whether it is ready. */
import { controlOfBase } from '../../core/paths.js'
import { closed, optional, text, word } from '../../reference/parameters.js'
import { each } from '../../reference/rules.js'
import { wantsPage } from '../../server/pages.js'
import { FAMILIES } from '../../store/store.js'
import type { Rows } from '../row.js'
import { CLOCK, count, map, response, SCENARIO } from '../schemas.js'
import { clockState } from './clock.js'

const LINKS =
  'health scenarios state script clock snapshots requests coverage findings run metrics sandboxes openapi.json docs settings assumptions'.split(
    ' '
  )

export const OVERVIEW_ROWS: Rows = {
  'GET /': {
    does: 'Returns version, scenario, seed, clock, the number of requests and records, and links. A browser gets the console.',
    query: null,
    page: true,
    response: response('Overview', {
      name: text(),
      version: text(),
      scenario: SCENARIO,
      seed: count(),
      clock: CLOCK,
      calls: count('Since the last load or reset.'),
      counts: closed(each(FAMILIES, () => count())),
      links: map(text())
    }),
    run: ({ request, reply, sandbox, pages, version }) => {
      const { base } = request.arrival
      const control = controlOfBase(base)
      if (wantsPage(request)) return pages.console(reply, control)
      const { scenario, settings, clock, store, requests } = sandbox
      return {
        name: 'commerce-emulator',
        version,
        scenario,
        seed: settings.seed,
        clock: clockState(clock),
        calls: requests,
        counts: each(FAMILIES, family => store[family].size),
        links: {
          api: base,
          ...Object.fromEntries(
            LINKS.map(name => [name.replace(/\.json$/, ''), `${control}/${name}`])
          )
        }
      }
    }
  },
  'GET /health': {
    does: 'Responds with 200 once the start scenario is loaded, and with 503 before. Needs no token.',
    query: null,
    response: response('Health', {
      status: word(['ready', 'starting']),
      version: text(),
      scenario: optional(text())
    }),
    also: 503,
    run: ({ sandbox, version, reply }) => {
      if (sandbox.isLoaded) return { status: 'ready', version, scenario: sandbox.scenario.name }
      reply.code(503)
      return { status: 'starting', version }
    }
  }
}
