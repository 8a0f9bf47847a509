/** Checks steps and plays: operations, keys and references. */
import { didYouMean, nearest } from '../../core/nearest.js'
import type { Said } from '../../core/sentences.js'
import { OPERATION_NAMES, type Operation, operationsAt } from '../../reference/operations.js'
import { type Report, within } from '../documents.js'
import { isStatus } from '../match/counts.js'
import { checkHeaders } from '../match/matching.js'
import { admitPatterns } from '../match/patterns.js'
import { say } from '../sentences.js'
import type { PlayData, StepData } from '../shape/expectation.js'
import { NAME } from '../shape/variables.js'
import { placedCalls, type StepBindings, splitCall } from '../steps.js'
import { checkShown } from './differences.js'
import { headOf, namesIn, REFERENCE, textsIn, unclosedIn } from './references.js'

const MAX_LOOKED_AT = 100

/** `otherKey` is null for a known key, else advice on it, which can be empty. */
type Known = Pick<StepBindings, 'variable'> & {
  ids: () => readonly string[]
  otherKey: (key: string) => string | null
}
/** By name, the group of a step; those of one group are sent at once. */
type NamedSteps = Map<string, string>
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
    const { fault, ...response } = step.expect ?? {}
    if (fault !== undefined && Object.keys(response).length > 0)
      note(['expect'], say('not_together', 'fault', Object.keys(response)))
    if (areCompiled) checkShown(response.body, within(note, 'expect', 'body'))
    checkHeaders(step.headers ?? {}, 'request', within(note, 'headers'))
    if (step.do === undefined) note([], say('not_exactly_one', ['do', 'at_once', 'wait']))
    else checkCall(step, otherKey, note)
    const problemIn = (name: string) =>
      namedSteps.get(headOf(name)) === group
        ? say('not_yet_known', name)
        : problemOfReference(name, { ...known, namedSteps, latest })
    checkReferences(step, problemIn, note)
    if (step.as === undefined) continue
    checkName(step.as, namedSteps, within(note, 'as'))
    namedSteps.set(step.as, group)
    if (latest.push(step.as) > MAX_LOOKED_AT) latest.shift()
  }
  const referable = { ...known, namedSteps, latest, variable: () => undefined, ids: () => [] }
  const problemIn = (name: string) => problemOfReference(name, referable)
  checkReferences(expect, problemIn, within(report, 'expect'), true)
}

function checkName(name: string, namedSteps: NamedSteps, report: Report): void {
  if (!NAME.test(name)) report([], say('not_a_variable_name'))
  else if (name === 'vars') report([], say('name_reserved', name))
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

function operationOfCall(call: string): Operation | undefined {
  const [method, path] = splitCall(call)
  return operationsAt(path.replace(REFERENCE, 'x')).find(operation => operation.method === method)
}

function checkCall(
  { do: call, key, body, expect }: StepData,
  otherKey: Known['otherKey'],
  report: Report
): void {
  const operation = operationOfCall(call)
  const isChecked = key !== undefined && !key.includes('${') && !isStatus(expect?.status, 401)
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
    (there.length > 0 && `; this path takes ${there.join(', or ')}`) ||
    didYouMean(call, OPERATION_NAMES) ||
    '; write a method and a path, such as POST /refunds'
  return say('unknown_request', call, advice)
}

function checkReferences(
  part: unknown,
  problemOf: (name: string) => Said | null,
  report: Report,
  areNamesRead = false
): void {
  for (const { steps, text, isOfName = false } of textsIn(part, [], { areNamesRead })) {
    const unclosed = unclosedIn(text)
    if (unclosed !== undefined) report(steps, say('reference_not_closed', unclosed))
    for (const name of namesIn(text)) {
      const problem = problemOf(name)
      if (problem !== null) report(steps, { ...problem, isOfName })
    }
  }
}

/** References to variables are checked when they are expanded. */
function problemOfReference(name: string, referable: Referable): Said | null {
  const { namedSteps, latest, variable, ids } = referable
  const [head = '', ...fields] = name.split('.')
  if (head === 'vars' || namedSteps.has(head) || variable(name) !== undefined) return null
  const suggestion =
    nearest(head, fields.length === 0 ? [...latest, ...ids()] : ['vars', ...latest]) ??
    latest.find(name => head.length > 1 && name.startsWith(head))
  return say('unknown_reference', name, suggestion && [suggestion, ...fields].join('.'))
}
