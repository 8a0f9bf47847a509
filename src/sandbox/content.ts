/**
 * What a data file holds of the sandboxes, and what has changed since, so that a write costs what
 * changed. A whole file is what has changed since there was nothing.
 */
import { nested } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import { withAnswers } from '../scenario/play/references.js'
import { keysIn, recordText } from '../scenario/records/export.js'
import type { FirstState } from '../scenario/scenario.js'
import type { Json } from '../scenario/schemas.js'
import { collectionOf, FAMILIES, type Store } from '../store/store.js'
import { SAYS } from './sentences.js'
import { type LiveState, MARKED, type PresentSandboxes, type SandboxState } from './state.js'

/** A sandbox as the file holds it; `counts` are the values of `COUNTS`. */
type Held = { state: LiveState; marks: LiveState['marks']; counts: readonly unknown[] }
/** The content of a file; it is never changed. */
export type Content = {
  firsts: readonly FirstState[]
  start: FirstState | null
  sandboxes: ReadonlyMap<string | null, Held>
}
/**
 * Texts that are not in the file yet, made when asked for; what it holds with them; and their
 * sandboxes, for messages.
 */
type Changes = { texts: Iterable<string>; content: Content; unwritten: string[] }

export const NOTHING: Content = { firsts: [], start: null, sandboxes: new Map() }

/** Sandboxes count requests, first states and snapshots belong to a scenario. */
type Writable = SandboxState & { requests?: number; scenario?: object } & Partial<
    Pick<FirstState, 'expectations' | 'answers'>
  >
/** Parts of a state, each written as a whole when it has changed. */
const PARTS: Readonly<Record<string, (state: Writable) => unknown>> = {
  settings: ({ settings }) => nested(settings),
  counters: ({ counters }) => counters,
  clock: ({ clock }) => clock,
  script: ({ script }) => script.listed(),
  api_keys: ({ store }) => keysIn(store),
  requests: ({ requests }) => requests,
  scenario: ({ scenario }) => scenario,
  expectations: ({ expectations, answers }) =>
    answers && withAnswers(expectations?.map(({ data }) => data) as Json, answers)
}
const partsOf = (state: Writable, names: readonly string[]) =>
  Object.fromEntries(names.flatMap(name => (PARTS[name] ? [[name, PARTS[name](state)]] : [])))
/** These go on by themselves: they are written along with a change, and at the end. */
const COUNTS = ['requests', 'clock']

/**
 * Sandboxes may change before the texts of a whole file are asked for; ask for others at once.
 * `counts`: even where only the count of requests or a running clock went on.
 */
export function changesSince(
  before: Content,
  { start, sandboxes }: PresentSandboxes,
  { counts = false } = {}
): Changes {
  const firsts = [...before.firsts]
  const held = new Map<string | null, Held>()
  const texts: Iterable<string>[] = []
  const unwritten: string[] = []
  const numberOf = (first: FirstState): number => {
    if (firsts.includes(first)) return firsts.indexOf(first)
    texts.push(stateTexts({ first: firsts.length }, first))
    return firsts.push(first) - 1
  }
  const startNumber = numberOf(start)
  for (const { name, first, requests, state } of sandboxes) {
    const known = before.sandboxes.get(name)
    const was = known?.state === state ? known : null
    const { marks } = state
    if (was !== null && !counts && marks.every((mark, nth) => mark === was.marks[nth])) {
      held.set(name, was)
      continue
    }
    const { present } = state
    const counted = [requests, present.clock.at]
    const changed = MARKED.filter((_, nth) => marks[nth] !== was?.marks[nth])
    const names = new Set([
      ...changed,
      ...COUNTS.filter((_, nth) => counted[nth] !== was?.counts[nth])
    ])
    held.set(name, names.size === 0 ? (was as Held) : { state, marks, counts: counted })
    if (names.size === 0) continue
    const begun = was === null && { from: numberOf(first) }
    const store = before === NOTHING ? present.store.clone() : present.store
    const records = changedIn(store, family =>
      was === null ? first.store[family].revision : (was.marks[MARKED.indexOf(family)] as number)
    )
    texts.push(
      amendments(
        { sandbox: name },
        { ...begun, ...partsOf({ ...present, requests }, [...names]) },
        store,
        records
      )
    )
    unwritten.push(
      SAYS.unwritten(
        name,
        was && records.reduce((sum, { ids, all }) => sum + (ids?.size ?? all), 0),
        [...names]
      )
    )
  }
  for (const name of before.sandboxes.keys()) {
    if (held.has(name)) continue
    texts.push([JSON.stringify({ sandbox: name, ended: true })])
    unwritten.push(SAYS.unwritten(name, null, []))
  }
  if (start !== before.start) texts.push([JSON.stringify({ start: startNumber })])
  return { texts: joined(texts), content: { firsts, start, sandboxes: held }, unwritten }
}

/**
 * A first state, or that of a snapshot, made of nothing; it must not change until the texts are
 * asked for.
 */
export const stateTexts = (of: object, state: Writable): Generator<string> =>
  amendments(
    of,
    partsOf(state, Object.keys(PARTS)),
    state.store,
    changedIn(state.store, () => 0)
  )

function* joined(texts: readonly Iterable<string>[]): Generator<string> {
  for (const some of texts) yield* some
}

/** Changed records; `ids` null are all. */
type Changed = { family: Family; ids: ReadonlySet<string> | null; all: number }

const changedIn = (store: Store, since: (family: Family) => number): Changed[] =>
  FAMILIES.map(family => ({
    family,
    ids: store[family].changedSince(since(family)),
    all: store[family].size
  })).filter(({ ids }) => ids?.size !== 0)

/** Characters of the records of an amendment, at most; a longer record is alone. */
const ENOUGH = 2 ** 16

function* amendments(
  of: object,
  parts: object,
  store: Store,
  changed: readonly Changed[]
): Generator<string> {
  if (Object.keys(parts).length > 0) yield JSON.stringify({ ...of, ...parts })
  for (const { family, ids } of changed) {
    const begin = JSON.stringify({ ...of, family }).slice(0, -1)
    if (ids === null) yield `${begin},"all":true}`
    let records = ''
    for (const text of recordTexts(store, family, ids)) {
      if (records !== '' && records.length + text.length > ENOUGH) {
        yield `${begin},"records":[${records}]}`
        records = ''
      }
      records += records === '' ? text : `,${text}`
    }
    if (records !== '') yield `${begin},"records":[${records}]}`
  }
}

/** Records, and the places of deleted ones, in the order of creation. */
function* recordTexts(store: Store, family: Family, ids: Changed['ids']): Generator<string> {
  for (const [id, { record, at, owners }] of collectionOf(store, family).places(ids))
    yield record === null
      ? JSON.stringify({ id, deleted: { at, owners: [owners].flat() } })
      : recordText(family, record)
}
