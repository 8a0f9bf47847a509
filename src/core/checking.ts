/** Checks data against a JSON Schema. Each schema becomes a function once; no code is compiled. */
import { shortened } from './nearest.js'
import { type PlacedProblem, problemAt, type Step } from './places.js'
import { isObject, type Schema, typeTest, WORDS } from './schema-words.js'
import { type Said, say } from './sentences.js'

export type Checker = {
  /** At most `MAX_PROBLEMS` + 1. */
  problems: (document: unknown) => PlacedProblem[]
}

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

/** The first problem of a value, its own before those of its parts. */
export const firstProblem = (schema: Schema, value: unknown): PlacedProblem | null =>
  checkerOf(() => schema).problems(value)[0] ?? null

/** The message is made once all steps from the checked value are known. */
type Flaw = { steps: Step[]; sayAt: (steps: readonly Step[]) => Said }
/** Null for a valid value. */
type Check = (value: unknown) => Flaw[] | null

const flaw = (sayAt: Flaw['sayAt'], ...steps: Step[]): Flaw[] => [{ steps, sayAt }]

/** Words without a check of their own. */
const SILENT =
  /^(items|properties|additionalProperties|required|if|then|else|description|default|title|\$schema|[x~]-?.*)$/
const NOWHERE: readonly Step[] = []
const CHECKS = new WeakMap<Schema, Check>()

/** Errors: a word without a check. */
function checkOf(schema: Schema): Check {
  const known = CHECKS.get(schema)
  if (known !== undefined) return known
  const unknown = Object.keys(schema).find(word => !(word in WORDS) && !SILENT.test(word))
  if (unknown !== undefined) throw new Error(`there is no check of ${unknown}`)
  const words = Object.keys(WORDS).flatMap(word => (word in schema ? wordCheck(word, schema) : []))
  const parts: Check[] = []
  if (schema.items) parts.push(itemsCheck(checkOf(schema.items)))
  if ('properties' in schema || 'additionalProperties' in schema || 'required' in schema)
    parts.push(namesCheck(schema))
  if (schema.if && schema.then && schema.else) {
    const condition = checkOf(schema.if)
    const right = checkOf(schema.then)
    const otherwise = checkOf(schema.else)
    parts.push(value => (condition(value) === null ? right : otherwise)(value))
  }
  const check: Check = value => {
    for (const word of words) {
      const flaws = word(value)
      if (flaws !== null) return flaws
    }
    let flaws: Flaw[] | null = null
    for (const part of parts) {
      const more = part(value)
      if (more !== null) flaws = flaws === null ? more : [...flaws, ...more]
    }
    return flaws
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
    const flaws: Flaw[] = []
    for (let index = 0; index < value.length && flaws.length <= MAX_PROBLEMS; index++)
      addBelow(index, check(value[index]), flaws)
    return flaws.length === 0 ? null : flaws
  }

function addBelow(step: Step, added: Flaw[] | null, flaws: Flaw[]): void {
  for (const flaw of added ?? []) {
    flaw.steps.unshift(step)
    flaws.push(flaw)
  }
}

function namesCheck(schema: Schema): Check {
  const { properties = {}, additionalProperties: rest = {}, required = [] } = schema
  const advice = new Map<string, string>()
  for (const [name, part] of Object.entries(schema['x-elsewhere'] ?? {}))
    advice.set(name, `put it under ${part}`)
  for (const [name, words] of Object.entries(schema['x-instead'] ?? {}))
    advice.set(name, `write ${words}`)
  const names = Object.keys(properties)
  const known = new Map(Object.entries(properties).map(([name, part]) => [name, checkOf(part)]))
  const others = typeof rest === 'object' ? checkOf(rest) : null
  const unknown = (name: string) =>
    flaw(() => say('unknown_name', shortened(name), names, advice.get(name)))
  return value => {
    if (!isObject(value)) return null
    const flaws: Flaw[] = []
    for (const name of required)
      if (value[name] === undefined) flaws.push(...flaw(() => say('required', name)))
    for (const name in value) {
      const partCheck = known.get(name)
      if (partCheck !== undefined && value[name] === undefined) continue
      const check = partCheck ?? others
      addBelow(name, check === null ? unknown(name) : check(value[name]), flaws)
      if (flaws.length > MAX_PROBLEMS) break
    }
    return flaws.length === 0 ? null : flaws
  }
}
