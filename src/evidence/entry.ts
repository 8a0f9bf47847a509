/** A request that is over, as evidence reads it. */
import type { FormObject } from '../core/form.js'
import { beginningOf, byteSize } from '../core/memory.js'
import { readable, redactForm, withoutSecrets } from '../core/redaction.js'
import type { Settings } from '../core/settings.js'
import type { Reading } from '../engine/admit.js'
import { isOfPresentState, traceOf } from '../engine/arrived.js'
import { keysToMask } from '../engine/keys.js'
import {
  type Facts,
  hasPerformed,
  isWhole,
  malformed,
  type Outcome,
  recordsChanged,
  type Scripted,
  scriptAction,
  tookEffect
} from '../engine/outcome.js'
import type { Response } from '../engine/response.js'
import { isAnswer } from '../engine/scripted.js'
import type { Account } from '../reference/accounts.js'
import { type OperationId, operationOf } from '../reference/operations.js'
import type { RuleId } from '../reference/rules.js'
import type { Ending } from '../scenario/expect/expectations.js'
import type { Json } from '../scenario/schemas.js'
import type { Action } from '../scenario/script.js'
import { bodyOf, changedBody } from '../store/bytes.js'

export type Caller = {
  readonly base: string
  /** The Account that its key acts as, and its id. */
  readonly actor: Account | null
  readonly account: string | null
  readonly isKeySent: boolean
  readonly userAgent: string | null
  readonly test: string | null
  readonly trace: string | null
}
/** By the places of the ledgers, in the order of their checks. */
export type Judgement = {
  readonly kept: readonly number[]
  readonly broken: RuleId | null
  readonly relied: readonly number[]
}

/** Once it is masked, nothing in it is secret. */
export type Entry = {
  readonly id: string
  readonly caller: Caller
  readonly method: string
  /** Below the base address, without the query. */
  readonly path: string
  readonly operation: OperationId | null
  readonly params: Readonly<Record<string, string>>
  readonly query: FormObject
  readonly body: FormObject
  /** When it came, by the machine's clock and the sandbox's. */
  readonly now: number
  readonly at: number
  /** When its response was sent or lost, by the sandbox's clock; `ms` is how long that took. */
  readonly ended: number
  readonly ms: number
  readonly settings: Settings
  readonly outcome: Outcome
  readonly facts: Facts
  readonly script: Scripted | null
  /** Among the changes of its sandbox, and how many it made. */
  readonly place: number
  readonly changes: number
  readonly judgement: Judgement | null
  readonly held: number
}

const MAX_TEST_LENGTH = 200
/** Bytes of an entry beside what was sent. */
const OVERHEAD = 2000

/** Ends a request, `ms` milliseconds after it came, and tells the scenario's expectations. */
export function close(response: Response, isDelivered: boolean, ms: number): Entry {
  const entry = entryOf(response, isDelivered, ms)
  const { came, request } = response.reading
  if (came !== null) request.tally.ended(came, endingOf(entry))
  return entry
}

/** A response that did not arrive is lost. */
export function entryOf(response: Response, isDelivered: boolean, ms: number): Entry {
  const { reading, facts, script, place, changes } = response
  const { request, operation, params, actor, query, body } = reading
  const { id, base, method, path, now, at, world, state, userAgent, test } = request
  return {
    id,
    caller: {
      base,
      actor,
      account: actor?.id ?? null,
      isKeySent: request.authorization !== undefined,
      userAgent,
      test,
      trace: traceOf(request)
    },
    method,
    path,
    operation,
    params,
    query,
    body,
    now,
    at,
    ended: at === 0 ? 0 : state.clock.now(world.machine()),
    ms,
    settings: world.settings,
    outcome: closed(response.outcome, isDelivered),
    facts,
    script,
    place,
    changes,
    judgement: null,
    held: 0
  }
}

function closed(outcome: Outcome, isSent: boolean): Outcome {
  const { name } = outcome
  const isDelivered = isSent && isWhole(outcome)
  if (isDelivered) return outcome
  if (name !== 'answered' && name !== 'scripted') return { ...outcome, isDelivered }
  const lost = hasPerformed({ outcome }) ? 'lost_after' : 'lost_before'
  return { ...outcome, name: lost, isDelivered } as Outcome
}

/** Without credentials, card numbers and API keys, wherever they are (A25). */
export function masked(
  entry: Entry,
  { request, actor }: Reading,
  judgement: Judgement | null = null
): Entry {
  const { operation, params, query, body, settings, outcome, caller } = entry
  const isKeyKnown =
    actor !== null && isOfPresentState(request) && settings['auth.accept_any_key'] === null
  const keys = keysToMask(request.world, isKeyKnown ? undefined : request.authorization)
  const show = (text: string) => withoutSecrets(readable(text), keys)
  const path = show(entry.path)
  const userAgent = caller.userAgent && show(caller.userAgent)
  const test = caller.test && beginningOf(withoutSecrets(caller.test, keys), MAX_TEST_LENGTH)
  // a cursor is not a secret, whatever its name
  const isPaged = operation !== null && operationOf(operation).kind === 'list'
  redactForm(query, keys, isPaged ? settings['pagination.cursors'] : undefined)
  redactForm(body, keys)
  const text = outcome.text && keys.maskedIn(outcome.text)
  const { refusal } = outcome
  const param = refusal?.param ? withoutSecrets(refusal.param, keys) : null
  const isSame = userAgent === caller.userAgent && test === caller.test
  return {
    ...entry,
    caller: isSame ? caller : { ...caller, userAgent, test },
    path,
    params:
      path === entry.path
        ? params
        : Object.fromEntries(Object.entries(params).map(([name, value]) => [name, show(value)])),
    outcome:
      text === ''
        ? outcome
        : ({ ...outcome, text, refusal: refusal && { ...refusal, param } } as Outcome),
    judgement,
    held:
      OVERHEAD +
      2 * byteSize(path) +
      byteSize(userAgent ?? '') +
      byteSize(test ?? '') +
      query.held +
      body.held +
      (text === '' ? outcome.length : byteSize(text))
  }
}

/** The body of the response. It is built when read: the journal keeps no copy of records. */
export function textOf({ operation, caller: { base }, outcome }: Entry): string {
  const { shown, members, list, text, fault, length } = outcome
  const isBuilt = shown !== null && text === '' && length > 0 && operation !== null
  let whole = text
  if (isBuilt)
    whole =
      members === null
        ? changedBody(shown as never, operationOf(operation).family, { base, list })
        : bodyOf(shown, members, list).toString()
  return fault === 'malformed_body' ? malformed(whole) : whole
}

export function jsonOf(entry: Entry): Json | undefined {
  try {
    return JSON.parse(textOf(entry))
  } catch {
    return undefined
  }
}

export const endingOf = (entry: Entry): Ending => ({
  status: entry.outcome.status,
  isDelivered: entry.outcome.isDelivered,
  tookEffect: tookEffect(entry),
  at: entry.ended,
  changed: recordsChanged(entry),
  body: () => jsonOf(entry)
})

/** The script gave or lost the response or changed records. */
export const isScripted = (call: Entry): boolean =>
  call.outcome.name === 'scripted' ||
  alongside(call) !== null ||
  (scriptAction(call)?.fault != null && !call.outcome.isDelivered)

/** What the script did while the operation ran; null where nothing. */
export function alongside({ script }: Entry): Action | null {
  if (script === null || isAnswer(script.action)) return null
  const { edit, stale, data } = script.action.entry
  return edit !== null || stale !== null || data.respond !== undefined ? script.action : null
}
