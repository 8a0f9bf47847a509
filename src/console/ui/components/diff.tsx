/** The differences of two values, each on a line. */
import { differences } from './differences.js'

const MAX_SHOWN = 12
const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

export function Diff({
  before,
  after,
  leave = []
}: {
  before: unknown
  after: unknown /** Fields whose differences say nothing. */
  leave?: readonly string[]
}) {
  const all = differences(before, after).filter(({ path }) => !leave.some(field => path === field || path.startsWith(`${field}.`)))
  if (all.length === 0) return null
  return (
    <ul class="diff">
      {all.slice(0, MAX_SHOWN).map(one => (
        <li key={one.path}>
          {one.path !== '' && `${one.path}: `}
          {one.before !== undefined && <del>{shown(one.before)}</del>} {one.after !== undefined && <ins>{shown(one.after)}</ins>}
        </li>
      ))}
      {all.length > MAX_SHOWN && <li>and {all.length - MAX_SHOWN} more</li>}
    </ul>
  )
}
