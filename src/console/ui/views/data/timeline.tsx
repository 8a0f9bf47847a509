/** What happened to a record: the requests that created, changed, read, listed or were refused because of it, as far as the journal holds them. */
import { hrefOf } from '../../app/route.js'
import { Diff } from '../../components/diff.js'
import { Icon } from '../../components/icon.js'
import type { JournalCall } from '../../control/client.js'
import { sandbox } from '../../control/place.js'
import { Method, Status } from '../requests/marks.js'
import { periodOf, type Row } from '../requests/request-list.js'
import { isRead, list } from '../requests/requests.js'
import { shortPath, summaryOf } from '../requests/summary.js'

export type Role = 'created' | 'changed' | 'deleted' | 'refused' | 'read' | 'listed' | 'named'
/** `shown` is the record as the response had it, and `before` as the last one before it had. */
export type Moment = { call: JournalCall; role: Role; shown: object | null; before: object | null }

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
  let before: object | null = null
  return calls.flatMap(call => {
    const shown = recordIn(call.answer, id)
    const role = roleOf(call, id, shown)
    if (role === null) return []
    const moment = { call, role, shown, before }
    before = shown ?? before
    return [moment]
  })
}

const ROLES: Readonly<Record<Role, string>> = {
  created: 'Created',
  changed: 'Changed',
  deleted: 'Deleted',
  refused: 'Refused',
  read: 'Read',
  listed: 'Listed',
  named: 'Named'
}
/** A page of a list in a record begins and ends where its last one does. */
const LEFT_OUT = ['refunds']

const isOfNow = (row: Row) => row.sandbox === sandbox.value && row.period === periodOf(list.value, row.sandbox)

export function Timeline({ id }: { id: string }) {
  const calls = list.value.rows.filter(isOfNow).map(({ call }) => call)
  const moments = timelineOf(calls.reverse(), id)
  if (moments.length === 0)
    return (
      <p class="faint">
        {isRead.value ? 'No request since the last load or reset has to do with it. It came with the scenario.' : 'The journal is being read.'}
      </p>
    )
  return (
    <>
      <ol class="timeline" aria-label={`Timeline of ${id}`}>
        {moments.map(({ call, role, shown, before }) => (
          <li key={call.id} class={role}>
            <p class="row">
              <b>{ROLES[role]}</b> <Status call={call} /> <time class="faint">{call.at.slice(0, 19).replace('T', ' ')}</time>
            </p>
            <p>
              <a href={hrefOf({ view: 'requests', path: [call.id] })}>{call.id}</a> <Method method={call.method} /> {shortPath(call.path)}{' '}
              <span class="faint">
                {summaryOf(call)} {call.refusal?.code}
              </span>
            </p>
            {shown !== null && before !== null && <Diff before={before} after={shown} leave={LEFT_OUT} />}
          </li>
        ))}
      </ol>
      <p class="hint">
        <Icon name="history" /> Differences are between responses that showed the record.{' '}
        <a href={hrefOf({ view: 'requests', query: { q: id } })}>Requests that name it</a>
      </p>
    </>
  )
}
