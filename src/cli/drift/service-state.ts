/** The records of a running service that a scenario expects something of, read by GET as far as the API can say. */
import { isObject } from '../../core/quick-check.js'
import type { Family } from '../../reference/operations.js'
import type { PlacedProblem } from '../../reports/points.js'
import type { StateData, StateRecords } from '../../scenario/final-state.js'
import { type Json, type Play, type StepAnswer, withTexts } from '../../scenario/steps.js'
import type { IdPairs } from './id-pairs.js'

export type ServiceReading = {
  play: Play
  /** The key that the records are read with. */
  key: string | null
  pairs: IdPairs
  /** The Account of a User, whose records are read through it; undefined where nobody knows. */
  accountOf: (user: string) => string | undefined
}
/** What was read, how many calls that took, and why a part could not be read; places begin at `state`. */
export type ServiceState = { records: StateRecords; unread: PlacedProblem[]; calls: number }
type Part = { [name: string]: Json }

/** Pages of a list that are read. */
const MOST_PAGES = 100
const PAGE = 100
/** The filters by which a list is narrowed before it is read. */
const FILTERS: Readonly<Partial<Record<Family, readonly string[]>>> = { tickets: ['location'], transactions: ['location'], refunds: ['transaction'] }

/** Reads what an expected state names: each record by its id, and the lists that are counted. */
export async function serviceState(data: StateData, { play, key, pairs, accountOf }: ServiceReading): Promise<ServiceState> {
  const byId = new Map<string, Json>()
  const lists = new Map<Family, Json[]>()
  const unread: PlacedProblem[] = []
  let calls = 0

  const get = (path: string, query = '') => {
    calls++
    return play({ method: 'GET', path, query, key, form: null })
  }
  const refuse = (at: readonly string[], path: string, { status, body }: StepAnswer) => {
    const message = (body as { error?: { message?: unknown } } | null)?.error?.message
    unread.push({ at: ['state', ...at], message: `GET ${path} was answered with ${status}${typeof message === 'string' ? ` (${message})` : ''}` })
  }
  /** The records of a list, page after page; null where a page cannot be read. */
  const listed = async (path: string, filter: string, at: readonly string[]): Promise<Json[] | null> => {
    const found: Json[] = []
    for (let page = 0, after = ''; page < MOST_PAGES; page++) {
      const answer = await get(path, `limit=${PAGE}${filter}${after && `&starting_after=${encodeURIComponent(after)}`}`)
      const { data, has_more, last_id } = (isObject(answer.body) ? answer.body : {}) as { data?: Json[]; has_more?: boolean; last_id?: string }
      if (answer.status !== 200 || !Array.isArray(data)) {
        refuse(at, path, answer)
        return null
      }
      found.push(...data)
      after = last_id ?? String((data.at(-1) as Part | undefined)?.id ?? '')
      if (has_more !== true || after === '') return found
    }
    unread.push({ at: ['state', ...at], message: `GET ${path} has more than ${MOST_PAGES * PAGE} records, which are not all read` })
    return null
  }
  const readUsers = async (account: string | undefined, at: readonly string[]) => {
    if (account !== undefined) return listed(`/accounts/${encodeURIComponent(pairs.there(account))}/users`, '', at)
    unread.push({ at: ['state', ...at], message: 'the API lists the Users of one Account; name it by account' })
    return null
  }
  const readOne = async (family: Family, id: string, account: string | undefined) => {
    if (family === 'users') {
      const users = await readUsers(account ?? accountOf(id), [family, id])
      const user = users?.find(user => (user as Part).id === pairs.there(id))
      if (user !== undefined) byId.set(`${family} ${id}`, translated(user, pairs))
      return
    }
    const path = `/${family}/${encodeURIComponent(pairs.there(id))}`
    const answer = await get(path)
    if (answer.status === 200) byId.set(`${family} ${id}`, translated(answer.body, pairs))
    else if (answer.status !== 404) refuse([family, id], path, answer)
  }

  for (const [family, { count, where = {}, ...records }] of Object.entries(data) as [Family, { count?: number; where?: Part }][]) {
    for (const [id, wanted] of Object.entries(records) as [string, Part | null][])
      await readOne(family, id, (wanted?.account ?? where.account) as string | undefined)
    if (count === undefined) continue
    const filter = (FILTERS[family] ?? [])
      .filter(name => typeof where[name] === 'string')
      .map(name => `&${name}=${encodeURIComponent(pairs.there(where[name] as string))}`)
    const at = [family, 'count']
    const found = family === 'users' ? await readUsers(where.account as string | undefined, at) : await listed(`/${family}`, filter.join(''), at)
    lists.set(family, translated(found ?? [], pairs) as Json[])
  }
  return { records: { record: (family, id) => byId.get(`${family} ${id}`), all: family => lists.get(family) as Json[] }, unread, calls }
}

/** Data with the ids of the emulator in place of those of the service. */
const translated = (value: Json, pairs: IdPairs): Json => withTexts(value, text => pairs.here(text))
