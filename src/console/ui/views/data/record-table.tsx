/** All records of a family, newest first, searched as one types. */
import { useMemo } from 'preact/hooks'
import { go, hrefOf, inQuery, route } from '../../app/route.js'
import { SearchField } from '../../components/controls.js'
import { type Column, Grid } from '../../components/grid.js'
import { Empty } from '../../components/layout.js'
import { linked } from '../../components/links.js'
import type { Family, State } from '../../control/client.js'
import { Money, MoneyBar } from '../money-bar.js'
import {
  type AnyRecord,
  countIn,
  linkedFamily,
  matches,
  moneyIn,
  nameOf,
  newestFirst,
  type Refundable,
  recordsOf
} from './records.js'

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
  cell: ({ created }) => created.replace('T', ' ').replace(/\.\d+Z$/, '')
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

export function RecordTable({ state, family, chosen, refundable }: Props) {
  const { query } = route.value
  const { search = '' } = query
  const all = useMemo(() => newestFirst(recordsOf(state, family)), [state, family])
  const rows = useMemo(
    () => (search === '' ? all : all.filter(record => matches(record, search))),
    [all, search]
  )
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
        hrefOf={({ id }) => hrefOf({ path: [family, id], query })}
        chosen={chosen}
        onChoose={({ id }) => go({ path: [family, id], query })}
        empty={
          <Empty icon="data" title={all.length === 0 ? `No ${family}` : `No matching ${family}`} />
        }
      />
    </div>
  )
}
