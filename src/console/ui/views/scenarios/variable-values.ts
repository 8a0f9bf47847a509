/** Values of variables as they are typed in. */
import { jsonIn } from '../../../../core/json.js'
import { typedValue } from '../../../../core/typed-value.js'
import type { ListedScenario } from '../../control/client.js'
import { pairsIn } from '../form.js'

/**
 * What was typed that differs from a default, and `more`, a line for each. One of another type than
 * its default is sent as text, and refused.
 */
export function givenVariables(
  declared: ListedScenario['vars'] = {},
  typed: Readonly<Record<string, string>>,
  more: string
): object {
  const changed = Object.entries(typed).filter(([name, text]) => text !== String(declared[name]))
  return Object.fromEntries([
    ...changed.map(([name, text]) => [name, typedValue(text, { type: typeof declared[name] })]),
    ...pairsIn(more).map(([name, text]) => [name, jsonIn(text)])
  ])
}
