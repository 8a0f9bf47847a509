/** Script entries that scenarios share: a file with groups of them, each of which a scenario uses by name. */
import { checkerOf } from '../core/checking.js'
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { ProblemList, type Problems, type Report, reportTo, type SourceDocument, withoutProblems } from './documents.js'
import { type Flaws, within } from './flaws.js'
import { sharedScriptSchema } from './schemas.js'
import { compileScript, type EntryData } from './script.js'
import { say } from './sentences.js'
import { checkGiven, declaredVariables, type GivenVariables, readWith } from './variables.js'

/** Entries of one list, with its place in its document. */
export type Group = { document: SourceDocument; under: readonly Step[]; entries: readonly EntryData[] | undefined; flaws: Flaws | undefined }
/** What was read of a file of shared entries, with the `names` of all its groups; `variables` are the names that it declares. */
export type SharedScript = { groups: ReadonlyMap<string, Group>; names: readonly string[]; variables: readonly string[] }

export const SHARED_SCRIPT_CHECKER = checkerOf(sharedScriptSchema)
const GROUP_NAME = /^[A-Za-z0-9_][\w.-]*$/

/** Whether data is a file of shared script entries: no other document has groups. */
export const isSharedScript = (data: unknown): data is { groups: unknown; vars?: unknown } => isObject(data) && Object.hasOwn(data, 'groups')

/** The file and the group that a reference such as `outages.yaml#brief-outage` names; the group is null where it names none. */
export function partsOfUse(reference: string): { file: string; group: string | null } {
  const at = reference.lastIndexOf('#')
  return at < 0 ? { file: reference, group: null } : { file: reference.slice(0, at), group: reference.slice(at + 1) }
}

const groupNamesIn = ({ groups }: { groups: unknown }): string[] => (isObject(groups) ? Object.keys(groups) : [])

/**
 * Reads groups of a file of shared entries, with the values of its variables in them: the first that `given` has of each, otherwise its default. Groups that
 * are not wanted are not looked at. `reportGiven` takes what is wrong with a given value.
 */
export async function readSharedScript(
  document: SourceDocument,
  wanted: readonly string[],
  { given, problems, reportGiven }: { given: readonly GivenVariables[]; problems: Problems; reportGiven: Report }
): Promise<SharedScript> {
  const report = reportTo(problems, document)
  const whole = document.data as { groups: unknown; vars?: unknown }
  const groups = isObject(whole.groups) ? Object.fromEntries(Object.entries(whole.groups).filter(([name]) => wanted.includes(name))) : whole.groups
  const variables = declaredVariables(whole.vars, { given, report: within(report, 'vars'), reportGiven })
  const read = await readWith({ ...whole, groups }, variables, data => SHARED_SCRIPT_CHECKER.problems(data))
  for (const { steps, code = '', message } of read.problems) report(steps, { code, message })
  const flaws = read.flaws?.get('groups')
  const found = Object.entries(isObject(groups) ? (read.data as { groups: Record<string, EntryData[]> }).groups : {}).map(([name, entries]) => {
    if (!GROUP_NAME.test(name)) report(['groups', name], say('group_name'))
    return [name, { document, under: ['groups', name], entries, flaws: flaws?.get(name) }] as const
  })
  return { groups: new Map(found), names: groupNamesIn(whole), variables: [...variables.keys()] }
}

/** Checks every group of a file of shared entries by itself. Errors: `document_invalid`. */
export async function checkSharedScript(document: SourceDocument, given?: GivenVariables): Promise<void> {
  const problems = new ProblemList()
  return withoutProblems(problems, async () => {
    const reportGiven = reportTo(problems, document, ['vars'])
    const wanted = groupNamesIn(document.data as { groups: unknown })
    const { groups, variables } = await readSharedScript(document, wanted, { given: given === undefined ? [] : [given], problems, reportGiven })
    if (given !== undefined) checkGiven(given, variables, reportGiven)
    for (const { under, entries, flaws } of groups.values()) await compileScript(entries, reportTo(problems, document, under), flaws)
  })
}
