/** A table whose lines can be chosen and whose columns can be sorted. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { storedSignal, useShortcuts } from '../app/keyboard.js'
import { go, hrefOf, type Target } from '../app/route.js'
import { Button, closest } from './controls.js'
import { Icon } from './icon.js'

export type Column<Row> = {
  title: string
  /** Its width, and how wide the table must be to show it. */
  class?: string
  by?: (row: Row) => string | number
  cell: (row: Row) => ComponentChildren
}

type Props<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  targetOf: (row: Row) => Target
  linked?: string
  chosen?: string | null
  classOf?: (row: Row) => string
  groupOf?: ((row: Row) => string) | undefined
  class?: string
  empty: ComponentChildren
}

const STEP = Math.ceil(innerHeight / 32) + 2
const MAX_SHOWN = 1000
const MAX_FLASHED = 10
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 20,
  PageUp: -20,
  End: Infinity,
  Home: -Infinity
}

type Sort = { title: string; isDown: boolean } | null

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: Sort) {
  const by = columns.find(({ title }) => title === sort?.title)?.by
  if (by === undefined) return rows
  const way = sort?.isDown ? -1 : 1
  return rows
    .map(row => ({ row, value: by(row) }))
    .sort((a, b) => way * (Number(a.value > b.value) - Number(a.value < b.value)))
    .map(({ row }) => row)
}

export function Grid<Row>(props: Props<Row>) {
  const { label, columns, keyOf, chosen = null, targetOf } = props
  const id = useId()
  const storedSort = useMemo(() => storedSignal<Sort>(`sort ${label}`, null), [label])
  const sort = storedSort.value
  const rows = useMemo(() => sorted(props.rows, columns, sort), [props.rows, sort])
  const { limit, onScroll } = useLimit(rows.length)
  const place = chosen === null ? -1 : rows.findIndex(row => keyOf(row) === chosen)
  useLayoutEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen, place >= 0, sort])
  const onChoose = (row: Row) => go(targetOf(row), { replace: chosen !== null })
  const onKeyDown = useSteps(rows, place, chosen, onChoose)

  if (rows.length === 0) return <div class="grid">{props.empty}</div>
  const count = Math.min(MAX_SHOWN, Math.max(limit, place + 20))
  const groupOf = sort === null ? props.groupOf : undefined
  return (
    <div
      class={`grid ${props.class ?? ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={place >= 0 ? `${id}-${chosen}` : undefined}
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <Heads columns={columns} sort={sort} onSort={to => (storedSort.value = to)} />
      <Lines {...props} id={id} rows={rows} count={count} groupOf={groupOf} onChoose={onChoose} />
      {rows.length > MAX_SHOWN && (
        <p class="state">
          The first {MAX_SHOWN.toLocaleString('en')} are shown. Search to find the rest.
        </p>
      )}
    </div>
  )
}

/** How many lines are drawn; scrolling draws more. */
function useLimit(count: number) {
  const [limit, setLimit] = useState(STEP)
  const onScroll = ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const { scrollTop, clientHeight, scrollHeight } = currentTarget
    if (scrollTop + 2 * clientHeight > scrollHeight && limit < Math.min(count, MAX_SHOWN))
      setLimit(limit + STEP)
  }
  return { limit, onScroll }
}

function useSteps<Row>(
  rows: readonly Row[],
  place: number,
  chosen: string | null,
  onChoose: (row: Row) => void
) {
  const step = (by: number) => {
    const last = Math.min(rows.length, MAX_SHOWN) - 1
    const next = rows[place < 0 && Math.abs(by) <= 20 ? 0 : Math.min(last, Math.max(0, place + by))]
    if (next !== undefined) onChoose(next)
  }
  useShortcuts([
    { key: 'j', about: 'Next row', run: () => step(1) },
    { key: 'k', about: 'Previous row', run: () => step(-1) }
  ])
  return (event: KeyboardEvent) => {
    const by = STEPS[event.key]
    if (event.key === 'Enter' && chosen !== null)
      document.querySelector<HTMLElement>('.beside')?.focus()
    if (by === undefined || closest(event, '.head')) return
    event.preventDefault()
    step(by)
  }
}

type LinesProps<Row> = Props<Row> & { id: string; count: number; onChoose: (row: Row) => void }

/** Rows above the earlier first row are new. */
function Lines<Row>({ id, rows, count, columns, keyOf, onChoose, ...props }: LinesProps<Row>) {
  const first = useRef<string | null>(null)
  const newCount = rows.findIndex(row => keyOf(row) === first.current)
  const head = rows[0] === undefined ? null : keyOf(rows[0])
  useLayoutEffect(() => {
    first.current = head
  }, [head])
  let group: string | undefined
  return (
    <div role="rowgroup">
      {rows.slice(0, count).map((row, place) => {
        const key = keyOf(row)
        const before = group
        group = props.groupOf?.(row)
        const line = (
          <Line
            key={key}
            id={`${id}-${key}`}
            row={row}
            index={place + 2}
            name={props.classOf?.(row) ?? ''}
            isNew={place < newCount && newCount <= MAX_FLASHED}
            href={hrefOf(props.targetOf(row))}
            isChosen={key === props.chosen}
            columns={columns}
            linked={props.linked ?? columns[0]?.title}
            onChoose={onChoose}
          />
        )
        return group === undefined || group === before
          ? line
          : [<Group key={`group ${group}`} name={group} />, line]
      })}
    </div>
  )
}

const Group = ({ name }: { name: string }) => (
  <div class="group" role="row" tabIndex={-1}>
    <div role="gridcell" tabIndex={-1}>
      {name}
    </div>
  </div>
)

type LineProps<Row> = {
  id: string
  row: Row
  index: number
  name: string
  isNew: boolean
  href: string
  isChosen: boolean
  columns: readonly Column<Row>[]
  linked: string | undefined
  onChoose: (row: Row) => void
}

const cellsOf = <Row,>({ row, href, columns, linked }: LineProps<Row>) =>
  columns.map(({ title, class: width = '', cell }) => (
    <div key={title} role="gridcell" class={width} tabIndex={-1}>
      {title === linked ? (
        <a class="cover" href={href} tabIndex={-1}>
          {cell(row)}
        </a>
      ) : (
        cell(row)
      )}
    </div>
  ))

function Line<Row>(props: LineProps<Row>) {
  const { id, row, index, name, isNew, href, isChosen, columns, onChoose } = props
  const flash = useRef(isNew ? 'new' : '').current
  const cells = useMemo(() => cellsOf(props), [row, href, columns])
  const choose = (event: MouseEvent) => {
    const link = closest(event, 'a')
    const isOther = link !== null && !link.classList.contains('cover')
    if (event.ctrlKey || event.metaKey || event.shiftKey || isOther) return
    event.preventDefault()
    onChoose(row)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table takes the keys
    <div
      id={id}
      role="row"
      aria-rowindex={index}
      aria-selected={isChosen}
      class={`line ${name} ${flash}`}
      onClick={choose}
      tabIndex={-1}
    >
      {cells}
    </div>
  )
}

type Sorting = { sort: Sort; onSort: (sort: Sort) => void }

const Heads = <Row,>({ columns, ...sorting }: Sorting & { columns: readonly Column<Row>[] }) => (
  <div class="head" role="row" aria-rowindex={1} tabIndex={-1}>
    {columns.map(column => (
      <Head key={column.title} column={column} {...sorting} />
    ))}
  </div>
)

type HeadProps<Row> = Sorting & { column: Column<Row> }

function Head<Row>({ column: { title, class: width = '', by }, sort, onSort }: HeadProps<Row>) {
  const current = sort?.title === title ? sort : null
  const next = current?.isDown ? null : { title, isDown: current !== null }
  const words = current?.isDown ? 'descending' : 'ascending'
  return (
    <div role="columnheader" class={width} aria-sort={current ? words : undefined} tabIndex={-1}>
      {by === undefined ? (
        title
      ) : (
        <Button
          text={[title, current && <Icon key="sort" name={current.isDown ? 'down' : 'up'} />]}
          run={() => onSort(next)}
        />
      )}
    </div>
  )
}
