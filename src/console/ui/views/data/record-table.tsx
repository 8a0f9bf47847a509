/** All records of a family, newest first, searched as one types. */
import { useMemo } from 'preact/hooks'
import { go, hrefOf, inQuery, route } from '../../app/route.js'
import { SearchField } from '../../components/fields.js'
import { linked } from '../../components/links.js'
import { Empty } from '../../components/states.js'
import { type Column, VirtualTable } from '../../components/virtual-table.js'
import type { Family, State } from '../../control/client.js'
import { MoneyBar } from './money-bar.js'
import { type AnyRecord, countOf, linkedFamily, matches, nameOf, newestFirst, type Refundable, recordsOf } from './records.js'

type Props = { state: State; family: Family; chosen: string | null; refundable: Refundable }

const ID: Column<AnyRecord> = { title: 'Id', width: 'minmax(6rem, 14rem)', cell: ({ id }) => id }
const NAME: Column<AnyRecord> = { title: 'What it is', width: 'minmax(11rem, 1fr)', cell: nameOf }
const CREATED: Column<AnyRecord> = {
  title: 'Created',
  width: '11rem',
  isSecondary: true,
  cell: ({ created }) => created.replace('T', ' ').replace(/\.\d+Z$/, '')
}
const field = (name: string): Column<AnyRecord> => ({
  title: name.replace(/^./, first => first.toUpperCase()),
  width: 'minmax(5.5rem, 16rem)',
  isSecondary: true,
  cell: ({ [name]: value }) => {
    const family = linkedFamily(name)
    return linked(String(value ?? ''), value && family ? hrefOf({ path: [family, String(value)] }) : undefined)
  }
})

const FIELDS: Readonly<Record<Family, readonly Column<AnyRecord>[]>> = {
  accounts: [field('type'), field('reseller')],
  users: [field('email'), field('account')],
  locations: [field('account')],
  tickets: [field('location')],
  transactions: [field('ticket')],
  refunds: [field('transaction')]
}

export function RecordTable({ state, family, chosen, refundable }: Props) {
  const { query } = route.value
  const { search = '' } = query
  const all = useMemo(() => newestFirst(recordsOf(state, family)), [state, family])
  const rows = useMemo(() => all.filter(record => matches(record, search)), [all, search])
  const bar: Column<AnyRecord> = {
    title: 'Refunded',
    width: '6rem',
    isSecondary: true,
    cell: record => <MoneyBar state={state} transaction={record} refundable={refundable} isShort />
  }
  const columns = [ID, NAME, ...FIELDS[family], CREATED, ...(family === 'transactions' ? [bar] : [])]
  return (
    <div class="list stack">
      <SearchField label={`Search ${family}`} {...inQuery('search')} />
      <p class="hint" role="status">
        {rows.length === all.length ? countOf(all.length, family) : `${rows.length.toLocaleString('en')} of ${countOf(all.length, family)}`}
      </p>
      <VirtualTable
        label={family}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        chosen={chosen}
        onChoose={({ id }) => go({ path: [family, id], query })}
        empty={<Empty title={all.length === 0 ? `There are no ${family}.` : `No ${family} match.`} />}
      />
    </div>
  )
}
