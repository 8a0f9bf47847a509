/** Variables: values of `vars`, which replace `${vars.NAME}` in texts. */
import { shortened } from '../../core/nearest.js'
import { type PlacedProblem, partAt, type Step } from '../../core/places.js'
import { isObject } from '../../core/schema-words.js'
import { say as check, type Said, shownGot } from '../../core/sentences.js'
import { typedValue } from '../../core/typed-value.js'
import { type Report, within } from '../documents.js'
import { unclosedIn, withValues } from '../play/references.js'
import { say } from '../sentences.js'
import { present } from './checked.js'

export type VariableValue = string | number | boolean
export type GivenVariables = {
  values: Readonly<Record<string, unknown>>
  /** From a command line: each text becomes a value of the default's type. */
  isText: boolean
  /** Collects the names of several documents. */
  known?: Set<string>
}

/** Names such as `last4`, of variables and of steps. */
export const NAME = /^[A-Za-z_][\w-]*$/
/** Characters of a value: a text may refer to many. */
const MAX_VALUE = 1000
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false'
}

/** `reportGiven` reports the problems of `overrides`, the first of which counts. */
export type VariableOptions = {
  overrides: readonly (GivenVariables | undefined)[]
  report: Report
  reportGiven?: Report
}

export function declaredVariables(
  declared: unknown,
  { overrides, report, reportGiven = report }: VariableOptions
): Map<string, VariableValue | null> {
  const variables = new Map<string, VariableValue | null>()
  for (const [name, fallback] of Object.entries(isObject(declared) ? declared : {})) {
    // the schema reports values of other types
    const isValue = isVariableValue(fallback)
    const problem = isValue ? problemOfDefault(name, String(fallback)) : null
    if (problem !== null) report([name], problem)
    const isRight = isValue && problem === null
    variables.set(name, isRight ? valueOrDefault(name, fallback, overrides, reportGiven) : null)
  }
  return variables
}

const isVariableValue = (value: unknown): value is VariableValue =>
  Object.hasOwn(TYPES, typeof value)

function problemOfDefault(name: string, fallback: string): Said | null {
  if (!NAME.test(name)) return say('not_a_variable_name')
  if (fallback.includes('${')) return say('variable_of_variable')
  return fallback.length > MAX_VALUE ? check('too_long', MAX_VALUE, fallback.length) : null
}

function valueOrDefault(
  name: string,
  fallback: VariableValue,
  all: VariableOptions['overrides'],
  report: Report
): VariableValue | null {
  const override = all.find(variables => variables && Object.hasOwn(variables.values, name))
  if (override === undefined) return fallback
  const value = override.isText
    ? typedValue(String(override.values[name]), { type: typeof fallback })
    : override.values[name]
  const got = typeof value === 'string' && value ? `the text ${shortened(value)}` : shownGot(value)
  const { length } = String(value)
  if (!isVariableValue(value) || typeof value !== typeof fallback)
    report(
      [name],
      say(
        'contradicts',
        present(TYPES[typeof fallback]),
        `the default ${shortened(String(fallback))}`,
        got
      )
    )
  else if (length > MAX_VALUE) report([name], check('too_long', MAX_VALUE, length))
  else return value
  return null
}

export function checkGiven(
  { values, known }: GivenVariables = { values: {}, isText: false },
  declared: readonly string[],
  report: Report
): void {
  for (const name of declared) known?.add(name)
  if (known !== undefined) return
  for (const name of Object.keys(values))
    if (!declared.includes(name)) report([name], say('unknown_variable', name, declared))
}

export type Expanded = {
  data: unknown
  variables: ReadonlyMap<string, VariableValue | null>
  used: ReadonlySet<string>
}

/** Expands variables; problems that `check` finds at unresolved places are left out. */
export function expandVariables(
  data: unknown,
  check: (data: unknown) => readonly PlacedProblem[],
  { report, reportGiven, overrides }: VariableOptions
): Expanded {
  const variables = declaredVariables(isObject(data) ? data.vars : undefined, {
    overrides,
    report: within(report, 'vars'),
    reportGiven
  })
  const expansion = new Expansion(variables, report)
  const whole = expansion.expand(data)
  for (const problem of check(whole))
    if (expansion.isWhole || ![partAt(whole, problem.steps), ...problem.steps].some(hasSign))
      report(problem.steps, problem)
  return { data: whole, variables, used: expansion.used }
}

class Expansion {
  readonly used = new Set<string>()
  isWhole = true
  readonly #variables: Expanded['variables']
  readonly #report: (problem: Said) => void
  readonly #steps: Step[] = []

  constructor(variables: Expanded['variables'], report: Report) {
    this.#variables = variables
    this.#report = problem => {
      this.isWhole = false
      report([...this.#steps], problem)
    }
  }

  expand(whole: unknown): unknown {
    if (typeof whole === 'string') return hasSign(whole) ? this.#expandText(whole) : whole
    if (!hasParts(whole)) return whole
    let copy: Record<Step, unknown> | undefined
    for (const step of Array.isArray(whole) ? whole.keys() : Object.keys(whole)) {
      if (this.#steps.length === 0 && step === 'vars') continue
      const part = whole[step]
      this.#steps.push(step)
      if (hasSign(step)) this.#report(say('variable_as_name'))
      const value = this.expand(part)
      this.#steps.pop()
      if (value === part) continue
      copy ??= Object.assign(Array.isArray(whole) ? [] : {}, whole)
      copy[step] = value
    }
    return copy ?? whole
  }

  #expandText(text: string): unknown {
    const unclosed = unclosedIn(text)
    if (unclosed !== undefined && hasSign(unclosed))
      this.#report(say('reference_not_closed', unclosed))
    return withValues(text, (reference, all) => this.#valueAt(reference.trim()) ?? all)
  }

  /** Null for other references, and for variables without a value. */
  #valueAt(reference: string): VariableValue | null {
    const [whole, name = ''] = /^vars(?:\.(.*))?$/s.exec(reference) ?? []
    if (whole === undefined) return null
    this.used.add(name)
    const value = this.#variables.get(name)
    if (value === null) this.isWhole = false
    if (value === undefined)
      this.#report(say('unknown_variable', name, [...this.#variables.keys()]))
    return value ?? null
  }
}

const hasParts = (whole: unknown): whole is Record<Step, unknown> =>
  typeof whole === 'object' && whole !== null

const hasSign = (part: unknown) =>
  typeof part === 'string' && part.includes('${') && /\$\{\s*vars\b/.test(part)
