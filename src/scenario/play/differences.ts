/** How responses differ from what steps and plays expect. */
import type { Step as PathStep } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import type { Said } from '../../core/sentences.js'
import { ERROR_TEMPLATE, type Template, valueAt } from '../../core/templates.js'
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
export type Difference = { at: readonly PathStep[] } & Said

export function problemsOf(
  { status, headers = {}, body, fault }: NonNullable<StepData['expect']>,
  response: StepResponse,
  step: readonly PathStep[],
  error: Template = ERROR_TEMPLATE
): Difference[] {
  const at = [...step, 'expect']
  if (fault !== undefined) {
    const got = response.fault ?? `a response with ${response.status}`
    const problem = say('other_value', 'fault', fault, got)
    return response.fault === fault ? [] : [{ at: [...at, 'fault'], ...problem }]
  }
  const problems: Difference[] = []
  if (!isStatus(status, response.status)) {
    const reason = reasonIn(response, error)
    const got =
      response.status === 0 && reason
        ? `, but ${reason}`
        : `; got ${response.status}${reason && ` (${reason})`}`
    const problem = say('other_status', [status ?? 'a 2xx'].flat().join(' or '), got)
    problems.push({ at: status === undefined ? step : [...at, 'status'], ...problem })
  }
  const compare = (wanted: Json, got: Json | undefined, ...name: string[]) =>
    problems.push(...differences(wanted, got, name.join('.'), [...at, ...name]))
  for (const [name, value] of Object.entries(headers))
    compare(value, response.headers?.[name.toLowerCase()], 'headers', name)
  if (body !== undefined) compare(body, response.body, 'body')
  return problems
}

const reasonIn = ({ status, body }: StepResponse, error: Template): string => {
  const message = valueAt(status === 0 ? ERROR_TEMPLATE : error, body, '$message')
  return typeof message === 'string' ? message.slice(0, MAX_SHOWN) : ''
}

const isWanted = (part: unknown): part is Wanted =>
  isObject(part) ? isCondition(part, []) : typeof part === 'string' && isPattern(part)

export function checkShown(part: Json | undefined, report: Report): void {
  if (isWanted(part)) compileShown(part, report)
  else if (typeof part === 'object' && part !== null)
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
  path: readonly PathStep[]
): Difference[] {
  const isOneOf = Array.isArray(expected) && !isObjectOrList(actual)
  const differsFrom = (wanted: string) => [
    { at: path, ...say('other_value', name, wanted, shortJson(actual)) }
  ]
  if (isOneOf || isWanted(expected)) {
    const wanted = expected as Wanted
    const isMet = compileShown(wanted, () => {})
    const value = isObjectOrList(actual) ? null : String(actual)
    return isMet(actual == null ? undefined : value) ? [] : differsFrom(shownWanted(wanted))
  }
  if (!isObjectOrList(expected))
    return expected === actual ? [] : differsFrom(JSON.stringify(expected))
  const isListed = Array.isArray(expected)
  if (!isObjectOrList(actual) || Array.isArray(actual) !== isListed)
    return differsFrom(isListed ? 'a list' : 'an object')
  if (isListed && expected.length !== actual.length)
    return [{ at: path, ...say('other_length', name, expected.length, Number(actual.length)) }]
  return Object.entries(expected).flatMap(([part, value]) =>
    differences(value, fieldIn(actual, part), isListed ? `${name}[${part}]` : `${name}.${part}`, [
      ...path,
      isListed ? Number(part) : part
    ])
  )
}

const isObjectOrList = (part: Json | undefined): part is Json[] | { [name: string]: Json } =>
  typeof part === 'object' && part !== null
