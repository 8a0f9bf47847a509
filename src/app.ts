/** The composition root: what a call passes through, in order, and the two scopes that it can end in. It never listens. */
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
import { guardControl } from './control/guard.js'
import { settingsRoutes } from './control/settings.js'
import { noControlCall, stateRoutes } from './control/state.js'
import { ApiError } from './core/errors.js'
import type { Settings } from './core/settings.js'
import { Trace } from './core/trace.js'
import { presentable, writerOf } from './http/answers.js'
import { actorOf } from './http/authentication.js'
import './http/context.js'
import { answerControlError, answerError, answerExpectation, answerUnreadable, noOperation, outsideBase } from './http/errors.js'
import { createFormDecoder } from './http/form.js'
import { logAnswer } from './http/logging.js'
import { hasBody, readParameters } from './http/reading.js'
import { OPERATIONS, type OperationId } from './reference/operations.js'
import { type Schema, schemaOf } from './reference/parameters.js'
import type { Sandbox } from './sandbox/sandbox.js'
import { Visible } from './sandbox/visibility.js'
import type { Library } from './scenario/library.js'

export type AppOptions = { sandbox: Sandbox; library: Library; settings: Settings; version: string; logger?: FastifyBaseLogger }

const BASE = '/next'
const CONTROL = '/_control'
const pathOf = (url: string) => url.split('?')[0] as string
const isUnder = (prefix: string, url: string) => pathOf(url) === prefix || url.startsWith(`${prefix}/`)

/** The emulated API under `/next` and the control API under `/_control`, ready to listen or to be injected into. */
export async function buildApp({ sandbox, library, settings, version, logger }: AppOptions): Promise<FastifyInstance> {
  const decodeForm = createFormDecoder({ parameters: settings['limits.parameters'], depth: settings['limits.depth'] })
  let ownAnswers = 0
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
      connectionsCheckingInterval: Math.min(settings['limits.request_timeout'] || 1000, 1000)
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { querystringParser: decodeForm as never, ignoreTrailingSlash: true, maxParamLength: 16_384 },
    rewriteUrl: ({ url = '' }) => url.replace(/^https?:\/\/[^/]*/i, ''),
    genReqId: ({ url = '' }) => (pathOf(url) === '/' || isUnder(CONTROL, url) ? `ctl_${++ownAnswers}` : sandbox.nextRequestId()),
    frameworkErrors: (error, request, reply) => {
      prepare(request, reply, sandbox)
      reply.raw.once('finish', () => logAnswer(request, reply))
      answerError(error, request, reply).then(body => reply.send(body as never))
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, { sandbox })
  })
  app.server.on('checkExpectation', (request, response) => answerExpectation(request, response, { sandbox }))

  app.addHook('onRequest', async (request, reply) => prepare(request, reply, sandbox))
  app.addHook('onResponse', async (request, reply) => logAnswer(request, reply))
  app.setErrorHandler(answerError)
  app.addHook('onRequest', async ({ is404, url, headers, raw }) => {
    if (headers.host === undefined && raw.httpVersion === '1.1') {
      throw new ApiError('request_malformed', { message: 'The Host header is missing; HTTP/1.1 requires it.', assumption: 'A08' })
    }
    if (is404 && !isUnder(BASE, url) && !isUnder(CONTROL, url)) throw outsideBase(pathOf(url))
  })
  app.get('/', async () => ({ name: 'commerce-emulator', version, api: BASE, control: CONTROL }))

  await app.register(async api => emulatedApi(api, { settings, decodeForm }), { prefix: BASE })
  await app.register(async control => controlApi(control, { sandbox, library, settings, version }), { prefix: CONTROL })
  return app
}

/** What every request carries from its first moment, and every answer its id (A34). */
function prepare(request: FastifyRequest, reply: FastifyReply, sandbox: Sandbox): void {
  request.sandbox = sandbox
  request.base = BASE
  request.trace = new Trace()
  request.actor = null
  reply.header('request-id', request.id)
}

/** The emulated API. The order of the steps is the order of refusals (A08). */
async function emulatedApi(api: FastifyInstance, { settings, decodeForm }: { settings: Settings; decodeForm: (text: string) => unknown }): Promise<void> {
  if (settings.cors) {
    await api.register(cors, { origin: '*', methods: ['GET', 'POST', 'DELETE'], exposedHeaders: ['Request-Id', 'Warning'], strictPreflight: false })
  }

  // 1. the path and the method, before a body is looked at
  const refusePath = async ({ method, url }: FastifyRequest) => {
    throw noOperation(method, pathOf(url).slice(BASE.length) || '/')
  }
  api.setNotFoundHandler(refusePath)
  api.addHook('onRequest', async request => {
    if (request.is404) await refusePath(request)
  })

  // 2. the key; a disabled operation aborts right after it
  api.addHook('onRequest', async request => {
    const { sandbox, trace, headers, routeOptions } = request
    sandbox.requireLoaded()
    if (OPERATIONS[routeOptions.config.operation as OperationId].key) request.actor = actorOf(headers.authorization, sandbox, trace)
    else if (headers.authorization !== undefined) trace.assumed('A20')
    request.seen = new Visible(sandbox, request.actor, trace)
  })

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
    readParameters(request, message => {
      const shown = presentable(message, request.sandbox, request.headers.authorization)
      request.log.warn(shown)
      warnings.push(`299 - ${JSON.stringify(shown.replace(/[^\x20-\x7E]/g, '?'))}`)
      reply.header('warning', warnings)
    })
  })

  // 5. the operation itself
  api.addHook('preHandler', async ({ routeOptions, sandbox, trace }, reply) => {
    trace.assumed('A04')
    if (!isCreate(routeOptions.config.operation as OperationId)) return
    for (const assumption of ['A02', 'A03', 'A05', 'A06'] as const) trace.assumed(assumption)
    reply.code(sandbox.settings['statuses.created'])
  })
  api.setSerializerCompiler(({ schema }) => writerOf(schemaOf(schema as never) as Schema) as never)
  await api.register(locationRoutes)
  await api.register(accountRoutes)
  await api.register(userRoutes)
  await api.register(ticketRoutes)
  await api.register(transactionRoutes)
  await api.register(refundRoutes)

  // 6. what the answer leaned on
  api.addHook('onResponse', async ({ sandbox, trace }) => sandbox.leanedOn(trace.assumptions))
}

const isCreate = (operation: OperationId) => operation.startsWith('create')

/** The control API: never part of the emulated service, and kept from web pages. */
async function controlApi(control: FastifyInstance, { sandbox, library, settings, version }: Omit<AppOptions, 'logger'>): Promise<void> {
  control.setErrorHandler(answerControlError)
  control.addHook('onRequest', async request => guardControl(request, { token: settings.control_token, hosts: settings.control_hosts }))
  const refusePath = async ({ method, url }: FastifyRequest) => {
    throw noControlCall(method, pathOf(url))
  }
  control.setNotFoundHandler(refusePath)
  control.addHook('onRequest', async request => {
    if (request.is404) await refusePath(request)
  })
  acceptBodies(control, settings['limits.control_body'])
  await control.register(stateRoutes, { sandbox, library, version })
  await control.register(settingsRoutes, { sandbox })
}
