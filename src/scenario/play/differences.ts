/** How responses differ from what steps and plays expect. */
import type { Step } from '../../core/places.js'
import type { Said } from '../../core/sentences.js'
import { ERROR_TEMPLATE, type Template, valueAt } from '../../core/templates.js'
import { isObject } from '../../reference/rules.js'
import { type Report, within } from '../documents.js'
import { compileShown, isCondition, shownWanted } from '../match/conditions.js'
import { isStatus } from '../match/counts.js'
import { fieldIn } from '../match/fields.js'
import { isPattern } from '../match/patterns.js'
import { say } from '../sentences.js'
import type { Fault, Wanted } from '../shape/entry.js'
import type { StepData } from '../shape/expectation.js'
import type { Json } from '../shape/parts.js'

/** Headers in lower case; status 0: the fault prevented the response. */
export type StepResponse = {
  status: number
  body: Json
  headers?: Readonly<Record<string, string>>
  fault?: Fault | null
}
export type Difference = { at: readonly Step[] } & Said

export function problemsOf(
  { status, headers = {}, body, fault }: NonNullable<StepData['expect']> = {},
  response: StepResponse,
  step: readonly Step[],
  error?: Template
): Difference[] {
  const at = [...step, 'expect']
  if (fault !== undefined) {
    const got = response.fault ?? `a response with ${response.status}`
    const problem = say('other_value', 'fault', fault, got)
    return response.fault === fault ? [] : [{ at: [...at, 'fault'], ...problem }]
  }
  const problems: Difference[] = []
  if (!isStatus(status, response.status)) {
    const wanted = [status ?? 'a 2xx'].flat().join(' or ')
    const problem = say('other_status', wanted, response.status, reasonIn(response, error))
    problems.push({ at: status === undefined ? step : [...at, 'status'], ...problem })
  }
  for (const [name, value] of Object.entries(headers)) {
    const got = response.headers?.[name.toLowerCase()]
    problems.push(...differences(value, got, `headers.${name}`, [...at, 'headers', name]))
  }
  return body === undefined
    ? problems
    : [...problems, ...differences(body, response.body, 'body', [...at, 'body'])]
}

const reasonIn = ({ status, body }: StepResponse, error = ERROR_TEMPLATE): string => {
  const message = valueAt(status === 0 ? ERROR_TEMPLATE : error, body, '$message')
  return typeof message === 'string' ? message.slice(0, MAX_SHOWN) : ''
}

/** Whether it is a condition on a value, and not the value itself. */
const isWanted = (part: unknown): part is Wanted =>
  isObject(part) ? isCondition(part, []) : typeof part === 'string' && isPattern(part)

export function checkShown(part: Json | undefined, report: Report): void {
  if (isWanted(part)) compileShown(part, report)
  else if (isObjectOrList(part))
    for (const [name, inner] of Object.entries(part))
      checkShown(inner, within(report, Array.isArray(part) ? Number(name) : name))
}

const MAX_SHOWN = 1000

function shortJson(value: Json | undefined): string {
  try {
    const text = JSON.stringify(value) ?? 'nothing'
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  } catch {
    return 'data that is nested too deeply to be shown'
  }
}

/** A list has the values to choose from where the response has no list. */
function differences(
  expected: Json,
  actual: Json | undefined,
  name: string,
  at: readonly Step[]
): Difference[] {
  const differsFrom = (wanted: string) => [
    { at, ...say('other_value', name, wanted, shortJson(actual)) }
  ]
  const isListed = Array.isArray(expected)
  if (isWanted(expected) || (isListed && !isObjectOrList(actual))) {
    const wanted = expected as Wanted
    const isMet = compileShown(wanted, () => {})
    const value = isObjectOrList(actual) ? null : String(actual)
    return isMet(actual == null ? undefined : value) ? [] : differsFrom(shownWanted(wanted))
  }
  if (!isObjectOrList(expected))
    return expected === actual ? [] : differsFrom(JSON.stringify(expected))
  if (!isObjectOrList(actual) || Array.isArray(actual) !== isListed)
    return differsFrom(isListed ? 'a list' : 'an object')
  if (isListed && expected.length !== actual.length)
    return [
      {
        at,
        ...say('other_value', name, `a list of ${expected.length}`, `a list of ${actual.length}`)
      }
    ]
  return Object.entries(expected).flatMap(([part, value]) => {
    const [whose, step] = isListed ? [`${name}[${part}]`, Number(part)] : [`${name}.${part}`, part]
    return differences(value, fieldIn(actual, part), whose, [...at, step])
  })
}

const isObjectOrList = (part: Json | undefined): part is Json[] | { [name: string]: Json } =>
  typeof part === 'object' && part !== null
