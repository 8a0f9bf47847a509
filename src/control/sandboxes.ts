/** Control: the sandboxes of the process. */
import type { FastifyPluginAsync } from 'fastify'
import { BASE, CONTROL } from '../core/paths.js'
import { checkedName } from '../sandbox/names.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { FAMILIES } from '../store/store.js'
import { queryOf } from './bodies.js'

/** Options of the route of a call that changes something, and makes the sandbox that it names when there is none; when it fails, there is none afterwards either. */
export const MAKES_SANDBOX = { config: { makesSandbox: true } } as const

export const sandboxRoutes: FastifyPluginAsync<{ sandboxes: Sandboxes }> = async (control, { sandboxes }) => {
  control.get('/sandboxes', async request => {
    queryOf(request)
    return { data: sandboxes.all().flatMap(shown) }
  })

  control.delete<{ Params: { name: string } }>('/sandboxes/:name', async (request, reply) => {
    queryOf(request)
    await sandboxes.delete(checkedName(request.params.name))
    return reply.code(204).send()
  })
}

/** A named sandbox as an item of the list. */
function shown({ name, scenario, store, requests, inFlight }: Sandbox) {
  if (name === null) return []
  const records = FAMILIES.reduce((sum, family) => sum + store[family].size, 0)
  const address = `/sandbox/${name}`
  return [{ name, api: `${address}${BASE}`, control: `${address}${CONTROL}`, scenario: scenario.name, records, requests, in_flight: inFlight }]
}
