/** Performs an admitted request, with the script's changes around it. */
import type { Form } from '../core/form.js'
import { isChange, operationOf, PATH_RECORDS } from '../reference/operations.js'
import type { Action } from '../scenario/script.js'
import { bodyOf, bytesOf, changedBody } from '../store/bytes.js'
import type { Shape, Stored } from '../store/collection.js'
import { collectionOf, type Records, type Store } from '../store/store.js'
import { type Admitted, admitAgain } from './admit.js'
import type { Result } from './handler.js'
import type { StoredList } from './listing.js'
import { HANDLERS } from './operations.js'
import { type AnyRecord, factsOf, STAGE } from './outcome.js'
import { type Course, courseOf, type Response, refuse, respond } from './response.js'
import { changeRecords, changeResponse, UNCHANGED } from './scripted.js'
import { inPath } from './visibility.js'

type AnyStored = Records[keyof Records]
type AnyResult = Result<StoredList<AnyStored> | AnyStored | null>

/** `body` is decoded again after a wait or a scripted change. */
export type Around = { action: Action | null; body: Form | null; hasWaited: boolean }

export function perform(admitted: Admitted, { action, body, hasWaited }: Around): Response {
  const { request } = admitted
  const { world } = request
  const { place } = world.inputs
  if (action === null && !hasWaited) return operate(admitted, place, world.state.store)
  const first = action && changeRecords(request, action, 'before')
  const isChanged = first !== null && first.problem === null
  const { reading, refusal } =
    hasWaited || isChanged ? admitAgain(admitted, body) : { reading: admitted, refusal: null }
  const changes = () => world.inputs.place - place
  const stale = action?.entry.stale ?? null
  const script = action && { action, ...UNCHANGED, ...first, isPast: stale !== null }
  if (refusal !== null)
    return refuse(reading, refusal, courseOf(reading, { script, place, changes: changes() }))
  const store = stale === null ? world.state.store : world.past(stale)
  const response = { ...operate(reading, place, store), script }
  if (action === null || script === null) return response
  const changed = changeResponse(response, action)
  const last = changeRecords(request, action, 'after')
  return { ...changed, script: { ...script, ...last }, changes: changes() }
}

function operate(reading: Admitted, place: number, store: Store): Response {
  const { request, operation, params, actor, values, settings, relied } = reading
  const { world, base, path } = request
  let { record } = reading
  try {
    for (const { name, family } of PATH_RECORDS[operation])
      record = inPath({ actor, settings, relied, store }, family, String(params[name]), name)
    const handled = { world, store, settings, relied, base, path, actor, params, values, record }
    const { result, facts }: AnyResult = HANDLERS[operation as keyof typeof HANDLERS](
      handled as never
    )
    const course = courseOf(reading, {
      reached: STAGE.running,
      facts: factsOf(relied, record, facts),
      place
    })
    return isChange(operationOf(operation))
      ? showChange(reading, result as AnyStored | null, course)
      : showRead(reading, result as StoredList<AnyStored> | AnyStored, store, course)
  } catch (error) {
    return refuse(
      reading,
      error,
      courseOf(reading, { reached: STAGE.running, facts: factsOf(relied, record), place })
    )
  }
}

function showRead(
  reading: Admitted,
  result: StoredList<AnyStored> | AnyStored,
  store: Store,
  course: Course
): Response {
  const { family } = operationOf(reading.operation)
  const shape = shapeOf(reading)
  const stored =
    'stored' in result
      ? result.stored
      : [collectionOf(store, family).stored(result.id) as Stored<AnyStored>]
  const members = stored.map(record => bytesOf(family, record, store, shape))
  const body = bodyOf(result, members, shape.list)
  return respond(reading, { name: 'answered', status: 200, result, members }, course, body)
}

function showChange(reading: Admitted, result: AnyStored | null, course: Course): Response {
  const { request, settings, operation } = reading
  const { world, id } = request
  const { kind, family } = operationOf(operation)
  const { record: before } = course.facts
  const body = result === null ? '' : changedBody(result, family, shapeOf(reading))
  if (result !== before)
    world.changed(family, (result ?? (before as AnyRecord)).id, result, id, body)
  const created = kind === 'create' ? settings['statuses.created'] : 200
  return respond(
    reading,
    { name: 'answered', status: result === null ? 204 : created, result },
    { ...course, changes: world.inputs.place - course.place },
    body
  )
}

const shapeOf = ({ request, settings }: Admitted): Shape => ({
  base: request.base,
  list: settings['shapes.list']
})
