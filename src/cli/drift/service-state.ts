/**
 * The records of a running service that a scenario expects something of, read by GET as far as the
 * API can say.
 */
import type { Said } from '../../core/sentences.js'
import type { Settings } from '../../core/settings.js'
import { valueAt } from '../../core/templates.js'
import type { Family } from '../../reference/operations.js'
import type { PlacedProblem } from '../../reports/points.js'
import type {
  StateData,
  StateDifference,
  StateRecords,
  StateTest
} from '../../scenario/final-state.js'
import { withTexts } from '../../scenario/references.js'
import { ID, type Quantities, STATE_WORDS } from '../../scenario/schemas.js'
import type { Json, Play } from '../../scenario/steps.js'
import { say } from '../sentences.js'
import { fieldOf, formProblem, type IdPairs } from './compare.js'

type ServiceReading = {
  play: Play
  /** The key that the records are read with. */
  key: string | null
  pairs: IdPairs
  /** They name the cursors and the parts of a list. */
  settings: Settings
  /** The Account of a User, whose records are read through it; undefined where nobody knows. */
  accountOf: (user: string) => string | undefined
}
/** How what was read differs, and why a part could not be read; places begin at `state`. */
type ServiceState = { differences: readonly StateDifference[]; unread: readonly PlacedProblem[] }
type Part = { [name: string]: Json }

/** Pages of a list that are read. */
const MAX_PAGES = 100
const PAGE = 100
/** The filters by which a list is narrowed before it is read. */
const FILTERS: Readonly<Partial<Record<Family, readonly string[]>>> = {
  tickets: ['location'],
  transactions: ['location'],
  refunds: ['transaction']
}

/** The id that a field has to be; undefined where it has to be something else. */
const idIn = (wanted: unknown): string | undefined =>
  typeof wanted === 'string' && ID.test(wanted) ? wanted : undefined

/**
 * Judges what an expected state names: each record by its id, the lists of which more is expected,
 * and the records that those refer to.
 */
export async function serviceState(
  data: StateData,
  differ: StateTest,
  { play, key, pairs, settings, accountOf }: ServiceReading
): Promise<ServiceState> {
  const {
    'pagination.cursors': [cursor],
    'shapes.list': list,
    'shapes.error': error
  } = settings
  const inList = (body: Json, placeholder: string) => valueAt(list, body, placeholder)
  const isList = (body: Json) =>
    Array.isArray(inList(body, '$members')) && typeof inList(body, '$has_more') === 'boolean'
  const idThere = (id: string) => encodeURIComponent(pairs.there(id))
  const byId = new Map<string, Json | null>()
  const lists = new Map<Family, Json[] | null>()
  const lookedFor = new Set<string>()
  const unread: PlacedProblem[] = []
  const refuse = (at: readonly string[], said: Said): null => {
    unread.push({ at: ['state', ...at], ...said })
    return null
  }
  /** A body, but for one that cannot be read. */
  const get = async (
    path: string,
    query: string,
    at: readonly string[],
    isRight: (status: number, body: Json) => boolean
  ): Promise<Json> => {
    const answer = await play({ method: 'GET', path, query, key, form: null })
    const { status, body } = answer
    const problem = formProblem(answer)
    if (problem === null && isRight(status, body))
      return status === 200 ? withTexts(body, pairs.here) : null
    const why = problem?.message ?? valueAt(error, body, '$message')
    return refuse(at, say('refused_reading', path, status, typeof why === 'string' ? why : ''))
  }
  /** The records of a list, page after page; Users are those of an Account. */
  const listed = async (
    family: Family,
    account: string | undefined,
    filter: string,
    at: readonly string[]
  ): Promise<Part[] | null> => {
    if (family === 'users' && account === undefined) return refuse(at, say('users_of_account'))
    const path = family === 'users' ? `/accounts/${idThere(account as string)}/users` : `/${family}`
    const found: Part[] = []
    for (let page = 0, after = ''; page < MAX_PAGES; page++) {
      const query = `limit=${PAGE}${filter}${after && `&${cursor}=${encodeURIComponent(after)}`}`
      const body = await get(path, query, at, (status, body) => status === 200 && isList(body))
      if (body === null) return null
      const data = inList(body, '$members') as Part[]
      found.push(...data)
      after = pairs.there(String(inList(body, '$last_id') ?? data.at(-1)?.id ?? ''))
      if (!inList(body, '$has_more') || after === '') return found
    }
    return refuse(at, say('too_many_records', path, MAX_PAGES * PAGE))
  }

  const recordAt = (family: Family, id: string, at: readonly string[]) =>
    get(
      `/${family}/${idThere(id)}`,
      '',
      at,
      (status, body) =>
        status === 404 || (status === 200 && fieldOf(body, 'id') === pairs.there(id))
    )

  for (const [family, expected] of Object.entries(data) as [Family, Quantities][]) {
    const { where = {} } = expected as { where?: Part }
    for (const [id, wanted] of Object.entries(expected) as [string, Part | null][]) {
      if (STATE_WORDS.includes(id)) continue
      const users = () =>
        listed(family, idIn(wanted?.account) ?? idIn(where.account) ?? accountOf(id), '', [
          family,
          id
        ])
      const record =
        family === 'users'
          ? (await users())?.find(user => user.id === id)
          : await recordAt(family, id, [family, id])
      byId.set(`${family} ${id}`, record ?? null)
    }
    const word = Object.keys(expected).find(name => STATE_WORDS.includes(name))
    if (word === undefined) continue
    const filters = (FILTERS[family] ?? []).flatMap(name =>
      idIn(where[name]) === undefined ? [] : `&${name}=${idThere(where[name] as string)}`
    )
    lists.set(family, await listed(family, idIn(where.account), filters.join(''), [family, word]))
  }
  const record: StateRecords['record'] = (family, id) => {
    const key = `${family} ${id}`
    if (!byId.has(key)) lookedFor.add(key)
    return byId.get(key) ?? undefined
  }
  for (;;) {
    const differences = await differ({ record, all: family => lists.get(family) as Json[] | null })
    if (lookedFor.size === 0) return { differences, unread }
    for (const key of lookedFor)
      byId.set(key, await recordAt(...(key.split(' ') as [Family, string]), []))
    lookedFor.clear()
  }
}
