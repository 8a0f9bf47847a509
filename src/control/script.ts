/** Control: scripted behaviour. */
import type { FastifyPluginAsync } from 'fastify'
import { ApiError } from '../core/errors.js'
import { thereAre } from '../core/nearest.js'
import { maskedThroughout } from '../core/redaction.js'
import type { Settings } from '../core/settings.js'
import { ProblemList, reportTo, withoutProblems } from '../scenario/documents.js'
import { entrySchema } from '../scenario/schemas.js'
import { compileEntry, type Entry, type EntryData, type ListedEntry } from '../scenario/script.js'
import { bodyReader, queryOf } from './bodies.js'
import { keepGates } from './gates.js'
import { MAKES_SANDBOX } from './sandboxes.js'

const EXAMPLE =
  '{"on":"POST /transactions","calls":1,"respond":{"status":402,"error":{"type":"card_error","code":"card_declined","message":"The card was declined."}}}'
const readEntry = bodyReader<EntryData>(entrySchema, EXAMPLE)

export const scriptRoutes: FastifyPluginAsync<{ settings: Settings }> = async (control, { settings }) => {
  control.get('/script', async ({ arrival: { sandbox } }) => ({ data: shownEntries(sandbox.script.listed()) }))

  control.post('/script', MAKES_SANDBOX, async (request, reply) => {
    queryOf(request)
    const { body, document } = await readEntry(request, reply)
    const problems = new ProblemList(document.limits)
    const entry = await withoutProblems(problems, () => compileEntry(body, reportTo(problems, document)))
    const { sandbox } = request.arrival
    const { script } = sandbox
    const most = settings['limits.script']
    if (script.size >= most)
      throw new ApiError('limit_reached', {
        message: `The script has ${script.size} entries, as many as limits.script allows; delete some, or raise the setting.`
      })
    return reply.code(201).send(maskedThroughout(sandbox.addEntry(entry as Entry)))
  })

  control.delete('/script', MAKES_SANDBOX, async (request, reply) => {
    queryOf(request)
    request.arrival.sandbox.removeEntries()
    keepGates(request.arrival.sandbox)
    return reply.code(204).send()
  })

  control.delete<{ Params: { id: string } }>('/script/:id', async (request, reply) => {
    queryOf(request)
    const { params, arrival } = request
    const { sandbox } = arrival
    const { id } = params
    if (!sandbox.removeEntries(id)) {
      const known = sandbox.script.listed().map(entry => entry.id)
      throw new ApiError('entry_unknown', {
        message: `No script entry has the id ${id}; ${thereAre(known)}.`,
        param: 'id'
      })
    }
    keepGates(sandbox)
    return reply.code(204).send()
  })
}

/** The script's entries as they may be shown: a card number that one matches on is masked. */
export function shownEntries(entries: ListedEntry[]): ListedEntry[] {
  return maskedThroughout(entries)
}
