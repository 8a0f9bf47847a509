/**
 * What scenarios share: a file with groups of script entries and other parts, each of which a
 * scenario uses by name.
 */
import { checkerOf } from '../core/checking.js'
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import {
  type Problems,
  problemsOf,
  type Report,
  reportTo,
  type SourceDocument,
  type Written,
  writtenIn
} from './documents.js'
import { type Flaws, within } from './flaws.js'
import { type EntryData, type SharedParts, sharedScriptSchema } from './schemas.js'
import { say } from './sentences.js'
import { declaredVariables, type GivenVariables, readWith } from './variables.js'

/** A part of a group, and where what is in it is written. */
export type GroupPart = { part: unknown; flaws: Flaws | undefined; written: Written }
export type Group = { partOf: (name: keyof SharedParts) => GroupPart; flaws: Flaws | undefined }
/**
 * What was read of a shared file, with the `names` of all its groups; `variables` are the names
 * that it declares.
 */
export type SharedScript = {
  groups: ReadonlyMap<string, Group>
  names: readonly string[]
  variables: readonly string[]
}

export const SHARED_SCRIPT_CHECKER = checkerOf(sharedScriptSchema)
const GROUP_NAME = /^[A-Za-z0-9_][\w.-]*$/

export const isSharedScript = (data: unknown): data is { groups: unknown; vars?: unknown } =>
  isObject(data) && Object.hasOwn(data, 'groups')

/**
 * The file and the group that a member of `use` such as `outages.yaml#brief-outage` names, the
 * group null where it names none.
 */
export function partsOfUse(reference: string): { file: string; group: string | null } {
  const at = reference.lastIndexOf('#')
  return at < 0
    ? { file: reference, group: null }
    : { file: reference.slice(0, at), group: reference.slice(at + 1) }
}

export const groupNamesIn = ({ groups }: { groups: unknown }): string[] =>
  isObject(groups) ? Object.keys(groups) : []

export function groupIn(
  document: SourceDocument,
  under: readonly Step[],
  data: SharedParts | readonly EntryData[],
  flaws: Flaws | undefined
): Group {
  const isList = Array.isArray(data)
  const partOf: Group['partOf'] = name =>
    isList && name === 'script'
      ? { part: data, flaws, written: writtenIn(document, under) }
      : {
          part: isObject(data) ? (data as SharedParts)[name] : undefined,
          flaws: flaws?.get(name),
          written: writtenIn(document, [...under, name])
        }
  return { partOf, flaws }
}

/**
 * Reads groups of a shared file, with the values of its variables in them: the first that `given`
 * has of each, otherwise its default. Groups that
 * are not wanted are not looked at. `reportGiven` takes what is wrong with a given value.
 */
export async function readSharedScript(
  document: SourceDocument,
  wanted: readonly string[],
  {
    given,
    problems,
    reportGiven
  }: { given: readonly GivenVariables[]; problems: Problems; reportGiven: Report }
): Promise<SharedScript> {
  const report = reportTo(problems, document)
  const whole = document.data as { groups: unknown; vars?: unknown }
  const groups = isObject(whole.groups)
    ? Object.fromEntries(Object.entries(whole.groups).filter(([name]) => wanted.includes(name)))
    : whole.groups
  const variables = declaredVariables(whole.vars, {
    given,
    report: within(report, 'vars'),
    reportGiven
  })
  const read = await readWith({ ...whole, groups }, variables, data =>
    problemsOf(document, data, part => SHARED_SCRIPT_CHECKER.problems(part))
  )
  for (const problem of read.problems) report(problem.steps, problem)
  const flaws = read.flaws?.get('groups')
  const found = Object.entries(
    isObject(groups)
      ? (read.data as { groups: Record<string, SharedParts | readonly EntryData[]> }).groups
      : {}
  ).map(([name, data]) => {
    if (!GROUP_NAME.test(name)) report(['groups', name], say('group_name'))
    return [name, groupIn(document, ['groups', name], data, flaws?.get(name))] as const
  })
  return { groups: new Map(found), names: groupNamesIn(whole), variables: [...variables.keys()] }
}
