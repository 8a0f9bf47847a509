/** Checks data against a JSON Schema. Each schema becomes a function once; no code is compiled. */
import { shortened } from './nearest.js'
import { type PlacedProblem, problemAt, type Step } from './places.js'
import { isObject, type Rule, type Schema, typeTest, WORDS } from './schema-words.js'
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

const NOWHERE: readonly Step[] = []
const CHECKS = new WeakMap<Schema, Check>()

function checkOf(schema: Schema): Check {
  const known = CHECKS.get(schema)
  if (known !== undefined) return known
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

function ruleFlaws([kind, names, name]: Rule, value: Record<string, unknown>): Flaw[] {
  const steps = name === undefined ? [] : [name]
  if (steps.some(step => value[step] === undefined)) return []
  const got = names.filter(name => value[name] !== undefined)
  if (got.length === 0 && kind !== 'excludes')
    return flaw(() => say('needs', names, name), ...steps)
  const isExcess = got.length > Number(kind === 'one') && kind !== 'needs'
  return isExcess ? flaw(() => say('not_together', [...steps, ...got]), ...steps) : []
}

const hasPart = ({ properties, then }: Schema = {}, name: string) =>
  Object.hasOwn(properties ?? then?.properties ?? {}, name)

function namesCheck(schema: Schema): Check {
  const { properties = {}, additionalProperties: rest = {}, required = [] } = schema
  const rules = schema['x-rules'] ?? []
  const instead = new Map(Object.entries(schema['x-instead'] ?? {}))
  const names = Object.keys(properties)
  const known = new Map(Object.entries(properties).map(([name, part]) => [name, checkOf(part)]))
  const others = typeof rest === 'object' ? checkOf(rest) : null
  const unknown = (name: string) => {
    const parts = names.filter(part => hasPart(properties[part], name)).join(' or ')
    const advice = instead.get(name) ?? (parts && `put it under ${parts}`)
    return flaw(() => say('unknown_name', shortened(name), names, advice))
  }
  return value => {
    if (!isObject(value)) return null
    const flaws: Flaw[] = []
    for (const name of required)
      if (value[name] === undefined) flaws.push(...flaw(() => say('required', name)))
    // a misspelled name is one mistake, not also a missing one
    for (const rule of rules)
      if (others !== null || Object.keys(value).every(name => known.has(name)))
        flaws.push(...ruleFlaws(rule, value))
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
