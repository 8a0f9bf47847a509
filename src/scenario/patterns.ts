/**
 * Patterns of conditions: regular expressions whose cost is bounded before they are matched. The
 * unit is the step, one character of a value at one instruction
 * of a compiled pattern: re2js takes at most so many, and was measured to need about 27 ns for one
 * at most.
 */
import { holdsCardNumber } from '../core/card-numbers.js'
import type { Said } from '../core/sentences.js'
import { pause } from '../work/slices.js'
import { say } from './sentences.js'

/** The steps that are left for the patterns that one request or record is matched against. */
export type Budget = { steps: number }
/**
 * Steps for one request or record, about 2 ms: a pattern of 15 instructions is matched against a
 * value of any length that is matched at all.
 */
export const MAX_STEPS = 64_000
/** Characters of a value that a pattern is matched against. */
export const MAX_MATCHED = 4096
/** What it costs to begin, in characters. */
const SETUP = 4
/**
 * Characters of a value that every pattern of a script can be matched against: those of a UUID, as
 * ids in metadata have.
 */
const USUAL = 36
/**
 * Instructions of all patterns of a script, or of the expectations of a scenario, so that values of
 * a usual length fit into the budget.
 */
export const MAX_TOGETHER = MAX_STEPS / (USUAL + SETUP)
/**
 * Characters, instructions (a repeat compiles to many), and Unicode classes of one pattern, each of
 * which has hundreds of ranges to compile.
 */
export const MAX_LENGTH = 1000
export const MAX_INSTRUCTIONS = 500
export const MAX_CLASSES = 20
/**
 * Characters that the ranges of a pattern span together: each is looked at where case is ignored.
 */
export const MAX_SPAN = 100_000
/** Patterns of one entry or expectation. */
export const MAX_PATTERNS = 50

/**
 * The patterns of an entry or expectation so far; `all` counts the instructions of those of its
 * whole list.
 */
export type Patterns = { count: number; readonly all: Instructions }
export type Instructions = { instructions: number }
export const patternsIn = (all: Instructions = { instructions: 0 }): Patterns => ({ count: 0, all })

/**
 * Whether a text passes; null when it is too long, or when too few steps are left to look at it.
 */
export type TextTest = (value: string, budget: Budget) => boolean | null

/** A test that takes steps from the budget, so many for each character. */
export const metered =
  (stepsEach: number, test: (value: string) => boolean): TextTest =>
  (value, budget) => {
    const steps = (value.length + SETUP) * stepsEach
    if (value.length > MAX_MATCHED || steps > budget.steps) return null
    budget.steps -= steps
    return test(value)
  }

const NEVER: TextTest = () => false
const REPEAT = /(?<!\\x)\{(\d+)(?:,(\d*))?\}/g
const UNICODE_CLASS = /\\p/gi
const RANGE = /(\\x\{[\da-f]+\}|\\?.)(?=-(\\x\{[\da-f]+\}|\\?.))/gisu

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
/** The character at an end of a range: `é`, `\-` or `\x{e9}`. */
const codeOf = (text: string): number =>
  text.length > 3
    ? Number.parseInt(text.slice(3), 16)
    : (text.replace(/^\\(?=.)/su, '').codePointAt(0) as number)

/** What the text of a pattern may hold at most, so that it is cheap to compile. */
const BOUNDS: readonly [
  maximum: number,
  what: string,
  countIn: (pattern: string) => number,
  advice: string
][] = [
  [MAX_LENGTH, 'characters', pattern => pattern.length, 'Write a list of shorter ones'],
  [
    MAX_INSTRUCTIONS,
    'repetitions, the counts in {} added up',
    pattern =>
      sum(Array.from(pattern.matchAll(REPEAT), ([, least, most]) => Number(most || least))),
    'Use * or + for any number'
  ],
  [
    MAX_CLASSES,
    'classes such as \\pL',
    pattern => pattern.match(UNICODE_CLASS)?.length ?? 0,
    'Repeat one with {}, such as \\pL{3}'
  ],
  [
    MAX_SPAN,
    'characters in its ranges',
    pattern =>
      sum(
        Array.from(pattern.matchAll(RANGE), ([, from, to]) =>
          Math.max(codeOf(to as string) - codeOf(from as string), 0)
        )
      ),
    'Write what they leave out, such as [^a-z]'
  ]
]

/**
 * Compiles a regular expression, which is matched in linear time, whatever the pattern and the
 * value.
 */
export async function compilePattern(
  pattern: string,
  ignoreCase: boolean,
  patterns: Patterns,
  report: (said: Said) => void
): Promise<TextTest> {
  const { all } = patterns
  const isWithin = (whose: string, maximum: number, what: string, got: number, advice: string) => {
    if (got > maximum) report(say('pattern_limit', whose, maximum, what, got, advice))
    return got <= maximum
  }
  // once there are too many that is said, and no other is compiled
  if (++patterns.count > MAX_PATTERNS + 1 || all.instructions > MAX_TOGETHER) return NEVER
  if (
    !isWithin(
      'an entry or expectation',
      MAX_PATTERNS,
      'patterns',
      patterns.count,
      'Join them with |, such as /one|other/'
    )
  )
    return NEVER
  if (
    !BOUNDS.every(([maximum, what, countIn, advice]) =>
      isWithin('a pattern', maximum, what, countIn(pattern), advice)
    )
  )
    return NEVER
  if (holdsCardNumber(pattern)) {
    report(say('pattern_of_card'))
    return NEVER
  }
  await pause()
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    const size = compiled.programSize()
    if (
      !isWithin(
        'a pattern',
        MAX_INSTRUCTIONS,
        'instructions when compiled',
        size,
        'Write it shorter, or with smaller counts in {}'
      )
    )
      return NEVER
    // plain text is not run as a program, but looked for as it is
    const { prefixComplete, numSubexp } = compiled.re2()
    const stepsEach = prefixComplete && numSubexp === 0 ? 1 : size
    all.instructions += stepsEach
    const advice = 'Write them shorter; plain text between slashes counts as one'
    const areAll = isWithin(
      'the patterns of a script, or of all expectations,',
      MAX_TOGETHER,
      'instructions together',
      all.instructions,
      advice
    )
    return areAll ? metered(stepsEach, value => compiled.matcher(value).find()) : NEVER
  } catch (error) {
    report(say('bad_pattern', pattern, (error as Error).message))
    return NEVER
  }
}
