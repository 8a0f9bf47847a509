/** Compares two responses field by field: a service's and the emulator's. */
import { partAt, pathOf, type Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import { maskedThroughout } from '../../core/redaction.js'
import { type Template, valueAt } from '../../core/templates.js'
import { LINKED_FAMILIES } from '../../reference/operations.js'
import type { Json, StepResponse } from '../../scenario/steps.js'
import { SAYS } from '../sentences.js'

export type Difference = { steps: readonly Step[]; message: string }

/** The ids of a service with those of the emulator for the same records. */
export class IdPairs {
  readonly #here = new Map<string, string>()
  readonly #there = new Map<string, string>()

  /** `isKnown`: the emulator has a record of the id, which stands for no other then. */
  constructor(private readonly isKnown: (id: string) => boolean) {}

  /** The emulator's id for one of the service; unchanged if unknown. */
  readonly here = (there: string) => this.#here.get(there) ?? there
  /** Of a service. */
  readonly there = (here: string) => this.#there.get(here) ?? here

  set(there: string, here: string): void {
    this.#here.set(there, here)
    this.#there.set(here, there)
  }

  /** Two that mean none yet mean the same from now on. */
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

/** Null if a response can be read as one of the API. */
export function formProblem({ status, body, headers, fault }: StepResponse): string | null {
  if (fault === 'malformed_body') return SAYS.cut_short()
  if (status === 204) return null
  if (body === null) return SAYS.empty_body()
  const type = headers?.['content-type']
  return type !== undefined && JSON_TYPE.test(type) ? null : SAYS.not_json(type ?? 'none')
}

export function answerDifferences(
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

/** `shape` is what a template has at their place. */
export function valueDifferences(
  there: unknown,
  here: unknown,
  steps: readonly Step[],
  sides: Sides,
  shape?: unknown
): Difference[] {
  const says = (message: string, at = steps) => [{ steps: at, message }]
  const path = pathOf(steps) || 'body'
  if (Array.isArray(there) && Array.isArray(here)) {
    const members = here
      .slice(0, there.length)
      .flatMap((own, nth) =>
        valueDifferences(there[nth], own, [...steps, nth], sides, partAt(shape, [nth]))
      )
    return there.length === here.length
      ? members
      : [...members, ...says(SAYS.differs(path, `${here.length} items`, `${there.length}`))]
  }
  if (!isObject(there) || !isObject(here))
    return isSame(there, here, steps.at(-1), sides, shape)
      ? []
      : says(SAYS.differs(path, shownValue(steps, here), shownValue(steps, there)))
  const ids = [there.id, here.id]
  const isMember = typeof steps.at(-1) === 'number' && ids.every(id => typeof id === 'string')
  if (isMember && sides.pairs.here(there.id as string) !== here.id)
    return says(SAYS.other_record(path, here.id as string, there.id as string))
  const isList = shape === undefined && Array.isArray(valueAt(sides.list, here, '$members'))
  const parts = isList ? sides.list : shape
  return [...new Set([...Object.keys(here), ...Object.keys(there)])].flatMap(name => {
    const at = [...steps, name]
    if (!Object.hasOwn(there, name))
      return says(SAYS.missing(pathOf(at), shownValue(at, here[name])), at)
    if (!Object.hasOwn(here, name))
      return says(SAYS.surplus(pathOf(at), shownValue(at, there[name])), at)
    const part = isObject(parts) ? parts[name] : undefined
    return valueDifferences(there[name], here[name], at, sides, part)
  })
}

/** Of values without parts, by the last step to them and their placeholder. */
function isSame(
  there: unknown,
  here: unknown,
  name: Step | undefined,
  { pairs, bases }: Sides,
  shape: unknown
): boolean {
  if (typeof there !== 'string' || typeof here !== 'string') return there === here
  // texts for people, and ids of responses
  if (shape === '$message' || shape === '$request_id') return true
  const below = (url: string, base: string) => (url.startsWith(base) ? url.slice(base.length) : url)
  if (shape === '$url')
    return below(there, bases.there).replace(/[\w-]+/g, pairs.here) === below(here, bases.here)
  return name !== undefined && name in LINKED_FAMILIES
    ? pairs.match(there, here)
    : pairs.here(there) === here
}

const MAX_SHOWN = 200

/** Without secrets; a response may be nested to any depth. */
function shownValue(steps: readonly Step[], value: unknown): string {
  try {
    const whole = steps.reduceRight<unknown>((part, step) => ({ [step]: part }), value)
    const text = JSON.stringify(partAt(maskedThroughout(whole), steps))
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  } catch {
    return SAYS.hidden()
  }
}
