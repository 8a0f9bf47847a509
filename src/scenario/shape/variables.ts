/** Variables: values of `vars`, which replace `${vars.NAME}` in texts. */
import { partAt, type Step } from '../../core/places.js'
import { say as check, type Said, shortened, shownGot } from '../../core/sentences.js'
import { typedValue } from '../../core/typed-value.js'
import { isObject } from '../../reference/rules.js'
import { type Located, type Report, within } from '../documents.js'
import { unclosedIn, withValues } from '../play/references.js'
import { say } from '../sentences.js'
import { present } from './checked.js'
import { isScalar, type Scalar } from './entry.js'
import { type Kind, shapeProblems } from './scenario.js'

/** By name; null for an invalid one. */
export type Variables = ReadonlyMap<string, Scalar | null>
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

function declaredVariables(
  data: unknown,
  { overrides, report, reportGiven = report }: VariableOptions
): Variables {
  const variables = new Map<string, Scalar | null>()
  const declared = isObject(data) && isObject(data.vars) ? data.vars : {}
  for (const [name, fallback] of Object.entries(declared)) {
    variables.set(name, null)
    // the schema reports values of other types
    if (!isScalar(fallback)) continue
    const override = overrides.find(variables => variables && Object.hasOwn(variables.values, name))
    if (!NAME.test(name)) report([name], say('not_a_variable_name'))
    else if (String(fallback).includes('${')) report([name], say('variable_of_variable'))
    else variables.set(name, assigned(name, fallback, override, override ? reportGiven : report))
  }
  return variables
}

function assigned(
  name: string,
  fallback: Scalar,
  override: GivenVariables | undefined,
  report: Report
): Scalar | null {
  const type = typeof fallback
  const sent = override ? override.values[name] : fallback
  const value = override?.isText ? typedValue(String(sent), { type }) : sent
  if (!isScalar(value) || typeof value !== type) {
    const got =
      value && typeof value === 'string' ? `the text ${shortened(value)}` : shownGot(value)
    const whose = `the default ${shortened(String(fallback))}`
    report([name], say('contradicts', present(TYPES[type]), whose, got))
    return null
  }
  const { length } = String(value)
  if (length <= MAX_VALUE) return value
  report([name], check('too_long', MAX_VALUE, length))
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

/** Also reports the problems of its shape, except at places without a value. */
export function expandVariables(
  document: Located,
  kind: Kind,
  { report, ...options }: VariableOptions
): { data: unknown; variables: Variables } {
  const whole = document.data
  const variables = declaredVariables(whole, { ...options, report: within(report, 'vars') })
  const { data, isWhole } = expanded(whole, variables, report)
  for (const problem of shapeProblems({ ...document, data }, kind))
    if (isWhole || ![partAt(data, problem.steps), ...problem.steps].some(hasSign))
      report(problem.steps, problem)
  return { data, variables }
}

function expanded(data: unknown, variables: Variables, report: Report) {
  const steps: Step[] = []
  let isWhole = true
  const note = (problem: Said) => {
    isWhole = false
    report([...steps], problem)
  }
  const valueAt = (reference: string): Scalar | null => {
    const [whole, name = ''] = /^vars(?:\.(.*))?$/s.exec(reference.trim()) ?? []
    if (whole === undefined) return null
    const value = variables.get(name)
    if (value === null) isWhole = false
    if (value === undefined) note(say('unknown_variable', name, [...variables.keys()]))
    return value ?? null
  }
  const expandText = (text: string): unknown => {
    const unclosed = unclosedIn(text)
    if (unclosed !== undefined && hasSign(unclosed)) note(say('reference_not_closed', unclosed))
    return withValues(text, (reference, all) => valueAt(reference) ?? all)
  }
  const expand = (whole: unknown): unknown => {
    if (typeof whole === 'string') return hasSign(whole) ? expandText(whole) : whole
    if (!hasParts(whole)) return whole
    let copy: Record<Step, unknown> | undefined
    for (const step of Array.isArray(whole) ? whole.keys() : Object.keys(whole)) {
      if (steps.length === 0 && step === 'vars') continue
      steps.push(step)
      if (hasSign(step)) note(say('variable_as_name'))
      const value = expand(whole[step])
      steps.pop()
      if (value === whole[step]) continue
      copy ??= Object.assign(Array.isArray(whole) ? [] : {}, whole)
      copy[step] = value
    }
    return copy ?? whole
  }
  return { data: expand(data), isWhole }
}

const hasParts = (whole: unknown): whole is Record<Step, unknown> =>
  typeof whole === 'object' && whole !== null

const hasSign = (part: unknown) =>
  typeof part === 'string' && part.includes('${') && /\$\{\s*vars\b/.test(part)
