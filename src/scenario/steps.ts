/** Steps and plays: requests that a scenario sends to the API, with the responses that it expects. */
import { durationOf } from '../core/durations.js'
import { encodeForm } from '../core/form-encoding.js'
import type { Step as PathStep } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import type { Said } from '../core/sentences.js'
import { ERROR_TEMPLATE, type Template, valueAt } from '../core/templates.js'
import { needsKey, OPERATIONS } from '../reference/operations.js'
import { FAMILIES, type Store } from '../store/store.js'
import { type Report, within } from './documents.js'
import { compileShown, isCondition, shownWanted } from './match/conditions.js'
import { compileStatus } from './match/counts.js'
import { isPattern } from './match/patterns.js'
import { answerAt, headOf, withTexts, withValues } from './play/references.js'
import { say } from './sentences.js'
import type { Fault, Wanted } from './shape/entry.js'
import type { PlayData, Statuses, StepData } from './shape/expectation.js'
import type { Json } from './shape/parts.js'

export type { PlayData, StepData } from './shape/expectation.js'
export type { Json } from './shape/parts.js'
/** A request to send. `form` is the encoded body of a POST. */
export type StepCall = {
  method: string
  path: string
  query: string
  key: string | null
  form: string | null
  headers?: Readonly<Record<string, string>>
}
/** Headers by name in lower case; with status 0 no response came, because of the fault. */
export type StepAnswer = {
  status: number
  body: Json
  headers?: Readonly<Record<string, string>>
  fault?: Fault | null
}
export type Play = (call: StepCall, fault?: Fault) => StepAnswer | Promise<StepAnswer>
/** What no step gives; `error` is the template of errors, if not the usual one. */
export type StepBindings = {
  variable: (name: string) => string | undefined
  key: (name: string) => string | null
  error?: Template
}
export type Difference = { at: readonly PathStep[] } & Said
/** `at` is the place of `step` in its list, `step` as it is written. */
export type StepOutcome = {
  at: readonly PathStep[]
  step: StepData
  call: StepCall
  answer: StepAnswer
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

export class Answers extends Map<string, Json> {
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

/** Without `wanted`, any 2xx. */
export const wantsStatus = (wanted: Statuses | undefined, status: number): boolean =>
  compileStatus(wanted ?? '2xx', () => {})(status)

/** One whose Content-Type is JSON and whose body is not was damaged on the way. */
export function answerRead(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string
): StepAnswer {
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

/** What steps may name: records by id, and keys; for no key that of the first merchant. */
export function bindingsOf(store: Store): StepBindings {
  const first = [...store.keys].find(
    ([, account]) => store.accounts.get(account)?.type === 'merchant'
  )
  return {
    variable: id => (FAMILIES.some(family => store[family].get(id)) ? id : undefined),
    key: name => (name === '' ? (first?.[0] ?? null) : name)
  }
}

/** A step that refers to the response of a failed one is not sent. `wait` takes milliseconds. */
export async function playSteps(
  plays: readonly PlayData[],
  play: Play,
  bindings: StepBindings,
  onStep: (outcome: StepOutcome) => void = () => {},
  answers = new Answers(plays),
  wait?: (ms: number) => unknown
): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = []
  const end = (outcome: StepOutcome) => {
    outcomes.push(outcome)
    onStep(outcome)
  }
  for (const [index, member] of plays.entries()) {
    if (isWait(member)) await wait?.(durationOf(member.wait) as number)
    else if (isAtOnce(member)) {
      const together = member.at_once.map((step, nth) =>
        playStep(step, [index, 'at_once', nth], { play, bindings, answers })
      )
      for (const outcome of await Promise.all(together)) end(outcome)
    } else
      for (let left = member.repeat ?? 1; left > 0; left--)
        end(await playStep(member, [index], { play, bindings, answers }))
  }
  return outcomes
}

async function playStep(
  step: StepData,
  at: readonly PathStep[],
  { play, bindings, answers }: { play: Play; bindings: StepBindings; answers: Answers }
): Promise<StepOutcome> {
  const { resolved, missing } = resolve(step, answers, bindings)
  const call = callOf(resolved, bindings)
  const answer: StepAnswer =
    missing.length > 0 ? { status: 0, body: null } : await play(call, resolved.expect?.fault)
  const problems =
    missing.length > 0
      ? missing.map(said => ({ at, ...said }))
      : problemsOf(resolved.expect ?? {}, answer, at, bindings.error)
  if (step.as !== undefined && problems.length === 0) answers.set(step.as, answer.body)
  return { at, step, call, answer, problems }
}

function resolve(
  step: StepData,
  answers: Answers,
  { variable }: StepBindings
): { resolved: StepData; missing: Said[] } {
  const missing: Said[] = []
  const answered = (reference: string): Json => {
    const name = reference.trim()
    const value = answers.has(headOf(name)) ? answerAt(answers, name) : variable(name)
    if (value === undefined)
      missing.push(say(answers.names.has(headOf(name)) ? 'not_returned' : 'not_given', reference))
    return value ?? null
  }
  return {
    resolved: withTexts(step as Json, text => withValues(text, answered)) as StepData,
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
  answer: StepAnswer,
  step: readonly PathStep[],
  error: Template = ERROR_TEMPLATE
): Difference[] {
  const at = [...step, 'expect']
  if (fault !== undefined) {
    const said = say('other_fault', fault, answer.fault ?? `a response with ${answer.status}`)
    return answer.fault === fault ? [] : [{ at: [...at, 'fault'], ...said }]
  }
  const problems: Difference[] = []
  if (!wantsStatus(status, answer.status)) {
    const reason = reasonIn(answer, error)
    const got =
      answer.status === 0 && reason
        ? `, but ${reason}`
        : `; got ${answer.status}${reason && ` (${reason})`}`
    const said = say(
      'other_status',
      status === undefined ? 'a 2xx' : [status].flat().join(' or '),
      got
    )
    problems.push({ at: status === undefined ? step : [...at, 'status'], ...said })
  }
  const compare = (wanted: Json, got: Json | undefined, ...name: string[]) =>
    problems.push(...differences(wanted, got, name.join('.'), [...at, ...name]))
  for (const [name, value] of Object.entries(headers))
    compare(value, answer.headers?.[name.toLowerCase()], 'headers', name)
  if (body !== undefined) compare(body, answer.body, 'body')
  return problems
}

const reasonIn = ({ status, body }: StepAnswer, error: Template): string => {
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

function shown(value: Json | undefined): string {
  try {
    const text = JSON.stringify(value) ?? 'nothing'
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  } catch {
    return 'data that is nested too deeply to be shown'
  }
}

/** Other names are ignored. A list is one of values where the response has no list. */
function differences(
  expected: Json,
  actual: Json | undefined,
  path: string,
  at: readonly PathStep[]
): Difference[] {
  const isList = Array.isArray(expected)
  const other = (wanted: string) => [{ at, ...say('other_value', path, wanted, shown(actual)) }]
  if (isWanted(expected) || (isList && (typeof actual !== 'object' || actual === null))) {
    const isMet = compileShown(expected as Wanted, () => {})
    const value = typeof actual === 'object' && actual !== null ? null : String(actual)
    return isMet(actual == null ? undefined : value) ? [] : other(shownWanted(expected as Wanted))
  }
  if (typeof expected !== 'object' || expected === null)
    return expected === actual ? [] : other(JSON.stringify(expected))
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== isList)
    return other(isList ? 'a list' : 'an object')
  if (isList && expected.length !== (actual as Json[]).length)
    return [{ at, ...say('other_length', path, expected.length, (actual as Json[]).length) }]
  return Object.entries(expected).flatMap(([name, part]) =>
    differences(
      part,
      (actual as Record<string, Json>)[name],
      isList ? `${path}[${name}]` : `${path}.${name}`,
      [...at, isList ? Number(name) : name]
    )
  )
}
