/** Checks a document against a JSON Schema: quickly whether it is right, and only where it is not, what is wrong with it. No code is compiled. */
import { type PlacedProblem, problemAt, type Step } from './places.js'
import { isObject, type Schema, type Test, unknownName, WORDS } from './quick-check.js'
import { say } from './sentences.js'

export type Checker = {
  /** Whether a document is right. */
  isRight: Test
  /** The problems of a document, none when it is right; where there are more than `most`, one or a few more than that. */
  problems: (document: unknown, most?: number) => Promise<PlacedProblem[]>
}

/** A checker that reads its schema once, on first use. */
/** Problems that are listed for a document: with more, a person mends the first and checks again. */
export const MAX_PROBLEMS = 1000

export function checkerOf(schemaOf: () => object): Checker {
  let read: Check | undefined
  const check = (): Check => {
    read ??= checkOf(schemaOf() as Schema)
    return read
  }
  return {
    isRight: document => check().isRight(document),
    problems: async (document, most = MAX_PROBLEMS) => {
      const found: PlacedProblem[] = []
      check().find(document, [], { found, most })
      return found
    }
  }
}

/** What was found so far; the search ends once there is more than `most`. */
type Search = { found: PlacedProblem[]; most: number }
const isOver = ({ found, most }: Search): boolean => found.length > most
type Find = (value: unknown, steps: readonly Step[], search: Search) => void
/** A schema that was read: whether a value is right, and a search for what is wrong with one that is not. */
type Check = { isRight: Test; find: Find }

/** Words that allow every value, or that another word reads. */
const SILENT = /^(items|properties|additionalProperties|required|if|then|else|description|default|title|\$schema|[x~]-?.*)$/

/** Reads a schema. Errors: a word that has no check. */
function checkOf(schema: Schema): Check {
  const unknown = Object.keys(schema).find(word => !(word in WORDS) && !SILENT.test(word))
  if (unknown !== undefined) throw new Error(`there is no quick check of ${unknown}`)
  const own = Object.entries(WORDS)
    .filter(([word]) => word in schema)
    .map(([word, { test, says }]) => ({ isRight: test(schema[word] as never), says, wanted: schema[word] as never }))
  const parts = [
    'items' in schema && membersCheck(checkOf(schema.items as Schema)),
    ('properties' in schema || 'additionalProperties' in schema || 'required' in schema) && namesCheck(schema),
    'if' in schema && eitherCheck(schema)
  ].filter(part => part !== false)
  const [first = PASSES, ...others] = [...own, ...parts].map(({ isRight }) => isRight)
  const isWhole = others.reduce<Test>((one, other) => value => one(value) && other(value), first)
  // most of what may be null is
  const mayBeNull = [schema.type].flat().includes('null') && !('enum' in schema)
  const isRight: Test = mayBeNull ? value => value === null || isWhole(value) : isWhole
  return {
    isRight,
    find: (value, steps, search) => {
      if (isRight(value)) return
      const broken = own.find(word => !word.isRight(value))
      if (broken) search.found.push(problemAt(steps, broken.says(broken.wanted, value as never, schema, steps)))
      else for (const part of parts) part.find(value, steps, search)
    }
  }
}

const PASSES: Test = () => true

/** The members of a list. */
const membersCheck = ({ isRight, find }: Check): Check => ({
  isRight: value => {
    if (Array.isArray(value)) for (const member of value) if (!isRight(member)) return false
    return true
  },
  find: (value, steps, search) => {
    if (!Array.isArray(value)) return
    for (let index = 0; index < value.length && !isOver(search); index++) find(value[index], [...steps, index], search)
  }
})

/** The names of an object: those that are required, each by its own schema, the others by that of `additionalProperties`. */
function namesCheck({ properties = {}, additionalProperties = {}, required = [], 'x-elsewhere': elsewhere = {} }: Schema): Check {
  const known = new Map(Object.entries(properties as Record<string, Schema>).map(([name, schema]) => [name, checkOf(schema)]))
  const unknown: Check = {
    isRight: () => false,
    find: (_, steps, { found }) => found.push(problemAt(steps, unknownName(steps.at(-1) as string, [...known.keys()], elsewhere as Record<string, string>)))
  }
  const others = additionalProperties === false ? unknown : checkOf(additionalProperties as Schema)
  return {
    isRight: value => {
      if (!isObject(value)) return true
      for (const name in value) {
        const part = value[name]
        const check = known.get(name)
        if (check === undefined ? !others.isRight(part) : part !== undefined && !check.isRight(part)) return false
      }
      for (const name of required as readonly string[]) if (value[name] === undefined) return false
      return true
    },
    find: (value, steps, search) => {
      if (!isObject(value)) return
      for (const name of required as readonly string[]) if (value[name] === undefined) search.found.push(problemAt(steps, say('required', name)))
      for (const name in value) {
        if (isOver(search)) return
        const check = known.get(name)
        if (check === undefined) others.find(value[name], [...steps, name], search)
        else if (value[name] !== undefined) check.find(value[name], [...steps, name], search)
      }
    }
  }
}

/** One schema where a condition holds, another where it does not. */
function eitherCheck({ if: condition, then: right, else: otherwise }: Schema): Check {
  const [holds, one, other] = [condition, right, otherwise].map(part => checkOf(part as Schema)) as [Check, Check, Check]
  const checkFor = (value: unknown) => (holds.isRight(value) ? one : other)
  return { isRight: value => checkFor(value).isRight(value), find: (value, steps, search) => checkFor(value).find(value, steps, search) }
}
