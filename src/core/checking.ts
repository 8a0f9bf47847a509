/** Checks data against a JSON Schema; no code is compiled. */
import { shortened } from './nearest.js'
import { type PlacedProblem, problemAt, type Step } from './places.js'
import { isObject, type Schema, type Test, typeTest, WORDS } from './quick-check.js'
import { say } from './sentences.js'

export type Checker = {
  isRight: Test
  /** None when it is right; at most one more than `most`. */
  problems: (document: unknown, most?: number) => Promise<PlacedProblem[]>
}

/** Problems that are listed: with more, a person mends the first and checks again. */
export const MAX_PROBLEMS = 1000

export function checkerOf(schemaOf: () => object): Checker {
  let read: Schema | undefined
  const schema = () => {
    read ??= schemaOf() as Schema
    return read
  }
  return {
    isRight: document => testOf(schema())(document),
    problems: async (document, most = MAX_PROBLEMS) => {
      const found: PlacedProblem[] = []
      for (const problem of problemsIn(schema(), document, []))
        if (found.push(problem) > most) break
      return found
    }
  }
}

export const firstProblem = (schema: Schema, value: unknown): PlacedProblem | null =>
  problemsIn(schema, value, []).next().value ?? null

/** Words that allow every value, or that another word reads. */
const SILENT =
  /^(items|properties|additionalProperties|required|if|then|else|description|default|title|\$schema|[x~]-?.*)$/
const NOWHERE: readonly Step[] = []
const TESTS = new WeakMap<Schema, Test>()

/** The test of a schema, made once. Errors: a word that has no check. */
function testOf(schema: Schema): Test {
  const known = TESTS.get(schema)
  if (known !== undefined) return known
  const unknown = Object.keys(schema).find(word => !(word in WORDS) && !SILENT.test(word))
  if (unknown !== undefined) throw new Error(`there is no quick check of ${unknown}`)
  const tests = Object.entries(WORDS).flatMap(([word, problemOf]): Test[] => {
    const wanted = schema[word] as never
    if (word === 'type' && wanted !== undefined) return [typeTest(wanted)]
    return word in schema
      ? [value => problemOf(wanted, value as never, schema, NOWHERE) === null]
      : []
  })
  if ('items' in schema) tests.push(membersTest(testOf(schema.items as Schema)))
  if ('properties' in schema || 'additionalProperties' in schema || 'required' in schema)
    tests.push(namesTest(schema))
  if ('if' in schema) {
    const [condition, right, otherwise] = [schema.if, schema.then, schema.else].map(part =>
      testOf(part as Schema)
    ) as [Test, Test, Test]
    tests.push(value => (condition(value) ? right(value) : otherwise(value)))
  }
  const whole =
    tests.length === 0
      ? () => true
      : tests.reduce((one, other) => value => one(value) && other(value))
  TESTS.set(schema, whole)
  return whole
}

const membersTest =
  (test: Test): Test =>
  value => {
    if (Array.isArray(value)) for (const member of value) if (!test(member)) return false
    return true
  }

/**
 * `x-elsewhere`: the part that other names belong to; `x-meant`: what to write in place of others.
 */
type Parts = {
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: Schema | false
  required?: readonly string[]
  'x-elsewhere'?: Readonly<Record<string, string>>
  'x-meant'?: Readonly<Record<string, string>>
}

/** Tests names: required ones, known ones by their schema, others by `additionalProperties`. */
function namesTest({
  properties = {},
  additionalProperties = {},
  required = [],
  'x-meant': meant = {}
}: Parts): Test {
  const known = new Map(
    Object.keys({ ...meant, ...properties }).map((name): [string, Test] => [
      name,
      properties[name] === undefined ? () => false : testOf(properties[name])
    ])
  )
  const others: Test = additionalProperties ? testOf(additionalProperties) : () => false
  return value => {
    if (!isObject(value)) return true
    for (const name in value) {
      const part = value[name]
      const test = known.get(name)
      if (test === undefined ? !others(part) : part !== undefined && !test(part)) return false
    }
    for (const name of required) if (value[name] === undefined) return false
    return true
  }
}

/** One problem of the value as a whole, or else those of its parts. */
function* problemsIn(
  schema: Schema,
  value: unknown,
  steps: readonly Step[]
): Generator<PlacedProblem, void> {
  if (testOf(schema)(value)) return
  for (const [word, problemOf] of Object.entries(WORDS)) {
    const said =
      word in schema ? problemOf(schema[word] as never, value as never, schema, steps) : null
    if (said !== null) return yield problemAt(steps, said)
  }
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries())
      yield* problemsIn((schema.items ?? {}) as Schema, member, [...steps, index])
  } else if (isObject(value)) {
    const {
      properties = {},
      additionalProperties = {},
      required = [],
      'x-elsewhere': elsewhere = {},
      'x-meant': meant = {}
    } = schema as Parts
    for (const name of required)
      if (value[name] === undefined) yield problemAt(steps, say('required', name))
    for (const name in value) {
      const isKnown = Object.hasOwn(properties, name)
      if (isKnown && value[name] === undefined) continue
      const instead = Object.hasOwn(meant, name) ? meant[name] : undefined
      const part = isKnown
        ? (properties[name] as Schema)
        : instead === undefined && additionalProperties
      const own = Object.hasOwn(elsewhere, name) ? (elsewhere[name] as string) : null
      if (part) yield* problemsIn(part, value[name], [...steps, name])
      else
        yield problemAt(
          [...steps, name],
          say('unknown_name', shortened(name), Object.keys(properties), own, instead)
        )
    }
  }
  if (schema.if !== undefined)
    yield* problemsIn(
      (testOf(schema.if as Schema)(value) ? schema.then : schema.else) as Schema,
      value,
      steps
    )
}
