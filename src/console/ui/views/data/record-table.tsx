/** All records of a family, newest first, searched as one types. */
import { useMemo } from 'preact/hooks'
import { go, hrefOf, route } from '../../app/route.js'
import { TextField } from '../../components/fields.js'
import { Empty } from '../../components/states.js'
import { type Column, VirtualTable } from '../../components/virtual-table.js'
import type { Family, State } from '../../control/client.js'
import { MoneyBar } from './money-bar.js'
import { type AnyRecord, countOf, matches, moneyIn, nameOf, newestFirst, recordsOf } from './records.js'

type Props = { state: State; family: Family; chosen: string | null; refundable: 'amount' | 'amount_plus_extras' }

const ID: Column<AnyRecord> = { key: 'id', title: 'Id', width: 'minmax(6rem, 14rem)', cell: ({ id }) => id }
const CREATED: Column<AnyRecord> = {
  key: 'created',
  title: 'Created',
  width: '11rem',
  isSecondary: true,
  cell: ({ created }) => created.replace('T', ' ').replace(/\.\d+Z$/, '')
}
const field = (name: string, title: string, family?: Family): Column<AnyRecord> => ({
  key: name,
  title,
  width: 'minmax(5.5rem, 16rem)',
  isSecondary: true,
  cell: record => {
    const text = String(record[name] ?? '')
    return family === undefined || text === '' ? text : <a href={hrefOf({ path: [family, text] })}>{text}</a>
  }
})
const NAME: Column<AnyRecord> = { key: 'name', title: 'What it is', width: 'minmax(11rem, 1fr)', cell: nameOf }

const COLUMNS: Readonly<Record<Family, readonly Column<AnyRecord>[]>> = {
  accounts: [ID, NAME, field('type', 'Type'), field('reseller', 'Reseller', 'accounts'), CREATED],
  users: [ID, NAME, field('email', 'Email'), field('account', 'Account', 'accounts'), CREATED],
  locations: [ID, NAME, field('account', 'Account', 'accounts'), CREATED],
  tickets: [ID, NAME, field('location', 'Location', 'locations'), CREATED],
  transactions: [ID, NAME, field('ticket', 'Ticket', 'tickets'), CREATED],
  refunds: [ID, NAME, field('transaction', 'Transaction', 'transactions'), CREATED]
}

export function RecordTable({ state, family, chosen, refundable }: Props) {
  const { query } = route.value
  const { search = '' } = query
  const all = useMemo(() => newestFirst(recordsOf(state, family)), [state, family])
  const rows = useMemo(() => all.filter(record => matches(record, search)), [all, search])
  const bar: Column<AnyRecord> = {
    key: 'money',
    title: 'Refunded',
    width: '6rem',
    isSecondary: true,
    cell: record => <MoneyBar money={moneyIn(state, record, { 'transactions.refundable': refundable })} isShort />
  }
  const columns = family === 'transactions' ? [...COLUMNS.transactions, bar] : COLUMNS[family]
  return (
    <div class="list">
      <TextField
        label={`Search ${family}`}
        isLabelHidden
        type="search"
        placeholder={`Search ${family}`}
        shortcut="/"
        value={search}
        onChange={text => go({ path: route.value.path, query: { ...query, search: text } }, { replace: true })}
      />
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
