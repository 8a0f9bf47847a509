/** Control: the clock, and snapshots of the state that can be restored. */
import type { FastifyPluginAsync } from 'fastify'
import type { Clock } from '../core/clock.js'
import { DURATION_EXPECTED, durationOf } from '../core/durations.js'
import { ApiError } from '../core/errors.js'
import { instantOf, isoOf, LATEST_INSTANT } from '../core/instants.js'
import { checkedName } from '../sandbox/names.js'
import { bodyReader, queryOf } from './bodies.js'
import { MAKES_SANDBOX } from './sandboxes.js'

const CLOCK = {
  type: 'object',
  additionalProperties: false,
  properties: { now: { type: 'string', format: 'instant' }, running: { type: 'boolean' } }
}
const readClock = bodyReader<{ now?: string; running?: boolean }>(CLOCK, '{"now":"2026-02-28T23:59:59Z","running":false}')
const readAdvance = bodyReader<{ by: string }>(
  { type: 'object', additionalProperties: false, required: ['by'], properties: { by: { type: 'string' } } },
  '{"by":"36h"}'
)

/** The clock as control calls return it. */
export const clockShown = (clock: Clock) => ({ now: isoOf(clock.now()), running: clock.running })

type Named = { Params: { name: string } }

export const timeRoutes: FastifyPluginAsync = async control => {
  control.get('/clock', async ({ arrival: { sandbox } }) => clockShown(sandbox.clock))

  control.put('/clock', MAKES_SANDBOX, async (request, reply) => {
    queryOf(request)
    const { now, running } = (await readClock(request, reply)).body
    if (now === undefined && running === undefined) throw new ApiError('body_malformed', { message: 'The body needs now, running or both.' })
    request.arrival.sandbox.setClock({ ...(now !== undefined && { at: instantOf(now) as number }), ...(running !== undefined && { running }) })
    return clockShown(request.arrival.sandbox.clock)
  })

  control.post('/clock/advance', MAKES_SANDBOX, async (request, reply) => {
    queryOf(request)
    const { by } = (await readAdvance(request, reply)).body
    const ms = durationOf(by)
    const at = request.arrival.sandbox.clock.now() + (ms ?? 0)
    if (ms === null || at > LATEST_INSTANT)
      throw new ApiError('body_malformed', { message: `by: ${ms === null ? DURATION_EXPECTED : 'the clock ends with the year 9999'}, not ${by}.`, param: 'by' })
    request.arrival.sandbox.advanceClock(ms)
    return clockShown(request.arrival.sandbox.clock)
  })

  control.get('/snapshots', async ({ arrival: { sandbox } }) => ({ data: (await sandbox.snapshots.names()).map(name => ({ name })) }))

  control.put<Named>('/snapshots/:name', MAKES_SANDBOX, async (request, reply) => {
    queryOf(request)
    const name = checkedName(request.params.name)
    const { sandbox } = request.arrival
    await sandbox.snapshots.put(name, sandbox.snapshot())
    return reply.code(201).send({ name, scenario: sandbox.scenario.name, clock: clockShown(sandbox.clock) })
  })

  control.post<Named>('/snapshots/:name/restore', MAKES_SANDBOX, async request => {
    queryOf(request)
    const name = checkedName(request.params.name)
    const { sandbox } = request.arrival
    const snapshot = await sandbox.snapshots.get(name, sandbox.settings)
    sandbox.restore(snapshot)
    return { name, scenario: snapshot.scenario, clock: clockShown(sandbox.clock) }
  })

  control.delete<Named>('/snapshots/:name', async (request, reply) => {
    queryOf(request)
    await request.arrival.sandbox.snapshots.delete(checkedName(request.params.name))
    return reply.code(204).send()
  })
}
