/** Control: the settings in force, and the assumptions that they change. */
import type { FastifyPluginAsync } from 'fastify'
import { SETTING_KEYS, SETTINGS, scenarioPathOf, variableOf } from '../core/settings.js'
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId, isStanding } from '../reference/assumptions.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { bodyReader, queryOf } from './bodies.js'
import { totalsOf } from './evidence.js'
import { MAKES_SANDBOX } from './sandboxes.js'

const readChanges = bodyReader<object>({ type: 'object' }, '{"pagination.max_limit":5}')

export const settingsRoutes: FastifyPluginAsync = async control => {
  control.get('/settings', async ({ arrival: { sandbox } }) => settingsShown(sandbox))

  control.patch('/settings', MAKES_SANDBOX, async (request, reply) => {
    queryOf(request)
    const { body } = await readChanges(request, reply)
    await request.arrival.sandbox.changeSettings(body)
    return settingsShown(request.arrival.sandbox)
  })

  control.delete<{ Params: { name: string } }>('/settings/:name', async (request, reply) => {
    queryOf(request)
    request.arrival.sandbox.unsetSetting(request.params.name)
    return reply.code(204).send()
  })

  control.get('/assumptions', async request => {
    const { sandbox } = request.arrival
    const usage = totalsOf(request).assumptions
    return {
      data: ASSUMPTION_IDS.map(id => {
        const { topic, default: fallback, settings } = ASSUMPTIONS[id]
        const { times, requests } = usage.get(id)
        const values = Object.fromEntries(settings.map(key => [key, sandbox.settings[key]]))
        return { id, topic, default: fallback, settings: values, standing: isStanding(id), times, requests }
      })
    }
  })
}

/** Each setting with its value, where that came from, where else it can be given, and what it may be; the control token's value is not shown. */
function settingsShown(sandbox: Sandbox) {
  const { values, sources, variables } = sandbox.settingsInForce
  return {
    settings: Object.fromEntries(
      SETTING_KEYS.map(key => {
        const {
          scope,
          about,
          default: fallback,
          schema,
          ...more
        } = SETTINGS[key] as (typeof SETTINGS)[typeof key] & { flag?: string; assumption?: AssumptionId }
        const value = key === 'control_token' && values[key] !== null ? '***' : values[key]
        const places = { flag: more.flag ?? `--set ${key}=`, variable: variableOf(key), scenario: scenarioPathOf(key) }
        const given_by = sources[key] === 'environment' ? (variables[key] ?? null) : null
        return [key, { value, source: sources[key], given_by, default: fallback, scope, about, schema, ...places, assumption: more.assumption ?? null }]
      })
    )
  }
}
