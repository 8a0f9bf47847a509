/** The expected records of a service, as far as GET can read them. */
import type { Said } from '../../core/sentences.js'
import type { Settings } from '../../core/settings.js'
import { valueAt } from '../../core/templates.js'
import type { Family } from '../../reference/operations.js'
import type { PlacedProblem } from '../../reports/points.js'
import type { StateData, StateRecords, StateTest } from '../../scenario/expect/final-state.js'
import { withTexts } from '../../scenario/play/references.js'
import { STATE_WORDS } from '../../scenario/shape/expectation.js'
import { ID } from '../../scenario/shape/parts.js'
import type { Json, Play } from '../../scenario/steps.js'
import { say } from '../sentences.js'
import { fieldOf, formProblem, type IdPairs } from './compare.js'

type ServiceReading = {
  play: Play
  key: string | null
  pairs: IdPairs
  settings: Settings
  /** Users are read through their Account; undefined where nobody knows it. */
  accountOf: (user: string) => string | undefined
}
type Part = { [name: string]: Json }
type Records = { family: Family; where?: Part; account?: string | undefined; at: readonly string[] }

const MAX_PAGES = 100
const PAGE = 100

const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && ID.test(value) ? value : undefined

/** Reads records; null for one that is gone or cannot be read. */
class ServiceReader {
  readonly unread: PlacedProblem[] = []

  constructor(private readonly reading: ServiceReading) {}

  readonly #there = (id: string) => encodeURIComponent(this.reading.pairs.there(id))
  #inList = (body: Json, placeholder: string) =>
    valueAt(this.reading.settings['shapes.list'], body, placeholder)

  #refuse(at: readonly string[], problem: Said): null {
    this.unread.push({ at: ['state', ...at], ...problem })
    return null
  }

  /** A body that `isRight`; null for a record that is gone. */
  async #get(
    path: string,
    { at, query = '' }: Records & { query?: string },
    isRight: (body: Json) => boolean
  ): Promise<Json> {
    const { play, key, pairs, settings } = this.reading
    const response = await play({ method: 'GET', path, query, key, form: null })
    const { status, body } = response
    const problem = formProblem(response)
    if (problem === null && status === 404 && query === '') return null
    if (problem === null && status === 200 && isRight(body)) return withTexts(body, pairs.here)
    const why = problem ?? valueAt(settings['shapes.error'], body, '$message')
    return this.#refuse(
      at,
      say('refused_reading', path, status, typeof why === 'string' ? why : '')
    )
  }

  async record(
    family: Family,
    id: string,
    expected: Readonly<Record<string, Part>>
  ): Promise<Json> {
    const { where, [id]: record } = expected
    const records: Records = { family, at: record === undefined ? [] : [family, id] }
    if (family === 'users') {
      records.account = idIn(record?.account) ?? idIn(where?.account) ?? this.reading.accountOf(id)
      return (await this.all(records))?.find(user => user.id === id) ?? null
    }
    const isIt = (body: Json) => fieldOf(body, 'id') === this.reading.pairs.there(id)
    return this.#get(`/${family}/${this.#there(id)}`, records, isIt)
  }

  /** Page after page; Users are those of an Account. */
  async all(records: Records): Promise<Part[] | null> {
    const { family, where = {}, account, at } = records
    const { pairs, settings } = this.reading
    let path = `/${family}`
    if (family === 'users') {
      if (account === undefined) return this.#refuse(at, say('users_of_account'))
      path = `/accounts/${this.#there(account)}/users`
    }
    const filters = ['location', 'transaction'].map(name => [name, idIn(where[name])] as const)
    const narrowed = filters.map(([name, id]) => (id ? `&${name}=${this.#there(id)}` : ''))
    const isList = (body: Json) =>
      Array.isArray(this.#inList(body, '$members')) &&
      typeof this.#inList(body, '$has_more') === 'boolean'
    const members: Part[] = []
    for (let page = 0, next = ''; page < MAX_PAGES; page++) {
      const query = `limit=${PAGE}${narrowed.join('')}${next}`
      const body = await this.#get(path, { ...records, query }, isList)
      if (body === null) return null
      const onPage = this.#inList(body, '$members') as Part[]
      members.push(...onPage)
      const last = pairs.there(String(this.#inList(body, '$last_id') ?? onPage.at(-1)?.id ?? ''))
      if (!this.#inList(body, '$has_more') || last === '') return members
      next = `&${settings['pagination.cursors'][0]}=${encodeURIComponent(last)}`
    }
    return this.#refuse(at, say('too_many_records', path, MAX_PAGES * PAGE))
  }
}

export async function serviceState(
  data: StateData,
  differ: StateTest,
  reading: ServiceReading
): Promise<PlacedProblem[]> {
  const reader = new ServiceReader(reading)
  const read = new Map<string, Json | readonly Part[]>()
  const unread = new Map<string, () => Promise<Json | readonly Part[]>>()
  /** Records that are not read yet are read before the state is judged again. */
  const look = (key: string, get: () => Promise<Json | readonly Part[]>) => {
    if (!read.has(key)) unread.set(key, get)
    return read.get(key) ?? null
  }
  const expected = (family: Family) => (data[family] ?? {}) as Readonly<Record<string, Part>>
  const records: StateRecords = {
    record: (family, id) => {
      const get = () => reader.record(family, id, expected(family))
      return (look(`${family} ${id}`, get) ?? undefined) as Json
    },
    all: family => {
      const { where = {}, ...others } = expected(family)
      const words = STATE_WORDS.filter(word => word in others).slice(0, 1)
      const list = { family, where, account: idIn(where.account), at: [family, ...words] }
      return look(family, () => reader.all(list)) as Part[] | null
    }
  }
  for (;;) {
    const differences = await differ(records)
    if (unread.size === 0) {
      const isRead = ({ at }: PlacedProblem) =>
        !reader.unread.some(part => part.at.every((step, depth) => at[depth] === step))
      return [...reader.unread, ...differences.filter(isRead)]
    }
    for (const [key, get] of unread) read.set(key, await get())
    unread.clear()
  }
}
