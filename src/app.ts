/** The composition root: what every request passes through, and where it ends. */
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  LogController
} from 'fastify'
import { PAGES } from './console/console.js'
import { controlApi } from './control/control.js'
import { CONTROL_HEADERS } from './control/guard.js'
import type { ApiError } from './core/errors.js'
import { BASE, CONTROL, controlOfBase, isUnder } from './core/paths.js'
import type { Settings } from './core/settings.js'
import type { Sandboxes } from './sandbox/sandboxes.js'
import type { Library } from './scenario/library.js'
import { addApi } from './server/api.js'
import { Arrivals, withoutSandbox } from './server/arrivals.js'
import { addLoopback, serverOptions, unusedConnectionsOf } from './server/connections.js'
import { refuseUnreadable, refuseUnusualRequests, rejectUnroutable } from './server/errors.js'
import { wantsPage } from './server/pages.js'
import { type Data, Responses } from './server/responses.js'
import { SAYS } from './server/sentences.js'

export type AppOptions = {
  sandboxes: Sandboxes
  library: Library
  settings: Settings
  version: string
  logger?: FastifyBaseLogger
  data?: Data
}

/** The emulated API and the control API of every sandbox. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { sandboxes, settings, data } = options
  const arrivals = new Arrivals(sandboxes, {
    cors: settings.cors,
    isLogged: isLogged(options.logger),
    unread: settings['limits.request_timeout']
  })
  const responses = new Responses({ arrivals, data })
  const app = createApp(options, arrivals, responses)
  refuseUnusualRequests(app.server)
  app.decorateRequest('arrival')
  app.setErrorHandler((error: FastifyError | ApiError, _request, reply) =>
    responses.refuse(error, reply)
  )
  addClosing(app, responses, sandboxes)
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = arrivals.open(request, reply)
    if (refusal !== null) throw refusal
    rejectUnroutable(request)
    done()
  })
  addRoot(app, options.version)
  const api = { responses, arrivals, sandboxes, settings, data }
  await app.register(scope => addApi(scope, api), { prefix: BASE })
  await app.register(controlApi, { ...options, prefix: CONTROL, arrivals, data, pages: PAGES })
  return app
}

const isLogged = (logger: AppOptions['logger']): logger is FastifyBaseLogger =>
  logger !== undefined && logger.level !== 'silent'

function createApp({ settings, logger }: AppOptions, arrivals: Arrivals, responses: Responses) {
  const app: FastifyInstance = fastify({
    ...serverOptions(settings),
    // a silent logger still makes the framework listen to every response
    ...(isLogged(logger)
      ? { loggerInstance: logger, childLoggerFactory: (log: FastifyBaseLogger) => log }
      : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: {
      querystringParser: ((text: string) => text) as never,
      ignoreTrailingSlash: true,
      maxParamLength: 16_384
    },
    rewriteUrl: withoutSandbox,
    frameworkErrors: (error, request, reply) => {
      const refusal = arrivals.open(request, reply)
      const headers = isUnder(CONTROL, request.url) ? CONTROL_HEADERS : null
      responses.refuse(refusal ?? error, reply, headers)
    },
    clientErrorHandler: (error, socket) => refuseUnreadable(error as object, socket, app.server)
  })
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  app.server.maxConnections = settings['limits.connections']
  app.server.on('drop', () => app.log.warn(SAYS.connections_reached()))
  return app
}

function addClosing(app: FastifyInstance, { faults }: Responses, sandboxes: Sandboxes): void {
  const endUnused = unusedConnectionsOf(app.server)
  const endLoopback = addLoopback(app)
  app.addHook('preClose', async () => {
    faults.cut()
    endUnused()
    await endLoopback()
  })
  app.addHook('onClose', async () => faults.end())
  app.addHook('onClose', () => sandboxes.worker.end())
}

/** The origin describes the emulator, and leads a browser to the console. */
function addRoot(app: FastifyInstance, version: string): void {
  app.get('/', { exposeHeadRoute: true }, async (request, reply) => {
    const { id, base } = request.arrival
    reply.headers({ 'request-id': id, vary: 'accept' })
    if (wantsPage(request)) return reply.redirect(controlOfBase(base))
    return { name: 'commerce-emulator', version, api: base, control: controlOfBase(base) }
  })
}
