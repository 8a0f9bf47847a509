/** The differences of two values or texts, each on a line. */

import { differences, linesDiffering } from './differences.js'
import { Scroll } from './layout.js'

const MAX_SHOWN = 40
const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

/** `leave` are fields whose differences say nothing. */
export function Diff({
  before,
  after,
  leave = []
}: {
  before: unknown
  after: unknown
  leave?: readonly string[]
}) {
  const all = differences(before, after).filter(
    ({ path }) => !leave.some(field => path === field || path.startsWith(`${field}.`))
  )
  if (all.length === 0) return null
  return (
    <ul class="diff">
      {all.slice(0, MAX_SHOWN).map(one => (
        <li key={one.path}>
          {one.path !== '' && `${one.path}: `}
          {one.before !== undefined && <del>{shown(one.before)}</del>}{' '}
          {one.after !== undefined && <ins>{shown(one.after)}</ins>}
        </li>
      ))}
      {all.length > MAX_SHOWN && <li>and {all.length - MAX_SHOWN} more</li>}
    </ul>
  )
}

/** What a text lacks and has more than another; lines that both have are shown around that. */
export function LineDiff({
  label,
  before,
  after
}: {
  label: string
  before: string
  after: string
}) {
  const lines = linesDiffering(before, after)
  const near = (at: number) =>
    lines.slice(Math.max(0, at - 2), at + 3).some(({ side }) => side !== 'both')
  const isSame = lines.every(({ side }) => side === 'both')
  return (
    <div class="stack">
      <h2>{label}</h2>
      {isSame && <p class="faint">They are the same.</p>}
      <Scroll class="diff" label={label}>
        {lines.map(({ side, text }, at) => {
          const Line = ({ both: 'span', before: 'del', after: 'ins' } as const)[side]
          if (near(at)) return <Line key={at}>{text || ' '}</Line>
          return at > 0 && near(at - 1) && <hr key={at} />
        })}
      </Scroll>
    </div>
  )
}
