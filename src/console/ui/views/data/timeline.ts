/** What happened to a record, by the requests that had to do with it. */
import type { JournalCall } from '../../control/client.js'

const has = (value: unknown, part: string): boolean => JSON.stringify(value).includes(part)

function roleOf(
  { method, params, query, body, answer, refusal, took_effect }: JournalCall,
  id: string
) {
  const name = JSON.stringify(id)
  const [isOfPath, isNamed] = [has(params, name), has([params, query, body], name)]
  const isShown = Object(answer).id === id
  if (refusal !== null) return isNamed ? 'refused' : null
  if (took_effect && method === 'DELETE' && isOfPath) return 'deleted'
  if (took_effect && isShown && !isOfPath) return 'created'
  if (took_effect && (isOfPath || has(body, name))) return 'changed'
  if (isShown) return 'read'
  if (has(answer, `"id":${name}`)) return 'listed'
  return isNamed ? 'named' : null
}

/** Oldest first, of the requests of one period of a journal. */
export const timelineOf = (calls: readonly JournalCall[], id: string) =>
  calls.flatMap(call => {
    const role = roleOf(call, id)
    return role === null ? [] : [{ call, role }]
  })
