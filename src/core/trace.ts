/** The record of how one call was judged: which rules were looked at, in order, with the figures they saw, and which assumptions it leaned on. */
import type { AssumptionId } from '../reference/assumptions.js'
import type { RuleId } from '../reference/rules.js'

/** Figures by name; ids among them stand under the name of what they are of. */
export type Facts = Readonly<Record<string, unknown>> & { readonly transaction?: string | undefined; readonly account?: string | undefined }
export type Judgement = { rule: RuleId; held: boolean; facts?: Facts }

/** The facts that a judgement saw: none, some of its own, or the same as the judgement with facts before it. */
type Seen = 'none' | 'own' | 'same'
/** The kinds of steps. A course finds the next one by the place of its kind in this list. */
const KINDS = [
  { what: 'assumed' },
  { what: 'held', seen: 'none' },
  { what: 'held', seen: 'own' },
  { what: 'held', seen: 'same' },
  { what: 'broke', seen: 'none' },
  { what: 'broke', seen: 'own' },
  { what: 'broke', seen: 'same' }
] as const satisfies readonly { what: 'assumed' | 'held' | 'broke'; seen?: Seen }[]
const ASSUMED = KINDS.findIndex(({ what }) => what === 'assumed')
const HELD = judged('held')
const BROKE = judged('broke')
type Step = { readonly kind: number; readonly id: RuleId | AssumptionId }

function judged(what: 'held' | 'broke'): Readonly<Record<Seen, number>> {
  const seeing = (seen: Seen) => KINDS.findIndex(kind => kind.what === what && kind.seen === seen)
  return { none: seeing('none'), own: seeing('own'), same: seeing('same') }
}

/** Courses that are shared, at most: callers who try every combination find no end of them. */
const MOST_SHARED = 20_000
const NO_FACTS: readonly Facts[] = []

/**
 * The course that the judging of a call took, without its figures. Calls that are judged alike share one,
 * so that a call costs neither room nor work of its own to keep and to count, however many rules it was judged by.
 */
export class Course {
  readonly #before: Course | null
  readonly #step: Step | null
  /** The courses that go on from here, by the kind of the step and its id. */
  readonly #next: Map<Step['id'], Course>[] = []
  #outcomes: ReadonlyMap<RuleId, boolean> | undefined
  #assumptions: readonly AssumptionId[] | undefined

  constructor(before: Course | null = null, step: Step | null = null) {
    this.#before = before
    this.#step = step
  }

  /** The course after one more step; the same where the step says nothing new. */
  after(kind: number, id: Step['id']): Course {
    return this.#next[kind]?.get(id) ?? this.#goOn({ kind, id })
  }

  #goOn(step: Step): Course {
    const next = this.#says(step) ? this : new Course(this, step)
    while (this.#next.length <= step.kind) this.#next.push(new Map())
    this.#next[step.kind]?.set(step.id, next)
    if (++shared > MOST_SHARED) {
      start = new Course()
      shared = 0
    }
    return next
  }

  #says({ kind, id }: Step): boolean {
    return kind === ASSUMED ? this.assumptions.includes(id as AssumptionId) : kind === this.#step?.kind && id === this.#step.id
  }

  /** For each rule that was judged, whether no judgement says that it was broken. */
  get outcomes(): ReadonlyMap<RuleId, boolean> {
    if (!this.#outcomes) {
      const outcomes = new Map<RuleId, boolean>()
      for (const { rule, held } of this.judgements()) outcomes.set(rule, held && (outcomes.get(rule) ?? true))
      this.#outcomes = outcomes
    }
    return this.#outcomes
  }

  /** Each assumption once, in the order in which they came. */
  get assumptions(): readonly AssumptionId[] {
    this.#assumptions ??= this.#steps().flatMap(({ kind, id }) => (kind === ASSUMED ? [id as AssumptionId] : []))
    return this.#assumptions
  }

  /** What was judged, in order, with the facts that were seen on the way. */
  judgements(facts: readonly Facts[] = NO_FACTS): Judgement[] {
    let next = 0
    return this.#steps().flatMap(({ kind, id }) => {
      const step = KINDS[kind] as (typeof KINDS)[number]
      if (step.what === 'assumed') return []
      if (step.seen === 'own') next++
      const own = step.seen === 'none' ? undefined : facts[next - 1]
      return [{ rule: id as RuleId, held: step.what === 'held', ...(own && { facts: own }) }]
    })
  }

  #steps(): Step[] {
    const steps: Step[] = []
    for (let course: Course | null = this; course !== null; course = course.#before) if (course.#step !== null) steps.push(course.#step)
    return steps.reverse()
  }
}

/** The course that every call begins with. */
let start = new Course()
let shared = 0

export class Trace {
  /** Null keeps nothing. */
  #course: Course | null
  #facts = NO_FACTS

  /** A trace that is off keeps nothing. */
  constructor(isOn = true) {
    this.#course = isOn ? start : null
  }

  get course(): Course {
    return this.#course ?? start
  }

  /** The facts that were seen, each once, in order. */
  get facts(): readonly Facts[] {
    return this.#facts
  }

  get judgements(): readonly Judgement[] {
    return this.course.judgements(this.#facts)
  }

  get assumptions(): readonly AssumptionId[] {
    return this.course.assumptions
  }

  /** The call kept the rule, or the service's answer did. */
  held(rule: RuleId, facts?: Facts): void {
    if (this.#course) this.#course = this.#course.after(HELD[this.#see(facts)], rule)
  }

  /** The call broke the rule. */
  broke(rule: RuleId, facts?: Facts): void {
    if (this.#course) this.#course = this.#course.after(BROKE[this.#see(facts)], rule)
  }

  /** The answer leans on an assumption. */
  assumed(assumption: AssumptionId): void {
    if (this.#course) this.#course = this.#course.after(ASSUMED, assumption)
  }

  #see(facts: Facts | undefined): Seen {
    if (facts === undefined) return 'none'
    if (facts === this.#facts.at(-1)) return 'same'
    // unlike a spread, this leaves no room for more: what a trace saw may be kept for long
    this.#facts = this.#facts.concat([facts])
    return 'own'
  }
}
