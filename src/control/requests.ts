/** The control requests: routes, documents and types are made of them. */

import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as Type from 'typebox'
import { durationOf } from '../core/durations.js'
import type { Problem } from '../core/errors.js'
import { decodeForm } from '../core/form.js'
import { instantOf, LATEST_INSTANT } from '../core/instants.js'
import { controlOfBase } from '../core/paths.js'
import { maskedThroughout } from '../core/redaction.js'
import { keep } from '../core/remembered.js'
import { SETTINGS } from '../core/settings.js'
import { JSON_TYPE, shownWarnings } from '../engine/answers.js'
import { keysToMask } from '../engine/keys.js'
import { playIn } from '../engine/play.js'
import { explainedEntries, nearlyMet, withNearlyMet } from '../evidence/near-misses.js'
import type { Totals } from '../evidence/totals.js'
import { explained, explainedText } from '../evidence/why.js'
import { closed, optional, parameters, text, word } from '../reference/parameters.js'
import { MEDIA_TYPES } from '../reports/formats.js'
import { coverageText, findingsText } from '../reports/text.js'
import { checkedName } from '../sandbox/names.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { ProblemList, reportTo, withoutProblems } from '../scenario/documents.js'
import { PACKAGE_ROOT } from '../scenario/library.js'
import { MAX_PATTERNS, patternsIn } from '../scenario/match/patterns.js'
import type { Body } from '../scenario/reading.js'
import { exported, keysIn } from '../scenario/records/export.js'
import { entrySchema, fixtureSchema, RELEASES } from '../scenario/schemas.js'
import { checkWaiting, compileEntry, type Entry } from '../scenario/script/entry.js'
import { gateOf } from '../scenario/script.js'
import { bindingsOf } from '../scenario/steps.js'
import { wantsPage } from '../server/pages.js'
import { EVENT_STREAM } from './events.js'
import { explain, TRIED } from './explain.js'
import { isSame } from './guard.js'
import {
  changesOfRequest,
  FILTERS,
  MOMENT,
  recordedText,
  recordsAt,
  repeatedText,
  requestNamed,
  requestsOf,
  scope
} from './journal.js'
import { metricsOf } from './metrics.js'
import { type Group, noSuchPath, type Row, type Rows, row } from './route.js'
import { runDocument } from './run.js'
import { REFUSALS } from './sentences.js'
import { isSignedIn, signIn, signOut } from './sessions.js'
import { assumptionsShown, clockShown, listed, overviewOf, settingsShown } from './shown.js'
import { judgementSchema, lookedIn, maskedList, scenarioVerdict, verify } from './verify.js'
import { written, yamlOfStore } from './writing.js'

const CHANGES = { makesSandbox: true, isSaved: true } as const
const YAML = 'application/yaml; charset=utf-8'

const SCOPE = scope(
  '`sandbox`, the default: since the last load or reset. `run`: over every sandbox, load and reset of the process.'
)
const format = <T extends string>(
  words: readonly T[],
  description = `\`${words[0]}\`, the default, or \`${words[1]}\`.`
) => ({
  format: optional(word(words, { description }))
})

const SCOPED_TEXT = parameters({ ...SCOPE, ...format(['json', 'text']) })
const yes = (does: string) =>
  optional(word(['1', '0', 'true', 'false'], { description: `\`1\` or \`true\`: ${does}` }))
const isYes = (word?: string) => word === '1' || word === 'true'

const asText = (reply: FastifyReply, text: unknown) => reply.type(MEDIA_TYPES.text).send(text)

const totalsIn = ({ run, evidence }: Sandbox, { scope }: { scope?: 'sandbox' | 'run' }): Totals =>
  scope === 'run' ? run : evidence.totals

const isDryRun = ({ query, arrival: { sandbox } }: FastifyRequest) =>
  ['', '1', 'true'].includes(
    decodeForm(query as string, sandbox.settings).root.get('dry_run') as string
  )

/** As the client knows it. */
const addressOf = ({ arrival: { base }, headers: { host } }: FastifyRequest) => ({
  origin: host === undefined ? '' : `http://${host}`,
  base
})

const gatesOf = ({ script }: Sandbox): string[] => [
  ...new Set(
    script.listed().flatMap(({ id, entry }) => (entry.hold ? [gateOf(id, entry.hold)] : []))
  )
]

/** Sent documents, by what they were made with. */
const MADE = new Map<string, Buffer>()
async function sendMade(
  reply: FastifyReply,
  of: { format?: string | undefined },
  make: () => Promise<object>
) {
  const isYaml = of.format === 'yaml'
  const text = async () =>
    isYaml
      ? (await import('../scenario/yaml.js')).yamlText(await make())
      : JSON.stringify(await make())
  const key = JSON.stringify(of)
  const bytes = MADE.get(key) ?? Buffer.from(await text())
  keep(MADE, key, bytes, 16)
  return reply.type(isYaml ? YAML : JSON_TYPE).send(bytes)
}

const schemaRow = (kind: 'fixture' | 'scenario' | 'script', of: string): Row => ({
  does: `Returns the JSON Schema of ${of}, for editors.`,
  query: null,
  run: ({ reply }) =>
    reply.type(JSON_TYPE).send(createReadStream(`${PACKAGE_ROOT}/docs/schema/${kind}.json`))
})

const fileRow = (page: 'console' | 'docs', does: string): Row => ({
  does,
  query: null,
  run: async ({ name, pages, request, reply }) => {
    if (!(await pages.file(reply, page, name))) throw noSuchPath(request)
  }
})

export const CONTROL_GROUPS: readonly Group[] = [
  {
    title: 'State',
    rows: {
      'GET /': {
        does: 'Returns version, scenario, seed, clock, the number of requests and records, and links. A browser gets the console.',
        query: null,
        page: true,
        answer: 'Overview',
        run: ({ request, reply, sandbox, pages, version }) => {
          const { base } = request.arrival
          return wantsPage(request)
            ? pages.console(reply, controlOfBase(base))
            : { name: 'commerce-emulator', version, ...overviewOf(sandbox, base) }
        }
      },
      'GET /health': {
        does: 'Responds with 200 once the start scenario is loaded, and with 503 before. Needs no token.',
        query: null,
        answer: 'Health',
        also: 503,
        run: ({ sandbox, version, reply }) => {
          if (sandbox.isLoaded) return { status: 'ready', version, scenario: sandbox.scenario.name }
          reply.code(503)
          return { status: 'starting', version }
        }
      },
      'POST /reset': {
        does: 'Goes back to the first state of the loaded scenario: records, keys, ids, clock, settings, script and journal.',
        ...CHANGES,
        answer: 'Reset',
        run: ({ sandbox }) => {
          sandbox.reset()
          return { scenario: sandbox.scenario }
        }
      },
      'POST /load': row({
        does: 'Replaces everything with a scenario, or changes nothing if the scenario has a problem. A JSON body is `{"scenario": …}`, with the name of a scenario, the document itself or its text (of more than one line); `vars` gives the values of its variables, and `seed` a seed in place of its own, which a reset keeps. A YAML body, with the content type `application/yaml`, is the document itself.',
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
        isTrial: isDryRun,
        answer: 'Loaded',
        run: async ({ sandbox, sent, left, isTrial: dryRun }) => {
          const warnings: Problem[] = []
          const warn = (found: readonly Problem[]) => warnings.push(...found)
          const { scenario } = await sandbox.loadBody(sent as Body, {
            dryRun,
            play: playIn,
            left,
            warn
          })
          return {
            scenario,
            dry_run: dryRun,
            ...(warnings.length > 0 && { warnings: shownWarnings(warnings, { world: sandbox }) })
          }
        }
      }),
      'GET /changes': {
        does: "Returns the difference from the loaded scenario's first state: records, keys, clock, script and settings.",
        answer: 'Changes',
        run: ({ sandbox }) => sandbox.changes()
      },
      'GET /scenarios': {
        does: 'Lists the scenarios and fixtures that can be loaded, each with its name, title, description, and variables with their defaults.',
        query: null,
        answer: 'ListedScenario[]',
        run: async ({ library }) => ({ data: await library.list() })
      },
      'GET /scenarios/NAME': {
        does: 'Returns the document of a scenario or fixture as it is written, with comments, in YAML or JSON. Card data in it is masked with `***`.',
        query: null,
        run: async ({ library, name, reply }) => {
          const { type, text } = await library.shown(name)
          return reply.type(`application/${type}; charset=utf-8`).send(text)
        }
      },
      'GET /state': row({
        does: 'Returns the whole state as a fixture, which can be saved and loaded again. `before` and `after` return the state as it was just before or after a request.',
        query: parameters({ ...format(['json', 'yaml']), ...MOMENT }),
        answer: 'State',
        run: async ({ sandbox, query: { format, ...moment }, reply, left }) => {
          const store = await recordsAt(moment, sandbox, left)
          return format === 'yaml'
            ? reply.type(YAML).send(Readable.from(yamlOfStore(store), { objectMode: false }))
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
        answer: 'AddedRecords',
        run: ({ sandbox, sent, left }) => sandbox.addBody(sent as Body, left)
      },
      'PATCH /records/FAMILY/ID': row({
        does: 'Applies a JSON Merge Patch to a record, in the form that fixtures have, and returns the record, or changes nothing if the result has a problem.',
        body: {
          example: '{"reference":"T-62"}',
          schema: () => Type.Unsafe<object>({ type: 'object' })
        },
        ...CHANGES,
        adds: true,
        answer: 'ChangedRecord',
        run: ({ sandbox, name, id, body, document }) =>
          sandbox.patchRecord(name, id, body, document)
      }),
      'DELETE /records/FAMILY/ID': {
        does: 'Deletes a record, unless others refer to it; the refusal names them.',
        ...CHANGES,
        run: ({ sandbox, name, id }) => sandbox.deleteRecord(name, id)
      },
      'GET /keys': {
        does: 'Lists the API keys, each with its Account.',
        answer: 'ApiKey[]',
        run: ({ sandbox }) => ({ data: keysIn(sandbox.store) })
      },
      'POST /keys': row({
        does: 'Creates an API key for an Account.',
        body: { example: '{"account":"mch_bistro"}', schema: () => closed({ account: text() }) },
        ...CHANGES,
        adds: true,
        answer: 'ApiKey',
        run: ({ sandbox, body }) => sandbox.addKey(body.account)
      })
    }
  },
  {
    title: 'Sandboxes',
    rows: {
      'GET /sandboxes': {
        does: 'Lists the named sandboxes.',
        answer: 'SandboxItem[]',
        run: ({ sandboxes }) => ({ data: sandboxes.all().flatMap(listed) })
      },
      'DELETE /sandboxes/NAME': {
        does: 'Deletes a sandbox.',
        isSaved: true,
        run: ({ sandboxes, name }) => sandboxes.delete(checkedName(name))
      }
    }
  },
  {
    title: 'Script and gates',
    rows: {
      'GET /script': {
        does: 'Lists the script entries, each with the number of requests that it matched and was applied to. An entry that was never applied has its [near misses](../evidence.md#near-misses).',
        query: null,
        answer: 'ListedEntry[]',
        run: async ({ sandbox }) => ({
          data: maskedList(await explainedEntries(sandbox.script, lookedIn(sandbox)), sandbox)
        })
      },
      'POST /script': row({
        does: 'Adds a script entry.',
        query: parameters({ first: yes('tried before the others.') }),
        body: {
          example: '{"on":"POST /transactions","calls":1,"respond":{"status":402}}',
          schema: entrySchema
        },
        ...CHANGES,
        adds: true,
        status: 201,
        answer: 'ListedEntry',
        run: async ({ sandbox, settings, query, body, document }) => {
          const problems = new ProblemList()
          const report = reportTo(problems, document)
          const entry = await withoutProblems(problems, () => {
            const others = sandbox.script.listed().map(({ entry: data }) => ({ data, report() {} }))
            checkWaiting([...others, { data: body, report }])
            return compileEntry(body, report)
          })
          const listed = sandbox.script.listed()
          if (listed.length >= settings['limits.entries']) throw REFUSALS.scriptFull(listed.length)
          const patterns = patternsIn([...listed.map(({ entry }) => entry.match), body.match])
          if (patterns > MAX_PATTERNS) throw REFUSALS.patternsFull(MAX_PATTERNS, patterns)
          const added = sandbox.addEntry(entry as Entry, isYes(query.first))
          return maskedThroughout(added, keysToMask(sandbox))
        }
      }),
      'DELETE /script': {
        does: 'Removes every script entry.',
        ...CHANGES,
        run: ({ sandbox }) => {
          sandbox.removeEntries()
          sandbox.gates.keep([])
        }
      },
      'DELETE /script/ID': {
        does: 'Removes a script entry.',
        isSaved: true,
        run: ({ sandbox, name: id }) => {
          const known = sandbox.script.listed().map(entry => entry.id)
          if (!sandbox.removeEntries(id)) throw REFUSALS.entryUnknown(id, known)
          // requests at gates without entry go on
          sandbox.gates.keep(gatesOf(sandbox))
        }
      },
      'GET /gates': {
        does: 'Lists the gates at which script entries hold requests, with the requests that wait.',
        answer: 'Gate[]',
        run: ({ sandbox }) => ({ data: sandbox.gates.listed(gatesOf(sandbox)) })
      },
      'POST /gates/NAME/open': row({
        does: 'Opens a gate: the requests that wait there go on, in order of arrival or in reverse. Without a body: in order.',
        body: {
          example: '{"release":"reverse"}',
          schema: () => closed({ release: optional(word(RELEASES)) }),
          isOptional: true
        },
        makesSandbox: true,
        answer: 'OpenedGate',
        run: ({ sandbox, name, body: { release = 'in_order' } }) => {
          const known = gatesOf(sandbox)
          if (!known.includes(name)) throw REFUSALS.gateUnknown(name, known)
          return { name, released: sandbox.gates.open(name, release) }
        }
      })
    }
  },
  {
    title: 'Clock and snapshots',
    rows: {
      'GET /clock': {
        does: 'Returns the clock that stamps `created`.',
        query: null,
        answer: 'ClockState',
        run: ({ sandbox }) => clockShown(sandbox.clock)
      },
      'PUT /clock': row({
        does: 'Sets the clock, freezes it or lets it run.',
        body: {
          example: '{"now":"2026-02-28T23:59:59Z","running":false}',
          schema: () =>
            closed({
              now: optional(text({ format: 'instant' })),
              running: optional(Type.Boolean())
            })
        },
        ...CHANGES,
        answer: 'ClockState',
        run: ({ sandbox, body: { now, running } }) => {
          if (now === undefined && running === undefined) throw REFUSALS.clockEmpty()
          sandbox.setClock({
            ...(now !== undefined && { at: instantOf(now) as number }),
            ...(running !== undefined && { running })
          })
          return clockShown(sandbox.clock)
        }
      }),
      'POST /clock/advance': row({
        does: 'Moves the clock forward.',
        body: {
          example: '{"by":"36h"}',
          schema: () => closed({ by: Type.String({ 'x-duration': true }) })
        },
        ...CHANGES,
        answer: 'ClockState',
        run: ({ sandbox, body: { by } }) => {
          const ms = durationOf(by)
          if (ms === null) throw REFUSALS.notADuration(by)
          if (sandbox.clock.now() + ms > LATEST_INSTANT) throw REFUSALS.clockEnd(by)
          sandbox.setClock({ by: ms })
          return clockShown(sandbox.clock)
        }
      }),
      'GET /snapshots': {
        does: 'Lists the names of the snapshots.',
        query: null,
        answer: 'SnapshotName[]',
        run: async ({ sandbox }) => ({
          data: (await sandbox.snapshots.names()).map(name => ({ name }))
        })
      },
      'PUT /snapshots/NAME': {
        does: 'Saves the current state under a name. With `--snapshots-dir` it survives a restart, in `lunch.json` for `lunch` and `~lunch.json` for `Lunch`.',
        makesSandbox: true,
        adds: true,
        status: 201,
        answer: 'SnapshotState',
        run: async ({ sandbox, name }) => {
          await sandbox.snapshots.put(checkedName(name), sandbox.snapshot())
          return { name, scenario: sandbox.scenario.name, clock: clockShown(sandbox.clock) }
        }
      },
      'POST /snapshots/NAME/restore': {
        does: 'Restores a snapshot; the journal stays.',
        ...CHANGES,
        answer: 'SnapshotState',
        run: async ({ sandbox, name }) => {
          const snapshot = await sandbox.snapshots.get(checkedName(name), sandbox.settings)
          sandbox.restore(snapshot)
          return { name, scenario: snapshot.scenario, clock: clockShown(sandbox.clock) }
        }
      },
      'DELETE /snapshots/NAME': {
        does: 'Deletes a snapshot.',
        run: ({ sandbox, name }) => sandbox.snapshots.delete(checkedName(name))
      }
    }
  },
  {
    title: 'Evidence',
    rows: {
      'GET /requests': row({
        does: 'Returns the journal: the last requests of the emulated API, newest first.',
        query: FILTERS,
        answer: 'Journal',
        run: async ({ sandbox, sandboxes, query: { format, ...filters }, reply, left }) =>
          format === 'scenario'
            ? reply.type(YAML).send(await recordedText(filters, sandbox, left()))
            : requestsOf(filters, sandbox, sandboxes)
      }),
      'GET /requests/ID': row({
        does: 'Returns a request, and the reasons for its response.',
        query: parameters(
          format(
            ['json', 'text', 'scenario'],
            '`json`, the default, `text`, or `scenario`: a scenario that replays the request, with the records that it touched and what they refer to.'
          )
        ),
        answer: 'ExplainedCall',
        run: async ({ sandbox, name: id, query: { format }, reply, left }) => {
          const found = requestNamed(id, sandbox)
          if (format === 'scenario')
            return reply.type(YAML).send(await repeatedText(found, sandbox, left()))
          const told = [found, sandbox.evidence, keysToMask(sandbox)] as const
          const near = maskedThroughout(nearlyMet(found, sandbox), keysToMask(sandbox))
          if (format === 'text') return asText(reply, explainedText(...told, near))
          const { why, ...entry } = explained(...told)
          return { ...entry, why: withNearlyMet(why, near) }
        }
      }),
      'GET /requests/ID/changes': {
        does: 'Returns the records that a request changed, each before and after; none for a request that changed nothing.',
        answer: 'RecordChange[]',
        run: async ({ sandbox, name: id, left }) => ({
          data: await changesOfRequest(requestNamed(id, sandbox), sandbox, left())
        })
      },
      'DELETE /requests': {
        does: 'Empties the journal.',
        run: ({ sandbox }) => sandbox.evidence.clearJournal()
      },
      'POST /explain': row({
        does: 'Tells how the emulator would respond to a request, why, and what the request would change. The emulator tries it on a copy of the sandbox, which it throws away; `changes` gives the copy other records, settings or another time.',
        query: parameters(format(['json', 'text'])),
        body: {
          example:
            '{"method":"POST","path":"/refunds","body":{"transaction":"txn_1","amount":100}}',
          schema: () => TRIED
        },
        answer: 'TriedCall',
        run: async ({ body, document, request, query: { format }, reply }) => {
          const answer = await explain(body, document, request.arrival, format === 'text')
          return format === 'text' ? asText(reply, answer) : answer
        }
      }),
      'POST /verify': row({
        does: "Checks counts and sequences of requests, the state of records, and unused script entries; without a body, the scenario's own `expect`. Responds with 200 if everything holds, otherwise with 409. Both say what was seen.",
        query: parameters({ report: yes('always responds with 200.') }),
        body: {
          example: '{"on":"POST /refunds","times":1,"within":"2s"}',
          schema: judgementSchema,
          isOptional: true
        },
        answer: 'Verdict',
        also: 409,
        run: async context => {
          const { sandbox, sent, query, reply } = context
          const verdict = await (sent === null ? scenarioVerdict(sandbox) : verify(context))
          reply.code(verdict.holds || isYes(query.report) ? 200 : 409)
          return verdict
        }
      }),
      'GET /coverage': row({
        does: 'Returns which rules requests passed and violated, of 91 possible outcomes.',
        query: SCOPED_TEXT,
        answer: 'CoverageReport',
        run: ({ sandbox, query, reply }) => {
          const report = totalsIn(sandbox, query).coverage.report()
          return query.format === 'text' ? asText(reply, coverageText(report)) : report
        }
      }),
      'DELETE /coverage': row({
        does: 'Resets the counts to zero.',
        query: parameters(SCOPE),
        run: ({ sandbox, query }) => totalsIn(sandbox, query).coverage.clear()
      }),
      'GET /findings': row({
        does: 'Returns the mistakes of the client, each with the requests that show it: [the findings](findings.md).',
        query: SCOPED_TEXT,
        answer: 'FindingsReport',
        run: ({ sandbox, query, reply }) => {
          const data = totalsIn(sandbox, query).findings()
          return query.format === 'text' ? asText(reply, findingsText(data)) : { data }
        }
      }),
      'GET /assumptions': row({
        does: 'Lists the assumptions, their settings, and which responses relied on each.',
        query: parameters(SCOPE),
        answer: 'ShownAssumption[]',
        run: ({ sandbox, query }) => ({ data: assumptionsShown(sandbox, totalsIn(sandbox, query)) })
      }),
      'GET /run': row({
        does: 'Returns the whole run: every sandbox, load and reset so far. `exec` and `judge` read it and make their reports from it.',
        query: parameters(
          format(
            ['json', 'html', 'junit', 'markdown'],
            '`json`, the default, or the report as `html`, `junit` or `markdown`, judged by the expectations of the scenario.'
          )
        ),
        answer: 'RunReport',
        run: async ({ sandbox, sandboxes, version, query: { format = 'json' }, reply, left }) => {
          const document = await runDocument(sandboxes, version)
          return format === 'json'
            ? document
            : reply
                .type(MEDIA_TYPES[format])
                .send(await sandbox.work(left(), ask => written(ask, format, document)))
        }
      }),
      'GET /events': row({
        does: 'Streams the journal as server-sent events: `request` for each request when it has ended, `clear` when the journal is emptied.',
        query: parameters(scope('`sandbox`, the default, or `run`: every sandbox.')),
        run: ({ streams, request, reply, query: { scope } }) =>
          request.method === 'HEAD'
            ? reply.type(EVENT_STREAM).send('')
            : streams.open(reply, request.arrival, scope === 'run')
      }),
      'GET /metrics': {
        does: 'Returns metrics as Prometheus text: [the metrics](metrics.md).',
        run: async ({ sandboxes, reply }) => {
          const registry = await metricsOf(sandboxes)
          return reply.type(registry.contentType).send(await registry.metrics())
        }
      }
    }
  },
  {
    title: 'Sign-in of the console',
    rows: {
      'GET /session': {
        does: "Tells whether a token is required, and whether the request's cookie is signed in. Needs no token.",
        open: true,
        answer: 'Session',
        run: ({ settings, sessions, request }) => ({
          token_required: settings.control_token !== null,
          signed_in: isSignedIn(request, sessions)
        })
      },
      'POST /session': row({
        does: 'Exchanges CONTROL_TOKEN for a cookie that lasts 12 hours.',
        body: { example: '{"token":"TOKEN"}', schema: () => closed({ token: text() }) },
        open: true,
        answer: 'Session',
        run: ({ settings: { control_token: token }, sessions, body, request, reply }) => {
          if (token === null) return { token_required: false, signed_in: false }
          if (!isSame(body.token, token)) throw REFUSALS.tokenWrong()
          reply.header('set-cookie', signIn(request, sessions))
          return { token_required: true, signed_in: true }
        }
      }),
      'DELETE /session': {
        does: 'Signs out.',
        open: true,
        run: ({ sessions, request, reply }) =>
          void reply.header('set-cookie', signOut(request, sessions))
      }
    }
  },
  {
    title: 'Settings and descriptions',
    rows: {
      'GET /settings': {
        does: 'Returns each setting with its value, the source of the value, and the allowed values: [the settings](settings.md).',
        query: null,
        answer: 'ShownSettings',
        run: ({ sandbox }) => settingsShown(sandbox)
      },
      'PATCH /settings': row({
        does: 'Changes settings of the sandbox until the next load or reset.',
        body: {
          example: '{"pagination.max_limit":5}',
          schema: () => Type.Unsafe<object>({ type: 'object' })
        },
        ...CHANGES,
        answer: 'ShownSettings',
        run: async ({ sandbox, body, document }) => {
          await sandbox.changeSettings(body, document)
          return settingsShown(sandbox)
        }
      }),
      'DELETE /settings/NAME': {
        does: 'Resets a setting to its value from the flag, environment, scenario or default.',
        isSaved: true,
        run: ({ sandbox, name }) => sandbox.unsetSetting(name)
      },
      'GET /openapi.json': row({
        does: 'Returns the emulated API as OpenAPI 3.1.',
        query: parameters({
          style: optional(
            word(['nested', 'flat'], {
              description:
                '`nested`, the default, or `flat`, which writes nested parameters in brackets, for generators that do not support `deepObject`.'
            })
          ),
          ...format(['json', 'yaml'])
        }),
        run: ({ request, reply, sandbox: { settings }, version, query: { style, format } }) => {
          const options = { ...addressOf(request), version, settings, isFlat: style === 'flat' }
          return sendMade(reply, { ...options, format }, async () =>
            (await import('./openapi.js')).openApiDocument(options)
          )
        }
      }),
      'GET /openapi.control.json': row({
        does: 'Returns the control API as OpenAPI 3.1.',
        query: parameters(format(['json', 'yaml'])),
        run: ({ request, reply, version, query: { format } }) => {
          const options = { ...addressOf(request), version }
          return sendMade(reply, { ...options, format }, async () =>
            (await import('./openapi-control.js')).controlDocument(CONTROL_GROUPS, options)
          )
        }
      }),
      'GET /docs': {
        does: 'Returns a page on which to read about the emulated API and try it.',
        page: true,
        run: ({ request, reply, sandbox, pages }) =>
          // the key is in the page and not in a script, which a page of another origin could run
          pages.docs(reply, {
            control: controlOfBase(request.arrival.base),
            key: bindingsOf(sandbox.store).key('') ?? ''
          })
      },
      'GET /schema/fixture.json': schemaRow('fixture', 'fixtures'),
      'GET /schema/scenario.json': schemaRow('scenario', 'scenarios'),
      'GET /schema/script.json': schemaRow('script', 'files of shared script entries')
    }
  }
]

/** Files of the pages; they are not documented. */
export const FILE_ROWS: Rows = {
  'GET /console/FILE': { ...fileRow('console', 'Returns a file of the console.'), open: true },
  'GET /docs/FILE': fileRow('docs', "Returns a file of the API's documentation.")
}
