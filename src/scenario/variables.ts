/** Variables: values that a document names under `vars`, and that replace `${vars.NAME}` in its texts. */
import { didYouMean, shortened, thereAre } from '../core/nearest.js'
import type { PlacedProblem, Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import type { Report } from './documents.js'
import { type Flaws, flawsOf } from './flaws.js'
import { unclosedIn, withValues } from './references.js'

export type VariableValue = string | number | boolean
export type Variables = ReadonlyMap<string, VariableValue>
/** Values that a load gives to variables in place of their defaults. */
export type GivenVariables = {
  values: Readonly<Record<string, unknown>>
  /** They are texts of a command line, so that the default of each says what it is. */
  isText: boolean
  /** Takes the names that the document has, where others may be those of another document; a name that it has not is a problem of it otherwise. */
  known?: Set<string>
}

/** Names such as `last4`, of variables and of steps. */
export const NAME = /^[A-Za-z_][\w-]*$/
export const NAME_EXPECTED = 'must be letters, digits, _ and -, beginning with a letter'
/** Characters of a value: a text may hold many references. */
const LONGEST = 1000
const TYPES: Readonly<Record<string, string>> = { string: 'text', number: 'a number', boolean: 'true or false' }

/**
 * The variables that a document declares, with the values that are given in place of defaults; null for one with a problem. Of `given`, the first that
 * names a variable counts. `reportGiven` takes what is wrong with a given value.
 */
export function declaredVariables(
  declared: unknown,
  { given, report, reportGiven = report }: { given: readonly GivenVariables[]; report: Report; reportGiven?: Report }
): Map<string, VariableValue | null> {
  const variables = new Map<string, VariableValue | null>()
  for (const [name, fallback] of Object.entries(isObject(declared) ? declared : {})) {
    const problem = isScalar(fallback) ? problemOfDefault(name, fallback) : null
    if (problem !== null) report([name], problem)
    const isRight = problem === null && isScalar(fallback)
    variables.set(name, isRight ? givenOr(name, fallback, given, reportGiven) : null)
  }
  return variables
}

const isScalar = (value: unknown): value is VariableValue => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

function problemOfDefault(name: string, fallback: VariableValue): string | null {
  if (!NAME.test(name)) return NAME_EXPECTED
  if (String(fallback).includes('${')) return 'a variable has a value of its own, not that of another one'
  return String(fallback).length > LONGEST ? tooLong(String(fallback)) : null
}

const tooLong = ({ length }: string) => `the value of a variable has at most ${LONGEST} characters, not ${length}`

/** The given value of a variable, of the type of its default; the default where none is given, null where it is wrong. */
function givenOr(name: string, fallback: VariableValue, all: readonly GivenVariables[], report: Report): VariableValue | null {
  const given = all.find(({ values }) => Object.hasOwn(values, name))
  if (given === undefined) return fallback
  const value = given.isText ? valueIn(given.values[name] as string, fallback) : given.values[name]
  const shown = typeof value === 'string' ? `the text ${shortened(value)}` : shortened(JSON.stringify(value) ?? 'nothing')
  if (typeof value !== typeof fallback)
    report([name], `must be ${TYPES[typeof fallback]} for the variable ${name}, as its default ${shortened(String(fallback))} is; got ${shown}`)
  else if (String(value).length > LONGEST) report([name], tooLong(String(value)))
  else return value as VariableValue
  return null
}

/** The value that a text of a command line means; the text itself where it is not of the wanted type. */
function valueIn(text: string, { constructor: type }: VariableValue): VariableValue {
  if (type === Number) return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  return type === Boolean && (text === 'true' || text === 'false') ? text === 'true' : text
}

/** Reports given values of variables that nothing declares. */
export function checkGiven({ values, known }: GivenVariables, declared: readonly string[], report: Report): void {
  for (const name of declared) known?.add(name)
  if (known !== undefined) return
  for (const name of Object.keys(values)) if (!declared.includes(name)) report([name], unknownVariable(name, declared))
}

/** What to say of a name that no variable has. */
export const unknownVariable = (name: string, declared: readonly string[]): string =>
  `no variable is called ${shortened(name)}${didYouMean(name, declared) || `; ${thereAre(declared)}`}`

/** A place where a document is not what it will be; the message is null where what is wrong is reported elsewhere. */
type Unresolved = { steps: readonly Step[]; message: string | null }
/** A document with the values of its variables in it: the document itself where it refers to none; `used` are the names that it refers to. */
type Expanded = { data: unknown; used: ReadonlySet<string>; unresolved: readonly Unresolved[] }
/** What was read of a document: its problems, and where the data is not right. */
export type Read = {
  data: unknown
  used: ReadonlySet<string>
  problems: readonly { steps: readonly Step[]; code?: string; message: string }[]
  flaws: Flaws | undefined
}

/** Reads a document with the values of its variables in it. `check` looks for problems of shape; what could not be resolved has none. */
export async function readWith(
  data: unknown,
  variables: ReadonlyMap<string, VariableValue | null>,
  check: (data: unknown) => Promise<readonly PlacedProblem[]>
): Promise<Read> {
  const { data: whole, used, unresolved } = expanded(data, variables)
  const places = new Set(unresolved.map(({ steps }) => JSON.stringify(steps)))
  const wrong = unresolved.flatMap(({ steps, message }) => (message === null ? [] : [{ steps, message }]))
  const ofShape = (await check(whole)).filter(({ steps }) => places.size === 0 || !places.has(JSON.stringify(steps)))
  return { data: whole, used, problems: [...wrong, ...ofShape], flaws: flawsOf([...unresolved, ...ofShape]) }
}

/**
 * Puts the values of variables into the texts of a document: a text that is wholly one reference becomes the value itself, which keeps its type. References
 * to variables that have no value stay.
 */
function expanded(data: unknown, variables: ReadonlyMap<string, VariableValue | null>): Expanded {
  const used = new Set<string>()
  const unresolved: Unresolved[] = []
  if (!mentions(data)) return { data, used, unresolved }
  const declared = [...variables.keys()]
  const steps: Step[] = []
  const note = (message: string | null, ...at: Step[]) => void unresolved.push({ steps: [...steps, ...at], message })

  function expand(value: unknown): unknown {
    if (typeof value === 'string') return hasSign(value) ? expandText(value) : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((member, index) => expandPart(index, member))
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => {
        if (steps.length === 0 && name === 'vars') return [name, part]
        if (hasSign(name)) note('a variable can be a value or a part of one, not a name', name)
        return [name, expandPart(name, part)]
      })
    )
  }

  function expandPart(step: Step, part: unknown): unknown {
    steps.push(step)
    const value = expand(part)
    steps.pop()
    return value
  }

  function expandText(text: string): unknown {
    const unclosed = unclosedIn(text)
    if (unclosed !== undefined && hasSign(unclosed)) note(notClosed(unclosed))
    return withValues(text, (reference, all) => valueAt(reference) ?? all)
  }

  /** The value of a reference; null where it is none to a variable, or to one without a value. */
  function valueAt(reference: string): VariableValue | null {
    const [, name] = /^\s*vars(?:\.(.*?))?\s*$/s.exec(reference) ?? []
    if (name === undefined) {
      if (reference.trim() === 'vars') note(`must be a variable, such as \${vars.${declared[0] ?? 'NAME'}}`)
      return null
    }
    used.add(name)
    const value = variables.get(name)
    if (value === undefined)
      note(declared.length > 0 ? unknownVariable(name, declared) : `no variable is called ${shortened(name)}; declare it: vars: { ${name}: … }`)
    else if (value === null) note(null)
    return value ?? null
  }

  return { data: expand(data), used, unresolved }
}

/** Whether a text holds a reference to a variable, whole or not. */
const hasSign = (text: string) => text.includes('${') && /\$\{\s*vars\b/.test(text)

/** Whether any text or name below holds a reference to variables. */
function mentions(value: unknown): boolean {
  if (typeof value === 'string') return hasSign(value)
  if (typeof value !== 'object' || value === null) return false
  for (const name in value) if (hasSign(name) || mentions((value as Record<string, unknown>)[name])) return true
  return false
}

/** What to say of a reference without its end. */
export const notClosed = (unclosed: string): string => `\${ is not closed; a reference ends with }, such as ${unclosed}}`

/** A document with the defaults of its variables in it. Errors: the first thing that is wrong with them. */
export function withDefaults(data: unknown): unknown {
  const report: Report = (steps, message) => {
    throw new Error(`${steps.join('.')}: ${message}`)
  }
  const { data: whole, unresolved } = expanded(data, declaredVariables(isObject(data) ? data.vars : undefined, { given: [], report }))
  for (const { steps, message } of unresolved) report(steps, String(message))
  return whole
}
