/** Script entries that scenarios share: a file with groups of them, each of which a scenario uses by name. */
import { checkerOf } from '../core/checking.js'
import { didYouMean, shortened, thereAre } from '../core/nearest.js'
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { ProblemList, type Problems, reportTo, type SourceDocument, withoutProblems } from './documents.js'
import { type Flaws, flawsOf } from './flaws.js'
import { sharedScriptSchema } from './schemas.js'
import { compileScript, type EntryData } from './script.js'
import { checkGiven, declaredVariables, expanded, type GivenVariables } from './variables.js'

/** Entries of one group, with the place of the group in its document. */
export type Group = { name: string; document: SourceDocument; entries: readonly EntryData[] | undefined; flaws: Flaws | undefined }
/** What was read of a file of shared entries; `variables` are the names that it declares. */
export type SharedScript = { groups: ReadonlyMap<string, Group>; variables: readonly string[] }

export const SHARED_SCRIPT_CHECKER = checkerOf(sharedScriptSchema)
const GROUP_NAME = /^[A-Za-z0-9_][\w.-]*$/

/** Whether data is a file of shared script entries: no other document has groups. */
export const isSharedScript = (data: unknown): data is { groups: unknown; vars?: unknown } => isObject(data) && Object.hasOwn(data, 'groups')

/** The file and the group that a reference such as `outages.yaml#brief-outage` names; the group is null where it names none. */
export function partsOfUse(reference: string): { file: string; group: string | null } {
  const at = reference.lastIndexOf('#')
  return at < 0 ? { file: reference, group: null } : { file: reference.slice(0, at), group: reference.slice(at + 1) }
}

/** The names of the groups of a file. */
export const groupNamesIn = ({ groups }: { groups: unknown }): string[] => (isObject(groups) ? Object.keys(groups) : [])

/** What to say of a group that a file does not have. */
export const unknownGroup = (name: string, groups: readonly string[]): string =>
  `there is no group ${shortened(name)}${didYouMean(name, groups) || `; ${thereAre(groups)}`}`

/**
 * Reads groups of a file of shared entries, with the values of its variables in them: the first that `given` has of each, otherwise its default. Groups that
 * are not wanted are not looked at. `reportGiven` takes what is wrong with a given value, by the name of its variable.
 */
export async function readSharedScript(
  document: SourceDocument,
  wanted: readonly string[],
  { given, problems, reportGiven }: { given: readonly GivenVariables[]; problems: Problems; reportGiven: (name: string, message: string) => void }
): Promise<SharedScript> {
  const report = reportTo(problems, document)
  const { groups, vars, ...more } = document.data as { groups: unknown; vars?: unknown }
  const chosen = isObject(groups) ? Object.fromEntries(Object.entries(groups).filter(([name]) => wanted.includes(name))) : groups
  const variables = declaredVariables(vars, {
    given,
    report: (steps, message) => report(['vars', ...steps], message),
    reportGiven: ([name], message) => reportGiven(name as string, message)
  })
  const wrong: { steps: readonly Step[]; message: string }[] = []
  const { data, unresolved } = expanded({ ...more, ...(vars !== undefined && { vars }), groups: chosen }, variables, ['vars'], (steps, message) =>
    wrong.push({ steps, message })
  )
  const found = [...wrong, ...besides(unresolved, await SHARED_SCRIPT_CHECKER.problems(data, document.limits['limits.problems']))]
  for (const { steps, message } of found) report(steps, message)
  const flaws = flawsOf([...found, ...unresolved.map(steps => ({ steps }))])?.get('groups')
  const read = new Map<string, Group>()
  for (const [name, entries] of Object.entries(isObject(chosen) ? (data as { groups: Record<string, never> }).groups : {})) {
    if (!GROUP_NAME.test(name)) report(['groups', name], 'the name of a group has letters, digits, _, . and -')
    read.set(name, { name, document, entries, flaws: flaws?.get(name) })
  }
  return { groups: read, variables: [...variables.keys()] }
}

/** Problems of shape, without those of texts that could not be resolved. */
export function besides<T extends { steps: readonly Step[] }>(unresolved: readonly (readonly Step[])[], found: readonly T[]): T[] {
  const places = new Set(unresolved.map(steps => JSON.stringify(steps)))
  return places.size === 0 ? [...found] : found.filter(({ steps }) => !places.has(JSON.stringify(steps)))
}

/** Checks every group of a file of shared entries by itself. Errors: `document_invalid`. */
export async function checkSharedScript(document: SourceDocument, given?: GivenVariables): Promise<void> {
  const problems = new ProblemList(document.limits)
  return withoutProblems(problems, async () => {
    const report = reportTo(problems, document)
    const { groups, variables } = await readSharedScript(document, groupNamesIn(document.data as { groups: unknown }), {
      given: given === undefined ? [] : [given],
      problems,
      reportGiven: (name, message) => report(['vars', name], message)
    })
    if (given !== undefined) checkGiven(given, variables, (steps, message) => report(['vars', ...steps], message))
    for (const { name, entries, flaws } of groups.values()) {
      await compileScript(entries, (steps, message) => report(['groups', name, ...steps], message), flaws)
    }
  })
}
