/** Numbers that are not printed as they are written, such as `1.10`: refused where text belongs. */

import { QUOTE_IT } from '../../core/checking.js'
import { FORMATS } from '../../core/formats.js'
import { type PlacedProblem, partAt, pathOf, problemAt, type Step } from '../../core/places.js'
import { isSecret } from '../../core/redaction.js'
import { SETTING_KEYS, SETTINGS } from '../../core/settings.js'
import { type Schema, schemaOf } from '../../reference/parameters.js'
import { PARAMETER_TABLES } from '../../reference/tables.js'
import { say } from '../sentences.js'

export type WrittenNumber = { steps: readonly Step[]; source: string }

export const losesCharacters = (source: string): boolean =>
  /^[-+.\d]/.test(source) && String(Number(source)) !== source

/** Names whose values are numbers, or numbers and text. */
const NUMBERS: ReadonlySet<string> = new Set([
  ...PARAMETER_TABLES.flatMap(numbersIn),
  ...['calls', 'times', 'payments_per_ticket', 'status', 'chance']
])
const NUMBER_SETTINGS = SETTING_KEYS.filter(
  key => schemaOf(SETTINGS[key].schema).type === 'integer'
)
function numbersIn({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, part]) =>
    /^(?:integer|number)$/.test(String(part.type)) ? [name] : numbersIn(part)
  )
}

/** Reports numbers that lose characters where text belongs, in place of other problems there. */
export function withNumbers(
  { numbers = [] }: { numbers?: readonly WrittenNumber[] },
  data: unknown,
  problems: readonly PlacedProblem[]
): readonly PlacedProblem[] {
  const refused = new Map(problems.map(problem => [problem.path, problem]))
  const asText = new Map<string, PlacedProblem>()
  for (const { steps, source } of numbers) {
    const path = pathOf(steps)
    const problem = refused.get(path)
    const isText = problem ? isQuotable(problem, source) : !isNumber(path)
    if (isText && typeof partAt(data, steps) === 'number')
      asText.set(path, problemAt(steps, say('number_as_text', source, isSecret(steps, source))))
  }
  return [...problems.filter(({ path }) => !asText.has(path)), ...asText.values()]
}

/** Whether quotation marks would make it right, as those of `last4: 0042`. */
const isQuotable = ({ code, message }: PlacedProblem, source: string) =>
  message.includes(QUOTE_IT) || (code === 'wrong_format' && FORMATS.last4.problem(source) === null)

function isNumber(path: string): boolean {
  const names = path.split(/[[\].]/)
  return (
    NUMBER_SETTINGS.some(key => `.${path}`.endsWith(`.${key}`)) ||
    (!names.includes('metadata') && names.some(name => NUMBERS.has(name)))
  )
}
