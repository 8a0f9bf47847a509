/** Conditions on the fields of records; names below a field that refers to another record are fields of that. */
import { didYouMean } from '../core/nearest.js'
import { isObject } from '../core/quick-check.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../reference/operations.js'
import { FIELDS } from '../reference/tables.js'
import { type Condition, compileNames, type Looked, type Subject, type Value } from './conditions.js'
import type { Report } from './documents.js'
import { type Miss, missOf, shownValue } from './near-misses.js'
import { MAX_STEPS, type Patterns } from './patterns.js'
import type { Json, Names } from './schemas.js'
import { say } from './sentences.js'

/** Records to judge: one by its id, and all of a family, null where they could not be read. */
export type StateRecords = { record: (family: Family, id: string) => Json | undefined; all: (family: Family) => readonly Json[] | null }
export type Compiling = { answers: ReadonlyMap<string, Json> | null; patterns: Patterns }

/** What conditions on the records of a family look at. */
export function fieldsOf(family: Family, compiling: Compiling): Subject & { fields: object } {
  const unknown: Subject['unknown'] = (name, known) => {
    const last = name.at(-1) as string
    const advice = last === 'refunds' ? '; expect them under refunds, with count and where' : didYouMean(last, known)
    return say('unknown_field', RESOURCE_NAMES[family], name.join('.'), advice)
  }
  return { fields: { properties: FIELDS[family] }, ...compiling, unknown }
}

export function compileFields(names: Names, family: Family, report: Report, compiling: Compiling): Promise<Condition[]> {
  const subject = fieldsOf(family, compiling)
  return compileNames(names, { schemas: [subject.fields], name: [], ...subject }, report)
}

/** A record that is looked at, with the steps that a request has, too. */
export type LookedRecord = Required<Looked>

/** Looks at a record. A field has no value where it is null, and no single one where it has parts. */
export function lookAt(record: Json, { record: find }: StateRecords): LookedRecord {
  const fieldAt = (name: readonly string[]) => {
    let part: Json | undefined = record
    for (const [depth, field] of name.entries()) {
      // only an id has names below it
      if (typeof part === 'string') part = find(LINKED_FAMILIES[name[depth - 1] as keyof typeof LINKED_FAMILIES], part)
      part = isObject(part) ? (part as Record<string, Json>)[field] : undefined
    }
    if (part === undefined || part === null) return undefined
    return typeof part === 'object' ? null : part
  }
  return { steps: MAX_STEPS, fieldAt }
}

/** A condition that a record does not meet; null where it is in doubt, since its values cannot be compared. */
export type Unmet = { condition: Condition; value: Value; passed: false | null; looked: LookedRecord }

/** The conditions that a record does not meet, each with its value. */
export const unmetBy = (looked: LookedRecord, conditions: readonly Condition[]): Unmet[] =>
  conditions.flatMap(condition => {
    const value = looked.fieldAt(condition.name)
    const passed = condition.test(value, looked)
    return passed ? [] : [{ condition, value, passed, looked }]
  })

/** Whether a record would meet every condition but for those that are in doubt. */
export const isDoubtful = (unmet: readonly Unmet[]): boolean => unmet.length > 0 && unmet.every(({ passed }) => passed === null)

/** What was wanted and what was found, with the value of a field that the condition refers to. */
export function toMiss({ condition, value, passed, looked: { fieldAt } }: Unmet): Miss {
  const { refersTo } = condition
  const wanted = refersTo.reduce((said, { name, text }) => said.replace(text, () => `${shownValue(fieldAt(name))} (${name.join('.')})`), condition.wanted)
  return missOf({ ...condition, wanted }, value, refersTo.length > 0 ? false : passed)
}

/** `amount 6000, location.metadata.max 5000`: the values of a record that conditions look at. */
export function shownFields(conditions: readonly Condition[], { fieldAt }: LookedRecord): string {
  const names = conditions.flatMap(({ name, refersTo }) => [name, ...refersTo.map(other => other.name)])
  return [...new Set(names.map(name => `${name.join('.')} ${shownValue(fieldAt(name))}`))].join(', ')
}
