/** The composition root: what every request passes through, and the two scopes that it can end in. It never listens. */
import { randomBytes } from 'node:crypto'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { accountRoutes } from './api/accounts/routes.js'
import { locationRoutes } from './api/locations/routes.js'
import { refundRoutes } from './api/refunds/routes.js'
import { ticketRoutes } from './api/tickets/routes.js'
import { transactionRoutes } from './api/transactions/routes.js'
import { userRoutes } from './api/users/routes.js'
import { consolePage, consoleRoutes } from './console/console.js'
import { docsRoutes } from './console/docs.js'
import { controlApi } from './control/control.js'
import { CONTROL_HEADERS } from './control/guard.js'
import { createFormDecoder } from './core/form.js'
import type { Settings } from './core/settings.js'
import { wantsPage } from './http/answers.js'
import { answerExpectation, answerRefusal, answerUnreadable } from './http/errors.js'
import { Faults } from './http/faults.js'
import { InnerClient } from './http/inner-client.js'
import { BASE, CONTROL, controlOfBase, isUnder } from './http/paths.js'
import { addPipeline, createAnswer, type Data, openCall, refuseMisplaced } from './http/pipeline.js'
import { SandboxRouter } from './http/sandbox-router.js'
import { serverOptions } from './http/server-options.js'
import { tickShape } from './http/tick-shape.js'
import { unusedConnectionsOf } from './http/unused-connections.js'
import type { Sandboxes } from './sandbox/sandboxes.js'
import type { Library } from './scenario/library.js'

export type AppOptions = {
  sandboxes: Sandboxes
  library: Library
  settings: Settings
  version: string
  logger?: FastifyBaseLogger
  data?: Data
  /** Draws the id of a session of the console: a text that nobody can guess. */
  drawSession?: () => string
}

const FAMILIES = [locationRoutes, accountRoutes, userRoutes, ticketRoutes, transactionRoutes, refundRoutes]

const randomSession = () => randomBytes(32).toString('base64url')

/** The emulated API under `/next` and the control API under `/_control`, of every sandbox, ready to listen or to be injected into. */
export async function buildApp({ sandboxes, library, settings, version, logger, data, drawSession = randomSession }: AppOptions): Promise<FastifyInstance> {
  const decodeForm = createFormDecoder({ parameters: settings['limits.parameters'], depth: settings['limits.depth'] })
  const inside = new InnerClient()
  const router = new SandboxRouter(sandboxes, inside, settings.cors)
  const faults = new Faults()
  const answer = createAnswer(faults, data, sandboxes)
  const at = { sandbox: sandboxes.main }
  const app = fastify({
    ...serverOptions(settings),
    // a silent logger still makes the framework listen to every response
    ...(logger && logger.level !== 'silent' ? { loggerInstance: logger, childLoggerFactory: (log: FastifyBaseLogger) => log } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => '',
    routerOptions: { querystringParser: decodeForm as never, ignoreTrailingSlash: true, maxParamLength: 16_384 },
    rewriteUrl: raw => router.rewrite(raw),
    frameworkErrors: (error, request, reply) => {
      // the framework makes this reply without the app's decorators
      reply.answer = answer
      const refusal = openCall(request, reply, router)
      if (isUnder(CONTROL, request.url)) request.call.headers = { ...CONTROL_HEADERS }
      answerRefusal(refusal ?? error, request, reply)
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, at)
  })
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  app.server.maxConnections = settings['limits.connections']
  app.server.on('drop', () => app.log.warn('A connection was closed at once: there are as many as limits.connections allows.'))
  app.server.on('checkExpectation', (request, response) => answerExpectation(request, response, at))

  app.decorate('playIn', sandbox => inside.playIn(app, sandbox))
  app.decorate('tryIn', (copy, call) => inside.tryIn(app, copy, call))
  app.decorate('tickShape', tickShape())
  app.decorateRequest('call')
  app.decorateReply('answer', answer)
  app.setErrorHandler(answerRefusal)
  const endUnused = unusedConnectionsOf(app.server)
  app.addHook('preClose', async () => {
    faults.cut()
    endUnused()
  })
  app.addHook('onClose', async () => faults.end())
  app.addHook('onClose', () => sandboxes.documents.end())
  app.addHook('onRequest', (request, reply, done) => {
    refuseMisplaced(request, openCall(request, reply, router))
    done()
  })

  // the origin leads a browser to the console
  app.get('/', { exposeHeadRoute: true }, async (request, reply) => {
    const { call } = request
    reply.headers({ 'request-id': call.id, vary: 'accept' })
    if (wantsPage(request)) return reply.redirect(controlOfBase(call.base))
    return { name: 'commerce-emulator', version, api: call.base, control: controlOfBase(call.base) }
  })
  await app.register(
    async api => {
      addPipeline(api, { decodeForm, faults, data, cors: settings.cors, sandboxes })
      for (const addRoutes of FAMILIES) addRoutes(api)
    },
    { prefix: BASE }
  )
  const pages = { consolePage, routes: [consoleRoutes, docsRoutes] }
  await app.register(controlApi, { prefix: CONTROL, sandboxes, library, settings, version, router, data, pages, drawSession })
  return app
}
