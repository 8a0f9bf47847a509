import { setMaxListeners } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HEALTH } from '../core/paths.js'
import { Shares } from '../core/shares.js'
import type { Arrivals } from '../server/arrivals.js'
import { Bodies } from '../server/bodies.js'
import { controlRefusal } from '../server/errors.js'
import { EventStreams } from './evidence/events.js'
import { CONTROL_HEADERS, guardControl } from './guard.js'
import { acceptBodies } from './parts.js'
import { ALL_ROWS } from './requests.js'
import { addRoute, noSuchPath } from './route.js'
import type { Services } from './row.js'

export type ControlOptions = Pick<
  Services,
  'sandboxes' | 'library' | 'settings' | 'version' | 'pages' | 'data'
> & { arrivals: Arrivals }

/** Roughly the bytes of a streamed response that are on their way. */
const PIECE = 131_072

export async function controlApi(
  control: FastifyInstance,
  { arrivals, ...options }: ControlOptions
): Promise<void> {
  const { settings } = options
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const services: Services = {
    ...options,
    streams: new EventStreams(settings),
    waiting: new Shares({ what: 'verify requests that wait', setting: 'limits.waiting' }, settings),
    closing: closing.signal
  }
  control.addHook('preClose', async () => {
    services.streams.end()
    closing.abort()
  })
  addHooks(control, services, arrivals)
  acceptBodies(
    control,
    new Bodies(
      new Shares({ what: 'bytes of documents', setting: 'limits.control_body', all: 2 }, settings)
    )
  )
  for (const [on, row] of ALL_ROWS) addRoute(control, on, row, services)
}

function addHooks(control: FastifyInstance, services: Services, arrivals: Arrivals): void {
  control.setErrorHandler(controlRefusal)
  control.setNotFoundHandler(refusePath)
  control.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...CONTROL_HEADERS, 'request-id': request.arrival.id })
    guardControl(request, services.settings)
    if (request.is404) refusePath(request)
    enterSandbox(request, arrivals)
    done()
  })
  control.addHook('onSend', (request, reply, payload, done) => {
    if (services.closing.aborted) reply.header('connection', 'close')
    services.sandboxes.release(request.arrival.sandbox)
    countResponse(request, reply, payload, arrivals)
    done(null, payload)
  })
}

/** Errors: `path_unknown`. */
function refusePath(request: FastifyRequest): never {
  throw noSuchPath(
    request,
    ALL_ROWS.map(([on]) => on)
  )
}

/** Moves a request into the sandbox that it names. */
function enterSandbox(request: FastifyRequest, arrivals: Arrivals): void {
  const { arrival, routeOptions } = request
  const { row } = routeOptions.config
  const sandbox = arrivals.sandboxOf(request, {
    creates: row?.makesSandbox === true,
    listsOthers: routeOptions.url !== HEALTH
  })
  if (sandbox === arrival.sandbox) return
  arrival.sandbox.inFlight--
  arrival.sandbox = sandbox
  sandbox.inFlight++
}

/** Errors: `limit_reached`. */
function countResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  arrivals: Arrivals
): void {
  // a file is the same memory for all
  if (reply.hasHeader('etag')) return
  const { length = PIECE } = (payload ?? '') as { length?: number }
  if (request.method === 'GET') arrivals.requireRoom()
  arrivals.sending(request, reply.raw, length)
}
