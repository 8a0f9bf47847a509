/**
 * Regular expressions of conditions, in RE2's syntax: their time grows only with the lengths of
 * value and pattern, which have maxima, as has the number of patterns.
 */
import { holdsCardNumber } from '../../core/card-numbers.js'
import type { Said } from '../../core/sentences.js'
import { say } from '../sentences.js'

export const MAX_PATTERNS = 25
/** Of a value; a longer one does not match. */
export const MAX_MATCHED = 500
/** Characters of one pattern. */
export const MAX_LENGTH = 1000
/** Of one compiled pattern; a repeat compiles to many. */
export const MAX_INSTRUCTIONS = 100
/** Unicode classes: each has hundreds of ranges to compile. */
export const MAX_CLASSES = 20
/** Characters that its ranges span: each is looked at where case is ignored. */
export const MAX_SPAN = 100_000

const PATTERN = /^\/(.*)\/(i?)$/s
const REPEAT = /(?<!\\x)\{(\d+)(?:,(\d*))?\}/g
const UNICODE_CLASS = /\\p/gi
const RANGE = /(\\x\{[\da-f]+\}|\\?.)(?=-(\\x\{[\da-f]+\}|\\?.))/gisu

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
/** The character at an end of a range: `é`, `\-` or `\x{e9}`. */
const codeOf = (text: string): number =>
  text.length > 3
    ? Number.parseInt(text.slice(3), 16)
    : (text.replace(/^\\(?=.)/su, '').codePointAt(0) as number)

type Bound = [maximum: number, what: string, got: number, advice: string]

const boundsOf = (pattern: string): Bound[] => [
  [MAX_LENGTH, 'characters', pattern.length, 'Write a list of shorter ones'],
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
      Array.from(pattern.matchAll(RANGE), ([, from, to]) =>
        Math.max(codeOf(to as string) - codeOf(from as string), 0)
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

export function isWithinPatterns(
  part: unknown,
  others: number,
  report: (said: Said) => void
): boolean {
  const own = patternsIn(part)
  const isWithin = own === 0 || own + others <= MAX_PATTERNS
  const advice = 'Join some with |, such as /one|other/'
  if (!isWithin)
    report(
      say(
        'pattern_limit',
        'a script, or the expectations of a scenario,',
        MAX_PATTERNS,
        'patterns',
        own + others,
        advice
      )
    )
  return isWithin
}

const NEVER = () => false

/** No value longer than `MAX_MATCHED` passes, and none where a problem is reported. */
export async function compilePattern(
  text: string,
  report: (said: Said) => void
): Promise<(value: string) => boolean> {
  const [, pattern, flag] = PATTERN.exec(text) as unknown as [string, string, string]
  const refused = (said: Said) => {
    report(said)
    return NEVER
  }
  const isBeyond = ([maximum, , got]: Bound) => got > maximum
  const beyond = ([maximum, what, got, advice]: Bound) =>
    refused(say('pattern_limit', 'a pattern', maximum, what, got, advice))
  const bound = boundsOf(pattern).find(isBeyond)
  if (bound !== undefined) return beyond(bound)
  if (holdsCardNumber(pattern)) return refused(say('pattern_of_card'))
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(pattern, flag === '' ? 0 : RE2JS.CASE_INSENSITIVE)
    const size: Bound = [
      MAX_INSTRUCTIONS,
      'instructions when compiled',
      compiled.programSize(),
      'Write it shorter, or with smaller counts in {}'
    ]
    if (isBeyond(size)) return beyond(size)
    return value => value.length <= MAX_MATCHED && compiled.matcher(value).find()
  } catch (error) {
    return refused(say('bad_pattern', pattern, (error as Error).message))
  }
}
