/**
 * Line plots as SVG without a background, in colours that can be read on a light page and on a dark
 * one.
 */

const [WIDTH, HEIGHT] = [720, 380]
const PLOT = { left: 70, right: 700, top: 70, bottom: 325 }
const TEXT = '#7d8590'
const COLOURS = ['#2f81f7', '#e0702a', '#2da44e', '#bf5af2', '#c9a227', '#d1477a']
/** About the width of a letter. */
const LETTER = 6.3
const DASHES = ['', '6 4', '2 3']

const escaped = text => text.replace(/[&<>]/g, sign => `&#${sign.codePointAt(0)};`)
const short = number =>
  number.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 2 })

/** A round step that divides a range into about five. */
function stepFor(range) {
  const power = 10 ** Math.floor(Math.log10(range / 5))
  return [1, 2, 5, 10].map(factor => factor * power).find(step => range / step <= 6)
}

/**
 * An axis over numbers: `at` returns the share of its length for a number. A linear axis begins at
 * zero.
 */
function axisOver(numbers, isLogarithmic) {
  if (!isLogarithmic) {
    const step = stepFor(Math.max(...numbers))
    const most = Math.ceil(Math.max(...numbers) / step) * step
    return {
      ticks: Array.from({ length: Math.round(most / step) + 1 }, (_, index) => index * step),
      at: number => number / most
    }
  }
  const [first, last] = [
    Math.floor(Math.log10(Math.min(...numbers))),
    Math.ceil(Math.log10(Math.max(...numbers)))
  ]
  return {
    ticks: Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index)),
    at: number => (Math.log10(number) - first) / (last - first)
  }
}

/**
 * Draws lines.
 * @param {{ title: string, x: { label: string, log?: boolean }, y: { label: string, log?: boolean
 * }, lines: { name: string, colour: number, dash?: number, points: [number, number][] }[] }} plot
 *   `colour` and `dash` are places in the lists of this module
 * @returns the text of the SVG
 */
export function drawLines({ title, x, y, lines }) {
  const across = axisOver(
    lines.flatMap(({ points }) => points.map(([at]) => at)),
    x.log
  )
  const up = axisOver(
    lines.flatMap(({ points }) => points.map(([, at]) => at)),
    y.log
  )
  const place = number => number.toFixed(1)
  const xOf = number => place(PLOT.left + across.at(number) * (PLOT.right - PLOT.left))
  const yOf = number => place(PLOT.bottom - up.at(number) * (PLOT.bottom - PLOT.top))
  const text = (at, content, more = '') =>
    `<text x="${at[0]}" y="${at[1]}" ${more}>${escaped(content)}</text>`
  const grid = [
    ...up.ticks.flatMap(tick => [
      `<path d="M${PLOT.left} ${yOf(tick)}H${PLOT.right}" stroke="${TEXT}" stroke-opacity="0.3"/>`,
      text([PLOT.left - 8, Number(yOf(tick)) + 4], short(tick), 'text-anchor="end"')
    ]),
    ...across.ticks.map(tick =>
      text([xOf(tick), PLOT.bottom + 18], short(tick), 'text-anchor="middle"')
    )
  ]
  const columns = Math.max(
    1,
    Math.floor(
      (PLOT.right - PLOT.left) / Math.max(...lines.map(({ name }) => 44 + name.length * LETTER))
    )
  )
  const drawn = lines.flatMap(({ name, colour, dash = 0, points }, index) => {
    const stroke = `fill="none" stroke="${COLOURS[colour]}" stroke-width="2" stroke-dasharray="${DASHES[dash]}"`
    const [left, top] = [
      PLOT.left + (index % columns) * ((PLOT.right - PLOT.left) / columns),
      36 + Math.floor(index / columns) * 16
    ]
    return [
      `<path d="M${points.map(([a, b]) => `${xOf(a)} ${yOf(b)}`).join('L')}" ${stroke}/>`,
      ...points.map(
        ([a, b]) =>
          `<circle cx="${xOf(a)}" cy="${yOf(b)}" r="2.5" fill="${COLOURS[colour]}"><title>${short(a)}: ${short(b)}</title></circle>`
      ),
      `<path d="M${left} ${top - 4}h22" ${stroke}/>`,
      text([left + 28, top], name)
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="${TEXT}" role="img">`,
    `<title>${escaped(title)}</title>`,
    text([PLOT.left, 16], title, 'font-size="14" font-weight="600"'),
    ...grid,
    text([PLOT.right, PLOT.bottom + 40], x.label, 'text-anchor="end"'),
    text([8, PLOT.top - 12], y.label),
    ...drawn,
    '</svg>\n'
  ].join('\n')
}
