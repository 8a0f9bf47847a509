/** Data: the records of every family, their links, and the API keys. */
import { useSignal } from '@preact/signals'
import { type Resource, useResource } from '../../app/resource.js'
import { go, hrefOf, route } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Loaded } from '../../components/states.js'
import { useChosenInView } from '../../components/tabs.js'
import { api, type Family, type State } from '../../control/client.js'
import { controlOf } from '../../control/place.js'
import type { View } from '../view.js'
import { ApiList } from './api-list.js'
import { Keys } from './keys.js'
import { Merge } from './merge.js'
import { NewTicket } from './new-ticket.js'
import { RecordDetail } from './record-detail.js'
import { RecordTable } from './record-table.js'
import { FAMILIES } from './records.js'
import './data.css'

/** Records up to which the state is read again whenever something changed; a larger one is read when it is asked for. */
const READ_AT_ONCE = 20_000

const TITLES: Readonly<Record<Family | 'keys', string>> = {
  locations: 'Locations',
  accounts: 'Accounts',
  users: 'Users',
  tickets: 'Tickets',
  transactions: 'Transactions',
  refunds: 'Refunds',
  keys: 'API keys'
}
const PLACES = [...FAMILIES, 'keys'] as const

function Page() {
  const { path, query } = route.value
  const [named = 'transactions', id] = path
  const place = PLACES.find(name => name === named) ?? 'transactions'
  const counts = overview.value?.counts
  const dialog = useSignal<'merge' | 'ticket' | null>(null)
  const families = useChosenInView<HTMLElement>(`${place} ${counts !== undefined}`)
  const close = () => {
    dialog.value = null
  }
  return (
    <section class="page data">
      <h1 class="hidden">Data</h1>
      <nav class="tab-links" aria-label="Families" ref={families}>
        {PLACES.map(name => (
          <a key={name} href={hrefOf({ path: [name] })} aria-current={name === place ? 'page' : undefined}>
            {TITLES[name]} {name !== 'keys' && <span class="badge">{counts?.[name].toLocaleString('en')}</span>}
          </a>
        ))}
      </nav>
      <div class="row view-bar">
        {place !== 'keys' && (
          <nav class="chips" aria-label="How records are listed">
            <a href={hrefOf({ path: [place] })} aria-current={query.as === 'api' ? undefined : 'true'}>
              All records
            </a>
            <a href={hrefOf({ path: [place], query: { as: 'api' } })} aria-current={query.as === 'api' ? 'true' : undefined}>
              As the API lists them
            </a>
          </nav>
        )}
        <div class="row end">
          <button
            type="button"
            onClick={() => {
              dialog.value = 'ticket'
            }}
          >
            New Ticket
          </button>
          <button
            type="button"
            onClick={() => {
              dialog.value = 'merge'
            }}
          >
            Add or edit records
          </button>
          <a href={`${controlOf()}/state?format=yaml`} download="state.yaml">
            Export YAML
          </a>
          <a href={`${controlOf()}/state`} download="state.json">
            Export JSON
          </a>
        </div>
      </div>
      {place === 'keys' && <Keys />}
      {place !== 'keys' && (query.as === 'api' ? <ApiList key={place} family={place} /> : <Records family={place} id={id} />)}
      {dialog.value === 'merge' && <Merge onClose={close} />}
      {dialog.value === 'ticket' && <NewTicket onClose={close} />}
    </section>
  )
}

/** The records of a family and the one that is chosen. A large state is read only when somebody asks for it. */
function Records(props: { family: Family; id: string | undefined }) {
  const isAsked = useSignal(false)
  const counts = overview.value?.counts
  if (counts === undefined) return <div class="loading" aria-busy="true" />
  const records = Object.values(counts).reduce((sum, count) => sum + count)
  if (records <= READ_AT_ONCE) return <FollowedState {...props} />
  if (isAsked.value) return <StateOnce {...props} />
  return (
    <p class="row">
      The state has {records.toLocaleString('en')} records, and all of it is read at once.
      <button
        type="button"
        onClick={() => {
          isAsked.value = true
        }}
      >
        Read it
      </button>
      <span>Or list a page at a time as the API does.</span>
    </p>
  )
}

function FollowedState(props: { family: Family; id: string | undefined }) {
  const resource = useResource(read)
  return <Shown {...props} resource={resource} />
}

/** Reads the state when it is first shown, and not when it changes. */
function StateOnce(props: { family: Family; id: string | undefined }) {
  const kept = useSignal<Promise<Read> | null>(null)
  const resource = useResource(() => {
    kept.value ??= read()
    return kept.value
  })
  return <Shown {...props} resource={resource} />
}

type Read = { state: State; refundable: 'amount' | 'amount_plus_extras' }

async function read(): Promise<Read> {
  const [state, { settings }] = await Promise.all([api.state(), api.settings()])
  return { state, refundable: settings['transactions.refundable']?.value as Read['refundable'] }
}

type ShownProps = { family: Family; id: string | undefined; resource: Resource<Read> }

function Shown({ family, id, resource }: ShownProps) {
  return (
    <div class="split">
      <Loaded resource={resource}>
        {({ state, refundable }) => (
          <>
            <RecordTable state={state} family={family} chosen={id ?? null} refundable={refundable} />
            {id !== undefined && (
              <RecordDetail state={state} family={family} id={id} refundable={refundable} onClose={() => go({ path: [family], query: route.value.query })} />
            )}
          </>
        )}
      </Loaded>
    </div>
  )
}

export const view: View = { Page, keys: [{ key: '/', about: 'Search the records' }] }
