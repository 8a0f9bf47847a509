/** Steps and plays: calls that a scenario makes through the API, with what they expect. Steps are played when it loads, both by `check`, against any service. */
import { isDeepStrictEqual } from 'node:util'
import { DURATION_EXPECTED, durationOf } from '../core/durations.js'
import { encodeForm } from '../core/form-encoding.js'
import { didYouMeanOneOf, nearest, shortened } from '../core/nearest.js'
import type { Step as PathStep } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { ERROR_TEMPLATE, type Template, valueAt } from '../core/templates.js'
import { needsKey, OPERATION_NAMES, OPERATIONS, type OperationId, operationAt, operationsAt } from '../reference/operations.js'
import { type Schema, schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import type { Report } from './documents.js'
import { type Flaws, membersOf, within } from './flaws.js'
import { answerAt, namesIn, REFERENCE, textsIn, unclosedIn, withValues } from './references.js'
import { type Fault, type Json, OPERATION, type PlayData, type Statuses, type StepData } from './schemas.js'
import { compileStatus } from './statuses.js'
import { NAME, NAME_EXPECTED, notClosed } from './variables.js'

export type { Json, PlayData, StepData } from './schemas.js'
/** A call to make. `form` is the encoded body of a POST. */
export type StepCall = { method: string; path: string; query: string; key: string | null; form: string | null }
/** An answer, and its headers by their names in lower case; the fault by which none came, with status 0. */
export type StepAnswer = { status: number; body: Json; headers?: Readonly<Record<string, string>>; fault?: Fault | null }
/** Makes a call and returns its answer; `fault` is the one that is expected. */
export type Play = (call: StepCall, fault?: Fault) => StepAnswer | Promise<StepAnswer>
/** How an answer differs from what was expected; `at` is where the document says what was expected. */
export type Difference = { at: readonly PathStep[]; message: string }
/** `at` is where `step`, as it is written, is in its list, as are those of its problems. */
export type StepOutcome = { at: readonly PathStep[]; step: StepData; call: StepCall; answer: StepAnswer; problems: Difference[] }
/** What `${name}` and the name of a key mean where no step gives them a value; `error` is the template of errors, if not the usual one. */
export type StepBindings = { variable: (name: string) => string | undefined; key: (name: string) => string | null; error?: Template }

const UNKNOWN_KEY = 'the scenario has no such API key'

/** A suggestion is looked for among so many of the steps before. */
const MOST_LOOKED_AT = 100

/**
 * Checks steps as far as they have no flaws: operations, keys, and that every `${…}` refers to an earlier step or to what `variable` knows; `ids` are
 * suggested. Those of expectations refer to any step. The fields of lists are known where they are the usual ones. `otherKey` is null for a key that is
 * known, else a suggestion of another or an empty text. `warn` takes what can be played.
 */
export function checkSteps(
  { steps, play, expect }: { steps: Listed<StepData>; play: Listed<PlayData>; expect?: readonly unknown[] | undefined },
  {
    variable,
    ids = () => [],
    hasUsualLists = true,
    otherKey = () => null
  }: Pick<StepBindings, 'variable'> & { ids?: () => readonly string[]; hasUsualLists?: boolean; otherKey?: (key: string) => string | null },
  report: Report,
  warn: Report = report
): void {
  const known = new Map<string, OperationId | null>()
  // of each name, the group of calls that are made at once with its call
  const groups = new Map<string, string>()
  const latest: string[] = []
  const checkKey = (key: string, expect: StepData['expect'], isNeeded: boolean, at: PathStep[]) => {
    const meant = key.includes('${') || wantsStatus(expect?.status, 401) ? null : otherKey(key)
    if (meant === null) return
    if (isNeeded) report(at, `${UNKNOWN_KEY}${meant || '; give it under data: api_keys, or expect status 401'}`)
    else warn(at, `${UNKNOWN_KEY}, and the call needs none${meant}`)
  }
  for (const { step, at: place, flaws: own } of [...stepsIn('steps', steps, report), ...stepsIn('play', play, report)]) {
    if (!isObject(step)) continue
    const group = place.slice(0, 2).join(' ')
    checkExpected(step.expect, own?.get('expect'), within(report, ...place, 'expect'))
    if (step.do === undefined && own === undefined) report(place, 'do, at_once or wait was expected')
    if (step.do !== undefined && !own?.has('do')) {
      const [method, path] = splitCall(step.do)
      const operation = operationsAt(path.replace(REFERENCE, 'x')).find(operation => operation.method === method)
      if (operation === undefined) report([...place, 'do'], unknownCall(step.do))
      else if (step.key !== undefined && !own?.has('key') && !own?.has('expect')) checkKey(step.key, step.expect, operation.key, [...place, 'key'])
      if (method !== 'POST' && step.body) report([...place, 'body'], `a ${method} takes no body`)
    }
    for (const { steps: at, text } of textsIn(step, place)) {
      const unclosed = unclosedIn(text)
      if (unclosed !== undefined) report(at, notClosed(unclosed))
      for (const name of namesIn(text)) {
        const isAtOnce = groups.get(name.split('.')[0] as string) === group
        const problem = isAtOnce ? answeredTooLate(name) : problemOfReference(name, { known, latest, variable, ids, hasUsualLists })
        if (problem !== null) report(at, problem)
      }
    }
    if (step.as === undefined || own?.has('as')) continue
    if (!NAME.test(step.as)) report([...place, 'as'], NAME_EXPECTED)
    else if (step.as === 'vars') report([...place, 'as'], 'vars is the name of the variables; give the step another one')
    if (known.has(step.as)) report([...place, 'as'], `an earlier step is called ${step.as} too`)
    known.set(step.as, answeredOperation(step))
    groups.set(step.as, group)
    if (latest.push(step.as) > MOST_LOOKED_AT) latest.shift()
  }
  for (const { steps: at, text } of textsIn(expect ?? [], ['expect'], { areNamesRead: true })) {
    const unclosed = unclosedIn(text)
    if (unclosed !== undefined) report(at, notClosed(unclosed))
    for (const name of namesIn(text)) {
      const problem = problemOfReference(name, { known, latest, variable: () => undefined, ids: () => [], hasUsualLists })
      if (problem !== null) report(at, problem)
    }
  }
}

/** The operation of a step whose answer is a record or a list; null where it is not known, or an error is expected. */
function answeredOperation({ do: call, expect }: StepData): OperationId | null {
  if (typeof call !== 'string' || !wantsStatus(expect?.status, 200)) return null
  const [method, path] = splitCall(call)
  return operationAt(method, path.replace(REFERENCE, 'x').split('/').map(encodeURIComponent).join('/'))?.operation ?? null
}

const answeredTooLate = (name: string) => `\${${shortened(name)}} has no value yet: that call is made at once with this one; refer to it in a later call`

type Referable = { known: ReadonlyMap<string, OperationId | null>; latest: readonly string[]; ids: () => readonly string[]; hasUsualLists: boolean } & Pick<
  StepBindings,
  'variable'
>

/** What is wrong with a reference; null where nothing is. Those to variables are looked at where these are put in. */
function problemOfReference(name: string, { known, latest, variable, ids, hasUsualLists }: Referable): string | null {
  const [head = '', ...fields] = name.split('.')
  if (head === 'vars') return null
  const shown = `\${${shortened(name)}}`
  if (!known.has(head)) {
    if (variable(name) !== undefined) return null
    const meant = fields.length === 0 ? (nearest(head, latest) ?? nearest(head, ids())) : nearest(head, ['vars', ...latest])
    const step = meant ?? latest.find(other => head.length > 1 && other.startsWith(head))
    if (step === undefined) return `${shown} refers to nothing; give the name that an earlier step has under as, or the id of a record`
    const { corrected } = fieldsOf(known.get(step) ?? null, fields, hasUsualLists)
    return `${shown} refers to nothing; did you mean \${${[step, ...corrected].join('.')}}?`
  }
  const { corrected, problem } = fieldsOf(known.get(head) as OperationId | null, fields, hasUsualLists)
  return problem === null ? null : `${shown}: ${problem}; did you mean \${${[head, ...corrected].join('.')}}?`
}

/** The fields of an answer as a table of the reference has them; `problem` says what is wrong with the first that it has only by another name. */
function fieldsOf(operation: OperationId | null, fields: readonly string[], hasUsualLists: boolean): { corrected: readonly string[]; problem: string | null } {
  const { answer } = operation === null ? ({} as Tables) : (TABLES[operation] as Tables)
  let at: Schema | undefined = answer && schemaOf(answer)
  for (const [index, field] of fields.entries()) {
    if (!hasUsualLists && at?.properties?.data?.items !== undefined) break
    if (at?.properties !== undefined && !Object.hasOwn(at.properties, field)) {
      const meant = nearest(field, Object.keys(at.properties))
      if (meant === null) break
      return { corrected: fields.with(index, meant), problem: `the answer has no ${fields.slice(0, index + 1).join('.')}` }
    }
    at = at?.properties?.[field] ?? (at?.items as Schema | undefined)
  }
  return { corrected: fields, problem: null }
}

/** A list of a document, as far as it has no flaws. */
type Listed<T> = { list: readonly T[] | undefined; flaws?: Flaws | undefined }

/** Every step of a list, with its place in the document. */
function stepsIn(name: string, { list, flaws }: Listed<PlayData>, report: Report): { step: StepData; at: PathStep[]; flaws: Flaws | undefined }[] {
  const checkAlone = (index: number, member: object, only: string) => {
    const others = Object.keys(member).filter(key => key !== only)
    if (others.length > 0) report([name, index], `${only} is given alone, not with ${others.join(', ')}`)
  }
  return membersOf<PlayData>(list, flaws).flatMap(({ member, index, flaws: own }) => {
    if (isWait(member)) {
      checkAlone(index, member, 'wait')
      if (!own?.has('wait') && durationOf(member.wait) === null) report([name, index, 'wait'], DURATION_EXPECTED)
      return []
    }
    if (!isAtOnce(member)) return [{ step: member, at: [name, index], flaws: own }]
    checkAlone(index, member, 'at_once')
    const together = membersOf<StepData>(member.at_once, own?.get('at_once'))
    return together.map(({ member: step, index: nth, flaws }) => ({ step, at: [name, index, 'at_once', nth], flaws }))
  })
}

const isAtOnce = (play: PlayData): play is Extract<PlayData, { at_once: unknown }> => isObject(play) && 'at_once' in play
const isWait = (play: PlayData): play is Extract<PlayData, { wait: unknown }> => isObject(play) && 'wait' in play
/** The calls that a member of a list makes. */
const callsIn = (play: PlayData): readonly StepData[] => {
  if (isAtOnce(play)) return play.at_once
  return isWait(play) ? [] : [play]
}

/** The calls of a list, each with its place in it. */
export const placedCalls = (plays: readonly PlayData[]): { step: StepData; at: PathStep[] }[] =>
  plays.flatMap((play, index) => callsIn(play).map((step, nth) => ({ step, at: isAtOnce(play) ? [index, 'at_once', nth] : [index] })))

/** Checks what a step expects of its answer. */
function checkExpected(expect: StepData['expect'], flaws: Flaws | undefined, report: Report): void {
  if (expect?.status !== undefined && !flaws?.has('status')) compileStatus(expect.status, within(report, 'status'))
  if (expect?.fault === undefined) return
  const others = ['status', 'headers', 'body'].filter(name => name in expect)
  if (others.length > 0) report([], `a lost answer has no ${others.join(' and no ')}; fault is expected alone`)
}

/** What to say of a call that is none of the reference: the operations at its path, or those with a name like it. */
function unknownCall(call: string): string {
  const [, path] = splitCall(call)
  const there = operationsAt(path.replace(REFERENCE, 'x')).map(operation => `${operation.method} ${path}`)
  const what = `${call} is no ${OPERATION.what}`
  if (path.includes('?')) return `${what}; parameters of a list go under query`
  if (path.includes('://')) return `${what}; the path begins below the base address, such as /refunds`
  return there.length > 0
    ? `${what}; this path takes ${there.join(', or ')}`
    : `${what}${didYouMeanOneOf(call, OPERATION_NAMES, 'a call is written as a method and a path, such as POST /refunds')}`
}

/** What steps and plays have been answered, by the names that they give it. */
export class Answers extends Map<string, Json> {
  /** Every name that one of them gives. */
  readonly names: ReadonlySet<string | undefined>

  /** Of members of plays that are not checked yet, too. */
  constructor(plays: readonly PlayData[]) {
    super()
    this.names = new Set(plays.flatMap(callsIn).flatMap(step => (isObject(step) ? step.as : [])))
  }
}

/**
 * Plays steps in their order, those at once together, and returns the outcome of each call; those that refer to one with an unexpected answer are not made.
 * `wait` lets so many milliseconds pass.
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
      const together = member.at_once.map((step, nth) => playStep(step, [index, 'at_once', nth], { play, bindings, answers }))
      for (const outcome of await Promise.all(together)) end(outcome)
    } else for (let left = member.repeat ?? 1; left > 0; left--) end(await playStep(member, [index], { play, bindings, answers }))
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
  const answer: StepAnswer = missing.length > 0 ? { status: 0, body: null } : await play(call, resolved.expect?.fault)
  const problems = missing.length > 0 ? missing.map(message => ({ at, message })) : problemsOf(resolved.expect ?? {}, answer, at, bindings.error)
  if (step.as !== undefined && problems.length === 0) answers.set(step.as, answer.body)
  return { at, step, call, answer, problems }
}

/** The method and the path of a call as a step writes it. */
export const splitCall = (call: string): [string, string] => {
  const [method = '', path = ''] = call.trim().split(/\s+/)
  return [method.toUpperCase(), path]
}

function resolve(step: StepData, answers: Answers, { variable }: StepBindings): { resolved: StepData; missing: string[] } {
  const missing: string[] = []
  const valueAtReference = (reference: string): Json | undefined => {
    const [head = ''] = reference.split('.')
    return answers.has(head) ? answerAt(answers, reference) : variable(reference)
  }
  const valueAt = (reference: string): Json => {
    const value = valueAtReference(reference.trim())
    const [head = ''] = reference.trim().split('.')
    const reason = answers.names.has(head) ? 'the step that it refers to did not return it' : `give it with --var ${reference.trim()}=VALUE`
    if (value === undefined) missing.push(`\${${reference}} has no value: ${reason}`)
    return value ?? null
  }
  const resolved = withTexts(step as Json, text => withValues(text, valueAt)) as StepData
  return { resolved, missing }
}

/** A value with another one in place of every text in it. */
export function withTexts(value: Json, replaced: (text: string) => Json): Json {
  if (typeof value === 'string') return replaced(value)
  if (Array.isArray(value)) return value.map(part => withTexts(part, replaced))
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withTexts(part as Json, replaced)])) : value
}

function callOf(step: StepData, { key }: StepBindings): StepCall {
  const [method, path] = splitCall(step.do)
  return {
    method,
    path: path.split('/').map(encodeURIComponent).join('/'),
    query: encodeForm(step.query ?? {}),
    key: step.key !== undefined || needsKey(method, path) ? key(step.key ?? '') : null,
    form: method === OPERATIONS.createRefund.method ? encodeForm(step.body ?? {}) : null
  }
}

/** An answer as data; what says that it is JSON and is not has been broken on the way. */
export function answerRead(status: number, headers: Readonly<Record<string, string>>, text: string): StepAnswer {
  try {
    return { status, headers, body: text === '' ? null : JSON.parse(text) }
  } catch {
    return { status, headers, body: text, ...(headers['content-type']?.includes('json') && { fault: 'malformed_body' }) }
  }
}

/** Whether a step that wants this status, or with none a 2xx, is answered with it. */
export const wantsStatus = (wanted: Statuses | undefined, status: number): boolean => compileStatus(wanted ?? '2xx', () => {})(status)

/** How an answer differs from what a step expects; `at` is where the step is. */
export function problemsOf(
  { status, headers = {}, body, fault }: NonNullable<StepData['expect']>,
  answer: StepAnswer,
  at: readonly PathStep[] = [],
  error: Template = ERROR_TEMPLATE
): Difference[] {
  const expected = [...at, 'expect']
  if (fault !== undefined) {
    const message = `fault: ${fault} was expected, not ${answer.fault ?? `an answer with ${answer.status}`}`
    return answer.fault === fault ? [] : [{ at: [...expected, 'fault'], message }]
  }
  const problems: Difference[] = []
  if (!wantsStatus(status, answer.status)) {
    const reason = reasonIn(answer, error)
    const message = `status: ${status === undefined ? 'a 2xx' : [status].flat().join(' or ')} was expected, ${answer.status === 0 && reason ? `but ${reason}` : `not ${answer.status}${reason && ` (${reason})`}`}`
    problems.push({ at: status === undefined ? at : [...expected, 'status'], message })
  }
  for (const [name, value] of Object.entries(headers)) {
    problems.push(...differences(value, answer.headers?.[name.toLowerCase()], `headers.${name}`, [...expected, 'headers', name]))
  }
  return body === undefined ? problems : [...problems, ...differences(body, answer.body, 'body', [...expected, 'body'])]
}

/** Why a call failed; where no answer came, that is told as the emulator usually tells it. */
const reasonIn = ({ status, body }: StepAnswer, error: Template): string => {
  const message = valueAt(status === 0 ? ERROR_TEMPLATE : error, body, '$message')
  return typeof message === 'string' ? message.slice(0, MOST_SHOWN) : ''
}

/** Characters of an answer that a problem shows. */
const MOST_SHOWN = 1000

/** A part of an answer for people; what it holds may be of any size and depth. */
function shown(value: Json | undefined): string {
  try {
    const text = JSON.stringify(value) ?? 'nothing'
    return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  } catch {
    return 'data that is nested too deeply to be shown'
  }
}

/** What an answer lacks of what was expected: names that are not expected are not looked at, values are compared strictly. */
export function differences(expected: Json, actual: Json | undefined, path: string, at: readonly PathStep[] = []): Difference[] {
  const isObject = typeof expected === 'object' && expected !== null
  if (!isObject) return isDeepStrictEqual(expected, actual) ? [] : [{ at, message: `${path}: ${JSON.stringify(expected)} was expected, not ${shown(actual)}` }]
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== Array.isArray(expected)) {
    return [{ at, message: `${path}: ${Array.isArray(expected) ? 'a list' : 'an object'} was expected, not ${shown(actual)}` }]
  }
  if (Array.isArray(expected) && expected.length !== (actual as Json[]).length)
    return [{ at, message: `${path}: ${expected.length} ${expected.length === 1 ? 'member was' : 'members were'} expected, not ${(actual as Json[]).length}` }]
  const parts: [PathStep, Json][] = Array.isArray(expected) ? [...expected.entries()] : Object.entries(expected)
  return parts.flatMap(([name, part]) =>
    differences(part, (actual as Record<string, Json>)[name], typeof name === 'number' ? `${path}[${name}]` : `${path}.${name}`, [...at, name])
  )
}
