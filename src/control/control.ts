/** The control API: never part of the emulated service, and kept from web pages. */
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { Settings } from '../core/settings.js'
import { answerControlError } from '../http/errors.js'
import type { Saved } from '../http/pipeline.js'
import type { SandboxRouter } from '../http/sandbox-router.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { Library } from '../scenario/library.js'
import { acceptBodies } from './bodies.js'
import { evidenceRoutes } from './evidence.js'
import { CONTROL_HEADERS, guardControl } from './guard.js'
import { metricsRoutes } from './metrics.js'
import { sandboxRoutes } from './sandboxes.js'
import { schemaRoutes } from './schemas.js'
import { scriptRoutes } from './script.js'
import { settingsRoutes } from './settings.js'
import { type ConsolePage, noControlCall, stateRoutes } from './state.js'
import { timeRoutes } from './time.js'

export type ControlOptions = { sandboxes: Sandboxes; library: Library; settings: Settings; version: string; router: SandboxRouter; saved: Saved; pages: Pages }
/** The pages for browsers, which are above the control API: the console's own, and the routes of what pages load. */
export type Pages = { consolePage: ConsolePage; routes: readonly FastifyPluginAsync[] }

/** Registers the control API in a scope of its own. */
export async function controlApi(control: FastifyInstance, { sandboxes, library, settings, version, router, saved, pages }: ControlOptions): Promise<void> {
  control.setErrorHandler(answerControlError)
  const refusePath = (request: FastifyRequest) => {
    throw noControlCall(request)
  }
  control.setNotFoundHandler(refusePath)
  control.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...CONTROL_HEADERS, 'request-id': request.call.id })
    guardControl(request, { token: settings.control_token, hosts: settings.control_hosts })
    if (request.is404) refusePath(request)
    const { call } = request
    const sandbox = router.sandboxOf(request, { makes: request.routeOptions.config.makesSandbox === true })
    if (sandbox !== call.sandbox) {
      call.sandbox.inFlight--
      call.sandbox = sandbox
      sandbox.inFlight++
    }
    done()
  })
  control.addHook('onSend', async ({ call, method, routeOptions }, { statusCode }, payload) => {
    const isRefused = statusCode >= 400
    if (routeOptions.config?.makesSandbox && (isRefused || call.leavesNothing)) sandboxes.releaseIfUnused(call.sandbox)
    else if (method !== 'GET' && method !== 'HEAD' && !isRefused && !call.leavesNothing) await saved?.()
    return payload
  })
  acceptBodies(control, settings['limits.control_body'])
  await control.register(stateRoutes, { library, version, consolePage: pages.consolePage })
  await control.register(sandboxRoutes, { sandboxes })
  await control.register(scriptRoutes)
  await control.register(evidenceRoutes)
  await control.register(metricsRoutes, { sandboxes })
  await control.register(timeRoutes)
  await control.register(schemaRoutes, { version })
  await control.register(settingsRoutes)
  for (const routes of pages.routes) await control.register(routes)
}
