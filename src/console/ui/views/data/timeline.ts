/** What happened to a record, by the requests that had to do with it. */
import type { JournalCall } from '../../control/client.js'

export type Role = 'created' | 'changed' | 'deleted' | 'refused' | 'read' | 'listed' | 'named'
export type Moment = { call: JournalCall; role: Role }

/** The object with an id in a value, however deep. */
function recordIn(value: unknown, id: string): object | null {
  if (typeof value !== 'object' || value === null) return null
  if ('id' in value && value.id === id) return value
  for (const member of Object.values(value)) {
    const found = recordIn(member, id)
    if (found !== null) return found
  }
  return null
}

const names = (value: unknown, id: string): boolean =>
  value === id || (typeof value === 'object' && value !== null && Object.values(value).some(one => names(one, id)))

function roleOf({ method, params, query, body, answer, refusal, took_effect }: JournalCall, id: string, shown: object | null): Role | null {
  const isNamed = names([params, query, body], id)
  if (refusal !== null) return isNamed ? 'refused' : null
  if (took_effect && method === 'DELETE' && names(params, id)) return 'deleted'
  if (took_effect && answer === shown && !names(params, id)) return 'created'
  if (took_effect && (names(params, id) || names(body, id))) return 'changed'
  if (shown === null) return isNamed ? 'named' : null
  return answer === shown ? 'read' : 'listed'
}

/** Oldest first, of the requests of one period of a journal. */
export function timelineOf(calls: readonly JournalCall[], id: string): Moment[] {
  return calls.flatMap(call => {
    const role = roleOf(call, id, recordIn(call.answer, id))
    return role === null ? [] : [{ call, role }]
  })
}
