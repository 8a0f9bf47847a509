/** Failures of files in `check`, in process. */
import { check } from '../../src/cli/check/check.js'
import { isFailed } from '../../src/reports/points.js'

export type Failure = { file: string; title: string; messages: string[] }

export async function failuresIn(files: readonly string[]): Promise<Failure[]> {
  const checked = await check(files, {
    launch: { flag: {}, environment: {} },
    against: null,
    keys: new Map(),
    variables: new Map(),
    timeout: 0
  })
  return checked.flatMap(({ points }) =>
    points.filter(isFailed).map(({ file, message: title, problems }) => ({
      file,
      title,
      messages: problems.map(({ message }) => message)
    }))
  )
}
