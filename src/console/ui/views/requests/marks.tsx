/** What a request is known by: its method, and what became of it. */
import { Icon } from '../../components/icon.js'
import type { JournalCall } from '../../control/client.js'
import { markOf } from './request-list.js'

export const Status = ({ call }: { call: JournalCall }) => {
  const { icon, kind } = markOf(call)
  return (
    <span class={`badge ${kind}`}>
      <Icon name={icon} />
      {call.answered ? call.status : 'lost'}
    </span>
  )
}

export const Method = ({ method }: { method: string }) => <span class={`method ${method.toLowerCase()}`}>{method}</span>
