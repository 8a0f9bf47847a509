/** Which calls a script entry or an expectation is about: an operation, and what its path, query, body and key have to be. */
import { holdsCardNumber } from '../core/card-numbers.js'
import { didYouMean } from '../core/nearest.js'
import { IS_DIGEST } from '../core/redaction.js'
import { OPERATION_NAMES, type OperationId, operationNamed } from '../reference/operations.js'
import { type Schema, schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import { digestOf } from './digests.js'
import type { Report } from './documents.js'
import { pause } from './slices.js'

/** Looks a value up by its nested name: `['card', 'last4']`. */
export type Values = (name: readonly string[]) => string | undefined
/** A call as it was sent. */
export type SentCall = {
  operation: OperationId
  key: string | null
  account?: string | null
  params: Values
  query: Values
  body: Values
  /** A value was too long for the pattern that it was to match; set by a matcher. */
  isTooLong?: boolean
}
export type Matcher = (call: SentCall) => boolean
/** What `match` holds: names to a value, a list of values or `/a regular expression/`, nested or in brackets. */
export type MatchData = { params?: Names; query?: Names; body?: Names; key?: Wanted; account?: Wanted }
type Scalar = string | number | boolean
type Wanted = Scalar | Scalar[]
type Names = { readonly [name: string]: Wanted | Names }
/** Whether a value is what is wanted; null when it is too long to be looked at. */
type Test = (value: string) => boolean | null

const SECTIONS = { params: 'params', query: 'querystring', body: 'body' } as const

/** The operation that `on` names, or null with the problem reported. */
export function operationOn(on: string, report: Report): OperationId | null {
  const operation = operationNamed(on)
  if (operation === null) report(['on'], `${on} is no operation of the reference${didYouMean(on, OPERATION_NAMES) || `; it has ${OPERATION_NAMES.join(', ')}`}`)
  return operation
}

/** Compiles `match`; null when it asks for nothing, so that every call of the operation matches. Problems are reported by their place in it. */
export async function compileMatch(operation: OperationId, data: MatchData | undefined, report: Report): Promise<Matcher | null> {
  const tests: Matcher[] = []
  for (const [section, table] of Object.entries(SECTIONS) as [keyof typeof SECTIONS, keyof Tables][]) {
    const names = data?.[section]
    if (names === undefined) continue
    const schema = (TABLES[operation] as Tables)[table]
    if (schema === undefined) {
      report(['match', section], `${OPERATION_NAMES[Object.keys(TABLES).indexOf(operation)]} has no ${section}`)
      continue
    }
    for (const { name, test } of await compileNames(names, schemaOf(schema), [], (steps, message) => report(['match', section, ...steps], message))) {
      tests.push(call => {
        const value = call[section](name)
        return value !== undefined && passes(call, test(value))
      })
    }
  }
  if (data?.key !== undefined) {
    const test = await compileTest(data.key, message => report(['match', 'key'], message))
    tests.push(call => call.key !== null && passes(call, test(call.key)))
  }
  if (data?.account !== undefined) {
    const test = await compileTest(data.account, message => report(['match', 'account'], message))
    tests.push(call => call.account != null && passes(call, test(call.account)))
  }
  return tests.length === 0 ? null : call => tests.every(test => test(call))
}

/** Whether a test is passed; a value that is too long is noted in the call. */
function passes(call: SentCall, passed: boolean | null): boolean {
  if (passed === null) call.isTooLong = true
  return passed === true
}

async function compileNames(names: Names, schema: Schema, under: readonly string[], report: Report): Promise<{ name: string[]; test: Test }[]> {
  const compiled: { name: string[]; test: Test }[] = []
  for (const [written, wanted] of Object.entries(names)) {
    const [head, ...inner] = stepsOf(written)
    if (head === undefined) {
      report([written], 'the brackets are not balanced: a nested name is written parent[child]')
      continue
    }
    const part = schema.properties && Object.hasOwn(schema.properties, head) ? schema.properties[head] : (schema.additionalProperties as Schema | false)
    if (!part) {
      report([written], `${[...under, head].join('.')} is not a parameter of this call${didYouMean(head, Object.keys(schema.properties ?? {}))}`)
    } else if (inner.length > 0) {
      const rest = inner.length === 1 ? wanted : Object.fromEntries([[inner.slice(1).join('['), wanted]])
      const nested = { [inner[0] as string]: rest as Wanted }
      for (const one of await compileNames(nested, part, [...under, head], (_steps, message) => report([written], message))) compiled.push(one)
    } else if (typeof wanted === 'object' && !Array.isArray(wanted)) {
      for (const one of await compileNames(wanted, part, [...under, head], (steps, message) => report([written, ...steps], message))) compiled.push(one)
    } else compiled.push({ name: [...under, head], test: await compileTest(wanted, message => report([written], message)) })
  }
  return compiled
}

/** `a[b][c]` → a, b, c; nothing when the brackets do not balance. */
function stepsOf(name: string): string[] {
  const [, head, brackets] = /^([^[\]]*)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
  if (head === undefined) return []
  return brackets ? [head, ...brackets.slice(1, -1).split('][')] : [head]
}

async function compileTest(wanted: Wanted, report: (message: string) => void): Promise<Test> {
  if (Array.isArray(wanted)) {
    if (wanted.length === 0) report('an empty list matches no call')
    const tests: Test[] = []
    for (const one of wanted) tests.push(await compileTest(one, report))
    return value => {
      let isTooLong = false
      for (const test of tests) {
        const passed = test(value)
        if (passed) return true
        isTooLong ||= passed === null
      }
      return isTooLong ? null : false
    }
  }
  const [, pattern, ignoreCase] = typeof wanted === 'string' ? (/^\/(.*)\/(i?)$/s.exec(wanted) ?? []) : []
  if (pattern === undefined) {
    const text = String(wanted)
    return IS_DIGEST.test(text) ? value => digestOf(value) === text : value => value === text
  }
  return compilePattern(pattern, ignoreCase === 'i', report)
}

/** Characters that a pattern has at most, and instructions that it compiles to at most: a repeat needs many. */
export const MOST_PATTERN = 1000
export const MOST_INSTRUCTIONS = 500
/** Characters that a value has at most for a pattern to be matched against it. */
export const MOST_MATCHED = 4096
const REPEAT = /\{(\d+)(?:,(\d*))?\}/g

/** A regular expression in linear time, whatever the pattern and the value. */
async function compilePattern(pattern: string, ignoreCase: boolean, report: (message: string) => void): Promise<Test> {
  const refuse = (message: string) => {
    report(message)
    return () => false
  }
  if (pattern.length > MOST_PATTERN) return refuse(`a pattern has at most ${MOST_PATTERN} characters, not ${pattern.length}`)
  if (holdsCardNumber(pattern)) return refuse('a pattern cannot hold a whole card number; write the number as text, of which a digest is kept')
  const repeats = Array.from(pattern.matchAll(REPEAT), ([, least, most]) => Number(most || least)).reduce((sum, count) => sum + count, 0)
  if (repeats > MOST_INSTRUCTIONS) return refuse(`/${pattern}/ repeats too often: all counts in {} may add up to ${MOST_INSTRUCTIONS}`)
  await pause()
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    if (compiled.programSize() > MOST_INSTRUCTIONS) return refuse(`/${pattern}/ is too large: it compiles to more than ${MOST_INSTRUCTIONS} instructions`)
    return value => (value.length > MOST_MATCHED ? null : compiled.matcher(value).find())
  } catch (error) {
    return refuse(`/${pattern}/ is not a regular expression of the RE2 syntax: ${(error as Error).message}`)
  }
}
