/** What happened to a record: the requests that created, changed, read, listed or were refused because of it, as far as the journal holds them. */
import { hrefOf } from '../../app/route.js'
import { Diff } from '../../components/diff.js'
import { Icon } from '../../components/icon.js'
import { sandbox } from '../../control/place.js'
import { Method, Status } from '../requests/marks.js'
import { periodOf, type Row } from '../requests/request-list.js'
import { isRead, list } from '../requests/requests.js'
import { shortPath, summaryOf } from '../requests/summary.js'
import { timelineOf } from './timeline.js'

/** A page of a list in a record begins and ends where its last one does. */
const LEFT_OUT = ['refunds']

const isOfNow = (row: Row) => row.sandbox === sandbox.value && row.period === periodOf(list.value, row.sandbox)

export function Timeline({ id }: { id: string }) {
  const calls = list.value.rows.filter(isOfNow).map(({ call }) => call)
  const moments = timelineOf(calls.reverse(), id)
  if (moments.length === 0)
    return <p class="faint">{isRead.value ? 'No request since the last load or reset involves it: it came with the scenario.' : 'Reading the journal…'}</p>
  return (
    <>
      <ol class="timeline" aria-label={`Timeline of ${id}`}>
        {moments.map(({ call, role, shown, before }) => (
          <li key={call.id} class={role}>
            <p class="row">
              <b>{role.replace(/^./, first => first.toUpperCase())}</b> <Status call={call} />{' '}
              <time class="faint">{call.at.slice(0, 19).replace('T', ' ')}</time>
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
        <Icon name="history" /> Each difference compares two responses that showed the record.{' '}
        <a href={hrefOf({ view: 'requests', query: { q: id } })}>Requests that name it</a>
      </p>
    </>
  )
}
