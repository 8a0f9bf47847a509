/** The emulated API over HTTP. */
import { Readable } from 'node:stream'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { decodeForm, type Form } from '../core/form.js'
import type { Settings } from '../core/settings.js'
import { Shares } from '../core/shares.js'
import { enter, isForm, isFormType, OPAQUE } from '../engine/admit.js'
import { STAGE } from '../engine/outcome.js'
import { hasBody, isOpenEnded, type Routed } from '../engine/reading.js'
import { type How, proceed } from '../engine/run.js'
import { isChange, operationOf } from '../reference/operations.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { Arrivals } from './arrivals.js'
import { Bodies } from './bodies.js'
import type { Data, Responses } from './responses.js'

type ApiOptions = {
  responses: Responses
  arrivals: Arrivals
  sandboxes: Sandboxes
  settings: Settings
  data: Data
}

/** Routes requests under the base address to the engine. */
export async function addApi(api: FastifyInstance, options: ApiOptions): Promise<void> {
  const { responses, settings } = options
  const howOf = waitsOf(options)
  await addParsers(api, settings)
  api.setNotFoundHandler(serve)
  api.all('/*', serve)
  addHooks(api, options)

  function serve(request: FastifyRequest<{ Body?: Form | null }>, reply: FastifyReply): void {
    const { reading, release } = request.arrival
    release?.()
    const response = proceed(reading as Routed, request.body ?? null, howOf(reply))
    if (!(response instanceof Promise)) responses.send(response, reply)
    else
      response.then(
        response => responses.send(response, reply),
        error => responses.refuse(error, reply)
      )
  }
}

async function addParsers(api: FastifyInstance, settings: Settings): Promise<void> {
  api.removeAllContentTypeParsers()
  await api.register(formbody, {
    parser: (text: string) => (text === '' ? null : decodeForm(text, settings)) as never
  })
  // of other types it is enough to know whether there is a body
  api.addContentTypeParser(
    '*',
    async (_request: FastifyRequest, payload: FastifyRequest['raw']) => {
      const { done: isEmpty } = await payload.iterator({ destroyOnReturn: false }).next()
      return isEmpty ? null : OPAQUE
    }
  )
}

function addHooks(api: FastifyInstance, { responses, sandboxes, settings }: ApiOptions): void {
  const refusal = { assumption: 'A35', headers: { connection: 'close' } } as const
  const share = { what: 'bytes of bodies that are being read', each: 32, all: 64, refusal }
  const bodies = new Bodies(new Shares({ ...share, setting: 'limits.body' }, settings))
  api.addHook('onRequest', (request, reply, done) => {
    const { arrival, headers, method } = request
    const { sandbox } = arrival
    arrival.isPending = true
    const entered = enter(arrival.reading)
    const { reached } = 'outcome' in entered ? entered.outcome : entered
    if (!sandbox.isKept && reached >= STAGE.identified) sandboxes.keep(sandbox)
    if ('outcome' in entered) return responses.send(entered, reply)
    arrival.reading = entered
    if (!hasBody(headers) || (method !== 'POST' && !isForm(headers))) delete headers['content-type']
    done()
  })
  api.addHook('preParsing', (request, _reply, payload, done) => {
    const { headers } = request
    if (isOpenEnded(headers) && isFormType(headers['content-type'])) {
      bodies.read(request, payload).then(bytes => done(null, Readable.from([bytes])), done)
      return
    }
    bodies.admit(request)
    done(null, payload)
  })
}

/** What a request waits for: the disk, a gate, a delay. */
function waitsOf({ arrivals, sandboxes, settings, data, responses }: ApiOptions) {
  const { faults } = responses
  const holds = new Shares({ what: 'held requests', setting: 'limits.waiting' }, settings)

  return ({ request: { arrival }, raw }: FastifyReply): How => ({
    ready(admitted) {
      const { world, operation } = admitted
      arrival.reading = admitted
      const performed = operationOf(operation)
      if (performed.kind === 'create' || performed.kind === 'update') sandboxes.requireRoom()
      arrivals.requireRoom()
      if (!isChange(performed) && !world.state.script.operations.has(operation)) return null
      return data?.isFailing ? data.writable() : null
    },
    pass(action, { id, operation }) {
      const { sandbox } = arrival
      const { replacing, gates } = sandbox
      const { hold } = action.entry.data
      const isHeld = hold !== undefined && !gates.isOpen(action.id, hold)
      action.isHeld = isHeld
      const wait = async () => {
        if (isHeld) {
          const free = holds.take(sandbox)
          const waiting = gates.arrive(action.id, hold, { id, operation, action })
          if (!(await faults.hold(waiting, raw).finally(free))) return false
        }
        return action.delay === 0 || faults.delay(action.delay, replacing)
      }
      return isHeld || action.delay > 0 ? wait() : null
    }
  })
}
