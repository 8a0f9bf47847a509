/** Compares responses field by field: `there` of a service, `here` of the emulator. */
import { partAt, pathOf, type Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import { maskedThroughout } from '../../core/redaction.js'
import { type Template, valueAt } from '../../core/templates.js'
import { LINKED_FAMILIES } from '../../reference/operations.js'
import type { Json, StepResponse } from '../../scenario/steps.js'
import { SAYS } from '../sentences.js'

export type Difference = { steps: readonly Step[]; message: string }

/** The ids of the same records at the service and in the emulator. */
export class IdPairs {
  readonly #here = new Map<string, string>()
  readonly #there = new Map<string, string>()

  /** `isKnown`: the emulator has a record of the id, which then stands for no other. */
  constructor(private readonly isKnown: (id: string) => boolean) {}

  /** The emulator's id for one of the service, by default the same. */
  readonly here = (there: string) => this.#here.get(there) ?? there
  /** The service's id for one of the emulator, by default the same. */
  readonly there = (here: string) => this.#there.get(here) ?? here

  set(there: string, here: string): void {
    this.#here.set(there, here)
    this.#there.set(here, there)
  }

  /** Pairs two ids that have no pair yet. */
  match(there: string, here: string): boolean {
    if (this.#here.has(there) || this.#there.has(here)) return this.#here.get(there) === here
    if (there !== here && (there === '' || this.isKnown(there))) return false
    this.set(there, here)
    return true
  }
}

/** `bases` begin the paths in responses; the templates are those of both. */
export type Sides = {
  pairs: IdPairs
  bases: { here: string; there: string }
  list: Template
  error: Template
}

export const isMade = ({ status }: StepResponse) => status >= 200 && status < 300
export const fieldOf = (body: unknown, name: string): unknown =>
  isObject(body) ? body[name] : undefined
export const membersOf = (body: unknown, list: Template): readonly Json[] => {
  const members = valueAt(list, body, '$members')
  return Array.isArray(members) ? members : []
}

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i

/** Null if the response has the form of one of the API. */
export function formProblem({ status, body, headers, fault }: StepResponse): string | null {
  if (fault === 'malformed_body') return SAYS.cut_short()
  if (status === 204) return null
  if (body === null) return SAYS.empty_body()
  const type = headers?.['content-type']
  return type !== undefined && JSON_TYPE.test(type) ? null : SAYS.not_json(type ?? 'none')
}

export function responseDifferences(
  there: StepResponse,
  here: StepResponse,
  sides: Sides
): Difference[] {
  const problem = formProblem(there)
  if (problem !== null) return [{ steps: [], message: problem }]
  const status = SAYS.differs('status', `${here.status}`, `${there.status}`)
  if (isMade(there) !== isMade(here)) return [{ steps: [], message: status }]
  const shape = isMade(here) ? undefined : sides.error
  const differences = valueDifferences(there.body, here.body, [], sides, shape)
  return there.status === here.status
    ? differences
    : [{ steps: ['status'], message: status }, ...differences]
}

/** `shape` is what the template has at this place. */
export function valueDifferences(
  there: unknown,
  here: unknown,
  steps: readonly Step[],
  sides: Sides,
  shape?: unknown
): Difference[] {
  const differenceAt = (message: string, place = steps) => [{ steps: place, message }]
  const path = pathOf(steps) || 'body'
  if (Array.isArray(there) && Array.isArray(here)) {
    const members = here
      .slice(0, there.length)
      .flatMap((member, nth) =>
        valueDifferences(there[nth], member, [...steps, nth], sides, partAt(shape, [nth]))
      )
    return there.length === here.length
      ? members
      : [...members, ...differenceAt(SAYS.differs(path, `${here.length} items`, `${there.length}`))]
  }
  if (!isObject(there) || !isObject(here))
    return isSame(there, here, steps.at(-1), sides, shape)
      ? []
      : differenceAt(SAYS.differs(path, valueText(steps, here), valueText(steps, there)))
  const isMember = typeof steps.at(-1) === 'number'
  const [idHere, idThere] = [here.id, there.id]
  const areIds = isMember && typeof idHere === 'string' && typeof idThere === 'string'
  if (areIds && sides.pairs.here(idThere) !== idHere)
    return differenceAt(SAYS.other_record(path, idHere, idThere))
  const isList = shape === undefined && Array.isArray(valueAt(sides.list, here, '$members'))
  const parts = isList ? sides.list : shape
  return [...new Set([...Object.keys(here), ...Object.keys(there)])].flatMap(name => {
    const place = [...steps, name]
    if (!Object.hasOwn(there, name))
      return differenceAt(SAYS.missing(pathOf(place), valueText(place, here[name])), place)
    if (!Object.hasOwn(here, name))
      return differenceAt(SAYS.surplus(pathOf(place), valueText(place, there[name])), place)
    const part = isObject(parts) ? parts[name] : undefined
    return valueDifferences(there[name], here[name], place, sides, part)
  })
}

function isSame(
  there: unknown,
  here: unknown,
  name: Step | undefined,
  { pairs, bases }: Sides,
  shape: unknown
): boolean {
  if (typeof there !== 'string' || typeof here !== 'string') return there === here
  if (shape === '$message' || shape === '$request_id') return true
  const below = (url: string, base: string) => (url.startsWith(base) ? url.slice(base.length) : url)
  if (shape === '$url')
    return below(there, bases.there).replace(/[\w-]+/g, pairs.here) === below(here, bases.here)
  return name !== undefined && name in LINKED_FAMILIES
    ? pairs.match(there, here)
    : pairs.here(there) === here
}

const MAX_SHOWN = 200

/** Without secrets; too deep a nesting cannot be shown. */
function valueText(steps: readonly Step[], value: unknown): string {
  try {
    const whole = steps.reduceRight<unknown>((part, step) => ({ [step]: part }), value)
    const text = JSON.stringify(partAt(maskedThroughout(whole), steps))
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  } catch {
    return SAYS.hidden()
  }
}
