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
import { Answers, addApi, type Data } from './server/api.js'
import { Arrivals, withoutSandbox } from './server/arrivals.js'
import { answerAll, answerUnreadable } from './server/errors.js'
import { Faults } from './server/faults.js'
import { serverOptions } from './server/options.js'
import { wantsPage } from './server/pages.js'
import { SAYS } from './server/sentences.js'
import { addLoopback, unusedConnectionsOf } from './server/unused-connections.js'

export type AppOptions = {
  sandboxes: Sandboxes
  library: Library
  settings: Settings
  version: string
  logger?: FastifyBaseLogger
  data?: Data
}

/**
 * The emulated API under `/next` and the control API under `/_control`, of every sandbox, ready to
 * listen or to be injected into.
 */
export async function buildApp({
  sandboxes,
  library,
  settings,
  version,
  logger,
  data
}: AppOptions): Promise<FastifyInstance> {
  const isLogged = logger !== undefined && logger.level !== 'silent'
  const arrivals = new Arrivals(sandboxes, {
    cors: settings.cors,
    isLogged,
    unread: settings['limits.request_timeout']
  })
  const faults = new Faults()
  const answers = new Answers({ arrivals, faults, data })
  const app: FastifyInstance = fastify({
    ...serverOptions(settings),
    // a silent logger still makes the framework listen to every response
    ...(isLogged
      ? { loggerInstance: logger, childLoggerFactory: (log: FastifyBaseLogger) => log }
      : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => '',
    routerOptions: {
      querystringParser: ((text: string) => text) as never,
      ignoreTrailingSlash: true,
      maxParamLength: 16_384
    },
    rewriteUrl: withoutSandbox,
    frameworkErrors: (error, request, reply) => {
      const refusal = arrivals.open(request, reply)
      answers.refuse(
        refusal ?? error,
        reply,
        isUnder(CONTROL, request.url) ? CONTROL_HEADERS : null
      )
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error as object, socket, app.server)
  })
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  app.server.maxConnections = settings['limits.connections']
  app.server.on('drop', () => app.log.warn(SAYS.connections_reached()))
  answerAll(app)

  app.decorateRequest('arrival')
  app.setErrorHandler((error: FastifyError | ApiError, _request, reply) =>
    answers.refuse(error, reply)
  )
  const endUnused = unusedConnectionsOf(app.server)
  const endLoopback = addLoopback(app)
  app.addHook('preClose', async () => {
    faults.cut()
    endUnused()
    await endLoopback()
  })
  app.addHook('onClose', async () => faults.end())
  app.addHook('onClose', () => sandboxes.worker.end())
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = arrivals.open(request, reply)
    if (refusal !== null) throw refusal
    if (request.headers.host === undefined || request.is404) rejectUnroutable(request)
    done()
  })

  // the origin leads a browser to the console
  app.get('/', { exposeHeadRoute: true }, async (request, reply) => {
    const { id, base } = request.arrival
    reply.headers({ 'request-id': id, vary: 'accept' })
    if (wantsPage(request)) return reply.redirect(controlOfBase(base))
    return { name: 'commerce-emulator', version, api: base, control: controlOfBase(base) }
  })
  await app.register(
    async api => addApi(api, { answers, arrivals, sandboxes, settings, faults, data }),
    {
      prefix: BASE
    }
  )
  await app.register(controlApi, {
    prefix: CONTROL,
    sandboxes,
    library,
    settings,
    version,
    arrivals,
    data,
    pages: PAGES
  })
  return app
}

/** Refuses a request without a Host, and a path outside the base and the control API. */
function rejectUnroutable({
  url,
  headers,
  raw,
  is404,
  arrival: { reading, base }
}: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw new ApiError('request_malformed', { message: SAYS.no_host(), assumption: 'A08' })
  }
  if (!is404 || isUnder(BASE, url) || isUnder(CONTROL, url)) return
  reading.relied.add('A39')
  throw REFUSALS.outsideBase(pathOf(url), base)
}
