/** Compares responses field by field: `there` of a service, `here` of the emulator. */
import { partAt, pathOf, type Step } from '../../core/places.js'
import { maskedThroughout } from '../../core/redaction.js'
import { isObject } from '../../core/schema-words.js'
import type { Settings } from '../../core/settings.js'
import { valueAt } from '../../core/templates.js'
import type { StepResponse } from '../../scenario/steps.js'
import { SAYS } from '../sentences.js'

/** `isOfOthers`: of a record or list that has values from before the run. */
export type Difference = { steps: readonly Step[]; message: string; isOfOthers: boolean }
/** `shape` is what the template has at this place. */
type Place = Omit<Difference, 'message'> & { shape?: unknown }
type Fields = Readonly<Record<string, unknown>>

/** The emulator's ids for those of the service, paired where both stand in the same place. */
export class IdPairs {
  readonly #here = new Map<string, string>()
  readonly #paired = new Set<string>()
  readonly #created = new Set<unknown>()

  /** `isKnown`: the emulator has a record of the id, which then stands for no other. */
  constructor(readonly isKnown: (id: string) => boolean) {}

  readonly here = (there: string) => this.#here.get(there) ?? there
  /** By the run, on either side. */
  readonly isCreated = (id: unknown) => this.#created.has(id)

  /** Pairs two ids that have no pair yet. */
  match(there: string, here: string): boolean {
    if (this.#here.has(there) || this.#paired.has(here)) return this.#here.get(there) === here
    if (there !== here && (there === '' || this.isKnown(there))) return false
    this.#here.set(there, here)
    this.#paired.add(here)
    return true
  }

  addCreated(there: unknown, here: unknown): void {
    this.#created.add(there).add(here)
    if (typeof there === 'string' && typeof here === 'string') this.match(there, here)
  }
}

export const isMade = ({ status }: StepResponse) => status >= 200 && status < 300
export const idOf = (record: unknown): unknown => (isObject(record) ? record.id : undefined)

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i

/** Null if the response has the form of one of the API. */
function formProblem({ status, body, headers, fault }: StepResponse): string | null {
  if (fault === 'malformed_body') return SAYS.cut_short()
  if (status === 204) return null
  if (body === null) return SAYS.empty_body()
  const type = headers?.['content-type']
  return type !== undefined && JSON_TYPE.test(type) ? null : SAYS.not_json(type ?? 'none')
}

const FREE_TEXTS: readonly unknown[] = ['$message', '$request_id', '$url']

/** The shapes are those of both; `sent` are paths in the request. */
type Comparing = {
  pairs: IdPairs
  shapes: Pick<Settings, 'shapes.list' | 'shapes.error'>
  sent: ReadonlySet<string>
  /** Of a list that can go on with records from before the run. */
  isOfOthers: boolean
}

export class Comparison {
  readonly #differences: Difference[] = []

  constructor(private readonly comparing: Comparing) {}

  responses(there: StepResponse, here: StepResponse): readonly Difference[] {
    const { shapes, isOfOthers } = this.comparing
    const problem = formProblem(there)
    const status = SAYS.differs('status', `${here.status}`, `${there.status}`)
    if (problem !== null) this.#note(problem, [])
    else if (isMade(there) !== isMade(here)) this.#note(status, [])
    else {
      if (there.status !== here.status) this.#note(status, ['status'])
      const shape = isMade(here) ? undefined : shapes['shapes.error']
      this.#values(there.body, here.body, { steps: [], shape, isOfOthers })
    }
    return this.#differences
  }

  #note(message: string, steps: readonly Step[], isOfOthers = false): void {
    const isSent = this.comparing.sent.has(pathOf(steps))
    this.#differences.push({ steps, message, isOfOthers: isOfOthers && !isSent })
  }

  #differ(there: unknown, here: unknown, steps: readonly Step[], isOfOthers: boolean): void {
    const texts = [valueText(steps, here), valueText(steps, there)] as const
    this.#note(SAYS.differs(pathOf(steps) || 'body', ...texts), steps, isOfOthers)
  }

  #values(there: unknown, here: unknown, place: Place): void {
    const { steps, isOfOthers } = place
    if (Array.isArray(there) && Array.isArray(here)) {
      for (const [nth, member] of here.slice(0, there.length).entries())
        this.#values(there[nth], member, { steps: [...steps, nth], isOfOthers })
      const lengths = [`${here.length} items`, `${there.length}`] as const
      if (there.length !== here.length)
        this.#note(SAYS.differs(pathOf(steps) || 'body', ...lengths), steps, isOfOthers)
    } else if (isObject(there) && isObject(here)) this.#objects(there, here, place)
    else if (!this.#isSame(there, here, place)) {
      const isValue = typeof there === typeof here || there === null || here === null
      this.#differ(there, here, steps, isOfOthers && isValue)
    }
  }

  #objects(there: Fields, here: Fields, { steps, ...place }: Place): void {
    const { pairs, shapes } = this.comparing
    const { 'shapes.list': list } = shapes
    const { id } = here
    const { id: idThere } = there
    const isRecord = typeof id === 'string' && typeof idThere === 'string'
    if (isRecord && !pairs.match(idThere, id)) {
      this.#differ(idThere, id, [...steps, 'id'], place.isOfOthers)
      return
    }
    const isOfOthers = isRecord ? !pairs.isCreated(idThere) : place.isOfOthers
    const isList = place.shape === undefined && Array.isArray(valueAt(list, here, '$members'))
    const shape = isList ? list : place.shape
    // the names in a record or list are fixed; those in its parts may be optional
    const isOptional = isOfOthers && !isRecord && !isList
    for (const name of new Set([...Object.keys(here), ...Object.keys(there)])) {
      const at = [...steps, name]
      const isInBoth = Object.hasOwn(there, name) && Object.hasOwn(here, name)
      const field = { steps: at, isOfOthers, shape: partAt(shape, [name]) }
      if (isInBoth) this.#values(there[name], here[name], field)
      else this.#differ(there[name], here[name], at, isOptional)
    }
  }

  #isSame(there: unknown, here: unknown, { steps, shape }: Place): boolean {
    const { pairs } = this.comparing
    if (typeof there !== 'string' || typeof here !== 'string') return there === here
    if (FREE_TEXTS.includes(shape)) return true
    if (steps.at(-1) === 'created') return formOf(there) === formOf(here)
    return pairs.isKnown(here) ? pairs.match(there, here) : there === here
  }
}

/** Of an instant: times follow the machine that each side runs on. */
const formOf = (instant: string) => instant.replace(/\d/g, '0')

const MAX_SHOWN = 200

/** Without secrets; too deep a nesting cannot be shown. */
function valueText(steps: readonly Step[], value: unknown): string {
  if (value === undefined) return 'nothing'
  try {
    const whole = steps.reduceRight<unknown>((part, step) => ({ [step]: part }), value)
    const text = JSON.stringify(partAt(maskedThroughout(whole), steps))
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  } catch {
    return SAYS.hidden()
  }
}
