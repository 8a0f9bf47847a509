/** Where calls come in: which world a call is for, by its address, and the id of its answer. */
import type { IncomingMessage } from 'node:http'
import type { ApiError } from '../core/errors.js'
import { checkedName } from '../sandbox/names.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { readable } from './answers.js'
import type { Player } from './playing.js'

export const BASE = '/next'
export const CONTROL = '/_control'

export const pathOf = (url: string): string => (url.includes('?') ? url.slice(0, url.indexOf('?')) : url)
export const isUnder = (prefix: string, url: string): boolean => pathOf(url) === prefix || url.startsWith(`${prefix}/`)
/** The path of an address below the base address; of one that is not below it, the whole path. */
export const pathBelow = (url: string): string => (isUnder(BASE, url) ? pathOf(url).slice(BASE.length) : pathOf(url)) || '/'

/** The address of the control API beside a base address. */
export const controlBeside = (base: string): string => `${base.slice(0, -BASE.length)}${CONTROL}`

/** A call as it came in. */
export type Arrival = {
  /** The world that it is for; the one at the base address where it is for none. */
  sandbox: Sandbox
  /** What its address names before the API's or the control API's own: empty, or `/sandbox/NAME`. */
  prefix: string
  /** The name in the prefix, as it was sent. */
  name: string | null
  isStep: boolean
  /** Why it cannot go on to its world. */
  refusal: ApiError | null
}

const ORIGIN = /^https?:\/\/[^/?]*/i
const PREFIX = /^(\/sandbox\/([^/?]*))(.*)$/s
/** Letters, digits, `-`, `.`, `_` and `~`, percent-encoded though they need not be: the address is the same as without. */
const NEEDLESS = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi

/** The url without an origin, with a path, and with nothing in the path encoded needlessly. */
function plain(url: string): string {
  const local = url.replace(ORIGIN, '')
  const path = pathOf(local)
  const decoded = path.includes('%') ? path.replace(NEEDLESS, encoded => decodeURIComponent(encoded)) : path
  return `${decoded || '/'}${local.slice(path.length)}`
}

export class Entrance {
  readonly #sandboxes: Sandboxes
  readonly #player: Player
  readonly #prefixes = new WeakMap<IncomingMessage, { prefix: string; name: string }>()
  readonly #arrivals = new WeakMap<IncomingMessage, Arrival>()
  #ownAnswers = 0

  constructor(sandboxes: Sandboxes, player: Player) {
    this.#sandboxes = sandboxes
    this.#player = player
  }

  /** The plain url without `/sandbox/NAME`, so that every world has the same routes. */
  route(raw: IncomingMessage): string {
    const url = plain(raw.url as string)
    const [, prefix, name, rest] = PREFIX.exec(url) ?? []
    if (prefix === undefined || name === undefined) return url
    this.#prefixes.set(raw, { prefix, name })
    return rest?.startsWith('/') ? rest : `/${rest}`
  }

  /**
   * Takes a call in and answers its id: of calls of the emulated API a number of their world's own, which is made when it is named for the first time.
   * Whether a control call makes its world depends on the call; `worldOf` looks then.
   */
  arrive(raw: IncomingMessage): string {
    const { prefix, name } = this.#prefixes.get(raw) ?? { prefix: '', name: null }
    const played = this.#player.worldOf(raw)
    const arrival: Arrival = { sandbox: played ?? this.#sandboxes.main, prefix, name, isStep: played !== undefined, refusal: null }
    this.#arrivals.set(raw, arrival)
    const url = raw.url as string
    const isOverview = pathOf(url) === '/'
    if (isUnder(CONTROL, url) || (isOverview && name === null)) return this.#ownId()
    if (name !== null) {
      try {
        checkedName(name, readable(name))
        if (isOverview) return this.#ownId()
        // what lacks the base makes no world, but is kept in one that there is
        arrival.sandbox = isUnder(BASE, url) ? this.#sandboxes.use(name) : this.#sandboxes.find(name)
      } catch (error) {
        const { code } = error as ApiError
        if (code !== 'sandbox_unknown') arrival.refusal = error as ApiError
        return this.#ownId()
      }
    }
    return arrival.sandbox.nextRequestId()
  }

  arrivalOf(raw: IncomingMessage): Arrival {
    return this.#arrivals.get(raw) as Arrival
  }

  /** The world that a control call is for; one that `makes` it is given a new one where there is none. Errors: as of `Sandboxes.use` and `find`. */
  worldOf(raw: IncomingMessage, { makes }: { makes: boolean }): Sandbox {
    const { sandbox, name } = this.arrivalOf(raw)
    // before the start scenario is loaded there is no other world, and only health is asked for
    if (name === null || !sandbox.isLoaded) return sandbox
    checkedName(name, readable(name))
    return makes ? this.#sandboxes.use(name) : this.#sandboxes.find(name)
  }

  #ownId(): string {
    return `ctl_${++this.#ownAnswers}`
  }
}
