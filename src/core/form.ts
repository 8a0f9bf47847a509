/** Decodes forms with bracket notation (FORM-1 to FORM-3); what is wrong is in `problem`. */
import type { AssumptionId } from '../reference/assumptions.js'
import type { RuleId } from '../reference/rules.js'
import { byteSize, visible } from './sentences.js'

export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** A parameter as it was sent: one value, a list (`a[]=`), or an object (`a[b]=`). */
export type FormNode = string | string[] | FormObject
/** Parts by name, in the order of first use. */
export class FormObject extends Map<string, FormNode> {
  /** Whether an empty value for the whole was sent too: `metadata=` along with `metadata[k]=v`. */
  cleared = false
  /** Approximate bytes of memory, of a whole form only. */
  held = 0
}
/** Who refuses it; nobody where the percent-encoding is broken. */
type Blame = { rule?: RuleId; assumption?: AssumptionId }
export type FormProblem = Blame & {
  code: 'form_malformed' | 'form_too_large'
  param: string
  message: string
}
export type Form = { root: FormObject; problem: FormProblem | null }
export type FormLimits = { readonly 'limits.parameters': number; readonly 'limits.depth': number }

const A36 = { assumption: 'A36' } as const
/** Characters of the whole name of a parameter, brackets included. */
const MAX_NAME = 1000
/** Approximate bytes of a parameter besides its characters. */
const PAIR = 120

/** Never changed. */
export const EMPTY_FORM = new FormObject()
const EMPTY: Form = { root: EMPTY_FORM, problem: null }
const NOT_UTF8: Form = {
  root: EMPTY_FORM,
  problem: malformed('', 'the bytes are not UTF-8', A36)
}

/**
 * Bounded in parameters and depth; U+FFFD stands for bytes that are not UTF-8, and is refused
 * (A36).
 */
export function decodeForm(
  text: string,
  { 'limits.parameters': maximum, 'limits.depth': depth }: FormLimits
): Form {
  if (text === '') return EMPTY
  if (text.includes('\uFFFD')) return NOT_UTF8
  const root = new FormObject()
  const pairs = text.split('&')
  root.held = byteSize(text) + pairs.length * PAIR
  let count = 0
  for (const pair of pairs) {
    if (pair === '') continue
    const problem =
      ++count > maximum
        ? tooLarge('', `More than ${maximum} parameters were sent.`)
        : addPair(root, pair, depth)
    if (problem) return { root, problem }
  }
  return { root, problem: null }
}

function addPair(root: FormObject, pair: string, depth: number): FormProblem | null {
  const equals = pair.indexOf('=')
  const sentName = equals === -1 ? pair : pair.slice(0, equals)
  const sentValue = equals === -1 ? '' : pair.slice(equals + 1)
  const name = decoded(sentName)
  const { length } = name ?? sentName
  if (length > MAX_NAME)
    return malformed('', `a name has ${length} characters; at most ${MAX_NAME} are read`, A36)
  if (name === null) return undecodable(sentName, 'name', sentName)
  if (name === '') return malformed(name, 'a value has no name before its =', A36)
  const value = decoded(sentValue)
  if (value === null) return undecodable(name, 'value', sentValue)
  if (value !== sentValue) root.held += byteSize(value)
  const steps = stepsOf(name)
  if (steps === null)
    return malformed(name, 'the brackets are misplaced: a nested name is written parent[child]', {
      rule: 'FORM-2'
    })
  const levels = steps.length - 1
  return levels > depth
    ? tooLarge(name, `${name} is nested ${levels} deep; at most ${depth} are read.`)
    : put(root, steps, value, name)
}

/** Undoes `+` and percent-encoding; null when the encoding is broken. */
function decoded(text: string): string | null {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return null
  }
}

/** A name or value whose percent-encoding is broken, or encodes bytes that are not UTF-8 (A36). */
const undecodable = (param: string, what: 'name' | 'value', text: string): FormProblem =>
  /^(?:[^%]|%[\da-f]{2})*$/i.test(text)
    ? malformed(param, `the bytes of the ${what} are not UTF-8`, A36)
    : malformed(
        param,
        `the percent-encoding of the ${what} is broken: % must be followed by two hexadecimal digits`
      )

/** `a[b][c]` → a, b, c; null when the brackets do not balance. */
function stepsOf(name: string): string[] | null {
  const open = name.indexOf('[')
  if (open === -1) return name.includes(']') ? null : [name]
  const head = name.slice(0, open)
  if (head === '' || head.includes(']') || !name.endsWith(']')) return null
  const inner = name.slice(open + 1, -1).split('][')
  return inner.some(step => step.includes('[') || step.includes(']')) ? null : [head, ...inner]
}

/** The name of a part: b of a → `a[b]`; of no name, the part's own. */
export function inBrackets(under: string, name: string): string {
  return under === '' ? name : `${under}[${name}]`
}

function put(
  root: FormObject,
  steps: readonly string[],
  value: string,
  name: string
): FormProblem | null {
  const end = steps.indexOf('', 1)
  const last = (end < 0 ? steps.length : end) - 1
  let parent = root
  for (let at = 0; at < last; at++) {
    const child = objectIn(parent, String(steps[at]))
    if (child === null) return conflict(steps, at, name)
    parent = child
  }
  const step = String(steps[last])
  const present = parent.get(step)
  if (end > 0) {
    const list = present ?? []
    if (!Array.isArray(list)) return conflict(steps, last, name)
    list.push(value)
    parent.set(step, list)
  } else if (present === undefined) parent.set(step, value)
  else if (present instanceof FormObject && value === '' && !present.cleared) present.cleared = true
  else if (typeof present === 'string' || (present instanceof FormObject && value === ''))
    return malformed(name, TWICE, A36)
  else return conflict(steps, last, name)
  return null
}

/** The object at a name; null where a value or a list is. */
function objectIn(parent: FormObject, step: string): FormObject | null {
  const present = parent.get(step)
  if (present instanceof FormObject) return present
  if (present !== undefined && present !== '') return null
  const child = new FormObject()
  child.cleared = present === ''
  parent.set(step, child)
  return child
}

const TWICE = 'sent more than once; send it once (nested values are written address[city]=Boston)'

const tooLarge = (param: string, message: string): FormProblem => ({
  code: 'form_too_large',
  param,
  message,
  assumption: 'A35'
})

function malformed(param: string, why: string, blame: Blame = {}): FormProblem {
  const message = `${visible(param) || 'The form'}: ${why}.`
  return { code: 'form_malformed', param, message, ...blame }
}

function conflict(steps: readonly string[], at: number, name: string): FormProblem {
  const parent = steps.slice(0, at + 1).reduce(inBrackets)
  return malformed(name, `${parent} was sent both as a value and as an object or list`, A36)
}

/** A value that was sent; undefined if it is missing, empty or not a single value. */
export function valueIn(form: FormObject, ...path: readonly string[]): string | undefined {
  const node = nodeIn(form, path)
  return typeof node === 'string' && node !== '' ? node : undefined
}

/** The part at a nested name. */
export function nodeIn(form: FormObject, path: readonly string[]): FormNode | undefined {
  let node: FormNode | undefined = form
  for (const step of path) node = node instanceof FormObject ? node.get(step) : undefined
  return node
}
