/** The control API: never part of the emulated service, and kept from web pages. */
import { setMaxListeners } from 'node:events'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiError } from '../core/errors.js'
import { controlOfBase } from '../core/paths.js'
import { Shares } from '../core/shares.js'
import type { Data } from '../server/api.js'
import type { Arrivals } from '../server/arrivals.js'
import { Bodies } from '../server/bodies.js'
import { controlRefusal } from '../server/errors.js'
import { wantsPage } from '../server/pages.js'
import { acceptBodies, addCall, noControlCall, type Services } from './call.js'
import { CONTROL_GROUPS, FILE_CALLS } from './calls.js'
import { EventStreams } from './events.js'
import { CONTROL_HEADERS, guardControl, HEALTH } from './guard.js'
import { isSignedIn, Sessions } from './sessions.js'
import { wrongTokens } from './wrong-tokens.js'

export type ControlOptions = Pick<Services, 'sandboxes' | 'library' | 'settings' | 'version' | 'pages'> & {
  arrivals: Arrivals
  data: Data
  /** Draws the id of a session. */
  drawSession: () => string
}

/** Registers the control API in a scope of its own. */
export async function controlApi(control: FastifyInstance, { arrivals, data, drawSession, ...options }: ControlOptions): Promise<void> {
  const { sandboxes, settings, pages } = options
  const { control_token: token, control_hosts: hosts } = settings
  const sessions = new Sessions(drawSession)
  const streams = new EventStreams(settings)
  const waiting = new Shares({ what: 'verify calls that wait', setting: 'limits.waiting' }, settings)
  const closing = new AbortController()
  // each call that waits listens to it
  setMaxListeners(0, closing.signal)
  control.addHook('preClose', async () => streams.end())
  control.addHook('onClose', async () => closing.abort())

  const guard = { token, hosts, isSignedIn: (request: FastifyRequest) => isSignedIn(request, sessions) }
  const slow = wrongTokens(closing.signal)
  control.setErrorHandler(async (error: FastifyError | ApiError, request, reply) => {
    if (error.code !== 'token_required') return controlRefusal(error, request, reply)
    if (request.headers.authorization !== undefined || (error as ApiError).param !== undefined) await slow()
    const asksForToken = request.routeOptions.config?.page === true && wantsPage(request)
    return asksForToken ? pages.console(reply.code(401), controlOfBase(request.arrival.base)) : controlRefusal(error, request, reply)
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
    const { isSaved, isTrial, adds } = request.routeOptions.config
    request.arrival.leavesNothing = isTrial?.(request) === true
    if (adds) sandboxes.requireRoom(request.arrival.sandbox)
    if (isSaved && !request.arrival.leavesNothing) await data?.writable()
  })
  control.addHook('onSend', async ({ arrival, routeOptions: { config } }, { statusCode }, payload) => {
    const isDone = statusCode < 400 && !arrival.leavesNothing
    if (config?.makesSandbox && isDone) sandboxes.keep(arrival.sandbox)
    else sandboxes.release(arrival.sandbox)
    if (isDone && config?.isSaved) await data?.saved()
    return payload
  })
  acceptBodies(control, new Bodies(new Shares({ what: 'bytes of documents', setting: 'limits.control_body', all: 2 }, settings)))
  const services = { ...options, sessions, streams, waiting, closing: closing.signal }
  for (const calls of [...CONTROL_GROUPS.map(group => group.calls), FILE_CALLS]) {
    for (const [on, call] of Object.entries(calls)) addCall(control, on, call, services)
  }
}
