/** Performs an admitted request, with the script's changes around it. */
import type { Form } from '../core/form.js'
import { isChange, operationOf, PATH_RECORDS } from '../reference/operations.js'
import type { Action } from '../scenario/script.js'
import { bodyOf, bytesOf, changedBody } from '../store/bytes.js'
import type { Stored } from '../store/collection.js'
import { collectionOf, type Records, type Store } from '../store/store.js'
import { admitAgain } from './admit.js'
import { inPath } from './keys.js'
import type { StoredList } from './listing.js'
import { HANDLERS } from './operations.js'
import { type AnyRecord, factsOf, type Outcome, STAGE } from './outcome.js'
import type { Admitted } from './reading.js'
import { type Response, refuse, respond } from './response.js'
import { changeRecords, changeResponse, UNCHANGED } from './scripted.js'
import type { Result } from './world.js'

type AnyStored = Records[keyof Records]
type AnyResult = Result<StoredList<AnyStored> | AnyStored | null>

/** `body` is decoded again after a wait or a scripted change. */
export type Around = { action: Action | null; body: Form | null; hasWaited: boolean }

export function perform(admitted: Admitted, { action, body, hasWaited }: Around): Response {
  const { world } = admitted
  const { place } = world.inputs
  if (action === null && !hasWaited) return operate(admitted, place, world.state.store)
  const first = action && changeRecords(admitted, action, 'before')
  const { reading, refusal } =
    hasWaited || first?.problem === null
      ? admitAgain(admitted, body)
      : { reading: admitted, refusal: null }
  const changes = () => world.inputs.place - place
  const stale = action?.entry.stale ?? null
  const script = action && { action, ...UNCHANGED, ...first, isPast: stale !== null }
  if (refusal !== null) return refuse(reading, refusal, { script, place, changes: changes() })
  const store = stale === null ? world.state.store : world.past(stale)
  const response = { ...operate(reading, place, store), script }
  if (action === null || script === null) return response
  const changed = changeResponse(response, action)
  const last = changeRecords(reading, action, 'after')
  return { ...changed, script: { ...script, ...last }, changes: changes() }
}

function operate(reading: Admitted, place: number, store: Store): Response {
  const { world, base, path, operation, params, actor, values, settings, relied } = reading
  let { record } = reading
  try {
    for (const { name, family } of PATH_RECORDS[operation])
      record = inPath({ actor, settings, relied, store }, family, String(params[name]), name)
    const handled = { world, store, settings, relied, base, path, actor, params, values, record }
    const { result, facts }: AnyResult = HANDLERS[operation as keyof typeof HANDLERS](
      handled as never
    )
    const { status, members, payload }: Written = isChange(operationOf(operation))
      ? showChange(reading, record, result as AnyStored | null)
      : showRead(reading, result as StoredList<AnyStored> | AnyStored, store)
    return respond(reading, {
      name: 'answered',
      status,
      result,
      members,
      payload,
      reached: STAGE.running,
      facts: factsOf(relied, record, facts),
      place,
      changes: world.inputs.place - place
    })
  } catch (error) {
    const facts = factsOf(relied, record)
    return refuse(reading, error, { reached: STAGE.running, facts, place })
  }
}

type Written = Pick<Outcome, 'status' | 'members'> & Pick<Response, 'payload'>

function showRead(
  { base, settings, operation }: Admitted,
  result: StoredList<AnyStored> | AnyStored,
  store: Store
): Written {
  const { family } = operationOf(operation)
  const shape = { base, list: settings['shapes.list'] }
  const stored =
    'stored' in result
      ? result.stored
      : [collectionOf(store, family).stored(result.id) as Stored<AnyStored>]
  const members = stored.map(record => bytesOf(family, record, store, shape))
  return { status: 200, members, payload: bodyOf(result, members, shape.list) }
}

function showChange(
  { base, world, id, settings, operation }: Admitted,
  before: AnyRecord | null,
  result: AnyStored | null
): Written {
  const { kind, family } = operationOf(operation)
  const shape = { base, list: settings['shapes.list'] }
  const payload = result === null ? '' : changedBody(result, family, shape)
  if (result !== before)
    world.changed(family, (result ?? (before as AnyRecord)).id, result, id, payload)
  const created = kind === 'create' ? settings['statuses.created'] : 200
  return { status: result === null ? 204 : created, members: null, payload }
}
