/** Performs an admitted request, with the script's changes around it. */
import { isChange, operationOf, PATH_RECORDS } from '../reference/operations.js'
import type { Action } from '../scenario/script.js'
import { bodyOf, bytesOf, changedBody } from '../store/bytes.js'
import type { Stored } from '../store/collection.js'
import { collectionOf, type Records, type Store } from '../store/store.js'
import { admitAgain } from './admit.js'
import { visible } from './keys.js'
import type { StoredList } from './listing.js'
import { HANDLERS } from './operations.js'
import { type AnyRecord, factsOf, STAGE } from './outcome.js'
import type { Routed } from './reading.js'
import { type Response, refuse, respond } from './response.js'
import { changeRecords, changeResponse, scriptedBy } from './scripted.js'
import { REFUSALS } from './sentences.js'
import type { Result } from './world.js'

type AnyStored = Records[keyof Records]
type AnyResult = Result<StoredList<AnyStored> | AnyStored | null>

export function perform(admitted: Routed, action: Action | null, hasWaited: boolean): Response {
  const { world } = admitted
  if (action === null && !hasWaited) return operate(admitted, world.state.store)
  const { place } = world.inputs
  const first = action && changeRecords(admitted, action, 'before')
  const again = hasWaited || first?.problem === null ? admitAgain(admitted) : admitted
  const stale = action?.entry.stale ?? null
  const script = action && { ...scriptedBy(action, first), isPast: stale !== null }
  const changes = () => world.inputs.place - place
  if ('outcome' in again) {
    const outcome = { ...again.outcome, reached: admitted.reached }
    return { ...again, outcome, script, place, changes: changes() }
  }
  const response = operate(again, stale === null ? world.state.store : world.past(stale))
  if (action === null || script === null) return response
  const changed = changeResponse(response, action)
  const last = changeRecords(again, action, 'after')
  return { ...changed, script: { ...script, ...last }, place, changes: changes() }
}

/** Finds, judges, changes and shows. */
function operate(admitted: Routed, store: Store): Response {
  const { world, actor, settings, relied, operation, params } = admitted
  const { place } = world.inputs
  let { record } = admitted
  try {
    for (const { name, family } of PATH_RECORDS[operation]) {
      const id = String(params[name])
      const next = visible({ actor, settings, relied, store }, family, id)
      if (next === undefined) throw REFUSALS.notInPath(name, family, id)
      record = next
    }
    const { base, path, values } = admitted
    const handled = { world, store, settings, relied, base, path, actor, params, values, record }
    const { result, facts }: AnyResult = HANDLERS[operation as keyof typeof HANDLERS](
      handled as never
    )
    const { status, members, payload } = isChange(operationOf(operation))
      ? showChange(admitted, record, result as AnyStored | null)
      : showRead(admitted, result as StoredList<AnyStored> | AnyStored, store)
    return respond(admitted, {
      name: 'answered',
      reached: STAGE.running,
      status,
      members,
      payload,
      result,
      facts: factsOf(relied, record, facts),
      place,
      changes: world.inputs.place - place
    })
  } catch (error) {
    return { ...refuse({ ...admitted, record, reached: STAGE.running }, error), place }
  }
}

function showRead(
  { base, settings, operation }: Routed,
  result: StoredList<AnyStored> | AnyStored,
  store: Store
) {
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
  { base, world, id, settings, operation }: Routed,
  before: AnyRecord | null,
  result: AnyStored | null
) {
  const { kind, family } = operationOf(operation)
  const shape = { base, list: settings['shapes.list'] }
  const payload = result === null ? '' : changedBody(result, family, shape)
  if (result !== before)
    world.changed(family, (result ?? (before as AnyRecord)).id, result, id, payload)
  const created = kind === 'create' ? settings['statuses.created'] : 200
  return { status: result === null ? 204 : created, members: null, payload }
}
