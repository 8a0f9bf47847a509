/** Checks data against a JSON Schema. Each schema becomes a function once; no code is compiled. */
import { shortened } from './nearest.js'
import { type PlacedProblem, problemAt, type Step } from './places.js'
import { isObject, type Schema, typeTest, WORDS } from './quick-check.js'
import { type Said, say } from './sentences.js'

export type Checker = {
  /** None when it is right; at most one more than are listed. */
  problems: (document: unknown) => PlacedProblem[]
}

/** Problems that are listed: with more, a person mends the first and checks again. */
export const MAX_PROBLEMS = 1000

export function checkerOf(schemaOf: () => object): Checker {
  let check: Check | undefined
  return {
    problems(document) {
      check ??= checkOf(schemaOf() as Schema)
      const flaws = check(document) ?? []
      return flaws
        .slice(0, MAX_PROBLEMS + 1)
        .map(({ steps, sayAt }) => problemAt(steps, sayAt(steps)))
    }
  }
}

/** Of a value as a whole, or else of its first part. */
export const firstProblem = (schema: Schema, value: unknown): PlacedProblem | null =>
  checkerOf(() => schema).problems(value)[0] ?? null

/** `steps` lead to it from the value that was checked; it is said once they are all known. */
type Flaw = { steps: Step[]; sayAt: (steps: readonly Step[]) => Said }
/** What is wrong with a value or its parts; null when nothing is. */
type Check = (value: unknown) => Flaw[] | null

const flaw = (sayAt: Flaw['sayAt'], ...steps: Step[]): Flaw[] => [{ steps, sayAt }]

/** Words that allow every value, or that another word reads. */
const SILENT =
  /^(items|properties|additionalProperties|required|if|then|else|description|default|title|\$schema|[x~]-?.*)$/
const NOWHERE: readonly Step[] = []
const CHECKS = new WeakMap<Schema, Check>()

/** One problem of the value as a whole, or else those of its parts. Errors: a word without check. */
function checkOf(schema: Schema): Check {
  const known = CHECKS.get(schema)
  if (known !== undefined) return known
  const unknown = Object.keys(schema).find(word => !(word in WORDS) && !SILENT.test(word))
  if (unknown !== undefined) throw new Error(`there is no check of ${unknown}`)
  const words = Object.keys(WORDS).flatMap(word => (word in schema ? wordCheck(word, schema) : []))
  const parts: Check[] = []
  if ('items' in schema) parts.push(itemsCheck(checkOf(schema.items as Schema)))
  if ('properties' in schema || 'additionalProperties' in schema || 'required' in schema)
    parts.push(namesCheck(schema))
  if ('if' in schema) {
    const [condition, right, otherwise] = [schema.if, schema.then, schema.else].map(part =>
      checkOf(part as Schema)
    ) as [Check, Check, Check]
    parts.push(value => (condition(value) === null ? right : otherwise)(value))
  }
  const check: Check = value => {
    for (const word of words) {
      const flaws = word(value)
      if (flaws !== null) return flaws
    }
    let found: Flaw[] | null = null
    for (const part of parts) {
      const flaws = part(value)
      if (flaws !== null) found = found === null ? flaws : [...found, ...flaws]
    }
    return found
  }
  CHECKS.set(schema, check)
  return check
}

function wordCheck(word: string, schema: Schema): Check {
  const wanted = schema[word] as never
  const problemOf = WORDS[word] as (typeof WORDS)[string]
  const isRight =
    word === 'type'
      ? typeTest(wanted)
      : (value: unknown) => problemOf(wanted, value as never, schema, NOWHERE) === null
  return value =>
    isRight(value) ? null : flaw(steps => problemOf(wanted, value as never, schema, steps) as Said)
}

const itemsCheck =
  (check: Check): Check =>
  value => {
    if (!Array.isArray(value)) return null
    const found: Flaw[] = []
    for (let index = 0; index < value.length && found.length <= MAX_PROBLEMS; index++)
      addBelow(index, check(value[index]), found)
    return found.length === 0 ? null : found
  }

function addBelow(step: Step, flaws: Flaw[] | null, found: Flaw[]): void {
  for (const flaw of flaws ?? []) {
    flaw.steps.unshift(step)
    found.push(flaw)
  }
}

type Parts = {
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: Schema | false
  required?: readonly string[]
  'x-elsewhere'?: Readonly<Record<string, string>>
  'x-meant'?: Readonly<Record<string, string>>
}

const noteOn = (name: string, notes: Readonly<Record<string, string>> = {}) =>
  Object.hasOwn(notes, name) ? notes[name] : undefined

/** Checks names: required ones, known ones by their schema, others by `additionalProperties`. */
function namesCheck(parts: Parts): Check {
  const { properties = {}, additionalProperties = {}, required = [] } = parts
  const { 'x-elsewhere': elsewhere, 'x-meant': meant } = parts
  const names = Object.keys(properties)
  const known = new Map(Object.entries(properties).map(([name, part]) => [name, checkOf(part)]))
  const others = additionalProperties ? checkOf(additionalProperties) : null
  const unknown = (name: string) => {
    const [own, instead] = [noteOn(name, elsewhere) ?? null, noteOn(name, meant)]
    return flaw(() => say('unknown_name', shortened(name), names, own, instead))
  }
  return value => {
    if (!isObject(value)) return null
    const found: Flaw[] = []
    for (const name of required)
      if (value[name] === undefined) found.push(...flaw(() => say('required', name)))
    for (const name in value) {
      const own = known.get(name)
      if (own !== undefined && value[name] === undefined) continue
      const check = own ?? (noteOn(name, meant) === undefined ? others : null)
      addBelow(name, check === null ? unknown(name) : check(value[name]), found)
      if (found.length > MAX_PROBLEMS) break
    }
    return found.length === 0 ? null : found
  }
}
