/** Steps and plays: requests that a scenario sends, with the responses that it expects. */
import { encodeForm } from '../core/form-encoding.js'
import type { Step as PathStep } from '../core/places.js'
import { isObject } from '../core/schema-words.js'
import type { Said } from '../core/sentences.js'
import { ERROR_TEMPLATE, type Template, valueAt } from '../core/templates.js'
import { needsKey, OPERATIONS } from '../reference/operations.js'
import { FAMILIES, type Store } from '../store/store.js'
import { type Report, within } from './documents.js'
import { compileShown, isCondition, shownWanted } from './match/conditions.js'
import { isStatus } from './match/counts.js'
import { fieldIn } from './match/fields.js'
import { isPattern } from './match/patterns.js'
import { headOf, responseValue, withTexts, withValues } from './play/references.js'
import { say } from './sentences.js'
import { millisecondsOf } from './shape/checked.js'
import type { Fault, Wanted } from './shape/entry.js'
import type { PlayData, StepData } from './shape/expectation.js'
import type { Json } from './shape/parts.js'

export type { PlayData, StepData } from './shape/expectation.js'
export type { Json } from './shape/parts.js'
export type StepCall = {
  method: string
  path: string
  query: string
  key: string | null
  form: string | null
  headers?: Readonly<Record<string, string>>
}
/** Headers in lower case; status 0: the fault prevented the response. */
export type StepResponse = {
  status: number
  body: Json
  headers?: Readonly<Record<string, string>>
  fault?: Fault | null
}
export type Play = (call: StepCall, fault?: Fault) => StepResponse | Promise<StepResponse>
/** `error` is the template of errors, if not the usual one. */
export type StepBindings = {
  variable: (name: string) => string | undefined
  key: (name: string) => string | null
  error?: Template
}
export type Difference = { at: readonly PathStep[] } & Said
export type StepOutcome = {
  at: readonly PathStep[]
  step: StepData
  call: StepCall
  response: StepResponse
  problems: Difference[]
}
type PlacedStep = { step: StepData; at: PathStep[] }

const isAtOnce = (play: PlayData): play is Extract<PlayData, { at_once: unknown }> =>
  'at_once' in play
export const isWait = (play: PlayData): play is Extract<PlayData, { wait: unknown }> =>
  'wait' in play

export const placedCalls = (name: 'steps' | 'play', plays: readonly PlayData[]): PlacedStep[] =>
  plays.flatMap((play, index): PlacedStep[] => {
    if (isAtOnce(play))
      return play.at_once.map((step, nth) => ({ step, at: [name, index, 'at_once', nth] }))
    return isWait(play) ? [] : [{ step: play, at: [name, index] }]
  })

export class StepResponses extends Map<string, Json> {
  readonly names: ReadonlySet<string | undefined>

  constructor(plays: readonly PlayData[]) {
    super()
    this.names = new Set(placedCalls('play', plays).map(({ step }) => step.as))
  }
}

export const splitCall = (call: string): [string, string] => {
  const [method = '', path = ''] = call.trim().split(/\s+/)
  return [method.toUpperCase(), path]
}

/** Where the Content-Type is JSON and the body is not, it was damaged on the way. */
export function readResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string
): StepResponse {
  try {
    return { status, headers, body: text === '' ? null : JSON.parse(text) }
  } catch {
    return {
      status,
      headers,
      body: text,
      ...(headers['content-type']?.includes('json') && { fault: 'malformed_body' })
    }
  }
}

/** Records by id, and keys; without a key, that of the first merchant. */
export function bindingsOf(store: Store): StepBindings {
  const first = [...store.keys].find(
    ([, account]) => store.accounts.get(account)?.type === 'merchant'
  )
  return {
    variable: id => (FAMILIES.some(family => store[family].get(id)) ? id : undefined),
    key: name => (name === '' ? (first?.[0] ?? null) : name)
  }
}

/** A step that refers to the response of a failed one is not sent. */
export async function playSteps(
  plays: readonly PlayData[],
  play: Play,
  bindings: StepBindings,
  onStep: (outcome: StepOutcome) => void = () => {},
  responses = new StepResponses(plays),
  wait?: (ms: number) => unknown
): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = []
  const end = (outcome: StepOutcome) => {
    outcomes.push(outcome)
    onStep(outcome)
  }
  for (const [index, member] of plays.entries()) {
    if (isWait(member)) await wait?.(millisecondsOf(member.wait))
    else if (isAtOnce(member)) {
      const together = member.at_once.map((step, nth) =>
        playStep(step, [index, 'at_once', nth], { play, bindings, responses })
      )
      for (const outcome of await Promise.all(together)) end(outcome)
    } else
      for (let remaining = member.repeat ?? 1; remaining > 0; remaining--)
        end(await playStep(member, [index], { play, bindings, responses }))
  }
  return outcomes
}

async function playStep(
  step: StepData,
  at: readonly PathStep[],
  { play, bindings, responses }: { play: Play; bindings: StepBindings; responses: StepResponses }
): Promise<StepOutcome> {
  const { resolved, missing } = resolve(step, responses, bindings)
  const call = callOf(resolved, bindings)
  const response: StepResponse =
    missing.length > 0 ? { status: 0, body: null } : await play(call, resolved.expect?.fault)
  const problems =
    missing.length > 0
      ? missing.map(problem => ({ at, ...problem }))
      : problemsOf(resolved.expect ?? {}, response, at, bindings.error)
  if (step.as !== undefined && problems.length === 0) responses.set(step.as, response.body)
  return { at, step, call, response, problems }
}

function resolve(
  step: StepData,
  responses: StepResponses,
  { variable }: StepBindings
): { resolved: StepData; missing: Said[] } {
  const missing: Said[] = []
  const valueFor = (reference: string): Json => {
    const name = reference.trim()
    const value = responses.has(headOf(name)) ? responseValue(responses, name) : variable(name)
    if (value === undefined)
      missing.push(say(responses.names.has(headOf(name)) ? 'not_returned' : 'not_given', reference))
    return value ?? null
  }
  return {
    resolved: withTexts(step, text => withValues(text, valueFor)),
    missing
  }
}

function callOf(step: StepData, { key }: StepBindings): StepCall {
  const [method, path] = splitCall(step.do)
  return {
    method,
    path: path.split('/').map(encodeURIComponent).join('/'),
    query: encodeForm(step.query ?? {}),
    key: step.key !== undefined || needsKey(method, path) ? key(step.key ?? '') : null,
    form: method === OPERATIONS.createRefund.method ? encodeForm(step.body ?? {}) : null,
    ...(step.headers && {
      headers: Object.fromEntries(
        Object.entries(step.headers).map(([name, value]) => [name.toLowerCase(), value])
      )
    })
  }
}

function problemsOf(
  { status, headers = {}, body, fault }: NonNullable<StepData['expect']>,
  response: StepResponse,
  step: readonly PathStep[],
  error: Template = ERROR_TEMPLATE
): Difference[] {
  const at = [...step, 'expect']
  if (fault !== undefined) {
    const problem = say(
      'other_fault',
      fault,
      response.fault ?? `a response with ${response.status}`
    )
    return response.fault === fault ? [] : [{ at: [...at, 'fault'], ...problem }]
  }
  const problems: Difference[] = []
  if (!isStatus(status, response.status)) {
    const reason = reasonIn(response, error)
    const got =
      response.status === 0 && reason
        ? `, but ${reason}`
        : `; got ${response.status}${reason && ` (${reason})`}`
    const problem = say(
      'other_status',
      status === undefined ? 'a 2xx' : [status].flat().join(' or '),
      got
    )
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
