/** The state of a sandbox: its scenario, records and keys. */
import { Readable } from 'node:stream'
import * as Type from 'typebox'
import type { Problem } from '../../core/errors.js'
import { controlOfBase } from '../../core/paths.js'
import { SETTINGS } from '../../core/settings.js'
import { playIn } from '../../engine/play.js'
import { shownProblems } from '../../engine/response.js'
import { RESOURCE_NAMES } from '../../reference/operations.js'
import { closed, optional, parameters, text, word } from '../../reference/parameters.js'
import { each } from '../../reference/rules.js'
import { changesOf } from '../../sandbox/changes.js'
import { loadBody } from '../../sandbox/loading.js'
import { addBody, addKey, deleteRecord, patchRecord } from '../../sandbox/records.js'
import type { Body } from '../../scenario/reading.js'
import { exported, keysIn } from '../../scenario/records/export.js'
import { fixtureSchema } from '../../scenario/shape/parts.js'
import { wantsPage } from '../../server/pages.js'
import { FAMILIES } from '../../store/store.js'
import { MOMENT, recordsAt } from '../evidence/moments.js'
import { CHANGES, type Rows, row } from '../route.js'
import {
  CLOCK,
  count,
  described,
  flag,
  format,
  list,
  listing,
  map,
  namedSchema,
  response,
  SCENARIO,
  strings,
  textOrNull,
  typed,
  yes
} from '../schemas.js'
import { yamlOfStore } from '../writing.js'
import { clockState } from './clock.js'

const LINKS =
  'health scenarios state script clock snapshots requests coverage findings run metrics sandboxes openapi.json docs settings assumptions'.split(
    ' '
  )

const API_KEY = typed('ApiKey')
const records = (typeOf: (resource: string) => string) => ({
  api_keys: list(API_KEY),
  ...each(FAMILIES, family => list(typed(typeOf(RESOURCE_NAMES[family]))))
})
const PROBLEM = response(
  'Problem',
  {
    path: described(
      'Place in the document, such as `tickets[3].location`; empty for the document itself.'
    ),
    code: described('The kind of problem, for programs; messages may change.'),
    message: text(),
    file: optional(text()),
    line: optional(count()),
    column: optional(count())
  },
  'A problem of a document or of settings.'
)

export const STATE_ROWS: Rows = {
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
      links: typed('{ [name: string]: string } & { schemas: string[] }', { type: 'object' })
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
        counts: Object.fromEntries(FAMILIES.map(family => [family, store[family].size])),
        links: {
          api: base,
          ...Object.fromEntries(
            LINKS.map(name => [name.replace(/\.json$/, ''), `${control}/${name}`])
          ),
          schemas: ['fixture', 'scenario', 'script'].map(kind => `${control}/schema/${kind}.json`)
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
  },
  'POST /reset': {
    does: 'Goes back to the initial state of the loaded scenario: records, keys, ids, clock, settings, script and journal.',
    ...CHANGES,
    response: response('Reset', {
      scenario: SCENARIO
    }),
    run: ({ sandbox }) => {
      sandbox.reset()
      return { scenario: sandbox.scenario }
    }
  },
  'POST /load': row({
    does: 'Replaces everything with a scenario, or changes nothing if the scenario has a problem. A JSON body is `{"scenario": …}`, with the name of a scenario, the document itself or its text (of more than one line); `vars` gives the values of its variables, and `seed` replaces its seed, also after a reset. A YAML body, with the content type `application/yaml`, is the document itself.',
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
      const { scenario } = await loadBody(sandbox, sent as Body, {
        dryRun,
        play: playIn,
        left,
        warn
      })
      return {
        scenario,
        dry_run: dryRun,
        ...(warnings.length > 0 && { warnings: shownProblems(warnings, { world: sandbox }) })
      }
    }
  }),
  'GET /changes': {
    does: "Returns the difference from the loaded scenario's initial state: records, keys, clock, script and settings.",
    response: response('Changes', {
      records: closed(
        each(FAMILIES, () =>
          optional(closed({ added: count(), changed: count(), deleted: count() }))
        )
      ),
      keys: closed({ added: count(), deleted: count() }),
      clock: closed({ began: closed({ now: textOrNull, running: flag() }), changed: flag() }),
      script: closed({ added: strings, removed: strings, matched: count() }),
      settings: strings
    }),
    run: ({ sandbox }) => changesOf(sandbox.requireLoaded(), sandbox.state)
  },
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
  },
  'GET /state': row({
    does: 'Returns the whole state as a fixture, which can be saved and loaded again. `before` and `after` return the state as it was just before or after a request.',
    query: parameters({ ...format(['json', 'yaml']), ...MOMENT }),
    response: response('State', {
      ...records(name => `${name}Fixture & { id: string; created: string }`),
      deleted_users: optional(
        list(closed({ id: text(), account: text(), created: text(), after: count() }))
      )
    }),
    run: async ({ sandbox, query: { format: as, ...moment }, left }) => {
      const store = await recordsAt(moment, sandbox, left)
      return as === 'yaml'
        ? Readable.from(yamlOfStore(store), { objectMode: false })
        : exported(store)
    }
  }),
  'POST /records': {
    does: 'Merges a fixture into the current state and returns the records, or changes nothing if the fixture has a problem.',
    body: {
      example: '{"tickets":[{"location":"loc_bistro","reference":"T-61"}]}',
      published: fixtureSchema
    },
    ...CHANGES,
    adds: true,
    response: response(
      'AddedRecords',
      records(name => `${name} & { extra?: { [name: string]: unknown } }`)
    ),
    run: ({ sandbox, sent, left }) => addBody(sandbox, sent as Body, left)
  },
  'PATCH /records/FAMILY/ID': row({
    does: 'Applies a JSON Merge Patch to a record, in the form that fixtures have, and returns the record, or changes nothing if the result has a problem.',
    body: {
      example: '{"reference":"T-62"}',
      schema: () => Type.Unsafe<object>({ type: 'object' })
    },
    ...CHANGES,
    adds: true,
    response: namedSchema(
      'ChangedRecord',
      typed(FAMILIES.map(family => RESOURCE_NAMES[family]).join(' | '), { type: 'object' })
    ),
    run: ({ sandbox, name, id, body, document }) => patchRecord(sandbox, name, id, body, document)
  }),
  'DELETE /records/FAMILY/ID': {
    does: 'Deletes a record, unless other records refer to it; the refusal names them.',
    ...CHANGES,
    run: ({ sandbox, name, id }) => deleteRecord(sandbox, name, id)
  },
  'GET /keys': {
    does: 'Lists the API keys, each with its Account.',
    response: listing(API_KEY),
    run: ({ sandbox }) => ({ data: keysIn(sandbox.store) })
  },
  'POST /keys': row({
    does: 'Creates an API key for an Account.',
    body: { example: '{"account":"mch_bistro"}', schema: () => closed({ account: text() }) },
    ...CHANGES,
    adds: true,
    response: API_KEY,
    run: ({ sandbox, body }) => addKey(sandbox, body.account)
  })
}
