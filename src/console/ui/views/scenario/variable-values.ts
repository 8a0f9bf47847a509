/** Values of variables as they are typed in. */
import { typedValue } from '../../../../core/typed-value.js'
import type { ListedScenario } from '../../control/client.js'

/**
 * What was typed that differs from a default. One of another type than its default is sent as text,
 * and refused.
 */
export const givenVariables = (
  declared: ListedScenario['vars'] = {},
  typed: Readonly<Record<string, string>>
): object =>
  Object.fromEntries(
    Object.entries(typed)
      .filter(([name, text]) => text !== String(declared[name]))
      .map(([name, text]) => [name, typedValue(text, { type: typeof declared[name] })])
  )
