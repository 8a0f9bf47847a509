/** Steps and plays: requests that a scenario sends, with the responses that it expects. */
import { encodeForm } from '../core/form-encoding.js'
import type { Step as PathStep } from '../core/places.js'
import type { Template } from '../core/templates.js'
import { needsKey } from '../reference/operations.js'
import type { Store } from '../store/store.js'
import { type Difference, problemsOf, type StepResponse } from './play/differences.js'
import {
  headOf,
  namesIn,
  responseValue,
  textsOf,
  withTexts,
  withValues
} from './play/references.js'
import { hasRecord } from './records/named-records.js'
import { say } from './sentences.js'
import { millisecondsOf } from './shape/checked.js'
import type { Fault } from './shape/entry.js'
import type { PlayData, StepData } from './shape/expectation.js'
import type { Json } from './shape/parts.js'

export type { Difference, StepResponse } from './play/differences.js'
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
export type Play = (call: StepCall, fault?: Fault) => StepResponse | Promise<StepResponse>
/** `error` is the template of errors, if not the usual one. */
export type StepBindings = {
  variable: (name: string) => string | undefined
  key: (name: string) => string | null
  error?: Template
}
/** Of steps and plays, by name. */
export type StepResponses = Map<string, Json>
type PlacedStep = { step: StepData; at: readonly PathStep[] }
export type StepOutcome = PlacedStep & {
  call: StepCall
  response: StepResponse
  problems: Difference[]
}

export const isWait = (play: PlayData): play is Extract<PlayData, { wait: unknown }> =>
  'wait' in play

/** One, or those that are sent at once. */
export function callsOf(play: PlayData, ...at: PathStep[]): PlacedStep[] {
  if ('at_once' in play)
    return play.at_once.map((step, nth) => ({ step, at: [...at, 'at_once', nth] }))
  return isWait(play) ? [] : [{ step: play, at }]
}

export const placedCalls = (name: 'steps' | 'play', plays: readonly PlayData[]): PlacedStep[] =>
  plays.flatMap((play, index) => callsOf(play, name, index))

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
    const isDamaged = headers['content-type']?.includes('json')
    return { status, headers, body: text, ...(isDamaged && { fault: 'malformed_body' }) }
  }
}

/** Records by id, and keys; without a key, that of the first merchant. */
export function bindingsOf(store: Store): StepBindings {
  const first = [...store.keys].find(
    ([, account]) => store.accounts.get(account)?.type === 'merchant'
  )
  return {
    variable: id => (hasRecord(store, id) ? id : undefined),
    key: name => (name === '' ? (first?.[0] ?? null) : name)
  }
}

/** A step that refers to the response of a failed one is not sent. */
export async function playSteps(
  plays: readonly PlayData[],
  play: Play,
  bindings: StepBindings,
  onStep: (outcome: StepOutcome) => void = () => {},
  responses: StepResponses = new Map(),
  wait?: (ms: number) => unknown
): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = []
  for (const [index, member] of plays.entries()) {
    if (isWait(member)) await wait?.(millisecondsOf(member.wait))
    const times = 'do' in member ? (member.repeat ?? 1) : 1
    for (let remaining = times; remaining > 0; remaining--) {
      const sent = callsOf(member, index).map(call => playStep(call, play, bindings, responses))
      for (const outcome of await Promise.all(sent)) {
        outcomes.push(outcome)
        onStep(outcome)
      }
    }
  }
  return outcomes
}

async function playStep(
  { step, at }: PlacedStep,
  play: Play,
  bindings: StepBindings,
  responses: StepResponses
): Promise<StepOutcome> {
  const valueFor = (name: string): Json | undefined =>
    responses.has(headOf(name)) ? responseValue(responses, name) : bindings.variable(name)
  const missing = textsOf(step)
    .flatMap(namesIn)
    .filter(name => valueFor(name) === undefined)
  const resolved = withTexts(step, text =>
    withValues<Json>(text, name => valueFor(name.trim()) ?? null)
  )
  const call = callOf(resolved, bindings)
  if (missing.length > 0) {
    // only a step has fields
    const problems = missing.map(name => ({
      at,
      ...say(name.includes('.') ? 'not_returned' : 'not_given', name)
    }))
    return { at, step, call, response: { status: 0, body: null }, problems }
  }
  const response = await play(call, resolved.expect?.fault)
  const problems = problemsOf(resolved.expect, response, at, bindings.error)
  if (step.as !== undefined && problems.length === 0) responses.set(step.as, response.body)
  return { at, step, call, response, problems }
}

function callOf(step: StepData, { key }: StepBindings): StepCall {
  const [method, path] = splitCall(step.do)
  const headers = Object.entries(step.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    value
  ])
  return {
    method,
    path: path.split('/').map(encodeURIComponent).join('/'),
    query: encodeForm(step.query ?? {}),
    key: step.key !== undefined || needsKey(method, path) ? key(step.key ?? '') : null,
    form: method === 'POST' ? encodeForm(step.body ?? {}) : null,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) })
  }
}
