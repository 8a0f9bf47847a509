/** Control: the calls that a script holds. */
import type { FastifyPluginAsync } from 'fastify'
import { ApiError } from '../core/errors.js'
import { thereAre } from '../core/nearest.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { RELEASES, type Release } from '../scenario/schemas.js'
import { gateOf } from '../scenario/script.js'
import { bodyReader, queryOf, sentBody } from './bodies.js'
import { MAKES_SANDBOX } from './sandboxes.js'

const readOpening = bodyReader<{ release?: Release }>(
  { type: 'object', additionalProperties: false, properties: { release: { type: 'string', enum: RELEASES } } },
  '{"release":"reverse"}'
)

export const gateRoutes: FastifyPluginAsync = async control => {
  control.get('/gates', async request => {
    queryOf(request)
    const { sandbox } = request.arrival
    return { data: sandbox.gates.listed(gatesOf(sandbox)) }
  })

  control.post('/gates/:name/open', MAKES_SANDBOX, async (request, reply) => {
    queryOf(request)
    const { sandbox } = request.arrival
    const { name } = request.params as { name: string }
    const { release = 'in_order' } = sentBody(request) === null ? {} : (await readOpening(request, reply)).body
    const known = gatesOf(sandbox)
    if (!known.includes(name))
      throw new ApiError('gate_unknown', { message: `No script entry holds calls at a gate ${name}; ${thereAre(known)}.`, param: 'name' })
    return { name, released: sandbox.gates.open(name, release) }
  })
}

/** Lets calls go on that wait at a gate which the script does not name any more. */
export const keepGates = (sandbox: Sandbox): void => sandbox.gates.keep(gatesOf(sandbox))

/** The gates that the script names. */
const gatesOf = ({ script }: Sandbox): string[] => [...new Set(script.listed().flatMap(({ id, entry }) => (entry.hold ? [gateOf(id, entry.hold)] : [])))]
