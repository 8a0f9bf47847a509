/** Regular expressions in RE2's syntax: their number and lengths are limited, so their time is. */
import { holdsCardNumber } from '../../core/card-numbers.js'
import type { Report } from '../documents.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'

export const MAX_PATTERNS = 25
/** Characters of a value; longer ones do not match. */
export const MAX_MATCHED = 500
export const MAX_LENGTH = 1000
/** Of a compiled pattern; a repeat compiles to many. */
export const MAX_INSTRUCTIONS = 100
export const MAX_CLASSES = 20
/** Characters in ranges: ignoring case looks at each. */
export const MAX_SPAN = 100_000

const PATTERN = /^\/(.*)\/(i?)$/s
const REPEAT = /(?<!\\x)\{(\d+)(?:,(\d*))?\}/g
const UNICODE_CLASS = /\\p/gi
const RANGE = /(\\x\{[\da-f]+\}|\\?.)(?=-(\\x\{[\da-f]+\}|\\?.))/gisu

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
/** The character at an end of a range: `é`, `\-` or `\x{e9}`. */
const codeOf = (text: string): number =>
  text.length > 3
    ? Number.parseInt(text.slice(3), 16)
    : present(text.replace(/^\\(?=.)/su, '').codePointAt(0))

type Bound = [maximum: number, what: string, got: number, advice: string]

const boundsOf = (pattern: string): Bound[] => [
  [MAX_LENGTH, 'characters', pattern.length, 'Write several shorter patterns'],
  [
    MAX_INSTRUCTIONS,
    'repetitions, the counts in {} added up',
    sum(Array.from(pattern.matchAll(REPEAT), ([, least, most]) => Number(most || least))),
    'Use * or + for any number'
  ],
  [
    MAX_CLASSES,
    'classes such as \\pL',
    pattern.match(UNICODE_CLASS)?.length ?? 0,
    'Repeat one with {}, such as \\pL{3}'
  ],
  [
    MAX_SPAN,
    'characters in its ranges',
    sum(
      Array.from(pattern.matchAll(RANGE), ([, from = '', to = '']) =>
        Math.max(codeOf(to) - codeOf(from), 0)
      )
    ),
    'Write what they leave out, such as [^a-z]'
  ]
]

export const isPattern = (text: string): boolean => PATTERN.test(text)

export function patternsIn(part: unknown): number {
  if (typeof part === 'string') return isPattern(part) ? 1 : 0
  return typeof part === 'object' && part !== null ? sum(Object.values(part).map(patternsIn)) : 0
}

type Engine = typeof import('re2js').RE2JS
let engine: Engine | undefined

/** Loads the engine with the first pattern; false, with the problem reported, for too many. */
export async function admitPatterns(
  part: unknown,
  others: number,
  report: Report
): Promise<boolean> {
  const count = patternsIn(part)
  if (count === 0) return true
  engine ??= (await import('re2js')).RE2JS
  if (count + others <= MAX_PATTERNS) return true
  const whose = 'a script, or the expectations of a scenario,'
  const advice = 'Join some with |, such as /one|other/'
  report([], say('pattern_limit', whose, MAX_PATTERNS, 'patterns', count + others, advice))
  return false
}

export function compilePattern(text: string, report: Report): (value: string) => boolean {
  const [, pattern = '', flag] = present(PATTERN.exec(text))
  const isWithin = ([maximum, what, got, advice]: Bound) => {
    if (got > maximum) report([], say('pattern_limit', 'a pattern', maximum, what, got, advice))
    return got <= maximum
  }
  if (!boundsOf(pattern).every(isWithin)) return NEVER
  if (holdsCardNumber(pattern)) {
    report([], say('pattern_of_card'))
    return NEVER
  }
  try {
    const { CASE_INSENSITIVE, compile } = present(engine)
    const compiled = compile(pattern, flag === '' ? 0 : CASE_INSENSITIVE)
    const size = compiled.programSize()
    const advice = 'Write it shorter, or with smaller counts in {}'
    return isWithin([MAX_INSTRUCTIONS, 'instructions when compiled', size, advice])
      ? value => value.length <= MAX_MATCHED && compiled.matcher(value).find()
      : NEVER
  } catch (error) {
    report([], say('bad_pattern', pattern, (error as Error).message))
    return NEVER
  }
}

export const NEVER = (): boolean => false
