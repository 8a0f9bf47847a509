/** The plots of a run: page cost over size, memory over records, latency over load. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawLines } from './svg.mjs'

const PLOTS = {
  page: {
    title: 'A page of ten, p50, over the number of Transactions',
    x: { label: 'Transactions', log: true },
    y: { label: 'µs' },
    rows: { page: 'newest first', 'page.narrowed': 'by location and created' }
  },
  memory: {
    title: 'Resident memory over the number of Transactions',
    x: { label: 'Transactions' },
    y: { label: 'MiB' },
    rows: { 'memory.generated': 'generated', 'memory.posted': 'posted' }
  },
  latency: {
    title: 'A list of ten: latency over load',
    x: { label: 'requests a second' },
    y: { label: 'µs', log: true },
    rows: { latency: 'p50', 'latency.p99': 'p99' }
  }
}

/** Places in the list of colours, so that a target has the same one in every plot. */
const COLOUR = { emulator: 0, before: 1, control: 2 }

/** The lines of a plot: a colour for each target, a dash for each row. */
function linesOf(rows, titles) {
  const present = Object.keys(titles).flatMap(id => rows.find(row => row.id === id) ?? [])
  const targets = [...new Set(present.flatMap(({ series }) => Object.keys(series)))]
  return targets.flatMap(target =>
    present
      .filter(({ series }) => series[target]?.length > 1)
      .map(({ id, series }) => ({
        name: targets.length > 1 ? `${target}, ${titles[id]}` : titles[id],
        colour: COLOUR[target],
        dash: Object.keys(titles).indexOf(id),
        points: series[target]
      }))
  )
}

/** Writes the plots that rows of a run have the points for, as SVG, into a folder. */
export function writePlots(rows, folder) {
  mkdirSync(folder, { recursive: true })
  for (const [name, { rows: titles, ...plot }] of Object.entries(PLOTS)) {
    const lines = linesOf(rows, titles)
    if (lines.length > 0) writeFileSync(join(folder, `${name}.svg`), drawLines({ ...plot, lines }))
  }
}
