/** What differs between two values. */
import { isMoney, moneyShown } from '../../../core/money.js'
import { linked, recordAddress } from './links.js'
import { differences } from './values.js'

const MAX_SHOWN = 40

function renderValue(value: unknown, path: string, currency: unknown) {
  if (typeof value === 'number' && isMoney(path)) return moneyShown(value, currency)
  if (typeof value === 'string' && recordAddress(value)) return linked(value, recordAddress(value))
  const text = JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

type Side = Readonly<Record<string, unknown>>
type Props = { before: Side; after: Side; leave?: readonly string[] }

export function Diff({ before, after, leave = [] }: Props) {
  const all = differences(before, after).filter(
    ({ path }) => !leave.some(field => path === field || path.startsWith(`${field}.`))
  )
  const currency = after.currency ?? before.currency
  return (
    <ul class="diff">
      {all.slice(0, MAX_SHOWN).map(({ path, before: was, after: is }) => (
        <li key={path}>
          {path}: {was !== undefined && <del>{renderValue(was, path, currency)}</del>}{' '}
          {is !== undefined && <ins>{renderValue(is, path, currency)}</ins>}
        </li>
      ))}
      {all.length > MAX_SHOWN && <li>and {all.length - MAX_SHOWN} more</li>}
    </ul>
  )
}
