/** Values of variables as they are typed in. */
import type { Scalar } from '../../control/client.js'

export type Kind = 'text' | 'number' | 'true or false'
/** `fallback` is the default of a declared variable; the others have names that are typed in. */
export type Row = { name: string; value: string; kind: Kind; fallback?: Scalar }

const KINDS: Readonly<Record<string, Kind>> = { number: 'number', boolean: 'true or false' }

/** A row for each variable that the scenario declares. */
export const rowsOf = (declared: Readonly<Record<string, Scalar>> | undefined): Row[] =>
  Object.entries(declared ?? {}).map(([name, fallback]) => ({ name, value: String(fallback), kind: KINDS[typeof fallback] ?? 'text', fallback }))

/** The values that differ from their defaults. One of another type is sent as text, and refused. */
export function givenVariables(rows: readonly Row[]): Record<string, Scalar> {
  const given = rows.filter(({ name, value, fallback }) => name.trim() !== '' && String(fallback) !== value)
  return Object.fromEntries(given.map(({ name, value, kind }) => [name.trim(), scalarIn(value, kind)]))
}

function scalarIn(value: string, kind: Kind): Scalar {
  const text = value.trim()
  if (kind === 'number' && text !== '' && Number.isFinite(Number(text))) return Number(text)
  return kind === 'true or false' && (text === 'true' || text === 'false') ? text === 'true' : value
}
