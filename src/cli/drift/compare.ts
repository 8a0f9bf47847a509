/**
 * Compares two responses to the same request field by field: a running service's and the
 * emulator's. Ids are matched up.
 */
import { partAt, pathOf, type Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import type { Said } from '../../core/sentences.js'
import { type Template, valueAt } from '../../core/templates.js'
import type { Exchange } from '../../engine/exchange.js'
import { LINKED_FAMILIES } from '../../reference/operations.js'
import type { Json, StepAnswer, StepCall } from '../../scenario/steps.js'
import { say } from '../sentences.js'

/**
 * What differs. `form`: the service's response, or a part of it, does not have the operation's
 * form, as `says` tells; `outcome`: only one side refused;
 * `status`: any other two statuses; `missing` and `unknown`: a field that the service lacks, or
 * that only the service has; `record`: another record at this
 * place of a list; `members`: another number of them; `prefix` and `length` of a new id; `value`:
 * any other value.
 */
type DifferenceKind =
  | 'form'
  | 'outcome'
  | 'status'
  | 'missing'
  | 'unknown'
  | 'record'
  | 'members'
  | 'prefix'
  | 'length'
  | 'value'
/** `part` is the placeholder that a template has at the place. */
export type FieldDifference = {
  kind: DifferenceKind
  steps: readonly Step[]
  here?: Json | undefined
  there?: Json | undefined
  says?: Said
  part?: string
}
/**
 * Whether the emulator has a record of an id, and whether it had it when the scenario was loaded.
 */
type KnownIds = { isKnown: (id: string) => boolean; isLoaded: (id: string) => boolean }

export class IdPairs {
  readonly #here: Map<string, string>
  readonly #there: Map<string, string>
  readonly known: KnownIds

  /** `pairs` are ids of the service with those of the emulator; an empty text is not an id. */
  constructor(known: KnownIds, pairs: Iterable<readonly [there: string, here: string]> = []) {
    this.known = known
    this.#here = new Map([...pairs].filter(([there]) => there !== ''))
    this.#there = new Map([...this.#here].map(([there, here]) => [here, there]))
  }

  /** A copy, to try responses with. */
  readonly copy = () => new IdPairs(this.known, this.#here)
  /** The id of the emulator for one of the service; the same where none is known. */
  readonly here = (there: string) => this.#here.get(there) ?? there
  /** The id of the service for one of the emulator. */
  readonly there = (here: string) => this.#there.get(here) ?? here

  /**
   * Whether two ids mean the same record. An id that the emulator has means that record and no
   * other. Any other is paired with `here` where that was
   * drawn here since the scenario was loaded, or where a record refers to both: a service draws
   * other ids.
   */
  match(there: string, here: string, isReference = false): boolean {
    const paired = this.#here.get(there)
    if (paired !== undefined || there === here) return (paired ?? there) === here
    if (
      there === '' ||
      this.#there.has(here) ||
      this.known.isKnown(there) ||
      (!isReference && this.known.isLoaded(here))
    )
      return false
    this.#here.set(there, here)
    this.#there.set(here, there)
    return true
  }
}

/** The templates that responses are read with. */
export type Shapes = { list: Template; error: Template }
/** `bases` are the beginnings of the paths in responses. */
export type Comparison = { pairs: IdPairs; bases: { here: string; there: string }; shapes: Shapes }

/** A request with the responses of the service and of the emulator. */
export type Compared = {
  call: StepCall
  there: StepAnswer
  here: StepAnswer
  judged: Exchange
  /** All that differs but for what the emulator cannot know, which is `unseen`. */
  differences: readonly FieldDifference[]
  unseen: readonly FieldDifference[]
  comparison: Comparison
}

const LIST_IDS: readonly unknown[] = ['$first_id', '$last_id']
/** Fields by which a record refers to another one. */
const REFERENCES: readonly unknown[] = Object.keys(LINKED_FAMILIES)
/** Texts for people, and ids of responses: only their types are compared. */
const FREE_TEXT: readonly unknown[] = ['$message', '$request_id']

/** Whether a response says that the request was accepted. */
export const isMade = ({ status }: StepAnswer) => status >= 200 && status < 300
/** A field of a response; undefined if it has no field of that name. */
export const fieldOf = (body: unknown, name: string): unknown =>
  isObject(body) ? body[name] : undefined
/** The members of a list; none where it is no list. */
export const membersOf = (list: unknown, template: Template): readonly Json[] => {
  const members = valueAt(template, list, '$members')
  return Array.isArray(members) ? members : []
}

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i

/** Why a response cannot be read as one of the API; null if it can. */
export function formProblem({ status, body, headers, fault }: StepAnswer): Said | null {
  if (fault === 'malformed_body') return say('cut_short')
  if (status === 204) return null
  if (body === null) return say('empty_body')
  const type = headers?.['content-type']
  return type !== undefined && JSON_TYPE.test(type) ? null : say('not_json', type ?? 'none')
}

/** The differences between two responses, status first. */
export function answerDifferences(
  there: StepAnswer,
  here: StepAnswer,
  comparison: Comparison,
  isCreate = false
): FieldDifference[] {
  const problem = formProblem(there)
  if (problem !== null) return [{ kind: 'form', steps: [], there: there.body, says: problem }]
  const status = { steps: ['status'], here: here.status, there: there.status }
  if (isMade(there) !== isMade(here)) return [{ kind: 'outcome', ...status }]
  return [
    ...(there.status === here.status ? [] : [{ kind: 'status' as const, ...status }]),
    ...(isCreate && isMade(here) ? idDifferences(there.body, here.body) : []),
    ...valueDifferences(
      there.body,
      here.body,
      [],
      comparison,
      isMade(here) ? undefined : comparison.shapes.error
    )
  ]
}

/** The parts of an id: all up to its last underscore, and what is drawn. */
export function idParts(id: string): { prefix: string; length: number } {
  const end = id.lastIndexOf('_') + 1
  return { prefix: id.slice(0, end), length: id.length - end }
}

function idDifferences(there: Json, here: Json): FieldDifference[] {
  const ids = [here, there].map(body => fieldOf(body, 'id'))
  if (!ids.every(id => typeof id === 'string')) return []
  const [by, of] = ids.map(idParts) as [ReturnType<typeof idParts>, ReturnType<typeof idParts>]
  return (['prefix', 'length'] as const).flatMap(kind =>
    of[kind] === by[kind] ? [] : [{ kind, steps: ['id'], here: by[kind], there: of[kind] }]
  )
}

/** What differs between two values; `shape` is what a template has at their place. */
export function valueDifferences(
  there: Json | undefined,
  here: Json | undefined,
  steps: readonly Step[],
  comparison: Comparison,
  shape?: unknown
): FieldDifference[] {
  const part = typeof shape === 'string' && { part: shape }
  if (Array.isArray(there) && Array.isArray(here)) {
    const found = here
      .slice(0, there.length)
      .flatMap((member, index) =>
        valueDifferences(there[index], member, [...steps, index], comparison, below(shape, index))
      )
    return there.length === here.length
      ? found
      : [...found, { kind: 'members', steps, here: here.length, there: there.length, ...part }]
  }
  if (!isObject(there) || !isObject(here))
    return isSame(there, here, steps.at(-1), comparison, shape)
      ? []
      : [{ kind: 'value', steps, here, there, ...part }]
  const isMember =
    typeof steps.at(-1) === 'number' && typeof here.id === 'string' && typeof there.id === 'string'
  if (isMember && !comparison.pairs.match(there.id as string, here.id as string))
    return [{ kind: 'record', steps, here: here.id as string, there: there.id as string }]
  const { list } = comparison.shapes
  const isList = shape === undefined && Array.isArray(valueAt(list, here, '$members'))
  return [...new Set([...Object.keys(here), ...Object.keys(there)])].flatMap(
    (name): FieldDifference[] => {
      const [of, by, at, own] = [
        there[name],
        here[name],
        [...steps, name],
        below(isList ? list : shape, name)
      ]
      const [isThere, isHere] = [there, here].map(values => Object.hasOwn(values, name))
      if (isThere && isHere) return valueDifferences(of, by, at, comparison, own)
      return [
        {
          kind: isHere ? 'missing' : 'unknown',
          steps: at,
          here: by,
          there: of,
          ...(typeof own === 'string' && { part: own })
        }
      ]
    }
  )
}

/** What a template has below a place. */
const below = (shape: unknown, step: Step): unknown =>
  typeof shape === 'object' ? partAt(shape, [step]) : undefined

/**
 * Whether two values that have no parts mean the same, by the last step to them and by their
 * placeholder.
 */
export function isSame(
  there: unknown,
  here: unknown,
  name: Step | undefined,
  { pairs, bases }: Comparison,
  shape?: unknown
): boolean {
  if (typeof there !== 'string' || typeof here !== 'string') return there === here
  if (FREE_TEXT.includes(shape)) return true
  if (shape === '$url')
    return (
      pathBelow(there, bases.there).replace(/[\w-]+/g, id => pairs.here(id)) ===
      pathBelow(here, bases.here)
    )
  const isReference = REFERENCES.includes(name)
  return isReference || name === 'id' || LIST_IDS.includes(shape)
    ? pairs.match(there, here, isReference)
    : pairs.here(there) === here
}

const pathBelow = (url: string, base: string) =>
  url.startsWith(base) ? url.slice(base.length) : url

/**
 * How far apart two responses are. Different outcomes count more than any fields; a list of other
 * records, or no list, counts more than its fields.
 */
export function distanceOf(differences: readonly FieldDifference[]): number {
  const others = new Set(
    differences
      .filter(({ kind }) => kind === 'record')
      .map(({ steps }) => pathOf(steps.slice(0, -1)))
  )
  return differences.reduce(
    (sum, { kind, here }) => sum + (Array.isArray(here) ? NO_LIST : (WEIGHTS[kind] ?? 1)),
    others.size * OTHER_RECORDS
  )
}

const OTHER_RECORDS = 10_000
/** Where there is no list at all, its records are not even seen. */
const NO_LIST = 500_000
/** A shorter page has fewer other records, which brings it no nearer. */
const WEIGHTS: Readonly<Partial<Record<DifferenceKind, number>>> = {
  outcome: 1_000_000,
  members: 2 * OTHER_RECORDS,
  record: 0
}
