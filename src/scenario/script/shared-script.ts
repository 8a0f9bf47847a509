/** Files of groups of script entries and other parts, which scenarios use by name. */

import { isObject } from '../../reference/rules.js'
import { type Problems, reportTo, type SourceOf, sourceIn } from '../documents.js'
import type { SourceDocument } from '../read/document.js'
import { say } from '../sentences.js'
import { isList } from '../shape/checked.js'
import type { EntryData } from '../shape/entry.js'
import { type SharedParts, shapeProblems } from '../shape/scenario.js'
import { expandVariables, type VariableOptions } from '../shape/variables.js'

export type Group = { data: SharedParts; sourceOf: SourceOf }
export type SharedScript = {
  groups: ReadonlyMap<string, Group>
  names: readonly string[]
  variables: readonly string[]
}

const GROUP_NAME = /^[A-Za-z0-9_][\w.-]*$/

export const isSharedScript = (data: unknown): data is { groups: unknown } =>
  isObject(data) && Object.hasOwn(data, 'groups')

export function partsOfUse(reference: string): { file: string; group: string | null } {
  const mark = reference.lastIndexOf('#')
  return mark < 0
    ? { file: reference, group: null }
    : { file: reference.slice(0, mark), group: reference.slice(mark + 1) }
}

const groupIn = (
  document: SourceDocument,
  name: string,
  data: SharedParts | readonly EntryData[]
): Group =>
  isList(data)
    ? {
        data: { script: data },
        sourceOf: ([, ...steps]) => ({ document, steps: ['groups', name, ...steps] })
      }
    : { data, sourceOf: sourceIn(document, ['groups', name]) }

export function readSharedScript(
  document: SourceDocument,
  isWanted: (group: string) => boolean,
  { problems, ...variables }: Omit<VariableOptions, 'report'> & { problems: Problems }
): SharedScript {
  const report = reportTo(problems, document)
  const whole = document.data as { groups: unknown }
  const all = Object.entries(isObject(whole.groups) ? whole.groups : {})
  const groups = isObject(whole.groups)
    ? Object.fromEntries(all.filter(([name]) => isWanted(name)))
    : whole.groups
  const read = expandVariables(
    { ...whole, groups },
    data => shapeProblems(document, 'script', data),
    { ...variables, report }
  )
  const right = isObject(groups)
    ? (read.data as { groups: Record<string, SharedParts> }).groups
    : {}
  for (const name of Object.keys(right))
    if (!GROUP_NAME.test(name)) report(['groups', name], say('group_name'))
  return {
    groups: new Map(
      Object.entries(right).map(([name, data]) => [name, groupIn(document, name, data)])
    ),
    names: all.map(([name]) => name),
    variables: [...read.variables.keys()]
  }
}
