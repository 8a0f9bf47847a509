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
type Wanted = { family: Family; where?: Part; account?: string | undefined; at: readonly string[] }

const MAX_PAGES = 100
const PAGE = 100

const idIn = (wanted: unknown): string | undefined =>
  typeof wanted === 'string' && ID.test(wanted) ? wanted : undefined

/** Reads records; null for one that is gone or cannot be read. */
class ServiceReader {
  readonly unread: PlacedProblem[] = []

  constructor(private readonly reading: ServiceReading) {}

  readonly #there = (id: string) => encodeURIComponent(this.reading.pairs.there(id))
  #inList = (body: Json, placeholder: string) =>
    valueAt(this.reading.settings['shapes.list'], body, placeholder)

  #refuse(at: readonly string[], said: Said): null {
    this.unread.push({ at: ['state', ...at], ...said })
    return null
  }

  /** A body that `isRight`; null for a 404 where that may be. */
  async #get(
    path: string,
    { at, query = '' }: Wanted & { query?: string },
    isRight: (body: Json) => boolean
  ): Promise<Json> {
    const { play, key, pairs, settings } = this.reading
    const answer = await play({ method: 'GET', path, query, key, form: null })
    const { status, body } = answer
    const problem = formProblem(answer)
    if (problem === null && status === 404 && query === '') return null
    if (problem === null && status === 200 && isRight(body)) return withTexts(body, pairs.here)
    const why = problem ?? valueAt(settings['shapes.error'], body, '$message')
    const said = say('refused_reading', path, status, typeof why === 'string' ? why : '')
    return this.#refuse(at, said)
  }

  /** `named` is what is expected of its family. */
  async record(family: Family, id: string, named: Readonly<Record<string, Part>>): Promise<Json> {
    const { where, [id]: own } = named
    const wanted: Wanted = { family, at: own === undefined ? [] : [family, id] }
    if (family === 'users') {
      wanted.account = idIn(own?.account) ?? idIn(where?.account) ?? this.reading.accountOf(id)
      return (await this.all(wanted))?.find(user => user.id === id) ?? null
    }
    const isIt = (body: Json) => fieldOf(body, 'id') === this.reading.pairs.there(id)
    return this.#get(`/${family}/${this.#there(id)}`, wanted, isIt)
  }

  /** Page after page; Users are those of an Account. */
  async all(wanted: Wanted): Promise<Part[] | null> {
    const { family, where = {}, account, at } = wanted
    const { pairs, settings } = this.reading
    if (family === 'users' && account === undefined)
      return this.#refuse(at, say('users_of_account'))
    const path =
      family === 'users' ? `/accounts/${this.#there(account as string)}/users` : `/${family}`
    const filters = ['location', 'transaction'].map(name => [name, idIn(where[name])] as const)
    const narrowed = filters.map(([name, id]) => (id ? `&${name}=${this.#there(id)}` : ''))
    const isList = (body: Json) =>
      Array.isArray(this.#inList(body, '$members')) &&
      typeof this.#inList(body, '$has_more') === 'boolean'
    const found: Part[] = []
    for (let page = 0, next = ''; page < MAX_PAGES; page++) {
      const query = `limit=${PAGE}${narrowed.join('')}${next}`
      const body = await this.#get(path, { ...wanted, query }, isList)
      if (body === null) return null
      const members = this.#inList(body, '$members') as Part[]
      found.push(...members)
      const last = pairs.there(String(this.#inList(body, '$last_id') ?? members.at(-1)?.id ?? ''))
      if (!this.#inList(body, '$has_more') || last === '') return found
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
  const wanted = new Map<string, () => Promise<Json | readonly Part[]>>()
  /** What is not read yet is read before the state is judged again. */
  const look = (key: string, get: () => Promise<Json | readonly Part[]>) => {
    if (!read.has(key)) wanted.set(key, get)
    return read.get(key) ?? null
  }
  const named = (family: Family) => (data[family] ?? {}) as Readonly<Record<string, Part>>
  const records: StateRecords = {
    record: (family, id) => {
      const get = () => reader.record(family, id, named(family))
      return (look(`${family} ${id}`, get) ?? undefined) as Json
    },
    all: family => {
      const { where = {}, ...others } = named(family)
      const word = STATE_WORDS.find(word => word in others) as string
      const list = { family, where, account: idIn(where.account), at: [family, word] }
      return look(family, () => reader.all(list)) as Part[] | null
    }
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
