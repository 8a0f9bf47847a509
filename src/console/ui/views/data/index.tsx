/** Data: the records of every family, their links, and the API keys. */
import { useSignal } from '@preact/signals'
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import { go, route } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Button, ButtonLink } from '../../components/button.js'
import { Choices } from '../../components/links.js'
import { Loading, Read } from '../../components/states.js'
import { control, type Family, type State } from '../../control/client.js'
import { controlOf } from '../../control/place.js'
import { Merge, NewTicket } from './adding.js'
import { ApiList } from './api-list.js'
import { Keys } from './keys.js'
import { RecordDetail } from './record-detail.js'
import { RecordTable } from './record-table.js'
import { FAMILIES, type Refundable } from './records.js'
import './data.css'

/** A state of more records is read only when it is asked for. */
const READ_AT_ONCE = 20_000
const PLACES = [...FAMILIES, 'keys'] as const

export function Page() {
  const { path, query } = route.value
  const [named = 'transactions', id] = path
  const place = PLACES.find(name => name === named) ?? 'transactions'
  const counts = overview.value?.counts
  const dialog = useSignal<typeof Merge | typeof NewTicket | null>(null)
  const isApi = query.as === 'api'
  const isWhole = place !== 'keys' && !isApi
  const title = (name: Family) => [
    `${RESOURCE_NAMES[name]}s `,
    <Count key={name} count={counts?.[name]} />
  ]
  const choices = PLACES.map(
    name => [name, name === 'keys' ? 'API keys' : title(name), { path: [name] }] as const
  )
  const ways = [
    ['all', 'All records', { path: [place] }],
    ['api', 'As the API lists them', { path: [place], query: { as: 'api' } }]
  ] as const
  return (
    <section class={`page data ${isWhole ? 'whole' : ''}`}>
      <Choices class="tab-links" label="Families" choices={choices} chosen={place} />
      <div class="row">
        {place !== 'keys' && (
          <Choices label="How records are listed" choices={ways} chosen={isApi ? 'api' : 'all'} />
        )}
        <div class="row end">
          <Button
            class="small"
            icon="plus"
            text="New Ticket"
            run={() => (dialog.value = NewTicket)}
          />
          <Button
            class="small"
            icon="edit"
            text="Add or edit records"
            run={() => (dialog.value = Merge)}
          />
          <ButtonLink
            icon="download"
            text="YAML"
            href={`${controlOf()}/state?format=yaml`}
            download="state.yaml"
          />
          <ButtonLink
            icon="download"
            text="JSON"
            href={`${controlOf()}/state`}
            download="state.json"
          />
        </div>
      </div>
      {place === 'keys' && <Keys />}
      {place !== 'keys' &&
        (isApi ? <ApiList key={place} family={place} /> : <Records family={place} id={id} />)}
      {dialog.value && <dialog.value onClose={() => (dialog.value = null)} />}
    </section>
  )
}

const Count = ({ count }: { count: number | undefined }) => (
  <span class="badge">{count?.toLocaleString('en')}</span>
)

function Records({ family, id }: { family: Family; id: string | undefined }) {
  const isAsked = useSignal(false)
  const counts = overview.value?.counts
  if (counts === undefined) return <Loading />
  const records = Object.values(counts).reduce((sum, count) => sum + count)
  const isLarge = records > READ_AT_ONCE
  if (isLarge && !isAsked.value)
    return (
      <p class="row">
        The state has {records.toLocaleString('en')} records, and they are read all at once.
        <Button text="Read them" run={() => (isAsked.value = true)} />
        <span>Or list them page by page, as the API does.</span>
      </p>
    )
  return (
    <div class="split">
      <Read key={String(isLarge)} from={read} once={isLarge}>
        {data => (
          <>
            <RecordTable {...data} family={family} chosen={id ?? null} />
            {id !== undefined && (
              <RecordDetail
                {...data}
                family={family}
                id={id}
                onClose={() => go({ path: [family], query: route.value.query })}
              />
            )}
          </>
        )}
      </Read>
    </div>
  )
}

async function read(): Promise<{ state: State; refundable: Refundable }> {
  const [state, { settings }] = await Promise.all([control('GET /state'), control('GET /settings')])
  return { state, refundable: settings['transactions.refundable']?.value as Refundable }
}
