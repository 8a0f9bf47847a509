/** Calls: those that came, live, and why each was answered so. */

import type { JournalCall } from '../../../../client/answers.js'
import { useResource } from '../../app/resource.js'
import { go, route } from '../../app/route.js'
import { Json } from '../../components/code.js'
import { Empty, Loaded } from '../../components/states.js'
import { type Column, VirtualTable } from '../../components/virtual-table.js'
import { api } from '../../control/client.js'
import type { View } from '../view.js'
import './calls.css'

const COLUMNS: readonly Column<JournalCall>[] = [
  { key: 'id', title: 'Id', width: '6rem', cell: ({ id }) => id },
  { key: 'call', title: 'Call', width: 'minmax(8rem, 1fr)', cell: ({ method, path }) => `${method} ${path}` },
  { key: 'status', title: 'Status', width: '4rem', isNumber: true, cell: ({ status }) => status },
  { key: 'ms', title: 'ms', width: '5rem', isNumber: true, isSecondary: true, cell: ({ ms }) => ms }
]

function Page() {
  const resource = useResource(() => api.requests({ limit: 1000 }))
  const [chosen = null] = route.value.path
  return (
    <section class="page split">
      <h1 class="hidden">Calls</h1>
      <Loaded resource={resource}>
        {({ data }) => (
          <VirtualTable
            label="Calls"
            columns={COLUMNS}
            rows={data}
            keyOf={({ id }) => id}
            chosen={chosen}
            onChoose={({ id }) => go({ path: [id] })}
            empty={<Empty title="No call has come yet." />}
          />
        )}
      </Loaded>
      {chosen !== null && <Detail id={chosen} />}
    </section>
  )
}

function Detail({ id }: { id: string }) {
  const resource = useResource(() => api.request(id), id)
  return (
    <aside aria-label={id}>
      <Loaded resource={resource}>{call => <Json value={call} label={id} />}</Loaded>
    </aside>
  )
}

export const view: View = { Page }
