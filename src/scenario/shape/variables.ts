/** Variables: the values of `vars`, which replace `${vars.NAME}` in texts. */
import { shortened } from '../../core/nearest.js'
import type { PlacedProblem, Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import { type Said, shownGot } from '../../core/sentences.js'
import { typedValue } from '../../core/typed-value.js'
import { type Report, within } from '../documents.js'
import { unclosedIn, withValues } from '../play/references.js'
import { say } from '../sentences.js'

export type VariableValue = string | number | boolean
export type GivenVariables = {
  values: Readonly<Record<string, unknown>>
  /** Texts of a command line: the type of the default says what each is. */
  isText: boolean
  /** Takes the names of the document: others may be of another one. */
  known?: Set<string>
}

/** Names such as `last4`, of variables and of steps. */
export const NAME = /^[A-Za-z_][\w-]*$/
/** Characters of a value: a text may hold many references. */
const MAX_VALUE = 1000
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false'
}

/** `reportGiven` takes what is wrong with a value of `given`, the first of which counts. */
export type VariableOptions = {
  given: readonly GivenVariables[]
  report: Report
  reportGiven?: Report
}

export function declaredVariables(
  declared: unknown,
  { given, report, reportGiven = report }: VariableOptions
): Map<string, VariableValue | null> {
  const variables = new Map<string, VariableValue | null>()
  for (const [name, fallback] of Object.entries(isObject(declared) ? declared : {})) {
    // the schema says what is wrong with a value of another type
    const isScalar = Object.hasOwn(TYPES, typeof fallback)
    const problem = isScalar ? problemOfDefault(name, String(fallback)) : null
    if (problem !== null) report([name], problem)
    const isRight = isScalar && problem === null
    variables.set(
      name,
      isRight ? givenOr(name, fallback as VariableValue, given, reportGiven) : null
    )
  }
  return variables
}

function problemOfDefault(name: string, fallback: string): Said | null {
  if (!NAME.test(name)) return say('not_a_variable_name')
  if (fallback.includes('${')) return say('variable_of_variable')
  return fallback.length > MAX_VALUE ? say('variable_too_long', MAX_VALUE, fallback.length) : null
}

function givenOr(
  name: string,
  fallback: VariableValue,
  all: readonly GivenVariables[],
  report: Report
): VariableValue | null {
  const given = all.find(({ values }) => Object.hasOwn(values, name))
  if (given === undefined) return fallback
  const value = given.isText
    ? typedValue(given.values[name] as string, { type: typeof fallback })
    : given.values[name]
  const shown =
    typeof value === 'string' && value ? `the text ${shortened(value)}` : shownGot(value)
  const { length } = String(value)
  if (typeof value !== typeof fallback)
    report(
      [name],
      say(
        'variable_of_type',
        name,
        TYPES[typeof fallback] as string,
        shortened(String(fallback)),
        shown
      )
    )
  else if (length > MAX_VALUE) report([name], say('variable_too_long', MAX_VALUE, length))
  else return value as VariableValue
  return null
}

export function checkGiven(
  { values, known }: GivenVariables,
  declared: readonly string[],
  report: Report
): void {
  for (const name of declared) known?.add(name)
  if (known !== undefined) return
  for (const name of Object.keys(values))
    if (!declared.includes(name)) report([name], say('unknown_variable', name, declared))
}

/** `used` are the names of variables that it refers to. */
export type Expanded = {
  data: unknown
  variables: ReadonlyMap<string, VariableValue | null>
  used: ReadonlySet<string>
}

/** Expands variables; `check` looks for problems of shape, of which unresolved places have none. */
export function expandVariables(
  data: unknown,
  check: (data: unknown) => readonly PlacedProblem[],
  { report, reportGiven, given }: VariableOptions
): Expanded {
  const variables = declaredVariables(isObject(data) ? data.vars : undefined, {
    given,
    report: within(report, 'vars'),
    reportGiven
  })
  const expansion = new Expansion(variables, report)
  const whole = expansion.expand(data)
  const { used, unresolved } = expansion
  for (const problem of check(whole))
    if (unresolved.size === 0 || !unresolved.has(JSON.stringify(problem.steps)))
      report(problem.steps, problem)
  return { data: whole, variables, used }
}

class Expansion {
  readonly used = new Set<string>()
  readonly unresolved = new Set<string>()
  readonly #variables: Expanded['variables']
  readonly #report: Report
  readonly #steps: Step[] = []

  constructor(variables: Expanded['variables'], report: Report) {
    this.#variables = variables
    this.#report = report
  }

  /** `said` is null for what is reported elsewhere. */
  #note(said: Said | null): void {
    this.unresolved.add(JSON.stringify(this.#steps))
    if (said !== null) this.#report([...this.#steps], said)
  }

  expand(whole: unknown): unknown {
    if (typeof whole === 'string') return hasSign(whole) ? this.#expandText(whole) : whole
    if (typeof whole !== 'object' || whole === null) return whole
    let copy: Record<Step, unknown> | undefined
    for (const step of Array.isArray(whole) ? whole.keys() : Object.keys(whole)) {
      if (this.#steps.length === 0 && step === 'vars') continue
      const part = (whole as Record<Step, unknown>)[step]
      this.#steps.push(step)
      if (typeof step === 'string' && hasSign(step)) this.#note(say('variable_as_name'))
      const value = this.expand(part)
      this.#steps.pop()
      if (value === part) continue
      copy ??= (Array.isArray(whole) ? [...whole] : { ...whole }) as Record<Step, unknown>
      copy[step] = value
    }
    return copy ?? whole
  }

  /** One that is wholly a reference becomes the value itself. */
  #expandText(text: string): unknown {
    const unclosed = unclosedIn(text)
    if (unclosed !== undefined && hasSign(unclosed))
      this.#note(say('reference_not_closed', unclosed))
    return withValues(text, (reference, all) => this.#valueAt(reference.trim()) ?? all)
  }

  /** Null for a reference to something else, or to a variable without a value. */
  #valueAt(reference: string): VariableValue | null {
    const [, name] = /^vars(?:\.(.*))?$/s.exec(reference) ?? []
    const declared = [...this.#variables.keys()]
    if (name === undefined) {
      if (reference === 'vars') this.#note(say('variable_without_name', declared[0] ?? 'NAME'))
      return null
    }
    this.used.add(name)
    const value = this.#variables.get(name)
    if (value === null) this.#note(null)
    else if (value === undefined)
      this.#note(
        declared.length > 0
          ? say('unknown_variable', name, declared)
          : say('undeclared_variable', name)
      )
    return value ?? null
  }
}

const hasSign = (text: string) => text.includes('${') && /\$\{\s*vars\b/.test(text)
