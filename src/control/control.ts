/** The control API, kept from web pages. */
import { setMaxListeners } from 'node:events'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiError } from '../core/errors.js'
import { controlOfBase, HEALTH } from '../core/paths.js'
import { Shares } from '../core/shares.js'
import type { Arrivals } from '../server/arrivals.js'
import { Bodies } from '../server/bodies.js'
import { controlRefusal } from '../server/errors.js'
import { wantsPage } from '../server/pages.js'
import { EventStreams } from './evidence/events.js'
import { CONTROL_HEADERS, guardControl, Sessions, wrongTokens } from './guard.js'
import { CONTROL_GROUPS } from './requests.js'
import { acceptBodies, addRoute, type Flags, noSuchPath, type Row, type Services } from './route.js'
import { FILE_ROWS } from './subjects/documents.js'

export type ControlOptions = Pick<
  Services,
  'sandboxes' | 'library' | 'settings' | 'version' | 'pages' | 'data'
> & { arrivals: Arrivals }

/** Bytes of a response in pieces that are on their way, about. */
const PIECE = 131_072

export async function controlApi(
  control: FastifyInstance,
  { arrivals, ...options }: ControlOptions
): Promise<void> {
  const { sandboxes, settings, pages } = options
  const { control_token: token, control_hosts: hosts } = settings
  const sessions = new Sessions()
  const streams = new EventStreams(settings)
  const waiting = new Shares(
    { what: 'verify requests that wait', setting: 'limits.waiting' },
    settings
  )
  const closing = new AbortController()
  // each request that waits listens to it
  setMaxListeners(0, closing.signal)
  control.addHook('preClose', async () => {
    streams.end()
    closing.abort()
  })

  const guard = { token, hosts, sessions }
  const slow = wrongTokens(closing.signal)
  control.setErrorHandler(async (error: FastifyError | ApiError, request, reply) => {
    if (error.code !== 'token_required') return controlRefusal(error, request, reply)
    if (request.headers.authorization !== undefined || (error as ApiError).param !== undefined)
      await slow()
    const asksForToken = request.routeOptions.config?.row?.page === true && wantsPage(request)
    return asksForToken
      ? pages.console(reply.code(401), controlOfBase(request.arrival.base))
      : controlRefusal(error, request, reply)
  })
  const rows = [...CONTROL_GROUPS.map(({ rows }) => rows), FILE_ROWS]
  const refusePath = (request: FastifyRequest) => {
    throw noSuchPath(request, rows.flatMap(Object.keys))
  }
  control.setNotFoundHandler(refusePath)
  control.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...CONTROL_HEADERS, 'request-id': request.arrival.id })
    guardControl(request, guard)
    if (request.is404) refusePath(request)
    const { arrival, routeOptions } = request
    const row = routeOptions.config.row as Flags
    if (row.open) return done()
    const sandbox = arrivals.sandboxOf(request, {
      makes: row.makesSandbox === true,
      namesOthers: routeOptions.url !== HEALTH
    })
    if (sandbox !== arrival.sandbox) {
      arrival.sandbox.inFlight--
      arrival.sandbox = sandbox
      sandbox.inFlight++
    }
    done()
  })
  control.addHook('onSend', (request, reply, payload, done) => {
    if (closing.signal.aborted) reply.header('connection', 'close')
    sandboxes.release(request.arrival.sandbox)
    // files are the same bytes for all
    if (!reply.hasHeader('etag')) {
      const { length = PIECE } = (payload ?? '') as { length?: number }
      if (request.method === 'GET') arrivals.requireRoom(length)
      arrivals.sending(request, reply.raw, length)
    }
    done(null, payload)
  })
  acceptBodies(
    control,
    new Bodies(
      new Shares({ what: 'bytes of documents', setting: 'limits.control_body', all: 2 }, settings)
    )
  )
  const services = { ...options, sessions, streams, waiting, closing: closing.signal }
  for (const [on, row] of rows.flatMap(Object.entries<Row>)) addRoute(control, on, row, services)
}
