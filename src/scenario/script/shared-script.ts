/** Files of groups of script entries and other parts, which scenarios use by name. */
import type { Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import {
  type Problems,
  type Report,
  reportTo,
  type Written,
  within,
  writtenIn
} from '../documents.js'
import type { SourceDocument } from '../read/document.js'
import { problemsOf } from '../read/numbers.js'
import { say } from '../sentences.js'
import type { EntryData } from '../shape/entry.js'
import { SHARED_SCRIPT_CHECKER, type SharedParts } from '../shape/scenario.js'
import { declaredVariables, type GivenVariables, readWith } from '../variables.js'

type GroupData = SharedParts | readonly EntryData[]
/** A part of a group, and where it is written. */
export type Group = (name: keyof SharedParts) => { part: unknown; written: Written }
/** `names` are those of all groups; `variables` those that the file declares. */
export type SharedScript = {
  groups: ReadonlyMap<string, Group>
  names: readonly string[]
  variables: readonly string[]
}

const GROUP_NAME = /^[A-Za-z0-9_][\w.-]*$/

export const isSharedScript = (data: unknown): data is { groups: unknown; vars?: unknown } =>
  isObject(data) && Object.hasOwn(data, 'groups')

/** Of `outages.yaml#brief-outage`; the group is null where it names none. */
export function partsOfUse(reference: string): { file: string; group: string | null } {
  const at = reference.lastIndexOf('#')
  return at < 0
    ? { file: reference, group: null }
    : { file: reference.slice(0, at), group: reference.slice(at + 1) }
}

/** Parts under a place of a document; a list has script entries alone. */
export const groupIn =
  (document: SourceDocument, under: readonly Step[], data: GroupData): Group =>
  name =>
    Array.isArray(data) && name === 'script'
      ? { part: data, written: writtenIn(document, under) }
      : { part: (data as SharedParts)[name], written: writtenIn(document, [...under, name]) }

/**
 * Reads the wanted groups, null being all, with the values of variables: the first that `given`
 * has, else the default. `reportGiven` takes what is wrong with a given value.
 */
export async function readSharedScript(
  document: SourceDocument,
  wanted: readonly string[] | null,
  {
    given,
    problems,
    reportGiven
  }: { given: readonly GivenVariables[]; problems: Problems; reportGiven: Report }
): Promise<SharedScript> {
  const report = reportTo(problems, document)
  const whole = document.data as { groups: unknown; vars?: unknown }
  const all = Object.entries(isObject(whole.groups) ? whole.groups : {})
  const groups = isObject(whole.groups)
    ? Object.fromEntries(all.filter(([name]) => wanted?.includes(name) !== false))
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
  const right = isObject(groups) ? (read.data as { groups: Record<string, GroupData> }).groups : {}
  const found = Object.entries(right).map(([name, data]) => {
    if (!GROUP_NAME.test(name)) report(['groups', name], say('group_name'))
    return [name, groupIn(document, ['groups', name], data)] as const
  })
  return {
    groups: new Map(found),
    names: all.map(([name]) => name),
    variables: [...variables.keys()]
  }
}
