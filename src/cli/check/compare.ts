/** Compares responses field by field: `remote` of a service, `local` of the emulator. */
import { partAt, pathOf, type Step } from '../../core/places.js'
import { maskedThroughout } from '../../core/redaction.js'
import type { Settings } from '../../core/settings.js'
import { valueAt } from '../../core/templates.js'
import { isObject } from '../../reference/rules.js'
import type { StepResponse } from '../../scenario/steps.js'
import { SAYS } from '../sentences.js'

/** `isEarlier`: in a record or list from before the run. */
export type Difference = { steps: readonly Step[]; message: string; isEarlier: boolean }
/** `shape` is the part of the template at this place. */
type Place = Omit<Difference, 'message'> & { shape?: unknown }
type Fields = Readonly<Record<string, unknown>>

/** Pairs ids of both sides that are in the same place. */
export class IdPairs {
  readonly #local = new Map<string, string>()
  readonly #paired = new Set<string>()
  readonly #created = new Set<unknown>()

  /** `isKnown`: the emulator has a record with the id. */
  constructor(readonly isKnown: (id: string) => boolean) {}

  readonly local = (remote: string) => this.#local.get(remote) ?? remote
  /** Whether the run created it, on either side. */
  readonly isCreated = (id: unknown) => this.#created.has(id)

  /** Pairs two ids without a pair. Returns whether they match. */
  match(remote: string, local: string): boolean {
    if (this.#local.has(remote) || this.#paired.has(local)) return this.#local.get(remote) === local
    if (remote !== local && (remote === '' || this.isKnown(remote))) return false
    this.#local.set(remote, local)
    this.#paired.add(local)
    return true
  }

  addCreated(remote: unknown, local: unknown): void {
    this.#created.add(remote).add(local)
    if (typeof remote === 'string' && typeof local === 'string') this.match(remote, local)
  }
}

export const isOk = ({ status }: StepResponse) => status >= 200 && status < 300
export const idOf = (record: unknown): unknown => (isObject(record) ? record.id : undefined)

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i

/** Null for the form of an API response. */
function formProblem({ status, body, headers, fault }: StepResponse): string | null {
  if (fault === 'malformed_body') return SAYS.cut_short()
  if (status === 204) return null
  if (body === null) return SAYS.empty_body()
  const type = headers?.['content-type']
  return type !== undefined && JSON_TYPE.test(type) ? null : SAYS.not_json(type ?? 'none')
}

const FREE_TEXTS: readonly unknown[] = ['$message', '$request_id', '$url']

/** Both sides have these shapes; `sent` are paths in the request. */
type Comparing = {
  pairs: IdPairs
  shapes: Pick<Settings, 'shapes.list' | 'shapes.error'>
  sent: ReadonlySet<string>
  /** A list that can have records from before the run. */
  isEarlier: boolean
}

export class Comparison {
  readonly #differences: Difference[] = []

  constructor(private readonly comparing: Comparing) {}

  responses(remote: StepResponse, local: StepResponse): readonly Difference[] {
    const { shapes, isEarlier } = this.comparing
    const problem = formProblem(remote)
    const status = SAYS.differs('status', `${local.status}`, `${remote.status}`)
    if (problem !== null) this.#note(problem, [])
    else if (isOk(remote) !== isOk(local)) this.#note(status, [])
    else {
      if (remote.status !== local.status) this.#note(status, ['status'])
      const shape = isOk(local) ? undefined : shapes['shapes.error']
      this.#values(remote.body, local.body, { steps: [], shape, isEarlier })
    }
    return this.#differences
  }

  #note(message: string, steps: readonly Step[], isEarlier = false): void {
    const isSent = this.comparing.sent.has(pathOf(steps))
    this.#differences.push({ steps, message, isEarlier: isEarlier && !isSent })
  }

  #differ(remote: unknown, local: unknown, steps: readonly Step[], isEarlier: boolean): void {
    const texts = [valueText(steps, local), valueText(steps, remote)] as const
    this.#note(SAYS.differs(pathOf(steps) || 'body', ...texts), steps, isEarlier)
  }

  #values(remote: unknown, local: unknown, place: Place): void {
    const { steps, isEarlier } = place
    if (Array.isArray(remote) && Array.isArray(local)) {
      for (const [nth, member] of local.slice(0, remote.length).entries())
        this.#values(remote[nth], member, { steps: [...steps, nth], isEarlier })
      const lengths = [`${local.length} items`, `${remote.length}`] as const
      if (remote.length !== local.length)
        this.#note(SAYS.differs(pathOf(steps) || 'body', ...lengths), steps, isEarlier)
    } else if (isObject(remote) && isObject(local)) this.#objects(remote, local, place)
    else if (!this.#isSame(remote, local, place)) {
      const isValue = typeof remote === typeof local || remote === null || local === null
      this.#differ(remote, local, steps, isEarlier && isValue)
    }
  }

  #objects(remote: Fields, local: Fields, { steps, ...place }: Place): void {
    const { pairs, shapes } = this.comparing
    const { 'shapes.list': list } = shapes
    const { id } = local
    const { id: remoteId } = remote
    const isRecord = typeof id === 'string' && typeof remoteId === 'string'
    if (isRecord && !pairs.match(remoteId, id)) {
      this.#differ(remoteId, id, [...steps, 'id'], place.isEarlier)
      return
    }
    const isEarlier = isRecord ? !pairs.isCreated(remoteId) : place.isEarlier
    const isList = place.shape === undefined && Array.isArray(valueAt(list, local, '$members'))
    const shape = isList ? list : place.shape
    // the names in a record or list are fixed; those in its parts may be optional
    const isOptional = isEarlier && !isRecord && !isList
    for (const name of new Set([...Object.keys(local), ...Object.keys(remote)])) {
      const at = [...steps, name]
      const isInBoth = Object.hasOwn(remote, name) && Object.hasOwn(local, name)
      const field = { steps: at, isEarlier, shape: partAt(shape, [name]) }
      if (isInBoth) this.#values(remote[name], local[name], field)
      else this.#differ(remote[name], local[name], at, isOptional)
    }
  }

  #isSame(remote: unknown, local: unknown, { steps, shape }: Place): boolean {
    const { pairs } = this.comparing
    if (typeof remote !== 'string' || typeof local !== 'string') return remote === local
    if (FREE_TEXTS.includes(shape)) return true
    if (steps.at(-1) === 'created') return formOf(remote) === formOf(local)
    return pairs.isKnown(local) ? pairs.match(remote, local) : remote === local
  }
}

/** The form of an instant; each side has its own clock. */
const formOf = (instant: string) => instant.replace(/\d/g, '0')

const MAX_SHOWN = 200

/** Without secrets; hidden if it is nested too deeply. */
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
