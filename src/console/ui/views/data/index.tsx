/** The records of every family, and the API keys. */
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import { each } from '../../../../reference/rules.js'
import { act } from '../../app/command.js'
import { go, hrefOf, inQuery, route } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Button, Field, SearchField } from '../../components/controls.js'
import { type Column, Grid } from '../../components/grid.js'
import { Card, Empty, Read, Table } from '../../components/layout.js'
import { linked, Tabs } from '../../components/links.js'
import { copy } from '../../components/toast.js'
import { control, type Family, type State } from '../../control/client.js'
import { Money, MoneyBar } from '../money-bar.js'
import { Merge, RecordDetail } from './record-detail.js'
import {
  type AnyRecord,
  countIn,
  FAMILIES,
  linkedFamily,
  matching,
  moneyIn,
  nameOf,
  newestFirst,
  type Refundable,
  recordsOf
} from './records.js'

const FOLLOWED = 20_000
const PLACES = ['transactions', 'refunds', 'tickets', 'locations', 'accounts', 'users'] as const

export function Page() {
  const { path } = route.value
  const [tab, id] = path
  const family = FAMILIES.find(name => name === tab) ?? 'transactions'
  const isKeys = tab === 'keys'
  const isMerging = useSignal(false)
  return (
    <section class={`page ${isKeys ? '' : 'whole'}`}>
      <div class="row">
        <div class="grow">
          <Tabs
            label="Families"
            tabs={{ ...familyTabs(), keys: { title: 'API keys' } }}
            chosen={isKeys ? 'keys' : family}
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

const familyTabs = () =>
  each(PLACES, name => ({
    title: [
      `${RESOURCE_NAMES[name]}s `,
      <span key={name} class="badge">
        {overview.value?.counts[name]?.toLocaleString('en')}
      </span>
    ]
  }))

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

type Props = { state: State; family: Family; chosen: string | null; refundable: Refundable }

const ID: Column<AnyRecord> = {
  title: 'Id',
  class: 'w216 mono',
  by: ({ id }) => id,
  cell: ({ id }) => id
}
const withoutAmount = (record: AnyRecord) => nameOf({ ...record, amount: undefined })
const NAME: Column<AnyRecord> = {
  title: 'Summary',
  class: 'wide',
  by: withoutAmount,
  cell: withoutAmount
}
const AMOUNT: Column<AnyRecord> = {
  title: 'Amount',
  class: 'w96 number',
  by: record => Number(record.amount),
  cell: ({ amount, currency }) => <Money amount={Number(amount)} currency={currency} />
}
const CREATED: Column<AnyRecord> = {
  title: 'Created',
  class: 'w144 faint from-m',
  by: ({ created }) => created,
  cell: ({ created }) => created.slice(0, 16).replace('T', ' ')
}
const field = (name: string): Column<AnyRecord> => ({
  title: name.replace(/^./, first => first.toUpperCase()),
  class: 'w216 from-s',
  by: ({ [name]: value }) => String(value ?? ''),
  cell: ({ [name]: value }) => {
    const family = linkedFamily(name)
    return linked(
      String(value ?? ''),
      value && family ? hrefOf({ path: [family, String(value)] }) : undefined
    )
  }
})

const FIELDS: Readonly<Record<Family, readonly Column<AnyRecord>[]>> = {
  accounts: [field('type'), field('reseller')],
  users: [field('email'), field('account')],
  locations: [field('account')],
  tickets: [field('location')],
  transactions: [AMOUNT, field('ticket')],
  refunds: [AMOUNT, field('transaction')]
}

function RecordTable({ state, family, chosen, refundable }: Props) {
  const { query } = route.value
  const { search = '' } = query
  const all = useMemo(() => newestFirst(recordsOf(state, family)), [state, family])
  const rows = useMemo(() => (search === '' ? all : all.filter(matching(search))), [all, search])
  const columns = useMemo(() => {
    const bar = (record: AnyRecord) => <MoneyBar {...moneyIn(state, record, refundable)} isShort />
    const bars = { title: 'Refunded', class: 'w96 from-l', cell: bar }
    return [ID, NAME, ...FIELDS[family], CREATED, ...(family === 'transactions' ? [bars] : [])]
  }, [family, state, refundable])
  return (
    <div class="listing">
      <div class="row">
        <SearchField label={`Search ${family}`} {...inQuery('search')} />
        <p class="hint" role="status">
          {`${rows.length === all.length ? '' : `${rows.length.toLocaleString('en')} of `}${countIn(family, all.length)}`}
        </p>
      </div>
      <Grid
        label={family}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        targetOf={({ id }) => ({ path: [family, id], query })}
        chosen={chosen}
        empty={
          <Empty icon="data" title={all.length === 0 ? `No ${family}` : `No matching ${family}`} />
        }
      />
    </div>
  )
}

const cellsOf = ({ key, account }: { key: string; account: string }) => [
  <code key="key">{key}</code>,
  linked(account, hrefOf({ path: ['accounts', account] })),
  <Button key="copy" class="small" text="Copy" label={`Copy ${key}`} run={() => copy(key, 'key')} />
]

function Keys() {
  const chosen = useSignal('')
  const make = (account: string) =>
    act(control('POST /keys', { body: { account } }), ({ key }) => `${key} acts as ${account}`)
  return (
    <Read from={() => Promise.all([control('GET /keys'), control('GET /state')])}>
      {([{ data }, { accounts }]) => {
        const account = chosen.value || (accounts[0]?.id ?? '')
        return (
          <Card id="keys" title="API keys">
            <Table label="Keys" heads={['Key', 'Acts as', '']} rows={data.map(cellsOf)} />
            {accounts.length > 0 && (
              <div class="row aligned">
                <Field
                  label="A new key that acts as"
                  value={account}
                  options={accounts.map(({ id, name }) => [id, `${id}, ${name}`])}
                  onChange={id => (chosen.value = id)}
                />
                <Button class="primary" text="Create key" run={() => make(account)} />
              </div>
            )}
          </Card>
        )
      }}
    </Read>
  )
}
