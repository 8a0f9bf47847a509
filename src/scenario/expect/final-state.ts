/** Expectations of records: by id, how many, their sums, and every one of a family. */
import { isObject } from '../../core/schema-words.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../../reference/operations.js'
import { FIELDS } from '../../reference/tables.js'
import { collectionOf, type Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import { within } from '../documents.js'
import { compileNames, compileTest, shownWanted, unmetBy } from '../match/conditions.js'
import {
  asValue,
  below,
  type Context,
  fieldIn,
  lookedUp,
  type Name,
  type Scope,
  type Value
} from '../match/fields.js'
import {
  MAX_NEAR_MISSES,
  missOf,
  missText,
  Nearest,
  type NearMiss,
  nearMissText
} from '../match/near-misses.js'
import { resolvedValue } from '../play/references.js'
import { say } from '../sentences.js'
import { entriesOf, present } from '../shape/checked.js'
import type { Names, Wanted } from '../shape/entry.js'
import {
  type Quantities,
  type Quantity,
  STATE_WORDS,
  type StateData
} from '../shape/expectation.js'

type FieldAt = (name: Name) => Value
type FamilyScope = Scope<FieldAt> & { family: Family; resource: string }

export type IsChanged = (family: Family, id: string) => boolean
/** `forbids`: no later request can put it right. */
type Difference = { message: string; forbids: boolean; near_misses?: readonly NearMiss[] }
export type StateTest = (store: Store, isChanged: IsChanged) => Promise<Difference[]>

export function compileState(data: StateData, { report, responses }: Context): StateTest {
  const tests = entriesOf(data).flatMap(([family, expected]) => {
    const scope: FamilyScope = {
      family,
      responses,
      name: [],
      resource: RESOURCE_NAMES[family],
      schemas: [{ properties: FIELDS[family] }],
      valueIn: (fieldAt, name) => fieldAt(name),
      report: within(report, family)
    }
    const ids = Object.keys(expected).filter(id => !STATE_WORDS.includes(id))
    return [
      compileQuantities(expected, scope),
      ...ids.map(id => compileRecord(id, expected[id] as Names | null, below(scope, id)))
    ]
  })
  return async (store, isChanged) => {
    const differences: Difference[] = []
    for (const test of tests) {
      differences.push(...(await test(store, isChanged)))
      await pause()
    }
    return differences
  }
}

const LINKS: ReadonlyMap<string, Family> = new Map(Object.entries(LINKED_FAMILIES))

const fieldsOf =
  (record: object, store: Store): FieldAt =>
  name => {
    let part: unknown = record
    let link = ''
    for (const field of name) {
      // only an id has names below it
      if (typeof part === 'string') part = collectionOf(store, present(LINKS.get(link))).get(part)
      part = fieldIn(part, field)
      link = field
    }
    return asValue(part)
  }

function compileRecord(writtenId: string, expected: Names | null, scope: FamilyScope): StateTest {
  const { family, responses = new Map(), resource } = scope
  const fields = expected && compileNames(expected, scope)
  return async (store, isChanged) => {
    const id = String(resolvedValue(writtenId, responses) ?? writtenId)
    const record = collectionOf(store, family).get(id)
    const forbids = isChanged(family, id)
    if (fields === null)
      return record ? [{ forbids, ...say('record_exists', family, id, resource) }] : []
    if (record === undefined)
      return [{ forbids: false, ...say('record_missing', family, id, resource) }]
    const fieldAt = fieldsOf(record, store)
    return unmetBy(fieldAt, fields).map(condition => ({
      forbids: forbids && isForbidding(condition.data),
      ...say('field_differs', family, id, missText(missOf(condition, fieldAt)))
    }))
  }
}

const isForbidding = (wanted: Wanted) =>
  isObject(wanted) && Object.keys(wanted).every(word => ['not', 'lt', 'lte'].includes(word))

/** `where` is what selects them, in words. */
type Selected = { where: string; near: readonly NearMiss[]; isChanged: boolean }
/** Sees each record, and then says what differs. */
type Fold = { add: (fieldAt: FieldAt) => void; end: (selected: Selected) => Difference[] }

function compileQuantities(expected: Quantities, scope: FamilyScope): StateTest {
  const { where = {}, count, sum = {}, every } = expected
  const { family } = scope
  const conditions = compileNames(where, below(scope, 'where'))
  const folds = Object.entries(sum).map(([path, wanted]) => compileTotal(wanted, scope, path))
  if (count !== undefined) folds.unshift(compileTotal(count, scope))
  if (every) folds.push(compileEvery(every, below(scope, 'every')))
  const shownWhere = conditions.length === 0 ? '' : ` with ${JSON.stringify(where)}`

  return async (store, isChanged) => {
    if (folds.length === 0) return []
    const started = folds.map(start => start())
    const nearest = new Nearest()
    let areChanged = false
    for (const record of collectionOf(store, family).inCreationOrder().toReversed()) {
      const fieldAt = fieldsOf(record, store)
      const unmet = unmetBy(fieldAt, conditions)
      if (unmet.length === 0) {
        areChanged ||= isChanged(family, record.id)
        for (const fold of started) fold.add(fieldAt)
      } else nearest.add(record.id, unmet.length, () => unmet.map(field => missOf(field, fieldAt)))
      await pause()
    }
    const selected = { where: shownWhere, near: nearest.list(), isChanged: areChanged }
    return started.flatMap(fold => fold.end(selected))
  }
}

/** How many, or with a path the sum of a field; one without a value adds nothing. */
function compileTotal(expected: Quantity, scope: FamilyScope, path?: string): () => Fold {
  const { family } = scope
  const under = path === undefined ? below(scope, 'count') : below(scope, 'sum', path)
  const { report } = under
  const test = compileTest(expected, { schemas: [{ type: 'integer' }], name: [], report })
  const field = path === undefined ? null : summedField(path, under)
  const whose = path === undefined ? family : `${family}: sum of ${path}`
  return () => {
    const currencies = new Set<string>()
    let total = 0
    return {
      add(fieldAt) {
        total += field === null ? 1 : Number(fieldAt(field) ?? 0)
        if (field !== null) currencies.add(String(fieldAt(['currency'])))
      },
      end({ where, near, isChanged }) {
        if (currencies.size > 1)
          return [{ forbids: false, ...say('several_currencies', whose, [...currencies].sort()) }]
        if (test(total)) return []
        const isShort = isObject(expected)
          ? total <= (expected.gt ?? (expected.gte ?? 0) - 1)
          : total <= expected
        const problem = say('total', whose, shownWanted(expected), where, total)
        return [{ forbids: !isShort && isChanged, ...problem, near_misses: isShort ? near : [] }]
      }
    }
  }
}

function summedField(path: string, scope: FamilyScope): Name {
  const field = lookedUp(path, scope)
  if (field?.schemas.every(({ type }) => ![type].flat().includes('integer')))
    scope.report([], say('not_summable', path))
  return field?.name ?? []
}

function compileEvery(expected: Names, scope: FamilyScope): () => Fold {
  const conditions = compileNames(expected, scope)
  return () => {
    const examples: string[] = []
    let total = 0
    let failing = 0
    return {
      add(fieldAt) {
        total++
        const unmet = unmetBy(fieldAt, conditions)
        if (unmet.length === 0 || ++failing > MAX_NEAR_MISSES) return
        const misses = unmet.map(field => missOf(field, fieldAt))
        examples.push(nearMissText({ in: String(fieldAt(['id'])), misses }))
      },
      end({ where, isChanged }) {
        if (failing === 0) return []
        const each = `each${where} must have ${JSON.stringify(expected)}`
        const problem = say('not_every', scope.family, each, failing, total, examples)
        return [{ forbids: isChanged, ...problem }]
      }
    }
  }
}
