/** The operation of a request that was admitted, and what the script changes around it. */
import type { Form } from '../core/form.js'
import { isChange, type OperationId, operationOf, PATH_RECORDS } from '../reference/operations.js'
import type { Action } from '../scenario/script.js'
import { bodyOf, bytesOf, changedBody } from '../store/bytes.js'
import type { Stored } from '../store/collection.js'
import { collectionOf, type Records, type Store } from '../store/store.js'
import { type Admitted, admitAgain } from './admit.js'
import type { Result } from './handler.js'
import type { StoredList } from './listing.js'
import { HANDLERS } from './operations.js'
import { type AnyRecord, NO_FACTS, STAGE } from './outcome.js'
import { type Course, courseOf, type Response, refuse, respond } from './response.js'
import { changeAnswer, changeRecords, UNCHANGED } from './scripted.js'
import { inPath } from './visibility.js'

type AnyStored = Records[keyof Records]
type AnyResult = Result<StoredList<AnyStored> | AnyStored | null>
const OPERATE = HANDLERS as unknown as Readonly<Record<OperationId, (of: object) => AnyResult>>

/** `body` is read again where the request waited, or the script changed records before it. */
export type Around = { action: Action | null; body: Form | null; hasWaited: boolean }

/** Runs the operation, with what the script does before and after it. */
export function perform(admitted: Admitted, { action, body, hasWaited }: Around): Response {
  if (action === null && !hasWaited) return operate(admitted)
  const { request } = admitted
  const { world } = request
  const { place } = world.inputs
  const first = action && changeRecords(request, action, 'before')
  const isChanged = first !== null && first.problem === null
  const { reading, refusal } =
    hasWaited || isChanged ? admitAgain(admitted, body) : { reading: admitted, refusal: null }
  const changes = () => world.inputs.place - place
  const stale = action?.entry.stale ?? null
  const script = action && { action, ...UNCHANGED, ...first, isPast: stale !== null }
  if (refusal !== null)
    return refuse(reading, refusal, { ...courseOf(reading), script, place, changes: changes() })
  const past = stale === null ? undefined : world.past(stale)
  const response = { ...operate(reading, past, place), script }
  if (action === null) return response
  const shown = changeAnswer(response, action)
  const last = changeRecords(request, action, 'after')
  return {
    ...shown,
    script: { action, ...UNCHANGED, ...first, ...last, isPast: stale !== null },
    changes: changes()
  }
}

function operate(reading: Admitted, past?: Store, place = reading.request.world.inputs.place) {
  const { request, operation, params, actor, values, settings, relied } = reading
  const { world, base, path } = request
  const store = past ?? world.state.store
  const course = { reached: STAGE.running, script: null, place, changes: 0 }
  let { found } = reading
  try {
    for (const { name, family } of PATH_RECORDS[operation])
      found = inPath({ actor, settings, relied, store }, family, params[name] as string, name)
    const handled = { world, store, settings, relied, base, path, actor, params, values, found }
    const { shown, facts } = OPERATE[operation](handled)
    return show(reading, shown, store, {
      ...course,
      facts: { ...NO_FACTS, found, relied, ...facts }
    })
  } catch (error) {
    return refuse(reading, error, { ...course, facts: { ...NO_FACTS, found, relied } })
  }
}

function show(
  reading: Admitted,
  shown: AnyResult['shown'],
  store: Store,
  course: Course
): Response {
  const { request, settings } = reading
  const { world, base, id } = request
  const operation = operationOf(reading.operation)
  const { kind, family } = operation
  const shape = { base, list: settings['shapes.list'] }
  if (!isChange(operation)) {
    const records = shown as StoredList<AnyStored> | AnyStored
    const stored =
      'stored' in records
        ? records.stored
        : [collectionOf(store, family).stored(records.id) as Stored<AnyStored>]
    const members = stored.map(record => bytesOf(family, record, store, shape))
    const body = bodyOf(records, members, shape.list)
    return respond(
      reading,
      { name: 'answered', status: 200, shown: records, members },
      course,
      body
    )
  }
  const { found } = course.facts
  const record = shown as AnyStored | null
  const body = record === null ? '' : changedBody(record, family, shape)
  if (shown !== found) world.changed(family, (record ?? (found as AnyRecord)).id, record, id, body)
  const status = { create: settings['statuses.created'], delete: 204 }[kind as 'create'] ?? 200
  return respond(
    reading,
    { name: 'answered', status, shown: record },
    { ...course, changes: world.inputs.place - course.place },
    body
  )
}
