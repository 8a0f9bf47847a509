/** Data: the records of every family, their links, and the API keys. */
import { useSignal } from '@preact/signals'
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import { go, route } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Button } from '../../components/controls.js'
import { Read } from '../../components/layout.js'
import { Tabs } from '../../components/links.js'
import { control, type Family, type State } from '../../control/client.js'
import { Merge } from './adding.js'
import { Keys } from './keys.js'
import { RecordDetail } from './record-detail.js'
import { RecordTable } from './record-table.js'
import { FAMILIES, type Refundable } from './records.js'

const FOLLOWED = 20_000
const PLACES = ['transactions', 'refunds', 'tickets', 'locations', 'accounts', 'users'] as const

export function Page() {
  const { path } = route.value
  const [named, id] = path
  const family = FAMILIES.find(name => name === named) ?? 'transactions'
  const isKeys = named === 'keys'
  const counts = overview.value?.counts
  const isMerging = useSignal(false)
  const title = (name: Family) => ({
    title: [`${RESOURCE_NAMES[name]}s `, <Count key={name} count={counts?.[name]} />]
  })
  const tabs = {
    ...(Object.fromEntries(PLACES.map(name => [name, title(name)])) as Record<
      Family,
      ReturnType<typeof title>
    >),
    keys: { title: 'API keys' }
  }
  return (
    <section class={`page ${isKeys ? '' : 'whole'}`}>
      <div class="row">
        <div class="grow">
          <Tabs
            label="Families"
            tabs={tabs}
            chosen={isKeys ? 'keys' : family}
            targetOf={name => ({ path: [name] })}
          />
        </div>
        <Button
          class="small"
          icon="plus"
          text="Add or edit records"
          run={() => (isMerging.value = true)}
        />
      </div>
      {isKeys ? <Keys /> : <Records family={family} id={id} />}
      {isMerging.value && <Merge onClose={() => (isMerging.value = false)} />}
    </section>
  )
}

const Count = ({ count }: { count: number | undefined }) => (
  <span class="badge">{count?.toLocaleString('en')}</span>
)

function Records({ family, id }: { family: Family; id: string | undefined }) {
  const counts = Object.values(overview.value?.counts ?? {})
  const isLarge = counts.reduce((sum, count) => sum + count, 0) > FOLLOWED
  return (
    <div class="split">
      <Read from={read} once={isLarge}>
        {data => (
          <>
            <RecordTable {...data} family={family} chosen={id ?? null} />
            {id !== undefined && (
              <RecordDetail
                {...data}
                key={id}
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
