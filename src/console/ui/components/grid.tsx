/**
 * A table of any length: only visible rows are in the page. Its columns are sorted by a click and
 * resized by a drag, and the browser keeps both.
 */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useShortcuts } from '../app/keyboard.js'
import { kept } from '../app/memory.js'
import { Icon } from './icon.js'

export type Column<Row> = {
  title: string
  /** As in `grid-template-columns`. */
  width: string
  /** Left out where there is less room, in pixels. */
  from?: number
  isNumber?: boolean
  /** What rows are sorted by; a column without it sorts nothing. */
  by?: (row: Row) => string | number
  /** `isTall` where rows have two lines. */
  cell: (row: Row, isTall: boolean) => ComponentChildren
}

type Props<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  hrefOf: (row: Row) => string
  /** The column whose cells are links that cover the row; the first when left out. */
  linked?: string
  chosen?: string | null
  onChoose: (row: Row) => void
  classOf?: (row: Row) => string
  /** Where there is less room than this, in pixels, rows have two lines. */
  tallBelow?: number
  empty: ComponentChildren
}

/** In pixels. */
const HEAD_HEIGHT = 36
const TALL_HEIGHT = 56
const NARROWEST = 48
/** Rows above and below those that can be seen. */
const MARGIN = 8
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 20,
  PageUp: -20,
  End: Infinity,
  Home: -Infinity
}

/** How the rows are sorted, and how wide columns are. */
type Look = {
  sort: { title: string; isDown: boolean } | null
  widths: Readonly<Record<string, number>>
}

function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Look['sort']
): readonly Row[] {
  const by = columns.find(({ title }) => title === sort?.title)?.by
  if (by === undefined) return rows
  const compared = (one: Row, other: Row) =>
    Number(by(one) > by(other)) - Number(by(one) < by(other))
  return [...rows].sort((one, other) =>
    sort?.isDown ? compared(other, one) : compared(one, other)
  )
}

/**
 * Arrow keys move the choice, which is always in view; so do `j` and `k`. Rows that are added above
 * what is shown do not move it, unless its beginning is shown.
 */
export function Grid<Row>(props: Props<Row>) {
  const {
    label,
    columns: all,
    rows: given,
    keyOf,
    hrefOf,
    linked = all[0]?.title,
    chosen = null,
    onChoose,
    classOf,
    tallBelow = 0,
    empty
  } = props
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const [view, setView] = useState({ top: 0, height: 600, width: 0 })
  const first = useRef<string | null>(null)
  const looked = useMemo(() => kept<Look>(`grid ${label}`, { sort: null, widths: {} }), [label])
  const { sort, widths } = looked.value
  const rows = useMemo(() => sorted(given, all, sort), [given, sort])
  const isTall = view.width < tallBelow
  const height = isTall ? TALL_HEIGHT : HEAD_HEIGHT
  const columns = all.filter(({ from = 0 }) => view.width >= from)
  const template = {
    gridTemplateColumns: columns
      .map(({ title, width }) => (widths[title] ? `${widths[title]}px` : width))
      .join(' ')
  }
  const keep = (changed: Partial<Look>) => (looked.value = { ...looked.value, ...changed })

  const look = () => {
    const {
      scrollTop: top,
      clientHeight: height,
      clientWidth: width
    } = scroller.current as HTMLElement
    setView({ top, height, width })
  }
  useLayoutEffect(() => {
    look()
    const observer = new ResizeObserver(look)
    observer.observe(scroller.current as HTMLElement)
    return () => observer.disconnect()
  }, [])

  const headKey = rows[0] === undefined ? null : keyOf(rows[0])
  useLayoutEffect(() => {
    const element = scroller.current as HTMLElement
    const before = first.current
    first.current = headKey
    if (before === null || before === headKey || element.scrollTop < height) return
    const added = rows.findIndex(row => keyOf(row) === before)
    if (added > 0) element.scrollTop += added * height
  }, [headKey])

  const place = chosen === null ? -1 : rows.findIndex(row => keyOf(row) === chosen)
  useLayoutEffect(() => {
    const element = scroller.current as HTMLElement
    if (place < 0) return
    const top = place * height
    const shown = element.clientHeight - HEAD_HEIGHT - height
    if (top < element.scrollTop) element.scrollTop = top
    else if (top > element.scrollTop + shown) element.scrollTop = top - shown
  }, [chosen, place >= 0, view.height, height, sort])

  const step = (by: number) => {
    const next =
      rows[place < 0 && Math.abs(by) <= 20 ? 0 : Math.min(rows.length - 1, Math.max(0, place + by))]
    if (next !== undefined) onChoose(next)
  }
  const move = (event: KeyboardEvent) => {
    const by = STEPS[event.key]
    if (event.key === 'Enter' && chosen !== null)
      document.querySelector<HTMLElement>('.beside')?.focus()
    if (by === undefined || (event.target as Element).closest('[role="columnheader"]')) return
    event.preventDefault()
    step(by)
  }
  useShortcuts([
    { key: 'j', about: 'Next row', run: () => step(1) },
    { key: 'k', about: 'Previous row', run: () => step(-1) }
  ])

  const start = Math.max(0, Math.floor(view.top / height) - MARGIN)
  const end = Math.min(rows.length, Math.ceil((view.top + view.height) / height) + MARGIN)
  const choose = (row: Row) => (event: MouseEvent) => {
    const link = (event.target as Element).closest('a')
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      (link !== null && !link.classList.contains('cover'))
    )
      return
    event.preventDefault()
    onChoose(row)
  }

  if (rows.length === 0) {
    return (
      <div class="grid" ref={scroller}>
        {empty}
      </div>
    )
  }
  return (
    <div
      class="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={place >= start && place < end ? `${id}-${place}` : undefined}
      tabIndex={0}
      ref={scroller}
      onScroll={look}
      onKeyDown={move}
    >
      <div class="grid-head" role="row" aria-rowindex={1} style={template} tabIndex={-1}>
        {columns.map(column => (
          <Head key={column.title} column={column} look={looked.value} keep={keep} />
        ))}
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${rows.length * height}px` }}>
        {rows.slice(start, end).map((row, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
          <div
            key={keyOf(row)}
            id={`${id}-${start + at}`}
            role="row"
            aria-rowindex={start + at + 2}
            aria-selected={start + at === place}
            class={`grid-row ${classOf?.(row) ?? ''}`}
            style={{
              ...template,
              height: `${height}px`,
              transform: `translateY(${(start + at) * height}px)`
            }}
            onClick={choose(row)}
            tabIndex={-1}
          >
            {columns.map(({ title, cell, isNumber }) => (
              <div key={title} role="gridcell" class={isNumber ? 'number' : ''} tabIndex={-1}>
                {title === linked ? (
                  <a class="cover" href={hrefOf(row)} tabIndex={-1}>
                    {cell(row, isTall)}
                  </a>
                ) : (
                  cell(row, isTall)
                )}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

type HeadProps<Row> = { column: Column<Row>; look: Look; keep: (changed: Partial<Look>) => unknown }

/**
 * A click sorts up, then down, then no more. A drag of its edge, or Shift with an arrow key, makes
 * the column wider or narrower; a double click resets it.
 */
function Head<Row>({
  column: { title, isNumber, by },
  look: { sort, widths },
  keep
}: HeadProps<Row>) {
  const element = useRef<HTMLDivElement>(null)
  const sign = sort?.title === title ? sort : null
  const turn = () => {
    if (sign === null) return { title, isDown: false }
    return sign.isDown ? null : { title, isDown: true }
  }
  const widen = (by: number, from = element.current?.offsetWidth ?? 0) =>
    keep({ widths: { ...widths, [title]: Math.max(NARROWEST, Math.round(from + by)) } })
  const drag = (event: PointerEvent) => {
    event.preventDefault()
    const grip = event.currentTarget as HTMLElement
    const from = element.current?.offsetWidth ?? 0
    const move = ({ clientX }: PointerEvent) => widen(clientX - event.clientX, from)
    grip.setPointerCapture(event.pointerId)
    grip.addEventListener('pointermove', move)
    grip.addEventListener(
      'lostpointercapture',
      () => grip.removeEventListener('pointermove', move),
      { once: true }
    )
  }
  const resize = (event: KeyboardEvent) => {
    if (!event.shiftKey || !/^Arrow(Left|Right)$/.test(event.key)) return
    event.preventDefault()
    widen(event.key === 'ArrowLeft' ? -16 : 16)
  }
  const words = sign?.isDown ? 'descending' : 'ascending'
  return (
    <div role="columnheader" ref={element} aria-sort={sign ? words : undefined} tabIndex={-1}>
      <button
        type="button"
        class={isNumber ? 'number' : ''}
        disabled={by === undefined}
        onClick={() => keep({ sort: turn() })}
        onKeyDown={resize}
      >
        {title}
        {sign && <Icon name={sign.isDown ? 'down' : 'up'} />}
      </button>
      <span
        class="grip"
        aria-hidden="true"
        onPointerDown={drag}
        onDblClick={() =>
          keep({
            widths: Object.fromEntries(Object.entries(widths).filter(([name]) => name !== title))
          })
        }
      />
    </div>
  )
}
