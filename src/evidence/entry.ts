/** The journal's entry of a finished request. */

import {
  maskedThroughout,
  readable,
  redactForm,
  type SecretWords,
  withoutSecrets
} from '../core/redaction.js'
import { beginningOf, byteSize } from '../core/sentences.js'
import { keysToMask } from '../engine/keys.js'
import {
  hasPerformed,
  isWhole,
  malformed,
  type Outcome,
  recordsChanged,
  tookEffect
} from '../engine/outcome.js'
import { type Reading, TRACEPARENT } from '../engine/reading.js'
import type { Response } from '../engine/response.js'
import { count } from '../engine/run.js'
import { operationOf } from '../reference/operations.js'
import { mapValues } from '../reference/rules.js'
import type { Ending } from '../scenario/expect/calls.js'
import type { Json } from '../scenario/shape/parts.js'
import { bodyOf, changedBody } from '../store/bytes.js'
import { type Judged, type Judgement, judgementOf } from './judgement.js'

export type Entry = Judged &
  Pick<Reading, 'id' | 'method' | 'path' | 'now' | 'at' | 'params'> &
  Pick<Response, 'script' | 'place' | 'changes'> & {
    /** By the sandbox's clock; `ms` is the duration. */
    readonly ended: number
    readonly ms: number
    readonly judgement: Judgement
    readonly held: number
  }

const MAX_TEST_LENGTH = 200
/** Bytes besides what was sent. */
const OVERHEAD = 2000

/** Ends a request, `ms` milliseconds after it came, and tells the expectations. */
export function close(response: Response, isDelivered: boolean, ms: number): Entry {
  const entry = entryOf(response, isDelivered, ms)
  const { came, tally } = response.reading
  if (came !== null) tally.endRequest(came, endingOf(entry))
  return entry
}

/** Shows a request that was refused on the way in to the expectations, then ends it. */
export function finish(response: Response, isDelivered: boolean, ms: number): Entry {
  const reading = count(response.reading)
  const counted = reading === response.reading ? response : { ...response, reading }
  return close(counted, isDelivered, ms)
}

/** One literal: spreading another object would take longer than the operation. */
export function entryOf(response: Response, isDelivered: boolean, ms: number): Entry {
  const { reading, facts, script, place, changes } = response
  const { id, base, method, path, now, at, world, state, userAgent, test, headers } = reading
  const { operation, params, actor, query, body, authorization } = reading
  const { settings } = world
  const outcome =
    isDelivered && isWhole(response.outcome) ? response.outcome : notDelivered(response.outcome)
  const caller = {
    base,
    actor,
    account: actor?.id ?? null,
    isKeySent: authorization !== undefined,
    userAgent,
    test,
    trace: TRACEPARENT.exec(String(headers.traceparent))?.[1] ?? null
  }
  const judgement = judgementOf({ operation, query, body, settings, outcome, facts, caller })
  return {
    id,
    caller,
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
    settings,
    outcome,
    facts,
    script,
    place,
    changes,
    judgement,
    held: 0
  }
}

function notDelivered(outcome: Outcome): Outcome {
  const { name } = outcome
  if (name !== 'answered' && name !== 'scripted') return { ...outcome, isDelivered: false }
  const lost = hasPerformed({ outcome }) ? 'lost_after' : 'lost_before'
  return { ...outcome, name: lost, pause: null, isDelivered: false }
}

/** Without credentials, card numbers and API keys, wherever they are (A25). */
export function masked(entry: Entry, { actor, state, world, authorization }: Reading): Entry {
  const { operation, params, query, body, settings, outcome, caller } = entry
  const isKeyKnown =
    actor !== null && state === world.state && settings['auth.accept_any_key'] === null
  const keys = keysToMask(world, isKeyKnown ? undefined : authorization)
  const show = (text: string) => withoutSecrets(readable(text), keys)
  const path = show(entry.path)
  const userAgent = caller.userAgent && show(caller.userAgent)
  const test = caller.test && beginningOf(withoutSecrets(caller.test, keys), MAX_TEST_LENGTH)
  // a cursor is not a secret, whatever its name
  const isPaged = operation !== null && operationOf(operation).kind === 'list'
  redactForm(query, keys, isPaged ? settings['pagination.cursors'] : undefined)
  redactForm(body, keys)
  const isPathSame = path === entry.path
  const journaled = outcome.text === '' ? outcome : maskedOutcome(outcome, keys)
  return {
    ...entry,
    caller:
      userAgent === caller.userAgent && test === caller.test
        ? caller
        : { ...caller, userAgent, test },
    path,
    params: isPathSame ? params : mapValues(params, show),
    outcome: journaled,
    held:
      OVERHEAD +
      2 * byteSize(path) +
      byteSize(`${userAgent}${test}`) +
      query.held +
      body.held +
      (journaled.text === '' ? outcome.length : byteSize(journaled.text))
  }
}

function maskedOutcome(outcome: Outcome, keys: SecretWords): Outcome {
  const { text, refusal } = outcome
  const param = refusal?.param ? withoutSecrets(refusal.param, keys) : null
  const blame = refusal && { ...refusal, param }
  return { ...outcome, text: keys.maskedIn(text), refusal: blame }
}

/** The body, built on demand: the journal keeps no copies. */
export function textOf({ operation, caller: { base }, outcome }: Entry): string {
  const { result: records, members, list, text, fault, length } = outcome
  const isBuilt = records !== null && text === '' && length > 0 && operation !== null
  let whole = text
  if (isBuilt)
    whole =
      members === null
        ? changedBody(records as never, operationOf(operation).family, { base, list })
        : bodyOf(records, members, list).toString()
  return fault === 'malformed_body' ? malformed(whole) : whole
}

export function jsonOf(entry: Entry): Json | undefined {
  try {
    return JSON.parse(textOf(entry))
  } catch {
    return undefined
  }
}

/** With secrets masked; undefined where it is not JSON. */
export function maskedBody(entry: Entry, keys: SecretWords): Json | undefined {
  const json = jsonOf(entry)
  return json === undefined ? json : maskedThroughout(json, keys)
}

export const endingOf = (entry: Entry): Ending => ({
  status: entry.outcome.status,
  isDelivered: entry.outcome.isDelivered,
  tookEffect: tookEffect(entry),
  endedAt: entry.ended,
  changed: recordsChanged(entry),
  body: () => jsonOf(entry)
})
