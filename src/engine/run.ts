/** Runs a request from arrival to response. The caller says how it waits. */
import type { Form } from '../core/form.js'
import type { Action } from '../scenario/script.js'
import { decode, enter } from './admit.js'
import { type Around, perform } from './perform.js'
import type { Admitted, Draft, Reading } from './reading.js'
import { giveUp, type Response, refuse, respond } from './response.js'
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
  /** Before a change, and again after a wait. Errors: a limit is reached. */
  readonly ready?: (admitted: Admitted, by: B) => Promise<unknown> | null
  /** A hold and a delay; resolves with whether the request goes on. */
  readonly pass: (action: Action, admitted: Admitted, by: B) => Promise<boolean> | null
}
/** `replacement` acts in place of the script; null for no action. */
type How<B> = { waits: Waits<B>; by: B; replacement?: Action | null | undefined }

/** Before the body is read. Returns an early response, or null. */
export function start(reading: Reading): Response | null {
  try {
    const headers = enter(reading)
    return headers && respond(reading, { name: 'answered', status: 204, headers })
  } catch (error) {
    return refuse(reading, error)
  }
}

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
function requireState({ state, world }: Reading): void {
  if (state !== world.state) throw REFUSALS.stateReplaced()
}

/** Shows a request to the scenario's expectations, once. */
export function count(reading: Reading): void {
  const draft: Draft = reading
  const { tally, id, came } = draft
  if (!tally.isEmpty && came === null) draft.came = tally.addRequest(sentBy(reading), id)
}

/** 8. The script, which may hold or delay the request. */
function ask<B>(
  admitted: Admitted,
  body: Form | null,
  { waits, by, replacement }: How<B>,
  hasWaited: boolean
): Response | Promise<Response> {
  const { world, state, operation, settings, at } = admitted
  if (hasWaited) requireState(admitted)
  let action = replacement ?? null
  if (replacement === undefined && state.script.operations.has(operation))
    action = state.script.act(sentBy(admitted), { seed: settings.seed, instant: at }, world.counted)
  const pass = action && waits.pass(action, admitted, by)
  if (action === null) return perform(admitted, { action, body, hasWaited })
  if (pass === null) return act(admitted, { action, body, hasWaited })
  const around = { action, body, hasWaited: true }
  const course = { script: { action, ...UNCHANGED } }
  return pass
    .then(async goesOn => {
      requireState(admitted)
      if (!goesOn) return giveUp(admitted, course)
      const ready = respondsInstead(around.action) ? null : (waits.ready?.(admitted, by) ?? null)
      // keeps the order of held requests
      if (ready !== null) {
        await ready
        requireState(admitted)
      }
      return act(admitted, around)
    })
    .catch(error => refuse(admitted, error, course))
}

/** 9. The operation, unless the script responds in its place. */
function act(admitted: Admitted, around: Around & { action: Action }): Response {
  const { action } = around
  const response = respondsInstead(action)
    ? respondByScript(admitted, action)
    : perform(admitted, around)
  if (response.script !== null) retractUnapplied(response, response.script)
  return response
}
