/** The composition root: what a call passes through, in order, and the two scopes that it can end in. It never listens. */
import type { IncomingMessage } from 'node:http'
import cors from '@fastify/cors'
import formBody from '@fastify/formbody'
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { accountRoutes } from './api/accounts/routes.js'
import { locationRoutes } from './api/locations/routes.js'
import { refundRoutes } from './api/refunds/routes.js'
import { ticketRoutes } from './api/tickets/routes.js'
import { transactionRoutes } from './api/transactions/routes.js'
import { userRoutes } from './api/users/routes.js'
import { acceptBodies } from './control/bodies.js'
import { consoleRoutes } from './control/console.js'
import { docsRoutes } from './control/docs.js'
import { evidenceRoutes } from './control/evidence.js'
import { guardControl } from './control/guard.js'
import { metricsRoutes } from './control/metrics.js'
import { sandboxRoutes } from './control/sandboxes.js'
import { schemaRoutes } from './control/schemas.js'
import { scriptRoutes } from './control/script.js'
import { settingsRoutes } from './control/settings.js'
import { noControlCall, stateRoutes } from './control/state.js'
import { timeRoutes } from './control/time.js'
import { ApiError } from './core/errors.js'
import type { Settings } from './core/settings.js'
import { Trace } from './core/trace.js'
import { writerOf } from './core/writing.js'
import { presentable } from './http/answers.js'
import { actorOf } from './http/authentication.js'
import './http/context.js'
import { createFormDecoder } from './core/form.js'
import { BASE, CONTROL, controlBeside, Entrance, isUnder, pathBelow, pathOf } from './http/entrance.js'
import { answerControlError, answerError, answerExpectation, answerUnreadable, noOperation, outsideBase } from './http/errors.js'
import { Faults } from './http/faults.js'
import { logCall } from './http/logging.js'
import { Player } from './http/playing.js'
import { hasBody, readParameters } from './http/reading.js'
import { record } from './http/recording.js'
import { act, countCall, loseAfter, sentCall } from './http/scripting.js'
import { OPERATIONS, type OperationId } from './reference/operations.js'
import { type Schema, schemaOf } from './reference/parameters.js'
import type { Sandboxes } from './sandbox/sandboxes.js'
import { Visible } from './sandbox/visibility.js'
import type { Library } from './scenario/library.js'

export type AppOptions = {
  sandboxes: Sandboxes
  library: Library
  settings: Settings
  version: string
  logger?: FastifyBaseLogger
  /** Waits until every change made so far is kept; left out where nothing outlives the process. */
  saved?: (() => Promise<void>) | undefined
}

/** The emulated API under `/next` and the control API under `/_control`, of every world, ready to listen or to be injected into. */
export async function buildApp({ sandboxes, library, settings, version, logger, saved }: AppOptions): Promise<FastifyInstance> {
  const decodeForm = createFormDecoder({ parameters: settings['limits.parameters'], depth: settings['limits.depth'] })
  const player = new Player()
  const entrance = new Entrance(sandboxes, player)
  const faults = new Faults()
  const headersTimeout = settings['limits.headers_timeout']
  const app = fastify({
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    bodyLimit: settings['limits.body'],
    requestTimeout: settings['limits.request_timeout'],
    // headers are timed by what is given here, the whole request by the line above; a missing Host is refused in our own words
    http: {
      requireHostHeader: false,
      requestTimeout: settings['limits.request_timeout'],
      headersTimeout: settings['limits.request_timeout'] === 0 ? headersTimeout : Math.min(headersTimeout, settings['limits.request_timeout']),
      connectionsCheckingInterval: Math.min(settings['limits.request_timeout'] || 1000, headersTimeout || 1000, 1000)
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { querystringParser: decodeForm as never, ignoreTrailingSlash: true, maxParamLength: 16_384 },
    rewriteUrl: raw => entrance.route(raw),
    genReqId: raw => entrance.arrive(raw as IncomingMessage),
    frameworkErrors: (error, request, reply) => {
      prepare(request, reply, entrance)
      answerError(error, request, reply).then(body => {
        record(request, reply, { answer: JSON.stringify(body) })
        reply.send(body as never)
      })
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, { sandbox: sandboxes.main })
  })
  app.server.maxConnections = settings['limits.connections']
  app.server.on('drop', () => app.log.warn('A connection was closed at once: there are as many as limits.connections allows.'))
  app.server.on('checkExpectation', (request, response) => answerExpectation(request, response, { sandbox: sandboxes.main }))

  app.decorate('playIn', world => player.playIn(app, BASE, world))
  app.addHook('onRequest', async (request, reply) => prepare(request, reply, entrance))
  app.addHook('preClose', async () => faults.cut())
  app.addHook('onClose', async () => faults.end())
  if (saved) {
    app.addHook('onSend', async (request, reply, payload) => {
      if (mayHaveChanged(request, reply)) await saved()
      return payload
    })
  }
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'string') request.answer = payload
    // a client that left hears nothing, and the framework says nothing of it
    const lost = () => record(request, reply, { answered: false })
    if (reply.raw.destroyed) lost()
    else reply.raw.once('close', lost)
    done(null, payload)
  })
  app.addHook('onResponse', async (request, reply) => record(request, reply))
  app.setErrorHandler(answerError)
  app.addHook('onRequest', async ({ is404, url, headers, raw }) => {
    const { refusal, prefix } = entrance.arrivalOf(raw)
    if (refusal && !isUnder(BASE, url)) throw refusal
    if (headers.host === undefined && raw.httpVersion === '1.1') {
      throw new ApiError('request_malformed', { message: 'The Host header is missing; HTTP/1.1 requires it.', assumption: 'A08' })
    }
    if (is404 && !isUnder(BASE, url) && !isUnder(CONTROL, url)) throw outsideBase(pathOf(url), prefix)
  })
  app.get('/', async ({ base }) => ({ name: 'commerce-emulator', version, api: base, control: controlBeside(base) }))

  await app.register(async api => emulatedApi(api, { settings, decodeForm, faults, entrance }), { prefix: BASE })
  await app.register(async control => controlApi(control, { sandboxes, library, settings, version, entrance }), { prefix: CONTROL })
  return app
}

/** What every request carries from its first moment, and every answer its id (A34). */
function prepare(request: FastifyRequest, reply: FastifyReply, entrance: Entrance): void {
  const { sandbox, prefix, isStep } = entrance.arrivalOf(request.raw)
  request.sandbox = sandbox
  request.isStep = isStep
  request.base = `${prefix}${BASE}`
  request.leavesNothing = false
  request.operation = request.routeOptions?.config.operation ?? null
  request.trace = new Trace(request.sandbox.settings['evidence.trace'])
  request.actor = null
  request.sent = null
  request.scripted = null
  request.lost = null
  request.at = request.sandbox.isLoaded ? request.sandbox.clock.now() : 0
  request.refusal = null
  request.subject = null
  request.answer = ''
  request.isRecorded = false
  reply.header('request-id', request.id)
  sandbox.inFlight++
  reply.raw.once('close', () => {
    sandbox.inFlight--
    logCall(request, reply)
  })
}

/** Whether a call may have changed the state of its world, its script's counts among it. */
function mayHaveChanged({ method, refusal, operation, isStep, sandbox, leavesNothing }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  if (isStep || leavesNothing || method === 'OPTIONS' || method === 'HEAD') return false
  const isScripted = operation !== null && sandbox.script.has(operation)
  return isScripted || (method !== 'GET' && refusal === null && (operation !== null || statusCode < 400))
}

/** Finds out who calls, and what the caller may see. Errors: those of a key that is not right (401). */
function identify(request: FastifyRequest, trace: Trace): void {
  const { sandbox, headers, operation } = request
  sandbox.requireLoaded()
  trace.held('BASE-1')
  if (OPERATIONS[operation as OperationId].key) request.actor = actorOf(headers.authorization, sandbox, trace)
  else if (headers.authorization !== undefined) trace.assumed('A20')
  request.seen = new Visible(sandbox, request.actor, request.trace)
}

type ApiOptions = { settings: Settings; decodeForm: (text: string) => unknown; faults: Faults; entrance: Entrance }

/** The emulated API. The order of the steps is the order of refusals (A08). */
async function emulatedApi(api: FastifyInstance, { settings, decodeForm, faults, entrance }: ApiOptions): Promise<void> {
  if (settings.cors) {
    await api.register(cors, { origin: '*', methods: ['GET', 'POST', 'DELETE'], exposedHeaders: ['Request-Id', 'Warning'], strictPreflight: false })
  }

  // 0. a sandbox that cannot be; told to pages of other origins too
  api.addHook('onRequest', async ({ raw }) => {
    const { refusal } = entrance.arrivalOf(raw)
    if (refusal) throw refusal
  })

  // 1. the path and the method, before a body is looked at
  const refusePath = async ({ method, url }: FastifyRequest) => {
    throw noOperation(method, pathBelow(url))
  }
  api.setNotFoundHandler(refusePath)
  api.addHook('onRequest', async request => {
    if (request.is404) await refusePath(request)
  })

  // 2. the key; a disabled operation aborts right after it
  api.addHook('onRequest', async request => identify(request, request.trace))

  // 3. content type, size and form
  api.addHook('preParsing', async request => {
    const { headers } = request
    if (!hasBody(request)) {
      delete headers['content-type']
      return
    }
    const encoding = headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') {
      throw new ApiError('content_type_unsupported', { message: `A body with Content-Encoding ${encoding} is not read; send it as it is.`, assumption: 'A32' })
    }
  })
  api.removeAllContentTypeParsers()
  await api.register(formBody, { bodyLimit: settings['limits.body'], parser: decodeForm as never })
  api.addContentTypeParser('*', (request, _payload, done) => {
    const sent = request.headers['content-type'] ?? 'no content type'
    const message = `The body is ${sent}; bodies are form-encoded: send application/x-www-form-urlencoded, nested values as address[city]=Boston.`
    return done(new ApiError('content_type_unsupported', { message, rule: 'FORM-1' }))
  })

  // 4. the parameters, by the operation's table
  api.setValidatorCompiler(() => () => true)
  api.addHook('preValidation', async (request, reply) => {
    const warnings: string[] = []
    try {
      readParameters(request, message => {
        const shown = presentable(message, request.sandbox, request.headers.authorization)
        if (!request.isStep) request.log.warn(shown)
        if (warnings.length < 10) warnings.push(`299 - ${JSON.stringify(shown.slice(0, 300).replace(/[^\x20-\x7E]/g, '?'))}`)
        reply.header('warning', warnings)
      })
    } finally {
      countCall(request)
    }
  })

  // 5. the script: an answer in the operation's stead, a delay, a lost answer
  api.addHook('preHandler', async (request, reply) => {
    const { sandbox, isStep, operation } = request
    if (isStep || !sandbox.script.has(operation as OperationId)) return
    const action = sandbox.script.act(sentCall(request), sandbox.settings.seed)
    if (action) return act(action, request, reply, faults)
  })
  api.addHook('onSend', async (request, reply, payload) => {
    if (faults.isStopping) reply.header('connection', 'close')
    return request.scripted ? loseAfter(request, reply, payload, faults) : payload
  })

  // 6. the operation itself, for a caller who is still the same: a load or reset may have replaced the world while the call was waited for
  api.addHook('preHandler', async (request, reply) => {
    const { actor, operation, sandbox } = request
    if (actor && sandbox.store.accounts.get(actor.id) !== actor) identify(request, new Trace())
    if (isCreate(operation as OperationId)) reply.code(sandbox.settings['statuses.created'])
  })
  api.setSerializerCompiler(({ schema }) => writerOf(schemaOf(schema as never) as Schema) as never)
  await api.register(locationRoutes)
  await api.register(accountRoutes)
  await api.register(userRoutes)
  await api.register(ticketRoutes)
  await api.register(transactionRoutes)
  await api.register(refundRoutes)

  // 7. what it answers with, and the assumptions that every such answer leans on
  api.addHook('preSerialization', (request, _reply, payload, done) => {
    if (request.refusal === null) {
      const { trace, operation } = request
      request.subject = payload as FastifyRequest['subject']
      for (const assumption of isCreate(operation as OperationId) ? CREATED : READ) trace.assumed(assumption)
    }
    done(null, payload)
  })
}

const READ = ['A04'] as const
const CREATED = ['A02', 'A03', 'A04', 'A05', 'A06'] as const
const isCreate = (operation: OperationId) => operation.startsWith('create')

/** The control API: never part of the emulated service, and kept from web pages. */
async function controlApi(
  control: FastifyInstance,
  { sandboxes, library, settings, version, entrance }: Pick<AppOptions, 'sandboxes' | 'library' | 'settings' | 'version'> & { entrance: Entrance }
): Promise<void> {
  control.setErrorHandler(answerControlError)
  control.addHook('onRequest', async request => guardControl(request, { token: settings.control_token, hosts: settings.control_hosts }))
  const refusePath = async (request: FastifyRequest) => {
    throw noControlCall(request)
  }
  control.setNotFoundHandler(refusePath)
  control.addHook('onRequest', async (request, reply) => {
    if (request.is404) await refusePath(request)
    const sandbox = entrance.worldOf(request.raw, { makes: request.routeOptions.config.makesSandbox === true })
    if (sandbox === request.sandbox) return
    request.sandbox = sandbox
    sandbox.inFlight++
    reply.raw.once('close', () => sandbox.inFlight--)
  })
  control.addHook('onSend', async (request, reply, payload) => {
    const isRefused = reply.statusCode >= 400 && reply.statusCode < 500
    if (request.routeOptions.config.makesSandbox && (isRefused || request.leavesNothing)) sandboxes.releaseIfUnused(request.sandbox)
    return payload
  })
  acceptBodies(control, settings['limits.control_body'])
  await control.register(stateRoutes, { library, version })
  await control.register(sandboxRoutes, { sandboxes })
  await control.register(scriptRoutes)
  await control.register(evidenceRoutes)
  await control.register(metricsRoutes, { sandboxes })
  await control.register(timeRoutes)
  await control.register(schemaRoutes)
  await control.register(docsRoutes, { version })
  await control.register(consoleRoutes)
  await control.register(settingsRoutes)
}
