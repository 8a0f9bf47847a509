/** The rows as a table, in text or in Markdown. */

const digits = (number, count) =>
  number.toLocaleString('en-US', { minimumFractionDigits: count, maximumFractionDigits: count })

/** A figure with three digits that count. */
export function figure(number) {
  const size = Math.abs(number)
  if (size >= 100) return digits(number, 0)
  if (size >= 10) return digits(number, 1)
  return digits(number, 2)
}
const share = ({ median }) => `${digits(median, median < 0.1 ? 3 : 2)} ×`
const spread = ({ low, high }, show) => (low === high ? '–' : `${show(low)}–${show(high)}`)

/**
 * The columns of some rows: the targets that were measured, their ratios, and those of an earlier
 * run where there is one.
 */
function columnsOf(rows, earlier) {
  const targets = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))].filter(target =>
    rows.every(({ baseline }) => target !== baseline)
  )
  const columns = [
    ['work', row => row.work],
    ['unit', row => row.unit],
    ['control', row => (row.baseline === null ? '–' : figure(row.values[row.baseline].median))]
  ]
  for (const target of targets) {
    columns.push([target, row => (row.values[target] ? figure(row.values[target].median) : '–')])
    columns.push(['ratio', row => (row.ratios[target] ? share(row.ratios[target]) : '–')])
    if (target === 'emulator')
      columns.push([
        'quartiles',
        row =>
          row.ratios[target]
            ? spread(row.ratios[target], ratio => digits(ratio, 2))
            : spread(row.values[target], figure)
      ])
  }
  if (earlier) {
    const of = ({ id }) => earlier.find(row => row.id === id)
    columns.push(['earlier', row => (of(row) ? figure(of(row).values.emulator.median) : '–')])
    columns.push([
      'ratio',
      row => (of(row)?.ratios.emulator ? share(of(row).ratios.emulator) : '–')
    ])
  }
  if (rows.some(({ note }) => note)) columns.push(['note', row => row.note])
  return columns
}

const LEFT = new Set(['work', 'unit', 'note'])

/**
 * @param rows those of this run; @param earlier those of an earlier one, or null; @returns lines of
 * aligned columns
 */
export function textTable(rows, earlier) {
  const columns = columnsOf(rows, earlier)
  const cells = [
    columns.map(([title]) => title),
    ...rows.map(row => columns.map(([, cell]) => cell(row)))
  ]
  const widths = columns.map((_, column) => Math.max(...cells.map(line => line[column].length)))
  const lines = cells.map(line =>
    line
      .map((cell, column) =>
        LEFT.has(columns[column][0]) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])
      )
      .join('  ')
      .trimEnd()
  )
  return lines.join('\n')
}

/** The same as a table in Markdown. */
export function markdownTable(rows, earlier) {
  const columns = columnsOf(rows, earlier)
  const line = cells => `| ${cells.join(' | ')} |`
  const rules = columns.map(([title]) => (LEFT.has(title) ? '---' : '---:'))
  const indented = text => text.replace(/^ +/, '&emsp;')
  return [
    line(columns.map(([title]) => title)),
    line(rules),
    ...rows.map(row => line(columns.map(([, cell]) => indented(cell(row)))))
  ].join('\n')
}
