/**
 * What happened to a record: the requests that created, changed, read, listed or were refused
 * because of it, as far as the journal holds them.
 */
import { hrefOf } from '../../app/route.js'
import { Status } from '../requests/marks.js'
import { isHeld, isRead, list } from '../requests/requests.js'
import { amountOf, shortPath, summaryOf } from '../requests/summary.js'
import { timelineOf } from './timeline.js'

export function Timeline({ id }: { id: string }) {
  const calls = list.value.rows.filter(isHeld).map(({ call }) => call)
  const moments = timelineOf(calls.reverse(), id)
  if (moments.length === 0)
    return (
      <p class="faint">
        {isRead.value
          ? 'No request since the last load or reset involves it: it came with the scenario.'
          : 'Reading the journal…'}
      </p>
    )
  return (
    <>
      <ol class="timeline" aria-label={`Timeline of ${id}`}>
        {moments.map(({ call, role }) => (
          <li key={call.id} class={role}>
            <p class="row">
              <b>{role.replace(/^./, first => first.toUpperCase())}</b> <Status call={call} />{' '}
              <time class="faint">{call.at.slice(0, 19).replace('T', ' ')}</time>
            </p>
            <p>
              <a href={hrefOf({ view: 'requests', path: [call.id] })}>{call.id}</a>{' '}
              <span class="mono">{call.method}</span> {shortPath(call.path)}{' '}
              <span class="faint">
                {amountOf(call)} {summaryOf(call)} {call.refusal?.code}
              </span>
            </p>
            {call.took_effect && (
              <a href={hrefOf({ view: 'requests', path: [call.id], query: { tab: 'changes' } })}>
                What changed
              </a>
            )}
          </li>
        ))}
      </ol>
      <p class="hint">
        As far as the journal goes back.{' '}
        <a href={hrefOf({ view: 'requests', query: { q: id } })}>Requests that name it</a>
      </p>
    </>
  )
}
