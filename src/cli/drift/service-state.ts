/**
 * The records of a running service that a scenario expects something of, read by GET as far as the
 * API can say.
 */
import type { Said } from '../../core/sentences.js'
import type { Settings } from '../../core/settings.js'
import { valueAt } from '../../core/templates.js'
import type { Family } from '../../reference/operations.js'
import type { PlacedProblem } from '../../reports/points.js'
import type { StateData, StateRecords, StateTest } from '../../scenario/final-state.js'
import { withTexts } from '../../scenario/references.js'
import { ID, STATE_WORDS } from '../../scenario/schemas.js'
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
type Part = { [name: string]: Json }
type Read = Json | readonly Part[] | undefined

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

/** Records as a service has them; each is null where it is gone or cannot be read. */
class ServiceReader {
  readonly #reading: ServiceReading
  /** Why a part could not be read. */
  readonly unread: PlacedProblem[] = []

  constructor(reading: ServiceReading) {
    this.#reading = reading
  }

  readonly #there = (id: string) => encodeURIComponent(this.#reading.pairs.there(id))

  #refuse(at: readonly string[], said: Said): null {
    this.unread.push({ at: ['state', ...at], ...said })
    return null
  }

  async #get(
    path: string,
    query: string,
    at: readonly string[],
    isRight: (status: number, body: Json) => boolean
  ): Promise<Json> {
    const { play, key, pairs, settings } = this.#reading
    const answer = await play({ method: 'GET', path, query, key, form: null })
    const { status, body } = answer
    const problem = formProblem(answer)
    if (problem === null && isRight(status, body))
      return status === 200 ? withTexts(body, pairs.here) : null
    const why = problem ?? valueAt(settings['shapes.error'], body, '$message')
    return this.#refuse(
      at,
      say('refused_reading', path, status, typeof why === 'string' ? why : '')
    )
  }

  one(family: Family, id: string, at: readonly string[]): Promise<Json> {
    const isIt = (body: Json) => fieldOf(body, 'id') === this.#reading.pairs.there(id)
    return this.#get(
      `/${family}/${this.#there(id)}`,
      '',
      at,
      (status, body) => status === 404 || (status === 200 && isIt(body))
    )
  }

  /** A list page after page; Users are those of an Account. */
  async all(
    family: Family,
    where: Part,
    account: string | undefined,
    at: readonly string[]
  ): Promise<Part[] | null> {
    if (family === 'users' && account === undefined)
      return this.#refuse(at, say('users_of_account'))
    const path =
      family === 'users' ? `/accounts/${this.#there(account as string)}/users` : `/${family}`
    const { pairs, settings } = this.#reading
    const [cursor] = settings['pagination.cursors']
    const inList = (body: Json, placeholder: string) =>
      valueAt(settings['shapes.list'], body, placeholder)
    const filters = (FILTERS[family] ?? []).flatMap(name => {
      const id = idIn(where[name])
      return id === undefined ? [] : `&${name}=${this.#there(id)}`
    })
    const found: Part[] = []
    for (let page = 0, after = ''; page < MAX_PAGES; page++) {
      const next = after && `&${cursor}=${encodeURIComponent(after)}`
      const body = await this.#get(
        path,
        `limit=${PAGE}${filters.join('')}${next}`,
        at,
        (status, body) =>
          status === 200 &&
          Array.isArray(inList(body, '$members')) &&
          typeof inList(body, '$has_more') === 'boolean'
      )
      if (body === null) return null
      const data = inList(body, '$members') as Part[]
      found.push(...data)
      after = pairs.there(String(inList(body, '$last_id') ?? data.at(-1)?.id ?? ''))
      if (!inList(body, '$has_more') || after === '') return found
    }
    return this.#refuse(at, say('too_many_records', path, MAX_PAGES * PAGE))
  }
}

/** How the records of a service differ from an expected state; places begin at `state`. */
export async function serviceState(
  data: StateData,
  differ: StateTest,
  reading: ServiceReading
): Promise<PlacedProblem[]> {
  const reader = new ServiceReader(reading)
  const read = new Map<string, Read>()
  const wanted = new Map<string, () => Promise<Read>>()
  /** What was read; what was not yet is read before the state is judged again. */
  const look = (key: string, get: () => Promise<Read>): Read => {
    if (!read.has(key)) wanted.set(key, get)
    return read.get(key) ?? undefined
  }
  const named = (family: Family) => (data[family] ?? {}) as Readonly<Record<string, Part>>
  const records: StateRecords = {
    record: (family, id) =>
      look(`${family} ${id}`, async () => {
        const { where, [id]: own } = named(family)
        const at = own === undefined ? [] : [family, id]
        if (family !== 'users') return reader.one(family, id, at)
        const account = idIn(own?.account) ?? idIn(where?.account) ?? reading.accountOf(id)
        return (await reader.all(family, {}, account, at))?.find(user => user.id === id)
      }) as Json | undefined,
    all: family =>
      (look(family, () => {
        const { where = {}, ...others } = named(family)
        const word = STATE_WORDS.find(word => word in others) ?? 'where'
        return reader.all(family, where, idIn(where.account), [family, word])
      }) ?? null) as Part[] | null
  }
  for (;;) {
    const differences = await differ(records)
    if (wanted.size === 0) {
      const isRead = ({ at }: PlacedProblem) =>
        !reader.unread.some(part => part.at.every((step, depth) => at[depth] === step))
      return [...reader.unread, ...differences.filter(isRead)]
    }
    for (const [key, get] of wanted) read.set(key, await get())
    wanted.clear()
  }
}
