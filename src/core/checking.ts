/** Checks a document against a JSON Schema: quickly whether it is right, and only where it is not, what is wrong with it. */
import type { PlacedProblem } from './places.js'
import { quickCheck } from './quick-check.js'

export type Checker = {
  /** Whether a document is right. */
  isRight: (document: unknown) => boolean
  /** Every problem of a document, none when it is right. */
  problems: (document: unknown) => Promise<PlacedProblem[]>
}

/** A checker that reads its schema once, on first use. What finds the problems is loaded with the first document that has any. */
export function checkerOf(schemaOf: () => object): Checker {
  let schema: object | undefined
  let test: ((document: unknown) => boolean) | undefined
  let problemsIn: ((document: unknown) => PlacedProblem[]) | undefined
  const isRight = (document: unknown): boolean => {
    schema ??= schemaOf()
    test ??= quickCheck(schema as Record<string, unknown>)
    return test(document)
  }
  const problems = async (document: unknown): Promise<PlacedProblem[]> => {
    if (isRight(document)) return []
    problemsIn ??= (await import('./problems.js')).problemFinder(schema as object)
    return problemsIn(document)
  }
  return { isRight, problems }
}
