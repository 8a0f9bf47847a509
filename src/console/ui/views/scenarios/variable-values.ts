/** Values of variables as they are typed in. */
import { jsonIn } from '../../../../core/json.js'
import type { ListedScenario, Scalar } from '../../control/client.js'
import { pairsIn } from '../form.js'

type Declared = NonNullable<ListedScenario['vars']>
export type Typed = Readonly<Record<string, string>>

export const typedOf = (declared: Declared = {}): Typed => Object.fromEntries(Object.entries(declared).map(([name, value]) => [name, String(value)]))

/** A number, true or false where the text is one; anything else is a text, in quotes or not. */
function scalarIn(text: string): Scalar {
  const value = jsonIn(text)
  return ['string', 'number', 'boolean'].includes(typeof value) ? (value as Scalar) : text
}

/** The values that differ from their defaults, and `more`, a line for each. One of another type than its default is sent as text, and refused. */
export function givenVariables(declared: Declared = {}, typed: Typed, more: string): Record<string, Scalar> {
  const changed = Object.entries(declared).filter(([name, fallback]) => typed[name] !== String(fallback))
  const asTyped = changed.map(([name, fallback]) => {
    const text = typed[name] as string
    const value = typeof fallback === 'string' ? text : scalarIn(text)
    return [name, typeof value === typeof fallback ? value : text] as const
  })
  return Object.fromEntries([...asTyped, ...pairsIn(more).map(([name, text]) => [name, scalarIn(text)] as const)])
}
