/** Control: health, overview, reset, load, scenarios, state, records and keys. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { ApiError } from '../core/errors.js'
import type { Form } from '../core/form.js'
import { CONTROL, controlBeside, pathOf } from '../http/paths.js'
import { optional, parameters, word } from '../reference/parameters.js'
import { exported } from '../scenario/export.js'
import type { Library } from '../scenario/library.js'
import { FAMILIES } from '../store/store.js'
import { bodyReader, documentIn, queryOf } from './bodies.js'
import { clockShown } from './time.js'

/** Sends the console of the sandbox at a control address. */
export type ConsolePage = (reply: FastifyReply, control: string) => Promise<string>
export type StateOptions = {
  library: Library
  version: string
  consolePage: ConsolePage
}

/** A call that makes the sandbox that it names, when there is none. */
const MAKES_SANDBOX = { config: { makesSandbox: true } } as const
const FLAG = optional(word(['1', '0', 'true', 'false']))
const LOAD_QUERY = parameters({ dry_run: FLAG })
const STATE_QUERY = parameters({ format: optional(word(['json', 'yaml'])) })
const readKey = bodyReader<{ account: string }>(
  { type: 'object', additionalProperties: false, required: ['account'], properties: { account: { type: 'string' } } },
  '{"account":"mch_bistro"}'
)
const SCENARIO = '{"scenario":"default"}'
const readLoad = bodyReader<{ scenario: unknown }>(
  { type: 'object', additionalProperties: false, required: ['scenario'], properties: { scenario: { type: ['string', 'object'] } } },
  SCENARIO
)

export const stateRoutes: FastifyPluginAsync<StateOptions> = async (control, { library, version, consolePage }) => {
  control.get('/health', async ({ call: { sandbox } }, reply) => {
    if (!sandbox.isLoaded) reply.code(503)
    return sandbox.isLoaded ? { status: 'ready', version, scenario: sandbox.scenario.name } : { status: 'starting', version }
  })

  control.get('/', async (request, reply) => {
    const { sandbox, base } = request.call
    const { scenario, settings, clock, store } = sandbox
    const own = controlBeside(base)
    if (wantsPage(request)) return consolePage(reply, own)
    return {
      name: 'commerce-emulator',
      version,
      scenario,
      seed: settings.seed,
      clock: clockShown(clock),
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
        metrics: `${own}/metrics`,
        sandboxes: `${own}/sandboxes`,
        openapi: `${own}/openapi.json`,
        docs: `${own}/docs`,
        schemas: [`${own}/schema/fixture.json`, `${own}/schema/scenario.json`],
        settings: `${own}/settings`,
        assumptions: `${own}/assumptions`
      }
    }
  })

  control.post('/reset', async request => {
    queryOf(request)
    const { sandbox } = request.call
    sandbox.reset()
    return { scenario: sandbox.scenario }
  })

  control.post('/load', MAKES_SANDBOX, async request => {
    const { dry_run } = queryOf<Static<typeof LOAD_QUERY>>(request, LOAD_QUERY)
    const dryRun = dry_run === '1' || dry_run === 'true' || isBare(request, 'dry_run')
    request.call.leavesNothing = dryRun
    const { name, document, file } = await wanted(request, library)
    return { scenario: await request.call.sandbox.load(document, { name, file }, { dryRun, play: control.playIn }), dry_run: dryRun }
  })

  control.get('/scenarios', async () => ({ data: await library.list() }))

  control.get('/state', async (request, reply) => {
    const { format } = queryOf<Static<typeof STATE_QUERY>>(request, STATE_QUERY)
    const state = exported(request.call.sandbox.store)
    if (format !== 'yaml') return state
    const { yamlText } = await import('../scenario/yaml.js')
    return reply.type('application/yaml; charset=utf-8').send(yamlText(state))
  })

  control.post('/records', MAKES_SANDBOX, async request => {
    queryOf(request)
    return request.call.sandbox.addRecords(await documentIn(request, '{"tickets":[{"location":"loc_bistro","reference":"T-1"}]}'))
  })

  control.post('/keys', async request => {
    queryOf(request)
    const { body } = await readKey(request)
    return request.call.sandbox.addKey(body.account)
  })
}

/** What a load call names or carries: a scenario by name, one inline in JSON, or the body itself where it is YAML. */
async function wanted(request: FastifyRequest, library: Library) {
  const whole = await documentIn(request, SCENARIO)
  if (whole.type === 'yaml') return { name: 'inline', document: whole, file: null }
  const { body, document } = await readLoad(request)
  const { scenario } = body
  if (typeof scenario === 'string') {
    const found = await library.scenario(scenario)
    return { name: scenario, document: found, file: found.name }
  }
  return {
    name: 'inline',
    document: {
      ...document,
      data: scenario,
      locate: (places: Parameters<typeof document.locate>[0]) => document.locate(places.map(steps => ['scenario', ...steps]))
    },
    file: null
  }
}

/** A flag is given in the query by its name alone, as `?dry_run`. */
const isBare = ({ query }: FastifyRequest, name: string) => (query as Form).root.parts.get(name) === ''

/** A browser asks for a page; anything else is given JSON. */
const wantsPage = ({ headers }: FastifyRequest) => /\btext\/html\b/.test(headers.accept ?? '')

/** A control path that does not exist. */
export function noControlCall({ method, url, call }: FastifyRequest): ApiError {
  const control = controlBeside(call.base)
  return new ApiError('path_unknown', {
    message: `The control API has no ${method} ${control}${pathOf(url).slice(CONTROL.length)}; GET ${control} links to what it has.`
  })
}
