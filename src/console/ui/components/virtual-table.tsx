/** A table of any length: only visible rows are in the page. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export type Column<Row> = {
  title: string
  /** As in `grid-template-columns`. */
  width: string
  /** Left out where there is little room. */
  isSecondary?: boolean
  isNumber?: boolean
  cell: (row: Row) => ComponentChildren
}

type Props<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  chosen?: string | null
  onChoose?: (row: Row) => void
  classOf?: (row: Row) => string
  empty?: ComponentChildren
}

/** Width below which secondary columns are left out, in pixels. */
const NARROW = 580
/** In pixels. */
const ROW_HEIGHT = 32
/** Rows above and below those that can be seen. */
const MARGIN = 8
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }

/** Rows that are added above what is shown do not move it, unless its beginning is shown. */
export function VirtualTable<Row>({ label, columns: all, rows, keyOf, chosen = null, onChoose, classOf, empty }: Props<Row>) {
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600, width: NARROW })
  const first = useRef<string | null>(null)
  const columns = view.width < NARROW ? all.filter(({ isSecondary }) => !isSecondary) : all
  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') }

  const look = () => {
    const element = scroller.current
    if (element !== null) setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth })
  }
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const [head] = rows
  const headKey = head === undefined ? null : keyOf(head)
  useLayoutEffect(() => {
    const element = scroller.current
    const before = first.current
    first.current = headKey
    if (element === null || before === null || before === headKey || element.scrollTop < ROW_HEIGHT) return
    const added = rows.findIndex(row => keyOf(row) === before)
    if (added > 0) element.scrollTop += added * ROW_HEIGHT
  }, [headKey])

  useLayoutEffect(() => {
    const place = chosen === null ? -1 : rows.findIndex(row => keyOf(row) === chosen)
    const element = scroller.current
    if (place < 0 || element === null) return
    const top = place * ROW_HEIGHT
    const shown = element.clientHeight - ROW_HEIGHT * 2
    if (top < element.scrollTop) element.scrollTop = top
    else if (top > element.scrollTop + shown) element.scrollTop = top - shown
  }, [chosen])

  const start = Math.max(0, Math.floor(view.top / ROW_HEIGHT) - MARGIN)
  const end = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW_HEIGHT) + MARGIN)
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined || onChoose === undefined || rows.length === 0) return
    event.preventDefault()
    const place = rows.findIndex(row => keyOf(row) === chosen)
    onChoose(rows[Math.min(rows.length - 1, Math.max(0, place + step))] as Row)
  }

  if (rows.length === 0 && empty !== undefined) {
    return (
      <div class="grid" ref={scroller}>
        {empty}
      </div>
    )
  }
  return (
    <div class="grid" role="grid" aria-label={label} aria-rowcount={rows.length + 1} tabIndex={0} ref={scroller} onScroll={look} onKeyDown={move}>
      <div class="grid-head" role="row" aria-rowindex={1} style={template} tabIndex={-1}>
        {columns.map(({ title, isNumber }) => (
          <div key={title} role="columnheader" class={isNumber ? 'number' : ''} tabIndex={-1}>
            {title}
          </div>
        ))}
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {rows.slice(start, end).map((row, place) => {
          const key = keyOf(row)
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
            <div
              key={key}
              role="row"
              aria-rowindex={start + place + 2}
              aria-selected={onChoose && key === chosen}
              class={`grid-row ${classOf?.(row) ?? ''}`}
              style={{ ...template, height: `${ROW_HEIGHT}px`, transform: `translateY(${(start + place) * ROW_HEIGHT}px)` }}
              onClick={onChoose && (event => (event.target as Element).closest('a') === null && onChoose(row))}
              tabIndex={-1}
            >
              {columns.map(({ title, cell, isNumber }) => (
                <div key={title} role="gridcell" class={isNumber ? 'number' : ''} tabIndex={-1}>
                  {cell(row)}
                </div>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}
