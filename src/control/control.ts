/** The control API: never part of the emulated service, and kept from web pages. */
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { ApiError } from '../core/errors.js'
import { CONTROL, controlOfBase } from '../core/paths.js'
import type { Settings } from '../core/settings.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { Library } from '../scenario/library.js'
import type { Data } from '../server/api.js'
import type { Arrivals } from '../server/arrivals.js'
import { answerControlError } from '../server/errors.js'
import { wantsPage } from '../server/pages.js'
import { acceptBodies } from './bodies.js'
import { eventRoutes } from './events.js'
import { evidenceRoutes } from './evidence.js'
import { explainRoutes } from './explain.js'
import { gateRoutes } from './gates.js'
import { CONTROL_HEADERS, guardControl, HEALTH } from './guard.js'
import { metricsRoutes } from './metrics.js'
import { runRoutes } from './run.js'
import { sandboxRoutes } from './sandboxes.js'
import { schemaRoutes } from './schemas.js'
import { scriptRoutes } from './script.js'
import { isSignedIn, Sessions, sessionRoutes } from './sessions.js'
import { settingsRoutes } from './settings.js'
import { type ConsolePage, noControlCall, stateRoutes } from './state.js'
import { timeRoutes } from './time.js'

export type ControlOptions = {
  sandboxes: Sandboxes
  library: Library
  settings: Settings
  version: string
  arrivals: Arrivals
  data: Data
  pages: Pages
  /** Draws the id of a session. */
  drawSession: () => string
}
/** The pages for browsers, which are above the control API: the console's own, and the routes of what pages load. */
export type Pages = { consolePage: ConsolePage; routes: readonly FastifyPluginAsync[] }

/** Calls that change nothing that a data file holds, whatever their method. */
const UNSAVED: ReadonlySet<string | undefined> = new Set(
  ['/verify', '/explain', '/requests', '/coverage', '/snapshots/:name', '/gates/:name/open', '/session'].map(path => CONTROL + path)
)

/** Whether a call changes what a data file holds, unless it is refused or says otherwise. */
const isSaved = ({ method, routeOptions }: FastifyRequest) => method !== 'GET' && method !== 'HEAD' && !UNSAVED.has(routeOptions.url)

/** Registers the control API in a scope of its own. */
export async function controlApi(
  control: FastifyInstance,
  { sandboxes, library, settings, version, arrivals, data, pages, drawSession }: ControlOptions
): Promise<void> {
  const { control_token: token, control_hosts: hosts } = settings
  const sessions = new Sessions(drawSession)
  const guard = { token, hosts, isSignedIn: (request: FastifyRequest) => isSignedIn(request, sessions) }
  control.setErrorHandler((error: FastifyError | ApiError, request, reply) => {
    const asksForToken = error.code === 'token_required' && request.routeOptions.config?.page === true && wantsPage(request)
    if (!asksForToken) return answerControlError(error, request, reply)
    return pages.consolePage(reply.code(401), controlOfBase(request.arrival.base))
  })
  const refusePath = (request: FastifyRequest) => {
    throw noControlCall(request)
  }
  control.setNotFoundHandler(refusePath)
  control.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...CONTROL_HEADERS, 'request-id': request.arrival.id })
    guardControl(request, guard)
    if (request.is404) refusePath(request)
    const { arrival } = request
    if (request.routeOptions.config.open) return done()
    const { config, url } = request.routeOptions
    const sandbox = arrivals.sandboxOf(request, { makes: config.makesSandbox === true, namesOthers: url !== HEALTH })
    if (sandbox !== arrival.sandbox) {
      arrival.sandbox.inFlight--
      arrival.sandbox = sandbox
      sandbox.inFlight++
    }
    done()
  })
  control.addHook('preHandler', async request => {
    if (isSaved(request) && !request.arrival.leavesNothing) await data?.writable()
  })
  control.addHook('onSend', async (request, { statusCode }, payload) => {
    const { arrival, routeOptions } = request
    const isDone = statusCode < 400 && !arrival.leavesNothing
    if (routeOptions.config?.makesSandbox && isDone) sandboxes.keep(arrival.sandbox)
    else sandboxes.release(arrival.sandbox)
    if (isDone && isSaved(request)) await data?.saved()
    return payload
  })
  acceptBodies(control)
  await control.register(stateRoutes, { library, settings, version, consolePage: pages.consolePage })
  await control.register(sandboxRoutes, { sandboxes })
  await control.register(scriptRoutes, { settings })
  await control.register(gateRoutes)
  await control.register(evidenceRoutes, { sandboxes, settings })
  await control.register(explainRoutes)
  await control.register(eventRoutes, { settings })
  await control.register(metricsRoutes, { sandboxes })
  await control.register(runRoutes, { sandboxes, version })
  await control.register(timeRoutes)
  await control.register(schemaRoutes, { version })
  await control.register(settingsRoutes)
  await control.register(sessionRoutes, { sessions, token })
  for (const routes of pages.routes) await control.register(routes)
}
