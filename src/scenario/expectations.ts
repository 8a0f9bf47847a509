/** Expectations: how often calls have to come, counted as they come. */
import type { OperationId } from '../reference/operations.js'
import { withDigests } from './digests.js'
import type { Report } from './documents.js'
import { compileMatch, type MatchData, type Matcher, MOST_MATCHED, operationOn, type SentCall } from './matching.js'

/** An expectation as a document writes it: exactly so many times, or bounds. */
export type ExpectationData = { on: string; match?: MatchData; times?: number; at_least?: number; at_most?: number }
export type Expectation = { data: ExpectationData; operation: OperationId; matches: Matcher | null }
export type Verdict = {
  expectation: ExpectationData
  wanted: string
  seen: number
  holds: boolean
  /** More calls came than may. */
  exceeded: boolean
  message: string
}

/** Compiles one expectation that its schema allows; null with its problems reported. Without a count, at least one call is expected. What it keeps of card data is digests. */
export async function compileExpectation(written: ExpectationData, report: Report): Promise<Expectation | null> {
  let isRight = true
  const note: Report = (steps, message) => {
    isRight = false
    report(steps, message)
  }
  const data = written.match ? { ...written, match: withDigests(written.match) } : written
  const { times, at_least, at_most } = data
  if (times !== undefined && (at_least !== undefined || at_most !== undefined)) note([], 'times is given alone, without at_least and at_most')
  if (at_least !== undefined && at_most !== undefined && at_least > at_most) note(['at_least'], `at_least ${at_least} is more than at_most ${at_most}`)
  const operation = operationOn(data.on, note)
  const matches = operation === null ? null : await compileMatch(operation, data.match, note)
  return isRight && operation !== null ? { data, operation, matches } : null
}

/** Counts calls for expectations. */
export class Tally {
  readonly #expectations: readonly Expectation[]
  readonly #seen: number[]
  /** Calls with a value too long for the pattern of each. */
  readonly #tooLong: number[]

  constructor(expectations: readonly Expectation[]) {
    this.#expectations = expectations
    this.#seen = expectations.map(() => 0)
    this.#tooLong = expectations.map(() => 0)
  }

  get isEmpty(): boolean {
    return this.#expectations.length === 0
  }

  /** Whether the call counts for any of them. */
  count(call: SentCall): boolean {
    let isCounted = false
    for (const [index, { operation, matches }] of this.#expectations.entries()) {
      if (operation !== call.operation) continue
      call.isTooLong = false
      if (matches === null || matches(call)) {
        this.#seen[index] = (this.#seen[index] as number) + 1
        isCounted = true
      }
      if (call.isTooLong) this.#tooLong[index] = (this.#tooLong[index] as number) + 1
    }
    return isCounted
  }

  verdicts(): Verdict[] {
    return this.#expectations.map(({ data }, index) => verdictOf(data, this.#seen[index] as number, this.#tooLong[index] as number))
  }
}

function countBetween(least: number, most: number): string {
  if (least === most) return `${least}`
  if (most === Number.POSITIVE_INFINITY) return `at least ${least}`
  return least === 0 ? `at most ${most}` : `${least} to ${most}`
}

function verdictOf(expectation: ExpectationData, seen: number, tooLong: number): Verdict {
  const { on, times, at_least: least = times ?? (expectation.at_most === undefined ? 1 : 0), at_most: most = times ?? Number.POSITIVE_INFINITY } = expectation
  const count = countBetween(least, most)
  const [calls, were] = /(^| )1$/.test(count) ? ['call', 'was'] : ['calls', 'were']
  const wanted = `${on}${expectation.match ? ` with ${JSON.stringify(expectation.match)}` : ''}: ${count} ${calls}`
  const unmatched = tooLong === 0 ? '' : `; in ${tooLong} more a value is longer than the ${MOST_MATCHED} characters that a pattern is matched against`
  const message = `${wanted} ${were} expected, ${seen} came${unmatched}`
  return { expectation, wanted, seen, holds: seen >= least && seen <= most, exceeded: seen > most, message }
}
