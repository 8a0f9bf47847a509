/** Checks steps and plays: operations, keys and references. */
import { didYouMean, nearest } from '../../core/nearest.js'
import type { Step as PathStep } from '../../core/places.js'
import type { Said } from '../../core/sentences.js'
import {
  type Family,
  OPERATION_NAMES,
  type Operation,
  operationsAt,
  operationsNamed
} from '../../reference/operations.js'
import { type Schema, schemaOf } from '../../reference/parameters.js'
import { FIELDS, TABLES, type Tables } from '../../reference/tables.js'
import { type Report, within } from '../documents.js'
import { compileStatus } from '../match/counts.js'
import { checkHeaders } from '../match/matching.js'
import { admitPatterns } from '../match/patterns.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'
import type { PlayData, StepData } from '../shape/expectation.js'
import { NAME } from '../shape/variables.js'
import { checkShown, placedCalls, type StepBindings, splitCall, wantsStatus } from '../steps.js'
import { headOf, namesIn, REFERENCE, recordPath, textsIn, unclosedIn } from './references.js'

const MAX_LOOKED_AT = 100

/** `otherKey` is null for a known key, else advice on it, which can be empty. */
type Known = Pick<StepBindings, 'variable'> & {
  ids: () => readonly string[]
  hasUsualLists: boolean
  otherKey: (key: string) => string | null
}
/** Steps of one `group` are sent at once. */
type NamedSteps = Map<string, { response: Schema | undefined; group: string }>
type Referable = Omit<Known, 'otherKey'> & { namedSteps: NamedSteps; latest: readonly string[] }

/** A `${…}` must name an earlier step (in expectations any step) or a value of `variable`. */
export async function checkSteps(
  {
    steps,
    play,
    expect
  }: { steps: readonly StepData[]; play: readonly PlayData[]; expect: readonly unknown[] },
  { otherKey, ...known }: Known,
  report: Report
): Promise<void> {
  const namedSteps: NamedSteps = new Map()
  const latest: string[] = []
  const placed = [...placedCalls('steps', steps), ...placedCalls('play', play)]
  checkAlone(steps, within(report, 'steps'))
  checkAlone(play, within(report, 'play'))
  const expected = placed.map(({ step }) => step.expect)
  const areCompiled = await admitPatterns(expected, 0, within(report, 'play'))
  for (const { step, at } of placed) {
    const note = within(report, ...at)
    const group = String(at.slice(0, 2))
    checkExpected(step.expect, within(note, 'expect'))
    if (areCompiled) checkShown(step.expect?.body, within(note, 'expect', 'body'))
    checkHeaders(step.headers ?? {}, 'request', within(note, 'headers'))
    const operation = step.do === undefined ? undefined : operationOfCall(step.do)
    if (step.do === undefined) note([], say('not_exactly_one', ['do', 'at_once', 'wait']))
    else checkCall(step, operation, otherKey, note)
    const problemIn = (name: string) =>
      namedSteps.get(headOf(name))?.group === group
        ? say('not_yet_known', name)
        : problemOfReference(name, { ...known, namedSteps, latest })
    checkReferences(step, problemIn, note)
    const { as } = step
    if (as === undefined) continue
    checkName(as, namedSteps, within(note, 'as'))
    namedSteps.set(as, { response: responseSchema(operation, step), group })
    if (latest.push(as) > MAX_LOOKED_AT) latest.shift()
  }
  const referable = { ...known, namedSteps, latest, variable: () => undefined, ids: () => [] }
  checkReferences(expect, problemOfExpected(referable), within(report, 'expect'), true)
}

function checkName(name: string, namedSteps: NamedSteps, report: Report): void {
  if (!NAME.test(name)) report([], say('not_a_variable_name'))
  else if (name === 'vars' || name === 'record') report([], say('name_reserved', name))
  if (namedSteps.has(name)) report([], say('name_taken', name))
}

function checkAlone(list: readonly PlayData[], report: Report): void {
  for (const [index, play] of list.entries()) {
    const alone = ['wait', 'at_once'].find(only => only in play)
    const others = Object.keys(play).filter(key => key !== alone)
    if (alone !== undefined && others.length > 0)
      report([index], say('not_together', alone, others))
  }
}

function checkExpected(expect: StepData['expect'] = {}, report: Report): void {
  if (expect.status !== undefined) compileStatus(expect.status, within(report, 'status'))
  const others = ['status', 'headers', 'body'].filter(name => name in expect)
  if (expect.fault !== undefined && others.length > 0)
    report([], say('not_together', 'fault', others))
}

function operationOfCall(call: string): Operation | undefined {
  const [method, path] = splitCall(call)
  return operationsAt(path.replace(REFERENCE, 'x')).find(operation => operation.method === method)
}

function checkCall(
  { do: call, key, body, expect }: StepData,
  operation: Operation | undefined,
  otherKey: Known['otherKey'],
  report: Report
): void {
  const isChecked = key !== undefined && !key.includes('${') && !wantsStatus(expect?.status, 401)
  const advice = isChecked && operation?.key ? otherKey(key) : null
  if (operation === undefined) report(['do'], unknownCall(call))
  if (advice !== null)
    report(
      ['key'],
      say('unknown_key', advice || '; add it under data: api_keys, or expect status 401')
    )
  const [method] = splitCall(call)
  if (method !== 'POST' && body) report(['body'], say('body_unexpected', method))
}

function unknownCall(call: string): Said {
  const [, path] = splitCall(call)
  const there = operationsAt(path.replace(REFERENCE, 'x')).map(({ method }) => `${method} ${path}`)
  const advice =
    (path.includes('?') && '; parameters of a list go under query') ||
    (path.includes('://') && '; the path begins below the base address, such as /refunds') ||
    (there.length > 0 && `; this path takes ${there.join(', or ')}`) ||
    didYouMean(call, OPERATION_NAMES) ||
    '; write a method and a path, such as POST /refunds'
  return say('unknown_request', call, advice)
}

function checkReferences(
  part: unknown,
  problemOf: (name: string, text: string, path: readonly PathStep[]) => Said | null,
  report: Report,
  areNamesRead = false
): void {
  for (const { steps, text, isOfName = false } of textsIn(part, [], { areNamesRead })) {
    const unclosed = unclosedIn(text)
    if (unclosed !== undefined) report(steps, say('reference_not_closed', unclosed))
    for (const name of namesIn(text)) {
      const problem = problemOf(name, text, steps)
      if (problem !== null) report(steps, { ...problem, isOfName })
    }
  }
}

/** Fields of the current record are checked where the state is compiled. */
const problemOfExpected =
  (referable: Referable) =>
  (name: string, text: string, [, kind, family, , ...inner]: readonly PathStep[]) => {
    const head = headOf(name)
    if (kind !== 'state' || inner.length === 0 || name === head || referable.namedSteps.has(head))
      return problemOfReference(name, referable)
    if (head === 'record') return recordPath(text) === undefined ? say('record_part', name) : null
    return Object.hasOwn(FIELDS[family as Family], head)
      ? say('unknown_reference', name, `record.${name}`)
      : problemOfReference(name, { ...referable, latest: [...referable.latest, 'record'] })
  }

/** Undefined where the operation is unknown or must fail. */
function responseSchema(
  operation: Operation | undefined,
  { expect }: StepData
): Schema | undefined {
  if (operation === undefined || !wantsStatus(expect?.status, 200)) return undefined
  const [id] = operationsNamed(`${operation.method} ${operation.path}`)
  const { response: table }: Tables = TABLES[present(id)]
  return table && schemaOf(table)
}

/** References to variables are checked when they are expanded. */
function problemOfReference(name: string, referable: Referable): Said | null {
  const { namedSteps, latest, variable, ids } = referable
  const [head = '', ...fields] = name.split('.')
  const step = namedSteps.get(head)
  if (step !== undefined) return problemOfPart(head, fields, step.response, referable)
  if (head === 'vars' || variable(name) !== undefined) return null
  const suggestion =
    nearest(head, fields.length === 0 ? [...latest, ...ids()] : ['vars', ...latest]) ??
    latest.find(name => head.length > 1 && name.startsWith(head))
  return say('unknown_reference', name, suggestion && [suggestion, ...fields].join('.'))
}

/** Of the first field that the response does not have, if it is similar to one that it has. */
function problemOfPart(
  head: string,
  fields: readonly string[],
  response: Schema | undefined,
  { hasUsualLists }: Referable
): Said | null {
  let schema = response
  for (const [index, field] of fields.entries()) {
    const { properties, items } = schema ?? {}
    if (!hasUsualLists && properties?.data?.items !== undefined) return null
    if (properties !== undefined && !Object.hasOwn(properties, field)) {
      const suggestion = nearest(field, Object.keys(properties))
      if (suggestion === null) return null
      const reference = (names: readonly string[]) => [head, ...names].join('.')
      const part = fields.slice(0, index + 1).join('.')
      return say('unknown_part', reference(fields), part, reference(fields.with(index, suggestion)))
    }
    schema = properties?.[field] ?? items
  }
  return null
}
