/**
 * Properties, tried on many values that fast-check makes up; a failure shows the seed and the
 * smallest value. `FAST_CHECK_SEED` and `FAST_CHECK_RUNS` change the seed and the number of runs.
 */
import fc from 'fast-check'
import type { Test } from 'tap'

const SEED = 20_260_301
/** The maximum time of shrinking, so that failures are reported before the runner's timeout. */
const LONGEST_SEARCH = 60_000

function given(name: string, otherwise: number): number {
  const text = process.env[name] || String(otherwise)
  if (!/^-?\d+$/.test(text)) throw new Error(`${name}: must be a whole number; got ${text}.`)
  return Number(text)
}

/**
 * A subtest that holds when `holds` throws for none of the values; `runs` is how many are tried.
 */
export async function property<T>(
  t: Test,
  title: string,
  { of, runs }: { of: fc.Arbitrary<T>; runs: number },
  holds: (value: T) => unknown
): Promise<void> {
  const tried = fc.asyncProperty(of, async value => {
    await holds(value)
  })
  const parameters = {
    seed: given('FAST_CHECK_SEED', SEED),
    numRuns: given('FAST_CHECK_RUNS', runs),
    interruptAfterTimeLimit: LONGEST_SEARCH
  }
  await t.test(title, async t => {
    const { failed, seed, numRuns, numShrinks, counterexample, errorInstance } = await fc.check(
      tried,
      parameters
    )
    if (!failed) return t.pass(`${numRuns} values, seed ${seed}`)
    t.fail(`it does not hold for ${fc.stringify(counterexample?.[0])}`, {
      again: `FAST_CHECK_SEED=${seed} FAST_CHECK_RUNS=${Math.max(numRuns, runs)}`,
      found: `in run ${numRuns}, made smaller ${numShrinks} times`,
      why: errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
      at: null,
      stack: ''
    })
  })
}
