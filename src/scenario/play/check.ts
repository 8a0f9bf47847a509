/** Checks steps and plays: operations, keys and references. */

import { didYouMean, nearest, type Said } from '../../core/sentences.js'
import { OPERATION_NAMES, operationsAt } from '../../reference/operations.js'
import { Store } from '../../store/store.js'
import { type Report, within } from '../documents.js'
import { isStatus } from '../match/counts.js'
import { checkHeaders } from '../match/matching.js'
import { admitPatterns } from '../match/patterns.js'
import { hasRecord, someIds, type Trial } from '../records/named-records.js'
import { say } from '../sentences.js'
import type { PlayData, StepData } from '../shape/expectation.js'
import { NAME } from '../shape/variables.js'
import { callsOf, splitCall } from '../steps.js'
import { checkShown } from './differences.js'
import { namesIn, REFERENCE, textsIn, unclosedIn } from './references.js'

const MAX_SEARCHED = 100

type Requests = {
  steps: readonly StepData[]
  play: readonly PlayData[]
  expect: readonly unknown[]
}
type Context = Pick<Trial, 'store' | 'settings'> & {
  /** API keys of another service, which steps and plays may name too. */
  keys?: ReadonlyMap<string, unknown> | undefined
}

/** A `${…}` must name an earlier step (in expectations any step) or a record. */
export async function checkSteps(
  { steps, play, expect }: Requests,
  { store, settings, keys }: Context,
  report: Report
): Promise<void> {
  const isAnyKey = store === null || settings['auth.accept_any_key'] !== null
  const adviceOnKey = (key: string) =>
    isAnyKey || keys?.has(key) || store.keys.has(key)
      ? null
      : didYouMean(key, [...store.keys.keys()]) ||
        '; add it under data: api_keys, or expect status 401'
  const groups = [
    ...steps.map((step, index) => callsOf(step, 'steps', index)),
    ...play.map((member, index) => callsOf(member, 'play', index))
  ]
  const expected = groups.flat().map(({ step }) => step.expect)
  const areCompiled = await admitPatterns(expected, 0, within(report, 'play'))
  const named = new Set<string>()
  for (const group of groups) {
    for (const { step, at } of group) {
      const note = within(report, ...at)
      checkCall(step, adviceOnKey, note)
      const { body, headers = {} } = step.expect ?? {}
      if (areCompiled)
        for (const [name, part] of Object.entries({ body, headers }))
          checkShown(part, within(note, 'expect', name))
      checkHeaders(step.headers ?? {}, 'request', within(note, 'headers'))
      checkReferences(step, name => problemOfReference(name, named, store), note)
    }
    // requests that are sent at once cannot refer to each other
    for (const { step, at } of group) checkName(step.as, named, within(report, ...at, 'as'))
  }
  const problemIn = (name: string) => problemOfReference(name, named, new Store())
  checkReferences(expect, problemIn, within(report, 'expect'), true)
}

function checkName(name: string | undefined, named: Set<string>, report: Report): void {
  if (name === undefined) return
  if (!NAME.test(name)) report([], say('not_a_variable_name'))
  else if (name === 'vars') report([], say('name_reserved', name))
  if (named.has(name)) report([], say('name_taken', name))
  named.add(name)
}

function checkCall(
  { do: call, key, body, expect }: StepData,
  adviceOnKey: (key: string) => string | null,
  report: Report
): void {
  const [method, path] = splitCall(call)
  const there = operationsAt(path.replace(REFERENCE, 'x'))
  const operation = there.find(operation => operation.method === method)
  if (operation === undefined) {
    const calls = there.map(({ method }) => `${method} ${path}`)
    const advice =
      (path.includes('?') && '; parameters of a list go under query') ||
      (calls.length > 0 && `; this path takes ${calls.join(', or ')}`) ||
      didYouMean(call, OPERATION_NAMES) ||
      '; write a method and a path, such as POST /refunds'
    report(['do'], say('unknown_request', call, advice))
  }
  const isChecked = key !== undefined && !key.includes('${') && !isStatus(expect?.status, 401)
  const advice = isChecked && operation?.key ? adviceOnKey(key) : null
  if (advice !== null) report(['key'], say('unknown_key', advice))
  if (method !== 'POST' && body) report(['body'], say('no_section', `a ${method}`, 'body'))
}

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
  named: ReadonlySet<string>,
  store: Store | null
): Said | null {
  const [head = '', ...fields] = name.split('.')
  if (head === 'vars' || named.has(head) || store === null || hasRecord(store, name)) return null
  const latest = [...named].slice(-MAX_SEARCHED)
  const suggestion =
    nearest(head, fields.length === 0 ? [...latest, ...someIds(store)] : ['vars', ...latest]) ??
    latest.find(name => head.length > 1 && name.startsWith(head))
  return say('unknown_reference', name, suggestion && [suggestion, ...fields].join('.'))
}
