/** Checks steps and plays: operations, keys and references. */
import { didYouMean, nearest } from '../../core/nearest.js'
import type { Said } from '../../core/sentences.js'
import { OPERATION_NAMES, operationsAt } from '../../reference/operations.js'
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

const MAX_SEARCHED = 100

/** `otherKey` is null for a known key, else advice on it, which can be empty. */
export type Known = Pick<StepBindings, 'variable'> & {
  ids: () => readonly string[]
  otherKey: (key: string) => string | null
}
type Requests = {
  steps: readonly StepData[]
  play: readonly PlayData[]
  expect: readonly unknown[]
}

/** A `${…}` must name an earlier step (in expectations any step) or a value of `variable`. */
export async function checkSteps(
  { steps, play, expect }: Requests,
  { otherKey, ...known }: Known,
  report: Report
): Promise<void> {
  const placed = [...placedCalls('steps', steps), ...placedCalls('play', play)]
  const expected = placed.map(({ step }) => step.expect)
  const areCompiled = await admitPatterns(expected, 0, within(report, 'play'))
  /** The place of each named step; those of one place are sent at once. */
  const named = new Map<string, string>()
  for (const { step, at } of placed) {
    const note = within(report, ...at)
    const place = String(at.slice(0, 2))
    if (areCompiled) checkShown(step.expect?.body, within(note, 'expect', 'body'))
    checkHeaders(step.headers ?? {}, 'request', within(note, 'headers'))
    checkCall(step, otherKey, note)
    const problemIn = (name: string) =>
      named.get(headOf(name)) === place
        ? say('not_yet_known', name)
        : problemOfReference(name, named, known)
    checkReferences(step, problemIn, note)
    if (step.as === undefined) continue
    checkName(step.as, named, within(note, 'as'))
    named.set(step.as, place)
  }
  const nothing = { variable: () => undefined, ids: () => [] }
  const problemIn = (name: string) => problemOfReference(name, named, nothing)
  checkReferences(expect, problemIn, within(report, 'expect'), true)
}

function checkName(name: string, named: ReadonlyMap<string, string>, report: Report): void {
  if (!NAME.test(name)) report([], say('not_a_variable_name'))
  else if (name === 'vars') report([], say('name_reserved', name))
  if (named.has(name)) report([], say('name_taken', name))
}

function checkCall(
  { do: call, key, body, expect }: StepData,
  otherKey: Known['otherKey'],
  report: Report
): void {
  const [method, path] = splitCall(call)
  const there = operationsAt(path.replace(REFERENCE, 'x'))
  const operation = there.find(operation => operation.method === method)
  const isChecked = key !== undefined && !key.includes('${') && !isStatus(expect?.status, 401)
  const advice = isChecked && operation?.key ? otherKey(key) : null
  if (operation === undefined) {
    const calls = there.map(({ method }) => `${method} ${path}`)
    report(['do'], say('unknown_request', call, adviceOnCall(call, path, calls)))
  }
  if (advice !== null) {
    const otherwise = '; add it under data: api_keys, or expect status 401'
    report(['key'], say('unknown_key', advice || otherwise))
  }
  if (method !== 'POST' && body) report(['body'], say('no_section', `a ${method}`, 'body'))
}

const adviceOnCall = (call: string, path: string, there: readonly string[]) =>
  (path.includes('?') && '; parameters of a list go under query') ||
  (there.length > 0 && `; this path takes ${there.join(', or ')}`) ||
  didYouMean(call, OPERATION_NAMES) ||
  '; write a method and a path, such as POST /refunds'

function checkReferences(
  part: unknown,
  problemOf: (name: string) => Said | null,
  report: Report,
  areNamesRead = false
): void {
  for (const { steps, text, isOfName } of textsIn(part, [], areNamesRead)) {
    const unclosed = unclosedIn(text)
    if (unclosed !== undefined) report(steps, say('reference_not_closed', unclosed))
    for (const name of namesIn(text)) {
      const problem = problemOf(name)
      if (problem !== null) report(steps, { ...problem, isOfName })
    }
  }
}

/** References to variables are checked when they are expanded. */
function problemOfReference(
  name: string,
  named: ReadonlyMap<string, string>,
  { variable, ids }: Omit<Known, 'otherKey'>
): Said | null {
  const [head = '', ...fields] = name.split('.')
  if (head === 'vars' || named.has(head) || variable(name) !== undefined) return null
  const latest = [...named.keys()].slice(-MAX_SEARCHED)
  const suggestion =
    nearest(head, fields.length === 0 ? [...latest, ...ids()] : ['vars', ...latest]) ??
    latest.find(name => head.length > 1 && name.startsWith(head))
  return say('unknown_reference', name, suggestion && [suggestion, ...fields].join('.'))
}
