/**
 * What happened to a record: the requests that created, changed, read, listed or were refused
 * because of it, as far as the journal holds them.
 */
import { useSignal } from '@preact/signals'
import { hrefOf } from '../../app/route.js'
import { Icon } from '../../components/icon.js'
import { Read } from '../../components/states.js'
import { control } from '../../control/client.js'
import { Method, RecordChanges, Status } from '../requests/marks.js'
import { isHeld, isRead, list } from '../requests/requests.js'
import { shortPath, summaryOf } from '../requests/summary.js'
import { timelineOf } from './timeline.js'

/** What a request changed of the record; read when it is opened. */
function Changed({ id, by }: { id: string; by: string }) {
  const isOpen = useSignal(false)
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>What it changed</summary>
      {isOpen.value && (
        <Read from={() => control('GET /requests/ID/changes', { name: by })} once>
          {({ data }) => <RecordChanges records={data.filter(record => record.id === id)} />}
        </Read>
      )}
      <a href={hrefOf({ view: 'requests', path: [by], query: { tab: 'changes' } })}>
        The state before and after it
      </a>
    </details>
  )
}

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
              <Method method={call.method} /> {shortPath(call.path)}{' '}
              <span class="faint">
                {summaryOf(call)} {call.refusal?.code}
              </span>
            </p>
            {call.took_effect && <Changed id={id} by={call.id} />}
          </li>
        ))}
      </ol>
      <p class="hint">
        <Icon name="history" /> As far as the journal goes back.{' '}
        <a href={hrefOf({ view: 'requests', query: { q: id } })}>Requests that name it</a>
      </p>
    </>
  )
}
