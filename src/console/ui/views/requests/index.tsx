/** The requests, live, and the reasons for each response. */
import { untracked, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { act } from '../../app/command.js'
import { useShortcuts } from '../../app/keyboard.js'
import { useResource } from '../../app/resource.js'
import { go, hrefOf, route } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Button } from '../../components/controls.js'
import { ask } from '../../components/dialog.js'
import { type Column, Grid } from '../../components/grid.js'
import { Empty } from '../../components/layout.js'
import { linked, testAddress } from '../../components/links.js'
import { control, sandbox } from '../../control/client.js'
import { countOf } from '../count.js'
import { Detail } from './detail.js'
import { Status } from './marks.js'
import { filtered, queryIn, termIn, unknownIn } from './query.js'
import { type CallList, keyOf, msShown, pathShown, periodOf, type Row } from './request-list.js'
import { dropped, isHeld, isPast, isRead, list, paused, shownIds } from './requests.js'
import { Search } from './search.js'
import { amountOf, defaultCurrency, shortPath, summaryOf } from './summary.js'
import { Welcome } from './welcome.js'
import { textOfRule } from './why.js'

const Path = ({ call }: Row) => <span title={pathShown(call)}>{shortPath(call.path)}</span>

const codeOf = ({ call }: Row): string =>
  call.refusal?.code ?? ((call.outcome === 'scripted' && Object(call.answer).error?.code) || '')

function Result(row: Row) {
  const { refusal, script } = row.call
  const rule = refusal?.rule ?? refusal?.assumption
  return (
    <>
      {rule && (
        <span class="badge" title={textOfRule(rule)}>
          {rule}
        </span>
      )}{' '}
      {codeOf(row) && <span class={refusal ? 'result mono' : 'scripted mono'}>{codeOf(row)}</span>}{' '}
      {script && <span class="scripted">{script.name ?? script.id}</span>}
    </>
  )
}

const Details = (row: Row) => (
  <>
    {summaryOf(row.call)} <span class="only-tall">{Result(row)}</span>
  </>
)

const TestOf = ({ call: { test } }: Row) =>
  test && <span title={test}>{linked(test, testAddress(test))}</span>

const Time = ({ call: { at } }: Row) => (
  <time dateTime={at} title={at}>
    {at.slice(11, 19)}
  </time>
)

const SANDBOX = 'Sandbox'
const COLUMNS: readonly Column<Row>[] = [
  { title: 'Status', class: 'w72', by: ({ call }) => call.status, cell: Status },
  {
    title: 'Method',
    class: 'w56 mono',
    by: ({ call }) => call.method,
    cell: ({ call }) => call.method
  },
  { title: 'Request', class: 'wide', by: ({ call }) => call.path, cell: Path },
  { title: 'Details', class: 'wide faint break from-m', cell: Details },
  { title: 'Amount', class: 'w96 number', cell: ({ call }) => amountOf(call) },
  {
    title: SANDBOX,
    class: 'w96 from-s',
    by: row => row.sandbox,
    cell: row => row.sandbox || 'base'
  },
  { title: 'Result', class: 'wide from-s', by: codeOf, cell: Result },
  { title: 'Test', class: 'w144 from-m', by: ({ call }) => call.test ?? '', cell: TestOf },
  {
    title: 'Duration',
    class: 'w72 number faint from-l',
    by: ({ call }) => call.ms,
    cell: ({ call }) => `${msShown(call)} ms`
  },
  { title: 'Id', class: 'w72 faint from-m', cell: ({ call }) => call.id },
  { title: 'Time', class: 'w72 faint from-l', by: ({ call }) => call.at, cell: Time }
]

const targetOf = (row: Row) => ({
  path: isPast(row) ? [row.call.id, `before-${row.period}`] : [row.call.id],
  query: route.value.query,
  sandbox: row.sandbox
})

function keyChosen(calls: CallList): string | null {
  const [id, before] = route.value.path
  return id === undefined
    ? null
    : keyOf(
        sandbox.value,
        Number(before?.replace('before-', '') ?? periodOf(calls, sandbox.value)),
        id
      )
}

const close = () => go({ path: [], query: route.value.query })

async function keysOfRule(rule: string): Promise<ReadonlySet<string>> {
  const { data } =
    rule === ''
      ? { data: [] }
      : await control('GET /requests', {
          query: { limit: '1000', rule, scope: 'run' },
          sandbox: ''
        })
  return new Set(
    data.map(({ sandbox: name, id }) => keyOf(name ?? '', periodOf(list.value, name ?? ''), id))
  )
}

const GROUPS: Readonly<Record<string, (row: Row) => string>> = {
  test: ({ call }) => call.test ?? 'No test',
  load: row => (isPast(row) ? 'Before the last load or reset' : 'Since the last load or reset')
}

/** The rows that the address asks for, in their groups. */
function useRows() {
  const { q = '', group } = route.value.query
  const query = useMemo(() => queryIn(q), [q])
  const calls = paused.value ?? list.value
  const rule = unknownIn(query).length > 0 ? '' : termIn(query, 'rule')
  const ofRule = useResource(() => keysOfRule(rule), rule, { isEvidence: true }).data
  const keys = rule === '' ? undefined : ofRule
  const isAll = termIn(query, 'in') === 'all'
  const place = isAll ? undefined : sandbox.value
  const matches = useMemo(
    () => filtered(calls.rows, { text: q, sandbox: place, keys }),
    [calls, q, place, keys]
  )
  const groupOf = GROUPS[group ?? (matches.some(isPast) ? 'load' : '')]
  const rows = useMemo(
    () => (groupOf ? [...Map.groupBy(matches, groupOf).values()].flat() : matches),
    [matches, groupOf]
  )
  useEffect(() => {
    const ids = () => matches.filter(isHeld).map(({ call }) => call.id)
    shownIds.value = q === '' ? undefined : ids().join() || 'none'
  }, [matches])
  return { rows, groupOf, isAll }
}

/** Amounts are drawn again once the default currency is known. */
const useColumns = (isAll: boolean) =>
  useMemo(
    () => COLUMNS.filter(({ title }) => isAll || title !== SANDBOX),
    [isAll, defaultCurrency.value]
  )

export function Page() {
  const { rows, groupOf, isAll } = useRows()
  const { path, query } = route.value
  const [id = ''] = path
  const columns = useColumns(isAll)
  const chosen = keyChosen(list.value)
  const row = chosen === null ? undefined : list.value.rows.find(({ key }) => key === chosen)
  useResource(readCurrency, '', { once: true })
  useKeptChoice()
  useShortcuts([
    { key: 'p', about: 'Pause the list, or resume it', run: pause },
    { key: 'Escape', about: 'Close the request', run: close }
  ])
  if (isRead.value && rows.length === 0 && !query.q && chosen === null) return <Welcome />
  return (
    <section class="page whole">
      <Search count={countShown(rows)}>
        <Actions />
      </Search>
      <div class="split">
        <Grid
          label="Requests"
          class="tall"
          columns={columns}
          rows={rows}
          keyOf={({ key }) => key}
          targetOf={targetOf}
          linked="Request"
          chosen={chosen}
          classOf={row => (isPast(row) ? 'past' : '')}
          groupOf={groupOf}
          empty={isRead.value && <NoMatch />}
        />
        {chosen !== null && <Detail key={chosen} id={id} row={row} onClose={close} />}
      </div>
    </section>
  )
}

const NoMatch = () => (
  <Empty title="No matching requests" icon="search">
    <a href={hrefOf({ path: [] })}>Show all requests</a>
  </Empty>
)

async function readCurrency(): Promise<void> {
  const { settings } = await control('GET /settings')
  defaultCurrency.value = settings['transactions.default_currency']?.value
}

function countShown(rows: readonly Row[]): string {
  const later =
    paused.value === null
      ? 0
      : list.value.rows.findIndex(({ key }) => key === paused.value?.rows[0]?.key)
  const newer = paused.value === null ? '' : `, paused; ${later < 0 ? 'all are' : later} newer`
  const { calls = 0 } = overview.value ?? {}
  const counted = countOf(rows.length, 'request')
  const isCut = (route.value.query.q ?? '') === '' && dropped.value > 0 && calls > rows.length
  return `${isCut ? `The last ${counted} of ${calls.toLocaleString('en')}` : counted}${newer}`
}

function Actions() {
  const isPaused = paused.value !== null
  return (
    <>
      <Button
        class="small quiet"
        icon={isPaused ? 'play' : 'pause'}
        text={isPaused ? 'Resume' : 'Pause'}
        aria-pressed={isPaused}
        run={pause}
      />
      <Button class="small quiet" icon="trash" text="Clear" run={clear} />
    </>
  )
}

/** When a journal is cleared, the chosen request stays, under another address. */
function useKeptChoice(): void {
  const before = useRef(list.peek())
  const keep = () => {
    const key = keyChosen(before.current)
    const chosen = before.current.rows.find(row => row.key === key)
    before.current = list.value
    if (chosen && isPast(chosen)) go(targetOf(chosen), { replace: true })
  }
  useSignalEffect(() => {
    void list.value
    untracked(keep)
  })
}

const pause = () => (paused.value = paused.value === null ? list.value : null)

const clear = () =>
  ask({
    title: 'Clear the request log?',
    text: 'The requests of this sandbox are removed. Records, coverage and findings stay.',
    action: 'Clear log',
    run: () => act(empty(), 'Request log cleared')
  })

async function empty(): Promise<void> {
  await control('DELETE /requests')
  list.value = { ...list.value, rows: list.value.rows.filter(row => row.sandbox !== sandbox.value) }
  paused.value = null
  close()
}
