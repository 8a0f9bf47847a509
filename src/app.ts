/** The composition root: what every request passes through, and where it ends. */
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  LogController
} from 'fastify'
import { PAGES } from './console/console.js'
import { controlApi } from './control/control.js'
import { CONTROL_HEADERS } from './control/guard.js'
import { ApiError } from './core/errors.js'
import { BASE, CONTROL, controlOfBase, isUnder, pathOf } from './core/paths.js'
import type { Settings } from './core/settings.js'
import { REFUSALS } from './engine/sentences.js'
import type { Sandboxes } from './sandbox/sandboxes.js'
import type { Library } from './scenario/library.js'
import { addApi, type Data, Responses } from './server/api.js'
import { Arrivals, withoutSandbox } from './server/arrivals.js'
import { addLoopback, serverOptions, unusedConnectionsOf } from './server/connections.js'
import { refuseUnreadable, refuseUnusualRequests } from './server/errors.js'
import { Faults } from './server/faults.js'
import { wantsPage } from './server/pages.js'
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
  const faults = new Faults()
  const responses = new Responses({ arrivals, faults, data })
  const app = createApp(options, arrivals, responses)
  refuseUnusualRequests(app.server)
  app.decorateRequest('arrival')
  app.setErrorHandler((error: FastifyError | ApiError, _request, reply) =>
    responses.refuse(error, reply)
  )
  addClosing(app, faults, sandboxes)
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = arrivals.open(request, reply)
    if (refusal !== null) throw refusal
    if (request.headers.host === undefined || request.is404) rejectUnroutable(request)
    done()
  })
  addRoot(app, options.version)
  const api = { responses, arrivals, sandboxes, settings, faults, data }
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

function addClosing(app: FastifyInstance, faults: Faults, sandboxes: Sandboxes): void {
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

/** Refuses a request without a Host, and a path outside the base and the control API. */
function rejectUnroutable({ url, headers, raw, is404, arrival }: FastifyRequest): void {
  const { reading, base } = arrival
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw new ApiError('request_malformed', { message: SAYS.no_host(), assumption: 'A08' })
  }
  if (!is404 || isUnder(BASE, url) || isUnder(CONTROL, url)) return
  reading.relied.add('A39')
  throw REFUSALS.outsideBase(pathOf(url), base)
}
