/** Calls: those that came, live, and why each was answered so. */
import { useComputed, useSignalEffect } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { act } from '../../app/command.js'
import { useShortcuts } from '../../app/keyboard.js'
import { useResource } from '../../app/resource.js'
import { go, route } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { Empty } from '../../components/states.js'
import { type Column, VirtualTable } from '../../components/virtual-table.js'
import { api, type JournalCall } from '../../control/client.js'
import { apiOf, sandbox } from '../../control/place.js'
import type { View } from '../view.js'
import { type CallList, decidedBy, filtered, keyOf, msShown, pathShown, periodOf, type Row } from './call-list.js'
import { isRead, list, paused } from './calls.js'
import { Detail } from './detail.js'
import { Filters } from './filters.js'
import { textOfRule } from './why.js'
import './calls.css'

function statusClass({ status, answered, refusal }: JournalCall): string {
  if (status >= 500 || !answered) return 'bad'
  return status >= 400 || refusal !== null ? 'warn' : 'good'
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Time',
    width: '7rem',
    isSecondary: true,
    cell: ({ call: { at } }) => (
      <time dateTime={at} title={at}>
        {at.slice(11, 23)}
      </time>
    )
  },
  { title: 'Id', width: '4.4rem', isSecondary: true, cell: ({ call }) => call.id },
  { title: 'Status', width: '3.4rem', cell: ({ call }) => <span class={`badge ${statusClass(call)}`}>{call.answered ? call.status : 'lost'}</span> },
  {
    title: 'Call',
    width: 'minmax(8rem, 2.4fr)',
    cell: ({ call }) => (
      <span title={call.on ?? 'No operation of the reference'}>
        <b>{call.method}</b> {pathShown(call)}
      </span>
    )
  },
  { title: 'Decided by', width: 'minmax(5.2rem, 0.8fr)', cell: ({ call }) => <span title={textOfRule(call.refusal?.rule)}>{decidedBy(call)}</span> },
  { title: 'Test', width: 'minmax(4rem, 1.4fr)', isSecondary: true, cell: ({ call: { test } }) => <span title={test ?? ''}>{test}</span> },
  { title: 'ms', width: '3.6rem', isNumber: true, isSecondary: true, cell: ({ call }) => msShown(call) }
]
const SANDBOX_COLUMN: Column<Row> = { title: 'Sandbox', width: 'minmax(4rem, 0.7fr)', cell: row => row.sandbox || 'base' }
const WITH_SANDBOX = [...COLUMNS.slice(0, 2), SANDBOX_COLUMN, ...COLUMNS.slice(2)]

/** The id alone, as long as it names a call of the journal. */
const pathOf = ({ call, period, sandbox: its }: Row) => (period === periodOf(list.value, its) ? [call.id] : [call.id, `before-${period}`])

function chosenKey(shown: CallList): string | null {
  const [id, before] = route.value.path
  if (id === undefined) return null
  const period = /^before-(\d+)$/.exec(before ?? '')?.[1]
  return keyOf(sandbox.value, period === undefined ? periodOf(shown, sandbox.value) : Number(period), id)
}

const choose = (row: Row) => go({ path: pathOf(row), query: route.value.query, sandbox: row.sandbox }, { replace: route.value.path.length > 0 })
const close = () => go({ path: [], query: route.value.query })

/** The calls that kept or broke a rule; undefined where none is named. */
function useRuleFilter(rule: string): ReadonlySet<string> | undefined {
  const { data } = useResource(async () => (rule === '' ? null : api.requestsOfRun({ rule })), rule)
  return useMemo(() => {
    if (rule === '') return undefined
    return new Set(data?.data.map(({ sandbox: name, id }) => keyOf(name ?? '', periodOf(list.value, name ?? ''), id)))
  }, [rule, data])
}

function Page() {
  const { q = '', on = '', status = '', rule = '', kind = '', test = '', in: scope = '' } = route.value.query
  const shown = paused.value ?? list.value
  const keys = useRuleFilter(rule)
  const isAll = scope === 'all'
  const place = isAll ? undefined : sandbox.value
  const rows = useMemo(() => filtered(shown.rows, { text: q, on, status, kind, test, sandbox: place, keys }), [shown, q, on, status, kind, test, place, keys])
  const tests = useComputed(() => [...new Set(list.value.rows.flatMap(({ call }) => call.test ?? []))].slice(0, 200)).value
  const chosen = chosenKey(list.value)
  const row = useMemo(() => (chosen === null ? undefined : list.value.rows.find(({ key }) => key === chosen)), [chosen, list.value])
  useKeptChoice()

  const step = (by: number) => {
    const at = rows.findIndex(({ key }) => key === chosen)
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]
    if (next !== undefined) choose(next)
  }
  useShortcuts([
    { key: 'j', about: 'Next call in the list', run: () => step(1) },
    { key: 'k', about: 'Previous call in the list', run: () => step(-1) },
    { key: 'p', about: 'Pause the list, or go on', run: pause },
    { key: 'Escape', about: 'Close the call', run: close }
  ])
  const later = paused.value === null ? 0 : list.value.rows.findIndex(({ key }) => key === paused.value?.rows[0]?.key)
  return (
    <section class="page split calls">
      <div class="call-list stack">
        <h1 class="hidden">Calls</h1>
        <Filters tests={tests} />
        <div class="call-tools row">
          <p>{`${rows.length} ${rows.length === 1 ? 'call' : 'calls'}${paused.value === null ? '' : `, paused; ${later < 0 ? 'all are' : later} newer`}`}</p>
          <Button class="small" text={paused.value === null ? 'Pause' : 'Go on'} aria-pressed={paused.value !== null} run={pause} />
          <Button class="small" text="Clear" title="Empties the journal of this sandbox; records, coverage and findings stay" run={clear} />
        </div>
        <VirtualTable
          label="Calls"
          columns={isAll ? WITH_SANDBOX : COLUMNS}
          rows={rows}
          keyOf={({ key }) => key}
          chosen={chosen}
          onChoose={choose}
          classOf={({ period, sandbox: its }) => (period === periodOf(list.value, its) ? '' : 'past')}
          empty={isRead.value ? <Nothing isNarrowed={shown.rows.some(row => isAll || row.sandbox === place)} /> : <div />}
        />
      </div>
      {chosen !== null && <Detail key={chosen} id={route.value.path[0] as string} row={row} onClose={close} />}
    </section>
  )
}

/** When a journal is cleared, the call that is shown stays, under the address of an earlier one. */
function useKeptChoice(): void {
  const before = useRef(list.peek())
  useSignalEffect(() => {
    const name = sandbox.peek()
    const period = periodOf(before.current, name)
    const { view, path, query } = route.peek()
    const isCleared = periodOf(list.value, name) > period
    const key = keyOf(name, period, path[0] ?? '')
    const isKept = view === 'calls' && path.length === 1 && before.current.rows.some(row => row.key === key)
    if (isCleared && isKept) go({ path: [...path, `before-${period}`], query }, { replace: true })
    before.current = list.value
  })
}

const Nothing = ({ isNarrowed }: { isNarrowed: boolean }) => (
  <Empty title={isNarrowed ? 'No call matches.' : 'No call has come yet.'}>
    {!isNarrowed && (
      <p>
        Send one to <code>{`${location.origin}${apiOf()}`}</code>, and it is shown here.
      </p>
    )}
  </Empty>
)

const pause = () => (paused.value = paused.value === null ? list.value : null)

const clear = () => act(emptied(), 'Journal emptied')

async function emptied(): Promise<void> {
  await api.clearRequests()
  list.value = { ...list.value, rows: list.value.rows.filter(row => row.sandbox !== sandbox.value) }
  paused.value = null
  close()
}

export const view: View = { Page }
