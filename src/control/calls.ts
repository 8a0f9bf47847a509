/** The calls of the control API. Routes and docs/reference/control.md are made from them. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as Type from 'typebox'
import { DURATION_EXPECTED, durationOf } from '../core/durations.js'
import { ApiError, type Problem } from '../core/errors.js'
import { decodeForm } from '../core/form.js'
import { instantOf, LATEST_INSTANT } from '../core/instants.js'
import { thereAre } from '../core/nearest.js'
import { controlOfBase } from '../core/paths.js'
import { maskedThroughout } from '../core/redaction.js'
import { shownWarnings } from '../engine/answers.js'
import { keysToMask } from '../engine/keys.js'
import { playIn } from '../engine/play.js'
import { explainedEntries, nearlyMet, withNearlyMet } from '../evidence/near-misses.js'
import type { Totals } from '../evidence/totals.js'
import { explained, explainedText } from '../evidence/why.js'
import { closed, optional, parameters, text, word } from '../reference/parameters.js'
import { COVERAGE_FORMATS, MEDIA_TYPES, namesOf, RUN_FORMATS } from '../reports/formats.js'
import { findingsText } from '../reports/text.js'
import { checkedName } from '../sandbox/names.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Body } from '../scenario/body.js'
import { ProblemList, reportTo, withoutProblems } from '../scenario/documents.js'
import { exported, keysIn } from '../scenario/export.js'
import { MAX_TOGETHER } from '../scenario/patterns.js'
import { bindingsOf } from '../scenario/scenario.js'
import { entrySchema, RELEASES } from '../scenario/schemas.js'
import { compileEntry, type Entry, gateOf } from '../scenario/script.js'
import { wantsPage } from '../server/pages.js'
import { WRITING, written } from '../work/writing.js'
import { type Call, type Context, call, noControlCall } from './call.js'
import { explain, TRIED } from './explain.js'
import { isSame } from './guard.js'
import { callNamed, callsOf, FILTERS, recordedCallText, recordedText } from './journal.js'
import { metricsOf } from './metrics.js'
import { clockShown, listed, overviewOf } from './overview.js'
import { runDocument } from './run.js'
import { isSignedIn, signIn, signOut } from './sessions.js'
import { assumptionsShown, settingsShown } from './settings.js'
import { askedSchema, lookedIn, maskedList, scenarioVerdict, verify } from './verify.js'
import { yamlOfStore } from './writing.js'

type Calls = Readonly<Record<string, Call>>

/** A call that changes the state of its sandbox and can be the first one there. */
const CHANGES = { makesSandbox: true, isSaved: true } as const
const YAML = 'application/yaml; charset=utf-8'

const RUN = '`sandbox`, the default: since the last load or reset. `run`: over every sandbox, load and reset of the process.'
const SCOPE = optional(word(['sandbox', 'run'], { description: RUN }))
/** The parameter `format`, whose first word is the default. */
const format = <T extends string>(words: readonly T[], description = `\`${words[0]}\`, the default, or \`${words[1]}\`.`) => ({
  format: optional(word(words, { description }))
})

const asText = (reply: FastifyReply, text: unknown) => reply.type(MEDIA_TYPES.text).send(text)

const totalsIn = ({ run, evidence }: Sandbox, { scope }: { scope?: 'sandbox' | 'run' }): Totals => (scope === 'run' ? run : evidence.totals)

/** Whether a load only checks: `?dry_run=1`, `?dry_run=true`, or the name alone. */
const isDryRun = ({ query, arrival: { sandbox } }: FastifyRequest) =>
  ['', '1', 'true'].includes(decodeForm(query as string, sandbox.settings).root.get('dry_run') as string)

const gatesOf = ({ script }: Sandbox): string[] => [...new Set(script.listed().flatMap(({ id, entry }) => (entry.hold ? [gateOf(id, entry.hold)] : [])))]

const schemaCall = (kind: 'fixture' | 'scenario' | 'script', of: string): Call => ({
  does: `The JSON Schema of ${of}, for editors.`,
  query: null,
  run: async () => (await import('../scenario/published-schema.js')).publishedSchema(kind)
})

/** The calls by subject. A name is a method and the path below `/_control`; what it has in capitals is any name or id. */
export const CONTROL_GROUPS: readonly { title: string; calls: Calls }[] = [
  {
    title: 'State',
    calls: {
      'GET /': {
        does: 'Version, scenario, seed, clock, counts of calls and records, and links. In a browser the console: calls, data, behaviour, evidence.',
        query: null,
        page: true,
        run: ({ request, reply, sandbox, pages, version }) => {
          const { base } = request.arrival
          return wantsPage(request) ? pages.console(reply, controlOfBase(base)) : { name: 'commerce-emulator', version, ...overviewOf(sandbox, base) }
        }
      },
      'GET /health': {
        does: '200 once the start scenario is loaded, 503 before. Needs no token.',
        query: null,
        run: ({ sandbox, version, reply }) => {
          if (sandbox.isLoaded) return { status: 'ready', version, scenario: sandbox.scenario.name }
          reply.code(503)
          return { status: 'starting', version }
        }
      },
      'POST /reset': {
        does: "Back to the loaded scenario's first state.",
        ...CHANGES,
        run: ({ sandbox }) => {
          sandbox.reset()
          return { scenario: sandbox.scenario }
        }
      },
      'POST /load': call({
        does: 'Replaces everything by a scenario, all or nothing. JSON is `{"scenario": …}` with the name of a scenario or the document itself, and `vars` with the values of its variables; YAML, with the content type `application/yaml`, is the document itself.',
        query: parameters({ dry_run: optional(word(['1', '0', 'true', 'false'], { description: '`1` or `true`: the document is only checked.' })) }),
        body: { example: '{"scenario":"default"}' },
        ...CHANGES,
        isTrial: isDryRun,
        run: async ({ sandbox, sent, left, request }) => {
          const dryRun = request.arrival.leavesNothing
          const warnings: Problem[] = []
          const warn = (found: readonly Problem[]) => warnings.push(...found)
          const scenario = await sandbox.loadBody(sent as Body, { dryRun, play: playIn, left, warn })
          return { scenario, dry_run: dryRun, ...(warnings.length > 0 && { warnings: shownWarnings(warnings, { world: sandbox }) }) }
        }
      }),
      'GET /changes': {
        does: "What differs from the loaded scenario's first state: records, keys, clock, script, settings.",
        run: ({ sandbox }) => sandbox.changes()
      },
      'GET /scenarios': {
        does: 'What can be loaded, with the name that each gives itself, its description, and its variables with their defaults.',
        query: null,
        run: async ({ library }) => ({ data: await library.list() })
      },
      'GET /state': call({
        does: 'The whole state as a fixture, to be saved and loaded again.',
        query: parameters(format(['json', 'yaml'])),
        run: ({ sandbox: { store, jobs }, query, reply, left }) =>
          query.format === 'yaml' ? reply.type(YAML).send(Readable.from(yamlOfStore(store, jobs, left()), { objectMode: false })) : exported(store)
      }),
      'POST /records': {
        does: 'Merges a fixture into the running state, all or nothing, and returns the records.',
        body: {
          example: '{"tickets":[{"location":"loc_bistro","reference":"T-61"}]}',
          shown: '{"tickets":[{"location":"loc_bistro","reference":"T-1"}]}'
        },
        ...CHANGES,
        adds: true,
        run: ({ sandbox, sent, left }) => sandbox.addBody(sent as Body, left)
      },
      'GET /keys': { does: 'The API keys, each with its Account.', run: ({ sandbox }) => ({ data: keysIn(sandbox.store) }) },
      'POST /keys': call({
        does: 'A new API key for an Account.',
        body: { example: '{"account":"mch_bistro"}', schema: () => closed({ account: text() }) },
        ...CHANGES,
        adds: true,
        run: ({ sandbox, body }) => sandbox.addKey(body.account)
      })
    }
  },
  {
    title: 'Sandboxes',
    calls: {
      'GET /sandboxes': { does: 'The named sandboxes.', run: ({ sandboxes }) => ({ data: sandboxes.all().flatMap(listed) }) },
      'DELETE /sandboxes/NAME': { does: 'Deletes a sandbox.', isSaved: true, run: ({ sandboxes, name }) => sandboxes.delete(checkedName(name)) }
    }
  },
  {
    title: 'Script and gates',
    calls: {
      'GET /script': {
        does: 'The script entries, with how many calls each matched and to how many it was applied; one that was never applied with the calls that it nearly was applied to: [near misses](../evidence.md#near-misses).',
        query: null,
        run: async ({ sandbox }) => ({ data: maskedList(await explainedEntries(sandbox.script, lookedIn(sandbox)), sandbox) })
      },
      'POST /script': call({
        does: 'Adds a script entry.',
        body: {
          example: '{"on":"POST /transactions","calls":1,"respond":{"status":402}}',
          shown:
            '{"on":"POST /transactions","calls":1,"respond":{"status":402,"error":{"type":"card_error","code":"card_declined","message":"The card was declined."}}}',
          schema: entrySchema
        },
        ...CHANGES,
        adds: true,
        status: 201,
        run: async ({ sandbox, settings, body, document }) => {
          const problems = new ProblemList(document.limits)
          const entry = await withoutProblems(problems, () => compileEntry(body, reportTo(problems, document)))
          const { size, instructions } = sandbox.script
          if (size >= settings['limits.script'])
            throw new ApiError('limit_reached', {
              message: `The script has ${size} entries, as many as limits.script allows; delete some, or raise the setting.`
            })
          const together = instructions + (entry as Entry).instructions
          if (together > MAX_TOGETHER)
            throw new ApiError('limit_reached', {
              message: `The patterns of a script must compile to at most ${MAX_TOGETHER} instructions together; with this entry it is ${together}. Delete entries with patterns, or write them shorter.`
            })
          return maskedThroughout(sandbox.addEntry(entry as Entry), keysToMask(sandbox))
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
        does: 'Removes one script entry.',
        isSaved: true,
        run: ({ sandbox, name: id }) => {
          if (!sandbox.removeEntries(id)) {
            const known = sandbox.script.listed().map(entry => entry.id)
            throw new ApiError('entry_unknown', { message: `No script entry has the id ${id}; ${thereAre(known)}.`, param: 'id' })
          }
          // calls at a gate that the script does not name any more go on
          sandbox.gates.keep(gatesOf(sandbox))
        }
      },
      'GET /gates': {
        does: 'The gates at which script entries hold calls, with the calls that wait.',
        run: ({ sandbox }) => ({ data: sandbox.gates.listed(gatesOf(sandbox)) })
      },
      'POST /gates/NAME/open': call({
        does: 'Lets the calls at a gate go on, in the order in which they came or the last one first. Without a body: in order.',
        body: { example: '{"release":"reverse"}', schema: () => closed({ release: optional(word(RELEASES)) }), isOptional: true },
        makesSandbox: true,
        run: ({ sandbox, name, body: { release = 'in_order' } }) => {
          const known = gatesOf(sandbox)
          if (!known.includes(name))
            throw new ApiError('gate_unknown', { message: `No script entry holds calls at a gate ${name}; ${thereAre(known)}.`, param: 'name' })
          return { name, released: sandbox.gates.open(name, release) }
        }
      })
    }
  },
  {
    title: 'Clock and snapshots',
    calls: {
      'GET /clock': { does: 'The clock that stamps `created`.', query: null, run: ({ sandbox }) => clockShown(sandbox.clock) },
      'PUT /clock': call({
        does: 'Sets the clock, freezes it or lets it run.',
        body: {
          example: '{"now":"2026-02-28T23:59:59Z","running":false}',
          schema: () => closed({ now: optional(text({ format: 'instant' })), running: optional(Type.Boolean()) })
        },
        ...CHANGES,
        run: ({ sandbox, body: { now, running } }) => {
          if (now === undefined && running === undefined) throw new ApiError('body_malformed', { message: 'The body needs now, running or both.' })
          sandbox.setClock({ ...(now !== undefined && { at: instantOf(now) as number }), ...(running !== undefined && { running }) })
          return clockShown(sandbox.clock)
        }
      }),
      'POST /clock/advance': call({
        does: 'Sets the clock forward.',
        body: { example: '{"by":"36h"}', schema: () => closed({ by: text() }) },
        ...CHANGES,
        run: ({ sandbox, body: { by } }) => {
          const ms = durationOf(by)
          if (ms === null || sandbox.clock.now() + ms > LATEST_INSTANT) {
            const expected = ms === null ? DURATION_EXPECTED : 'the clock ends with the year 9999'
            throw new ApiError('body_malformed', { message: `by: ${expected}, not ${by}.`, param: 'by' })
          }
          sandbox.advanceClock(ms)
          return clockShown(sandbox.clock)
        }
      }),
      'GET /snapshots': {
        does: 'The names of the snapshots.',
        query: null,
        run: async ({ sandbox }) => ({ data: (await sandbox.snapshots.names()).map(name => ({ name })) })
      },
      'PUT /snapshots/NAME': {
        does: 'Keeps the present state under a name. With `--snapshots-dir` it outlives the process, in `lunch.json` for `lunch` and `~lunch.json` for `Lunch`.',
        makesSandbox: true,
        adds: true,
        status: 201,
        run: async ({ sandbox, name }) => {
          await sandbox.snapshots.put(checkedName(name), sandbox.snapshot())
          return { name, scenario: sandbox.scenario.name, clock: clockShown(sandbox.clock) }
        }
      },
      'POST /snapshots/NAME/restore': {
        does: 'Restores a snapshot.',
        ...CHANGES,
        run: async ({ sandbox, name }) => {
          const snapshot = await sandbox.snapshots.get(checkedName(name), sandbox.settings)
          sandbox.restore(snapshot)
          return { name, scenario: snapshot.scenario, clock: clockShown(sandbox.clock) }
        }
      },
      'DELETE /snapshots/NAME': { does: 'Deletes a snapshot.', run: ({ sandbox, name }) => sandbox.snapshots.delete(checkedName(name)) }
    }
  },
  {
    title: 'Evidence',
    calls: {
      'GET /requests': call({
        does: 'The journal: the last calls of the emulated API, newest first.',
        query: FILTERS,
        run: async ({ sandbox, sandboxes, query: { format, ...filters }, reply, left }) =>
          format === 'scenario' ? reply.type(YAML).send(await recordedText(filters, sandbox, left())) : callsOf(filters, sandbox, sandboxes)
      }),
      'GET /requests/ID': call({
        does: 'One call, and why it was answered so.',
        query: parameters(
          format(
            ['json', 'text', 'scenario'],
            '`json`, the default, `text`, or `scenario`: the call with the records that it touched and what they refer to, answered as it was.'
          )
        ),
        run: async ({ sandbox, name: id, query: { format }, reply, left }) => {
          const found = callNamed(id, sandbox)
          if (format === 'scenario') return reply.type(YAML).send(await recordedCallText(found, sandbox, left()))
          const told = [found, sandbox.evidence.journal, keysToMask(sandbox)] as const
          const near = maskedThroughout(nearlyMet(found), keysToMask(sandbox))
          if (format === 'text') return asText(reply, explainedText(...told, near))
          const { why, ...entry } = explained(...told)
          return { ...entry, why: withNearlyMet(why, near) }
        }
      }),
      'DELETE /requests': { does: 'Empties the journal.', run: ({ sandbox }) => sandbox.evidence.clearJournal() },
      'POST /explain': call({
        does: 'What a call would be answered, why, and what it would change: judged on a copy of the sandbox, which is thrown away. `changes` gives the copy other records, settings or another time.',
        query: parameters(format(['json', 'text'])),
        body: { example: '{"method":"POST","path":"/refunds","body":{"transaction":"txn_1","amount":100}}', schema: () => TRIED },
        run: async ({ body, document, request, query: { format }, reply }) => {
          const answer = await explain(body, document, request.arrival, format === 'text')
          return format === 'text' ? asText(reply, answer) : answer
        }
      }),
      'POST /verify': call({
        does: "Judges counts of calls and of their effects, sequences, the state of records and unused script entries; without a body the scenario's own `expect`. 200 when it holds, otherwise 409 with what was seen.",
        body: { example: '{"on":"POST /refunds","times":1,"within":"2s"}', schema: askedSchema, isOptional: true },
        run: async context => {
          const verdict = await (context.sent === null ? scenarioVerdict(context.sandbox) : verify(context))
          context.reply.code(verdict.holds ? 200 : 409)
          return verdict
        }
      }),
      'GET /coverage': call({
        does: 'Rules kept and broken: 93 possible outcomes.',
        query: parameters({ scope: SCOPE, ...format(namesOf(COVERAGE_FORMATS), '`json`, the default, `text` or `junit`.') }),
        run: ({ sandbox, query, reply }) => {
          const { format = 'json' } = query
          const report = totalsIn(sandbox, query).coverage.report()
          return format === 'json' ? report : reply.type(MEDIA_TYPES[format]).send(COVERAGE_FORMATS[format](report))
        }
      }),
      'DELETE /coverage': call({
        does: 'Starts the counts again from zero.',
        query: parameters({ scope: SCOPE }),
        run: ({ sandbox, query }) => totalsIn(sandbox, query).coverage.clear()
      }),
      'GET /findings': call({
        does: 'Mistakes of the client, each with the calls that show it: [the findings](findings.md).',
        query: parameters({ scope: SCOPE, ...format(['json', 'text']) }),
        run: ({ sandbox, query, reply }) => {
          const data = totalsIn(sandbox, query).findings()
          return query.format === 'text' ? asText(reply, findingsText(data)) : { data }
        }
      }),
      'GET /assumptions': call({
        does: 'The assumptions, their settings, and how many and which answers relied on each.',
        query: parameters({ scope: SCOPE }),
        run: ({ sandbox, query }) => ({ data: assumptionsShown(sandbox, totalsIn(sandbox, query)) })
      }),
      'GET /run': call({
        does: 'All that a report holds, of every sandbox, load and reset so far: what `exec` and `judge` read.',
        query: parameters(
          format(
            ['json', ...namesOf(RUN_FORMATS)],
            '`json`, the default, or the report as `html`, `junit` or `markdown`, judged by the expectations of the scenario.'
          )
        ),
        run: async ({ sandbox, sandboxes, version, query: { format = 'json' }, reply, left }) => {
          const document = await runDocument(sandboxes, version)
          return format === 'json'
            ? document
            : reply.type(MEDIA_TYPES[format]).send(await sandbox.jobs.run(WRITING, left(), ask => written(ask, format, document)))
        }
      }),
      'GET /events': call({
        does: 'The journal as server-sent events: `request` for each call when it is over, `clear` when the journal is emptied.',
        query: parameters({ scope: optional(word(['sandbox', 'run'], { description: '`sandbox`, the default, or `run`: every sandbox.' })) }),
        run: ({ streams, request, reply, query: { scope } }) => streams.open(reply, request.arrival, scope === 'run')
      }),
      'GET /metrics': {
        does: 'Metrics as Prometheus text: [the metrics](metrics.md).',
        run: async ({ sandboxes, reply }) => {
          const registry = await metricsOf(sandboxes)
          return reply.type(registry.contentType).send(await registry.metrics())
        }
      }
    }
  },
  {
    title: 'Sign-in of the console',
    calls: {
      'GET /session': {
        does: 'Whether a token is required, and whether the cookie of the call is signed in. Needs no token.',
        open: true,
        run: ({ settings, sessions, request }) => ({ token_required: settings.control_token !== null, signed_in: isSignedIn(request, sessions) })
      },
      'POST /session': call({
        does: 'Exchanges CONTROL_TOKEN for a cookie that lasts 12 hours.',
        body: { example: '{"token":"TOKEN"}', schema: () => closed({ token: text() }) },
        open: true,
        run: ({ settings: { control_token: token }, sessions, body, request, reply }) => {
          if (token === null) return { token_required: false, signed_in: false }
          if (!isSame(body.token, token)) throw new ApiError('token_required', { message: 'This is not the value of CONTROL_TOKEN.', param: 'token' })
          reply.header('set-cookie', signIn(request, sessions))
          return { token_required: true, signed_in: true }
        }
      }),
      'DELETE /session': {
        does: 'Signs out.',
        open: true,
        run: ({ sessions, request, reply }) => {
          reply.header('set-cookie', signOut(request, sessions))
        }
      }
    }
  },
  {
    title: 'Settings and descriptions',
    calls: {
      'GET /settings': {
        does: 'Each setting, its value, where that came from and what it may be: [the settings](settings.md).',
        query: null,
        run: ({ sandbox }) => settingsShown(sandbox)
      },
      'PATCH /settings': call({
        does: 'Changes settings of the sandbox until the next load or reset.',
        body: { example: '{"pagination.max_limit":5}', schema: () => Type.Unsafe<object>({ type: 'object' }) },
        ...CHANGES,
        run: async ({ sandbox, body }) => {
          await sandbox.changeSettings(body)
          return settingsShown(sandbox)
        }
      }),
      'DELETE /settings/NAME': {
        does: 'Sets a setting back to what flag, environment, scenario or default give.',
        isSaved: true,
        run: ({ sandbox, name }) => sandbox.unsetSetting(name)
      },
      'GET /openapi.json': call({
        does: 'The emulated API as OpenAPI 3.1.',
        query: parameters({
          style: optional(word(['flat'], { description: '`flat` names nested parameters in brackets, for generators that do not know `deepObject`.' }))
        }),
        run: async ({ request: { arrival, headers }, sandbox, version, query: { style } }) => {
          // the guard has seen to it that the Host is a name of this machine
          const origin = headers.host === undefined ? '' : `http://${headers.host}`
          const { openApiDocument } = await import('./openapi.js')
          return openApiDocument({ origin, base: arrival.base, version, settings: sandbox.settings, isFlat: style === 'flat' })
        }
      }),
      'GET /docs': {
        does: 'A page to read and try the emulated API.',
        page: true,
        run: ({ request, reply, sandbox, pages }) =>
          // the key is in the page and not in a script, which a page of another origin could run
          pages.docs(reply, { control: controlOfBase(request.arrival.base), key: bindingsOf(sandbox.store).key('') ?? '' })
      },
      'GET /schema/fixture.json': schemaCall('fixture', 'fixtures'),
      'GET /schema/scenario.json': schemaCall('scenario', 'scenarios'),
      'GET /schema/script.json': schemaCall('script', 'files of shared script entries')
    }
  }
]

const fileOf =
  (page: 'console' | 'docs') =>
  async ({ name, pages, request, reply }: Context) => {
    const file = await pages.file(page, name)
    if (file === null) throw noControlCall(request)
    return reply.type(file.type).send(file.content)
  }
export const FILE_CALLS: Calls = {
  'GET /console/FILE': { does: 'A file of the console.', query: null, open: true, run: fileOf('console') },
  'GET /docs/FILE': { does: "A file of the API's documentation.", query: null, run: fileOf('docs') }
}
