/** Runs a request from arrival to response. The caller says how it waits. */
import { decodeForm, EMPTY_FORM, type Form } from '../core/form.js'
import type { Action } from '../scenario/script.js'
import { admit, enter, formIn } from './admit.js'
import { perform } from './perform.js'
import { type Arriving, arrive, type Reading, type Routed } from './reading.js'
import { giveUp, type Response, refuse } from './response.js'
import {
  respondByScript,
  respondsInstead,
  retractUnapplied,
  scriptedBy,
  sentBy
} from './scripted.js'
import { REFUSALS } from './sentences.js'
import type { World } from './world.js'

/** What a caller decides. Null where nothing waits. */
export type How = {
  /** Before a change, and again after a wait. Errors: a limit is reached. */
  readonly ready?: (admitted: Routed) => Promise<unknown> | null
  /** A hold and a delay; resolves with whether the request goes on. */
  readonly pass: (action: Action, admitted: Routed) => Promise<boolean> | null
  /** Acts in place of the script; null for no action. */
  readonly replacement?: Action | null | undefined
}

/** Runs a whole request; returns no promise where nothing waits. */
export function run(
  world: World,
  { body, ...arriving }: Arriving & { body: string | null },
  how: How
): Response | Promise<Response> {
  const entered = enter(arrive(world, arriving))
  if ('outcome' in entered) return entered
  try {
    return proceed(entered, formIn(body, entered), how)
  } catch (error) {
    return refuse(entered, error)
  }
}

/** Continues with the body. */
export function proceed(
  entered: Routed,
  body: Form | null,
  how: How
): Response | Promise<Response> {
  const { url, settings, state, tally, world } = entered
  if (state !== world.state) return refuse(entered, REFUSALS.stateReplaced())
  const question = url.indexOf('?')
  const query = decodeForm(question < 0 ? '' : url.slice(question + 1), settings)
  const isCounted = how.replacement === undefined && !tally.isEmpty
  const came = isCounted
    ? count({ ...entered, query: query.root, body: body?.root ?? EMPTY_FORM }).came
    : null
  const admitted = admit(entered, query, body, came)
  if ('outcome' in admitted) return admitted
  try {
    const ready = how.ready?.(admitted) ?? null
    if (ready === null) return ask(admitted, how, false)
    return ready.then(() => ask(admitted, how, true)).catch(error => refuse(admitted, error))
  } catch (error) {
    return refuse(admitted, error)
  }
}

/** Shows a request to the scenario's expectations, once. */
export function count(reading: Reading): Reading {
  const { tally, id, came } = reading
  return tally.isEmpty || came !== null
    ? reading
    : { ...reading, came: tally.addRequest(sentBy(reading), id) }
}

/** Errors: `state_replaced`. */
function requireState({ state, world }: Reading): void {
  if (state !== world.state) throw REFUSALS.stateReplaced()
}

/** 7. The script, which may hold or delay the request. */
function ask(admitted: Routed, how: How, hasWaited: boolean): Response | Promise<Response> {
  const { world, state, operation, settings, at } = admitted
  if (hasWaited) requireState(admitted)
  let action = how.replacement ?? null
  if (how.replacement === undefined && state.script.operations.has(operation))
    action = state.script.act(sentBy(admitted), { seed: settings.seed, instant: at }, world.counted)
  if (action === null) return perform(admitted, null, hasWaited)
  const passing = how.pass(action, admitted)
  return passing === null
    ? act(admitted, action, hasWaited)
    : actAfter(passing, admitted, action, how)
}

async function actAfter(
  passing: Promise<boolean>,
  admitted: Routed,
  action: Action,
  how: How
): Promise<Response> {
  const script = scriptedBy(action)
  try {
    const goesOn = await passing
    requireState(admitted)
    if (!goesOn) return giveUp(admitted, script)
    const ready = respondsInstead(action) ? null : (how.ready?.(admitted) ?? null)
    // keeps the order of held requests
    if (ready !== null) {
      await ready
      requireState(admitted)
    }
    return act(admitted, action, true)
  } catch (error) {
    return { ...refuse(admitted, error), script }
  }
}

/** 8. The operation, unless the script responds in its place. */
function act(admitted: Routed, action: Action, hasWaited: boolean): Response {
  const response = respondsInstead(action)
    ? respondByScript(admitted, action)
    : perform(admitted, action, hasWaited)
  retractUnapplied(response, action)
  return response
}
