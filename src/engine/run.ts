/** Runs a request from arrival to response. The caller says how it waits. */
import type { Form } from '../core/form.js'
import type { Action } from '../scenario/script.js'
import { type Admitted, decode, enter, noteCame, type Reading } from './admit.js'
import { type Around, perform } from './perform.js'
import { courseOf, giveUp, type Response, refuse, respond } from './response.js'
import { answerByScript, isAnswer, retractUnapplied, sentBy, UNCHANGED } from './scripted.js'
import { REFUSALS } from './sentences.js'

/** How a caller lets requests wait; `by` is what it knows of one. Null where none has to. */
export type Waits<B> = {
  /** Before anything is changed. Errors: where there is no room. */
  readonly ready?: (admitted: Admitted, by: B) => Promise<unknown> | null
  /** A hold and a delay; resolves with whether the request goes on. */
  readonly pass: (action: Action, admitted: Admitted, by: B) => Promise<boolean> | null
  /** Before the operation of a request that waited. */
  readonly again?: () => Promise<unknown> | null
  /** Once the operation is done. Errors: where there is no room for the response. */
  readonly done?: (response: Response) => void
}
/** `given` is an action in place of what the script does, null for none. */
type How<B> = { waits: Waits<B>; by: B; given?: Action | null }
const AT_ONCE: How<null> = { waits: { pass: () => null }, by: null }

/** Before the body is read: the response to a request that does not go on. */
export function start(reading: Reading): Response | null {
  try {
    const headers = enter(reading)
    if (headers === null) return null
    return respond(reading, { name: 'answered', status: 204 }, courseOf(reading), '', headers)
  } catch (error) {
    return refuse(reading, error)
  }
}

export const runNow = (reading: Reading, body: Form | null, given?: Action | null): Response =>
  run(reading, body, given === undefined ? AT_ONCE : { ...AT_ONCE, given }) as Response

/** Of a request that has started: without a promise where nothing waits. */
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
      if (how.given === undefined) count(reading)
    }
    const ready = how.waits.ready?.(admitted, how.by) ?? null
    if (ready === null) return ask(admitted, body, how, false)
    return ready.then(() => ask(admitted, body, how, true)).catch(error => refuse(reading, error))
  } catch (error) {
    return refuse(reading, error)
  }
}

/** A request that waited ends with the state that it came to. Errors: `state_replaced`. */
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
  { waits, by, given }: How<B>,
  hasWaited: boolean
): Response | Promise<Response> {
  const { request, operation, settings } = admitted
  const { world, at } = request
  const { script } = world.state
  if (hasWaited) requireState(admitted)
  let action = given ?? null
  if (given === undefined && script.operations.has(operation))
    action = script.act(sentBy(admitted), { seed: settings.seed, instant: at }, world.counted)
  const pass = action && waits.pass(action, admitted, by)
  if (action === null || pass === null) return act(admitted, { action, body, hasWaited }, waits)
  const course = courseOf(admitted, { script: { action, ...UNCHANGED } })
  const around = { action, body, hasWaited: true }
  return pass
    .then(async goesOn => {
      requireState(admitted)
      if (!goesOn) return giveUp(admitted, course)
      const again = isAnswer(around.action) ? null : (waits.again?.() ?? null)
      // those that were held keep their order
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
    action !== null && isAnswer(action)
      ? answerByScript(admitted, action)
      : perform(admitted, around)
  try {
    waits.done?.(response)
  } catch (error) {
    response = refuse(response.reading, error, response)
  }
  if (response.script !== null) retractUnapplied(response, response.script)
  return response
}
