/**
 * Steps and plays: requests that a scenario sends to the API, with the responses that it expects. A
 * load sends the steps; `check` sends both, to any service.
 */
import { durationOf } from '../core/durations.js'
import { encodeForm } from '../core/form-encoding.js'
import { didYouMeanOneOf, nearest } from '../core/nearest.js'
import type { Step as PathStep } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import type { Said } from '../core/sentences.js'
import { ERROR_TEMPLATE, type Template, valueAt } from '../core/templates.js'
import {
  type Family,
  needsKey,
  OPERATION_NAMES,
  OPERATIONS,
  type OperationId,
  operationAt,
  operationsAt
} from '../reference/operations.js'
import { type Schema, schemaOf } from '../reference/parameters.js'
import { FIELDS, TABLES, type Tables } from '../reference/tables.js'
import { say as sayOfDocument } from './document-sentences.js'
import { type Report, within } from './documents.js'
import { checkHeaders } from './headers.js'
import { compileShown, isCondition, shownWanted } from './match/conditions.js'
import { isPattern, isWithinPatterns } from './match/patterns.js'
import { compileStatus } from './match/statuses.js'
import {
  answerAt,
  namesIn,
  REFERENCE,
  recordPath,
  textsIn,
  unclosedIn,
  withTexts,
  withValues
} from './references.js'
import type { Fault, Json, PlayData, Statuses, StepData, Wanted } from './schemas.js'
import { say } from './sentences.js'
import { NAME } from './variables.js'

export type { Json, PlayData, StepData } from './schemas.js'
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
/** `fault` is the one that is expected. */
export type Play = (call: StepCall, fault?: Fault) => StepAnswer | Promise<StepAnswer>
/** How a response differs; `at` is the place of the expectation. */
export type Difference = { at: readonly PathStep[] } & Said
/** `at` is the place of `step` in its list, `step` as it is written. */
export type StepOutcome = {
  at: readonly PathStep[]
  step: StepData
  call: StepCall
  answer: StepAnswer
  problems: Difference[]
}
/**
 * Values of `${name}` and of keys that no step gives; `error` is the template of errors, if not the
 * usual one.
 */
export type StepBindings = {
  variable: (name: string) => string | undefined
  key: (name: string) => string | null
  error?: Template
}

/** Earlier steps that are searched for a suggestion. */
const MAX_LOOKED_AT = 100

/**
 * What steps can refer to besides one another. `ids` are suggested; `otherKey` is null for a known
 * key, else a suggestion, or an empty text.
 */
type Known = Pick<StepBindings, 'variable'> & {
  ids?: () => readonly string[]
  hasUsualLists?: boolean
  otherKey?: (key: string) => string | null
}

/**
 * Checks operations, keys, and that every `${…}` refers to an earlier step (of expectations, to
 * any) or to a value of `variable`. `warn` takes problems that do not prevent playing.
 */
export async function checkSteps(
  {
    steps,
    play,
    expect = []
  }: {
    steps: readonly StepData[]
    play: readonly PlayData[]
    expect?: readonly unknown[]
  },
  { variable, ids = () => [], hasUsualLists = true, otherKey = () => null }: Known,
  report: Report,
  warn: Report = report
): Promise<void> {
  // the operation of each named step, and the group of requests that are sent at once with its
  // request
  const known: Referable['known'] = new Map()
  const referable = { known, latest: [] as string[], variable, ids, hasUsualLists }
  const placed = [...stepsIn('steps', steps, report), ...stepsIn('play', play, report)]
  const expected = placed.map(({ step }) => step.expect)
  const areCompiled = isWithinPatterns(expected, 0, said => report(['play'], said))
  for (const { step, at: place, group } of placed) {
    const note = within(report, ...place)
    const { as, do: call, key, body, headers = {}, expect: expected } = step
    checkExpected(expected, within(note, 'expect'))
    if (areCompiled) await checkShown(expected?.body, within(note, 'expect', 'body'))
    checkHeaders(headers, 'request', within(note, 'headers'))
    if (call === undefined) note([], say('not_exactly_one', ['do', 'at_once', 'wait']))
    else {
      const [method, path] = splitCall(call)
      const operation = operationsAt(path.replace(REFERENCE, 'x')).find(
        operation => operation.method === method
      )
      const isChecked =
        key !== undefined && !key.includes('${') && !wantsStatus(expected?.status, 401)
      const meant = isChecked ? otherKey(key) : null
      if (operation === undefined) note(['do'], unknownCall(call))
      else if (meant !== null && operation.key)
        note(
          ['key'],
          say('unknown_key', meant || '; give it under data: api_keys, or expect status 401')
        )
      else if (meant !== null)
        warn([...place, 'key'], say('unknown_key', `, and the request needs none${meant}`))
      if (method !== 'POST' && body) note(['body'], say('body_unexpected', method))
    }
    checkReferences(
      step,
      name =>
        known.get(headOf(name))?.group === group
          ? say('not_yet_known', name)
          : problemOfReference(name, referable),
      note
    )
    if (as === undefined) continue
    if (!NAME.test(as)) note(['as'], sayOfDocument('not_a_variable_name'))
    else if (as === 'vars' || as === 'record') note(['as'], say('name_reserved', as))
    if (known.has(as)) note(['as'], say('name_taken', as))
    known.set(as, { operation: answeredOperation(step), group })
    if (referable.latest.push(as) > MAX_LOOKED_AT) referable.latest.shift()
  }
  const answered = { ...referable, variable: () => undefined, ids: () => [] }
  // a field of the record that is looked at is found where the state is compiled
  const problemIn = (
    name: string,
    text: string,
    [, kind, family, , ...inner]: readonly PathStep[]
  ) => {
    const head = headOf(name)
    if (kind !== 'state' || inner.length === 0 || name === head || known.has(head))
      return problemOfReference(name, answered)
    if (head === 'record') return recordPath(text) === undefined ? say('record_part', name) : null
    const isField = Object.hasOwn(FIELDS[family as Family], head)
    return isField
      ? say('unknown_reference', name, `record.${name}`)
      : problemOfReference(name, { ...answered, latest: [...answered.latest, 'record'] })
  }
  checkReferences(expect, problemIn, within(report, 'expect'), true)
}

const headOf = (name: string): string => name.split('.', 1)[0] as string

function checkReferences(
  part: unknown,
  problemOf: (name: string, text: string, at: readonly PathStep[]) => Said | null,
  report: Report,
  areNamesRead = false
): void {
  for (const { steps, text, isOfName = false } of textsIn(part, [], { areNamesRead })) {
    const unclosed = unclosedIn(text)
    if (unclosed !== undefined) report(steps, sayOfDocument('reference_not_closed', unclosed))
    for (const name of namesIn(text)) {
      const problem = problemOf(name, text, steps)
      if (problem !== null) report(steps, { ...problem, isOfName })
    }
  }
}

/** The operation whose response a step gets; null where it is unknown or an error. */
function answeredOperation({ do: call, expect }: StepData): OperationId | null {
  if (typeof call !== 'string' || !wantsStatus(expect?.status, 200)) return null
  const [method, path] = splitCall(call)
  return (
    operationAt(method, path.replace(REFERENCE, 'x').split('/').map(encodeURIComponent).join('/'))
      ?.operation ?? null
  )
}

type Referable = Required<Pick<Known, 'variable' | 'ids' | 'hasUsualLists'>> & {
  known: Map<string, { operation: OperationId | null; group: string }>
  latest: readonly string[]
}

/** Null where it is right. References to variables are checked when they are expanded. */
function problemOfReference(
  name: string,
  { known, latest, variable, ids, hasUsualLists }: Referable
): Said | null {
  const [head = '', ...fields] = name.split('.')
  const partsOf = (step: string) =>
    fieldsOf(known.get(step)?.operation ?? null, fields, hasUsualLists)
  if (head === 'vars' || (!known.has(head) && variable(name) !== undefined)) return null
  if (known.has(head)) {
    const { corrected, missing } = partsOf(head)
    return missing === null
      ? null
      : say('unknown_part', name, missing, [head, ...corrected].join('.'))
  }
  const meant =
    fields.length === 0
      ? (nearest(head, latest) ?? nearest(head, ids()))
      : nearest(head, ['vars', ...latest])
  const step = meant ?? latest.find(other => head.length > 1 && other.startsWith(head))
  return say('unknown_reference', name, step && [step, ...partsOf(step).corrected].join('.'))
}

/** By the tables of the reference; `missing` is the first field that is misspelt. */
function fieldsOf(
  operation: OperationId | null,
  fields: readonly string[],
  hasUsualLists: boolean
): { corrected: readonly string[]; missing: string | null } {
  const { answer } = operation === null ? ({} as Tables) : (TABLES[operation] as Tables)
  let at: Schema | undefined = answer && schemaOf(answer)
  for (const [index, field] of fields.entries()) {
    if (!hasUsualLists && at?.properties?.data?.items !== undefined) break
    if (at?.properties !== undefined && !Object.hasOwn(at.properties, field)) {
      const meant = nearest(field, Object.keys(at.properties))
      if (meant === null) break
      return { corrected: fields.with(index, meant), missing: fields.slice(0, index + 1).join('.') }
    }
    at = at?.properties?.[field] ?? (at?.items as Schema | undefined)
  }
  return { corrected: fields, missing: null }
}

/** `group` is of requests that are sent at once. */
type PlacedStep = { step: StepData; at: PathStep[]; group: string }

/** Of a list by name. */
function stepsIn(name: string, list: readonly PlayData[], report: Report): PlacedStep[] {
  for (const [index, play] of list.entries()) {
    const alone = ['wait', 'at_once'].find(only => only in play)
    const others = Object.keys(play).filter(key => key !== alone)
    if (alone !== undefined && others.length > 0)
      report([name, index], say('not_together', alone, others))
  }
  return placedCalls(list).map(({ step, at }) => ({
    step,
    at: [name, ...at],
    group: `${name} ${at[0]}`
  }))
}

const isAtOnce = (play: PlayData): play is Extract<PlayData, { at_once: unknown }> =>
  isObject(play) && 'at_once' in play
export const isWait = (play: PlayData): play is Extract<PlayData, { wait: unknown }> =>
  isObject(play) && 'wait' in play
const callsIn = (play: PlayData): readonly StepData[] => {
  if (isAtOnce(play)) return play.at_once
  return isWait(play) ? [] : [play]
}

export const placedCalls = (plays: readonly PlayData[]): { step: StepData; at: PathStep[] }[] =>
  plays.flatMap((play, index) =>
    callsIn(play).map((step, nth) => ({
      step,
      at: isAtOnce(play) ? [index, 'at_once', nth] : [index]
    }))
  )

/** What a value of a response is compared with, where that is no value. */
const isWanted = (part: unknown): part is Wanted =>
  isObject(part) ? isCondition(part, []) : typeof part === 'string' && isPattern(part)

async function checkShown(part: Json | undefined, report: Report): Promise<void> {
  if (isWanted(part)) await compileShown(part, report)
  else if (typeof part === 'object' && part !== null)
    for (const [name, inner] of Object.entries(part))
      await checkShown(inner, within(report, Array.isArray(part) ? Number(name) : name))
}

function checkExpected(expect: StepData['expect'] = {}, report: Report): void {
  if (expect.status !== undefined) compileStatus(expect.status, within(report, 'status'))
  const others = ['status', 'headers', 'body'].filter(name => name in expect)
  if (expect.fault !== undefined && others.length > 0)
    report([], say('not_together', 'fault', others))
}

/** Names the operations at its path, or those with a similar name. */
function unknownCall(call: string): Said {
  const [, path] = splitCall(call)
  const there = operationsAt(path.replace(REFERENCE, 'x')).map(
    operation => `${operation.method} ${path}`
  )
  if (path.includes('?'))
    return say('unknown_request', call, '; parameters of a list go under query')
  if (path.includes('://'))
    return say(
      'unknown_request',
      call,
      '; the path begins below the base address, such as /refunds'
    )
  if (there.length > 0)
    return say('unknown_request', call, `; this path takes ${there.join(', or ')}`)
  return say(
    'unknown_request',
    call,
    didYouMeanOneOf(call, OPERATION_NAMES, 'write a method and a path, such as POST /refunds')
  )
}

export class Answers extends Map<string, Json> {
  readonly names: ReadonlySet<string | undefined>

  constructor(plays: readonly PlayData[]) {
    super()
    this.names = new Set(plays.flatMap(callsIn).map(step => step.as))
  }
}

/**
 * Sends requests in order, those of `at_once` together. A step that refers to the response of a
 * failed one is not sent. `wait` takes milliseconds.
 */
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
      : await problemsOf(resolved.expect ?? {}, answer, at, bindings.error)
  if (step.as !== undefined && problems.length === 0) answers.set(step.as, answer.body)
  return { at, step, call, answer, problems }
}

/** No refusal and no lost response. */
export const expectsSuccess = ({ status, fault }: NonNullable<StepData['expect']> = {}): boolean =>
  fault === undefined && wantsStatus(status, 200)

export const splitCall = (call: string): [string, string] => {
  const [method = '', path = ''] = call.trim().split(/\s+/)
  return [method.toUpperCase(), path]
}

function resolve(
  step: StepData,
  answers: Answers,
  { variable }: StepBindings
): { resolved: StepData; missing: Said[] } {
  const missing: Said[] = []
  const valueAt = (reference: string): Json => {
    const name = reference.trim()
    const value = answers.has(headOf(name)) ? answerAt(answers, name) : variable(name)
    if (value === undefined)
      missing.push(say(answers.names.has(headOf(name)) ? 'not_returned' : 'not_given', reference))
    return value ?? null
  }
  return {
    resolved: withTexts(step as Json, text => withValues(text, valueAt)) as StepData,
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

/** Without `wanted`, any 2xx. */
export const wantsStatus = (wanted: Statuses | undefined, status: number): boolean =>
  compileStatus(wanted ?? '2xx', () => {})(status)

async function problemsOf(
  { status, headers = {}, body, fault }: NonNullable<StepData['expect']>,
  answer: StepAnswer,
  step: readonly PathStep[],
  error: Template = ERROR_TEMPLATE
): Promise<Difference[]> {
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
  for (const [name, value] of Object.entries(headers)) {
    problems.push(
      ...(await differences(value, answer.headers?.[name.toLowerCase()], `headers.${name}`, [
        ...at,
        'headers',
        name
      ]))
    )
  }
  return body === undefined
    ? problems
    : [...problems, ...(await differences(body, answer.body, 'body', [...at, 'body']))]
}

const reasonIn = ({ status, body }: StepAnswer, error: Template): string => {
  const message = valueAt(status === 0 ? ERROR_TEMPLATE : error, body, '$message')
  return typeof message === 'string' ? message.slice(0, MAX_SHOWN) : ''
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
async function differences(
  expected: Json,
  actual: Json | undefined,
  path: string,
  at: readonly PathStep[]
): Promise<Difference[]> {
  const isList = Array.isArray(expected)
  const other = (wanted: string) => [{ at, ...say('other_value', path, wanted, shown(actual)) }]
  if (isWanted(expected) || (isList && (typeof actual !== 'object' || actual === null))) {
    const isMet = await compileShown(expected as Wanted, () => {})
    const value = typeof actual === 'object' && actual !== null ? null : String(actual)
    return isMet(actual == null ? undefined : value) ? [] : other(shownWanted(expected as Wanted))
  }
  if (typeof expected !== 'object' || expected === null)
    return expected === actual ? [] : other(JSON.stringify(expected))
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== isList)
    return other(isList ? 'a list' : 'an object')
  if (isList && expected.length !== (actual as Json[]).length)
    return [{ at, ...say('other_length', path, expected.length, (actual as Json[]).length) }]
  const found = Object.entries(expected).map(([name, part]) => {
    const step = isList ? Number(name) : name
    return differences(
      part,
      (actual as Record<string, Json>)[name],
      isList ? `${path}[${name}]` : `${path}.${name}`,
      [...at, step]
    )
  })
  return (await Promise.all(found)).flat()
}
