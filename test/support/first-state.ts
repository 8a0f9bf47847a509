import { Clock } from '../../src/core/clock.js'
import type { ApiError, Problem } from '../../src/core/errors.js'
import type { GivenSettings } from '../../src/core/settings.js'
import { DEFAULT_LIMITS, documentOf, type Located } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'
import { checkSharedScript, firstStateOf } from '../../src/scenario/loading.js'
import { readDocument } from '../../src/scenario/read/document.js'
import type { FirstState, LoadContext } from '../../src/scenario/scenario.js'
import { coded } from './codes.js'

/** How to load a document: `machine` is the machine's time, `name` the document's. */
export type Where = Partial<Pick<LoadContext, 'library' | 'variables'>> & {
  flag?: GivenSettings
  file?: string | null
  name?: string
  machine?: number
  limits?: typeof DEFAULT_LIMITS
}
export type Looked = {
  first: FirstState | null
  problems: readonly Problem[]
  warnings: readonly Problem[]
}

const NO_FOLDERS = { fixtures: null, scenarios: null }

/** The initial state of data or a text, named "given" by default. */
export async function firstStateIn(
  data: unknown,
  where: Where & Pick<LoadContext, 'warn'> = {}
): Promise<FirstState> {
  const {
    flag = {},
    file = null,
    name = file ?? 'doc',
    machine = Date.parse('2026-04-01T00:00:00.000Z'),
    limits = DEFAULT_LIMITS,
    library = new Library(NO_FOLDERS, limits)
  } = where
  const { variables, warn } = where
  const document =
    typeof data === 'string' ? await readDocument(name, data, { limits }) : documentOf(name, data)
  const clockFor: LoadContext['clockFor'] = start => new Clock(() => machine, start)
  return firstStateOf(
    document,
    { name: 'given', file },
    { library, launch: { flag, environment: {} }, clockFor, variables, warn }
  )
}

export async function lookedAt(data: unknown, where: Where = {}): Promise<Looked> {
  const warnings: Problem[] = []
  try {
    return {
      first: await firstStateIn(data, { ...where, warn: found => void warnings.push(...found) }),
      problems: [],
      warnings
    }
  } catch (error) {
    const { problems } = error as ApiError
    if (problems === undefined) throw error
    return { first: null, problems, warnings }
  }
}

export const problemsIn = async (data: unknown, where: Where = {}): Promise<string[]> =>
  (await lookedAt(data, where)).problems.map(({ path, message }) => `${path}: ${message}`)

export const codesIn = async (data: unknown, where: Where = {}): Promise<string[]> =>
  (await lookedAt(data, where)).problems.map(({ path, ...said }) => coded(path, said))

export const checkedAlone = (
  document: Located,
  variables?: LoadContext['variables']
): Promise<void> => checkSharedScript(document, variables)
