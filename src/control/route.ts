/** The routes of the control API. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../core/errors.js'
import { CONTROL, controlOfBase, pathOf } from '../core/paths.js'
import { NO_PARAMETERS } from '../reference/parameters.js'
import { Body } from '../scenario/reading.js'
import { freed } from '../work/heap.js'
import {
  bodyReader,
  type ControlRequest,
  queryReader,
  type Requested,
  refuseBody,
  takeAny
} from './parts.js'
import { type Context, NAMED_PARTS, type Row, type Services } from './row.js'
import { isYes } from './schemas.js'
import { REFUSALS } from './sentences.js'
import { sendResult } from './writing.js'

export function addRoute(control: FastifyInstance, on: string, row: Row, services: Services): void {
  const [method = '', path = ''] = on.split(' ')
  const takesDocument = row.body !== undefined && row.body.schema === undefined
  control.route<Requested>({
    method,
    exposeHeadRoute: method === 'GET',
    url: path.replaceAll(NAMED_PARTS, param => `:${param.toLowerCase()}`),
    config: { row, takesDocument },
    bodyLimit: services.settings[takesDocument ? 'limits.control_body' : 'limits.body'],
    handler: handlerOf(on, row, services)
  })
}

function handlerOf(on: string, row: Row, services: Services) {
  const { run, status = 200, adds, isSaved, makesSandbox } = row
  const { sandboxes, data } = services
  const readQuery = row.query === null ? takeAny : queryReader(row.query ?? NO_PARAMETERS)
  const readBody = row.body ? bodyReader(row.body) : refuseBody
  const isDelete = on.startsWith('DELETE')
  const frees = isDelete || /\/(?:load|reset)$/.test(on)
  return async (request: ControlRequest, reply: FastifyReply) => {
    const { sandbox } = request.arrival
    const query = readQuery(request)
    const isTrial = isYes(query.dry_run)
    if (adds) sandboxes.requireRoom()
    if (isSaved && !isTrial) await data?.writable()
    const [name = '', id = ''] = Object.values(request.params)
    const sent = request.body instanceof Body && !request.body.isEmpty ? request.body : null
    const left = () => clientDisconnect(reply)
    const bodyParts = (await readBody(sent, sandbox, left)) as Pick<Context, 'body' | 'document'>
    reply.code(isDelete ? 204 : status)
    const requestParts = { request, reply, sandbox, name, id, query, left, isTrial }
    const result = await run({ ...services, ...bodyParts, ...requestParts, sent: sent as Body })
    if (frees) freed()
    if (makesSandbox && !isTrial) sandboxes.keep(sandbox)
    if (isSaved && !isTrial) await data?.saved()
    if (isDelete) return reply.send()
    return sendResult(reply, result, query.format)
  }
}

function clientDisconnect({ raw }: FastifyReply): AbortSignal {
  const disconnect = new AbortController()
  raw.once('close', () => disconnect.abort(REFUSALS.clientLeft()))
  return disconnect.signal
}

/** `known`: the methods and paths that exist. */
export function noSuchPath(
  { url, arrival }: FastifyRequest,
  known: readonly string[] = []
): ApiError {
  return REFUSALS.pathUnknown(
    arrival.reading.method,
    controlOfBase(arrival.base),
    pathOf(url).slice(CONTROL.length),
    known
  )
}
