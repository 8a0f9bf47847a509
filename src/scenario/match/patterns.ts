/** Regular expressions in RE2's syntax: their number and lengths are limited, so their time is. */
import { holdsCardNumber } from '../../core/card-numbers.js'
import type { Report } from '../documents.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'

export const MAX_PATTERNS = 25
/** Characters of a value; longer ones do not match. */
export const MAX_MATCHED = 500
export const MAX_LENGTH = 100
/** Of a compiled pattern; a repeat compiles to many. */
export const MAX_INSTRUCTIONS = 100
/** Ranges of letters beyond ASCII, of which the engine looks at each to ignore case. */
const MAX_RANGES = 2

const PATTERN = /^\/(.*)\/(i?)$/s
const WIDE_RANGE = /-(\\x|\P{ASCII})/gu

export const isPattern = (text: string): boolean => PATTERN.test(text)

export function patternsIn(part: unknown): number {
  if (typeof part === 'string') return isPattern(part) ? 1 : 0
  return typeof part === 'object' && part !== null
    ? Object.values(part).reduce<number>((total, inner) => total + patternsIn(inner), 0)
    : 0
}

type Engine = typeof import('re2js').RE2JS
let engine: Engine | undefined

function isWithin(maximum: number, what: string, got: number, report: Report): boolean {
  if (got > maximum) report([], say('pattern_limit', maximum, what, got))
  return got <= maximum
}

/** Loads the engine with the first pattern; false, with the problem reported, for too many. */
export async function admitPatterns(
  part: unknown,
  others: number,
  report: Report
): Promise<boolean> {
  const count = patternsIn(part)
  if (count === 0) return true
  engine ??= (await import('re2js')).RE2JS
  return isWithin(MAX_PATTERNS, 'patterns in all entries or expectations', count + others, report)
}

export function compilePattern(text: string, report: Report): (value: string) => boolean {
  const [, pattern = '', flag] = present(PATTERN.exec(text))
  const ranges = pattern.match(WIDE_RANGE) ?? []
  if (!isWithin(MAX_LENGTH, 'characters', pattern.length, report)) return NEVER
  if (!isWithin(MAX_RANGES, 'ranges beyond ASCII', ranges.length, report)) return NEVER
  if (holdsCardNumber(pattern)) {
    report([], say('pattern_of_card'))
    return NEVER
  }
  try {
    const { CASE_INSENSITIVE, compile } = present(engine)
    const compiled = compile(pattern, flag === '' ? 0 : CASE_INSENSITIVE)
    return isWithin(MAX_INSTRUCTIONS, 'instructions', compiled.programSize(), report)
      ? value => value.length <= MAX_MATCHED && compiled.matcher(value).find()
      : NEVER
  } catch (error) {
    report([], say('bad_pattern', pattern, (error as Error).message))
    return NEVER
  }
}

export const NEVER = (): boolean => false
