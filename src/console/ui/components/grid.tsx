/**
 * A table of which a line is chosen, by the pointer or the arrow keys. Its columns are sorted by a
 * click, and the browser keeps how.
 */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { kept, useShortcuts } from '../app/keyboard.js'
import { go, hrefOf, type Target } from '../app/route.js'
import { Button } from './controls.js'
import { Icon } from './icon.js'

export type Column<Row> = {
  title: string
  /** Its width, and how wide the table must be for it. */
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
    .sort((one, other) => way * (Number(one.value > other.value) - Number(one.value < other.value)))
    .map(({ row }) => row)
}

export function Grid<Row>(props: Props<Row>) {
  const { label, columns, rows: given, keyOf, chosen = null, targetOf, groupOf, empty } = props
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const look = useMemo(() => kept<Sort>(`sort ${label}`, null), [label])
  const sort = look.value
  const rows = useMemo(() => sorted(given, columns, sort), [given, sort])
  const [limit, setLimit] = useState(STEP)
  const place = chosen === null ? -1 : rows.findIndex(row => keyOf(row) === chosen)
  const shown = rows.slice(0, Math.min(MAX_SHOWN, Math.max(limit, place + 20)))
  // lines above the one that was the first have just come
  const first = useRef<string | null>(null)
  const come = rows.findIndex(row => keyOf(row) === first.current)
  const head = rows[0] === undefined ? null : keyOf(rows[0])
  useLayoutEffect(() => {
    first.current = head
  }, [head])

  useLayoutEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen, place >= 0, sort])

  const onChoose = (row: Row) => go(targetOf(row), { replace: chosen !== null })
  const step = (by: number) => {
    const last = Math.min(rows.length, MAX_SHOWN) - 1
    const next = rows[place < 0 && Math.abs(by) <= 20 ? 0 : Math.min(last, Math.max(0, place + by))]
    if (next !== undefined) onChoose(next)
  }
  const move = (event: KeyboardEvent) => {
    const by = STEPS[event.key]
    if (event.key === 'Enter' && chosen !== null)
      document.querySelector<HTMLElement>('.beside')?.focus()
    if (by === undefined || (event.target as Element).closest('.head')) return
    event.preventDefault()
    step(by)
  }
  useShortcuts([
    { key: 'j', about: 'Next row', run: () => step(1) },
    { key: 'k', about: 'Previous row', run: () => step(-1) }
  ])
  const more = () => {
    const { scrollTop, clientHeight, scrollHeight } = scroller.current as HTMLElement
    if (scrollTop + 2 * clientHeight > scrollHeight && limit < Math.min(rows.length, MAX_SHOWN))
      setLimit(limit + STEP)
  }

  if (rows.length === 0) return <div class="grid">{empty}</div>
  const group = sort === null ? groupOf : undefined
  return (
    <div
      class={`grid ${props.class ?? ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={place >= 0 ? `${id}-${chosen}` : undefined}
      tabIndex={0}
      ref={scroller}
      onScroll={more}
      onKeyDown={move}
    >
      <div class="head" role="row" aria-rowindex={1} tabIndex={-1}>
        {columns.map(column => (
          <Head key={column.title} column={column} sort={sort} onSort={to => (look.value = to)} />
        ))}
      </div>
      <div role="rowgroup">
        {shown.map((row, at) => {
          const key = keyOf(row)
          const name = group?.(row)
          const isFirst = name !== undefined && (at === 0 || name !== group?.(shown[at - 1] as Row))
          const line = (
            <Line
              key={key}
              id={`${id}-${key}`}
              row={row}
              at={at + 2}
              name={props.classOf?.(row) ?? ''}
              isNew={at < come && come <= MAX_FLASHED}
              href={hrefOf(targetOf(row))}
              isChosen={key === chosen}
              columns={columns}
              linked={props.linked ?? columns[0]?.title}
              onChoose={onChoose}
            />
          )
          return isFirst ? [<Group key={`group ${name}`} name={name} />, line] : line
        })}
      </div>
      {rows.length > MAX_SHOWN && (
        <p class="state">
          The first {MAX_SHOWN.toLocaleString('en')} are shown. Search to find the others.
        </p>
      )}
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
  at: number
  name: string
  isNew: boolean
  href: string
  isChosen: boolean
  columns: readonly Column<Row>[]
  linked: string | undefined
  onChoose: (row: Row) => void
}

function Line<Row>({
  row,
  href,
  columns,
  linked,
  onChoose,
  isNew,
  name,
  at,
  isChosen,
  id
}: LineProps<Row>) {
  const flash = useRef(isNew ? 'new' : '').current
  const cells = useMemo(
    () =>
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
      )),
    [row, href, columns]
  )
  const choose = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a')
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
      aria-rowindex={at}
      aria-selected={isChosen}
      class={`line ${name} ${flash}`}
      onClick={choose}
      tabIndex={-1}
    >
      {cells}
    </div>
  )
}

type HeadProps<Row> = { column: Column<Row>; sort: Sort; onSort: (sort: Sort) => void }

function Head<Row>({ column: { title, class: width = '', by }, sort, onSort }: HeadProps<Row>) {
  const own = sort?.title === title ? sort : null
  const next = own?.isDown ? null : { title, isDown: own !== null }
  const words = own?.isDown ? 'descending' : 'ascending'
  return (
    <div role="columnheader" class={width} aria-sort={own ? words : undefined} tabIndex={-1}>
      {by === undefined ? (
        title
      ) : (
        <Button
          text={[title, own && <Icon key="sort" name={own.isDown ? 'down' : 'up'} />]}
          run={() => onSort(next)}
        />
      )}
    </div>
  )
}
