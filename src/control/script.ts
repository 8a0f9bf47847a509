/** Control: scripted behaviour. */
import type { FastifyPluginAsync } from 'fastify'
import { ApiError } from '../core/errors.js'
import { maskedThroughout } from '../core/redaction.js'
import { ProblemList, reportTo, withoutProblems } from '../scenario/documents.js'
import { entrySchema } from '../scenario/schemas.js'
import { compileEntry, type Entry, type EntryData, type Script } from '../scenario/script.js'
import { bodyReader, queryOf } from './bodies.js'

const EXAMPLE =
  '{"on":"POST /transactions","calls":1,"respond":{"status":402,"error":{"type":"card_error","code":"card_declined","message":"The card was declined."}}}'
const readEntry = bodyReader<EntryData>(entrySchema, EXAMPLE)

export const scriptRoutes: FastifyPluginAsync = async control => {
  control.get('/script', async ({ call: { sandbox } }) => ({ data: shownEntries(sandbox.script.listed()) }))

  control.post('/script', async (request, reply) => {
    queryOf(request)
    const { body, document } = await readEntry(request, reply)
    const problems = new ProblemList(document.limits)
    const entry = await withoutProblems(problems, () => compileEntry(body, reportTo(problems, document)))
    request.call.sandbox.script.add(entry as Entry)
    return reply.code(201).send(shownEntries(request.call.sandbox.script.listed()).at(-1) as object)
  })

  control.delete('/script', async (request, reply) => {
    queryOf(request)
    request.call.sandbox.script.clear()
    return reply.code(204).send()
  })

  control.delete<{ Params: { id: string } }>('/script/:id', async (request, reply) => {
    queryOf(request)
    const { params, call } = request
    const { sandbox } = call
    const { id } = params
    if (!sandbox.script.remove(id)) {
      const known = sandbox.script.listed().map(entry => entry.id)
      throw new ApiError('entry_unknown', {
        message: `No script entry has the id ${id}; ${known.length === 0 ? 'there are none' : `there are: ${known.join(', ')}`}.`,
        param: 'id'
      })
    }
    return reply.code(204).send()
  })
}

/** The script's entries as they may be shown: a card number that one matches on is masked. */
export function shownEntries(entries: ReturnType<Script['listed']>): ReturnType<Script['listed']> {
  return maskedThroughout(entries)
}
