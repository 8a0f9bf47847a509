/** Checks a document against a JSON Schema: quickly whether it is right, and only where it is not, what is wrong with it. */
import type { PlacedProblem } from './places.js'
import { problemFinder } from './problems.js'
import { quickCheck } from './quick-check.js'
import { SETTINGS } from './settings.js'

export type Checker = {
  /** Whether a document is right. */
  isRight: (document: unknown) => boolean
  /** The problems of a document, none when it is right; where there are more than `most`, one or a few more than that. */
  problems: (document: unknown, most?: number) => Promise<PlacedProblem[]>
}

/** A checker that reads its schema once, on first use. */
export function checkerOf(schemaOf: () => object): Checker {
  let schema: object | undefined
  let test: ((document: unknown) => boolean) | undefined
  let problemsIn: ReturnType<typeof problemFinder> | undefined
  const isRight = (document: unknown): boolean => {
    schema ??= schemaOf()
    test ??= quickCheck(schema as Record<string, unknown>)
    return test(document)
  }
  const problems = async (document: unknown, most: number = SETTINGS['limits.problems'].default): Promise<PlacedProblem[]> => {
    if (isRight(document)) return []
    problemsIn ??= problemFinder(schema as object)
    return problemsIn(document, most)
  }
  return { isRight, problems }
}
