/** Two answers to the same call, field by field: that of a running service and that of the emulator. Ids are matched up, times are compared by their form. */
import { pathOf, type Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import { LINKED_FAMILIES } from '../../reference/operations.js'
import type { Json, StepAnswer } from '../../scenario/steps.js'
import type { IdPairs } from './id-pairs.js'

/**
 * What differs: `outcome` where one did what the other refused, `status` for any other two statuses; `missing` and `unknown` for a field that the service does not have, or
 * has besides; `record` for another record at this place of a list, `members` for their number; `prefix` and `length` of a new id; `value`.
 */
export type DifferenceKind = 'outcome' | 'status' | 'missing' | 'unknown' | 'record' | 'members' | 'prefix' | 'length' | 'value'
export type FieldDifference = { kind: DifferenceKind; steps: readonly Step[]; here: Json | undefined; there: Json | undefined }
/** `bases` are what the paths in answers begin with. */
export type Comparison = { pairs: IdPairs; bases: { here: string; there: string }; isCreate: boolean }

const OWN_IDS: readonly Step[] = ['id', 'first_id', 'last_id']
/** Fields by which a record refers to another one. */
export const REFERENCES: readonly string[] = Object.keys(LINKED_FAMILIES)
/** Texts for people, and ids of answers: only their types are compared. */
const FREE_TEXT = ['error.message', 'error.request_id']

/** Whether an answer says that what was asked was done. */
export const isMade = ({ status }: StepAnswer) => status >= 200 && status < 300
/** Whether an answer says nothing of the API: none came, the service failed, or the headers of the call were too long for it. */
export const isFailure = ({ status }: StepAnswer) => status === 0 || status === 431 || status >= 500
/** The error that an answer shows; empty where it shows none. */
export const errorIn = (body: Json): Readonly<Record<string, unknown>> => (isObject(body) && isObject(body.error) ? body.error : {})

/** What differs between the answers, status first. */
export function answerDifferences(there: StepAnswer, here: StepAnswer, comparison: Comparison): FieldDifference[] {
  if (isMade(there) !== isMade(here)) return [{ kind: 'outcome', steps: ['status'], here: here.status, there: there.status }]
  const found: FieldDifference[] = there.status === here.status ? [] : [{ kind: 'status', steps: ['status'], here: here.status, there: there.status }]
  if (comparison.isCreate && isMade(here)) found.push(...idDifferences(there.body, here.body))
  return [...found, ...valueDifferences(there.body, here.body, [], comparison)]
}

/** The parts of an id: all up to its last underscore, and what is drawn. */
export function idParts(id: string): { prefix: string; length: number } {
  const end = id.lastIndexOf('_') + 1
  return { prefix: id.slice(0, end), length: id.length - end }
}

function idDifferences(there: Json, here: Json): FieldDifference[] {
  if (!isObject(there) || !isObject(here) || typeof there.id !== 'string' || typeof here.id !== 'string') return []
  const [of, by] = [idParts(there.id), idParts(here.id)]
  return (['prefix', 'length'] as const).flatMap(kind => (of[kind] === by[kind] ? [] : [{ kind, steps: ['id'], here: by[kind], there: of[kind] }]))
}

function valueDifferences(there: Json | undefined, here: Json | undefined, steps: readonly Step[], comparison: Comparison): FieldDifference[] {
  if (isObject(there) && isObject(here)) {
    const names = [...new Set([...Object.keys(here), ...Object.keys(there)])]
    return names.flatMap(name => {
      const at = [...steps, name]
      if (!Object.hasOwn(there, name)) return [{ kind: 'missing', steps: at, here: here[name], there: undefined }]
      if (!Object.hasOwn(here, name)) return [{ kind: 'unknown', steps: at, here: undefined, there: there[name] }]
      return valueDifferences(there[name], here[name], at, comparison)
    })
  }
  if (Array.isArray(there) && Array.isArray(here)) return listDifferences(there, here, steps, comparison)
  return isSame(there, here, steps, comparison) ? [] : [{ kind: 'value', steps, here, there }]
}

function listDifferences(there: readonly Json[], here: readonly Json[], steps: readonly Step[], comparison: Comparison): FieldDifference[] {
  const both = here.slice(0, there.length)
  const found = both.flatMap((member, index): FieldDifference[] => {
    const [at, other] = [[...steps, index], there[index]]
    const [id, otherId] = [idIn(member), idIn(other)]
    const isOther = id !== null && otherId !== null && !comparison.pairs.match(otherId, id)
    return isOther ? [{ kind: 'record', steps: at, here: id, there: otherId }] : valueDifferences(other, member, at, comparison)
  })
  return there.length === here.length ? found : [...found, { kind: 'members', steps, here: here.length, there: there.length }]
}

const idIn = (value: Json | undefined): string | null => (isObject(value) && typeof value.id === 'string' ? value.id : null)

function isSame(there: Json | undefined, here: Json | undefined, steps: readonly Step[], { pairs, bases }: Comparison): boolean {
  if (typeof there !== 'string' || typeof here !== 'string') return there === here
  const name = steps.at(-1)
  if (FREE_TEXT.includes(pathOf(steps))) return true
  if (name === 'created') return there === here || formOf(there) === formOf(here)
  if (name === 'url') return pathBelow(there, bases.there).replace(/[\w-]+/g, id => pairs.here(id)) === pathBelow(here, bases.here)
  if (OWN_IDS.includes(name as Step)) return pairs.match(there, here)
  if (REFERENCES.includes(name as string)) return pairs.match(there, here, { isReference: true })
  return pairs.here(there) === here
}

/** The form of a time: its digits are not looked at. */
const formOf = (text: string) => text.replace(/\d/g, '0')
const pathBelow = (url: string, base: string) => (url.startsWith(base) ? url.slice(base.length) : url)

/** How far two answers are apart: what was made here and refused there is further than any field, and a list of other records further than its fields, however many. */
export function distanceOf(differences: readonly FieldDifference[]): number {
  const others = new Set(differences.filter(({ kind }) => kind === 'record').map(({ steps }) => pathOf(steps.slice(0, -1))))
  return differences.reduce((sum, { kind }) => sum + (WEIGHTS[kind] ?? 1), others.size * OTHER_RECORDS)
}

const OTHER_RECORDS = 10_000
/** A shorter page has fewer other records, which brings it no nearer. */
const OTHER_NUMBER = 20_000
const WEIGHTS: Readonly<Partial<Record<DifferenceKind, number>>> = { outcome: 1_000_000, members: OTHER_NUMBER, record: 0 }
