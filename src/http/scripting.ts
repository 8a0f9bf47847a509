/** Where a script acts on a call: after its key and parameters were found right, before its operation. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FormNode, FormObject } from '../core/form.js'
import type { OperationId } from '../reference/operations.js'
import type { SentCall, Values } from '../scenario/matching.js'
import type { Action, Fault, Respond } from '../scenario/script.js'
import { keyIn } from './authentication.js'
import { type Faults, malformed } from './faults.js'
import { record } from './recording.js'

const JSON_TYPE = 'application/json; charset=utf-8'
const NOTHING = new FormObject()

/** A call as it was sent, for matching; nothing of it is kept. */
export function sentCall({ operation, headers, params, sent }: FastifyRequest): SentCall {
  return {
    operation: operation as OperationId,
    key: keyIn(headers.authorization),
    params: ([name]) => (params as Record<string, string>)[name as string],
    query: valuesOf(sent?.query ?? NOTHING),
    body: valuesOf(sent?.body ?? NOTHING)
  }
}

/** Counts a call for the scenario's expectations, however it is answered; one without a right key is not a call. */
export function countCall(request: FastifyRequest): void {
  const { sandbox, isStep, seen } = request
  if (!isStep && seen !== undefined && !sandbox.tally.isEmpty) sandbox.tally.count(sentCall(request))
}

/** The values of a form by their nested names. */
export const valuesOf =
  (form: FormObject): Values =>
  name => {
    let node: FormNode | undefined = form
    for (const step of name) node = node instanceof FormObject ? node.parts.get(step) : undefined
    return typeof node === 'string' ? node : undefined
  }

/** Lets the script act: waits its delay, answers in the operation's stead, or loses the answer. Answers the reply where the operation is not to be made. */
export async function act(action: Action, request: FastifyRequest, reply: FastifyReply, faults: Faults): Promise<FastifyReply | undefined> {
  const { respond, fault, when = 'before' } = action.entry.data
  request.scripted = action
  if (action.delay > 0 && !(await faults.delay(action.delay))) {
    reply.hijack().raw.destroy()
    return reply
  }
  if (when === 'after' || (!respond && !fault)) return undefined

  const body = bodyOf(respond ?? LOST, request.id)
  reply.code(respond?.status ?? (respond?.error ? 400 : respond ? 200 : 502)).headers(respond?.headers ?? {})
  if (body !== '' && !reply.hasHeader('content-type')) reply.type(typeof respond?.body === 'string' ? 'text/plain; charset=utf-8' : JSON_TYPE)
  if (!fault) return answered(reply, body)
  const rest = lose(fault, request, reply, body, faults)
  return rest === null ? reply : answered(reply, rest)
}

/** Sends an answer in the operation's stead; a client that leaves while it waits to be sent does not have the operation made after all. */
async function answered(reply: FastifyReply, body: string): Promise<FastifyReply> {
  await reply.send(body)
  if (!reply.sent) reply.hijack()
  return reply
}

/** What a fault without an answer of its own loses. */
const LOST: Respond = { error: { type: 'api_error', code: 'scripted_fault', message: 'This answer was meant to be lost.' } }

function bodyOf({ body, error }: Respond, requestId: string): string {
  if (error) return JSON.stringify({ error: { type: 'api_error', ...error, request_id: requestId } })
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** After the operation of a scripted call: loses its answer where the script says so. The promise never settles then, so that nothing more is written. */
export async function loseAfter(request: FastifyRequest, reply: FastifyReply, payload: unknown, faults: Faults): Promise<unknown> {
  const { fault, when } = (request.scripted as Action).entry.data
  if (!fault || when !== 'after') return payload
  return lose(fault, request, reply, typeof payload === 'string' ? payload : '', faults) ?? new Promise(() => {})
}

/** Loses an answer; answers the broken body that is sent in its stead, or null where nothing more is to be sent. */
function lose(fault: Fault, request: FastifyRequest, reply: FastifyReply, body: string, faults: Faults): string | null {
  request.lost = fault
  record(request, reply, { answer: body, answered: false })
  if (fault === 'malformed_body' && body !== '') return malformed(body)
  faults.lose(fault, reply, { status: reply.statusCode, headers: reply.getHeaders(), body })
  return null
}
