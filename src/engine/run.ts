/** Runs a request from arrival to response. The caller says how it waits. */
import type { Form } from '../core/form.js'
import type { Action } from '../scenario/script.js'
import { type Admitted, decode, enter, noteCame, type Reading } from './admit.js'
import { type Around, perform } from './perform.js'
import { courseOf, giveUp, type Response, refuse, respond } from './response.js'
import {
  respondByScript,
  respondsInstead,
  retractUnapplied,
  sentBy,
  UNCHANGED
} from './scripted.js'
import { REFUSALS } from './sentences.js'

/** How requests wait; `by` is the caller's context. Null where nothing waits. */
export type Waits<B> = {
  /** Before any change. Errors: a limit is reached. */
  readonly ready?: (admitted: Admitted, by: B) => Promise<unknown> | null
  /** A hold and a delay; resolves with whether the request goes on. */
  readonly pass: (action: Action, admitted: Admitted, by: B) => Promise<boolean> | null
  /** Before the operation of a request that waited. */
  readonly again?: () => Promise<unknown> | null
  /** After the operation. Errors: there is no room for the response. */
  readonly done?: (response: Response) => void
}
/** `replacement` acts in place of the script; null for no action. */
type How<B> = { waits: Waits<B>; by: B; replacement?: Action | null }
const AT_ONCE: How<null> = { waits: { pass: () => null }, by: null }

/** Before the body is read. Returns an early response, or null. */
export function start(reading: Reading): Response | null {
  try {
    const headers = enter(reading)
    if (headers === null) return null
    return respond(reading, { name: 'answered', status: 204 }, courseOf(reading), '', headers)
  } catch (error) {
    return refuse(reading, error)
  }
}

export const runNow = (
  reading: Reading,
  body: Form | null,
  replacement?: Action | null
): Response =>
  run(reading, body, replacement === undefined ? AT_ONCE : { ...AT_ONCE, replacement }) as Response

/** Continues a started request; returns no promise where nothing waits. */
export function run<B>(
  reading: Reading,
  body: Form | null,
  how: How<B>
): Response | Promise<Response> {
  try {
    requireState(reading)
    let admitted: Admitted
    try {
      admitted = decode(reading, body)
    } finally {
      if (how.replacement === undefined) count(reading)
    }
    const ready = how.waits.ready?.(admitted, how.by) ?? null
    if (ready === null) return ask(admitted, body, how, false)
    return ready.then(() => ask(admitted, body, how, true)).catch(error => refuse(reading, error))
  } catch (error) {
    return refuse(reading, error)
  }
}

/** A waiting request ends with its state. Errors: `state_replaced`. */
function requireState({ request }: Reading): void {
  if (request.state !== request.world.state) throw REFUSALS.stateReplaced()
}

/** Shows a request to the scenario's expectations, once. */
export function count(reading: Reading): void {
  const { tally, id } = reading.request
  if (!tally.isEmpty && reading.came === null)
    noteCame(reading, tally.addRequest(sentBy(reading), id))
}

/** 8. The script, which may hold or delay the request. */
function ask<B>(
  admitted: Admitted,
  body: Form | null,
  { waits, by, replacement }: How<B>,
  hasWaited: boolean
): Response | Promise<Response> {
  const { request, operation, settings } = admitted
  const { world, at } = request
  const { script } = world.state
  if (hasWaited) requireState(admitted)
  let action = replacement ?? null
  if (replacement === undefined && script.operations.has(operation))
    action = script.act(sentBy(admitted), { seed: settings.seed, instant: at }, world.counted)
  const pass = action && waits.pass(action, admitted, by)
  if (action === null || pass === null) return act(admitted, { action, body, hasWaited }, waits)
  const course = courseOf(admitted, { script: { action, ...UNCHANGED } })
  const around = { action, body, hasWaited: true }
  return pass
    .then(async goesOn => {
      requireState(admitted)
      if (!goesOn) return giveUp(admitted, course)
      const again = respondsInstead(around.action) ? null : (waits.again?.() ?? null)
      // keeps the order of held requests
      if (again !== null) {
        await again
        requireState(admitted)
      }
      return act(admitted, around, waits)
    })
    .catch(error => refuse(admitted, error, course))
}

/** 9. The operation, unless the script responds in its place. */
function act<B>(admitted: Admitted, around: Around, waits: Waits<B>): Response {
  const { action } = around
  let response =
    action !== null && respondsInstead(action)
      ? respondByScript(admitted, action)
      : perform(admitted, around)
  try {
    waits.done?.(response)
  } catch (error) {
    response = refuse(response.reading, error, response)
  }
  if (response.script !== null) retractUnapplied(response, response.script)
  return response
}
