/** Control: health, overview, reset, load, changes, scenarios, state, records and keys. */
import { Readable } from 'node:stream'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { ApiError, type Problem } from '../core/errors.js'
import { decodeForm } from '../core/form.js'
import { CONTROL, controlOfBase, pathOf } from '../core/paths.js'
import type { Settings } from '../core/settings.js'
import { shownWarnings } from '../engine/answers.js'
import { playIn } from '../engine/play.js'
import { optional, parameters, word } from '../reference/parameters.js'
import type { Added } from '../sandbox/sandbox.js'
import { exported, keysIn } from '../scenario/export.js'
import type { Library } from '../scenario/library.js'
import { pause } from '../scenario/slices.js'
import type { Arrival } from '../server/arrivals.js'
import { wantsPage } from '../server/pages.js'
import { FAMILIES } from '../store/store.js'
import { bodyOf, bodyReader, departureOf, queryOf } from './bodies.js'
import { PAGE } from './guard.js'
import { MAKES_SANDBOX } from './sandboxes.js'
import { clockShown } from './time.js'

/** Sends the console of the sandbox at a control address. */
export type ConsolePage = (reply: FastifyReply, control: string) => Promise<string>
export type StateOptions = {
  settings: Settings
  library: Library
  version: string
  consolePage: ConsolePage
}

const FLAG = optional(word(['1', '0', 'true', 'false']))
const LOAD_QUERY = parameters({ dry_run: FLAG })
const STATE_QUERY = parameters({ format: optional(word(['json', 'yaml'])) })
const readKey = bodyReader<{ account: string }>(
  { type: 'object', additionalProperties: false, required: ['account'], properties: { account: { type: 'string' } } },
  '{"account":"mch_bistro"}'
)
const SCENARIO = '{"scenario":"default"}'
/** Answers with more records than this are written in parts. */
const MANY = 1000
/** Records of a part. */
const PART = 200

export const stateRoutes: FastifyPluginAsync<StateOptions> = async (control, { library, settings, version, consolePage }) => {
  const ofDocuments = { bodyLimit: settings['limits.control_body'] }
  control.get('/health', async ({ arrival: { sandbox } }, reply) => {
    if (!sandbox.isLoaded) reply.code(503)
    return sandbox.isLoaded ? { status: 'ready', version, scenario: sandbox.scenario.name } : { status: 'starting', version }
  })

  control.get('/', PAGE, async (request, reply) => {
    const { arrival } = request
    return wantsPage(request) ? consolePage(reply, controlOfBase(arrival.base)) : { name: 'commerce-emulator', version, ...overviewOf(arrival) }
  })

  control.post('/reset', MAKES_SANDBOX, async request => {
    queryOf(request)
    const { sandbox } = request.arrival
    sandbox.reset()
    return { scenario: sandbox.scenario }
  })

  const markDryRun = async (request: FastifyRequest) => {
    request.arrival.leavesNothing = isDryRun(request)
  }
  control.post('/load', { ...MAKES_SANDBOX, ...ofDocuments, preValidation: markDryRun }, async (request, reply) => {
    queryOf(request, LOAD_QUERY)
    const dryRun = request.arrival.leavesNothing
    const body = bodyOf(request, SCENARIO)
    const warnings: Problem[] = []
    const warn = (found: readonly Problem[]) => warnings.push(...found)
    const scenario = await request.arrival.sandbox.loadBody(body, { dryRun, play: playIn, left: departureOf(reply), warn })
    return { scenario, dry_run: dryRun, ...(warnings.length > 0 && { warnings: shownWarnings(warnings, { world: request.arrival.sandbox }) }) }
  })

  control.get('/changes', async request => {
    queryOf(request)
    return request.arrival.sandbox.changes()
  })

  control.get('/scenarios', async () => ({ data: await library.list() }))

  control.get('/state', async (request, reply) => {
    const { format } = queryOf<Static<typeof STATE_QUERY>>(request, STATE_QUERY)
    const state = exported(request.arrival.sandbox.store)
    if (format !== 'yaml') return state
    const { yamlText } = await import('../scenario/yaml.js')
    return reply.type('application/yaml; charset=utf-8').send(yamlText(state))
  })

  control.post('/records', { ...MAKES_SANDBOX, ...ofDocuments }, async (request, reply) => {
    queryOf(request)
    const body = bodyOf(request, '{"tickets":[{"location":"loc_bistro","reference":"T-1"}]}')
    const added = await request.arrival.sandbox.addBody(body, departureOf(reply))
    const count = Object.values(added).reduce((sum, { length }) => sum + length, 0)
    return count > MANY ? reply.type('application/json; charset=utf-8').send(Readable.from(partsOf(added))) : added
  })

  control.get('/keys', async request => {
    queryOf(request)
    return { data: keysIn(request.arrival.sandbox.store) }
  })

  control.post('/keys', MAKES_SANDBOX, async (request, reply) => {
    queryOf(request)
    const { body } = await readKey(request, reply)
    return request.arrival.sandbox.addKey(body.account)
  })
}

/** What a sandbox holds, and where to read more of it. */
function overviewOf({ sandbox: { scenario, settings, clock, store, requests }, base }: Arrival) {
  const own = controlOfBase(base)
  return {
    scenario,
    seed: settings.seed,
    clock: clockShown(clock),
    calls: requests,
    counts: Object.fromEntries(FAMILIES.map(family => [family, store[family].size])),
    links: {
      api: base,
      health: `${own}/health`,
      scenarios: `${own}/scenarios`,
      state: `${own}/state`,
      script: `${own}/script`,
      clock: `${own}/clock`,
      snapshots: `${own}/snapshots`,
      requests: `${own}/requests`,
      coverage: `${own}/coverage`,
      findings: `${own}/findings`,
      run: `${own}/run`,
      metrics: `${own}/metrics`,
      sandboxes: `${own}/sandboxes`,
      openapi: `${own}/openapi.json`,
      docs: `${own}/docs`,
      schemas: [`${own}/schema/fixture.json`, `${own}/schema/scenario.json`, `${own}/schema/script.json`],
      settings: `${own}/settings`,
      assumptions: `${own}/assumptions`
    }
  }
}

/** Records as JSON, in parts between which other calls are answered. */
async function* partsOf(added: Added): AsyncGenerator<string> {
  let before = '{'
  for (const [family, records] of Object.entries(added)) {
    yield `${before}"${family}":[`
    for (let from = 0; from < records.length; from += PART) {
      yield `${from === 0 ? '' : ','}${JSON.stringify(records.slice(from, from + PART)).slice(1, -1)}`
      await pause()
    }
    before = '],'
  }
  yield ']}'
}

/** Whether a load only checks: `?dry_run=1`, `?dry_run=true`, or the name alone. */
const isDryRun = ({ query, arrival: { sandbox } }: FastifyRequest) =>
  ['', '1', 'true'].includes(decodeForm(query as string, sandbox.settings).root.get('dry_run') as string)

/** A control path that does not exist. */
export function noControlCall({ method, url, arrival }: FastifyRequest): ApiError {
  const control = controlOfBase(arrival.base)
  return new ApiError('path_unknown', {
    message: `The control API has no ${method} ${control}${pathOf(url).slice(CONTROL.length)}; GET ${control} links to what it has.`
  })
}
